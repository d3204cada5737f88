package model

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"unicode/utf8"
)

// ValueView is a way to show the bytes of a key or value.
type ValueView uint8

// The views. ViewAuto stands for the one that the content asks for.
const (
	ViewAuto ValueView = iota
	// ViewJSON is indented, with keys, numbers and their order as written.
	ViewJSON
	// ViewText has the lines of the text; what is not safe for a terminal is
	// escaped as Sanitize does.
	ViewText
	// ViewHex is an offset, the bytes, and what is readable of them.
	ViewHex
)

// String is the word for the view.
func (v ValueView) String() string {
	return [...]string{"auto", "JSON", "text", "hex"}[min(v, ViewHex)]
}

// Next is the view after this one, in a circle without ViewAuto.
func (v ValueView) Next() ValueView { return v%ViewHex + 1 }

// Content is what was found out about the bytes of a key or value.
type Content struct {
	// View is the view that the content asks for: ViewJSON only when all of it
	// is one JSON object or array.
	View ValueView
	// IsJSON is false also for JSON that was not read to its end yet: see
	// Checked.
	IsJSON bool
	// Checked is false while nobody has read all of a large content.
	Checked bool
	// BOM is true when it begins with a byte-order mark.
	BOM bool
	// SchemaID is the id of schema-registry framing, by the first five bytes: a
	// 0 and the id. Unknown without it. Other binary data can look the same.
	SchemaID Number
	// skip is how many bytes come before the payload: framing, byte-order mark.
	skip int
}

// SmallValue is the size up to which Look reads all of a value at once: about
// two milliseconds of work.
const SmallValue = 256 << 10

// maxSchemaID bounds what is taken for a schema id. Registries count up from
// 1; a higher number is binary data that happens to begin with a 0.
const maxSchemaID = 1<<24 - 1

// framing is the length of schema-registry framing: a magic 0, then the id.
const framing = 5

// Look finds out what the bytes are as far as that is quick. Of more than
// SmallValue bytes only the beginning is looked at, and Checked is false when
// they could be JSON.
func Look(data []byte) Content {
	c := lookAtStart(data)
	if c.mayBeJSON(data) {
		if len(data) > SmallValue {
			return c
		}
		return c.checked(data)
	}
	c.Checked = true
	return c
}

// LookAtAll is Look that reads all of it, however large.
func LookAtAll(data []byte) Content {
	c := lookAtStart(data)
	if c.mayBeJSON(data) {
		return c.checked(data)
	}
	c.Checked = true
	return c
}

func lookAtStart(data []byte) Content {
	var c Content
	if len(data) > framing && data[0] == 0 {
		if id := binary.BigEndian.Uint32(data[1:]); id > 0 && id <= maxSchemaID {
			c.SchemaID, c.skip = Known(int64(id)), framing
		}
	}
	if bytes.HasPrefix(data[c.skip:], []byte("\ufeff")) {
		c.BOM = true
		c.skip += len("\ufeff")
	}
	c.View = ViewHex
	if looksLikeText(data) {
		c.View = ViewText
	}
	return c
}

// mayBeJSON tells by the first byte that is no blank. A single number, string
// or null is as good as text.
func (c Content) mayBeJSON(data []byte) bool {
	at := skipBlanks(data, c.skip)
	return at < len(data) && (data[at] == '{' || data[at] == '[')
}

func (c Content) checked(data []byte) Content {
	c.Checked = true
	if json.Valid(data[c.skip:]) {
		c.IsJSON, c.View = true, ViewJSON
	}
	return c
}

// textSample is how much of a value tells whether it is text.
const textSample = 4 << 10

// looksLikeText tells whether most people would call the bytes text: UTF-8
// without NUL, and with at most one control character in ten.
func looksLikeText(data []byte) bool {
	sample := data[:min(len(data), textSample)]
	if len(sample) < len(data) {
		// A character may have been cut in two.
		for range utf8.UTFMax {
			if r, size := utf8.DecodeLastRune(sample); r != utf8.RuneError || size != 1 {
				break
			}
			sample = sample[:len(sample)-1]
		}
	}
	controls := 0
	for _, b := range sample {
		switch {
		case b == 0:
			return false
		case b < ' ' && b != '\t' && b != '\n' && b != '\r', b == 0x7f:
			controls++
		}
	}
	return utf8.Valid(sample) && controls*10 <= len(sample)
}

func skipBlanks(data []byte, at int) int {
	for at < len(data) && isBlank(data[at]) {
		at++
	}
	return at
}

// isBlank tells whether JSON takes a byte for white space.
func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// previewSource is how many bytes of a value are looked at for one cell of a
// preview: an escape can take up to six bytes a cell less than it shows, so
// that this much always fills the cells.
const previewSource = 4

// Preview is the beginning of a key or value in one line of about that many
// cells at most, safe for a terminal; framing is left out. It is empty for null
// and for an empty value: what stands in their place is not the value's.
func (b Blob) Preview(cells int) string {
	data := b.data
	if len(data) > framing {
		data = data[lookAtStart(data[:min(len(data), framing+8)]).skip:]
	}
	if limit := cells * previewSource; len(data) > limit {
		data = data[:limit]
		for range utf8.UTFMax { // no half character at the end
			if r, size := utf8.DecodeLastRune(data); r != utf8.RuneError || size != 1 {
				break
			}
			data = data[:len(data)-1]
		}
	}
	return Sanitize(string(data))
}
