package model

import (
	"math/rand/v2"
	"testing"
	"time"
)

// fakeBroker is one share-partition as Kafka keeps it, as far as one member can
// tell: locks that end, sets that are applied as a whole or not at all.
type fakeBroker struct {
	t        *testing.T
	random   *rand.Rand
	now      time.Time
	locked   map[int64]time.Time
	count    map[int64]int
	finished map[int64]Decision
	// willing are the records that the person decided to accept, at the time of a
	// confirmed send.
	willing map[int64]bool
}

const (
	fakeRecords = 20
	fakeLock    = 10 * time.Second
	fakeLimit   = 5
)

func (b *fakeBroker) expire() {
	for offset, ends := range b.locked {
		if !b.now.Before(ends) {
			delete(b.locked, offset)
			b.end(offset, Release)
		}
	}
}

// end is what the broker does with a record that is given back or decided.
func (b *fakeBroker) end(offset int64, d Decision) {
	if d == Release && b.count[offset] < fakeLimit {
		return
	}
	if d == Release {
		d = Reject // archived at the limit
	}
	b.finished[offset] = d
}

func (b *fakeBroker) acquire(most int) []HeldRecord {
	b.expire()
	var out []HeldRecord
	for offset := int64(0); offset < fakeRecords && len(out) < most; offset++ {
		_, locked := b.locked[offset]
		if _, over := b.finished[offset]; locked || over {
			continue
		}
		b.count[offset]++
		b.locked[offset] = b.now.Add(fakeLock)
		out = append(out, HeldRecord{ID: refund(offset), Delivery: b.count[offset], Lock: fakeLock, LockEnds: b.now.Add(fakeLock)})
	}
	return out
}

// apply takes a set as Kafka does, or loses it on the way, or loses the answer.
func (b *fakeBroker) apply(acks []Acknowledgement) []AckResult {
	b.now = b.now.Add(time.Duration(b.random.IntN(700)) * time.Millisecond)
	b.expire()
	lostBefore, lostAfter := b.random.IntN(10) == 0, b.random.IntN(10) == 0
	if lostBefore {
		return nil
	}
	outcome := OutcomeDone
	for _, a := range acks {
		if _, held := b.locked[a.ID.Offset]; !held {
			outcome = OutcomeStateError
		}
	}
	var results []AckResult
	for _, a := range acks {
		if outcome == OutcomeDone {
			delete(b.locked, a.ID.Offset)
			b.end(a.ID.Offset, a.Decision)
		}
		results = append(results, AckResult{ID: a.ID, Decision: a.Decision, Outcome: outcome})
	}
	if lostAfter {
		return nil
	}
	return results
}

// Whatever a person presses, whatever is lost, and however the session ends: no
// record is accepted that the person did not accept.
func TestNothingIsAcceptedThatNobodyAccepted(t *testing.T) {
	accepted := 0
	for seed := range uint64(1000) {
		b := &fakeBroker{
			t: t, random: rand.New(rand.NewPCG(seed, 1)), now: sessionTime(), locked: make(map[int64]time.Time),
			count: make(map[int64]int), finished: make(map[int64]Decision), willing: make(map[int64]bool),
		}
		b.run()
		for offset, d := range b.finished {
			if d == Accept {
				accepted++
				if !b.willing[offset] {
					t.Fatalf("seed %d: offset %d was accepted, and nobody accepted it", seed, offset)
				}
			}
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d records were accepted in all runs: the test sees too little", accepted)
	}
}

// run is one session of random keys.
func (b *fakeBroker) run() {
	s := NewSession(SessionTerms{DeliveryLimit: Known(fakeLimit)}, b.now)
	for range 60 {
		b.now = b.now.Add(time.Duration(b.random.IntN(2500)) * time.Millisecond)
		switch b.random.IntN(9) {
		case 0, 1, 2:
			s.Decide(refund(b.random.Int64N(fakeRecords)), Decision(b.random.IntN(4)), b.now)
		case 3:
			s.NextUndecided()
		case 4:
			b.renew(s)
		case 5, 6:
			b.send(s)
		case 7, 8:
			if held, _ := s.Count(b.now); held == 0 && s.OnTheirWay(b.now) == 0 {
				s.Took(b.acquire(1+b.random.IntN(6)), b.now)
			}
		}
	}
	// Every way out is the same for the state machine: nothing is sent any more,
	// and the broker gives back what is held.
	b.now = b.now.Add(fakeLock)
	b.expire()
}

func (b *fakeBroker) renew(s *Session) {
	ids := s.Renewable([]RecordID{refund(b.random.Int64N(fakeRecords))}, b.now)
	b.expire()
	for _, id := range ids {
		if _, held := b.locked[id.Offset]; held {
			b.locked[id.Offset] = b.now.Add(fakeLock)
			s.Renewed([]AckResult{{ID: id, Delivery: deliveryOf(s, id), Outcome: OutcomeDone, LockEnds: b.now.Add(fakeLock), Lock: fakeLock}})
		}
	}
}

// send shows a plan and confirms it a while later; meanwhile keys may be pressed
// that must not change it.
func (b *fakeBroker) send(s *Session) {
	plan := s.Plan(b.now)
	if b.random.IntN(5) == 0 {
		return // not confirmed
	}
	for _, a := range plan.Acks {
		b.willing[a.ID.Offset] = b.willing[a.ID.Offset] || a.Decision == Accept
	}
	b.now = b.now.Add(time.Duration(b.random.IntN(3000)) * time.Millisecond)
	s.NextUndecided()
	acks := s.Begin(plan, b.now)
	if len(acks) == 0 {
		return
	}
	s.Settle(b.apply(acks), b.now)
}

func deliveryOf(s *Session, id RecordID) int {
	for _, r := range s.Records() {
		if r.ID == id {
			return r.Delivery
		}
	}
	return 0
}
