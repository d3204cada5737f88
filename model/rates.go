package model

import (
	"math"
	"slices"
	"time"
)

// counters are running sums over a group's share-partitions since tracking
// began. Only differences mean anything.
type counters struct {
	at int64 // unix nanoseconds of the sample
	// in sums the growth of end offsets, done that of end - lag, net that of
	// -lag (partitions whose lag is known only).
	in, done, net int64
}

// rateSlots samples, rateStep apart at least, cover RateWindow.
const (
	rateSlots = 6
	rateStep  = int64(RateWindow / (rateSlots - 1))
)

func (c counters) when() int64 { return c.at }

// rateRing keeps what rates need: the newest counters, and older ones at least
// rateStep apart. Snapshots may come 20 times a second or once in two minutes;
// both fit. The zero rateRing is empty.
type rateRing struct {
	// first is the moment of the first sample, once there is one. Until the counters
	// grow it stands for all older ones, and busy is nil.
	first int64
	begun bool
	busy  *sampleSlots[counters]
	// hasIn and hasDone tell whether the newest sample could count arrivals and
	// finished records at all.
	hasIn, hasDone bool
	last           counters
}

// add appends a sample: how much in, done and net grew since the one before. A
// sample that is not newer counts as part of the newest.
func (r *rateRing) add(at int64, d delta) {
	before := r.last
	if r.begun {
		at = max(at, before.at)
	}
	r.hasIn, r.hasDone = d.hasIn, d.hasDone
	r.last = counters{at, before.in + d.in, before.done + d.done, before.net + d.net}
	switch {
	case !r.begun:
		r.first, r.begun = at, true
		return
	case r.busy == nil && !d.grew():
		return
	case r.busy == nil:
		// Since the first sample nothing had grown: any moment up to before will do.
		before.at = max(r.first, min(before.at, r.last.at-int64(RateWindow)))
		slots := slotsFrom(before)
		r.busy = &slots
	}
	r.busy.add(r.last)
}

// isLong tells whether two samples are rateStep apart.
func (r *rateRing) isLong() bool {
	if r.busy != nil {
		return r.busy.n > 1
	}
	return r.last.at-r.first >= rateStep
}

// base is the sample that rates are taken from.
func (r *rateRing) base() (counters, bool) {
	if r.busy != nil {
		return r.busy.base(r.last.at)
	}
	quiet := r.last
	quiet.at = r.first
	return quiet, r.first < r.last.at
}

// rates returns arrivals, finished records and their difference per second.
//
//	In   = growth of the end offsets / time
//	Done = growth of (end - lag) / time
//	Net  = -growth of lag / time, which is Done - In where every lag is known
//
// In and Done are clamped at 0: an end offset sampled a moment before or after
// the lag can make a few records seem to be un-finished, never a real event.
func (r *rateRing) rates() (in, done, net Rate) {
	from, ok := r.base()
	if !ok {
		return Rate{}, Rate{}, Rate{}
	}
	per := func(n int64) float64 { return float64(n) * float64(time.Second) / float64(r.last.at-from.at) }
	if r.hasIn {
		in = knownRate(max(0, per(r.last.in-from.in)))
	}
	if r.hasDone {
		done = knownRate(max(0, per(r.last.done-from.done)))
		net = knownRate(per(r.last.net - from.net))
	}
	return in, done, net
}

// knownRate wraps a number of records per second; what is no finite number is
// unknown, and negative zero is zero.
func knownRate(v float64) Rate {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Rate{}
	}
	if v == 0 {
		v = 0
	}
	return Rate{PerSecond: v, Known: true}
}

// slopePoints points over slopeWindow decide whether a lag grows or shrinks.
// The window is longer than RateWindow, since one burst or one large
// acknowledgement must not turn the answer round.
const (
	slopePoints = 12
	slopeWindow = time.Minute
)

// slope describes how a lag has moved over slopeWindow.
type slope struct {
	// perSecond is the median of the slopes between all pairs of points
	// (Theil-Sen): up to 29 % of the points may be off without moving it.
	perSecond float64
	// floor is how far the lowest lag of the newer half lies above that of the
	// older half: a consumer that acknowledges in large batches makes the lag a
	// saw-tooth, whose lowest points tell whether it keeps up.
	floor int64
	// known is false with fewer than two points or a span under RateWindow.
	known bool
}

// slopeOf measures the lag of the seconds (since, to].
func slopeOf(r *lagRing, since, to int64) slope {
	var at [slopePoints]int64
	var lag [slopePoints]float64
	n := 0
	step := int64(slopeWindow/HistoryStep) / slopePoints
	for i := int64(slopePoints); i > 0; i-- {
		from := to - i*step
		v, s := r.latest(max(from, since), from+step)
		if v.IsKnown() {
			at[n], lag[n] = s, float64(v.Or(0))
			n++
		}
	}
	if n < 2 {
		// Asked for less than twice a minute: the last two samples have to do.
		return sparseSlope(r, since, to)
	}
	if at[n-1]-at[0] < int64(RateWindow/HistoryStep) {
		return slope{}
	}
	return slope{perSecond: medianSlope(at[:n], lag[:n]), floor: floorRise(lag[:n]), known: true}
}

// sparseSlope is the slope between the two newest samples after since.
func sparseSlope(r *lagRing, since, to int64) slope {
	newer, at := r.latest(since, to)
	older, before := r.latest(since, at-1)
	if !newer.IsKnown() || !older.IsKnown() || at-before < int64(RateWindow/HistoryStep) {
		return slope{}
	}
	rise := newer.Or(0) - older.Or(0)
	return slope{perSecond: float64(rise) / float64(at-before), floor: rise, known: true}
}

func medianSlope(at []int64, lag []float64) float64 {
	var all [slopePoints * (slopePoints - 1) / 2]float64
	n := 0
	for i := range at {
		for j := i + 1; j < len(at); j++ {
			all[n] = (lag[j] - lag[i]) / float64(at[j]-at[i])
			n++
		}
	}
	slices.Sort(all[:n])
	return (all[(n-1)/2] + all[n/2]) / 2
}

func floorRise(lag []float64) int64 {
	half := len(lag) / 2
	return int64(slices.Min(lag[half:]) - slices.Min(lag[:half]))
}
