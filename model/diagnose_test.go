package model

import (
	"strings"
	"testing"
	"time"
)

// at is a moment so many seconds after the scene's start.
func at(seconds int) time.Time { return sceneStart.Add(time.Duration(seconds) * time.Second) }

// diagnosis is an input with one share-partition "jobs-0" of a group that has
// one member, sampled at 100 s, in a log from 0 to 1,000.
func diagnosis() DiagnoseInput {
	g := &Group{
		ID: NewGroupID("g"), State: GroupStable, Described: at(100), OffsetsAt: at(100),
		Members: []Member{{
			ClientID: NewText("packer-1"), Host: NewText("10.0.3.7"),
			Subscribed: []TopicName{NewTopicName("jobs")},
			Assignment: []Assignment{{NewTopicName("jobs"), []int32{0}}},
		}},
		Partitions: []SharePartition{part("jobs", 0, 900, 50)},
	}
	return DiagnoseInput{
		Group: g, Support: ShareFull, Now: at(100), Lag: Known(50),
		Partitions: []PartitionFacts{{
			Log: PartitionLog{
				Asked: true, Leader: 1, LogStart: Known(0), End: Known(1000), StartAt: at(100), EndAt: at(100),
			},
			StartSince: at(99), FinishedAt: at(99),
		}},
	}
}

// heldFor makes the start offset stay for so many seconds up to the sample,
// while records went on being finished until so many seconds before it.
func heldFor(in *DiagnoseInput, seconds, quiet int) {
	f := &in.Partitions[0]
	f.StayedSince, f.StartSince, f.FinishedSince = at(100-seconds), at(100-seconds), 13
	f.FinishedAt, f.FinishedAfter, f.FinishedTwice = at(100-quiet), at(99-quiet), true
}

