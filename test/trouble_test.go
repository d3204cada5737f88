//go:build unix

package test

import (
	"context"
	"testing"
	"time"

	"sharetop/kafka"
	"sharetop/model"
)

// testDeletedTopic deletes one of two topics of a group that is watched.
func testDeletedTopic(t *testing.T, c cluster) {
	const doomed, kept, group = "deleted.jobs", "kept.jobs", "deleted-topic"
	for _, topic := range []string{doomed, kept} {
		must(t, c.work.CreateTopic(t.Context(), topic, 1))
		must(t, c.work.Produce(t.Context(), topic, 0, 5))
		must(t, c.work.PlaceGroup(t.Context(), group, topic, 0))
	}
	w := watch(t, c, group)
	w.until("both topics", func(b *model.Board) bool { return hasLag(b, group, 10) })
	must(t, c.work.DeleteTopic(t.Context(), doomed))
	w.until("the topic that is gone, named, and the other", func(b *model.Board) bool {
		r := row(b, group)
		return r != nil && r.Lag == model.Known(5) && problemOf(b, model.ProblemGone, doomed) != nil
	})
}

// testKilledBroker kills the only broker (SIGKILL) while it is watched, and
// starts it again.
func testKilledBroker(t *testing.T, c cluster) {
	const topic, group = "killed.jobs", "killed"
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	must(t, c.work.Produce(t.Context(), topic, 0, 7))
	must(t, c.work.PlaceGroup(t.Context(), group, topic, 3))
	w := watch(t, c, group)
	w.until("the group", func(b *model.Board) bool { return hasLag(b, group, 4) })

	must(t, c.Kill9(1))
	gone := w.until("the broker named as not reachable", unreachable)
	if !hasLag(gone, group, 4) {
		t.Errorf("what was last seen is gone with the broker:\n%s", describe(gone))
	}
	must(t, c.Restart(t.Context(), 1))
	must(t, c.work.Produce(t.Context(), topic, 0, 1))
	w.until("the new lag, and no problem any more", func(b *model.Board) bool {
		return hasLag(b, group, 5) && len(b.Snapshot.Problems) == 0
	})
	compareOffsets(t, c, w, group)
}

// testFrozenBroker freezes the only broker (SIGSTOP): its connections stay and
// nothing is answered.
func testFrozenBroker(t *testing.T, c cluster) {
	const topic, group = "frozen.jobs", "frozen"
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	must(t, c.work.Produce(t.Context(), topic, 0, 7))
	must(t, c.work.PlaceGroup(t.Context(), group, topic, 3))
	w := watch(t, c, group)
	w.until("the group", func(b *model.Board) bool { return hasLag(b, group, 4) })

	must(t, c.Freeze(1))
	t.Cleanup(func() { _ = c.Thaw(1) })
	still := w.until("the broker named as not answering", unreachable)
	if !hasLag(still, group, 4) {
		t.Errorf("what was last seen is gone while the broker is frozen:\n%s", describe(still))
	}
	closesWhileFrozen(t, c)
	must(t, c.Thaw(1))
	must(t, c.work.Produce(t.Context(), topic, 0, 1))
	w.until("the new lag, and no problem any more", func(b *model.Board) bool {
		return hasLag(b, group, 5) && len(b.Snapshot.Problems) == 0
	})
}

// closesWhileFrozen opens a client that gets no answer at all, and closes it.
func closesWhileFrozen(t *testing.T, c cluster) {
	t.Helper()
	client, err := kafka.Open(model.Connection{Bootstrap: c.Bootstrap()}, kafka.Options{Now: time.Now})
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), stepTimeout)
	defer cancel()
	if _, err := client.Watch(ctx, model.Scope{}, 0); err != nil {
		t.Errorf("a client that gets no answer has nothing to show: %v", err)
	}
	closed := make(chan struct{})
	go func() {
		client.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-ctx.Done():
		t.Fatal("a client does not close while its broker is frozen")
	}
}

// unreachable tells whether a board names broker 1 as a problem.
func unreachable(b *model.Board) bool {
	p := problemOf(b, model.ProblemUnreachable, "broker 1")
	return p != nil && p.Detail != ""
}
