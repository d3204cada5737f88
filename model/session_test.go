package model

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func sessionTime() time.Time { return time.Date(2026, 11, 29, 14, 57, 3, 0, time.UTC) }

func refund(offset int64) RecordID {
	return RecordID{Topic: NewTopicName("refunds"), Offset: offset}
}

// holding is a session that has just taken records with these delivery counts,
// offsets from 0, and locks of 30 s.
func holding(now time.Time, deliveries ...int) *Session {
	s := NewSession(SessionTerms{DeliveryLimit: Known(5)}, now)
	s.Took(takenRecords(now, deliveries...), now)
	return s
}

func takenRecords(now time.Time, deliveries ...int) []HeldRecord {
	records := make([]HeldRecord, len(deliveries))
	for i, n := range deliveries {
		records[i] = HeldRecord{
			ID: refund(int64(i)), Delivery: n, Lock: 30 * time.Second, LockEnds: now.Add(30 * time.Second),
		}
	}
	return records
}

func TestPlanSaysWhatIsSent(t *testing.T) {
	now := sessionTime()
	for _, test := range []struct {
		name      string
		undecided int // presses of t
		later     time.Duration
		want      SendPlan
	}{
		{"undecided ones are released", 0, 0, SendPlan{Accept: 1, Reject: 1, Undecided: 2, As: Release}},
		{"or accepted, when told so", 1, 0, SendPlan{Accept: 1, Reject: 1, Undecided: 2, As: Accept}},
		{"or rejected", 2, 0, SendPlan{Accept: 1, Reject: 1, Undecided: 2, As: Reject}},
		{"within the margin nothing is sent", 0, 30*time.Second - LockMargin, SendPlan{As: Release}},
		{"nor when the locks are over", 0, time.Minute, SendPlan{As: Release}},
	} {
		s := holding(now, 1, 1, 2, 5)
		s.Decide(refund(0), Accept, now)
		s.Decide(refund(1), Reject, now)
		for range test.undecided {
			s.NextUndecided()
		}
		got := s.Plan(now.Add(test.later))
		if got.Accept != test.want.Accept || got.Reject != test.want.Reject || got.Undecided != test.want.Undecided || got.As != test.want.As {
			t.Errorf("%s: %+v", test.name, got)
		}
		if n := len(got.Acks) + len(got.LeftOut); n != 4 {
			t.Errorf("%s: %d of 4 records are in the plan", test.name, n)
		}
		archives := got.As == Release && got.Undecided > 0
		if archives != (len(got.Archives) == 1) {
			t.Errorf("%s: archives %v", test.name, got.Archives)
		}
	}
}

// What was confirmed is sent as it was shown, and what changed since is not.
func TestBeginSendsNoMoreThanThePlan(t *testing.T) {
	now := sessionTime()
	s := holding(now, 1, 1, 1)
	s.Decide(refund(0), Accept, now)
	plan := s.Plan(now)
	s.NextUndecided() // accept from now on: the plan was made before
	s.Took([]HeldRecord{{ID: refund(9), Delivery: 1, LockEnds: now.Add(time.Minute)}}, now)
	got := s.Begin(plan, now)
	want := []Acknowledgement{{refund(0), Accept}, {refund(1), Release}, {refund(2), Release}}
	if !slices.Equal(got, want) {
		t.Errorf("sent %+v", got)
	}
	if again := s.Begin(plan, now); len(again) != 0 {
		t.Errorf("sent twice: %+v", again)
	}
	if s.Decide(refund(0), Reject, now) {
		t.Error("a decision that is on its way was changed")
	}
	if forged := s.Begin(SendPlan{Acks: []Acknowledgement{{refund(9), Undecided}}}, now); len(forged) != 0 {
		t.Errorf("an undecided record was sent: %+v", forged)
	}
}

