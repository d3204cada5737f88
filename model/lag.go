package model

import (
	"math"
	"slices"
)

// lagIn is what a share-partition adds to a sum of lags:
//
//   - its lag, but not less than 0: a start offset past the end is no credit
//     against records that wait elsewhere;
//   - 0 when nothing was ever settled and its log has no record (the broker
//     says start -1, lag -1 for ever);
//   - else unknown.
func lagIn(p *SharePartition, log PartitionLog) Number {
	if lag, ok := p.Lag.Get(); ok {
		return Known(max(0, lag))
	}
	if n, ok := recordsIn(log).Get(); ok && n == 0 && !p.Start.IsKnown() && p.Problem == nil {
		return Known(0)
	}
	return Number{}
}

// sumLag adds up a group's lag; partial is true when some of it is missing: a
// partition whose lag is unknown or old, or a topic that we know is not shown to us or
// has no name yet. With nothing known the sum is unknown. With no partition at all
// it is 0 only by the state topic: brokers leave out topics that may not be
// described, so that by requests such a group looks the same as one that reads
// nothing.
func sumLag(g *Group, logOf func(*SharePartition) PartitionLog) (sum Number, partial bool) {
	if g.OffsetsAt.IsZero() || readsNothingTold(g) {
		return Number{}, true
	}
	total, known := sumKnown(g, logOf)
	partial = hidesSome(g) || g.Unnamed > 0 || known < len(g.Partitions) || hasFailed(g)
	if known == 0 && partial {
		return Number{}, true
	}
	return Known(total), partial
}

// readsNothingTold tells whether brokers told of no partition of a group, which
// may be because its topics may not be described.
func readsNothingTold(g *Group) bool {
	return !g.OffsetsAt.IsZero() && g.OffsetsFrom == FromRequests && len(g.Partitions) == 0
}

// sumKnown adds up the known lags of a group, and counts them.
func sumKnown(g *Group, logOf func(*SharePartition) PartitionLog) (total int64, known int) {
	for i := range g.Partitions {
		p := &g.Partitions[i]
		if lag, ok := lagIn(p, logOf(p)).Get(); ok {
			total = addClamped(total, lag)
			known++
		}
	}
	return total, known
}

// hasFailed tells whether some share-partition was answered with an error: what
// is known of it is old.
func hasFailed(g *Group) bool {
	return slices.ContainsFunc(g.Partitions, func(p SharePartition) bool { return p.Problem != nil })
}

// hidesSome tells whether part of a group was kept from us.
func hidesSome(g *Group) bool {
	for i := range g.Problems {
		if k := g.Problems[i].Kind; k == ProblemDenied || k == ProblemHidden {
			return true
		}
	}
	return false
}

// addClamped adds two numbers of the same sign without overflow.
func addClamped(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// subClamped subtracts without overflow.
func subClamped(a, b int64) int64 {
	d := a - b
	switch {
	case b > 0 && d > a:
		return math.MinInt64
	case b < 0 && d < a:
		return math.MaxInt64
	}
	return d
}

// aheadOf is how many records are finished at or above the start offset:
//
//	end - start - lag
//
// Unknown when any of the three is or the last two are old, never below 0 (the end
// offset may have been sampled a moment before the lag).
func aheadOf(p *SharePartition, log PartitionLog) Number {
	if p.Problem != nil {
		return Number{}
	}
	end := p.LagEnd
	if !end.IsKnown() {
		end = log.End
	}
	e, ok1 := end.Get()
	start, ok2 := p.Start.Get()
	lag, ok3 := p.Lag.Get()
	if !ok1 || !ok2 || !ok3 {
		return Number{}
	}
	return Known(max(0, subClamped(subClamped(e, start), lag)))
}

// LagIn is what a share-partition adds to the lag of its group: its lag, 0 where
// that is below zero or where the log is empty, else unknown.
func (s *Snapshot) LagIn(p *SharePartition) Number { return lagIn(p, s.Log(p.Topic, p.Partition)) }

// Ahead is how many records are finished at or above a share-partition's start
// offset; see PartitionRow.Ahead.
func (s *Snapshot) Ahead(p *SharePartition) Number { return aheadOf(p, s.Log(p.Topic, p.Partition)) }

// windowOf is a lower bound of the offsets between the start offset and the
// highest one known to have been delivered, both included. By requests that is
// one more than the records finished ahead: at least one that is not finished
// lies before them. Unknown without a start offset; 0 when nothing waits: then
// all up to the end is finished, however far the persisted start trails.
//
// The state topic tells a better bound, since it has the offsets themselves.
// There it is taken from the head: the start offset that the broker goes by is
// the head already, only the persisted one trails.
func windowOf(p *SharePartition, log PartitionLog) Number {
	if head, known := p.State.Head().Get(); known {
		return Known(max(0, p.State.HighestKnown().Or(head-1)-head+1))
	}
	ahead, ok := aheadOf(p, log).Get()
	switch {
	case !ok:
		return Number{}
	case p.Lag.Or(0) <= 0:
		return Known(0)
	}
	return Known(addClamped(ahead, 1))
}
