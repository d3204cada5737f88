package model

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// headDiagnosis is diagnosis with a state: start 900, head 910 on its fourth
// delivery, those up to 909 and from 911 to 959 finished, the log's end at
// 1,000. The head has been the head for 60 s.
func headDiagnosis() DiagnoseInput {
	in := diagnosis()
	in.Live = true
	in.Group.Settings = &Settings{DeliveryLimit: Known(5)}
	in.Group.Partitions[0].State = headState(59)
	in.Group.Partitions[0].Lag, in.Lag = Known(41), Known(41)
	in.Partitions[0].StayedSince = at(10)
	return in
}

func headState(last int64) *PartitionState {
	batches := Intervals{
		{First: 900, Last: 909, State: RecordFinished, Count: 1},
		{First: 910, Last: 910, State: RecordReleased, Count: 3},
	}
	if last > 10 {
		batches = append(batches, StateBatch{First: 911, Last: 900 + last, State: RecordFinished, Count: 1})
	}
	return NewPartitionState(StateParts{
		Start: 900, Finished: int32(last), Highest: 900 + last, LeaderEpoch: -1, Batches: batches,
		HeadSince: NewStamp(at(40).UnixMilli(), false), LastFinish: NewStamp(at(95).UnixMilli(), false),
	})
}

