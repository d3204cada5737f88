package model

import (
	"fmt"
	"strings"
	"testing"
)

// whole are the records of a window between its cuts.
func whole(w *RecordWindow) string {
	var all []string
	for _, r := range w.Records() {
		if w.Whole(r) {
			all = append(all, fmt.Sprintf("%d/%d", r.Partition, r.Offset))
		}
	}
	return strings.Join(all, " ")
}

// Behind the last record of a partition that has more, the others' records stand
// without its own.
func TestAListByTimeIsCutByItsDensestPartition(t *testing.T) {
	w := NewRecordWindow(true)
	w.Add(peekOf(0, 0, 3, 0, 1, 2), PeekRequest{})
	w.Add(peekOf(1, 0, 100, 0, 1, 4, 5), PeekRequest{}) // to its end
	if whole(w) != "0/0 1/0 0/1 1/1 0/2" {
		t.Errorf("whole is %s of %s", whole(w), held(w))
	}
	cut := w.CutBehind()
	if cut == nil || cut.Partition != 0 || cut.At.Offset != 2 {
		t.Errorf("cut %+v", cut)
	}
	last := w.Records()[len(w.Records())-1]
	if !w.Lacks(0, last, false) || w.Lacks(1, last, false) || w.Lacks(0, w.Records()[0], false) || !w.Lacks(7, last, false) {
		t.Error("the wrong partition is to be loaded further")
	}
	w.Add(peekOf(0, 3, 6, 3, 4, 5), PeekRequest{})
	if whole(w) != "0/0 1/0 0/1 1/1 0/2 0/3 0/4 1/4 0/5" {
		t.Errorf("whole is %s of %s", whole(w), held(w))
	}
	w.Add(peekOf(0, 6, 7, 6), PeekRequest{})
	if w.CutBehind() != nil || whole(w) != held(w) { // nothing stands behind it
		t.Errorf("whole is %s of %s", whole(w), held(w))
	}
}

// A list of the last records is cut at its beginning; one that begins where it
// was to begin is not.
func TestAListByTimeIsCutBefore(t *testing.T) {
	back := PeekRequest{Backward: true}
	w := NewRecordWindow(true)
	w.Add(peekOf(0, 97, 100, 97, 98, 99), back)
	w.Add(peekOf(1, 0, 100, 3, 98), back)
	cut := w.CutBefore()
	if whole(w) != "0/97 0/98 1/98 0/99" || cut == nil || cut.Partition != 0 || cut.At.Offset != 97 {
		t.Errorf("whole is %s of %s, cut %+v", whole(w), held(w), cut)
	}
	if first := w.Records()[0]; !w.Lacks(0, first, true) || w.Lacks(1, first, true) {
		t.Error("the wrong partition is to be loaded further")
	}
	w.Add(peekOf(0, 0, 97, 2), back)
	if w.CutBefore() != nil || whole(w) != held(w) {
		t.Errorf("whole is %s of %s", whole(w), held(w))
	}
	w = NewRecordWindow(true)
	w.Add(peekOf(0, 50, 100, 50), PeekRequest{})
	w.Add(peekOf(1, 10, 100, 10), PeekRequest{})
	if w.CutBefore() != nil || whole(w) != held(w) {
		t.Errorf("whole is %s of %s", whole(w), held(w))
	}
}

// Of a partition of which no record was loaded yet, though it has some, none is
// known to come later.
func TestAListByTimeWithoutARecordOfAPartition(t *testing.T) {
	w := NewRecordWindow(true)
	w.Add(peekOf(0, 0, 100, 0, 1), PeekRequest{})
	w.Add(peekOf(1, 0, 50), PeekRequest{}) // markers only
	if cut := w.CutBehind(); cut == nil || cut.At != nil || cut.Partition != 1 || whole(w) != "" {
		t.Errorf("cut %+v, whole is %s", cut, whole(w))
	}
}

// One partition alone has no cuts: more of it can be loaded at both ends.
func TestAListOfOnePartitionIsWhole(t *testing.T) {
	w := NewRecordWindow(false)
	w.Add(peekOf(0, 10, 13, 10, 11, 12), PeekRequest{})
	if w.CutBehind() != nil || whole(w) != held(w) {
		t.Errorf("whole is %s", whole(w))
	}
}

// What several partitions begin with is more than is held: it goes at the end that
// nobody looks at, and cuts the list there.
func TestManyPartitionsBeginWithinTheBounds(t *testing.T) {
	w := NewRecordWindow(true)
	w.maxRecords = 4
	w.Add(peekOf(0, 0, 3, 0, 1, 2), PeekRequest{})
	w.Add(peekOf(1, 0, 3, 0, 1, 2), PeekRequest{})
	if cut := w.CutBehind(); held(w) != "0/0 1/0 0/1 1/1" || cut != nil {
		t.Errorf("held %s, cut %+v", held(w), cut)
	}
	if w.Edge(0).Next != 2 || w.Edge(1).Next != 2 {
		t.Errorf("edges %+v %+v", w.Edge(0), w.Edge(1))
	}
	w = NewRecordWindow(true)
	w.maxRecords = 4
	w.Add(peekOf(0, 97, 100, 97, 98, 99), PeekRequest{Backward: true})
	w.Add(peekOf(1, 97, 100, 97, 98, 99), PeekRequest{Backward: true})
	if held(w) != "0/98 1/98 0/99 1/99" || w.Edge(0).From != 98 || w.Edge(1).From != 98 {
		t.Errorf("held %s, edges %+v %+v", held(w), w.Edge(0), w.Edge(1))
	}
}
