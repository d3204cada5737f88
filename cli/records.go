package cli

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"sharetop/model"
)

// recordsSheet is what peek and consume print of records.
func recordsSheet() sheet {
	return sheet{name: "records", columns: []column{
		{title: "TOPIC", name: "topicName"},
		{title: "PARTITION>", name: "partitionIndex"},
		{title: "OFFSET>", name: "offset"},
		{title: "TIMESTAMP", name: "timestamp"},
		{title: "STATE", name: "state"},
		{title: "DELIVERIES>", name: "deliveryCount"},
		{title: "LOCK-ENDS", name: "lockEnds", wide: true},
		{title: "KEY", name: "key"},
		{title: "KEY-FORM", name: "keyForm", wide: true},
		{title: "VALUE", name: "value"},
		{title: "VALUE-FORM", name: "valueForm", wide: true},
		{title: "HEADERS", name: "headers", wide: true},
	}}
}

// recordCells are a record with what its group has done with it: a state, the
// deliveries, and until when it is held.
func recordCells(r *model.Record, state cell, deliveries model.Number, lockEnds time.Time) []cell {
	return []cell{
		of(r.Topic), of(int64(r.Partition)), of(r.Offset), of(r.Time()), state, of(deliveries), of(lockEnds),
		of(payload(r.Key)), word(payload(r.Key).form()), of(payload(r.Value)), word(payload(r.Value).form()), of(headers(r.Headers)),
	}
}

// unreadableCells are a record that is held and could not be read.
func unreadableCells(r *model.HeldRecord) []cell {
	cells := recordCells(&model.Record{
		Topic: r.ID.Topic, Partition: r.ID.Partition, Offset: r.ID.Offset, Millis: model.NoTimestamp,
	}, word("held"), model.Known(int64(r.Delivery)), r.LockEnds)
	for i, c := range cells {
		if _, unread := c.value.(payload); unread {
			cells[i] = cell{}
		}
	}
	return cells
}

// payload is a key or value. JSON and CSV have it as it is where it is UTF-8,
// else in base64; form says which. Tables have its beginning.
type payload model.Blob

// previewCells is how much of a key or value a table has.
const previewCells = 48

func (p payload) form() string {
	switch b := model.Blob(p); {
	case b.IsNull():
		return ""
	case utf8.Valid(b.Bytes()):
		return "utf-8"
	}
	return "base64"
}

func (p payload) plain() string {
	if p.form() == "base64" {
		return base64.StdEncoding.EncodeToString(model.Blob(p).Bytes())
	}
	return string(model.Blob(p).Bytes())
}

func (p payload) MarshalJSON() ([]byte, error) {
	if model.Blob(p).IsNull() {
		return []byte("null"), nil
	}
	return model.QuoteJSON(p.plain()), nil
}

func (p payload) text(form model.TextForm) string {
	if form == model.TextSafe {
		return model.Blob(p).Preview(previewCells)
	}
	return p.plain()
}

// table tells a key or value that is not there from an empty one, and both from
// one that reads like them. None of them is unknown.
func (p payload) table() string {
	const null, empty = "(null)", "(empty)"
	b := model.Blob(p)
	switch text := b.Preview(previewCells); {
	case b.IsNull():
		return null
	case text == "":
		return empty
	case text == null, text == empty:
		return strconv.Quote(text)
	default:
		return text
	}
}

// headers are a record's headers: a list in JSON, else NAME=VALUE separated by
// semicolons.
type headers []model.Header

func (h headers) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, header := range h {
		if i > 0 {
			out = append(out, ',')
		}
		value := payload(header.Value)
		out = append(out, object(
			[]column{{name: "name"}, {name: "value"}, {name: "valueForm"}},
			[]cell{of(header.Name), of(value), word(value.form())})...)
	}
	return append(out, ']'), nil
}

func (h headers) text(form model.TextForm) string {
	texts := make([]string, len(h))
	for i, header := range h {
		texts[i] = form.Of(header.Name) + "=" + payload(header.Value).text(form)
	}
	return strings.Join(texts, ";")
}