func TestStateRules(t *testing.T) {
	type change func(in *DiagnoseInput)
	p := func(in *DiagnoseInput) *SharePartition { return &in.Group.Partitions[0] }
	f := func(in *DiagnoseInput) *PartitionFacts { return &in.Partitions[0] }
	alone := func(in *DiagnoseInput) { p(in).State = headState(10) } // nothing behind the head is finished
	untried := func(in *DiagnoseInput) {
		alone(in)
		parts := *p(in).State.p
		parts.Batches = parts.Batches[:1]
		p(in).State = NewPartitionState(parts)
	}
	record := func(offset int64, made time.Time) change {
		return func(in *DiagnoseInput) {
			p(in).Head = &HeadRecord{Offset: 910, Record: Known(offset), Timestamp: made}
		}
	}
	noneUpTo := func(offset int64) change {
		return func(in *DiagnoseInput) { p(in).Head = &HeadRecord{Offset: 910, NoneUpTo: Known(offset)} }
	}
	still := func(in *DiagnoseInput) { f(in).FinishedAt = at(10) }
	rates := func(accepted, archived, released, deliveries float64) change {
		return func(in *DiagnoseInput) {
			in.State = StateRates{Rate{accepted, true}, Rate{archived, true}, Rate{released, true}, Rate{deliveries, true}}
		}
	}
	committed := func(stable int64) change {
		return func(in *DiagnoseInput) {
			in.Group.Settings.IsolationLevel = readCommitted
			f(in).Log.Stable, f(in).Log.StableAt = Known(stable), at(100)
		}
	}
	retention := func(d time.Duration) change {
		return func(in *DiagnoseInput) { f(in).Retention = Known(d.Milliseconds()) }
	}
	// aborted has no batch from 910 to 914, whose records the broker has finished by
	// itself; with fewer than 50 finished 925 to 929 are not.
	aborted := func(finished int32) change {
		return func(in *DiagnoseInput) {
			parts := *headState(10).p
			parts.Finished, parts.Highest = finished, 949
			parts.Batches = Intervals{
				{First: 900, Last: 909, State: RecordFinished, Count: 1}, {First: 915, Last: 949, State: RecordFinished, Count: 1},
			}
			if finished < 50 {
				parts.Batches[1].Last = 924
				parts.Batches = append(parts.Batches, StateBatch{First: 930, Last: 949, State: RecordFinished, Count: 1})
			}
			p(in).State = NewPartitionState(parts)
		}
	}
	empty := func(in *DiagnoseInput) { in.Group.State, in.Group.Members = GroupEmpty, nil }
	tests := []struct {
		name    string
		changes []change
		finding Finding
		text    string
	}{
		{"overtaken for longer than a lock", nil, FindingBlocked, "blocked at jobs-0@910 1m"},
		{"overtaken for less", []change{func(in *DiagnoseInput) { in.Now = at(70) }}, FindingQuiet, "being read, no trend yet"},
		{"overtaken, and the source has kept up only until then", []change{func(in *DiagnoseInput) { in.Seen = at(70) }}, FindingQuiet, "being read, no trend yet"},
		{"overtaken, and its first member came just now", []change{func(in *DiagnoseInput) { in.StaffedSince = at(90) }}, FindingQuiet, "being read, no trend yet"},
		{"a record at the head, nothing behind it finished", []change{alone, still, record(910, at(0))}, FindingBlocked, "blocked at jobs-0@910 1m"},
		{"a record at the head, produced later", []change{alone, record(910, at(60))}, FindingBlocked, "blocked at jobs-0@910 40s"},
		{"a record at the head, produced just now", []change{alone, record(910, at(90))}, FindingQuiet, "being read, no trend yet"},
		{"a record behind a gap at the head", []change{untried, still, record(915, at(0))}, FindingNotMoving, "not moving 1m at jobs-0@915: 41 offsets wait"},
		{"given back before, and nobody looked", []change{alone, still}, FindingBlocked, "blocked at jobs-0@910 1m"},
		{"never tried, nothing behind it finished", []change{untried, still, record(910, at(0))}, FindingNotMoving, "not moving 1m at jobs-0@910: 41 offsets wait"},
		{"never tried, and others finish", []change{untried, record(910, at(0))}, FindingQuiet, "being read, no trend yet"},
		{"a record at another head", []change{untried, still, func(in *DiagnoseInput) {
			p(in).Head = &HeadRecord{Offset: 905, Record: Known(905)}
		}}, FindingNotMoving, "not moving 1m: 41 offsets wait; may be markers or gaps"},
		{"nobody looked what is there", []change{untried, still}, FindingNotMoving, "not moving 1m: 41 offsets wait; may be markers or gaps"},
		{"first member just now, and long still", []change{untried, still, func(in *DiagnoseInput) { in.StaffedSince = at(90) }}, FindingQuiet, "being read, no trend yet"},

		{"only markers left", []change{alone, still, noneUpTo(1000)}, FindingMarkers, "only markers or gaps left"},
		{"only markers left, nobody reading", []change{alone, still, noneUpTo(1000), empty}, FindingMarkers, "only markers or gaps left"},
		{"markers up to a record that came since", []change{untried, still, noneUpTo(990)}, FindingNotMoving, "not moving 1m: 41 offsets wait; may be markers or gaps"},

		{"held back by a transaction", []change{alone, still, committed(910)}, FindingHeldBack, "held back by an open transaction: jobs-0 from 910 on"},
		{"aborted records up to a transaction", []change{untried, still, noneUpTo(950), committed(950)}, FindingHeldBack, "held back by an open transaction: jobs-0 from 950 on"},
		{"held back, and markers were archived before", []change{alone, still, committed(910), rates(0, 0.1, 0, 0.1)}, FindingHeldBack, "held back by an open transaction: jobs-0 from 910 on"},
		{"aborted records, and some behind them that are finished", []change{
			aborted(50), still, record(915, at(0)), committed(950),
		}, FindingHeldBack, "held back by an open transaction: jobs-0 from 950 on"},
		{"aborted records, and one in the way behind finished ones", []change{
			aborted(45), still, record(915, at(0)),
		}, FindingBlocked, "blocked at jobs-0@925 1m"},
		{"a transaction further on", []change{alone, still, record(910, at(0)), committed(950)}, FindingBlocked, "blocked at jobs-0@910 1m"},
		{"held back for less than a lock", []change{alone, committed(910)}, FindingQuiet, "being read, no trend yet"},
		{"read_uncommitted is not held back", []change{untried, still, committed(910), func(in *DiagnoseInput) {
			in.Group.Settings.IsolationLevel = "read_uncommitted"
		}}, FindingNotMoving, "not moving 1m: 41 offsets wait; may be markers or gaps"},
		{"no transaction open", []change{untried, still, committed(1000)}, FindingNotMoving, "not moving 1m: 41 offsets wait; may be markers or gaps"},
		{"held back, by requests", []change{still, committed(950), func(in *DiagnoseInput) {
			in.Live, p(in).State, p(in).Lag, in.Lag = false, nil, Known(50), Known(50)
		}}, FindingHeldBack, "held back by an open transaction: jobs-0 from 950 on"},
		{"less finished than lies below, by requests", []change{still, committed(951), func(in *DiagnoseInput) {
			in.Live, p(in).State, p(in).Lag, in.Lag = false, nil, Known(50), Known(50)
		}}, FindingNotMoving, "not moving 1m: 50 offsets wait; may be markers or gaps"},

		{"retention near", []change{alone, record(910, at(90).Add(-time.Hour)), retention(time.Hour + time.Minute), func(in *DiagnoseInput) {
			p(in).State = NewPartitionState(StateParts{Start: 910, Finished: 0, Highest: 909, HeadSince: NewStamp(at(90).UnixMilli(), false)})
		}}, FindingExpiring, "retention deletes jobs-0@910 in 50s"},
		{"retention over", []change{alone, empty, record(910, at(0).Add(-time.Hour)), retention(time.Hour), func(in *DiagnoseInput) { in.MinLag = 1000 }}, FindingExpiring, "retention may delete jobs-0@910 any moment"},
		{"retention far", []change{empty, record(910, at(0)), retention(time.Hour), func(in *DiagnoseInput) { in.MinLag = 1000 }}, FindingQuiet, "nobody is reading (below the threshold or muted)"},
		{"no retention by time", []change{empty, record(910, at(0)), func(in *DiagnoseInput) { f(in).Retention, in.MinLag = Known(-1), 1000 }}, FindingQuiet, "nobody is reading (below the threshold or muted)"},
		{"a retention beyond all numbers", []change{empty, record(910, at(0)), func(in *DiagnoseInput) { f(in).Retention, in.MinLag = Known(1<<63-1), 1000 }}, FindingQuiet, "nobody is reading (below the threshold or muted)"},

		{"redelivery loop", []change{func(in *DiagnoseInput) { in.Now = at(70) }, rates(1, 0, 12, 13)}, FindingLoop, "redelivery loop: 13/s delivered, 1/s finished"},
		{"some are given back", []change{func(in *DiagnoseInput) { in.Now = at(70) }, rates(100, 0, 12, 112)}, FindingQuiet, "being read, no trend yet"},
		{"one is given back now and then", []change{func(in *DiagnoseInput) { in.Now = at(70) }, rates(0, 0, 0.1, 0.1)}, FindingQuiet, "being read, no trend yet"},

		{"window full by offsets", []change{func(in *DiagnoseInput) {
			in.Group.Settings.MaxRecordLocks = Known(40)
			in.Muted = Rules{Mute: []Mute{{Finding: FindingBlocked}}}.Muted(in.Group.ID)
		}}, FindingWindowFull, "window full: jobs-0 ≥50 of 40"},
		{"a start offset that trails fills no window", []change{untried, func(in *DiagnoseInput) {
			in.Group.Settings.MaxRecordLocks = Known(10)
		}}, FindingQuiet, "being read, no trend yet"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := headDiagnosis()
			for _, c := range test.changes {
				c(&in)
			}
			v := Diagnose(in)
			if v.Finding != test.finding || v.Text != test.text || v.Severity != severityOf(test.finding) {
				t.Errorf("got %s %q (%s), want %q\n%s", v.Finding, v.Text, v.Severity, test.text, strings.Join(written(v.Evidence), "\n"))
			}
			if v.Severity >= SeverityWarn && (len(v.Evidence) == 0 || len(v.Next) == 0) {
				t.Errorf("%s has nothing to back it up or nothing to do: %+v", v.Finding, v)
			}
			if strings.Contains(strings.Join(append(written(v.Evidence), v.Next...), " ")+v.Text, "%!") {
				t.Errorf("bad format: %q %q", v.Text, v.Evidence)
			}
		})
	}
}

