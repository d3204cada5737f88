package model

import (
	"strings"
	"testing"
)

func TestIntervalsFind(t *testing.T) {
	iv := Intervals{{First: 2, Last: 4}, {First: 7, Last: 7}}
	want := map[int64]int{0: 0, 2: 0, 4: 0, 5: 1, 7: 1, 8: 2}
	for offset, i := range want {
		if got := iv.Find(offset); got != i {
			t.Errorf("Find(%d) = %d, want %d", offset, got, i)
		}
	}
}

func TestIntervalsValid(t *testing.T) {
	released := func(first, last int64, count int16) StateBatch {
		return StateBatch{First: first, Last: last, State: RecordReleased, Count: count}
	}
	tests := []struct {
		name string
		iv   Intervals
		want bool
	}{
		{"none", nil, true},
		{"apart", Intervals{released(0, 1, 1), released(3, 3, 1)}, true},
		{"touching, different counts", Intervals{released(0, 1, 1), released(2, 3, 2)}, true},
		{"touching, alike", Intervals{released(0, 1, 1), released(2, 3, 1)}, false},
		{"overlapping", Intervals{released(0, 2, 1), released(2, 3, 2)}, false},
		{"out of order", Intervals{released(5, 6, 1), released(0, 1, 1)}, false},
		{"backwards", Intervals{released(3, 2, 1)}, false},
	}
	for _, test := range tests {
		if got := test.iv.Valid(); got != test.want {
			t.Errorf("%s: Valid() = %v", test.name, got)
		}
	}
}

func TestStateBatchBeats(t *testing.T) {
	batch := func(s RecordState, count int16) StateBatch { return StateBatch{State: s, Count: count} }
	order := []StateBatch{
		batch(RecordReleased, 1),
		batch(RecordFinished, 1),
		batch(RecordArchiving, 1),
		batch(RecordArchived, 1),
		batch(RecordReleased, 2),
	}
	for i, a := range order {
		for j, b := range order {
			if got := a.Beats(b); got != (i > j) {
				t.Errorf("%v beats %v: %v", a, b, got)
			}
		}
	}
}

func TestIntervalsFirstUnfinished(t *testing.T) {
	iv := Intervals{
		{First: 3, Last: 5, State: RecordFinished, Count: 1},
		{First: 6, Last: 6, State: RecordArchived, Count: 5},
		{First: 7, Last: 8, State: RecordArchiving, Count: 5},
		{First: 9, Last: 9, State: RecordFinished, Count: 1},
		{First: 11, Last: 11, State: RecordFinished, Count: 1},
	}
	want := map[int64]int64{0: 0, 3: 7, 5: 7, 6: 7, 8: 8, 9: 10, 10: 10, 11: 12, 20: 20}
	for start, head := range want {
		if got := iv.FirstUnfinished(start); got != head {
			t.Errorf("FirstUnfinished(%d) = %d, want %d", start, got, head)
		}
	}
	if got := iv.Done(); got != 6 {
		t.Errorf("Done() = %d, want 6", got)
	}
}

func TestStrip(t *testing.T) {
	s := NewPartitionState(StateParts{Start: 2, Batches: Intervals{
		{First: 2, Last: 2, State: RecordFinished, Count: 1},
		{First: 4, Last: 5, State: RecordReleased, Count: 3},
		{First: 6, Last: 6, State: RecordReleased, Count: 1},
		{First: 8, Last: 8, State: RecordArchived, Count: 5},
	}})
	line := func(first, last int64, cells int) string {
		signs := map[RecordState]string{
			RecordBelowStart: "_", RecordFinished: "f", RecordArchived: "x", RecordNew: ".",
		}
		var out strings.Builder
		at := first
		for _, c := range Strip(s, first, last, cells) {
			if c.First != at || c.Last < c.First {
				t.Fatalf("cell %+v does not follow offset %d", c, at-1)
			}
			at = c.Last + 1
			if c.State == RecordReleased {
				out.WriteRune(rune('0' + c.Count))
				continue
			}
			out.WriteString(signs[c.State])
		}
		if at != last+1 {
			t.Fatalf("the strip ends at %d, want %d", at-1, last)
		}
		return out.String()
	}
	tests := []struct {
		first, last int64
		cells       int
		want        string
	}{
		{0, 10, 20, "__f.331.x.."},
		{0, 10, 11, "__f.331.x.."},
		{0, 10, 6, "_.31x."},
		{0, 10, 4, "f3x."},
		{0, 10, 1, "x"},
		{4, 4, 5, "3"},
		{9, 1_000_000, 3, "..."},
	}
	for _, test := range tests {
		if got := line(test.first, test.last, test.cells); got != test.want {
			t.Errorf("%d to %d in %d cells: %q, want %q", test.first, test.last, test.cells, got, test.want)
		}
	}
	if got := Strip(s, 5, 4, 10); got != nil {
		t.Errorf("a strip of nothing has %d cells", len(got))
	}
	if got := Strip(s, 5, 6, 0); got != nil {
		t.Errorf("no cells: %v", got)
	}
}

func TestStripUpToTheLastOffset(t *testing.T) {
	const end = 1<<63 - 1
	got := Strip(NewPartitionState(StateParts{}), end-9, end, 5)
	if len(got) != 5 || got[4].Last != end {
		t.Errorf("cells %v", got)
	}
}
