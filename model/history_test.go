package model

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// A drained group keeps an old start offset for ever; one more record is new
// work, and has waited only since it came.
func TestDrainedGroupWithAnOldStartIsCaughtUp(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 666})
	s.group("packers", 1, part("jobs", 0, 0, 666))
	s.look(0)
	for range 4 {
		s.finish("packers", 0, 166, s.groups["packers"].Partitions[0].Start.Or(0)+30)
		s.look(time.Second)
	}
	s.finish("packers", 0, 2, 120)
	for range 600 {
		s.look(time.Second)
		s.want("packers", FindingCaughtUp, "caught up")
	}
	if d := s.row("packers").Drain; d.Kind != DrainDone {
		t.Errorf("drain: %+v", d)
	}
	s.arrive("packers", 0, 1)
	s.look(time.Second)
	if v := s.row("packers").Verdict; v.Severity != SeverityFine {
		t.Errorf("one record has just come: %s %q", v.Finding, v.Text)
	}
	s.look(29 * time.Second)
	s.look(2 * time.Second)
	s.want("packers", FindingNotMoving, "not moving 31s: 1 offset waits; may be markers or gaps")
}

// One record is held and renewed, the others flow past it.
func TestBlockedByOneRecord(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("refunds", [2]int64{0, 9120})
	s.group("retry", 1, part("refunds", 0, 9100, 20))
	s.look(0)
	s.finish("retry", 0, 19, 9120) // the start offset is seen to move
	s.look(time.Second)
	for i := range 60 {
		s.arrive("retry", 0, 2)
		s.finish("retry", 0, 2, 9120)
		s.look(time.Second)
		if i == 20 {
			if v := s.row("retry").Verdict; v.Severity == SeverityStuck {
				t.Fatalf("stayed for 20 s, a lock lasts 30: %q", v.Text)
			}
		}
	}
	s.want("retry", FindingBlocked, "blocked at refunds-0@≥9,120 1m")
	r := s.row("retry")
	if !r.Verdict.Since.Equal(sceneStart.Add(time.Second)) || r.Drain.Kind != DrainStuck {
		t.Errorf("since %v, drain %+v", r.Verdict.Since, r.Drain)
	}
	if s.board.Totals.Stuck != 1 {
		t.Errorf("totals: %+v", s.board.Totals)
	}
	s.finish("retry", 0, 1, 9240) // accepted at last
	s.look(time.Second)
	s.want("retry", FindingCaughtUp, "caught up")
}

func TestBlockedBeforeWeLookedIsAtLeast(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("refunds", [2]int64{0, 9200})
	s.group("retry", 1, part("refunds", 0, 9120, 14))
	s.look(0)
	for range 70 {
		s.arrive("retry", 0, 1)
		s.finish("retry", 0, 1, 9120)
		s.look(time.Second)
	}
	s.want("retry", FindingBlocked, "blocked at refunds-0@≥9,120 ≥1m")
}

// One acknowledgement finishes a whole batch: the persisted start offset is one
// write behind, and nothing is in the way of anything.
func TestOneLargeAcknowledgementIsNotBlocked(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 5000})
	s.group("slow", 1, part("jobs", 0, 0, 5000))
	s.look(0)
	start := int64(0)
	for second := 1; second <= 400; second++ {
		if second%40 == 0 { // a batch takes 40 s, its locks are renewed
			s.finish("slow", 0, 500, start)
			start += 500
		}
		s.look(time.Second)
		if v := s.row("slow").Verdict; v.Finding == FindingBlocked || v.Finding == FindingWindowFull {
			t.Fatalf("second %d: %q", second, v.Text)
		}
	}
}

