//go:build unix

package test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/kafka"
	"sharetop/model"
)

// logbook is an audit file in memory.
type logbook struct {
	mu      sync.Mutex
	entries []model.AuditEntry
}

func (l *logbook) Record(entries ...model.AuditEntry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, entries...)
	return nil
}

// joinGroup makes a session of a group that is left at the end of the test.
func joinGroup(t *testing.T, c cluster, group string, topics ...string) *kafka.Session {
	t.Helper()
	client, err := kafka.Open(model.Connection{Bootstrap: c.Bootstrap()}, kafka.Options{Now: time.Now})
	must(t, err)
	t.Cleanup(client.Close)
	r := model.JoinRequest{Group: model.NewGroupID(group)}
	for _, topic := range topics {
		r.Topics = append(r.Topics, model.NewTopicName(topic))
	}
	s, err := client.Join(t.Context(), r, kafka.JoinOptions{Audit: &logbook{}, Who: "test"})
	must(t, err)
	t.Cleanup(func() { s.Leave(context.Background()) })
	return s
}

// takes waits for records of a session.
func takes(t *testing.T, s *kafka.Session, most int) []model.HeldRecord {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stepTimeout)
	defer cancel()
	records, err := s.Take(ctx, most)
	must(t, err)
	return records
}

// sends sends one decision about some records.
func sends(t *testing.T, s *kafka.Session, d model.Decision, records ...model.HeldRecord) []model.AckResult {
	t.Helper()
	acks := make([]model.Acknowledgement, len(records))
	for i, r := range records {
		acks[i] = model.Acknowledgement{ID: r.ID, Decision: d}
	}
	results, err := s.Acknowledge(t.Context(), acks)
	must(t, err)
	if len(results) != len(records) {
		t.Errorf("%d results for %d records", len(results), len(records))
	}
	return results
}

func outcomes(t *testing.T, results []model.AckResult, want model.Outcome) {
	t.Helper()
	for _, r := range results {
		if r.Outcome != want {
			t.Errorf("%s %s: %v (%s), want %v", r.Decision, r.ID, r.Outcome, r.Detail, want)
		}
	}
}

// lagIs checks a group's lag from outside, by a request of its own.
func lagIs(t *testing.T, c cluster, group string, want int64) {
	t.Helper()
	answers, err := c.work.Admin().DescribeShareGroupOffsets(t.Context(), group)
	must(t, err)
	var lag int64
	for _, p := range answers[group].Offsets.Sorted() {
		lag += p.Lag
	}
	if lag != want {
		t.Errorf("the lag of %s is %d, want %d", group, lag, want)
	}
}

// startIs checks a group's start offset from outside. Kafka writes it with the
// next set of decisions after those that moved it.
func startIs(t *testing.T, c cluster, group, topic string, want int64) {
	t.Helper()
	answers, err := c.work.Admin().DescribeShareGroupOffsets(t.Context(), group)
	must(t, err)
	if at, _ := answers[group].Offsets.Lookup(topic, 0); at.StartOffset != want {
		t.Errorf("%s starts at %d, want %d", group, at.StartOffset, want)
	}
}

// readyGroup is a topic with so many records on one partition and a group that
// is at its beginning.
func readyGroup(t *testing.T, c cluster, name string, records int) (topic, group string) {
	t.Helper()
	topic, group = name+".jobs", name
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	must(t, c.work.Produce(t.Context(), topic, 0, records))
	must(t, c.work.PlaceGroup(t.Context(), group, topic, 0))
	return topic, group
}

