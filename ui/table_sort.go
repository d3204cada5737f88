package ui

import (
	"cmp"
	"slices"

	"sharetop/keymap"
	"sharetop/model"
)

// Sorted returns the rows in the order of the column that is sorted by, in a
// slice of its own. Rows that are equal there keep the order they came in;
// without such a column that is the order of all.
func (t *table[T, K]) Sorted(rows []T) []T {
	out := slices.Clone(rows)
	if t.sorted == noSort {
		return out
	}
	compare := t.columns[t.sorted].compare
	slices.SortStableFunc(out, func(a, b T) int {
		if t.descending {
			return compare(b, a)
		}
		return compare(a, b)
	})
	return out
}

// SortNext sorts by the next column to the right that can be sorted by, or to
// the left when step is -1. Beyond the last one comes the order in which rows
// are given, then the first column.
func (t *table[T, K]) SortNext(step int) {
	n := len(t.columns) + 1
	for i := 1; i < n; i++ {
		next := (t.sorted + 1 + i*step + i*n) % n
		if next == 0 || t.columns[next-1].compare != nil && !t.columns[next-1].absent {
			// Of numbers the largest are worth seeing first.
			t.SetSort(next-1, next > 0 && t.columns[next-1].right)
			return
		}
	}
}

// resort changes the order and tells whether the key was one that does.
func (t *table[T, K]) resort(l keymap.Lists, k keyPress) bool {
	switch {
	case l.SortLeft.Pressed(k):
		t.SortNext(-1)
	case l.SortRight.Pressed(k):
		t.SortNext(1)
	case l.Invert.Pressed(k):
		t.SetSort(t.sorted, !t.descending)
	default:
		return false
	}
	return true
}

// keyPress is a key as bindings compare it.
type keyPress interface{ String() string }

// compareNumbers puts unknown before every number, so that it is last where
// the largest come first.
func compareNumbers(a, b model.Number) int {
	x, xKnown := a.Get()
	y, yKnown := b.Get()
	if xKnown != yKnown {
		if xKnown {
			return 1
		}
		return -1
	}
	return cmp.Compare(x, y)
}
