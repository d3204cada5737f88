package model

import (
	"fmt"
	"time"
)

// This file and its neighbours session_*.go are the consume session as a pure
// state machine: which records are held, what a person decided about each, when
// their locks end, and what came of it. It sends nothing. The one rule it keeps
// is that nothing is accepted that a person did not accept: a SendPlan is made
// only for a person to confirm, and what leaves is never more than the plan.

// RecordID names one record of a topic-partition.
type RecordID struct {
	Topic     TopicName
	Partition int32
	Offset    int64
}

// String is the name as a person reads it: refunds-0@9,120.
func (id RecordID) String() string {
	return fmt.Sprintf("%s-%d@%s", id.Topic, id.Partition, FormatInt(id.Offset))
}

// Decision is what a person wants done with a record (KIP-932).
type Decision uint8

// The decisions. Undecided is what every record begins as, and is never sent.
const (
	Undecided Decision = iota
	// Accept: processed; the record is finished.
	Accept
	// Release: given back; at the delivery count limit this archives it.
	Release
	// Reject: cannot be processed; archived, never delivered again.
	Reject
)

// String is the word for screens and the audit file.
func (d Decision) String() string {
	switch d {
	case Accept:
		return "accept"
	case Release:
		return "release"
	case Reject:
		return "reject"
	default:
		return "undecided"
	}
}

// HeldRecord is one record that this session acquired.
type HeldRecord struct {
	ID RecordID
	// Delivery is the delivery count of this acquisition, 1 for the first.
	Delivery int
	// Lock is how long the lock was when it was last given; LockEnds is our own
	// deadline. It counts from when the request left, so it is never later than
	// the broker's, and it moves when a renewal is answered.
	Lock     time.Duration
	LockEnds time.Time
	Decision Decision
	Phase    RecordPhase
	Outcome  Outcome
	// Detail is the broker's word for what went wrong; empty for none.
	Detail string
	// Record is what was read; nil where that was not possible, and then
	// Unreadable says why. It is held and can be decided all the same.
	Record     *Record
	Unreadable string
}

// RecordPhase says where a record of the session stands.
type RecordPhase uint8

// The phases of a record.
const (
	// PhaseHeld: acquired and to be decided; once its lock has ended it is not
	// held any more, whatever the phase says: see HeldAt.
	PhaseHeld RecordPhase = iota
	// PhaseSending: its decision is on the way and can't be changed.
	PhaseSending
	// PhaseSettled: the broker confirmed the decision.
	PhaseSettled
	// PhaseLost: not ours any more, or nobody knows.
	PhaseLost
)

// HeldAt tells whether the record is ours at that time, as far as we know.
func (r *HeldRecord) HeldAt(now time.Time) bool {
	return (r.Phase == PhaseHeld || r.Phase == PhaseSending) && now.Before(r.LockEnds)
}

// OutcomeAt is what came of the decision, as of that time: a record that was still
// held after it is not any more once its lock has ended.
func (r *HeldRecord) OutcomeAt(now time.Time) Outcome {
	if r.Phase == PhaseHeld && !r.HeldAt(now) {
		return OutcomeLockOver
	}
	return r.Outcome
}

// LockLeft is how long the lock lasts from now on; 0 when it has ended.
func (r *HeldRecord) LockLeft(now time.Time) time.Duration {
	return max(0, r.LockEnds.Sub(now))
}

// LockMargin is how much of a lock must be left for a decision to be sent: one
// expired record makes the broker refuse its partition's whole set, so one that
// may expire on the way is left out.
const LockMargin = 500 * time.Millisecond

// Bounds of how many records are taken at a time.
const (
	MinTake     = 1
	DefaultTake = 10
	MaxTake     = 500
)

// SessionTerms are what holds for a session from its joining on.
type SessionTerms struct {
	Group  GroupID
	Member Text
	// ClientID is what the group shows this member as: "sharetop@host".
	ClientID Text
	Topics   []TopicName
	// DeliveryLimit is the effective share.delivery.count.limit, and LimitFrom
	// says who set it; the limit is unknown where configs may not be read.
	DeliveryLimit Number
	LimitFrom     string
	// DeadLetters is the group's dead-letter topic; empty for none.
	DeadLetters TopicName
	// NoRenew says why locks can't be renewed; empty when they can.
	NoRenew string
	// Heartbeat is how often the member tells that it is alive.
	Heartbeat time.Duration
}

// limit is the delivery limit to warn by: Kafka's default where it is unknown.
func (t *SessionTerms) limit() int64 { return t.DeliveryLimit.Or(DefaultDeliveryLimit) }

// DefaultDeliveryLimit is Kafka's share.delivery.count.limit.
const DefaultDeliveryLimit = 5

