package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
// the same result.
func (s *Session) Leave(ctx context.Context) model.LeaveResult {
	s.once.Do(func() {
		close(s.leaving)
		ctx, cancel := context.WithTimeout(ctx, leaveTimeout-closeConnections)
		defer cancel()
		s.result = s.release(ctx)
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
func (s *Session) release(ctx context.Context) model.LeaveResult {
	result := model.LeaveResult{Group: s.terms.Group}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var why []string
	note := func(text string) {
		if text != "" && !slices.Contains(why, text) {
			why = append(why, text)
		}
	}
	for _, b := range s.openBrokers() {
		wg.Add(1)
		s.wg.Go(func() {
			defer wg.Done()
			orders, results, err := s.closeAt(ctx, b)
			mu.Lock()
			defer mu.Unlock()
			note(whyNotLeft(err))
			for i := range results {
				if !results[i].Outcome.Final() {
					note(results[i].Detail)
				}
			}
			// Nothing is held while a fetch is under way, so it was one.
			result.FetchCut = result.FetchCut || len(orders) == 0 && errors.Is(err, errNoTurn)
			s.tell(&result, results, orders)
			_ = s.auditResults(results, false)
		})
	}
	wg.Add(1)
	s.wg.Go(func() {
		defer wg.Done()
		err := s.leaveGroup(ctx)
		mu.Lock()
		defer mu.Unlock()
		note(whyNotLeft(err))
		result.Left = err == nil
	})
	wg.Wait()
	result.Unanswered = s.unanswered()
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

// releases are the orders that give back all that is held at a broker.
func (s *Session) releases(b *sessionBroker) []order {
	s.heldUntil() // drops what is over
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []order
	for id, e := range s.ledger {
		if e.broker == b && e.unanswered == model.Undecided {
			out = append(out, order{id, model.Release, wireRelease, e})
		}
	}
	return out
}

// unanswered are the records whose decisions nobody answered, and whose locks
// have not ended yet.
func (s *Session) unanswered() []model.LockedRecord {
	s.heldUntil() // drops what is over
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []model.LockedRecord
	for id, e := range s.ledger {
		if e.unanswered != model.Undecided {
			out = append(out, model.LockedRecord{ID: id, Decision: e.unanswered, LockEnds: e.ends})
		}
	}
	return out
}

// openBrokers are the brokers with an open share session, or with records that
// were acquired there, or with a request under way that may acquire some.
func (s *Session) openBrokers() []*sessionBroker {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*sessionBroker
	for _, e := range s.ledger {
		if !slices.Contains(out, e.broker) {
			out = append(out, e.broker)
		}
	}
	for _, b := range s.brokers {
		if !slices.Contains(out, b) && (b.next() > 0 || len(b.busy) > 0) {
			out = append(out, b)
		}
	}
	return out
}

// closeAt releases what was acquired at one broker, explicitly, and closes its
// share session with the same request, which releases the rest. What that is
// shows only once the request before it is answered: it may have taken more, or
// settled some.
func (s *Session) closeAt(ctx context.Context, b *sessionBroker) (orders []order, results []model.AckResult, err error) {
	if err := b.enter(ctx); err != nil {
		orders = s.releases(b)
		return orders, resultsOf(orders, model.OutcomeNotSent, whyUnreachable(err), 0), fmt.Errorf("%w: %w", errNoTurn, err)
	}
	defer b.leave()
	if orders = s.releases(b); len(orders) == 0 && b.next() == 0 {
		return nil, nil, nil // there is no share session
	}
	_ = s.auditOrders(orders, "sending", false)
	sent := s.client.opts.Now()
	resp, err := s.acknowledgeLocked(ctx, b, batchesOf(orders), closeEpoch, false)
	results, err = s.closed(orders, resp, err, sent)
	return orders, results, err
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
func (s *Session) tell(result *model.LeaveResult, results []model.AckResult, orders []order) {
	limit := s.deliveryLimit()
	for i, r := range results {
		switch {
		case r.Outcome == model.OutcomeLockOver, r.Outcome == model.OutcomeNotHolder:
			// Not ours any more: there was nothing to release.
		case r.Outcome != model.OutcomeDone:
			result.NotReleased = append(result.NotReleased, model.LockedRecord{
				ID: r.ID, LockEnds: orders[i].entry.ends, Last: int64(r.Delivery) >= limit,
			})
		case int64(r.Delivery) >= limit:
			result.Archived = append(result.Archived, r.ID)
		default:
			result.Released = append(result.Released, r.ID)
		}
	}
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
	for _, locked := range [][]model.LockedRecord{r.NotReleased, r.Unanswered} {
		slices.SortFunc(locked, func(a, b model.LockedRecord) int { return compareRecords(a.ID, b.ID) })
	}
}

func compareRecords(a, b model.RecordID) int {
	return cmp.Or(compareRaw(a.Topic.Raw(), b.Topic.Raw()), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Offset, b.Offset))
}

// leaveGroup tells the coordinator that the member goes.
func (s *Session) leaveGroup(ctx context.Context) error {
	s.mu.Lock()
	l := s.coordinator
	s.mu.Unlock()
	req := kmsg.NewPtrShareGroupHeartbeatRequest()
	req.GroupID, req.MemberID, req.MemberEpoch = s.group, s.member, leaveEpoch
	resp, err := ask[*kmsg.ShareGroupHeartbeatResponse](ctx, l, roleControl, req)
	if err != nil {
		return err
	}
	switch resp.ErrorCode {
	case 0, kerr.UnknownMemberID.Code, kerr.GroupIDNotFound.Code:
		return nil
	default:
		return &answeredError{resp.ErrorCode, deref(resp.ErrorMessage)}
	}
}
