//go:build unix

package test

import (
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"sharetop/kafka"
	"sharetop/model"
	"sharetop/test/broker"
	"sharetop/test/workload"
)

// testStateWaits has the cases that mostly wait for a lock, run at the same time
// and watched live from the state topic; in the end Kafka's own command is asked
// about all of their groups.
func testStateWaits(t *testing.T, c cluster) {
	sideBySide(t, c, []kafkaTest{
		{"Renewed", testHeadRenewed},
		{"Limit", testReleasedToLimit},
		{"LockExpiry", testLockExpiry},
		{"Recreated", testTopicRecreated},
		{"GroupDeleted", testGroupDeleted},
		{"Altered", testOffsetsAltered},
	})
	groups := []string{"wait-renewed", "wait-limit", "wait-expiry", "wait-recreated", "wait-deleted", "wait-altered"}
	w := watch(t, c, groups...)
	w.until("all groups from the state topic", fromStateTopic)
	compareOffsets(t, c, w, groups...)
}

// sideBySide runs tests at the same time, however many cores there are.
func sideBySide(t *testing.T, c cluster, tests []kafkaTest) {
	var running sync.WaitGroup
	for _, test := range tests {
		running.Go(func() { t.Run(test.name, func(t *testing.T) { test.run(t, c) }) })
	}
	running.Wait()
}

// watchState watches a group of one share-partition that is open on screen, and
// returns once its state is there.
func watchState(t *testing.T, c cluster, group string) *watching {
	t.Helper()
	w := watch(t, c, group)
	w.scope.Open = model.NewGroupID(group)
	w.until("the state of "+group, func(b *model.Board) bool { return share(b, group) != nil })
	return w
}

// share is the only share-partition of a group; nil while its state is not seen.
func share(b *model.Board, group string) *model.SharePartition {
	r := row(b, group)
	if r == nil || r.Group.OffsetsFrom != model.FromStateTopic || len(r.Group.Partitions) != 1 || r.Group.Partitions[0].State == nil {
		return nil
	}
	return &r.Group.Partitions[0]
}

// recordIs tells whether a record's state is seen to be this.
func recordIs(group string, offset int64, want model.RecordState, deliveries int16) func(*model.Board) bool {
	return func(b *model.Board) bool {
		p := share(b, group)
		if p == nil {
			return false
		}
		state, n := p.State.StateAt(offset)
		return state == want && n == deliveries
	}
}

// takesAll takes exactly n records, in as many turns as that needs.
func takesAll(t *testing.T, s *kafka.Session, n int) []model.HeldRecord {
	t.Helper()
	var held []model.HeldRecord
	for len(held) < n {
		held = append(held, takes(t, s, n-len(held))...)
	}
	return held
}

// renewedLock is the lock of a record that is held on and on, long enough to be
// renewed in time on a busy machine.
const renewedLock = 20 * time.Second

// renewedFor is how long a record is held by renewals: a minute where CI runs the
// newest version, one lock and a half elsewhere.
func renewedFor(c cluster) time.Duration {
	if inCI() && c.Version == broker.Kafka44 {
		return time.Minute
	}
	return 3 * renewedLock / 2
}

// renewing renews a record four times a lock until it is stopped, which returns
// how often that was.
func renewing(t *testing.T, s *kafka.Session, id model.RecordID) (stop func() int) {
	t.Helper()
	ended := make(chan struct{})
	counted := make(chan int)
	go func() {
		tick := time.NewTicker(renewedLock / 4)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-tick.C:
			case <-ended:
				counted <- n
				return
			case <-t.Context().Done():
				return
			}
			renewed, err := s.Renew(t.Context(), []model.RecordID{id})
			if err != nil {
				t.Errorf("renewal %d: %v", n, err)
			}
			outcomes(t, renewed, model.OutcomeDone)
		}
	}()
	return func() int { close(ended); return <-counted }
}

