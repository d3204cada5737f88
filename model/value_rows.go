package model

// ValueRows are the rows of a value in one view and at one width. Rows are made
// when they are asked for, so that a window into a value of any size costs the
// same; beside the value only a mark every rowsPerMark rows is held.
//
// A ValueRows is immutable. A large value is known only up to a point at first:
// Whole makes the rest known, which takes long enough to be done elsewhere than
// where the screen is drawn.
type ValueRows struct {
	data  []byte
	view  ValueView
	width int
	marks []rowMark
	// rows are known; next is where the first that is not begins.
	rows  int
	next  rowMark
	whole bool
}

// rowMark is where a row begins, with all that is needed to go on from there.
type rowMark struct {
	at int
	// depth is how many JSON brackets are open.
	depth int
	// inside says what the row before ended in the middle of.
	inside inside
}

// inside says in the middle of what a row begins.
type inside uint8

const (
	insideNothing inside = iota
	insideString
	insideBare
	insideLine
	// insideEnd is behind the last row.
	insideEnd
)

// Bounds of what is held and done at once.
const (
	// rowsPerMark is the number of rows between two marks: 16 bytes of memory
	// and at most that many rows made in vain for each window.
	rowsPerMark = 64
	// firstRows are the rows known at once.
	firstRows = 1024
	// firstBytes are the bytes that are read at most to know them.
	firstBytes = SmallValue
	// minRow is the narrowest row: any character fits behind the indentation,
	// also one that is shown as an escape of ten cells.
	minRow = 24
	// jsonReserve are the cells at a JSON row's end for what stands there
	// whether it fits or not: ": {},".
	jsonReserve = 5
	// maxIndent is the deepest indentation: one part in so many of a row.
	maxIndent = 4
)

// NewValueRows begins the rows of a value: all of a small one, the first of a
// large one. For ViewJSON data must be what Content.IsJSON was found for.
func NewValueRows(data []byte, c Content, view ValueView, width int) *ValueRows {
	if view == ViewAuto || view == ViewJSON && !c.IsJSON {
		view = c.View
	}
	if view == ViewJSON {
		data = data[c.skip:]
	}
	v := &ValueRows{data: data, view: view, width: max(width, minRow)}
	if view == ViewHex {
		v.rows, v.whole = v.hexRows(), true
		return v
	}
	v.index(firstRows, firstBytes)
	return v
}

// Whole is the same with all rows known.
func (v *ValueRows) Whole() *ValueRows { return v.WholeUnless(func() bool { return false }) }

// WholeUnless is Whole that stops where it is once stop says so, which is asked
// every rowsPerStop rows.
func (v *ValueRows) WholeUnless(stop func() bool) *ValueRows {
	if v.whole {
		return v
	}
	all := *v
	all.marks = append([]rowMark(nil), v.marks...)
	for !all.whole && !stop() {
		all.index(all.rows+rowsPerStop, len(v.data)+1)
	}
	return &all
}

// rowsPerStop is about a millisecond of work.
const rowsPerStop = 4096

// View is the view that the rows are in, never ViewAuto.
func (v *ValueRows) View() ValueView { return v.view }

// Len is how many rows are known, and whether that is all of them.
func (v *ValueRows) Len() (rows int, whole bool) { return v.rows, v.whole }

// index makes more rows known, until so many are or so many bytes were read.
func (v *ValueRows) index(rows, bytes int) {
	m := v.next
	for v.rows < rows && m.at <= bytes {
		if v.rows%rowsPerMark == 0 {
			v.marks = append(v.marks, m)
		}
		m = v.row(m, &rowWriter{room: v.room()})
		v.rows++
		if m.inside == insideEnd {
			v.whole = true
			break
		}
	}
	v.next = m
}

// Window returns rows from the given one on, at most count of them and none
// that is not known. They are safe for a terminal, and at most as wide as the
// rows were made for.
func (v *ValueRows) Window(from, count int) []string {
	from = max(from, 0)
	to := min(from+count, v.rows)
	if from >= to {
		return nil
	}
	if v.view == ViewHex {
		return v.hexWindow(from, to)
	}
	out := make([]string, 0, to-from)
	m := v.marks[from/rowsPerMark]
	for i := from - from%rowsPerMark; i < to; i++ {
		row := rowWriter{room: v.room(), keep: i >= from}
		m = v.row(m, &row)
		if row.keep {
			out = append(out, string(row.text))
		}
	}
	return out
}

// room are the cells of a row that characters are put into.
func (v *ValueRows) room() int {
	if v.view == ViewJSON {
		return v.width - jsonReserve
	}
	return v.width
}

// row makes one row and returns where the next begins.
func (v *ValueRows) row(m rowMark, w *rowWriter) rowMark {
	if v.view == ViewJSON {
		return jsonRow(v.data, m, w)
	}
	return textRow(v.data, m, w)
}

// textRow makes one row of plain text: up to a line's end, or as much as fits.
func textRow(data []byte, m rowMark, w *rowWriter) rowMark {
	for at := m.at; ; {
		switch {
		case at >= len(data):
			return rowMark{at: at, inside: insideEnd}
		case data[at] == '\n':
			return rowMark{at: at + 1}
		}
		n := w.add(data[at:])
		if n == 0 {
			return rowMark{at: at, inside: insideLine}
		}
		at += n
	}
}