// Session is what a person holds and has decided. It is not safe for
// concurrent use; the clock is handed in.
type Session struct {
	terms     SessionTerms
	records   []HeldRecord
	at        map[RecordID]int
	undecided Decision
	stats     SessionStats
	// seen counts how often this session got a record, up to maxSeen records.
	seen map[RecordID]int
	// finished are the records that the broker confirmed as accepted or rejected,
	// up to maxSeen, and back those of them that came again all the same.
	finished map[RecordID]Decision
	back     map[RecordID]Decision
}

// maxSeen bounds the records whose deliveries to this session are counted; at
// the bound counting begins anew.
const maxSeen = 100_000

// NewSession begins a session. Undecided records are released unless t says
// something else.
func NewSession(terms SessionTerms, now time.Time) *Session {
	return &Session{
		terms: terms, undecided: Release, at: make(map[RecordID]int),
		stats: SessionStats{Began: now}, seen: make(map[RecordID]int),
		finished: make(map[RecordID]Decision), back: make(map[RecordID]Decision),
	}
}

// Terms are what was agreed at joining.
func (s *Session) Terms() SessionTerms { return s.terms }

// SetTerms replaces them: limits and configs may be answered later.
func (s *Session) SetTerms(terms SessionTerms) { s.terms = terms }

// Records are the records of the last take in the order they came, with what
// became of them. The slice must not be changed, and holds until the next call
// of a method that does.
func (s *Session) Records() []HeldRecord { return s.records }

// Undecided is what undecided records get on a confirmed send.
func (s *Session) Undecided() Decision { return s.undecided }

// NextUndecided goes to the next of release, accept and reject.
func (s *Session) NextUndecided() {
	switch s.undecided {
	case Release:
		s.undecided = Accept
	case Accept:
		s.undecided = Reject
	default:
		s.undecided = Release
	}
}

// Took takes in acquired records. Those before them that are still held stay;
// the others make room.
func (s *Session) Took(records []HeldRecord, now time.Time) {
	again := make(map[RecordID]bool, len(records))
	for i := range records {
		again[records[i].ID] = true
	}
	kept := s.records[:0:0]
	for i := range s.records {
		if r := &s.records[i]; r.HeldAt(now) && !again[r.ID] {
			kept = append(kept, *r)
		}
	}
	for i := range records {
		r := records[i]
		r.Decision, r.Phase, r.Outcome = Undecided, PhaseHeld, OutcomeNone
		kept = append(kept, r)
		s.stats.Acquired++
		if r.Delivery > 1 {
			s.stats.Redelivered++
		}
		s.count(r.ID)
	}
	s.records = kept
	clear(s.at)
	for i := range kept {
		s.at[kept[i].ID] = i
	}
}

func (s *Session) count(id RecordID) {
	if len(s.seen) >= maxSeen {
		clear(s.seen)
	}
	s.seen[id]++
	if d, was := s.finished[id]; was {
		if len(s.back) >= maxSeen {
			clear(s.back)
		}
		s.back[id] = d
		delete(s.finished, id)
	}
}

// finish remembers that a record should not come again.
func (s *Session) finish(r *HeldRecord) {
	delete(s.back, r.ID)
	if r.Decision == Release {
		return
	}
	if len(s.finished) >= maxSeen {
		clear(s.finished)
	}
	s.finished[r.ID] = r.Decision
}

// Decide notes a decision, or takes it back with Undecided. It is false for a
// record that is not held or whose decision is on its way.
func (s *Session) Decide(id RecordID, d Decision, now time.Time) bool {
	i, ok := s.at[id]
	if !ok || s.records[i].Phase != PhaseHeld || !s.records[i].HeldAt(now) {
		return false
	}
	s.records[i].Decision = d
	return true
}

// Count says how many records are held at that time, and how many of those are
// decided.
func (s *Session) Count(now time.Time) (held, decided int) {
	for i := range s.records {
		if r := &s.records[i]; r.HeldAt(now) {
			held++
			if r.Decision != Undecided {
				decided++
			}
		}
	}
	return held, decided
}

// OnTheirWay counts the records held at that time whose decision is on its way.
func (s *Session) OnTheirWay(now time.Time) int {
	n := 0
	for i := range s.records {
		if r := &s.records[i]; r.Phase == PhaseSending && r.HeldAt(now) {
			n++
		}
	}
	return n
}

// NextLock is the record whose lock ends first of those held; nil for none.
func (s *Session) NextLock(now time.Time) *HeldRecord {
	var first *HeldRecord
	for i := range s.records {
		if r := &s.records[i]; r.HeldAt(now) && (first == nil || r.LockEnds.Before(first.LockEnds)) {
			first = r
		}
	}
	return first
}