// testSession decides records one by one and looks from outside what came of
// it. Most of it waits for locks, so it goes side by side.
func testSession(t *testing.T, c cluster) {
	for name, test := range map[string]func(*testing.T, cluster){
		"Decisions": testSessionDecisions, "Renew": testSessionRenew, "Expired": testSessionExpired,
		"Limit": testSessionLimit, "Leave": testSessionLeave, "SideBySide": testSessionsSideBySide,
		"Markers": testSessionMarkers, "Added": testSessionAdded, "DeletedTopic": testSessionDeletedTopic, "DeletedGroup": testSessionDeletedGroup,
		"Moves": testSessionMoves, "Panic": testSessionPanic, "Fenced": testSessionFenced, "Type": testSessionType, "LongHold": testSessionLongHold,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

// testSessionDecisions: exactly as many as asked for. Afterwards another
// consumer is given all but what was accepted or rejected, the released ones on
// their second delivery, and Kafka's own command counts the same.
func testSessionDecisions(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "session-decisions", 30)
	s := joinGroup(t, c, group, topic)
	records := takes(t, s, 10)
	if len(records) != 10 {
		t.Fatalf("%d records, asked for 10", len(records))
	}
	for i, r := range records {
		if r.ID.Offset != int64(i) || r.Delivery != 1 || r.Record == nil || string(r.Record.Value.Bytes()) != fmt.Sprintf(`{"n":%d}`, i) {
			t.Errorf("record %d is %+v", i, r)
		}
	}
	lagIs(t, c, group, 30)
	startIs(t, c, group, topic, 0)
	outcomes(t, sends(t, s, model.Accept, records[:6]...), model.OutcomeDone)
	lagIs(t, c, group, 24)
	outcomes(t, sends(t, s, model.Reject, records[6:8]...), model.OutcomeDone)
	lagIs(t, c, group, 22)
	outcomes(t, sends(t, s, model.Release, records[8:]...), model.OutcomeDone)
	lagIs(t, c, group, 22)
	startIs(t, c, group, topic, 8)
	s.Leave(t.Context())

	seen := map[int64]int32{}
	other := member(t, c, topic, group, 30)
	for _, r := range take(t, other, 22, func(int, *kgo.Record) kgo.AckStatus { return kgo.AckAccept }) {
		seen[r.Offset] = r.DeliveryCount()
	}
	for offset := range int64(30) {
		want := int32(1)
		switch {
		case offset < 8:
			want = 0
		case offset < 10:
			want = 2
		}
		if seen[offset] != want {
			t.Errorf("another consumer was given offset %d on delivery %d, want %d (0: never)", offset, seen[offset], want)
		}
	}
	other.Close()
	rows, err := c.judge.Offsets(t.Context(), group)
	must(t, err)
	if len(rows) != 1 || rows[0].Lag != model.Known(0) {
		t.Errorf("Kafka's command says %+v", rows)
	}
}

// testSessionRenew: a renewed record is still ours when its neighbours' locks
// have ended, so that another consumer is given those and not that one.
func testSessionRenew(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "session-renew", 3)
	must(t, c.work.SetGroupConfig(t.Context(), group, "share.record.lock.duration.ms", "10000"))
	s := joinGroup(t, c, group, topic)
	records := takes(t, s, 3)
	if records[0].Lock != 10*time.Second {
		t.Fatalf("the lock is %v, want 10 s", records[0].Lock)
	}
	other := member(t, c, topic, group, 10) // joins in the meantime, and waits for records
	waitUntil(t, records[0].LockEnds.Add(-4*time.Second))
	renewed, err := s.Renew(t.Context(), []model.RecordID{records[0].ID})
	must(t, err)
	outcomes(t, renewed, model.OutcomeDone)
	if d := renewed[0].LockEnds.Sub(records[0].LockEnds); d < time.Second {
		t.Errorf("the renewal moved the deadline by %v", d)
	}
	waitUntil(t, records[1].LockEnds.Add(100*time.Millisecond))
	given := take(t, other, 2, func(int, *kgo.Record) kgo.AckStatus { return kgo.AckAccept })
	for _, r := range given {
		if r.Offset == 0 || r.DeliveryCount() != 2 {
			t.Errorf("after the locks ended another consumer was given offset %d on delivery %d", r.Offset, r.DeliveryCount())
		}
	}
	if time.Now().Before(renewed[0].LockEnds.Add(-model.LockMargin)) {
		outcomes(t, sends(t, s, model.Accept, records[0]), model.OutcomeDone)
		lagIs(t, c, group, 0)
	}
	outcomes(t, sends(t, s, model.Accept, records[1:]...), model.OutcomeLockOver)
}