func TestEveryRule(t *testing.T) {
	type change func(in *DiagnoseInput)
	p := func(in *DiagnoseInput) *SharePartition { return &in.Group.Partitions[0] }
	f := func(in *DiagnoseInput) *PartitionFacts { return &in.Partitions[0] }
	empty := func(in *DiagnoseInput) { in.Group.State, in.Group.Members = GroupEmpty, nil }
	undescribed := func(in *DiagnoseInput) {
		in.Group.State, in.Group.Members, in.Group.Described = GroupUnknown, nil, time.Time{}
	}
	unsettled := func(in *DiagnoseInput) {
		p(in).Start, p(in).Lag, in.Lag, in.LagPartial = Number{}, Number{}, Number{}, true
	}
	lag := func(n int64) change { return func(in *DiagnoseInput) { p(in).Lag, in.Lag = Known(n), Known(n) } }
	settings := func(s Settings) change { return func(in *DiagnoseInput) { in.Group.Settings = &s } }
	added := func(in *DiagnoseInput) {
		in.Added, in.LagPartial = []AddedPartitions{{NewTopicName("jobs"), 1, 3}}, true
	}
	growing := func(in *DiagnoseInput) {
		in.Slope, in.LagFloor = Rate{60, true}, 3600
		in.In, in.Done, in.Net = Rate{310, true}, Rate{250, true}, Rate{-60, true}
	}
	tests := []struct {
		name    string
		changes []change
		finding Finding
		text    string
	}{
		{"records wait and all is well", nil, FindingQuiet, "being read, no trend yet"},

		{"blocked", []change{func(in *DiagnoseInput) { heldFor(in, 40, 0) }}, FindingBlocked, "blocked at jobs-0@≥900 40s"},
		{"blocked before we looked", []change{func(in *DiagnoseInput) {
			heldFor(in, 40, 0)
			f(in).StayedAtLeast = true
			in.Now = at(100 + 14*60)
		}}, FindingBlocked, "blocked at jobs-0@≥900 ≥14m"},
		{"stayed, but not longer than a lock", []change{func(in *DiagnoseInput) { heldFor(in, 31, 0) }}, FindingQuiet, "being read, no trend yet"},
		{"stayed longer than this group's lock", []change{
			func(in *DiagnoseInput) { heldFor(in, 31, 0) }, settings(Settings{LockDuration: 15 * time.Second}),
		}, FindingBlocked, "blocked at jobs-0@≥900 31s"},
		{"stayed shorter than this group's lock", []change{
			func(in *DiagnoseInput) { heldFor(in, 40, 0) }, settings(Settings{LockDuration: time.Minute}),
		}, FindingQuiet, "being read, no trend yet"},
		{"stayed while one acknowledgement finished many", []change{func(in *DiagnoseInput) {
			heldFor(in, 40, 0)
			f(in).FinishedTwice = false
		}}, FindingQuiet, "being read, no trend yet"},
		{"a part of the group may not be seen", []change{lag(0), func(in *DiagnoseInput) {
			in.LagPartial = true
			in.Group.Problems = []Problem{{Kind: ProblemDenied, Target: NewText("group g"), Detail: "Denied."}}
		}}, FindingDenied, "not allowed"},
		{"a topic of the group may not be seen", []change{lag(0), func(in *DiagnoseInput) {
			in.LagPartial = true
			in.Group.Problems = []Problem{{Kind: ProblemHidden, Target: NewText("topic t"), Detail: "Hidden."}}
		}}, FindingDenied, "not allowed"},
		{"offsets from the state topic of a group that may not be described", []change{undescribed, func(in *DiagnoseInput) {
			in.Group.Problems = []Problem{{Kind: ProblemDenied, Target: NewText("group g"), Detail: "Denied."}}
		}}, FindingDenied, "not allowed"},
		{"offsets before the first description", []change{undescribed}, FindingQuiet, "members not seen yet"},
		{"no state at all", []change{empty, func(in *DiagnoseInput) {
			in.Group.OffsetsFrom, in.Group.Partitions, in.Partitions, in.Lag = FromStateTopic, nil, nil, Known(0)
		}}, FindingNoneSettled, "no offsets yet"},
		{"a topic of the group has no name yet", []change{lag(0), func(in *DiagnoseInput) {
			in.LagPartial, in.Group.Unnamed = true, 1
		}}, FindingNotSeen, "not seen yet"},
		{"drained with an old start offset", []change{func(in *DiagnoseInput) { heldFor(in, 90, 0) }, lag(0)}, FindingCaughtUp, "caught up"},
		{"held up and nobody there any more", []change{func(in *DiagnoseInput) { heldFor(in, 40, 0) }, empty}, FindingNobody, "nobody is reading"},
		{"held up once, and silent for longer than a lock since", []change{
			func(in *DiagnoseInput) { heldFor(in, 90, 31) },
		}, FindingNotMoving, "not moving 31s: 50 offsets wait; may be markers or gaps"},

		{"window full", []change{func(in *DiagnoseInput) {
			heldFor(in, 40, 20)
			in.Group.Settings = &Settings{MaxRecordLocks: Known(100)}
			p(in).Start, f(in).FinishedTwice = Known(800), false
			p(in).Lag = Known(100)
		}}, FindingWindowFull, "window full: jobs-0 ≥101 of 100"},
		{"window full for less than a lock: one write trails", []change{func(in *DiagnoseInput) {
			heldFor(in, 20, 20)
			in.Group.Settings = &Settings{MaxRecordLocks: Known(100)}
			p(in).Start = Known(800)
			p(in).Lag = Known(100)
		}}, FindingQuiet, "being read, no trend yet"},
		{"window nearly full", []change{func(in *DiagnoseInput) {
			heldFor(in, 40, 20)
			in.Group.Settings = &Settings{MaxRecordLocks: Known(100)}
			p(in).Start, f(in).FinishedTwice = Known(800), false
			p(in).Lag = Known(121)
		}}, FindingWindowNear, "window nearly full: jobs-0 ≥80 of 100"},
		{"window at 79 %", []change{func(in *DiagnoseInput) {
			heldFor(in, 40, 20)
			in.Group.Settings = &Settings{MaxRecordLocks: Known(100)}
			p(in).Start, f(in).FinishedTwice = Known(800), false
			p(in).Lag = Known(122)
		}}, FindingQuiet, "being read, no trend yet"},

		{"share state unreadable", []change{unsettled, func(in *DiagnoseInput) {
			f(in).LastStart, f(in).LostAt = Known(900), at(100)
		}}, FindingUnreadable, "share state of jobs-0 can't be read"},
		{"start set to -1 in an empty group", []change{unsettled, empty, func(in *DiagnoseInput) {
			f(in).LastStart, f(in).LostAt = Known(900), at(100)
		}}, FindingWillSkip, "latest will skip 1,000 records"},

		{"no leader", []change{func(in *DiagnoseInput) { f(in).Log.Leader = NoLeader }}, FindingNoLeader, "jobs-0 has no leader"},
		{"leader not asked for", []change{func(in *DiagnoseInput) { f(in).Log = PartitionLog{Leader: NoLeader} }}, FindingQuiet, "being read, no trend yet"},
		{"topic gone", []change{func(in *DiagnoseInput) { f(in).TopicGone = true }}, FindingTopicGone, "topic jobs is gone"},
		{"topic gone, its partitions too", []change{func(in *DiagnoseInput) {
			in.Group.Partitions, in.Partitions, in.Lag = nil, nil, Known(0)
			in.GoneTopics = []TopicName{NewTopicName("jobs")}
		}}, FindingTopicGone, "topic jobs is gone"},
		{"topic deleted under the group, told as a problem", []change{empty, func(in *DiagnoseInput) {
			in.Group.Partitions, in.Partitions, in.Lag = nil, nil, Known(0)
			in.Group.Problems = []Problem{{Kind: ProblemGone, Target: NewText("topic jobs"), Detail: "Deleted."}}
		}}, FindingTopicGone, "topic jobs is gone"},
		{"no broker knows the group", []change{func(in *DiagnoseInput) {
			in.Group.OffsetsAt = time.Time{}
			in.Group.Problems = []Problem{{Kind: ProblemGone, Detail: "No such group."}}
		}}, FindingNotSeen, "no such group"},

		{"nobody reading", []change{empty}, FindingNobody, "nobody is reading"},
		{"nobody reading, by the description alone", []change{func(in *DiagnoseInput) {
			in.Group.State, in.Group.Members = GroupUnknown, nil
		}}, FindingNobody, "nobody is reading"},
		{"nobody reading, below the threshold", []change{empty, func(in *DiagnoseInput) { in.MinLag = 51 }}, FindingQuiet, "nobody is reading (below the threshold or muted)"},
		{"nobody there and nothing waits", []change{empty, lag(0)}, FindingCaughtUp, "caught up"},

		{"not moving", []change{func(in *DiagnoseInput) { f(in).FinishedAt, f(in).FinishedAtLeast = at(69), true }}, FindingNotMoving, "not moving ≥31s: 50 offsets wait; may be markers or gaps"},
		{"one offset not moving", []change{lag(1), func(in *DiagnoseInput) { f(in).FinishedAt = at(69) }}, FindingNotMoving, "not moving 31s: 1 offset waits; may be markers or gaps"},
		{"finished a lock ago", []change{func(in *DiagnoseInput) { f(in).FinishedAt = at(70) }}, FindingQuiet, "being read, no trend yet"},

		{"falling behind", []change{growing}, FindingBehind, "falling behind by 60/s"},
		{"growing, below the threshold", []change{growing, func(in *DiagnoseInput) { in.MinLag = 51 }}, FindingQuiet, "keeping up"},
		{"growing between two large acknowledgements", []change{growing, func(in *DiagnoseInput) { in.LagFloor = 0 }}, FindingQuiet, "keeping up"},
		{"grew, and shrinks just now", []change{growing, func(in *DiagnoseInput) { in.Net = Rate{10, true} }}, FindingQuiet, "keeping up"},
		{"growing by a hair of what comes in", []change{growing, func(in *DiagnoseInput) { in.Slope.PerSecond = 15 }}, FindingQuiet, "keeping up"},

		{"latest will skip", []change{unsettled, empty}, FindingWillSkip, "latest will skip 1,000 records"},
		{"latest, set", []change{unsettled, empty, settings(Settings{AutoOffsetReset: "latest"})}, FindingWillSkip, "latest will skip 1,000 records"},
		{"earliest skips nothing", []change{unsettled, empty, settings(Settings{AutoOffsetReset: "earliest"})}, FindingNoneSettled, "no record settled yet"},
		{"by_duration is not latest", []change{unsettled, empty, settings(Settings{AutoOffsetReset: "by_duration:PT1H"})}, FindingNoneSettled, "no record settled yet"},
		{"none settled with members", []change{unsettled}, FindingNoneSettled, "no record settled yet"},
		{"empty log, never settled", []change{unsettled, empty, func(in *DiagnoseInput) {
			f(in).Log.End = Known(0)
			in.Lag, in.LagPartial = Known(0), false
		}}, FindingEmptyTopic, "topic is empty"},

		{"partitions added", []change{added, empty, lag(0)}, FindingAdded, "latest may skip 2 new partitions of jobs"},
		{"partitions added, nobody reads what waits", []change{added, empty}, FindingNobody, "nobody is reading"},
		{"partitions added, from the earliest", []change{added, empty, lag(0), settings(Settings{AutoOffsetReset: "earliest"})}, FindingNoneSettled, "2 new partitions of jobs not begun yet"},

		{"no assignment", []change{lag(0), func(in *DiagnoseInput) { in.UnassignedSince = at(89) }}, FindingNoAssignment, "members but no assignment"},
		{"no assignment yet", []change{lag(0), func(in *DiagnoseInput) { in.UnassignedSince = at(90) }}, FindingCaughtUp, "caught up"},
		{"no assignment, slow heartbeats", []change{
			lag(0), func(in *DiagnoseInput) { in.UnassignedSince = at(85) }, settings(Settings{HeartbeatInterval: 10 * time.Second}),
		}, FindingCaughtUp, "caught up"},

		{"start past the end", []change{lag(-5), func(in *DiagnoseInput) { p(in).Start = Known(1005) }}, FindingPastEnd, "start past the end: jobs-0 waits until the log reaches 1,005"},
		{"start past the end by one: lag -1 is a number", []change{lag(-1), func(in *DiagnoseInput) { p(in).Start = Known(1001) }}, FindingPastEnd, "start past the end: jobs-0 waits until the log reaches 1,001"},
		{"start past an end from before it", []change{lag(-5), func(in *DiagnoseInput) {
			p(in).Start, f(in).Log.EndAt = Known(1005), at(98)
		}}, FindingCaughtUp, "caught up"},

		{"deleted unfinished", []change{func(in *DiagnoseInput) { f(in).Log.LogStart = Known(915) }}, FindingDeleted, "up to 15 records deleted unfinished"},
		{"deleted unfinished, not more than the lag", []change{lag(3), func(in *DiagnoseInput) { f(in).Log.LogStart = Known(915) }}, FindingDeleted, "up to 3 records deleted unfinished"},
		{"deleted, and all finished", []change{lag(0), func(in *DiagnoseInput) { f(in).Log.LogStart = Known(915) }}, FindingCaughtUp, "caught up"},
		{"start -100, which a broker takes", []change{func(in *DiagnoseInput) { p(in).Start = Known(-100) }}, FindingQuiet, "being read, no trend yet"},
		{"log start from long after the start offset", []change{func(in *DiagnoseInput) {
			f(in).Log.LogStart, f(in).Log.StartAt = Known(915), at(200)
		}}, FindingQuiet, "being read, no trend yet"},

		{"group full", []change{lag(0), settings(Settings{GroupMaxSize: Known(1)})}, FindingGroupFull, "group full: 1 of 1 members"},

		{"draining", []change{func(in *DiagnoseInput) { in.Slope = Rate{-2, true} }}, FindingDraining, "draining"},
		{"caught up", []change{lag(0)}, FindingCaughtUp, "caught up"},
		{"epochs that differ after emptying say nothing", []change{empty, lag(0), func(in *DiagnoseInput) {
			in.Group.Epoch, in.Group.AssignmentEpoch = Known(9), Known(5)
		}}, FindingCaughtUp, "caught up"},

		{"not allowed", []change{func(in *DiagnoseInput) {
			in.Group.OffsetsAt = time.Time{}
			in.Group.Problems = []Problem{{Kind: ProblemDenied, Detail: "No.", Advice: "Grant it."}}
		}}, FindingDenied, "not allowed"},
		{"one forbidden topic leaves the rest to be judged", []change{empty, func(in *DiagnoseInput) {
			in.Group.Problems = []Problem{{Kind: ProblemDenied, Detail: "No.", Advice: "Grant it."}}
			in.LagPartial = true
		}}, FindingNobody, "nobody is reading"},
		{"share groups off", []change{func(in *DiagnoseInput) { in.Support = ShareDisabled }}, FindingFeatureOff, "share groups are off"},
		{"brokers too old", []change{func(in *DiagnoseInput) { in.Support = ShareTooOld }}, FindingFeatureOff, "brokers too old for share groups"},
		{"not seen yet", []change{func(in *DiagnoseInput) { in.Group.OffsetsAt = time.Time{} }}, FindingNotSeen, "not seen yet"},
		{"no offsets told", []change{empty, func(in *DiagnoseInput) {
			in.Group.Partitions, in.Partitions, in.Lag, in.LagPartial = nil, nil, Number{}, true
		}}, FindingNoOffsets, "no offsets to be seen"},
		{"lag not told", []change{func(in *DiagnoseInput) {
			p(in).Lag, in.Lag, in.LagPartial = Number{}, Number{}, true
		}}, FindingNoLag, "lag not told by the broker"},
		{"lag not told, and a partition where nothing is settled", []change{func(in *DiagnoseInput) {
			p(in).Lag, in.Lag, in.LagPartial = Number{}, Number{}, true
			in.Group.Partitions = append(in.Group.Partitions, SharePartition{Topic: NewTopicName("jobs"), Partition: 1})
		}}, FindingNoLag, "lag not told by the broker"},
		{"the topic may not be described any more", []change{func(in *DiagnoseInput) {
			p(in).Lag, in.Lag, in.LagPartial = Number{}, Number{}, true
			f(in).TopicProblem = &Problem{Kind: ProblemDenied, Detail: "DESCRIBE on topic jobs is missing."}
		}}, FindingDenied, "not allowed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := diagnosis()
			for _, c := range test.changes {
				c(&in)
			}
			v := Diagnose(in)
			if v.Finding != test.finding || v.Text != test.text {
				t.Errorf("got %s %q, want %s %q", v.Finding, v.Text, test.finding, test.text)
			}
			if v.Severity != severityOf(test.finding) {
				t.Errorf("severity of %s: %s", v.Finding, v.Severity)
			}
			if v.Severity >= SeverityWarn && (len(v.Evidence) == 0 || len(v.Next) == 0) {
				t.Errorf("%s has nothing to back it up or nothing to do: %+v", v.Finding, v)
			}
			if strings.Contains(strings.Join(written(v.Evidence), " "), "%!") || strings.Contains(v.Text, "%!") {
				t.Errorf("bad format: %q", v.Text)
			}
		})
	}
}