func TestSettle(t *testing.T) {
	now := sessionTime()
	for _, test := range []struct {
		outcome Outcome
		phase   RecordPhase
		held    bool
		counted int64
	}{
		{OutcomeDone, PhaseSettled, false, 1},
		{OutcomeLockOver, PhaseLost, false, 0},
		{OutcomeNotHolder, PhaseLost, false, 0},
		{OutcomeStateError, PhaseHeld, true, 0},
		{OutcomeWriteFailed, PhaseHeld, true, 0},
		{OutcomeNotSent, PhaseHeld, true, 0},
		{OutcomeDenied, PhaseHeld, true, 0},
		{OutcomeNoAnswer, PhaseLost, false, 0},
		{OutcomeGivenBack, PhaseLost, false, 0},
	} {
		s := holding(now, 1)
		s.Decide(refund(0), Accept, now)
		s.Begin(s.Plan(now), now)
		if r := s.Records()[0]; r.Outcome != OutcomeNone || r.Phase != PhaseSending {
			t.Fatalf("before the answer: %+v", r)
		}
		s.Settle([]AckResult{{ID: refund(0), Decision: Accept, Outcome: test.outcome, Took: time.Second}}, now)
		r := s.Records()[0]
		if r.Phase != test.phase || r.HeldAt(now) != test.held || r.Outcome != test.outcome {
			t.Errorf("%v: %+v", test.outcome, r)
		}
		if got := s.Stats().Acknowledged; got != test.counted {
			t.Errorf("%v: %d acknowledged", test.outcome, got)
		}
	}
}

func TestWhatHasNoAnswerIsNotDone(t *testing.T) {
	now := sessionTime()
	s := holding(now, 1, 1)
	s.Begin(s.Plan(now), now)
	s.Settle([]AckResult{{ID: refund(0), Outcome: OutcomeDone}}, now)
	if got := s.Records()[1].Outcome; got != OutcomeNoAnswer {
		t.Errorf("the record without an answer is %q", got)
	}
}

func TestRenewalMovesTheDeadline(t *testing.T) {
	now := sessionTime()
	s := holding(now, 1, 1)
	later := now.Add(20 * time.Second)
	if got := s.Renewable([]RecordID{refund(0), refund(7)}, later); !slices.Equal(got, []RecordID{refund(0)}) {
		t.Errorf("renewable: %v", got)
	}
	s.Renewed([]AckResult{{ID: refund(0), Delivery: 1, Outcome: OutcomeDone, LockEnds: later.Add(30 * time.Second), Lock: 30 * time.Second}})
	if left := s.Records()[0].LockLeft(later); left != 30*time.Second {
		t.Errorf("%v are left after the renewal", left)
	}
	if first := s.NextLock(later); first.ID != refund(1) {
		t.Errorf("the next lock to end is %v", first.ID)
	}
	gone := now.Add(40 * time.Second)
	if held, _ := s.Count(gone); held != 1 {
		t.Errorf("%d held after the other lock ended", held)
	}
	if len(s.Renewable([]RecordID{refund(1)}, gone)) != 0 || s.Decide(refund(1), Accept, gone) {
		t.Error("a record whose lock has ended can still be renewed or decided")
	}
	if s.Stats().Renewed != 1 {
		t.Error("the renewal is not counted")
	}
}