// testSessionExpired: locks are left to run down. Another consumer has the
// records then, and no decision of ours about them is said to be done, or is.
func testSessionExpired(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "session-expired", 2)
	must(t, c.work.SetGroupConfig(t.Context(), group, "share.record.lock.duration.ms", "2000"))
	s := joinGroup(t, c, group, topic)
	held := takes(t, s, 2)
	other := member(t, c, topic, group, 10)
	decided := false
	given := take(t, other, 2, func(int, *kgo.Record) kgo.AckStatus {
		if !decided { // while the other one has them
			decided = true
			outcomes(t, sends(t, s, model.Accept, held...), model.OutcomeLockOver)
		}
		return kgo.AckRelease
	})
	for _, r := range given {
		if r.DeliveryCount() != 2 {
			t.Errorf("another consumer was given offset %d on delivery %d, want 2", r.Offset, r.DeliveryCount())
		}
	}
	lagIs(t, c, group, 2)
	if left := s.Leave(t.Context()); !left.Left || len(left.Released)+len(left.NotReleased) > 0 {
		t.Errorf("nothing was held any more, but left with %+v", left)
	}
}

// waitUntil waits for a moment that a lock depends on.
func waitUntil(t *testing.T, at time.Time) {
	t.Helper()
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}

// testSessionLimit: releases up to the limit archive; the batch gets smaller on
// the way, and what is archived is never delivered again.
func testSessionLimit(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "session-limit", 4)
	s := joinGroup(t, c, group, topic)
	deliveries := map[int64]int{}
	ended := func() bool {
		for offset := range int64(4) {
			if deliveries[offset] < 5 {
				return false
			}
		}
		return true
	}
	for !ended() {
		records := takes(t, s, 4)
		for _, r := range records {
			if r.Delivery != deliveries[r.ID.Offset]+1 {
				t.Errorf("%s comes on delivery %d after %d", r.ID, r.Delivery, deliveries[r.ID.Offset])
			}
			deliveries[r.ID.Offset] = r.Delivery
		}
		outcomes(t, sends(t, s, model.Release, records...), model.OutcomeDone)
	}
	lagIs(t, c, group, 0)
	must(t, c.work.Produce(t.Context(), topic, 0, 1))
	for _, r := range takes(t, s, 10) {
		if r.ID.Offset < 4 {
			t.Errorf("%s was archived, and comes again", r.ID)
		}
	}
}

// testSessionLeave: what was not decided is free at once, with one delivery
// used; nobody is left in the group.
func testSessionLeave(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "session-leave", 8)
	s := joinGroup(t, c, group, topic)
	held := takes(t, s, 8)
	outcomes(t, sends(t, s, model.Accept, held[0]), model.OutcomeDone)
	left := s.Leave(t.Context())
	if !left.Left || len(left.Released) != 7 || len(left.NotReleased)+len(left.Archived) > 0 {
		t.Errorf("left with %+v", left)
	}
	lagIs(t, c, group, 7)
	described, err := c.work.Admin().DescribeShareGroups(t.Context(), group)
	must(t, err)
	if n := len(described[group].Members); n != 0 {
		t.Errorf("%d members are left", n)
	}
	next := joinGroup(t, c, group, topic)
	for _, r := range takes(t, next, 8) {
		if r.Delivery != 2 {
			t.Errorf("%s comes on delivery %d, want 2", r.ID, r.Delivery)
		}
	}
	// Cutting the connection is the last way out: the broker gives all back.
	began := time.Now()
	next.Abandon()
	third := joinGroup(t, c, group, topic)
	for _, r := range takes(t, third, 8) {
		if r.Delivery != 3 {
			t.Errorf("after the cut %s comes on delivery %d, want 3", r.ID, r.Delivery)
		}
	}
	t.Logf("free %v after the cut", time.Since(began))
}

