package model

import "bytes"

// SearchRecords returns those of the records whose key or value has the text,
// or with a "!" before it has not. Case does not matter for ASCII letters. It
// reads every byte of what is loaded, so it is to be called where that may take
// a while; stop is asked between records and ends it with what was found.
func SearchRecords(records []*Record, text string, stop func() bool) []*Record {
	needle, without := bytes.CutPrefix([]byte(text), []byte("!"))
	if len(needle) == 0 {
		return records
	}
	var s folded
	needle = lowered(nil, needle)
	var found []*Record
	for _, r := range records {
		if stop() {
			break
		}
		if (s.has(r.Key.data, needle) || s.has(r.Value.data, needle)) != without {
			found = append(found, r)
		}
	}
	return found
}

// folded looks for text without regard to case, in pieces of a buffer.
type folded struct{ buffer []byte }

const foldedPiece = 64 << 10

func (f *folded) has(data, needle []byte) bool {
	for len(data) >= len(needle) {
		piece := data[:min(len(data), foldedPiece+len(needle))]
		f.buffer = lowered(f.buffer[:0], piece)
		if bytes.Contains(f.buffer, needle) {
			return true
		}
		if len(piece) == len(data) {
			return false
		}
		data = data[foldedPiece:]
	}
	return false
}

// lowered appends data with its ASCII letters in lower case.
func lowered(to, data []byte) []byte {
	for _, c := range data {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		to = append(to, c)
	}
	return to
}