// Acknowledgements out of order leave the start offset where it is; then only
// a transaction marker is left, which no member will ever finish.
func TestTrailingMarkersAreNeverBlocked(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("tx", [2]int64{0, 11})
	s.group("audit", 1, part("tx", 0, 0, 11))
	s.look(0)
	s.finish("audit", 0, 5, 0)
	s.look(time.Second)
	s.finish("audit", 0, 2, 5) // 8 and 9
	s.look(time.Second)
	s.finish("audit", 0, 1, 5) // 7
	s.look(time.Second)
	s.finish("audit", 0, 2, 5) // 5 and 6; 10 is the marker
	for second := range 600 {
		s.look(time.Second)
		if v := s.row("audit").Verdict; v.Severity == SeverityStuck {
			t.Fatalf("second %d: %q", second, v.Text)
		}
	}
	s.want("audit", FindingNotMoving, "not moving 9m: 1 offset waits; may be markers or gaps")
}

func TestKnownStartBecomesUnreadableAndComesBack(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 1000})
	s.group("g", 1, part("jobs", 0, 500, 400))
	s.look(0)
	s.groups["g"].Partitions[0] = unsettledPart("jobs", 0)
	s.look(time.Second)
	s.look(time.Second)
	s.want("g", FindingUnreadable, "share state of jobs-0 can't be read")
	if v := s.row("g").Verdict; v.Offset != Known(500) || !v.Since.Equal(sceneStart.Add(time.Second)) {
		t.Errorf("last known start and when: %+v", v)
	}
	s.groups["g"].Partitions[0] = part("jobs", 0, 500, 400)
	s.look(time.Second)
	if v := s.row("g").Verdict; v.Severity != SeverityFine {
		t.Errorf("it is back: %q", v.Text)
	}
}

func TestWindowFullTakesTime(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 5000})
	g := s.group("g", 1, part("jobs", 0, 0, 3000))
	g.Settings = &Settings{MaxRecordLocks: Known(2000), LockDuration: 10 * time.Second}
	s.look(0)
	s.look(10 * time.Second)
	if v := s.row("g").Verdict; v.Finding == FindingWindowFull {
		t.Fatalf("not longer than a lock: %q", v.Text)
	}
	s.look(time.Second)
	s.want("g", FindingWindowFull, "window full: jobs-0 ≥2,001 of 2,000")
}

func TestNothingIsTrueOfMembersTooEarly(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 100})
	g := s.group("g", 2, part("jobs", 0, 100, 0))
	for i := range g.Members {
		g.Members[i].Assignment = nil
	}
	s.look(0)
	s.look(10 * time.Second)
	s.want("g", FindingCaughtUp, "caught up")
	s.look(time.Second)
	s.want("g", FindingNoAssignment, "members but no assignment")
	if v := s.row("g").Verdict; !v.AtLeast {
		t.Error("it was like that when we first looked")
	}
}

func TestLeaderAndTopicAreNoticedWithoutTheGroup(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 100})
	s.group("g", 1, part("jobs", 0, 100, 0))
	s.look(0)
	none := func(string) bool { return false }
	s.log("jobs", 0).Leader = NoLeader
	s.lookAt(none)
	s.want("g", FindingNoLeader, "jobs-0 has no leader")
	s.log("jobs", 0).Leader = 2
	s.lookAt(none)
	s.want("g", FindingCaughtUp, "caught up")
	s.topics["jobs"].Gone = true
	s.lookAt(none)
	s.want("g", FindingTopicGone, "topic jobs is gone")
	delete(s.groups, "g")
	s.lookAt(none)
	if len(s.tracker.topics) != 0 {
		t.Error("the history of a topic outlives its last group")
	}
}