// testSessionsSideBySide: what two sessions hold at the same time is never the
// same record, and every record is finished once.
func testSessionsSideBySide(t *testing.T, c cluster) {
	const records, atATime = 60, 5
	topic, group := readyGroup(t, c, "session-two", records)
	one, two := joinGroup(t, c, group, topic), joinGroup(t, c, group, topic)
	finished := map[int64]int{}
	for round := 0; len(finished) < records; round++ {
		first := takes(t, one, atATime)
		second := takes(t, two, atATime) // while the first are held
		held := map[model.RecordID]bool{}
		for _, r := range append(slices.Clone(first), second...) {
			if held[r.ID] {
				t.Errorf("round %d: %s is held by both", round, r.ID)
			}
			held[r.ID] = true
		}
		if round%3 == 0 { // some go from one to the other
			outcomes(t, sends(t, one, model.Release, first...), model.OutcomeDone)
			first = nil
		}
		for _, r := range append(sends(t, one, model.Accept, first...), sends(t, two, model.Accept, second...)...) {
			if r.Outcome == model.OutcomeDone {
				finished[r.ID.Offset]++
			}
		}
		if records-len(finished) < 2*atATime {
			break // less than both can hold: one would wait for the other
		}
	}
	for offset, n := range finished {
		if n != 1 {
			t.Errorf("offset %d was accepted %d times", offset, n)
		}
	}
	lagIs(t, c, group, int64(records-len(finished)))
}

// testSessionMarkers: offsets without a record are passed and hold nobody up.
func testSessionMarkers(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "session-markers", 1)
	for range 2 {
		tx, err := c.work.BeginTransaction(t.Context(), topic, 0, 2)
		must(t, err)
		must(t, tx.Commit(t.Context()))
	}
	s := joinGroup(t, c, group, topic)
	for n := 0; n < 5; {
		records := takes(t, s, 10)
		n += len(records)
		for _, r := range records {
			if r.Record == nil {
				t.Errorf("%s can't be read: %s", r.ID, r.Unreadable)
			}
		}
		outcomes(t, sends(t, s, model.Accept, records...), model.OutcomeDone)
	}
	// The last marker comes with the next look.
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if records, err := s.Take(ctx, 10); err == nil {
		t.Errorf("more records: %+v", records)
	}
	lagIs(t, c, group, 0)
}

// testSessionDeletedTopic: the topic goes away while records of it are held.
func testSessionDeletedTopic(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "session-deleted", 3)
	s := joinGroup(t, c, group, topic)
	held := takes(t, s, 3)
	must(t, c.work.DeleteTopic(t.Context(), topic))
	for _, r := range sends(t, s, model.Accept, held...) {
		if r.Outcome == model.OutcomeNone {
			t.Errorf("%s has no outcome", r.ID)
		}
	}
	if left := s.Leave(t.Context()); !left.Left {
		t.Errorf("left with %+v", left)
	}
}

// removeMember leaves the group in the name of a session's member, as an
// administrator's program may.
func removeMember(t *testing.T, c cluster, s *kafka.Session) {
	t.Helper()
	req := kmsg.NewPtrShareGroupHeartbeatRequest()
	req.GroupID, req.MemberID, req.MemberEpoch = s.Terms().Group.Raw(), s.Terms().Member.Raw(), -1
	resp, err := req.RequestWith(t.Context(), c.work.Raw())
	must(t, err)
	must(t, kerr.ErrorForCode(resp.ErrorCode))
}