func TestWarnings(t *testing.T) {
	now := sessionTime()
	for _, test := range []struct {
		delivery int
		says     string
	}{
		{1, ""}, {2, ""}, {3, "halves"}, {4, "one delivery is left"}, {5, "0 is on delivery 5 of 5, its last: release = archived (dlq.refunds)"},
	} {
		s := holding(now, test.delivery)
		terms := s.Terms()
		terms.DeadLetters = NewTopicName("dlq.refunds")
		s.SetTerms(terms)
		got, _ := s.Warnings(now)
		switch {
		case test.says == "" && len(got) > 0:
			t.Errorf("delivery %d: %v", test.delivery, got)
		case test.says != "" && (len(got) != 1 || !strings.Contains(got[0].Text, test.says)):
			t.Errorf("delivery %d: %v", test.delivery, got)
		}
		if over, more := s.Warnings(now.Add(time.Hour)); len(over) > 0 || more > 0 {
			t.Error("a warning about what is not held")
		}
	}
	s := holding(now, 1)
	s.Took(takenRecords(now, 2), now)
	s.Took(takenRecords(now, 2), now)
	if got, more := s.Warnings(now); len(got) != 1 || more != 0 || !strings.Contains(got[0].Text, "3 times") {
		t.Errorf("the third time: %v", got)
	}
	several := holding(now, 5)
	several.Took([]HeldRecord{{ID: RecordID{Topic: NewTopicName("orders"), Partition: 2}, Delivery: 1, Lock: time.Minute, LockEnds: now.Add(time.Minute)}}, now)
	if got, _ := several.Warnings(now); len(got) != 1 || !strings.HasPrefix(got[0].Text, "refunds-0@0 is on delivery 5") {
		t.Errorf("offsets alone name no record of several partitions: %v", got)
	}
	all := holding(now, slices.Repeat([]int{3, 5}, 20)...)
	got, more := all.Warnings(now)
	if len(got) != maxWarnings || more != 20 || !strings.Contains(got[19].Text, "its last") {
		t.Errorf("%d warnings and %d more, the last of them %q", len(got), more, got[len(got)-1].Text)
	}
}

func TestStats(t *testing.T) {
	now := sessionTime()
	s := holding(now, 1, 2, 3)
	s.Decide(refund(0), Accept, now)
	s.Decide(refund(1), Reject, now)
	s.Begin(s.Plan(now), now)
	s.Settle([]AckResult{
		{ID: refund(0), Outcome: OutcomeDone, Took: 10 * time.Millisecond},
		{ID: refund(1), Outcome: OutcomeDone, Took: 30 * time.Millisecond},
		{ID: refund(2), Outcome: OutcomeDone, Took: 20 * time.Millisecond},
	}, now)
	got := s.Stats()
	if got.Acquired != 3 || got.Redelivered != 2 || got.Acknowledged != 1 || got.Rejected != 1 || got.Released != 1 {
		t.Errorf("%+v", got)
	}
	if avg, most, ok := got.AckTime(); !ok || avg != 20*time.Millisecond || most != 30*time.Millisecond {
		t.Errorf("ack time %v %v", avg, most)
	}
	if r := got.Rate(got.Acquired, now.Add(3*time.Second)); !r.Known || r.PerSecond != 1 {
		t.Errorf("rate %+v", r)
	}
}

func TestLeaveResultNamesWhatIsHeld(t *testing.T) {
	ends := sessionTime()
	r := LeaveResult{
		Group: NewGroupID("pay\x1b[2J"), Released: []RecordID{refund(1)}, Archived: []RecordID{refund(2)},
		NotReleased: []LockedRecord{{ID: refund(9120), LockEnds: ends, Last: true}}, Why: "did not answer in time",
		Unanswered: []LockedRecord{{ID: refund(7), Decision: Reject, LockEnds: ends}}, FetchCut: true,
	}
	text := strings.Join(r.Lines(true), "\n")
	for _, want := range []string{
		"Released 1 record", "archived, 1 record", "Could not release 1 record", "refunds-0@9,120, lock ends 14:57:03Z and archives it",
		"did not confirm", "not known what became of 1 record", "refunds-0@7 (reject), lock ends 14:57:03Z",
		"still being asked for",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Error("raw text in a sentence")
	}
	many := LeaveResult{Left: true}
	for i := range 500 {
		many.Released = append(many.Released, refund(int64(i)))
	}
	if lines := many.Lines(true); len(lines) != 1 || !strings.Contains(lines[0], "and 490 more") {
		t.Errorf("%v", lines)
	}
	if quiet := (&LeaveResult{Left: true}); len(quiet.Lines(true)) != 0 {
		t.Error("nothing was held, and nothing needs to be said")
	}
}