// severityOf is what the rules say about each finding, written down once more.
func severityOf(f Finding) Severity {
	switch f {
	case FindingBlocked, FindingWindowFull, FindingUnreadable, FindingNoLeader, FindingTopicGone:
		return SeverityStuck
	case FindingNobody, FindingNotMoving, FindingBehind, FindingWillSkip, FindingAdded, FindingNoAssignment,
		FindingPastEnd, FindingDeleted, FindingGroupFull, FindingWindowNear,
		FindingLosing, FindingHeldBack, FindingExpiring, FindingLoop:
		return SeverityWarn
	case FindingMarkers, FindingDraining, FindingQuiet, FindingCaughtUp, FindingEmptyTopic, FindingNoneSettled:
		return SeverityFine
	default:
		return SeverityUnknown
	}
}

func TestWorstFindingFirstAndOthersAfter(t *testing.T) {
	in := diagnosis()
	heldFor(&in, 40, 0)
	in.Partitions[0].Log.LogStart = Known(915)
	in.Slope, in.LagFloor, in.Net = Rate{60, true}, 3600, Rate{-60, true}
	v := Diagnose(in)
	var got []string
	for _, o := range append([]Verdict{v}, v.Others...) {
		got = append(got, string(o.Finding))
	}
	if want := "blocked falling-behind deleted-unfinished"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if !v.HasPlace || v.Topic != NewTopicName("jobs") || v.Offset != Known(900) || !v.Since.Equal(at(60)) || v.AtLeast {
		t.Errorf("place and time: %+v", v)
	}
	for _, want := range []string{"2 only packer-1 (10.0.3.7) is assigned jobs-0", "v look at it"} {
		if !strings.Contains(strings.Join(v.Next, "\n"), want) {
			t.Errorf("next lacks %q: %q", want, v.Next)
		}
	}
}

