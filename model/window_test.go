package model

import (
	"math"
	"testing"
)

func TestWindow(t *testing.T) {
	w := Window{Height: 10, Len: 100}
	at := func(start, cursor int) Window { return Window{Start: start, Height: 10, Cursor: cursor, Len: 100} }
	tests := []struct {
		name      string
		got, want Window
	}{
		{"nothing to fix", at(40, 45).Clamp(), at(40, 45)},
		{"cursor above the screen", at(40, 30).Clamp(), at(30, 30)},
		{"cursor below the screen", at(40, 55).Clamp(), at(46, 55)},
		{"empty lines at the end", at(99, 99).Clamp(), at(90, 99)},
		{"negative all over", Window{-5, -5, -5, -5}.Clamp(), Window{}},
		{"fewer rows than lines", Window{3, 10, 4, 5}.Clamp(), Window{0, 10, 4, 5}},
		{"down by one", at(0, 9).Move(1), at(1, 10)},
		{"up by one", at(5, 5).Move(-1), at(4, 4)},
		{"stops at the top", at(0, 0).Move(-1), at(0, 0)},
		{"stops at the bottom", at(90, 99).Move(1), at(90, 99)},
		{"far down", w.Move(math.MaxInt), at(90, 99)},
		{"far up", at(90, 99).Move(math.MinInt), at(0, 0)},
		{"page down keeps the line", at(0, 3).Page(1), at(9, 12)},
		{"page up keeps the line", at(20, 23).Page(-1), at(11, 14)},
		{"last page", at(85, 93).Page(1), at(90, 99)},
		{"first page", at(3, 5).Page(-1), at(0, 0)},
		{"no page", at(3, 5).Page(0), at(3, 5)},
		{"many pages", at(3, 5).Page(math.MaxInt), at(90, 99)},
		{"many pages up", at(50, 55).Page(math.MinInt), at(0, 0)},
		{"half a page", at(0, 3).HalfPage(1), at(5, 8)},
		{"top", at(50, 55).Top(), at(0, 0)},
		{"bottom", at(50, 55).Bottom(), at(90, 99)},
		{"a click", at(50, 55).ToLine(2), at(50, 52)},
		{"a click below the rows", Window{0, 10, 1, 3}.ToLine(5), Window{0, 10, 1, 3}},
		{"smaller", at(50, 59).Resize(5), Window{55, 5, 59, 100}},
		{"no height", at(50, 59).Resize(0), Window{59, 0, 59, 100}},
		{"a new order keeps the line", at(50, 55).Follow(100, 20), at(15, 20)},
		{"a new order, near the top", at(50, 55).Follow(100, 2), at(0, 2)},
		{"a row above came", at(50, 55).Follow(101, 56), Window{51, 10, 56, 101}},
		{"the row is gone", at(50, 55).Follow(99, -1), Window{50, 10, 55, 99}},
		{"the last row is gone", at(90, 99).Follow(99, -1), Window{89, 10, 98, 99}},
		{"all rows are gone", at(50, 55).Follow(0, -1), Window{0, 10, 0, 0}},
		{"and rows come again", Window{0, 10, 0, 0}.Follow(5, -1), Window{0, 10, 0, 5}},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, tt.got, tt.want)
		}
	}
}

func TestWindowLine(t *testing.T) {
	if got := (Window{Start: 50, Height: 10, Cursor: 55, Len: 100}).Line(); got != 5 {
		t.Errorf("the cursor is on line %d, want 5", got)
	}
	for _, w := range []Window{{}, {Height: 5}, {Len: 5}} {
		if got := w.Line(); got != -1 {
			t.Errorf("%+v: the cursor is on line %d, want none", w, got)
		}
	}
}

// checkWindow holds what Window promises of every window it returns.
func checkWindow(t *testing.T, step string, w Window) {
	t.Helper()
	first, end := w.Visible()
	switch {
	case w.Height < 0 || w.Len < 0 || w.Start < 0:
		t.Errorf("%s: %+v has a field below zero", step, w)
	case first < 0 || end < first || end > w.Len || end-first > w.Height:
		t.Errorf("%s: %+v shows %d to %d", step, w, first, end)
	case w.Len > 0 && w.Height > 0 && (w.Cursor < first || w.Cursor >= end):
		t.Errorf("%s: %+v hides its cursor", step, w)
	case w.Height > 0 && end-first < min(w.Height, w.Len):
		t.Errorf("%s: %+v has empty lines while there are rows", step, w)
	case w != w.Clamp():
		t.Errorf("%s: %+v is not in bounds: %+v", step, w, w.Clamp())
	}
}

func FuzzWindow(f *testing.F) {
	f.Add(0, 10, 5, 100, 3, 7)
	f.Add(-1, -1, -1, -1, -1, -1)
	f.Add(math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt)
	f.Add(math.MinInt, math.MaxInt, math.MinInt, math.MaxInt, math.MinInt, math.MinInt)
	f.Fuzz(func(t *testing.T, start, height, cursor, length, a, b int) {
		w := Window{Start: start, Height: height, Cursor: cursor, Len: length}
		checkWindow(t, "Clamp", w.Clamp())
		checkWindow(t, "Move", w.Move(a))
		checkWindow(t, "Page", w.Page(a))
		checkWindow(t, "HalfPage", w.HalfPage(a))
		checkWindow(t, "To", w.To(a))
		checkWindow(t, "ToLine", w.ToLine(a))
		checkWindow(t, "Top", w.Top())
		checkWindow(t, "Bottom", w.Bottom())
		checkWindow(t, "Resize", w.Resize(a))
		checkWindow(t, "Follow", w.Follow(a, b))
		checkWindow(t, "all of them", w.Follow(a, b).Page(a).Resize(b).Move(b).HalfPage(-1))
	})
}
