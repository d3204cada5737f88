package kafka

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// closeEpoch closes a share session, leaveEpoch a membership (KIP-932).
const (
	closeEpoch = -1
	leaveEpoch = -1
)

// Leave gives back everything that is held, leaves the group and closes the
// connections, within leaveTimeout whatever hangs, or when ctx ends. It always
// releases, whatever undecided records were to get. Calling it again returns
// the same result. What was on its way to a broker before is waited for there,
// and is in the result, too.
func (s *Session) Leave(ctx context.Context) model.LeaveResult {
	s.once.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, leaveTimeout-closeConnections)
		defer cancel()
		s.result = s.release(ctx, s.beginLeaving())
		s.cut()
	})
	return s.result
}

// Abandon cuts the connections, without a word and without waiting: brokers give
// back what a connection held when it goes. A Leave that is under way ends with
// it.
func (s *Session) Abandon() {
	s.cancel()
	go s.closeLinks()
}

// cut ends all that the session still has running, within closeConnections.
func (s *Session) cut() {
	s.cancel()
	done := make(chan struct{})
	go func() {
		s.closeLinks()
		s.wg.Wait()
		close(done)
	}()
	timer := time.NewTimer(closeConnections)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		s.client.opts.Logf("closing the session's connections took longer than %s", closeConnections)
	}
}

// release closes the share sessions of all brokers and leaves the group, side by
// side.
func (s *Session) release(ctx context.Context, last lastTurns) model.LeaveResult {
	result := model.LeaveResult{Group: s.terms.Group}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var why []string
	note := func(text string) {
		if text != "" && !slices.Contains(why, text) {
			why = append(why, text)
		}
	}
	for b, t := range last.at {
		wg.Add(1)
		s.wg.Go(func() {
			defer wg.Done()
			c := s.closeAt(ctx, b, t)
			mu.Lock()
			defer mu.Unlock()
			note(whyNotLeft(c.err))
			for i := range c.results {
				if !c.results[i].Outcome.Final() {
					note(c.results[i].Detail)
				}
			}
			result.FetchCut = result.FetchCut || c.fetchCut
			s.tell(&result, c)
		})
	}
	wg.Add(1)
	s.wg.Go(func() {
		defer wg.Done()
		err := s.lastBeat(ctx, last)
		mu.Lock()
		defer mu.Unlock()
		note(whyNotLeft(err))
		result.Left = err == nil
	})
	wg.Wait()
	s.tellRest(&result)
	result.Why = strings.Join(why, "; ")
	sortResult(&result)
	_ = s.audit(s.entry("leave", leaveOutcome(&result), result.Why))
	return result
}

// whyNotLeft is a clause: what the broker answered, or why it did not; empty where
// it agreed.
func whyNotLeft(err error) string {
	if err == nil {
		return ""
	}
	if refused, ok := errors.AsType[*answeredError](err); ok {
		return refused.Error()
	}
	return whyUnreachable(err)
}

func leaveOutcome(r *model.LeaveResult) string {
	if r.Left && !r.FetchCut && len(r.NotReleased)+len(r.Unanswered) == 0 {
		return model.OutcomeDone.String()
	}
	return "incomplete"
}

// releases are the orders that give back all that is held at a broker and not on
// its way; over are those of them whose lock has ended since leaving began. s.mu
// is held.
func (s *Session) releases(b *sessionBroker) (orders, over []order) {
	now := s.client.opts.Now()
	for id, e := range s.ledger {
		if e.broker != b || !e.ours() || e.sending != model.Undecided {
			continue
		}
		o := order{id, model.Release, wireRelease, e}
		if now.Before(e.ends) {
			orders = append(orders, o)
		} else {
			over = append(over, o)
		}
	}
	return orders, over
}

// closing is what came of closing a share session: a result for each order.
type closing struct {
	orders  []order
	results []model.AckResult
	// fetchCut is true where it is not known what a fetch has acquired.
	fetchCut bool
	err      error
}

func (c *closing) add(orders []order, results []model.AckResult) {
	c.orders, c.results = append(c.orders, orders...), append(c.results, results...)
}

// givenBack takes out of the ledger what went with a connection to a broker. s.mu
// is held.
func (s *Session) givenBack(b *sessionBroker) []order {
	var out []order
	for id, e := range s.ledger {
		if e.broker == b && e.cut {
			delete(s.ledger, id)
			if s.client.opts.Now().Before(e.ends) {
				out = append(out, order{id, model.Release, wireRelease, e})
			}
		}
	}
	return out
}

