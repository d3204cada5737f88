//go:build unix

package test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sharetop/kafka"
	"sharetop/model"
)

// testSession decides records one by one and looks from outside what came of
// it.
func testSession(t *testing.T, c cluster) {
	for name, test := range map[string]func(*testing.T, cluster){
		"Decisions": testSessionDecisions, "Expired": testSessionExpired,
		"Limit": testSessionLimit, "Leave": testSessionLeave, "SideBySide": testSessionsSideBySide,
		"Markers": testSessionMarkers, "Added": testSessionAdded, "DeletedTopic": testSessionDeletedTopic, "DeletedGroup": testSessionDeletedGroup,
		"Moves": testSessionMoves, "Panic": testSessionPanic, "Type": testSessionType,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

// testSessionWaits has the cases of sessions that mostly wait, for locks and for
// heartbeats.
func testSessionWaits(t *testing.T, c cluster) {
	sideBySide(t, c, []kafkaTest{
		{"Renew", testSessionRenew},
		{"Fenced", testSessionFenced},
		{"DroppedAndDeleted", testSessionDroppedAndDeleted},
		{"LongHold", testSessionLongHold},
	})
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
// have ended, so that another consumer is given those and not that one. A busy
// machine has half a lock to renew in, and then for the other to be given them.
func testSessionRenew(t *testing.T, c cluster) {
	const lock = 20 * time.Second
	topic, group := readyGroup(t, c, "session-renew", 3)
	must(t, c.work.SetGroupConfig(t.Context(), group, "share.record.lock.duration.ms", "20000"))
	s := joinGroup(t, c, group, topic)
	records := takes(t, s, 3)
	if records[0].Lock != lock {
		t.Fatalf("the lock is %v, want %v", records[0].Lock, lock)
	}
	other := member(t, c, topic, group, 10) // joins in the meantime, and waits for records
	waitUntil(t, records[0].LockEnds.Add(-lock/2))
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
	accepted := sends(t, s, model.Accept, records[0])
	if time.Now().Before(renewed[0].LockEnds.Add(-model.LockMargin)) {
		outcomes(t, accepted, model.OutcomeDone)
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
	// The last marker comes with a later look: it is written after the producer was
	// answered.
	waitFor(t, "the marker passed", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if records, err := s.Take(ctx, 10); err == nil {
			t.Fatalf("more records: %+v", records)
		}
		return endOf(t, c, topic) == 7 && lagOf(t, c, group) == 0
	})
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
	must(t, c.work.SetGroupConfig(t.Context(), group, "share.record.lock.duration.ms", "60000")) // a busy machine needs a while for all keys

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