func TestCostOfJoining(t *testing.T) {
	orders := NewTopicName("orders")
	group := func(members, partitions int) *Group {
		g := &Group{ID: NewGroupID("g"), Described: sessionTime(), OffsetsAt: sessionTime(), Settings: &Settings{DeliveryLimit: Known(3)}}
		for i := range members {
			m := Member{Subscribed: []TopicName{orders}, Assignment: []Assignment{{Topic: orders}}}
			for p := i; p < partitions; p += members {
				m.Assignment[0].Partitions = append(m.Assignment[0].Partitions, int32(p))
			}
			g.Members = append(g.Members, m)
		}
		for p := range partitions {
			g.Partitions = append(g.Partitions, SharePartition{Topic: orders, Partition: int32(p)})
		}
		return g
	}
	invoices := NewTopicName("invoices")
	for _, test := range []struct {
		members, partitions int
		change              func(*Group)
		says                string
	}{
		{0, 4, nil, "its only one"},
		{1, 0, nil, "is not known"},
		{1, 4, nil, "2 members for 4 partitions: this one takes ~2 away from the others, of orders-0, orders-1, orders-2, orders-3."},
		{2, 5, nil, "3 members for 5 partitions: this one takes ~1 or 2 away from the others, of orders-0, orders-1, orders-2, orders-3, orders-4."},
		// Only the first two have more than one.
		{3, 5, nil, "4 members for 5 partitions: this one takes ~1 or 2 away from the others, of orders-0, orders-1, orders-3, orders-4."},
		{3, 4, nil, "takes ~1 away from the others, of orders-0, orders-3."},
		{1, 40, nil, "of orders-0, orders-1, orders-2, orders-3, orders-4, orders-5, orders-6, orders-7, orders-8, orders-9, and 30 more."},
		{1, 2, func(g *Group) { g.Members[0].Assignment[0].Partitions = []int32{1} }, "2 members for 2 partitions: no other member loses any."},
		{1, 4, func(g *Group) { g.Members[0].Subscribed = append(g.Members[0].Subscribed, invoices) }, "takes up to ~2 away from the others, of orders-0, orders-1, orders-2, orders-3."},
		{2, 4, func(g *Group) { g.Assignor = NewText("own") }, "takes up to ~2 away from the others, of orders-0, orders-1, orders-2, orders-3."},
		{4, 4, nil, "5 members for 4 partitions: members share partitions"},
		{1, 1, nil, "2 members for 1 partition:"},
	} {
		g := group(test.members, test.partitions)
		if test.change != nil {
			test.change(g)
		}
		c := CostOfJoining(g, []TopicName{orders})
		if !strings.Contains(strings.Join(c.Lines(), "\n"), test.says) {
			t.Errorf("%d members, %d partitions: %+v\n%v", test.members, test.partitions, c, c.Lines())
		}
		if test.change != nil {
			continue
		}
		if c := CostOfJoining(g, nil); test.partitions > 0 && !slices.Equal(c.Topics, []TopicName{orders}) {
			t.Errorf("topics %v", c.Topics)
		}
	}
	g := group(1, 1)
	g.Partitions[0].State = NewPartitionState(StateParts{Start: 0, Finished: 0, Highest: 9, Batches: Intervals{
		{First: 1, Last: 1, State: RecordReleased, Count: 1},
		{First: 3, Last: 4, State: RecordReleased, Count: 2},
		{First: 6, Last: 99, State: RecordReleased, Count: 2},
	}})
	c := CostOfJoining(g, nil)
	if len(c.Last) != maxLast || c.LastMore != 96-maxLast || c.Last[0].Offset != 3 || !c.LastKnown {
		t.Errorf("on their last delivery: %v and %d more", c.Last, c.LastMore)
	}
	if lines := c.Lines(); !strings.Contains(lines[0], "96 records on their last delivery") {
		t.Errorf("%q", lines[0])
	}
	if c := CostOfJoining(nil, nil); c.Terms.DeliveryLimit != Known(5) || len(c.Lines()) == 0 {
		t.Errorf("a group that nobody knows: %+v", c)
	}
}