// testHeadRenewed holds one record by renewing it while all others are finished.
// Renewing writes nothing: that record is the head, named, and blocked since the
// moment that those before it were finished. Whoever begins to look later reads
// that moment in the log, as long as the log goes back that far.
func testHeadRenewed(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "wait-renewed", 10)
	must(t, c.work.SetGroupConfig(t.Context(), group, "share.record.lock.duration.ms", strconv.FormatInt(renewedLock.Milliseconds(), 10)))
	w := watchState(t, c, group)
	s := joinGroup(t, c, group, topic)
	held := takesAll(t, s, 10)
	before := time.Now()
	outcomes(t, sends(t, s, model.Accept, held[:2]...), model.OutcomeDone)
	after := time.Now()
	stop := renewing(t, s, held[2].ID) // from now on: whatever follows may take longer than the lock
	outcomes(t, sends(t, s, model.Accept, held[3:]...), model.OutcomeDone)
	board := w.until("nine finished", func(b *model.Board) bool { return share(b, group) != nil && hasLag(b, group, 1) })
	since := share(board, group).State.HeadSince()
	between(t, "the head's since", since.Time(), before, after)

	w.onBoard = func(b *model.Board) { isHead(t, b, group, 2, since) }
	w.watchFor(renewedFor(c))
	wantBlocked(t, w.untilBlocked(group), group, 2, since)
	later := watchState(t, c, group)
	isHead(t, later.board, group, 2, since)
	t.Logf("held for %v by %d renewals", time.Since(after).Round(time.Second), stop())

	w.onBoard = nil
	outcomes(t, sends(t, s, model.Accept, held[2]), model.OutcomeDone)
	w.until("all finished, and nothing blocked", func(b *model.Board) bool {
		return hasLag(b, group, 0) && row(b, group).Verdict.Finding == model.FindingCaughtUp
	})
}

// isHead checks the first unfinished offset, and since when it is; where for a
// moment only requests tell, there is nothing to check.
func isHead(t *testing.T, b *model.Board, group string, offset int64, since model.Stamp) {
	t.Helper()
	p := share(b, group)
	if p == nil {
		return
	}
	if p.State.Head() != model.Known(offset) || p.State.HeadSince() != since {
		t.Errorf("the head is %v since %+v, want %d since %+v", p.State.Head(), p.State.HeadSince(), offset, since)
	}
}

// untilBlocked waits for a board that calls a group blocked: where for a moment only
// requests tell, that can't be said.
func (w *watching) untilBlocked(group string) *model.Board {
	w.t.Helper()
	return w.until("blocked, by the state topic", func(b *model.Board) bool {
		return share(b, group) != nil && row(b, group).Verdict.Finding == model.FindingBlocked
	})
}

// wantBlocked checks the verdict on a group whose head is in the way.
func wantBlocked(t *testing.T, b *model.Board, group string, offset int64, since model.Stamp) {
	t.Helper()
	v := row(b, group).Verdict
	if v.Finding != model.FindingBlocked || v.Offset != model.Known(offset) || !v.Since.Equal(since.Time()) || v.AtLeast != since.AtLeast() {
		t.Errorf("the verdict is %s at %v since %v (at least: %t), want blocked at %d since %v: %q %q",
			v.Finding, v.Offset, v.Since, v.AtLeast, offset, since.Time(), v.Text, v.Evidence)
	}
}

// between checks a moment that a broker noted, in whole milliseconds.
func between(t *testing.T, what string, at, from, to time.Time) {
	t.Helper()
	if at.Before(from.Truncate(time.Millisecond)) || at.After(to) {
		t.Errorf("%s is %v, want it between %v and %v", what, at, from, to)
	}
}

// testReleasedToLimit releases records until the broker gives them up: they are
// on the radar up to then, and listed as archived from then on.
func testReleasedToLimit(t *testing.T, c cluster) {
	const limit = 5 // Kafka's default
	topic, group := readyGroup(t, c, "wait-limit", 4)
	w := watchState(t, c, group)
	last := false
	w.onBoard = func(b *model.Board) {
		for _, r := range radarOf(b, group) {
			last = last || (r.Count == limit-1 && r.NextIsLast())
		}
	}
	s := joinGroup(t, c, group, topic)
	began := time.Now()
	for given := map[int64]int{}; given[1]+given[2]+given[3] < 3*limit; {
		held := takes(t, s, 4)
		for _, r := range held {
			given[r.ID.Offset]++
		}
		if i := slices.IndexFunc(held, func(r model.HeldRecord) bool { return r.ID.Offset == 0 }); i >= 0 {
			outcomes(t, sends(t, s, model.Accept, held[i]), model.OutcomeDone)
			held = slices.Delete(held, i, i+1)
		}
		outcomes(t, sends(t, s, model.Release, held...), model.OutcomeDone)
		w.until("what was released", func(b *model.Board) bool { return stateTold(b, group, held) })
	}
	board := w.until("all done", func(b *model.Board) bool { return share(b, group) != nil && hasLag(b, group, 0) })
	if !last {
		t.Error("the radar never showed the last delivery coming")
	}
	if rows := radarOf(board, group); len(rows) > 0 {
		t.Errorf("the radar still shows %d runs", len(rows))
	}
	reason := model.ArchivedAtLimit
	if c.Version == broker.Kafka42 {
		reason = model.ArchivedUnknown // the limit is no config of a group yet
	}
	wantArchived(t, board, group, reason, began, 1, 2, 3)
	wantReleases(t, board, topic, limit-1, 1, 2, 3)
}

