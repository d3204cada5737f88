package model

import "math"

// lagRing keeps one lag per HistoryStep over HistoryLength, by the second it
// was seen in. A second in which nothing was sampled is unknown, and so is a
// sample whose lag was unknown.
//
// A value takes 4 bytes, 960 for a full ring and 16 for one that has begun, which
// is what lets 10,000 groups fit their bound. Values are stored right-shifted by
// one common count: exact while all fit 31 bits, and beyond that only the low bits
// are lost, which are below what a chart can show. The zero lagRing is empty.
type lagRing struct {
	slots []int32 // slot of second s is s % len(slots)
	last  int64   // the newest second put
	used  int32   // how many seconds up to last are held, at most len(slots)
	shift uint8
}

const (
	ringSlots = int(HistoryLength / HistoryStep)
	// ringFirst is the size of a ring that has just begun: by the state topic
	// most groups of a large cluster are sampled once and then rest. ringSecond
	// is the next, for those that are asked for less than once in HistoryLength.
	ringFirst  = 4
	ringSecond = 32
	noLag      = math.MinInt32
	secondsFor = int64(HistoryStep)
)

// put stores the lag of one second. A later value of the same second replaces
// the earlier one; a second before the newest is ignored (a clock that was set
// back must not rewrite history).
func (r *lagRing) put(second int64, lag Number) {
	if r.used > 0 && second < r.last {
		return
	}
	r.advance(second)
	r.slots[r.index(second)] = r.encode(lag)
}

// advance makes second the newest one, with unknowns in between.
func (r *lagRing) advance(second int64) {
	gap := second - r.last
	if r.used == 0 || gap >= int64(ringSlots) {
		r.restart(second)
		return
	}
	if want := int64(r.used) + gap; want > int64(len(r.slots)) && len(r.slots) < ringSlots {
		r.grow(want)
	}
	for s := r.last + 1; s <= second; s++ {
		r.slots[r.index(s)] = noLag
	}
	r.used = int32(min(int64(r.used)+gap, int64(len(r.slots))))
	r.last = second
}

// restart forgets everything before second.
func (r *lagRing) restart(second int64) {
	if r.slots == nil {
		r.slots = make([]int32, ringFirst)
	}
	r.last, r.used, r.shift = second, 1, 0
	r.slots[r.index(second)] = noLag
}

// grow moves the values into a larger ring: one that has as many slots as are
// wanted, up to the full size.
func (r *lagRing) grow(want int64) {
	old := *r
	size := ringSlots
	if want <= ringSecond {
		size = ringSecond
	}
	r.slots = make([]int32, size)
	for s := old.last - int64(old.used) + 1; s <= old.last; s++ {
		r.slots[r.index(s)] = old.slots[old.index(s)]
	}
}

func (r *lagRing) index(second int64) int {
	n := int64(len(r.slots))
	return int(((second % n) + n) % n)
}

// encode shifts a lag so that it fits a slot, and shifts all others along when
// it is the first that needs more.
func (r *lagRing) encode(lag Number) int32 {
	v, known := lag.Get()
	if !known {
		return noLag
	}
	for v>>r.shift > math.MaxInt32 || v>>r.shift <= math.MinInt32 {
		for i, slot := range r.slots {
			if slot != noLag {
				r.slots[i] = slot >> 1
			}
		}
		r.shift++
	}
	return int32(v >> r.shift)
}

// at returns the lag of one second; unknown where there is none.
func (r *lagRing) at(second int64) Number {
	if second > r.last || second <= r.last-int64(r.used) {
		return Number{}
	}
	slot := r.slots[r.index(second)]
	if slot == noLag {
		return Number{}
	}
	return Known(int64(slot) << r.shift)
}

// latest returns the newest known lag in the seconds (from, to] and its second.
func (r *lagRing) latest(from, to int64) (Number, int64) {
	if to > r.last {
		to = r.last
	}
	for s := to; s > from && s > r.last-int64(r.used); s-- {
		if v := r.at(s); v.IsKnown() {
			return v, s
		}
	}
	return Number{}, 0
}
