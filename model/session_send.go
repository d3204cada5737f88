package model

import "time"

// Acknowledgement is one decision to send. Undecided must never be sent.
type Acknowledgement struct {
	ID       RecordID
	Decision Decision
}

// SendPlan is what a confirmed send does: a frozen copy, shown before it is
// confirmed. Begin never sends more than it.
type SendPlan struct {
	Acks []Acknowledgement
	// Accept, Release and Reject count decided records.
	Accept, Release, Reject int
	// Undecided counts those that get As.
	Undecided int
	As        Decision
	// LeftOut are records whose lock has ended or may end on the way: they are
	// not sent, and somebody else may have them.
	LeftOut []RecordID
	// Archives are the records that a release of this plan archives, since they
	// are on their last delivery.
	Archives []RecordID
}

// Plan says what would be sent now.
func (s *Session) Plan(now time.Time) SendPlan {
	plan := SendPlan{As: s.undecided}
	for i := range s.records {
		r := &s.records[i]
		switch {
		case r.Phase != PhaseHeld:
		case !sendable(r, now):
			plan.LeftOut = append(plan.LeftOut, r.ID)
		default:
			s.add(&plan, r)
		}
	}
	return plan
}

// sendable tells whether a decision sent now arrives before the lock ends.
func sendable(r *HeldRecord, now time.Time) bool { return r.LockLeft(now) > LockMargin }

func (s *Session) add(plan *SendPlan, r *HeldRecord) {
	d := r.Decision
	switch d {
	case Accept:
		plan.Accept++
	case Release:
		plan.Release++
	case Reject:
		plan.Reject++
	default:
		plan.Undecided++
		d = plan.As
	}
	plan.Acks = append(plan.Acks, Acknowledgement{r.ID, d})
	if d == Release && int64(r.Delivery) >= s.terms.limit() {
		plan.Archives = append(plan.Archives, r.ID)
	}
}

// Begin marks what is sent of a plan that a person confirmed, and returns it:
// less than the plan when locks ran out while it was looked at. A record is
// sent with the decision that the plan showed, or not at all.
func (s *Session) Begin(plan SendPlan, now time.Time) []Acknowledgement {
	var out []Acknowledgement
	for _, a := range plan.Acks {
		i, ok := s.at[a.ID]
		if !ok || a.Decision == Undecided {
			continue
		}
		r := &s.records[i]
		if r.Phase != PhaseHeld || !sendable(r, now) {
			continue
		}
		r.Phase, r.Decision, r.Outcome, r.Detail = PhaseSending, a.Decision, OutcomeNone, ""
		out = append(out, a)
	}
	return out
}

// Renewable are the given records whose locks can be renewed now: those that
// are held and not being sent.
func (s *Session) Renewable(ids []RecordID, now time.Time) []RecordID {
	var out []RecordID
	for _, id := range ids {
		if i, ok := s.at[id]; ok && s.records[i].Phase == PhaseHeld && sendable(&s.records[i], now) {
			out = append(out, id)
		}
	}
	return out
}

// Outcome is what came of a decision.
type Outcome uint8

// The outcomes. Only OutcomeDone means that it happened.
const (
	// OutcomeNone: nothing was sent, or no answer is there yet.
	OutcomeNone Outcome = iota
	// OutcomeDone: the broker confirmed it.
	OutcomeDone
	// OutcomeLockOver: the lock had ended; somebody else may have the record.
	OutcomeLockOver
	// OutcomeNotHolder: this member does not hold the record any more.
	OutcomeNotHolder
	// OutcomeStateError: the broker refused the partition's whole set, since one
	// record in it was not held; nothing of the set was applied.
	OutcomeStateError
	// OutcomeWriteFailed: the broker could not store it; the record is still held.
	OutcomeWriteFailed
	// OutcomeNoAnswer: it was sent and not answered; it may have happened.
	OutcomeNoAnswer
	// OutcomeNotSent: it did not leave; the record is still held.
	OutcomeNotSent
	// OutcomeDenied: a right is missing; the record is still held.
	OutcomeDenied
	// OutcomeGivenBack: the broker has ended the share session, or its connection was
	// cut: with it the broker gives back what was held and not settled.
	OutcomeGivenBack
)

// String is the outcome as a person reads it.
func (o Outcome) String() string {
	texts := [...]string{
		"", "done", "lock had ended", "not the holder", "refused: state", "write failed", "no answer", "not sent",
		"not allowed",
		"given back",
	}
	if int(o) < len(texts) {
		return texts[o]
	}
	return ""
}

