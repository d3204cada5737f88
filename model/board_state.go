package model

import (
	"slices"
	"time"
)

// StateRates are what the state topic tells about the last RateWindow, in
// records per second. All are unknown while it is not read.
type StateRates struct {
	// Accepted are records finished, Archived those given up; together they are
	// what Done counts.
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
	// first is the moment of the first sample. Until the sums change it stands
	// for all older ones, and there are no slots: most groups of a large cluster
	// are quiet, and the slots are most of what a ring takes.
	first int64
	slots *[rateSlots]tallySample
	n     uint8 // samples in use, slots once there are any
	head  uint8 // the newest slot in use
	last  tallySample
	// places are the share-partitions that the newest sample was summed up from.
	places []SharePartition
}

// tallySample is a group's running sums at a moment.
type tallySample struct {
	at  int64 // unix nanoseconds
	sum Tally
}

// sampled takes the tallies of a group's share-partitions at a moment. The ring
// begins with the first that the state topic tells of and ends when it tells of
// none any more.
func (r *tallyRing) sampled(at int64, g *Group) *tallyRing {
	if !hasState(g) {
		return nil
	}
	if r == nil {
		r = &tallyRing{}
	}
	sum := r.last.sum
	if slices.EqualFunc(r.places, g.Partitions, samePlace) {
		for i := range g.Partitions {
			if before := r.places[i].State; before != nil {
				sum = sum.plus(before.Tally(), g.Partitions[i].State.Tally())
			}
		}
	}
	r.places = g.Partitions
	r.add(tallySample{at, sum})
	return r
}

// idle takes silence as a sample in which nothing happened.
func (r *tallyRing) idle(now int64) {
	if r != nil {
		r.add(tallySample{now, r.last.sum})
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
func (r *tallyRing) add(s tallySample) {
	if r.n == 0 {
		r.first, r.last, r.n = s.at, s, 1
		return
	}
	s.at = max(s.at, r.last.at)
	if r.slots == nil && s.sum != r.last.sum {
		r.begin(s.at)
	}
	r.last = s
	if r.slots == nil || s.at-r.slots[r.head].at < rateStep {
		return
	}
	r.head = (r.head + 1) % rateSlots
	r.slots[r.head] = s
	r.n = min(r.n+1, rateSlots)
}

// begin makes the slots, with the quiet time up to now as their first sample.
func (r *tallyRing) begin(now int64) {
	r.slots = &[rateSlots]tallySample{{max(r.first, now-int64(RateWindow)), r.last.sum}}
	r.n, r.head = 1, 0
}

// base is the sample that rates are taken from: the newest that is at least
// RateWindow older than the last, or the oldest there is.
func (r *tallyRing) base() (tallySample, bool) {
	if r.slots == nil {
		return tallySample{r.first, r.last.sum}, r.first < r.last.at
	}
	for i := range r.n {
		s := r.slots[(r.head+rateSlots-i)%rateSlots]
		oldest := i == r.n-1
		if s.at < r.last.at && (oldest || r.last.at-s.at >= int64(RateWindow)) {
			return s, true
		}
	}
	return tallySample{}, false
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
		return knownRate(float64(now-before) * float64(time.Second) / float64(r.last.at-from.at))
	}
	was, is := from.sum, r.last.sum
	return StateRates{
		Accepted: per(is.Accepted, was.Accepted), Archived: per(is.Archived, was.Archived),
		Released: per(is.Released, was.Released), Deliveries: per(is.Deliveries, was.Deliveries),
	}
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