func TestWorstPartitionSpeaksForTheOthers(t *testing.T) {
	in := diagnosis()
	in.Partitions[0].FinishedAt = at(10)
	second, facts := part("jobs", 1, 700, 300), in.Partitions[0]
	in.Group.Partitions = append(in.Group.Partitions, second, part("jobs", 2, 1000, 0))
	in.Partitions = append(in.Partitions, facts, facts)
	v := Diagnose(in)
	if v.Partition != 1 || v.Text != "jobs-1 not moving 1m: 300 offsets wait; may be markers or gaps (2 partitions)" {
		t.Errorf("got partition %d %q", v.Partition, v.Text)
	}
	for i, want := range []Finding{FindingNotMoving, FindingNotMoving, FindingCaughtUp} {
		if got := DiagnosePartition(in, i); got.Finding != want {
			t.Errorf("partition %d: got %s, want %s", i, got.Finding, want)
		}
	}
	if got := DiagnosePartition(in, 3); got != (PartitionVerdict{}) {
		t.Errorf("no such partition: %+v", got)
	}
}

func TestMutedFindingsGiveWayToTheNext(t *testing.T) {
	in := diagnosis()
	heldFor(&in, 40, 0)
	in.Partitions[0].Log.LogStart = Known(915)
	tests := []struct {
		name  string
		rules Rules
		want  Finding
	}{
		{"none", Rules{}, FindingBlocked},
		{"one", Rules{Mute: []Mute{{Finding: FindingBlocked}}}, FindingDeleted},
		{"one, of this group", Rules{Mute: []Mute{{Group: "g*", Finding: FindingBlocked}}}, FindingDeleted},
		{"one, of another group", Rules{Mute: []Mute{{Group: "h*", Finding: FindingBlocked}}}, FindingBlocked},
		{"all, of this group", Rules{Mute: []Mute{{Group: "g"}}}, FindingQuiet},
		{"all, everywhere", Rules{Mute: []Mute{{Group: "*"}}}, FindingQuiet},
		{"a pattern that is none", Rules{Mute: []Mute{{Group: "[", Finding: FindingBlocked}}}, FindingBlocked},
		{"a finding that is none", Rules{Mute: []Mute{{Finding: "nonsense"}}}, FindingBlocked},
		{"fine findings can't be muted", Rules{Mute: []Mute{{Finding: FindingBlocked}, {Finding: FindingDeleted}, {Finding: FindingQuiet}}}, FindingQuiet},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in.Muted = test.rules.Muted(in.Group.ID)
			if v := Diagnose(in); v.Finding != test.want {
				t.Errorf("got %s, want %s", v.Finding, test.want)
			}
		})
	}
}

