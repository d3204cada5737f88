package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"sharetop/model"
)

// printer writes the rows of one sheet to stdout in the format asked for. It
// writes data and nothing else: what is to be said goes to stderr.
type printer struct {
	out      io.Writer
	sheet    sheet
	format   format
	noHeader bool
	// terminal: a person reads it, so that there are thousands separators.
	terminal, colours bool
	ascii, utc        bool
	form              model.TextForm

	grid *model.Grid
	// tones are those of the lines that grid is about to give.
	tones [][]tone
	rows  [][]cell
	begun bool
	total int
}

// add takes in a row, which has a cell for every column. Nothing is written
// before flush or end.
func (p *printer) add(cells ...cell) { p.rows = append(p.rows, cells) }

// empty tells whether no row was added yet.
func (p *printer) empty() bool { return p.total+len(p.rows) == 0 }

// flush writes what was added, for verbs that go on for a while. JSON stays
// open: end closes it.
func (p *printer) flush() error {
	var out []byte
	switch p.format {
	case formatTable, formatWide:
		out = p.table()
	case formatCSV:
		out = p.csv()
	case formatJSONLines:
		for _, row := range p.rows {
			out = append(append(out, p.object(row)...), '\n')
		}
	case formatJSON:
		out = p.json()
	}
	p.total, p.rows, p.begun = p.total+len(p.rows), nil, true
	return wrote(p.out.Write(out))
}

// stream is flush for rows that are large: a table waits for all of them all the
// same, since its columns do, but holds no more of each than it shows.
func (p *printer) stream() error {
	if p.format != formatTable && p.format != formatWide {
		return p.flush()
	}
	p.lay()
	p.total, p.rows = p.total+len(p.rows), nil
	return nil
}

// end writes the rest. Problems are part of JSON; elsewhere stderr has them.
func (p *printer) end(problems []model.Problem) error {
	if err := p.flush(); err != nil || p.format != formatJSON {
		return err
	}
	out := []byte("\n],\"problems\":[")
	for i, problem := range problems {
		out = append(append(out, separator(i)...), object(problemSheet().columns, problemCells(problem))...)
	}
	return wrote(p.out.Write(append(out, "\n]}\n"...)))
}

func (p *printer) table() []byte {
	p.lay()
	out := []byte(p.grid.Take())
	p.tones = nil
	return out
}

// lay puts the rows that were added into the grid.
func (p *printer) lay() {
	var shown []int
	var titles []string
	for i, c := range p.sheet.columns {
		if !c.wide || p.format == formatWide {
			shown, titles = append(shown, i), append(titles, c.title)
		}
	}
	if p.grid == nil {
		p.grid = model.NewGrid(titles...)
		p.grid.HideTitles = p.noHeader
		if p.colours {
			p.grid.Paint = func(line, column int, text string) string {
				return paint(p.tones[line][column], text)
			}
		}
	}
	for _, row := range p.rows {
		texts, tones := make([]string, len(shown)), make([]tone, len(shown))
		for i, at := range shown {
			texts[i], tones[i] = p.shown(row[at]), row[at].tone
		}
		p.grid.Add(texts...)
		p.tones = append(p.tones, tones)
	}
}

// paint colours a cell with the 16 colours of the terminal's own theme.
func paint(t tone, text string) string {
	codes := map[tone]string{warnTone: "33", badTone: "1;31", dimTone: "2"}
	if codes[t] == "" {
		return text
	}
	return "\x1b[" + codes[t] + "m" + text + "\x1b[0m"
}

func (p *printer) csv() []byte {
	var out []byte
	if !p.begun && !p.noHeader {
		names := make([]string, len(p.sheet.columns))
		for i, c := range p.sheet.columns {
			names[i] = c.name
		}
		out = model.AppendCSV(out, names)
	}
	for _, row := range p.rows {
		fields := make([]string, len(row))
		for i, c := range row {
			fields[i] = p.field(c)
		}
		out = model.AppendCSV(out, fields)
	}
	return out
}

func (p *printer) json() []byte {
	var out []byte
	if !p.begun {
		out = fmt.Appendf(out, `{"%s":[`, p.sheet.name)
	}
	for i, row := range p.rows {
		out = append(append(out, separator(p.total+i)...), p.object(row)...)
	}
	return out
}

// separator stands before the i-th element of a list with one element a line.
func separator(i int) string {
	if i == 0 {
		return "\n"
	}
	return ",\n"
}

func (p *printer) object(row []cell) []byte { return object(p.sheet.columns, row) }

// object is a row as a JSON object, its keys in the order of the columns.
func object(columns []column, row []cell) []byte {
	out := []byte{'{'}
	for i, c := range row {
		if i > 0 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, "%q:", columns[i].name)
		out = append(out, jsonOf(c)...)
	}
	return append(out, '}')
}

// jsonOf is a cell's value. Times are UTC, unknown ones null.
func jsonOf(c cell) []byte {
	value := c.value
	if t, ok := value.(time.Time); ok {
		value = t.UTC().Truncate(time.Millisecond)
		if t.IsZero() {
			value = nil
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(value) != nil { // no value of ours can't be written
		return []byte("null")
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// problemSheet is how problems look in JSON.
func problemSheet() sheet {
	return sheet{name: "problems", columns: []column{
		{name: "kind"}, {name: "target"}, {name: "detail"}, {name: "advice"},
	}}
}

func problemCells(p model.Problem) []cell {
	return []cell{word(string(p.Kind)), of(p.Target), word(p.Detail), word(p.Advice)}
}

// wrote is the error of a write. When nobody reads any more, as with head,
// there is nobody to tell it to.
func wrote(_ int, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		return &ExitError{Code: ExitPipe}
	}
	return fmt.Errorf("the output could not be written: %w", err)
}