// Since when a head is in the way: what began before we looked has a "≥", what
// its own timestamp tells has none.
func TestHeadSince(t *testing.T) {
	stamp := func(second int, atLeast bool) Stamp { return NewStamp(at(second).UnixMilli(), atLeast) }
	tests := []struct {
		name        string
		head        Stamp
		finish      Stamp
		stayed      int // second; 0 for never
		made        int // second of the record's timestamp; 0 for not known
		wantSecond  int
		wantAtLeast bool
	}{
		{"the record is older than its being the head", stamp(40, false), Stamp{}, 0, 20, 40, false},
		{"the same, from before we looked", stamp(40, true), Stamp{}, 0, 20, 40, true},
		{"the record came later", stamp(40, true), Stamp{}, 50, 60, 60, false},
		{"the record is from the future", stamp(40, false), Stamp{}, 30, 500, 40, false},
		{"records waited before it was the head", stamp(40, false), Stamp{}, 30, 0, 40, false},
		{"records waited only later", stamp(40, false), Stamp{}, 55, 0, 55, true},
		{"a later record was finished before that", stamp(40, false), stamp(45, false), 55, 0, 45, true},
		{"nothing else is known", stamp(40, true), Stamp{}, 0, 0, 40, true},
		{"not even that", Stamp{}, Stamp{}, 55, 0, 55, false},
	}
	for _, test := range tests {
		in := headDiagnosis()
		parts := *in.Group.Partitions[0].State.p
		parts.HeadSince, parts.LastFinish = test.head, test.finish
		p := &in.Group.Partitions[0]
		p.State = NewPartitionState(parts)
		in.Partitions[0].StayedSince = time.Time{}
		if test.stayed > 0 {
			in.Partitions[0].StayedSince = at(test.stayed)
		}
		if test.made > 0 {
			p.Head = &HeadRecord{Offset: 910, Record: Known(910), Timestamp: at(test.made)}
		}
		c := newCase(&in)
		c.look(0)
		since, atLeast := c.headSince()
		if !since.Equal(at(test.wantSecond)) || atLeast != test.wantAtLeast {
			t.Errorf("%s: since %v, at least %t", test.name, since.Sub(at(0)), atLeast)
		}
	}
}

