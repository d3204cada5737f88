package kafka

import (
	"context"
	"slices"
	"time"

	"sharetop/kafka/statetopic"
	"sharetop/model"
)

// Where a single group is wanted, only the partitions of the state topic are
// read that its share-partitions belong into. Which these are is known once
// requests have answered; where the topic lies is found out meanwhile.

// oneWanted is the group that is wanted alone; empty when more are.
func (t *tail) oneWanted() string {
	scope := t.c.demand.scope()
	if ids := wanted(scope); scope.Only && len(ids) == 1 && !t.forced() {
		return ids[0]
	}
	return ""
}

// oneKnown tells whether there is nothing to wait for: all groups are wanted, or
// the partitions of the only one are known.
func (t *tail) oneKnown() bool {
	id := t.oneWanted()
	if id == "" || len(t.c.state.shareKeys(id)) > 0 {
		return true
	}
	if t.c.state.answeredOrGone(id) && !t.settled.Swap(true) {
		t.c.swept() // it has no share-partitions, so there is no state to read
	}
	return false
}

// awaitOne waits until it is known what a single group reads.
func (t *tail) awaitOne(ctx context.Context) error {
	for !t.oneKnown() {
		if !t.c.demand.active(t.c.opts.Now()) || t.c.demand.scope().NoOffsets {
			return errPaused
		}
		if !sleepUntil(ctx, t.wake, oneCheck) {
			return context.Cause(ctx)
		}
	}
	return nil
}

// awaitMore waits, after the load of a printout of one group, until somebody wants
// more than that: as a rule the program ends first, and spares a client.
func (t *tail) awaitMore(ctx context.Context) error {
	for t.c.demand.scope().Once {
		if !t.c.demand.active(t.c.opts.Now()) {
			return errPaused
		}
		if !sleepUntil(ctx, t.wake, tailPoll) {
			return context.Cause(ctx)
		}
	}
	return nil
}

// oneCheck is how often we look whether it is known what a single group reads.
const oneCheck = 50 * time.Millisecond

// warmAtMost is how many leaders a connection is opened to before it is known
// which of them lead what a single group needs.
const warmAtMost = 3

// oneBounds are the partitions that a single group needs, with their bounds. All
// partitions are asked for while that is not known: a broker that is slow or
// fails then counts only where it leads a needed one.
func (t *tail) oneBounds(ctx context.Context, facts *stateTopicFacts) ([]int32, stateBounds, error) {
	all := facts.all()
	early := make(chan stateBounds, 1)
	t.c.wg.Go(func() { early <- t.c.askStateBounds(ctx, facts, all) })
	few := facts.countLeaders() <= warmAtMost
	if few {
		t.c.warmTail(facts, all)
	}
	if err := t.awaitOne(ctx); err != nil {
		return nil, stateBounds{}, err
	}
	need := t.needed(facts)
	if !few {
		t.c.warmTail(facts, need)
	}
	late := time.NewTimer(hedgeAfter)
	defer late.Stop()
	select {
	case b := <-early:
		if b.have(need) {
			return need, b, nil
		}
	case <-late.C:
	case <-ctx.Done():
		return nil, stateBounds{}, context.Cause(ctx)
	}
	b := t.c.askStateBounds(ctx, facts, need)
	return need, b, b.err()
}

// oneGroup are the share-partitions of the group that is wanted alone; nil when
// all groups are.
func (t *tail) oneGroup() []statetopic.ShareKey {
	if id := t.oneWanted(); id != "" {
		return t.c.state.shareKeys(id)
	}
	return nil
}

// missesOne is the setback when the state topic lacks what the only group has,
// as when partitions were added to it. t.mu is held.
func (t *tail) missesOne() error {
	if t.only == "" {
		return nil
	}
	has := t.table.Group(t.only)
	for _, k := range t.c.state.shareKeys(t.only) {
		if !slices.ContainsFunc(has, func(p statetopic.GroupPartition) bool {
			return p.TopicID == k.TopicID && p.Partition == k.Partition
		}) {
			return errNotHere(t.only, statetopic.PartitionFor(k, t.topic.count()))
		}
	}
	return nil
}

// shareKeys name the share-partitions of a group whose topic id is known.
func (s *state) shareKeys(id string) []statetopic.ShareKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.groups[id]
	if e == nil {
		return nil
	}
	var keys []statetopic.ShareKey
	for i := range e.group.Partitions {
		if p := &e.group.Partitions[i]; p.TopicID != (model.TopicID{}) && p.Problem == nil {
			keys = append(keys, statetopic.ShareKey{Group: id, TopicID: p.TopicID, Partition: p.Partition})
		}
	}
	return keys
}

// answeredOrGone tells whether it is known what offsets a group has, or that
// they can't be had.
func (s *state) answeredOrGone(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.problems[problemKey{actionDescribe, id}] != nil || s.problems[problemKey{actionOffsets, id}] != nil {
		return true
	}
	e := s.groups[id]
	return e != nil && !e.group.OffsetsAt.IsZero()
}
