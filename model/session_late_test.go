package model

import (
	"strings"
	"testing"
	"time"
)

// Answers come in any order, and after what they are about has come to an end or
// has come again.

func TestARenewalThatIsToldLate(t *testing.T) {
	now := sessionTime()
	ends := now.Add(time.Minute)
	renewed := AckResult{ID: refund(0), Delivery: 1, Outcome: OutcomeDone, LockEnds: ends, Lock: time.Minute}
	over := AckResult{ID: refund(0), Delivery: 1, Outcome: OutcomeLockOver}
	sending := func(s *Session) { s.Begin(s.Plan(now), now) }
	settled := func(o Outcome) func(*Session) {
		return func(s *Session) {
			sending(s)
			s.Settle([]AckResult{{ID: refund(0), Decision: Release, Delivery: 1, Outcome: o}}, now)
		}
	}
	again := func(s *Session) {
		s.Took([]HeldRecord{{ID: refund(0), Delivery: 2, LockEnds: now.Add(fakeLock)}}, now)
	}
	for name, test := range map[string]struct {
		before  func(*Session)
		told    AckResult
		phase   RecordPhase
		outcome Outcome
		moved   bool
	}{
		"on its way":        {sending, renewed, PhaseSending, OutcomeNone, true},
		"settled":           {settled(OutcomeDone), renewed, PhaseSettled, OutcomeDone, false},
		"not answered":      {settled(OutcomeNoAnswer), renewed, PhaseLost, OutcomeNoAnswer, false},
		"came again":        {again, renewed, PhaseHeld, OutcomeNone, false},
		"came again, ended": {again, over, PhaseHeld, OutcomeNone, false},
		"ended":             {func(*Session) {}, over, PhaseLost, OutcomeLockOver, false},
	} {
		s := holding(now, 1)
		test.before(s)
		s.Renewed([]AckResult{test.told})
		r := s.Records()[0]
		if r.Phase != test.phase || r.Outcome != test.outcome || r.LockEnds.Equal(ends) != test.moved {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// A connection that is cut gives back all records of its broker: of those too that
// nothing was sent about it is said, and nothing can be decided about them.
func TestWhatIsGivenBackWithAConnection(t *testing.T) {
	now := sessionTime()
	beside := AckResult{ID: refund(1), Delivery: 1, Outcome: OutcomeGivenBack}
	for name, tell := range map[string]func(*Session){
		"a decision without an answer": func(s *Session) {
			plan := s.Plan(now)
			plan.Acks = plan.Acks[:1]
			s.Begin(plan, now)
			s.Settle([]AckResult{{ID: refund(0), Decision: Release, Delivery: 1, Outcome: OutcomeNoAnswer}, beside}, now)
		},
		"a renewal without an answer": func(s *Session) {
			s.Renewed([]AckResult{{ID: refund(0), Delivery: 1, Outcome: OutcomeGivenBack, Detail: "did not answer in time"}, beside})
		},
	} {
		s := holding(now, 1, 1, 1)
		tell(s)
		if held, _ := s.Count(now); held != 1 || s.Records()[1].Outcome != OutcomeGivenBack || s.Decide(refund(1), Accept, now) {
			t.Errorf("%s: %+v", name, s.Records())
		}
	}
	// One that is on its way has an answer of its own, and one that came again is held.
	s := holding(now, 1, 1)
	s.Begin(s.Plan(now), now)
	s.Renewed([]AckResult{beside})
	if r := s.Records()[1]; r.Phase != PhaseSending || r.Outcome != OutcomeNone {
		t.Errorf("on its way: %+v", r)
	}
	s.Settle([]AckResult{beside}, now)
	if r := s.Records()[1]; r.Outcome != OutcomeNoAnswer {
		t.Errorf("its own answer is missing: %+v", r)
	}
	s.Took([]HeldRecord{{ID: refund(1), Delivery: 2, LockEnds: now.Add(fakeLock)}}, now)
	s.Settle([]AckResult{beside}, now)
	if r := s.Records()[0]; r.Phase != PhaseHeld {
		t.Errorf("came again: %+v", r)
	}
}

func TestLeavingNamesWhatCameBetween(t *testing.T) {
	r := LeaveResult{
		Group: NewGroupID("billing"), Left: true, NotHeld: []RecordID{refund(3), refund(4)},
		Decided: []AckResult{
			{ID: refund(1), Decision: Accept, Outcome: OutcomeDone}, {ID: refund(2), Decision: Reject, Outcome: OutcomeNotHolder},
		},
	}
	text := strings.Join(r.Lines(true), "\n")
	for _, want := range []string{
		"Sent before, about 2 records of billing: refunds-0@1 (accept: done), refunds-0@2 (reject: not the holder).",
		"were 2 records of billing: refunds-0@3, refunds-0@4.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
}