// testSessionFenced: the coordinator drops the member while it holds records.
// The session says so, joins again, and what it says of each decision is what
// the group's lag says.
func testSessionFenced(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "session-fenced", 6)
	s := joinGroup(t, c, group, topic)
	held := takes(t, s, 3)
	removeMember(t, c, s)
	waitFor(t, "that the member was dropped", func() bool { return strings.Contains(s.Trouble(), "dropped this member") })
	done := int64(0)
	for _, r := range sends(t, s, model.Accept, held...) {
		if r.Outcome == model.OutcomeDone {
			done++
		}
	}
	lagIs(t, c, group, 6-done)
	waitFor(t, "the member in the group again", func() bool {
		described, err := c.work.Admin().DescribeShareGroups(t.Context(), group)
		return err == nil && len(described[group].Members) == 1 && s.Trouble() == ""
	})
	for done < 6 {
		for _, r := range sends(t, s, model.Accept, takes(t, s, 6)...) {
			if r.Outcome == model.OutcomeDone {
				done++
			}
		}
	}
	lagIs(t, c, group, 0)
	if left := s.Leave(t.Context()); !left.Left {
		t.Errorf("left with %+v", left)
	}
}

// testSessionDeletedGroup: the group goes away under the session. Nothing is
// said to be done that is not, leaving works, and the group is not made anew.
func testSessionDeletedGroup(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "session-gone", 3)
	s := joinGroup(t, c, group, topic)
	held := takes(t, s, 3)
	waitFor(t, "the group's deletion", func() bool { // before the member's next heartbeat joins it again
		removeMember(t, c, s)
		answers, err := c.work.Admin().DeleteGroups(t.Context(), group)
		return err == nil && answers[group].Err == nil
	})
	// Before that it may say that it was dropped, where it joined again in between.
	waitFor(t, "that there is no group", func() bool { return strings.Contains(s.Trouble(), "does not exist") })
	for _, r := range sends(t, s, model.Accept, held...) {
		if r.Outcome == model.OutcomeDone {
			t.Errorf("%s is said to be done, and there is no group", r.ID)
		}
	}
	if left := s.Leave(t.Context()); !left.Left {
		t.Errorf("left with %+v", left)
	}
	listed, err := c.work.Admin().ListGroupsByType(t.Context(), []string{"share"})
	must(t, err)
	if _, there := listed[group]; there {
		t.Error("the session made the group anew")
	}
}

// testSessionType: an id that belongs to a consumer group is refused.
func testSessionType(t *testing.T, c cluster) {
	const topic, group = "session-type.jobs", "session-type"
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	must(t, c.work.Produce(t.Context(), topic, 0, 1))
	reader, err := kgo.NewClient(kgo.SeedBrokers(c.Bootstrap()...), kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableClientMetrics())
	must(t, err)
	defer reader.Close()
	must(t, reader.PollFetches(t.Context()).Err())
	client, err := kafka.Open(model.Connection{Bootstrap: c.Bootstrap()}, kafka.Options{Now: time.Now})
	must(t, err)
	defer client.Close()
	r := model.JoinRequest{Group: model.NewGroupID(group), Topics: []model.TopicName{model.NewTopicName(topic)}}
	if _, err := client.Join(t.Context(), r, kafka.JoinOptions{Audit: &logbook{}}); err == nil || !strings.Contains(err.Error(), "belongs to a") {
		t.Errorf("joined a consumer group: %v", err)
	}
}

// testSessionLongHold holds a record longer than kgo keeps an idle connection.
func testSessionLongHold(t *testing.T, c cluster) {
	if !inCI() {
		t.Skip("holds a record for 33 s: CI runs it")
	}
	topic, group := readyGroup(t, c, "session-long", 1)
	must(t, c.work.SetGroupConfig(t.Context(), group, "share.record.lock.duration.ms", "60000"))
	s := joinGroup(t, c, group, topic)
	held := takes(t, s, 1)
	waitUntil(t, time.Now().Add(33*time.Second))
	outcomes(t, sends(t, s, model.Accept, held...), model.OutcomeDone)
	lagIs(t, c, group, 0)
}

// leavesWithin is more than the five seconds that leaving may take, for a busy
// machine, and less than the 25 for which a client that is only closed waits for a
// broker that hangs.
const leavesWithin = 15 * time.Second

