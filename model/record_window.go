package model

import (
	"cmp"
	"slices"
)

// Bounds of what a RecordWindow holds. When more comes in at one end, as much
// goes at the other; it can be loaded again.
const (
	MaxLoadedRecords = 10_000
	MaxLoadedBytes   = 64 << 20
)

// RecordWindow holds the records that were loaded of one partition, or of
// several interleaved by timestamp, without gaps between them but those that
// the log has. It is not safe for concurrent use.
type RecordWindow struct {
	records []*Record
	memory  int
	edges   map[int32]*RecordEdge
	// byTime orders by timestamp across partitions instead of by offset.
	byTime bool
	// before and behind are where a list by time ceases to be whole; nil for none.
	before, behind *RecordCut
	// maxRecords and maxBytes are the bounds.
	maxRecords, maxBytes int
}

// RecordEdge is what was looked at of one partition.
type RecordEdge struct {
	// From is the first offset looked at, Next the one after the last.
	From, Next int64
	// LogStart and End are the log's, as last told; End is the last stable
	// offset for a committed look.
	LogStart, End Number
	// Gaps are offsets in between that are no records.
	Gaps PeekGaps
	// HeldBack are the offsets from End on that a committed look does not get
	// before the transaction that is open there ends.
	HeldBack int64
	// first and last are how far the partition's records go, see RecordCut.
	first, last *Record
}

// AtStart tells whether nothing is left before what was looked at.
func (e *RecordEdge) AtStart() bool { return e.From <= e.LogStart.Or(0) }

// DeletedTo is the offset before which the log lost records since they were read;
// false when it did not.
func (e *RecordEdge) DeletedTo() (int64, bool) {
	start, known := e.LogStart.Get()
	return start, known && start > e.From
}

// AtEnd tells whether nothing is left behind what was looked at.
func (e *RecordEdge) AtEnd() bool {
	end, known := e.End.Get()
	return known && e.Next >= end
}

// NewRecordWindow is an empty window; byTime interleaves partitions.
func NewRecordWindow(byTime bool) *RecordWindow {
	return &RecordWindow{
		edges: make(map[int32]*RecordEdge), byTime: byTime,
		maxRecords: MaxLoadedRecords, maxBytes: MaxLoadedBytes,
	}
}

// Records are those held, in order; not to be changed.
func (w *RecordWindow) Records() []*Record { return w.records }

// Memory is about how many bytes those held take.
func (w *RecordWindow) Memory() int { return w.memory }

// Edge is what was looked at of a partition; nil when nothing was.
func (w *RecordWindow) Edge(partition int32) *RecordEdge { return w.edges[partition] }

// Gaps are the offsets in between, of all partitions.
func (w *RecordWindow) Gaps() PeekGaps {
	var all PeekGaps
	for _, e := range w.edges {
		all = all.Add(e.Gaps)
	}
	return all
}

// HeldBack are offsets that are not shown while transactions are open, of all
// partitions.
func (w *RecordWindow) HeldBack() int64 {
	n := int64(0)
	for _, e := range w.edges {
		n += e.HeldBack
	}
	return n
}

// Add takes in what a peek found next to what is held of the partition: behind
// it, or before it when backward. What does not join on is ignored, since it
// answers an older question.
func (w *RecordWindow) Add(r *PeekResult, req PeekRequest) {
	end := r.End
	if req.Committed && r.Stable.IsKnown() {
		end = r.Stable
	}
	began := w.edges[r.Partition] == nil
	e := w.joined(r, req)
	if e == nil {
		return
	}
	e.reach(r.Records, req.Backward, began)
	e.Gaps = e.Gaps.Add(r.Gaps)
	if r.LogStart.IsKnown() {
		e.LogStart = r.LogStart
	}
	if stable, known := end.Get(); known {
		e.End = end
		e.HeldBack = max(0, r.End.Or(stable)-stable)
	}
	w.join(r.Records)
	// What a partition begins with does not push out what the others began with.
	w.trim(req.Backward != began)
	w.findCuts()
}

// joined is the edge with what a peek looked at; nil when that does not join on.
func (w *RecordWindow) joined(r *PeekResult, req PeekRequest) *RecordEdge {
	e := w.edges[r.Partition]
	switch {
	case e != nil:
		if !e.extend(r, req.Backward) {
			return nil
		}
	case r.Problem != nil && r.Next <= r.From:
		return nil // nothing was looked at
	default:
		e = &RecordEdge{From: r.From, Next: r.Next}
		w.edges[r.Partition] = e
	}
	return e
}

// extend adds what a peek looked at; false when that does not join on.
func (e *RecordEdge) extend(r *PeekResult, backward bool) bool {
	switch {
	case backward && r.From <= e.From && r.Next >= e.From:
		e.From = r.From
	case !backward && r.From <= e.Next && r.Next >= e.Next, r.Clamped && r.From > e.Next:
		e.Next = r.Next
	default:
		if r.Clamped && backward && r.From > e.From {
			e.LogStart = r.LogStart // all before was deleted since
		}
		return false
	}
	return true
}

// join puts records in their places; one that is held already is not held
// twice. Mostly they follow or precede all that is held, and then nothing is
// sorted.
func (w *RecordWindow) join(added []*Record) {
	if len(added) == 0 {
		return
	}
	for _, r := range added {
		w.memory += r.Memory()
	}
	switch {
	case !w.ascending(added):
	case len(w.records) == 0 || w.Compare(w.records[len(w.records)-1], added[0]) < 0:
		w.records = append(w.records, added...)
		return
	case w.Compare(added[len(added)-1], w.records[0]) < 0:
		w.records = slices.Concat(added, w.records)
		return
	}
	all := slices.Concat(w.records, added)
	slices.SortStableFunc(all, w.Compare)
	w.records = slices.CompactFunc(all, func(a, b *Record) bool { return a.Partition == b.Partition && a.Offset == b.Offset })
	w.memory = 0
	for _, r := range w.records {
		w.memory += r.Memory()
	}
}

func (w *RecordWindow) ascending(records []*Record) bool {
	for i := 1; i < len(records); i++ {
		if w.Compare(records[i-1], records[i]) >= 0 {
			return false
		}
	}
	return true
}

// Compare orders two records as the window does.
func (w *RecordWindow) Compare(a, b *Record) int {
	if w.byTime && a.Millis != b.Millis {
		return cmp.Compare(a.Millis, b.Millis)
	}
	if a.Partition != b.Partition {
		return cmp.Compare(a.Partition, b.Partition)
	}
	return cmp.Compare(a.Offset, b.Offset)
}

// trim keeps the bounds: records go at the end opposite to where some came in. By
// time they need not go in the order of their offsets; what was looked at is then
// what lies behind, or before, all that went, so that each can be loaded again.
func (w *RecordWindow) trim(fromEnd bool) {
	n := len(w.records)
	for n > 1 && (n > w.maxRecords || w.memory > w.maxBytes) {
		var gone *Record
		if fromEnd {
			gone, w.records = w.records[n-1], w.records[:n-1]
			e := w.edges[gone.Partition]
			e.Next, e.last = min(e.Next, gone.Offset), placeOf(gone)
		} else {
			gone, w.records = w.records[0], w.records[1:]
			e := w.edges[gone.Partition]
			e.From, e.first = max(e.From, gone.Offset+1), placeOf(gone)
		}
		w.memory -= gone.Memory()
		n--
	}
}
