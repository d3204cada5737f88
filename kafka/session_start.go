package kafka

import (
	"context"
	"fmt"

	"sharetop/model"
)

// This file is how decisions and renewals begin: they line up at once, so that
// their order is that in which they were asked for.

// Acknowledge sends decisions, one set for each partition and one request for
// each broker, and says what came of each. Nothing else is sent with them. The
// error is for all of them: nothing left then. What has lined up for its turn at
// a broker when leaving begins is sent before leaving. Records beside those that
// were decided are in the results, undecided, when they are given back with
// something that failed.
func (s *Session) Acknowledge(ctx context.Context, acks []model.Acknowledgement) ([]model.AckResult, error) {
	send, err := s.lineUpDecisions(acks)
	if err != nil {
		return nil, err
	}
	return send(ctx)
}

// StartAcknowledge is Acknowledge without waiting for brokers: when it returns, the
// decisions have lined up and are on their way, before all that is asked for later,
// leaving included. What it returns waits for what came of them.
func (s *Session) StartAcknowledge(acks []model.Acknowledgement) (wait func() ([]model.AckResult, error)) {
	return s.start(s.lineUpDecisions(acks))
}

// Renew begins the locks of these records anew (KIP-1222). What each result
// says of the lock is counted from when the request left. Records beside them are
// in the results when they are given back with a renewal that failed.
func (s *Session) Renew(ctx context.Context, ids []model.RecordID) ([]model.AckResult, error) {
	send, err := s.lineUpRenewals(ids)
	if err != nil {
		return nil, err
	}
	return send(ctx)
}

// StartRenew is Renew without waiting for brokers, as StartAcknowledge is.
func (s *Session) StartRenew(ids []model.RecordID) (wait func() ([]model.AckResult, error)) {
	return s.start(s.lineUpRenewals(ids))
}

// sending sends what has lined up. It has to be called once, since others wait
// behind it.
type sending func(ctx context.Context) ([]model.AckResult, error)

// start sends on a goroutine of the session, unless nothing has lined up for err.
func (s *Session) start(send sending, err error) (wait func() ([]model.AckResult, error)) {
	if err != nil {
		return func() ([]model.AckResult, error) { return nil, err }
	}
	var results []model.AckResult
	err = errLeaving // where sending panics
	done := make(chan struct{})
	s.wg.Go(func() {
		defer close(done)
		results, err = send(s.ctx)
	})
	return func() ([]model.AckResult, error) {
		<-done
		return results, err
	}
}

// lineUpDecisions lets decisions line up at their brokers.
func (s *Session) lineUpDecisions(acks []model.Acknowledgement) (sending, error) {
	orders := make([]order, len(acks))
	for i, a := range acks {
		kind, ok := wireType(a.Decision)
		if !ok {
			return nil, fmt.Errorf("%s is undecided, and nothing undecided is sent", a.ID)
		}
		orders[i] = order{id: a.ID, decision: a.Decision, kind: kind}
	}
	batches, unknown, err := s.lineUpOrders(orders)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) ([]model.AckResult, error) {
		results, err := s.send(ctx, batches, false)
		if err != nil {
			return nil, err
		}
		return append(results, resultsOf(unknown, model.OutcomeLockOver, "", 0)...), nil
	}, nil
}

// lineUpRenewals lets renewals line up at their brokers.
func (s *Session) lineUpRenewals(ids []model.RecordID) (sending, error) {
	orders := make([]order, len(ids))
	for i, id := range ids {
		orders[i] = order{id: id, kind: wireRenew}
	}
	batches, _, err := s.lineUpOrders(orders)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) ([]model.AckResult, error) { return s.send(ctx, batches, true) }, nil
}

// brokerOrders are the orders of one request, and its turn.
type brokerOrders struct {
	broker *sessionBroker
	turn   *turn
	orders []order
}

// lineUpOrders sorts orders by broker and takes a turn at each, all at once;
// unknown are those whose record is not held.
func (s *Session) lineUpOrders(orders []order) (batches []*brokerOrders, unknown []order, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isLeaving() {
		return nil, nil, errLeaving
	}
	at := make(map[*sessionBroker]*brokerOrders)
	for _, o := range orders {
		entry, held := s.heldLocked(o.id)
		if !held {
			unknown = append(unknown, o)
			continue
		}
		o.entry = entry
		batch := at[entry.broker]
		if batch == nil {
			batch = &brokerOrders{broker: entry.broker, turn: entry.broker.turns.next()}
			at[entry.broker], batches = batch, append(batches, batch)
		}
		batch.orders = append(batch.orders, o)
	}
	return batches, unknown, nil
}