// The evidence has all that is known of the record in the way.
func TestBlockedTellsTheRecord(t *testing.T) {
	in := headDiagnosis()
	p := &in.Group.Partitions[0]
	p.Head = &HeadRecord{Offset: 910, Record: Known(910), Timestamp: at(-14 * 60)}
	in.Partitions[0].Retention = Known((24 * time.Hour).Milliseconds())
	v := Diagnose(in)
	want := []string{
		"jobs-0@910 has been in the way since 14:43:40Z: 3 of 5 deliveries over; free, or on its 4th.",
		"49 records behind it finished, the last at 14:44:35Z.",
		"It is 15m old; retention deletes it from 2026-11-30 14:29Z on.",
		"41 offsets wait in jobs-0; 59 records finished ahead of its start offset.",
	}
	if !slices.Equal(written(v.Evidence), want) || v.Offset != Known(910) {
		t.Errorf("got %v\n%s", v.Offset, strings.Join(written(v.Evidence), "\n"))
	}
	p.Head = &HeadRecord{Offset: 910, Problem: &Problem{Detail: "READ on topic jobs is missing."}}
	if v := Diagnose(in); !strings.Contains(strings.Join(written(v.Evidence), " "), "How old it is can't be seen: READ on topic jobs is missing.") {
		t.Errorf("got %q", v.Evidence)
	}
	if got := DiagnosePartition(in, 0); got.Finding != FindingBlocked {
		t.Errorf("the partition: %+v", got)
	}
}

func TestPartitionWithOnlyMarkersIsFine(t *testing.T) {
	in := headDiagnosis()
	in.Group.Partitions[0].State = headState(10)
	in.Group.Partitions[0].Head = &HeadRecord{Offset: 910, NoneUpTo: Known(1000)}
	if got := DiagnosePartition(in, 0); got != (PartitionVerdict{SeverityFine, FindingMarkers, "only markers or gaps left"}) {
		t.Errorf("got %+v", got)
	}
}

// A group that had waited for days when its first member came is not blocked in
// that instant, and is once a lock has passed without anything finished.
func TestFirstMemberHasItsTime(t *testing.T) {
	s := liveScene(t)
	s.members("g", 0)
	p := &s.groups["g"].Partitions[0]
	p.State = NewPartitionState(StateParts{
		Start: 900, Finished: 0, Highest: 900, HeadSince: NewStamp(at(-1000).UnixMilli(), false),
		Batches: Intervals{{First: 900, Last: 900, State: RecordReleased, Count: 1}},
	})
	p.Start, p.Lag = Known(900), Known(100)
	p.Head = &HeadRecord{Offset: 900, Record: Known(900), Timestamp: at(-2000)}
	s.look(0)
	s.look(time.Minute)
	s.members("g", 1)
	s.look(time.Second)
	s.want("g", FindingQuiet, "being read, no trend yet")
	// The clock alone says so: the group does not change any more.
	s.now = s.now.Add(31 * time.Second)
	s.lookAt(func(string) bool { return false })
	s.want("g", FindingBlocked, "blocked at jobs-0@900 18m")
}

// The retention that comes near is told by the clock alone.
func TestRetentionComesNear(t *testing.T) {
	s := liveScene(t)
	s.members("g", 0)
	s.tracker = NewTracker(Rules{MinLag: 1000})
	s.topics["jobs"].Retention = Known(time.Hour.Milliseconds())
	p := &s.groups["g"].Partitions[0]
	p.State = NewPartitionState(StateParts{Start: 900, Finished: 0, Highest: 899})
	p.Start, p.Lag = Known(900), Known(100)
	p.Head = &HeadRecord{Offset: 900, Record: Known(900), Timestamp: s.now.Add(-53 * time.Minute)}
	s.look(0)
	s.want("g", FindingQuiet, "nobody is reading (below the threshold or muted)")
	s.now = s.now.Add(90 * time.Second)
	s.lookAt(func(string) bool { return false })
	s.want("g", FindingExpiring, "retention deletes jobs-0@900 in 5m")
	s.now = s.now.Add(61 * time.Second)
	s.lookAt(func(string) bool { return false })
	s.want("g", FindingExpiring, "retention deletes jobs-0@900 in 4m")
	s.now = s.now.Add(5 * time.Minute)
	s.lookAt(func(string) bool { return false })
	s.want("g", FindingExpiring, "retention may delete jobs-0@900 any moment")
}
