package kafka

import (
	"time"

	"sharetop/model"
)

// This file is the session's ledger: what it acquired, and what is known of that.

// heldEntry is one record that this session acquired and that nobody has
// confirmed to be settled.
type heldEntry struct {
	topic    [16]byte
	broker   *sessionBroker
	delivery int
	// take numbers the acquisition.
	take int
	// since is when its lock began, ends when it ends.
	since, ends time.Time
	record      *model.Record
	// sending is the decision that is on its way, and unanswered the one that was
	// sent without an answer: then the record is not ours any more, and nobody knows
	// what became of it. Undecided for none.
	sending, unanswered model.Decision
	// cut is true once the broker has ended the session that the record was acquired
	// in, or its connection was cut: with it the record is given back.
	cut bool
}

// ours tells whether the record can still be decided, as far as we know.
func (e *heldEntry) ours() bool { return e.unanswered == model.Undecided && !e.cut }

// hold books records as held; all but the delivery and the record is the same
// for each. The topic's id is that of the answer: a topic that was made again
// has another one under the same name.
func (s *Session) hold(records []model.HeldRecord, as heldEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takes++
	as.take = s.takes
	for i := range records {
		r := &records[i]
		r.Lock, r.LockEnds = as.ends.Sub(as.since), as.ends
		as.delivery, as.record = r.Delivery, r.Record
		s.ledger[r.ID] = as
	}
}

// held is what is known of a record that can be decided.
func (s *Session) held(id model.RecordID) (heldEntry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heldLocked(id)
}

func (s *Session) heldLocked(id model.RecordID) (heldEntry, bool) {
	e, ok := s.ledger[id]
	return e, ok && e.ours() && s.client.opts.Now().Before(e.ends)
}

// heldUntil counts the records held, and says when the last lock ends. Records
// whose locks have ended are dropped, but not while the session is being left;
// those that are not ours any more don't count.
func (s *Session) heldUntil() (n int, ends time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, leaving := s.client.opts.Now(), s.isLeaving()
	for id, e := range s.ledger {
		if !now.Before(e.ends) && !leaving && e.sending == model.Undecided {
			delete(s.ledger, id)
			continue
		}
		if !e.ours() {
			continue
		}
		if n++; e.ends.After(ends) {
			ends = e.ends
		}
	}
	return n, ends
}

// book keeps the ledger: what is settled or not ours goes, what was renewed
// lasts longer, also when its lock had ended for us before the answer came. A
// decision that was not answered stays until its lock ends, so that leaving
// names it. When all at the broker is lost, what was held beside is returned.
func (s *Session) book(b *sessionBroker, orders []order, results []model.AckResult, renew, lost bool) (beside []model.AckResult) {
	entries := make(map[model.RecordID]heldEntry, len(orders))
	for _, o := range orders {
		entries[o.id] = o.entry
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range results {
		s.bookLocked(r, entries[r.ID], renew)
	}
	if !lost {
		return nil
	}
	return s.lose(b)
}

// bookLocked books one result; the entry is what was held when it was sent.
func (s *Session) bookLocked(r model.AckResult, e heldEntry, renew bool) {
	if is, there := s.ledger[r.ID]; there && is.take != e.take {
		return // it has come again
	}
	if e.broker.shut && !r.Outcome.Final() {
		return // leaving has said already that nobody knows
	}
	if s.isLeaving() && !renew {
		s.decided = append(s.decided, r)
	}
	e.sending = model.Undecided
	switch {
	case renew && r.Outcome == model.OutcomeDone:
		e.since, e.ends = r.LockEnds.Add(-r.Lock), r.LockEnds
	case r.Outcome == model.OutcomeGivenBack:
		e.cut = true
	case r.Outcome == model.OutcomeNoAnswer:
		e.unanswered = r.Decision // none for a renewal
	case r.Outcome.Final():
		if r.Outcome == model.OutcomeDone {
			s.client.longestHold.note(s.client.opts.Now().Sub(e.since))
		}
		delete(s.ledger, r.ID)
		return
	}
	s.ledger[r.ID] = e
}

// lose books that a broker has given back all that was held there, and returns
// what that was. s.mu is held.
func (s *Session) lose(b *sessionBroker) []model.AckResult {
	var out []model.AckResult
	for id, e := range s.ledger {
		if e.broker != b || !e.ours() {
			continue
		}
		e.cut = true
		s.ledger[id] = e
		out = append(out, model.AckResult{ID: id, Delivery: e.delivery, Outcome: model.OutcomeGivenBack})
	}
	return out
}
