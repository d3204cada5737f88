package model

// Window says which part of a list is on screen, and which row the cursor is
// on. It is plain arithmetic on positions: who owns the list keeps the
// cursor's identity and says, after each change, where that row is now.
//
// Every method returns a window for which these hold, whatever the fields were
// before: Height and Len are not negative, Cursor is a row and is visible
// (0 and nothing visible when there are no rows or no height), and no line at
// the end is empty while there are rows above.
type Window struct {
	// Start is the position of the topmost visible row.
	Start int
	// Height is how many rows fit.
	Height int
	// Cursor is the position of the row under the cursor.
	Cursor int
	// Len is how many rows there are.
	Len int
}

// Clamp puts every field into its bounds, and scrolls no further than needed
// to show the cursor.
func (w Window) Clamp() Window {
	w.Len, w.Height = max(w.Len, 0), max(w.Height, 0)
	w.Cursor = min(max(w.Cursor, 0), max(w.Len-1, 0))
	if w.Height == 0 {
		w.Start = w.Cursor // so that the cursor is on screen once there is room
		return w
	}
	if w.Cursor < w.Start {
		w.Start = w.Cursor
	}
	if w.Cursor-w.Height >= w.Start { // not Start+Height: that could overflow
		w.Start = w.Cursor - w.Height + 1
	}
	w.Start = max(min(w.Start, w.Len-w.Height), 0)
	return w
}

// Visible returns the positions on screen, from the first up to, but not
// including, the end.
func (w Window) Visible() (first, end int) {
	w = w.Clamp()
	return w.Start, w.Start + min(w.Height, w.Len-w.Start)
}

// Line is the screen line of the cursor, from 0; -1 when it is not on screen
// because there are no rows or no height.
func (w Window) Line() int {
	w = w.Clamp()
	if w.Len == 0 || w.Height == 0 {
		return -1
	}
	return w.Cursor - w.Start
}

// Resize changes how many rows fit; the cursor stays on its row.
func (w Window) Resize(height int) Window {
	w.Height = height
	return w.Clamp()
}

// To puts the cursor on a row.
func (w Window) To(position int) Window {
	w = w.Clamp()
	w.Cursor = position
	return w.Clamp()
}

// ToLine puts the cursor on the row at a screen line, as a mouse click does;
// a line without a row changes nothing.
func (w Window) ToLine(line int) Window {
	w = w.Clamp()
	if line < 0 || line >= min(w.Height, w.Len-w.Start) {
		return w
	}
	return w.To(w.Start + line)
}

// Move moves the cursor by so many rows, up when below zero, and stops at both
// ends.
func (w Window) Move(by int) Window {
	w = w.Clamp()
	return w.To(w.Cursor + min(max(by, -w.Len), w.Len))
}

// Page moves by so many screens, keeping one row in sight; the cursor stays on
// its screen line where it can.
func (w Window) Page(by int) Window {
	w = w.Clamp()
	return w.scroll(by, w.Height-1)
}

// HalfPage moves by so many half screens.
func (w Window) HalfPage(by int) Window {
	w = w.Clamp()
	return w.scroll(by, w.Height/2)
}

// scroll moves window and cursor by so many steps of rows. More steps than
// lead from one end to the other, and longer ones than the list, are cut: so
// nothing overflows.
func (w Window) scroll(by, step int) Window {
	step = max(min(step, w.Len), 1)
	most := w.Len/step + 1
	rows := min(max(by, -most), most) * step
	w.Start = max(min(w.Start+rows, w.Len-w.Height), 0)
	w.Cursor += rows
	return w.Clamp()
}

// Top moves to the first row.
func (w Window) Top() Window { return w.To(0) }

// Bottom moves to the last row.
func (w Window) Bottom() Window {
	w = w.Clamp()
	return w.To(w.Len - 1)
}

// Follow takes a changed list: its new length, and where the row under the
// cursor is now. The row keeps its screen line, so that a new order does not
// move the cursor away from the eye. A row that is gone (position below zero)
// leaves the cursor at its place, on whichever row is there now; a cursor on
// the first row of an empty list stays there.
func (w Window) Follow(length, position int) Window {
	w = w.Clamp()
	line := w.Cursor - w.Start
	w.Len = max(length, 0)
	if position >= 0 {
		w.Cursor = min(position, max(w.Len-1, 0))
		w.Start = w.Cursor - line
	}
	return w.Clamp()
}
