//go:build unix

package test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/kafka"
	"sharetop/model"
)

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
		// See testSessionFrozen: it may not have written that they were given back.
		if r.Delivery != 2 && r.Delivery != 3 {
			t.Errorf("after the cut %s comes on delivery %d, want 3 or 2", r.ID, r.Delivery)
		}
	}
	t.Logf("free %v after the cut", time.Since(began))
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
// administrator's program may. One that has not joined again since is no failure.
func removeMember(t *testing.T, c cluster, s *kafka.Session) {
	t.Helper()
	req := kmsg.NewPtrShareGroupHeartbeatRequest()
	req.GroupID, req.MemberID, req.MemberEpoch = s.Terms().Group.Raw(), s.Terms().Member.Raw(), -1
	resp, err := req.RequestWith(t.Context(), c.work.Raw())
	must(t, err)
	if resp.ErrorCode != kerr.UnknownMemberID.Code {
		must(t, kerr.ErrorForCode(resp.ErrorCode))
	}
}

// slowBeats is the heartbeat interval of a group whose sessions are to be looked at
// between two of them, on a busy machine too.
const slowBeats = 6 * time.Second

// testSessionFenced: the coordinator drops the member while it holds records.
// The session says so, joins again, and what it says of each decision is what
// the group's lag says.
func testSessionFenced(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "session-fenced", 6)
	s, held := droppedSession(t, c, topic, group)
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

// droppedSession is a session that holds records, and hears that it was dropped. It
// joins again a heartbeat later.
func droppedSession(t *testing.T, c cluster, topic, group string) (*kafka.Session, []model.HeldRecord) {
	t.Helper()
	must(t, c.work.SetGroupConfig(t.Context(), group, "share.heartbeat.interval.ms", strconv.FormatInt(slowBeats.Milliseconds(), 10)))
	s := joinGroup(t, c, group, topic)
	held := takes(t, s, 3)
	removeMember(t, c, s)
	waitFor(t, "that the member was dropped", func() bool { return strings.Contains(s.Trouble(), "dropped this member") })
	return s, held
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
	wantNoGroup(t, c, s, held)
}

// testSessionDroppedAndDeleted: the group goes away after the member was dropped, and
// before it joins again.
func testSessionDroppedAndDeleted(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "session-dropped", 3)
	s, held := droppedSession(t, c, topic, group)
	answers, err := c.work.Admin().DeleteGroups(t.Context(), group)
	must(t, err)
	must(t, answers[group].Err)
	wantNoGroup(t, c, s, held)
}

// wantNoGroup waits until a session says that its group is gone. What is held is not
// done then, leaving works, and the group is not made anew.
func wantNoGroup(t *testing.T, c cluster, s *kafka.Session, held []model.HeldRecord) {
	t.Helper()
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
	if _, there := listed[s.Terms().Group.Raw()]; there {
		t.Error("the session made the group anew")
	}
}

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
		// The end of the only connection makes the broker forget the
		// share-partition, on a busy machine before it has written the release:
		// it then counts from what was written before.
		if r.Delivery > 2 {
			t.Errorf("%s comes on delivery %d, want 2 or 1", r.ID, r.Delivery)
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
	// It may take a broker longer to load what it coordinates than joining is patient.
	waitFor(t, "the group on the broker that is back", func() bool {
		answers, err := c.work.Admin().DescribeShareGroupOffsets(t.Context(), group)
		return err == nil && answers[group].Err == nil
	})
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
