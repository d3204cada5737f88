package model

import (
	"maps"
	"slices"
)

// RecordCut is where a list by time ceases to be whole: one partition is not
// loaded any further there, so that what other partitions have beyond it stands
// without the records of that one.
type RecordCut struct {
	// Partition is the one that cuts the list first.
	Partition int32
	// At is the place of the partition's record that is the furthest loaded, with
	// its timestamp, offset and partition only; nil where none was loaded.
	At *Record
}

// placeOf is a record without its content.
func placeOf(r *Record) *Record {
	return &Record{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Millis: r.Millis}
}

// reach notes how far a partition's records go. They begin where somebody wanted
// them to: only what was read backward is cut at its beginning.
func (e *RecordEdge) reach(records []*Record, backward, began bool) {
	n := len(records)
	if n == 0 {
		return
	}
	if backward {
		e.first = placeOf(records[0])
	}
	if !backward || began {
		e.last = placeOf(records[n-1])
	}
}

// cutBefore is where the partition's records begin though there are more before
// them; ok is false where there are not, or where they were to begin there.
func (e *RecordEdge) cutBefore() (at *Record, ok bool) {
	return e.first, e.first != nil && !e.AtStart()
}

// cutBehind is where the partition's records end though there are more behind
// them, ok is false where there are not.
func (e *RecordEdge) cutBehind() (at *Record, ok bool) { return e.last, !e.AtEnd() }

// CutBehind is where the list ends to be whole; nil where nothing stands behind
// that, and in a list of one partition.
func (w *RecordWindow) CutBehind() *RecordCut { return w.behind }

// CutBefore is where the list begins to be whole; nil where nothing stands before
// that, and in a list of one partition.
func (w *RecordWindow) CutBefore() *RecordCut { return w.before }

// findCuts looks for both anew.
func (w *RecordWindow) findCuts() {
	w.before, w.behind = nil, nil
	n := len(w.records)
	if !w.byTime || n == 0 {
		return
	}
	cut := w.nearest((*RecordEdge).cutBehind, w.Compare)
	if cut != nil && (cut.At == nil || w.Compare(w.records[n-1], cut.At) > 0) {
		w.behind = cut
	}
	cut = w.nearest((*RecordEdge).cutBefore, func(a, b *Record) int { return w.Compare(b, a) })
	if cut != nil && w.Compare(w.records[0], cut.At) < 0 {
		w.before = cut
	}
}

// nearest is the cut that comes first in an order; nil for none.
func (w *RecordWindow) nearest(cutOf func(*RecordEdge) (*Record, bool), compare func(a, b *Record) int) *RecordCut {
	var first *RecordCut
	for _, partition := range slices.Sorted(maps.Keys(w.edges)) {
		at, cut := cutOf(w.edges[partition])
		switch {
		case !cut:
		case at == nil:
			return &RecordCut{partition, nil}
		case first == nil || compare(at, first.At) < 0:
			first = &RecordCut{partition, at}
		}
	}
	return first
}

// Whole tells whether a record stands between the cuts, so that none is missing
// beside it.
func (w *RecordWindow) Whole(r *Record) bool {
	if c := w.behind; c != nil && (c.At == nil || w.Compare(r, c.At) > 0) {
		return false
	}
	return w.before == nil || w.Compare(r, w.before.At) >= 0
}

// Lacks tells whether a partition has to be loaded further, before or behind what
// is loaded of it, for the list to be whole up to a record.
func (w *RecordWindow) Lacks(partition int32, r *Record, before bool) bool {
	e := w.edges[partition]
	switch {
	case e == nil:
		return true
	case before && e.first == nil: // it begins where somebody wanted it to
		return !e.AtStart() && len(w.records) > 0 && w.Compare(r, w.records[0]) <= 0
	case before:
		return !e.AtStart() && w.Compare(r, e.first) <= 0
	default:
		return !e.AtEnd() && (e.last == nil || w.Compare(r, e.last) >= 0)
	}
}