func TestExactHeadFromTheStateTopic(t *testing.T) {
	// 900 finished long ago, 910 in the way, 911 to 959 finished.
	state := func(finished int32, batches ...StateBatch) *PartitionState {
		return NewPartitionState(StateParts{
			Start: 900, Finished: finished, Highest: 959, LeaderEpoch: -1,
			Batches: Intervals(batches), HeadSince: NewStamp(at(20).UnixMilli(), true),
		})
	}
	in := diagnosis()
	in.Live = true
	in.Group.Partitions[0].State = state(59,
		StateBatch{First: 900, Last: 909, State: RecordFinished, Count: 1},
		StateBatch{First: 911, Last: 959, State: RecordFinished, Count: 1})
	in.Now = at(50)
	if v := Diagnose(in); v.Finding == FindingBlocked {
		t.Errorf("in the way for exactly one lock: %q", v.Text)
	}
	in.Now = at(20 + 14*60)
	if v := Diagnose(in); v.Text != "blocked at jobs-0@910 ≥14m" || v.Offset != Known(910) {
		t.Errorf("got %q at %v", v.Text, v.Offset)
	}
	in.Group.Partitions[0].State = state(60, StateBatch{First: 900, Last: 959, State: RecordFinished, Count: 1})
	if v := Diagnose(in); v.Finding == FindingBlocked {
		t.Errorf("nothing after the head is finished: what is left may be markers: %q", v.Text)
	}
}
