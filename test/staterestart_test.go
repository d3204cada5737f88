//go:build unix

package test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"sharetop/model"
	"sharetop/test/judge"
	"sharetop/test/workload"
)

// busyCoordinator has the state topic written as it rarely is: a snapshot after
// two updates, the log's beginning deleted every three seconds, and the state of
// a quiet share-partition written once more every second. By default it is 500
// updates and five minutes.
func busyCoordinator() map[string]string {
	return map[string]string{
		"share.coordinator.snapshot.update.records.per.snapshot": "2",
		"share.coordinator.state.topic.prune.interval.ms":        "3000",
		"share.coordinator.cold.partition.snapshot.interval.ms":  "1000",
	}
}

// busyRecords is how many records are compared with Kafka's formatter while a
// busyCoordinator writes and deletes more.
const busyRecords = 1000

// testStateRestarted kills the only broker while its state topic is tailed, and
// starts it again with a busyCoordinator: its silence is told, and nothing is
// missed. Then the state topic is watched as that one writes it, and compared.
func testStateRestarted(t *testing.T, c cluster) {
	if !t.Run("KilledUnderTail", func(t *testing.T) { testKilledUnderTail(t, c) }) {
		return
	}
	sideBySide(t, c, []kafkaTest{
		{"Pruned", testPrunedUnderLoad},
		{"ColdSnapshot", testColdSnapshot},
		{"Decoded", func(t *testing.T, c cluster) {
			compareStateTopic(t, c, busyRecords, "repeated snapshot", "delivery state 2")
		}},
	})
}

// pruneTries bounds how often BookNest is run: on a machine that is too busy the
// log's beginning may be deleted before it is read, which is then told.
const pruneTries = 3

// testPrunedUnderLoad watches BookNest while snapshots replace each other and the
// log's beginning is deleted: all events are there as if nothing were deleted,
// and whoever loads the rest of the log later sees the same state.
func testPrunedUnderLoad(t *testing.T, c cluster) {
	before := stateLogStarts(t, c)
	group := ""
	for try := 1; group == ""; try++ {
		prefix := fmt.Sprintf("pruned%d.", try)
		if _, complete := watchBookNest(t, c, prefix, func(string, string) {}); complete {
			group = prefix + workload.PackersGroup
		} else if try == pruneTries {
			t.Fatal("each time part of the state topic was deleted before it was read")
		}
	}
	for deadline := time.Now().Add(stepTimeout); !pruned(before, stateLogStarts(t, c)); waitUntil(t, time.Now().Add(stirPause)) {
		if time.Now().After(deadline) {
			t.Fatalf("the log's beginning is not deleted: it was %v, and is %v", before, stateLogStarts(t, c))
		}
	}
	live := watch(t, c, group).until("the group, loaded anew", func(b *model.Board) bool { return fromStateTopic(b) && hasLag(b, group, 0) })
	asked := byRequests(t, c, group).until("the group by requests", func(b *model.Board) bool { return hasLag(b, group, 0) })
	if n := sameOffsets(t, onlyGroup(live, group), onlyGroup(asked, group)); n != workload.PackingPartitions {
		t.Errorf("%d share-partitions were compared", n)
	}
}

// pruned tells whether something of every partition's log was deleted.
func pruned(before, after map[int32]int64) bool {
	for p, start := range before {
		if after[p] <= start {
			return false
		}
	}
	return len(before) > 0
}

// onlyGroup is a snapshot of one group.
func onlyGroup(b *model.Board, group string) *model.Snapshot {
	s := *b.Snapshot
	s.Groups = []*model.Group{row(b, group).Group}
	return &s
}

// testColdSnapshot watches a group in which nothing happens while its state is
// written again and again: that is no write. Once the log before is deleted,
// whoever begins to look knows only how long it has been so at least.
func testColdSnapshot(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "cold", 5)
	must(t, c.work.SetGroupConfig(t.Context(), group, "share.record.lock.duration.ms", "10000"))
	w := watchState(t, c, group)
	s := joinGroup(t, c, group, topic)
	held := takesAll(t, s, 5)
	outcomes(t, sends(t, s, model.Accept, held[:2]...), model.OutcomeDone)
	outcomes(t, sends(t, s, model.Release, held[2]), model.OutcomeDone)
	outcomes(t, sends(t, s, model.Accept, held[3:]...), model.OutcomeDone)
	w.until("one given back, the others finished", func(b *model.Board) bool {
		return recordIs(group, 2, model.RecordReleased, 1)(b) && hasLag(b, group, 1)
	})
	quiet := share(w.board, group).State
	stop := stir(t, c)
	defer stop()
	w.onBoard = func(b *model.Board) {
		p := share(b, group)
		if p == nil {
			return // for a moment only requests told
		}
		state := p.State
		if state.LastWrite() != quiet.LastWrite() || state.HeadSince() != quiet.HeadSince() ||
			state.LastFinish() != quiet.LastFinish() || state.Tally() != quiet.Tally() {
			t.Errorf("writing it once more counts: %+v %+v", state.LastWrite(), state.Tally())
		}
	}
	reader := readState(t, c)
	for deadline := time.Now().Add(stepTimeout); ; w.watchFor(model.MinInterval) {
		reader.toEnd()
		epochs, deleted := coldSnapshots(reader, group, quiet)
		if len(epochs) >= 3 && deleted {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the state of %s was written %d times more, want 3 (the log before is deleted: %t)", group, len(epochs), deleted)
		}
	}
	wantBlocked(t, w.untilBlocked(group), group, 2, quiet.HeadSince())

	board := watchState(t, c, group).untilBlocked(group) // by one who just began to look
	since := share(board, group).State.HeadSince()
	if !since.AtLeast() || since.Millis() < quiet.HeadSince().Millis() || !recordIs(group, 2, model.RecordReleased, 1)(board) {
		t.Errorf("from a pruned log the head is there since %+v, in truth since %+v", since, quiet.HeadSince())
	}
	wantBlocked(t, board, group, 2, since)
	outcomes(t, sends(t, s, model.Accept, takesAll(t, s, 1)...), model.OutcomeDone)
}

// coldSnapshots are the epochs of the snapshots that say once more what a group's
// state says; deleted tells whether the log that it was read from is deleted.
func coldSnapshots(r *stateReader, group string, state *model.PartitionState) (epochs map[int32]bool, deleted bool) {
	r.t.Helper()
	at, _ := state.Version().Get()
	epochs = map[int32]bool{}
	starts := stateLogStarts(r.t, r.c)
	for i, s := range decodeState(r.t, r.records) {
		if s.Group != group {
			continue
		}
		deleted = starts[r.records[i].Partition] > at
		if s.Type == judge.StateSnapshot && s.CreateTimestamp != s.WriteTimestamp {
			epochs[s.SnapshotEpoch] = true
		}
	}
	return epochs, deleted
}

// stirred is how many groups stir alters, enough for every partition of the
// state topic; stirPause is the time between two of them.
const (
	stirred   = 12
	stirPause = 50 * time.Millisecond
)

// stir alters groups of its own until it is stopped: a coordinator in whose part
// of the state topic nothing happens at all writes nothing once more.
func stir(t *testing.T, c cluster) (stop func()) {
	t.Helper()
	const topic = "stir.jobs"
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if err := c.work.PlaceGroup(ctx, fmt.Sprintf("stir-%d", i%stirred), topic, int64(i)); err != nil && ctx.Err() == nil {
				t.Errorf("nothing is stirred any more: %v", err)
				return
			}
			waitUntil(t, time.Now().Add(stirPause))
		}
	})
	return func() { cancel(); running.Wait() }
}