// stateTold tells whether the state topic has told what became of records that
// were given back: one delivery more.
func stateTold(b *model.Board, group string, given []model.HeldRecord) bool {
	p := share(b, group)
	if p == nil {
		return false
	}
	for _, r := range given {
		state, n := p.State.StateAt(r.ID.Offset)
		if state != model.RecordBelowStart && int(n) < r.Delivery {
			return false
		}
	}
	return true
}

// radarOf are the runs of one group on the radar.
func radarOf(b *model.Board, group string) []*model.RadarRow {
	return slices.DeleteFunc(slices.Clone(model.RadarOf(b.Snapshot, nil).Rows), func(r *model.RadarRow) bool {
		return r.Group.Raw() != group
	})
}

// wantArchived checks the list of records that were given up, and that it says
// since when.
func wantArchived(t *testing.T, b *model.Board, group string, why model.ArchiveReason, began time.Time, offsets ...int64) {
	t.Helper()
	list := model.ArchivedIn(b.Snapshot, model.NewGroupID(group))
	var got []int64
	for _, r := range list.Rows {
		between(t, "archived at", r.At, began, time.Now())
		if r.Reason() != why || int64(r.Count) != r.Limit.Count {
			t.Errorf("%d-%d was given up after %d deliveries of %+v: %s", r.First, r.Last, r.Count, r.Limit, r.Reason())
		}
		for offset := r.First; offset <= r.Last; offset++ {
			got = append(got, offset)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, offsets) || list.Since.IsZero() || !list.Missed.IsZero() {
		t.Errorf("archived since %v (missed %v): %d, want %d", list.Since, list.Missed, got, offsets)
	}
}

// wantReleases checks that every release of these records of the open group is
// among the events.
func wantReleases(t *testing.T, b *model.Board, topic string, times int16, offsets ...int64) {
	t.Helper()
	for _, offset := range offsets {
		count := int16(0)
		for _, e := range b.Snapshot.State.HistoryOf(model.NewTopicName(topic), 0, offset) {
			if e.State != model.RecordReleased {
				continue
			}
			if count++; e.Count != count {
				t.Errorf("release %d of offset %d has count %d", count, offset, e.Count)
			}
		}
		if count != times {
			t.Errorf("offset %d was released %d times, want %d", offset, count, times)
		}
	}
}

// testLockExpiry takes a record and lets its lock end, twice: each time it is
// free again with one delivery more, and still the head.
func testLockExpiry(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "wait-expiry", 3)
	must(t, c.work.SetGroupConfig(t.Context(), group, "share.record.lock.duration.ms", "10000"))
	w := watchState(t, c, group)
	head := share(w.board, group).State.HeadSince()
	s := joinGroup(t, c, group, topic)
	held := takesAll(t, s, 3)
	outcomes(t, sends(t, s, model.Accept, held[1:]...), model.OutcomeDone)
	w.until("the first lock over", recordIs(group, 0, model.RecordReleased, 1))
	again := takesAll(t, s, 1)
	if again[0].Delivery != 2 {
		t.Errorf("it comes on delivery %d after its lock ended, want 2", again[0].Delivery)
	}
	board := w.until("the second lock over", recordIs(group, 0, model.RecordReleased, 2))
	isHead(t, board, group, 0, head)
	if rows := radarOf(board, group); len(rows) != 1 || !rows[0].Head || rows[0].First != 0 || rows[0].Len() != 1 {
		t.Errorf("on the radar: %+v", rows)
	}
	if tally := share(board, group).State.Tally(); tally != (model.Tally{Accepted: 2, Released: 2, Deliveries: 4}) {
		t.Errorf("counted: %+v", tally)
	}
	outcomes(t, sends(t, s, model.Accept, takesAll(t, s, 1)...), model.OutcomeDone)
	w.until("all finished", func(b *model.Board) bool { return share(b, group) != nil && hasLag(b, group, 0) })
	wantReleases(t, w.board, topic, 2, 0)
}

