package model

// sampleSlots keep samples of running sums that are rateStep apart at least: what
// rates over RateWindow are taken from. Rings have none until their sums grow,
// since most groups of a large cluster are quiet and slots are most of what a ring
// takes.
type sampleSlots[S interface{ when() int64 }] struct {
	slots [rateSlots]S
	n     uint8 // slots in use
	head  uint8 // the newest of them
}

// slotsFrom begins with the sample that stands for all older ones.
func slotsFrom[S interface{ when() int64 }](first S) sampleSlots[S] {
	return sampleSlots[S]{slots: [rateSlots]S{first}, n: 1}
}

// add takes a sample in when it is due.
func (b *sampleSlots[S]) add(s S) {
	if s.when()-b.slots[b.head].when() < rateStep {
		return
	}
	b.head = (b.head + 1) % rateSlots
	b.slots[b.head] = s
	b.n = min(b.n+1, rateSlots)
}

// base is the sample that rates up to last are taken from: the newest that is at
// least RateWindow older, or the oldest there is. With samples further apart than
// the window it is the last but one.
func (b *sampleSlots[S]) base(last int64) (sample S, ok bool) {
	for i := range b.n {
		s := b.slots[(b.head+rateSlots-i)%rateSlots]
		oldest := i == b.n-1
		if s.when() < last && (oldest || last-s.when() >= int64(RateWindow)) {
			return s, true
		}
	}
	return sample, false
}