// closeAt releases what was acquired at one broker, explicitly, and closes its
// share session with the same request, which releases the rest. What that is
// shows only once the request before it is answered: it may have taken more, or
// settled some.
func (s *Session) closeAt(ctx context.Context, b *sessionBroker, t *turn) closing {
	if err := t.await(ctx); err != nil {
		return s.noTurn(b, err)
	}
	defer t.end()
	s.mu.Lock()
	orders, over := s.releases(b)
	back := s.givenBack(b)
	s.mu.Unlock()
	var c closing
	c.add(over, resultsOf(over, model.OutcomeLockOver, "", 0))
	if len(orders) == 0 && !b.mayBeOpen() { // there is no share session
		c.add(back, resultsOf(back, model.OutcomeNotHolder, "", 0))
		return c
	}
	_ = s.auditOrders(orders, "sending", false)
	sent := s.client.opts.Now()
	resp, err := s.acknowledgeLocked(ctx, b, batchesOf(orders), closeEpoch, false)
	results, err := s.closed(orders, resp, err, sent)
	_ = s.auditResults(results, false)
	c.add(orders, results)
	c.err = err
	if err == nil {
		c.add(back, resultsOf(back, model.OutcomeNotHolder, "", 0))
	} else { // nobody has confirmed that the broker knows
		c.add(back, resultsOf(back, model.OutcomeNoAnswer, "", 0))
	}
	return c
}

// noTurn is what is known of a broker that is busy with the request before until
// the end: nothing is sent there any more.
func (s *Session) noTurn(b *sessionBroker, err error) closing {
	s.mu.Lock()
	b.shut = true
	orders, over := s.releases(b)
	back := s.givenBack(b)
	c := closing{fetchCut: s.fetchOpen, err: err}
	s.mu.Unlock()
	results := resultsOf(orders, model.OutcomeNotSent, whyUnreachable(err), 0)
	_ = s.auditResults(results, false)
	c.add(orders, results)
	c.add(over, resultsOf(over, model.OutcomeLockOver, "", 0))
	c.add(back, resultsOf(back, model.OutcomeNotSent, "", 0))
	return c
}

// closed is what the answer to closing a share session means.
func (s *Session) closed(orders []order, resp *kmsg.ShareAcknowledgeResponse, err error, sent time.Time) ([]model.AckResult, error) {
	took := s.client.opts.Now().Sub(sent)
	switch {
	case err != nil:
		return resultsOf(orders, model.OutcomeNoAnswer, whyUnreachable(err), took), err
	case resp.ErrorCode == kerr.ShareSessionNotFound.Code:
		// The broker gives back everything when a session ends, however it ends.
		return resultsOf(orders, model.OutcomeDone, "", took), nil
	case resp.ErrorCode != 0:
		refused := &answeredError{resp.ErrorCode, deref(resp.ErrorMessage)}
		return resultsOf(orders, refusedOutcome(resp.ErrorCode), refused.Error(), took), refused
	}
	results := s.answers(orders, resp, sent, 0, took)
	for i := range results {
		// A set is refused when one of its locks had ended, or READ on its topic is
		// missing; the session is closed all the same, which releases those that were
		// still held.
		if o := results[i].Outcome; o == model.OutcomeStateError || o == model.OutcomeDenied {
			results[i].Outcome = model.OutcomeDone
		}
	}
	return results, nil
}

// tell sorts what came of releases into the result.
func (s *Session) tell(result *model.LeaveResult, c closing) {
	limit := s.deliveryLimit()
	for i, r := range c.results {
		switch {
		case r.Outcome == model.OutcomeNotHolder:
			result.NotHeld = append(result.NotHeld, r.ID)
		case r.Outcome != model.OutcomeDone && r.Outcome != model.OutcomeLockOver:
			result.NotReleased = append(result.NotReleased, model.LockedRecord{
				ID: r.ID, LockEnds: c.orders[i].entry.ends, Last: int64(r.Delivery) >= limit,
			})
		// The end of its lock gives a record back as a release does.
		case int64(r.Delivery) >= limit:
			result.Archived = append(result.Archived, r.ID)
		default:
			result.Released = append(result.Released, r.ID)
		}
	}
}

// tellRest puts into the result what became of decisions: those that were answered
// since leaving began, and those that were not.
func (s *Session) tellRest(result *model.LeaveResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.decided {
		if r.Outcome.Final() && r.Outcome != model.OutcomeNoAnswer {
			result.Decided = append(result.Decided, r)
		}
	}
	for id, e := range s.ledger {
		if decision := cmp.Or(e.unanswered, e.sending); decision != model.Undecided {
			result.Unanswered = append(result.Unanswered, model.LockedRecord{ID: id, Decision: decision, LockEnds: e.ends})
		}
	}
	result.FetchCut = result.FetchCut || s.fetchOpen
}

// deliveryLimit is the newest that is known: the group's config may have changed
// since it was joined.
func (s *Session) deliveryLimit() int64 {
	if n, known := s.client.state.deliveryLimit(s.group).Get(); known {
		return n
	}
	return s.terms.DeliveryLimit.Or(model.DefaultDeliveryLimit)
}

func sortResult(r *model.LeaveResult) {
	slices.SortFunc(r.Released, compareRecords)
	slices.SortFunc(r.Archived, compareRecords)
	slices.SortFunc(r.NotHeld, compareRecords)
	slices.SortFunc(r.Decided, func(a, b model.AckResult) int { return compareRecords(a.ID, b.ID) })
	for _, locked := range [][]model.LockedRecord{r.NotReleased, r.Unanswered} {
		slices.SortFunc(locked, func(a, b model.LockedRecord) int { return compareRecords(a.ID, b.ID) })
	}
}

func compareRecords(a, b model.RecordID) int {
	return cmp.Or(compareRaw(a.Topic.Raw(), b.Topic.Raw()), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Offset, b.Offset))
}