// testTopicRecreated deletes a topic under a group and makes it anew: the state
// of the old one goes, and that of the new one is told by its own id.
func testTopicRecreated(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "wait-recreated", 9)
	must(t, c.work.PlaceGroup(t.Context(), group, topic, 3))
	w := watchState(t, c, group)
	w.until("the old topic", func(b *model.Board) bool { return hasLag(b, group, 6) })
	old := share(w.board, group).TopicID
	must(t, c.work.DeleteTopic(t.Context(), topic))
	w.until("the topic named as gone, without a share-partition", func(b *model.Board) bool {
		r := row(b, group)
		return r != nil && len(r.Group.Partitions) == 0 && problemOf(b, model.ProblemGone, topic) != nil
	})
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	fresh, err := workload.Open(c.Bootstrap()) // the other client knows the topic by its old id
	must(t, err)
	defer fresh.Close()
	must(t, fresh.Produce(t.Context(), topic, 0, 5))
	must(t, c.work.PlaceGroup(t.Context(), group, topic, 1))
	board := w.until("the new topic, and no problem", func(b *model.Board) bool {
		return hasLag(b, group, 4) && share(b, group) != nil && problemOf(b, model.ProblemGone, topic) == nil
	})
	p := share(board, group)
	if p.TopicID == old || p.State.Head() != model.Known(1) || p.State.Tally() != (model.Tally{}) {
		t.Errorf("the share-partition is %+v with head %v, and the old topic was %s", p, p.State.Head(), old)
	}
	consumer := accept(t, c, topic, group)
	consumer.waitFor(t, 4)
	consumer.close()
	w.until("all of the new topic finished", func(b *model.Board) bool { return hasLag(b, group, 0) })
}

// testGroupDeleted deletes a group under the tail and makes it anew: nothing of
// the first one is left in the second.
func testGroupDeleted(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "wait-deleted", 9)
	w := watchState(t, c, group)
	s := joinGroup(t, c, group, topic)
	held := takesAll(t, s, 9)
	outcomes(t, sends(t, s, model.Reject, held[1]), model.OutcomeDone)
	outcomes(t, sends(t, s, model.Release, held[2]), model.OutcomeDone)
	s.Leave(t.Context())
	w.until("what was released", recordIs(group, 2, model.RecordReleased, 1))
	if len(radarOf(w.board, group)) == 0 {
		t.Error("the radar shows nothing of a group with released records")
	}
	deleted, err := c.work.Admin().DeleteGroup(t.Context(), group)
	must(t, err)
	must(t, deleted.Err)
	board := w.until("the group gone", func(b *model.Board) bool { return row(b, group) == nil })
	if left := radarOf(board, group); board.Snapshot.Group(model.NewGroupID(group)) != nil || len(left) > 0 {
		t.Errorf("left of the deleted group: %d rows on the radar\n%s", len(left), describe(board))
	}
	w.watchFor(2 * model.MinInterval)
	if row(w.board, group) != nil {
		t.Errorf("the deleted group is back:\n%s", describe(w.board))
	}
	must(t, c.work.PlaceGroup(t.Context(), group, topic, 2))
	board = w.until("the group made anew", func(b *model.Board) bool { return hasLag(b, group, 7) && share(b, group) != nil })
	p := share(board, group)
	if state, n := p.State.StateAt(2); state != model.RecordNew || n != 0 || p.State.Tally() != (model.Tally{}) || len(radarOf(board, group)) > 0 {
		t.Errorf("the new group's record 2 is %s after %d deliveries, counted %+v", state, n, p.State.Tally())
	}
}

// testOffsetsAltered alters start offsets forward and back under the tail, the
// second time by Kafka's own command.
func testOffsetsAltered(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "wait-altered", 20)
	w := watchState(t, c, group)
	s := joinGroup(t, c, group, topic)
	held := takesAll(t, s, 6)
	outcomes(t, sends(t, s, model.Accept, held[3:]...), model.OutcomeDone)
	s.Leave(t.Context())
	w.until("three given back", recordIs(group, 0, model.RecordReleased, 1))
	for resets, start := range []int64{12, 2} {
		before := time.Now()
		if start == 12 {
			must(t, c.work.PlaceGroup(t.Context(), group, topic, start))
		} else {
			_, err := c.NewestTool(t.Context(), broker.ShareGroupCommand, append(c.BootstrapArgs(),
				"--reset-offsets", "--group", group, "--topic", topic, "--to-offset", "2", "--execute")...)
			must(t, err)
		}
		after := time.Now()
		board := w.until("the new start", func(b *model.Board) bool {
			p := share(b, group)
			return p != nil && p.Start == model.Known(start) && hasLag(b, group, 20-start)
		})
		state := share(board, group).State
		between(t, "the new head's since", state.HeadSince().Time(), before, after)
		if n := len(state.Batches()); state.Head() != model.Known(start) || n > 0 || state.Tally().Resets != int64(resets+1) {
			t.Errorf("after altering to %d: head %v, %d batches, counted %+v", start, state.Head(), n, state.Tally())
		}
	}
	drain(t, c, topic, group, 18)
	w.until("all finished", func(b *model.Board) bool { return hasLag(b, group, 0) })
}
