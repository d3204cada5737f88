package cli

import (
	"cmp"
	"strings"
	"time"

	"sharetop/model"
)

// sheet says what one kind of output has: a verb describes its columns once,
// and every format comes from that. docs/output.md tells people the same.
type sheet struct {
	// name is the key of the list of rows in JSON.
	name    string
	columns []column
}

// column is one column of a sheet.
type column struct {
	// title heads the column in tables; one that ends in ">" is aligned right.
	title string
	// name is the key in JSON, and the column's name in CSV.
	name string
	// wide leaves the column out of tables that are not wide.
	wide bool
}

// tone says how much a cell asks for attention.
type tone uint8

const (
	plain tone = iota
	warnTone
	badTone
	dimTone
)

// cell is one value of a row. Its kind says how it is written: model.Text and
// its kinds, model.Number, model.Rate, int64, bool, time.Time, our own words as
// string, formed, or nil for unknown.
type cell struct {
	value any
	tone  tone
}

func of(value any) cell { return cell{value: value} }

// word is a cell of our own text; empty is unknown.
func word(text string) cell {
	if text == "" {
		return cell{}
	}
	return cell{value: text}
}

// toned is a cell that asks for attention.
func toned(c cell, t tone) cell {
	c.tone = t
	return c
}

// shown is what a table has of a cell.
func (p *printer) shown(c cell) string {
	text := ""
	switch v := c.value.(type) {
	case nil:
		text = model.Unknown
	case model.Text, model.GroupID, model.TopicName:
		return p.options().Name(textOf(v))
	case model.Number:
		text = p.number(v)
	case sum:
		text = p.number(v.Number)
		if v.partial && v.IsKnown() {
			text += "+"
		}
	case int64:
		text = p.number(model.Known(v))
	case model.Rate:
		text = model.FormatRate(v)
	case bool:
		text = yesNo(v)
	case time.Time:
		text = p.time(v)
	case string:
		text = v
	case payload:
		text = v.table()
	case formed:
		text = cmp.Or(v.text(model.TextSafe), model.Unknown)
	}
	return p.options().Text(text)
}

// textOf is the text of one of its kinds.
func textOf(value any) model.Text {
	switch v := value.(type) {
	case model.GroupID:
		return v.Text
	case model.TopicName:
		return v.Text
	case model.Text:
		return v
	}
	return model.Text{}
}

// options are how model writes text for this printer.
func (p *printer) options() model.TableOptions { return model.TableOptions{ASCII: p.ascii, UTC: p.utc} }

// number has thousands separators where a person reads it; a pipe gets digits.
func (p *printer) number(n model.Number) string {
	if !p.terminal && n.IsKnown() {
		return strings.ReplaceAll(model.FormatNumber(n), ",", "")
	}
	return model.FormatNumber(n)
}

// time is a moment in a table, to the millisecond; unknown for the zero time.
func (p *printer) time(t time.Time) string {
	if t.IsZero() {
		return model.Unknown
	}
	if p.utc {
		t = t.UTC()
	}
	return t.Format("2006-01-02T15:04:05.000Z07:00")
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// field is what CSV has of a cell: digits and text as they are, empty for
// unknown.
func (p *printer) field(c cell) string {
	switch v := c.value.(type) {
	case model.Text, model.GroupID, model.TopicName:
		return p.form.Of(textOf(v))
	case string:
		return v
	case drainTime:
		return v.seconds()
	case formed:
		return v.text(p.form)
	}
	return strings.TrimSuffix(strings.Trim(string(jsonOf(c)), `"`), "null")
}
