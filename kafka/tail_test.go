package kafka

import (
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// What the state topic says comes in, and then what is written to it.
func TestStateTopicIsLoadedAndFollowed(t *testing.T) {
	t.Parallel()
	c, k := withState(t, "billing", "shipping")
	k.settle("billing", "orders", accepted(3, 5), released(6, 2))
	k.begin("not-listed", "orders", 0)
	w := watch(t, c)
	w.scope.Interval = model.MinInterval
	s := w.live()
	if got := ids(s); !slices.Equal(got, []string{"billing", "shipping"}) {
		t.Errorf("groups %q", got)
	}
	tail := s.Offsets.Tail
	if s.Offsets.Why != "" || tail.Partitions != statePartitions || tail.Of != statePartitions ||
		tail.Loaded != tail.Total || tail.Total != 10 || tail.CheckedAt.IsZero() || tail.Memory == 0 {
		t.Errorf("offsets are %+v", s.Offsets)
	}
	p := first(s, "billing")
	if len(s.Group(id("billing")).Partitions) != 3 || p.Start != model.Known(2) || p.State == nil ||
		p.Lag != model.Known(10-2-3) || p.LagEnd != model.Known(10) || p.State.Head() != model.Known(2) {
		t.Errorf("billing is %+v", p)
	}
	if first(s, "shipping").Lag != model.Known(8) {
		t.Errorf("shipping is %+v", first(s, "shipping"))
	}

	// All else that is to come of it has come, so that only an update is left.
	s = w.until("shipping described, with its configs", func(s *model.Snapshot) bool {
		g := s.Group(id("shipping"))
		return s.Offsets.Sweep.FirstDone && !g.Described.IsZero() && g.Settings != nil
	})
	before := s.Group(id("shipping"))
	k.settle("billing", "orders", accepted(2, 2), finished(6, 3), accepted(7, 9))
	s = w.until("all finished", func(s *model.Snapshot) bool {
		lag := first(s, "billing").Lag
		return lag == model.Known(0)
	})
	if s.Group(id("shipping")) != before {
		t.Error("an update of one group replaced another")
	}
	w.expectNoProblems()
}

// Produced records make the lag grow without a write to the state topic.
func TestLagFollowsTheLogEnd(t *testing.T) {
	t.Parallel()
	c, _ := withState(t, "billing")
	w := watch(t, c)
	w.scope.Interval = model.MinInterval
	w.live()
	produce(t, c, "orders", 5)
	s := w.until("the new end", func(s *model.Snapshot) bool { return first(s, "billing").Lag == model.Known(13) })
	if g := s.Group(id("billing")); s.OffsetsSeen(g).Before(g.OffsetsAt) {
		t.Errorf("seen %s, changed %s", s.OffsetsSeen(g), g.OffsetsAt)
	}
}

// While the state topic is live, offsets are asked for the cross-check only.
func TestLiveTailAsksForNoOffsets(t *testing.T) {
	t.Parallel()
	groups := []string{"a", "b", "c", "d", "e"}
	c, _ := withState(t, groups...)
	w := watch(t, c)
	w.scope.Interval = model.MinInterval
	for _, g := range groups {
		w.scope.Visible = append(w.scope.Visible, id(g))
	}
	s := w.live()
	asked := count(c)
	began := s.Offsets.Tail.CheckedAt
	w.until("eight more checks", func(s *model.Snapshot) bool {
		return s.Offsets.Tail.CheckedAt.Sub(began) > 8*model.MinInterval
	})
	// Checks, and what was on its way when the state topic took over: one of each.
	if n := asked.of(kmsg.DescribeShareGroupOffsets); n > 3+len(groups) {
		t.Errorf("%d offsets requests in eight ticks", n)
	}
	if n := asked.of(kmsg.ListOffsets); n == 0 {
		t.Error("no log end was asked for")
	}
}

// A sweep waits for the state topic at the start, and never again.
func TestSweepWaitsForTheStateTopic(t *testing.T) {
	t.Parallel()
	c := watch(t, fakeCluster(t)).client // which nobody watches: nothing is read
	sweep := heldSweep{coordinator: 7, groups: []string{"billing"}, fast: true}
	if !c.both.hold(sweep) || len(c.both.held) != 1 {
		t.Error("the first sweep does not wait")
	}
	c.both.release()
	if c.both.hold(sweep) || len(c.both.held) != 0 {
		t.Error("a sweep waits though it was released")
	}

	single := watch(t, fakeCluster(t)).client
	single.demand.enter(model.Scope{Only: true, Open: id("billing")})
	defer single.demand.leave()
	if single.both.hold(sweep) {
		t.Error("the only group waits for what waits for it")
	}
}
