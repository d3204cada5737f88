package model

import (
	"slices"
	"time"
)

// StateRates are what the state topic tells about the last RateWindow, in
// records per second. All are unknown while it is not read.
type StateRates struct {
	// Accepted are records finished, Archived the offsets given up, whether they
	// hold a record or not; together they are what Done counts.
	Accepted, Archived Rate
	// Released are records given back, Deliveries the deliveries that are over,
	// whatever came of them.
	Released, Deliveries Rate
}

// still tells whether nothing happens.
func (r StateRates) still() bool {
	return r.Accepted.PerSecond == 0 && r.Archived.PerSecond == 0 &&
		r.Released.PerSecond == 0 && r.Deliveries.PerSecond == 0
}

// tallyRing keeps the sums of a group's tallies that StateRates need: the
// newest, and older ones at least rateStep apart, as rateRing does.
type tallyRing struct {
	// first and last are the moments of the first and of the newest sample.
	first, last int64
	// busy is nil until the sums change: until then the first sample stands for
	// all older ones, and most groups of a large cluster are quiet.
	busy *tallySlots
	// places are the share-partitions that the newest sample was summed up from.
	places []SharePartition
}

// tallySlots are the samples of a group in which something happened.
type tallySlots struct {
	sampleSlots[tallySample]
	sum Tally // of the newest sample
}

// tallySample is a group's running sums at a moment.
type tallySample struct {
	at  int64 // unix nanoseconds
	sum Tally
}

func (s tallySample) when() int64 { return s.at }

// sampled takes the tallies of a group's share-partitions at a moment. The ring
// begins with the first that the state topic tells of and ends when it tells of
// none any more.
func (r *tallyRing) sampled(at int64, g *Group) *tallyRing {
	if !hasState(g) {
		return nil
	}
	if r == nil {
		r = &tallyRing{first: at, last: at}
	}
	sum := r.sum()
	if slices.EqualFunc(r.places, g.Partitions, samePlace) {
		for i := range g.Partitions {
			if before := r.places[i].State; before != nil {
				sum = sum.plus(before.Tally(), g.Partitions[i].State.Tally())
			}
		}
	}
	r.places = g.Partitions
	r.add(at, sum)
	return r
}

// sum are the newest sums, counted from the first sample on; nil has none.
func (r *tallyRing) sum() Tally {
	if r == nil || r.busy == nil {
		return Tally{}
	}
	return r.busy.sum
}

// idle takes silence as a sample in which nothing happened.
func (r *tallyRing) idle(now int64) {
	if r != nil {
		r.add(now, r.sum())
	}
}

// plus adds what grew from one tally to another. A tally that shrank was begun
// anew, by a new load, and tells nothing about the time between.
func (t Tally) plus(before, now Tally) Tally {
	if now.Accepted < before.Accepted || now.Archived < before.Archived ||
		now.Released < before.Released || now.Deliveries < before.Deliveries {
		return t
	}
	t.Accepted += now.Accepted - before.Accepted
	t.Archived += now.Archived - before.Archived
	t.Released += now.Released - before.Released
	t.Deliveries += now.Deliveries - before.Deliveries
	return t
}

// add appends a sample.
func (r *tallyRing) add(at int64, sum Tally) {
	r.last = max(r.last, at)
	if r.busy == nil && sum == (Tally{}) {
		return
	}
	if r.busy == nil {
		// The quiet time up to now is the first sample.
		r.busy = &tallySlots{sampleSlots: slotsFrom(tallySample{at: max(r.first, r.last-int64(RateWindow))})}
	}
	r.busy.sum = sum
	r.busy.add(tallySample{r.last, sum})
}

// base is the sample that rates are taken from.
func (r *tallyRing) base() (tallySample, bool) {
	if r.busy != nil {
		return r.busy.base(r.last)
	}
	return tallySample{at: r.first}, r.first < r.last
}

// rates are the growth of the sums per second; unknown before two samples.
func (r *tallyRing) rates() StateRates {
	if r == nil {
		return StateRates{}
	}
	from, ok := r.base()
	if !ok {
		return StateRates{}
	}
	per := func(now, before int64) Rate {
		return knownRate(float64(now-before) * float64(time.Second) / float64(r.last-from.at))
	}
	was, is := from.sum, r.sum()
	return StateRates{
		Accepted: per(is.Accepted, was.Accepted), Archived: per(is.Archived, was.Archived),
		Released: per(is.Released, was.Released), Deliveries: per(is.Deliveries, was.Deliveries),
	}
}

// archived is how many offsets the rate of Archived is about.
func (r *tallyRing) archived() int64 {
	if r == nil {
		return 0
	}
	if from, ok := r.base(); ok {
		return r.sum().Archived - from.sum.Archived
	}
	return 0
}

// retrying counts the records of a group that are on their second or a later
// delivery, or free for it; unknown where the state topic tells of none of its
// share-partitions.
func retrying(g *Group) Number {
	n, known := int64(0), false
	for i := range g.Partitions {
		s := g.Partitions[i].State
		known = known || s != nil
		for b := range s.Released() {
			if b.Count >= 1 {
				n = addClamped(n, b.Len())
			}
		}
	}
	if !known {
		return Number{}
	}
	return Known(n)
}

// hasState tells whether the state topic tells of any share-partition.
func hasState(g *Group) bool {
	for i := range g.Partitions {
		if g.Partitions[i].State != nil {
			return true
		}
	}
	return false
}

// headTime is the timestamp of the record at the head of a share-partition;
// zero where it is not known.
func headTime(p *SharePartition) time.Time {
	if head, ok := p.State.Head().Get(); ok && p.Head != nil && p.Head.Offset == head {
		return p.Head.Timestamp
	}
	return time.Time{}
}