// Meaning is a sentence about the record after an outcome other than done; empty
// for that one and for none.
func (o Outcome) Meaning() string {
	texts := [...]string{
		OutcomeLockOver:    "its lock had ended: somebody else may have it",
		OutcomeNotHolder:   "this member does not hold it any more: somebody else may have it",
		OutcomeStateError:  "the set of its partition was refused as a whole, and nothing of it was applied",
		OutcomeWriteFailed: "the broker could not store the decision: it is still held",
		OutcomeNoAnswer:    "the decision was sent and not answered: it may have happened",
		OutcomeNotSent:     "the decision was not sent: it is still held",
		OutcomeDenied:      "the decision was refused for a right that is missing: it is still held",
		OutcomeGivenBack: "the connection to its broker was cut, or the broker ended this member's session: it is given back, " +
			"at the latest when its lock ends",
	}
	if int(o) < len(texts) {
		return texts[o]
	}
	return ""
}

// Final tells whether a record with that outcome is not held any more.
func (o Outcome) Final() bool {
	switch o {
	case OutcomeDone, OutcomeLockOver, OutcomeNotHolder, OutcomeNoAnswer, OutcomeGivenBack:
		return true
	default:
		return false
	}
}

// AckResult is what came of one acknowledgement or renewal, or of a record that
// is given back with one that failed: then Decision is Undecided, and Outcome
// OutcomeGivenBack.
type AckResult struct {
	ID       RecordID
	Decision Decision
	// Delivery is the delivery that the result is about.
	Delivery int
	Outcome  Outcome
	// Detail is the broker's word for it, safe for a terminal; empty when done.
	Detail string
	// Took is how long the answer took.
	Took time.Duration
	// LockEnds and Lock are the new lock after a renewal.
	LockEnds time.Time
	Lock     time.Duration
}

// Beside tells whether the result is about a record that was given back with
// something that failed and was about others, or was a renewal.
func (a AckResult) Beside() bool { return a.Decision == Undecided && a.Outcome == OutcomeGivenBack }

// Settle takes in what came of what Begin returned. Records that are being sent
// and have no result count as not answered.
func (s *Session) Settle(results []AckResult, now time.Time) {
	for _, a := range results {
		if i, ok := s.at[a.ID]; ok && s.records[i].Phase == PhaseSending && !a.Beside() {
			s.settle(&s.records[i], a, now)
		}
	}
	for i := range s.records {
		if r := &s.records[i]; r.Phase == PhaseSending {
			s.settle(r, AckResult{ID: r.ID, Outcome: OutcomeNoAnswer}, now)
		}
	}
	s.giveBack(results)
}

// giveBack takes in what was given back with something that failed. What is on its
// way has a result of its own.
func (s *Session) giveBack(results []AckResult) {
	for _, a := range results {
		if r := s.about(a); r != nil && r.Phase == PhaseHeld && a.Beside() {
			r.Phase, r.Outcome, r.Detail = PhaseLost, a.Outcome, a.Detail
		}
	}
}

// about is the record that a result is about; nil where it has come again since.
func (s *Session) about(a AckResult) *HeldRecord {
	i, ok := s.at[a.ID]
	if !ok || s.records[i].Delivery != a.Delivery {
		return nil
	}
	return &s.records[i]
}

func (s *Session) settle(r *HeldRecord, a AckResult, _ time.Time) {
	r.Outcome, r.Detail = a.Outcome, a.Detail
	switch {
	case a.Outcome == OutcomeDone:
		r.Phase = PhaseSettled
		s.finish(r)
		s.stats.acknowledged(r.Decision, a.Took)
	case a.Outcome.Final():
		r.Phase = PhaseLost
	default:
		r.Phase = PhaseHeld
	}
}

// Renewed takes in what came of renewals. A record whose decision was settled
// meanwhile stays as that left it.
func (s *Session) Renewed(results []AckResult) {
	for _, a := range results {
		if a.Outcome == OutcomeDone {
			s.stats.Renewed++
		}
		r := s.about(a)
		switch {
		case r == nil || r.Phase != PhaseHeld && r.Phase != PhaseSending:
		case a.Outcome == OutcomeDone:
			r.LockEnds, r.Lock, r.Outcome, r.Detail = a.LockEnds, a.Lock, OutcomeNone, ""
		case r.Phase == PhaseHeld:
			r.Outcome, r.Detail = a.Outcome, a.Detail
			if a.Outcome == OutcomeLockOver || a.Outcome == OutcomeNotHolder || a.Outcome == OutcomeGivenBack {
				r.Phase = PhaseLost
			}
		}
	}
}