// Whatever numbers and times a broker gives: no panic, no rate that is no
// number, no sum that wraps around.
func TestAbsurdNumbers(t *testing.T) {
	values := []Number{
		{},
		Known(0), Known(1), Known(-1), Known(-5), Known(-980), Known(100), Known(20),
		Known(math.MaxInt64), Known(math.MinInt64), Known(math.MaxInt64 - 1), Known(math.MaxInt32 + 1),
	}
	times := []time.Time{
		{},
		sceneStart, sceneStart.Add(24 * time.Hour), time.UnixMilli(0), time.UnixMilli(-1),
		time.UnixMilli(math.MaxInt64), time.Unix(1<<40, 0), sceneStart.Add(-24 * time.Hour),
	}
	rng := rand.New(rand.NewPCG(7, 7))
	number := func() Number { return values[rng.IntN(len(values))] }
	moment := func() time.Time { return times[rng.IntN(len(times))] }
	tracker := NewTracker(Rules{})
	id, topic := NewGroupID("g"), NewTopicName("jobs")
	for range 20_000 {
		g := &Group{ID: id, OffsetsAt: moment(), Described: moment(), State: []GroupState{GroupEmpty, GroupStable}[rng.IntN(2)]}
		for i := range int32(rng.IntN(3)) {
			g.Partitions = append(g.Partitions, SharePartition{
				Topic: topic, Partition: i, Start: number(), Lag: number(), LagEnd: number(),
			})
		}
		log := func() PartitionLog {
			return PartitionLog{Asked: true, Leader: 1, LogStart: number(), End: number(), StartAt: moment(), EndAt: moment()}
		}
		s := &Snapshot{
			Taken: moment(), Groups: []*Group{g},
			Topics: map[TopicName]*Topic{topic: {Name: topic, Partitions: []PartitionLog{log(), log()}}},
		}
		b := tracker.Apply(s, id, sceneStart.Add(time.Duration(rng.IntN(1000))*time.Second))
		for _, r := range b.Rows {
			for _, rate := range []Rate{r.In, r.Done, r.Net} {
				v := rate.PerSecond
				if math.IsNaN(v) || math.IsInf(v, 0) || v == 0 && math.Signbit(v) {
					t.Fatalf("not a rate: %v", v)
				}
			}
			if r.In.PerSecond < 0 || r.Done.PerSecond < 0 || r.Lag.Or(0) < 0 || r.Drain.In < 0 {
				t.Fatalf("below 0: %+v", r)
			}
		}
		for _, p := range b.Open.Partitions {
			if p.Ahead.Or(0) < 0 || p.Window.Or(0) < 0 || p.Done.PerSecond < 0 {
				t.Fatalf("below 0: %+v", p)
			}
		}
	}
}

// A record that comes in between the samples of the log's end and of the lag
// looks like one finished less. When few come in, nothing before it says so.
func TestRareRecordsDoNotBreakTheSeries(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 134})
	s.group("g", 2, part("jobs", 0, 120, 14))
	s.skew = -10 * time.Millisecond
	for range 30 {
		p := &s.groups["g"].Partitions[0]
		p.Lag = Known(p.Lag.Or(0) + 1) // came in after the end was asked for
		s.look(time.Second)
		s.produce("jobs", 0, 1)
		s.finish("g", 0, 1, 120)
		s.look(time.Second)
	}
	r := s.row("g")
	if !r.Done.Known || r.Done.PerSecond < 0.4 || r.Done.PerSecond > 0.6 {
		t.Errorf("one record finished every two seconds: %+v", r.Done)
	}
	if r.Verdict.Finding != FindingBlocked {
		t.Errorf("the start stays while others finish: got %s %q", r.Verdict.Finding, r.Verdict.Text)
	}
}

// Finished records that are forgotten break the series even where the lag is
// asked for after the end: one sample later.
func TestLateSamplesStillBreakTheSeries(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 1000})
	s.group("g", 1, part("jobs", 0, 500, 400))
	s.skew = -10 * time.Millisecond
	for range 5 {
		s.look(time.Second)
	}
	s.groups["g"].Partitions[0] = part("jobs", 0, 500, 500)
	s.look(time.Second)
	s.look(time.Second)
	if r := s.row("g"); r.Done.Known {
		t.Errorf("the series goes on: %+v", r.Done)
	}
}
