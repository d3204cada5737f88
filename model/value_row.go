package model

import "unicode/utf8"

// rowWriter takes in bytes of a value until a row is full. Without keep it only
// measures.
type rowWriter struct {
	room int
	keep bool
	text []byte
}

// add takes the first character of data with the marks that belong to it, and
// returns how many bytes those are; 0 when it does not fit.
func (w *rowWriter) add(data []byte) int {
	if c := data[0]; c >= ' ' && c <= '~' && (len(data) == 1 || data[1] < 0xcc) {
		// No mark can follow: the first of them begins with byte 0xcc.
		return w.put(data[:1], 1)
	}
	n := characterLength(data)
	safe := Sanitize(string(data[:n]))
	if w.put([]byte(safe), Width(safe)) == 0 {
		return 0
	}
	return n
}

// put appends what takes so many cells; 0 when they are not there.
func (w *rowWriter) put(safe []byte, cells int) int {
	if cells > w.room {
		return 0
	}
	w.room -= cells
	if w.keep {
		w.text = append(w.text, safe...)
	}
	return len(safe)
}

// own appends text of the program's own, ASCII, whether it fits or not.
func (w *rowWriter) own(text string) {
	w.room -= len(text)
	if w.keep {
		w.text = append(w.text, text...)
	}
}

// characterLength is the length of the first character with the marks that
// Sanitize lets it keep.
func characterLength(data []byte) int {
	_, n := utf8.DecodeRune(data)
	for range maxMarks {
		r, size := utf8.DecodeRune(data[n:])
		if size == 0 || !inRanges(combining, r) {
			break
		}
		n += size
	}
	return n
}