// testSessionFrozen: the broker is frozen while records are held. Leaving ends
// within five seconds and names what could not be released.
func testSessionFrozen(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "session-frozen", 3)
	s := joinGroup(t, c, group, topic)
	held := takes(t, s, 3)
	must(t, c.Freeze(1))
	t.Cleanup(func() { _ = c.Thaw(1) })
	began := time.Now()
	left := s.Leave(t.Context())
	if took := time.Since(began); took > leavesWithin {
		t.Errorf("leaving a frozen broker took %v", took)
	}
	wantNamed(t, left, held)
	must(t, c.Thaw(1))
	next := joinGroup(t, c, group, topic)
	for _, r := range takes(t, next, 3) {
		if r.Delivery != 2 {
			t.Errorf("%s comes on delivery %d, want 2", r.ID, r.Delivery)
		}
	}
}

// testSessionKilled: the broker is killed with −9 while records are held.
func testSessionKilled(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "session-killed", 3)
	s := joinGroup(t, c, group, topic)
	held := takes(t, s, 3)
	must(t, c.Kill9(1))
	for _, r := range sends(t, s, model.Accept, held[0]) {
		if r.Outcome == model.OutcomeDone {
			t.Errorf("%s is said to be done, and the broker is dead", r.ID)
		}
	}
	began := time.Now()
	left := s.Leave(t.Context())
	if took := time.Since(began); took > leavesWithin {
		t.Errorf("leaving a dead broker took %v", took)
	}
	wantNamed(t, left, held)
	must(t, c.Restart(t.Context(), 1))
	next := joinGroup(t, c, group, topic)
	if got := takes(t, next, 3); len(got) != 3 {
		t.Errorf("%d of 3 records are there after the restart", len(got))
	}
}

// wantNamed checks that every record is named with the time its lock ends.
func wantNamed(t *testing.T, left model.LeaveResult, held []model.HeldRecord) {
	t.Helper()
	// What was sent and not answered comes first: it is the first record, if any.
	named := append(slices.Clone(left.Unanswered), left.NotReleased...)
	if left.Left || len(named) != len(held) || left.Why == "" {
		t.Fatalf("left with %+v", left)
	}
	for i, l := range named {
		if l.ID != held[i].ID || !l.LockEnds.Equal(held[i].LockEnds) {
			t.Errorf("%s ends %v, want %s %v", l.ID, l.LockEnds, held[i].ID, held[i].LockEnds)
		}
	}
}

// testBookNestByKeys drives BookNest's rule through the consume page: every
// 500th order is rejected, every 7th is released once, the rest is accepted.
func testBookNestByKeys(t *testing.T, c cluster) {
	const topic, group, first, orders = "keys.packing-jobs", "keys-packers", 476, 50
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	records := make([]*kgo.Record, orders)
	for i := range records {
		records[i] = &kgo.Record{Topic: topic, Value: fmt.Appendf(nil, `{"order_id":%d}`, first+i)}
	}
	must(t, c.work.Raw().ProduceSync(t.Context(), records...).FirstErr())
	must(t, c.work.PlaceGroup(t.Context(), group, topic, 0))

	s := startTerminal(t, 120, 40, "--bootstrap-server", strings.Join(c.Bootstrap(), ","), "--group", group)
	s.shows(group, topic)
	s.press("C")
	s.shows("what joining means", topic)
	s.press("\x7f\x7f50j\r")
	s.shows("50 held", `{"order_id":476}`)
	s.press("*a")
	s.shows("50 decided")
	s.press("g")
	released := 0
	for i := range orders {
		switch n := first + i; {
		case n%500 == 0:
			s.press("x")
		case n%7 == 0:
			s.press("z")
			released++
		}
		s.press("j")
	}
	s.press("N")
	s.shows(fmt.Sprintf("accept %d, release %d, reject 1", orders-released-1, released))
	s.press("y")
	s.shows(fmt.Sprintf("%d held", released), "2 of 5")
	s.press("*aS")
	s.shows(fmt.Sprintf("accept %d", released))
	s.press("y")
	s.shows("0 held", fmt.Sprintf("acknowledge %d", orders-1), fmt.Sprintf("release %d", released), "reject 1")
	lagIs(t, c, group, 0)
	s.press("q")
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d after q, want 0", code)
	}
	s.restored()
}
