package model

import (
	"iter"
	"math"
	"time"
)

// StateAt tells what has been done with one record, and after how many
// deliveries (0 where the state has none).
func (s *PartitionState) StateAt(offset int64) (RecordState, int16) {
	run := s.runAt(offset)
	return run.State, run.Count
}

// Range yields the state of every offset from first to last, both included, as
// runs in ascending order that leave nothing out: offsets in no batch are
// RecordNew, those below the start RecordBelowStart. It does not know the log:
// bound last by its end.
func (s *PartitionState) Range(first, last int64) iter.Seq[StateBatch] {
	return func(yield func(StateBatch) bool) {
		p := s.parts()
		i := p.Batches.Find(max(first, p.Start))
		for at := first; at <= last; {
			for i < len(p.Batches) && p.Batches[i].Last < at {
				i++
			}
			run := p.runAt(at, i).Clip(first, last)
			if !yield(run) || run.Last == math.MaxInt64 {
				return
			}
			at = run.Last + 1
		}
	}
}

// runAt returns the longest run around an offset whose records share a state.
func (s *PartitionState) runAt(offset int64) StateBatch {
	p := s.parts()
	return p.runAt(offset, p.Batches.Find(offset))
}

// runAt is that run, given the index of the batch that holds the offset or is
// the next above it.
func (p *StateParts) runAt(offset int64, i int) StateBatch {
	if p.Start < 0 {
		return StateBatch{First: math.MinInt64, Last: math.MaxInt64}
	}
	if offset < p.Start {
		return StateBatch{First: math.MinInt64, Last: p.Start - 1, State: RecordBelowStart}
	}
	if offset >= p.cut() {
		return StateBatch{First: p.cut(), Last: math.MaxInt64}
	}
	if i < len(p.Batches) && p.Batches[i].First <= offset {
		return p.Batches[i]
	}
	return p.gapBefore(i)
}

// gapBefore is the run of new records below batch i, or behind the last one.
func (p *StateParts) gapBefore(i int) StateBatch {
	gap := StateBatch{First: p.Start, Last: math.MaxInt64, State: RecordNew}
	if i > 0 {
		gap.First = p.Batches[i-1].Last + 1
	}
	switch {
	case i < len(p.Batches):
		gap.Last = p.Batches[i].First - 1
	case p.Cut > 0:
		gap.Last = p.Cut - 1
	}
	return gap
}

// Next returns where the next run above the one around offset begins that is
// in the set and below end; false when there is none.
func (s *PartitionState) Next(offset, end int64, set RecordSet) (int64, bool) {
	for run := s.runAt(offset); run.Last < end-1; {
		run = s.runAt(run.Last + 1)
		if set.Has(run.State) {
			return run.First, true
		}
	}
	return 0, false
}

// Prev returns where the next run below the one around offset begins that is
// in the set; false when there is none at or above the start offset.
func (s *PartitionState) Prev(offset int64, set RecordSet) (int64, bool) {
	start := s.parts().Start
	for run := s.runAt(offset); run.First > start; {
		run = s.runAt(run.First - 1)
		if set.Has(run.State) {
			return run.First, true
		}
	}
	return 0, false
}

// Head is the first offset at or above the start that is not finished. When it
// is the log's end or above, every record is done. Unknown when the start is,
// or when that far the batches were left out.
func (s *PartitionState) Head() Number {
	p := s.parts()
	if p.Start < 0 {
		return Number{}
	}
	head := p.passed(p.Batches.FirstUnfinished(p.Start))
	if head >= p.cut() {
		return Number{}
	}
	return Known(head)
}

// passed is where the head is when nothing in a batch keeps it at an offset. A
// broker finishes records of aborted transactions by itself, for groups that read
// committed ones: it counts them and writes no batch. Where as many more are
// counted as the gaps up to the last batch have offsets, all gaps are such.
func (p *StateParts) passed(head int64) int64 {
	n := len(p.Batches)
	if p.Cut > 0 || n == 0 || head > p.Batches[n-1].Last || p.Batches.Find(head) == n {
		return head
	}
	unfinished, gaps, at := p.Batches[n-1].Last+1, int64(0), p.Start
	for _, b := range p.Batches {
		gaps += b.First - at
		at = b.Last + 1
		if !b.State.Done() {
			unfinished = min(unfinished, b.First)
		}
	}
	if gaps > 0 && int64(p.Finished)-p.Batches.Done() >= gaps {
		return unfinished
	}
	return head
}

// FinishedAhead is the number of records at or above the start offset that are
// finished or archived: as Kafka counted them, else counted in the batches.
func (s *PartitionState) FinishedAhead() Number {
	p := s.parts()
	switch {
	case p.Finished >= 0:
		return Known(int64(p.Finished))
	case p.Start < 0, p.Cut > 0:
		return Number{}
	}
	return Known(p.Batches.Done())
}

// HighestKnown is the highest offset that is known to have been delivered.
// Records in their first delivery are not, so it is a lower bound. Unknown when
// nothing was settled at or above the start.
func (s *PartitionState) HighestKnown() Number {
	p := s.parts()
	if p.Highest < p.Start {
		return Number{}
	}
	return numberOf(p.Highest)
}

// Window is the number of offsets from the start to the highest one known to
// have been delivered; a lower bound of what share.partition.max.record.locks
// limits. Unknown when the start is.
func (s *PartitionState) Window() Number {
	p := s.parts()
	if p.Start < 0 {
		return Number{}
	}
	return Known(max(0, p.Highest-p.Start+1))
}

// Lag is end - start - finished records at or above start. The end was sampled
// at the given time on the client's clock, the state may be newer: an end older
// than the state is lifted to what the state has seen, so that lag is below
// zero only when the start really is past the end.
func (s *PartitionState) Lag(end Number, sampled time.Time) Number {
	e, known := end.Get()
	finished, counted := s.FinishedAhead().Get()
	p := s.parts()
	if !known || !counted || p.Start < 0 {
		return Number{}
	}
	if sampled.UnixMicro() > p.SeenMicros {
		return Known(e - p.Start - finished)
	}
	return Known(max(0, max(e, p.Highest+1)-p.Start-finished))
}

// StateCounts are the records from the start offset to an end, by state.
type StateCounts struct {
	Finished, Archived, Archiving, Released, New, Unknown int64
}

// Counts counts the records from the start offset up to, and without, end.
func (s *PartitionState) Counts(end int64) StateCounts {
	var c StateCounts
	for run := range s.Range(s.parts().Start, end-1) {
		switch run.State {
		case RecordFinished:
			c.Finished += run.Len()
		case RecordArchived:
			c.Archived += run.Len()
		case RecordArchiving:
			c.Archiving += run.Len()
		case RecordReleased:
			c.Released += run.Len()
		case RecordNew:
			c.New += run.Len()
		default:
			c.Unknown += run.Len()
		}
	}
	return c
}

// Released yields the batches whose records were given back and are not
// finished. Their records share the batch's count.
func (s *PartitionState) Released() iter.Seq[StateBatch] {
	return func(yield func(StateBatch) bool) {
		for _, b := range s.parts().Batches {
			if b.State == RecordReleased && !yield(b) {
				return
			}
		}
	}
}
