package ui

import "slices"

// table is a list of rows of which only those on screen are ever drawn. It
// works the same with ten rows and with a hundred thousand.
//
// The cursor is on a key and not on a position: rows may be sorted again, come
// and go, and it stays where the person put it. Only when its row is gone does
// it take the row that is now in the same place.
type table[T any, K comparable] struct {
	key     func(T) K
	columns []column[T]
	// stale tells which rows were not refreshed in this tick and are drawn dim;
	// nil for none.
	stale func(T) bool
	// changed tells which cells have changed within the last second and are
	// drawn bold; nil for none.
	changed func(row T, column int) bool
	// empty says why there are no rows and what to do; it may have lines.
	empty string
	// only is the filter that Show applies; empty lets every row through.
	only string

	rows []T
	// cursor is the index of cursorKey in rows, 0 while there are none.
	cursor    int
	cursorKey K
	// moved is false until a person has moved the cursor. Until then it stays
	// on the first row, whatever is sorted there.
	moved bool
	// top is the first row on screen; height is the number of rows that fit.
	top, height int
	// bare is how cells are measured and searched.
	bare look
	// widths are the widest cells seen in each column. They never shrink while
	// the page is open, so that nothing jumps.
	widths []int
	marks  map[K]struct{}
	// sorted is the column that the rows are sorted by, noSort for none.
	sorted     int
	descending bool
}

// noSort is a table's sorted column when there is none.
const noSort = -1

// newTable makes an empty table. The key is a row's identity.
func newTable[T any, K comparable](key func(T) K, columns []column[T]) *table[T, K] {
	t := &table[T, K]{key: key, columns: columns, bare: unstyled(), widths: make([]int, len(columns)), sorted: noSort}
	t.widen()
	return t
}

// SetRows replaces the rows and keeps the cursor on the same key. The table
// keeps the slice and does not change it.
func (t *table[T, K]) SetRows(rows []T) {
	t.rows = rows
	if t.moved {
		t.cursor = t.find(t.cursorKey, t.cursor)
	} else {
		t.cursor = 0
	}
	t.settle()
}

// find returns the index of the row with that key, looking outward from where
// it last was. Without such a row it returns that same place.
func (t *table[T, K]) find(key K, last int) int {
	n := len(t.rows)
	last = clamp(last, 0, max(0, n-1))
	for d := 0; last-d >= 0 || last+d < n; d++ {
		if i := last - d; i >= 0 && i < n && t.key(t.rows[i]) == key {
			return i
		}
		if i := last + d; d > 0 && i < n && t.key(t.rows[i]) == key {
			return i
		}
	}
	return last
}

// settle makes all that hangs on the cursor, the rows and the height fit
// together again.
func (t *table[T, K]) settle() {
	t.top = windowTop(t.top, t.cursor, len(t.rows), t.height)
	// Without rows the key is kept: the row may come back.
	if t.cursor < len(t.rows) {
		t.cursorKey = t.key(t.rows[t.cursor])
	}
	t.widen()
}

// SetHeight says how many lines the table has, its title line among them.
func (t *table[T, K]) SetHeight(lines int) {
	if h := max(0, lines-1); h != t.height {
		t.height = h
		t.settle()
	}
}

// SetSort puts the arrow beside a column's title; noSort for none. The rows
// themselves are sorted by whoever hands them over.
func (t *table[T, K]) SetSort(column int, descending bool) {
	if t.sorted != column {
		t.sorted = column
		t.widen()
	}
	t.descending = descending
}

// setAbsent leaves the columns of those titles out, or shows them.
func (t *table[T, K]) setAbsent(absent bool, titles ...string) {
	for i := range t.columns {
		if slices.Contains(titles, t.columns[i].title) {
			t.columns[i].absent = absent
		}
	}
}

// Cursor returns the row under the cursor; false when there are no rows.
func (t *table[T, K]) Cursor() (T, bool) {
	if t.cursor >= len(t.rows) {
		var none T
		return none, false
	}
	return t.rows[t.cursor], true
}

// Move moves the cursor by that many rows, down when above 0.
func (t *table[T, K]) Move(by int) { t.moveTo(t.cursor + by) }

// Page moves the cursor by that many screens.
func (t *table[T, K]) Page(by int) { t.Move(by * max(1, t.height-1)) }

// Top and Bottom move the cursor to the first and to the last row.
func (t *table[T, K]) Top() { t.moveTo(0) }

// Bottom moves the cursor to the last row.
func (t *table[T, K]) Bottom() { t.moveTo(len(t.rows) - 1) }

func (t *table[T, K]) moveTo(row int) {
	t.moved = true
	t.cursor = clamp(row, 0, max(0, len(t.rows)-1))
	t.settle()
}

// Select puts the cursor on the row with that key and tells whether there is
// one.
func (t *table[T, K]) Select(key K) bool {
	i := t.find(key, t.cursor)
	if i >= len(t.rows) || t.key(t.rows[i]) != key {
		return false
	}
	t.moveTo(i)
	return true
}

// Visible returns the rows on screen, topmost first; it shares the table's own
// slice.
func (t *table[T, K]) Visible() []T {
	return t.rows[t.top:min(len(t.rows), t.top+t.height)]
}

// ToggleMark marks the row under the cursor, or takes its mark away.
func (t *table[T, K]) ToggleMark() {
	if row, ok := t.Cursor(); ok {
		t.setMark(t.key(row), !t.Marked(row))
	}
}

// ToggleAll marks all rows, or unmarks them when all of them are marked.
func (t *table[T, K]) ToggleAll() {
	all := true
	for _, row := range t.rows {
		all = all && t.Marked(row)
	}
	for _, row := range t.rows {
		t.setMark(t.key(row), !all)
	}
}

// ClearMarks takes every mark away.
func (t *table[T, K]) ClearMarks() { clear(t.marks) }

// Marked tells whether a row is marked.
func (t *table[T, K]) Marked(row T) bool {
	if len(t.marks) == 0 {
		return false
	}
	_, ok := t.marks[t.key(row)]
	return ok
}

// MarkedRows returns the marked rows that are there, in their order. A mark
// whose row is filtered out or gone is kept but not returned.
func (t *table[T, K]) MarkedRows() []T {
	if len(t.marks) == 0 {
		return nil
	}
	var out []T
	for _, row := range t.rows {
		if t.Marked(row) {
			out = append(out, row)
		}
	}
	return out
}

func (t *table[T, K]) setMark(key K, on bool) {
	if !on {
		delete(t.marks, key)
		return
	}
	if t.marks == nil {
		t.marks = make(map[K]struct{})
	}
	t.marks[key] = struct{}{}
}

// widen lets the columns grow to what is on screen now.
func (t *table[T, K]) widen() {
	for i, c := range t.columns {
		title := cellWidth(c.title)
		if i == t.sorted {
			title++
		}
		t.widths[i] = max(t.widths[i], title, c.want)
	}
	for _, row := range t.Visible() {
		for i, c := range t.columns {
			if c.want == 0 {
				t.widths[i] = max(t.widths[i], c.cell(row, t.bare, 0).width())
			}
		}
	}
}

// windowTop returns the first row to draw, so that the window of height rows
// holds the cursor and no line stays blank that a row could fill. It moves as
// little as it can.
func windowTop(top, cursor, rows, height int) int {
	if height <= 0 || rows <= height {
		return clamp(top, 0, 0)
	}
	top = clamp(top, cursor-height+1, cursor)
	return clamp(top, 0, rows-height)
}

func clamp(n, low, high int) int { return max(low, min(n, high)) }
