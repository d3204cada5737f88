package model

import "sort"

// StateBatch is a run of offsets that have a delivery state and a delivery
// count in common, both ends included.
type StateBatch struct {
	First, Last int64
	State       RecordState
	// Count is the number of deliveries that are over; 0 for states that have
	// none (new, below the start, unknown).
	Count int16
}

// Len is the number of offsets.
func (b StateBatch) Len() int64 { return b.Last - b.First + 1 }

// SameState tells whether two batches differ in their offsets only.
func (b StateBatch) SameState(c StateBatch) bool {
	return b.State == c.State && b.Count == c.Count
}

// Beats tells whether this batch wins where the two overlap: the higher
// delivery count, then the higher state.
func (b StateBatch) Beats(c StateBatch) bool {
	if b.Count != c.Count {
		return b.Count > c.Count
	}
	return b.State > c.State
}

// Clip returns the part of the batch from first to last; the batch must reach
// into that range.
func (b StateBatch) Clip(first, last int64) StateBatch {
	b.First, b.Last = max(b.First, first), min(b.Last, last)
	return b
}

// Intervals are batches in the order of their offsets. No two overlap, and
// neighbours that touch differ in state or count.
type Intervals []StateBatch

// Find returns the index of the batch that holds the offset or, if none does,
// of the next one above it; len(iv) when there is none.
func (iv Intervals) Find(offset int64) int {
	return sort.Search(len(iv), func(i int) bool { return iv[i].Last >= offset })
}

// Valid tells whether the invariant of the type holds.
func (iv Intervals) Valid() bool {
	for i, b := range iv {
		if b.First > b.Last {
			return false
		}
		if i == 0 {
			continue
		}
		before := iv[i-1]
		if b.First <= before.Last || (b.First == before.Last+1 && b.SameState(before)) {
			return false
		}
	}
	return true
}

// Done counts the offsets that nothing more will happen to.
func (iv Intervals) Done() int64 {
	var n int64
	for _, b := range iv {
		if b.State.Done() {
			n += b.Len()
		}
	}
	return n
}

// FirstUnfinished returns the first offset at or above start that is not done.
// Batches below start are passed over.
func (iv Intervals) FirstUnfinished(start int64) int64 {
	for _, b := range iv {
		if b.Last < start {
			continue
		}
		if b.First > start || !b.State.Done() {
			break
		}
		start = b.Last + 1
	}
	return start
}
