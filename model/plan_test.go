package model

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var planNow = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// auditPart is a partition of topic audit with a log of [first, end).
func auditPart(n int32, start, lag, first, end int64) LookPartition {
	return LookPartition{
		TopicPartition: TopicPartition{NewTopicName("audit"), n}, Read: true,
		Start: Known(start), Lag: Known(lag), LogStart: Known(first), End: Known(end),
	}
}

func planOf(target ResetTarget, parts ...LookPartition) *Plan {
	return MakePlan(&GroupLook{Group: NewGroupID("g"), Exists: true, At: planNow, Partitions: parts}, ResetScope{}, target)
}

func withState(l LookPartition, batches ...StateBatch) LookPartition {
	l.State = NewPartitionState(StateParts{Start: l.Start.Or(0), Finished: -1, Highest: -1, Batches: batches})
	return l
}

func TestPlanRows(t *testing.T) {
	done := func(first, last int64) StateBatch {
		return StateBatch{First: first, Last: last, State: RecordFinished, Count: 1}
	}
	unread := auditPart(0, 0, 0, 10, 100)
	unread.Start, unread.Lag, unread.Read = Number{}, Number{}, false
	started := unread
	started.Read = true
	noLag := auditPart(0, 50, 0, 0, 100)
	noLag.Lag = Number{}
	noLeader := auditPart(0, 50, 0, 0, 100)
	noLeader.Trouble = "no leader"
	noEnds := auditPart(0, 50, 0, 0, 100)
	noEnds.End = Number{}
	timed := auditPart(0, 50, 50, 0, 100)
	timed.AtTime = Known(70)
	inFile := ResetTarget{Kind: ToFile, File: map[TopicPartition]int64{{NewTopicName("audit"), 0}: 30}}

	for _, c := range []struct {
		name               string
		part               LookPartition
		target             ResetTarget
		to                 Number
		write              bool
		back, ahead, never string
		note               string
	}{
		{"back", auditPart(0, 50, 9, 0, 100), ResetTarget{Kind: ToOffset, Offset: 20}, Known(20), true, "30", "41", "0", "finished before, delivered again"},
		{"back with nothing ahead", auditPart(0, 50, 50, 0, 100), ResetTarget{Kind: ToShift, Offset: -20}, Known(30), true, "20", "0", "0", ""},
		{"forward, some ahead, which is not known", auditPart(0, 50, 10, 0, 100), ResetTarget{Kind: ToOffset, Offset: 60}, Known(60), true, "0", "30 to 40", "0 to 10", "finished ahead, delivered again"},
		{"forward with state", withState(auditPart(0, 50, 45, 0, 100), done(55, 59)), ResetTarget{Kind: ToOffset, Offset: 58}, Known(58), true, "0", "2", "5", "finished ahead, delivered again"},
		{"forward to the end", auditPart(0, 50, 10, 0, 100), ResetTarget{Kind: ToLatest}, Known(100), true, "0", "0", "10", ""},
		{"drained, same number", auditPart(0, 3, 0, 0, 600), ResetTarget{Kind: ToCurrent}, Known(3), false, "0", "597", "0", "left out: number does not change"},
		{"clamped low", auditPart(0, 50, 50, 40, 100), ResetTarget{Kind: ToOffset, Offset: 0}, Known(40), true, "10", "0", "0", "clamped to the log start"},
		{"clamped high", auditPart(0, 50, 50, 40, 100), ResetTarget{Kind: ToShift, Offset: 1000}, Known(100), true, "0", "0", "50", "clamped to the log end"},
		{"shift without going round", auditPart(0, 50, 50, 40, 100), ResetTarget{Kind: ToShift, Offset: 1<<63 - 1}, Known(100), true, "0", "0", "50", "clamped to the log end"},
		{"start past the end", auditPart(0, 150, -50, 0, 100), ResetTarget{Kind: ToOffset, Offset: 90}, Known(90), true, "10", "0", "0", "the start offset was past the log end"},
		{"start below the log start", auditPart(0, 5, 95, 40, 100), ResetTarget{Kind: ToEarliest}, Known(40), true, "0", "0", "0", "what was between start and log start is deleted already"},
		{"never read", unread, ResetTarget{Kind: ToOffset, Offset: 30}, Known(30), true, "0", "0", "20", "not read by the group so far"},
		{"start -1", started, ResetTarget{Kind: ToEarliest}, Known(10), true, "0", "0", "0", "no start offset so far: undo can't bring that back"},
		{"start -1 has nothing to shift", started, ResetTarget{Kind: ToShift, Offset: 1}, Number{}, false, "0", "0", "0", "left out: there is no start offset to shift"},
		{"current, and the log begins after it", auditPart(0, 3, 0, 550, 600), ResetTarget{Kind: ToCurrent}, Known(3), false, "0", "597", "0", "left out: number does not change"},
		{"current past the end", auditPart(0, 50, -10, 0, 40), ResetTarget{Kind: ToCurrent}, Known(50), false, "0", "0", "0", "left out: number does not change"},
		{"current of start -1", started, ResetTarget{Kind: ToCurrent}, Known(100), true, "0", "0", "90", "no start offset so far: log end"},
		{"lag not known", noLag, ResetTarget{Kind: ToOffset, Offset: 60}, Known(60), true, "0", "0 to 40", "0 to 10", "finished ahead, delivered again"},
		{"no leader", noLeader, ResetTarget{Kind: ToEarliest}, Number{}, false, "0", "0", "0", "left out: no leader"},
		{"log not known", noEnds, ResetTarget{Kind: ToEarliest}, Number{}, false, "0", "0", "0", "left out: the ends of its log are not known"},
		{"time", timed, ResetTarget{Kind: ToTime}, Known(70), true, "0", "0", "20", ""},
		{"nothing after that time", auditPart(0, 50, 50, 0, 100), ResetTarget{Kind: ToBack}, Known(100), true, "0", "0", "50", "nothing after that time: log end"},
		{"file", auditPart(0, 50, 50, 0, 100), inFile, Known(30), true, "20", "0", "0", ""},
		{"file without the partition", auditPart(1, 50, 50, 0, 100), inFile, Number{}, false, "0", "0", "0", "left out: the file does not name it"},
		{
			"state that was cut",
			LookPartition{
				TopicPartition: TopicPartition{NewTopicName("audit"), 0}, Read: true, Start: Known(0), LogStart: Known(0), End: Known(100),
				State: NewPartitionState(StateParts{Start: 0, Finished: -1, Highest: 60, Cut: 60, Batches: Intervals{done(10, 19)}}),
			},
			ResetTarget{Kind: ToOffset, Offset: 15},
			Known(15), true, "0", "5 to 45", "10", "finished ahead, delivered again",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := planOf(c.target, c.part).Rows[0]
			if r.New != c.to || r.Write != c.write {
				t.Errorf("new %v write %v, want %v %v", r.New, r.Write, c.to, c.write)
			}
			if got := [3]string{r.Back.String(), r.Ahead.String(), r.Never.String()}; got != [3]string{c.back, c.ahead, c.never} {
				t.Errorf("back, ahead, never are %v, want %s, %s, %s", got, c.back, c.ahead, c.never)
			}
			if r.Note != c.note {
				t.Errorf("note %q, want %q", r.Note, c.note)
			}
		})
	}
}

// What the bounds say must hold whatever the records really are, and the state
// must tell the same exactly.
func TestPlanBoundsHoldTheTruth(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 3))
	for range 20_000 {
		first := random.Int64N(20)
		end := first + random.Int64N(40)
		start := max(0, first+random.Int64N(45)-4)
		settled := map[int64]bool{}
		var batches Intervals
		for o := start; o < end; o++ {
			if random.IntN(2) == 0 {
				settled[o] = true
				batches = append(batches, StateBatch{First: o, Last: o, State: RecordFinished, Count: 1})
			}
		}
		part := auditPart(0, start, end-start-int64(len(settled)), first, end)
		target := ResetTarget{Kind: ToOffset, Offset: random.Int64N(70)}
		var again, never int64
		to := min(max(target.Offset, first), end)
		for o := first; o < end && to != start; o++ {
			switch {
			case o >= to && (o < start || settled[o]):
				again++
			case o < to && o >= start && !settled[o]:
				never++
			}
		}
		bounds := planOf(target, part).Rows[0]
		exact := planOf(target, withState(part, batches...)).Rows[0]
		if !within(bounds.Again(), again) || !within(bounds.Never, never) {
			t.Fatalf("log [%d,%d) start %d to %d settled %v: again %d in %v, never %d in %v", first, end, start, to, settled, again, bounds.Again(), never, bounds.Never)
		}
		if exact.Again() != exactly(again) || exact.Never != exactly(never) {
			t.Fatalf("log [%d,%d) start %d to %d settled %v: again %d is %v, never %d is %v", first, end, start, to, settled, again, exact.Again(), never, exact.Never)
		}
		if n := exact.New.Or(-1); n < first || n > end {
			t.Fatalf("new start %d is outside the log [%d,%d]", n, first, end)
		}
	}
}

func within(s Span, n int64) bool { return s.Low <= n && n <= s.High }

func TestPlanTotalsCountWhatIsWritten(t *testing.T) {
	unread := auditPart(3, 0, 0, 0, 10)
	unread.Start = Number{}
	p := planOf(ResetTarget{Kind: ToOffset, Offset: 5},
		auditPart(0, 8, 1, 0, 10), auditPart(1, 5, 2, 0, 10), auditPart(2, 2, 8, 0, 10), unread)
	got := p.Totals()
	want := PlanTotals{Written: 3, All: 4, Again: Span{4, 4}, Ahead: Span{1, 1}, Never: Span{8, 8}, NoUndo: 1}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestParseTarget(t *testing.T) {
	berlin := time.FixedZone("", 3600)
	at := func(text string) time.Time {
		v, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		kind TargetKind
		text string
		want ResetTarget
		bad  bool
	}{
		{ToOffset, "1,204", ResetTarget{Offset: 1204}, false},
		{ToOffset, "-2", ResetTarget{}, true},
		{ToOffset, "", ResetTarget{}, true},
		{ToOffset, "99999999999999999999", ResetTarget{}, true},
		{ToShift, "+5", ResetTarget{Offset: 5}, false},
		{ToShift, "-5", ResetTarget{Offset: -5}, false},
		{ToShift, "0", ResetTarget{}, true},
		{ToTime, "2026-11-28T00:00:00Z", ResetTarget{Time: at("2026-11-28T00:00:00Z")}, false},
		{ToTime, "2026-11-28 01:00+01:00", ResetTarget{Time: at("2026-11-28T00:00:00Z")}, false},
		{ToTime, "2026-11-28T01:00:00.5+0100", ResetTarget{Time: at("2026-11-28T00:00:00.5Z")}, false},
		{ToTime, "2026-11-28T01:00", ResetTarget{Time: at("2026-11-28T00:00:00Z")}, false},
		{ToTime, "2026-11-28", ResetTarget{Time: at("2026-11-27T23:00:00Z")}, false},
		{ToTime, "1969-12-31T23:59:59.999Z", ResetTarget{}, true},
		{ToTime, "yesterday", ResetTarget{}, true},
		{ToBack, "PT1H", ResetTarget{Time: at("2026-11-29T11:00:00Z")}, false},
		{ToBack, "p1dt2h30m", ResetTarget{Time: at("2026-11-28T09:30:00Z")}, false},
		{ToBack, "P2D", ResetTarget{Time: at("2026-11-27T12:00:00Z")}, false},
		{ToBack, "90m", ResetTarget{Time: at("2026-11-29T10:30:00Z")}, false},
		{ToBack, "2d", ResetTarget{Time: at("2026-11-27T12:00:00Z")}, false},
		{ToBack, "0s", ResetTarget{}, true},
		{ToBack, "-1h", ResetTarget{}, true},
		{ToBack, "PT", ResetTarget{}, true},
		{ToBack, "P1H", ResetTarget{}, true},
		{ToBack, "P36600D", ResetTarget{}, true},
		{ToBack, "P9999999999999999999D", ResetTarget{}, true},
		{ToFile, "x.csv", ResetTarget{}, true},
	} {
		got, err := ParseTarget(c.kind, c.text, planNow, berlin)
		if (err != nil) != c.bad {
			t.Errorf("%s %q: %v", c.kind, c.text, err)
			continue
		}
		if !c.bad && (got.Offset != c.want.Offset || !got.Time.Equal(c.want.Time)) {
			t.Errorf("%s %q is %+v, want %+v", c.kind, c.text, got, c.want)
		}
	}
}

func TestPlanMoved(t *testing.T) {
	before := []LookPartition{auditPart(0, 50, 9, 0, 100), auditPart(1, 20, 9, 0, 100)}
	p := planOf(ResetTarget{Kind: ToOffset, Offset: 20}, before...)
	for _, c := range []struct {
		name   string
		change func(*GroupLook)
		says   string
	}{
		{"a newer end is no move", func(l *GroupLook) { l.Partitions[0].End, l.Partitions[0].Lag = Known(500), Known(409) }, ""},
		{"a row that is left out may move", func(l *GroupLook) { l.Partitions[1].Start = Known(21) }, ""},
		{"start", func(l *GroupLook) { l.Partitions[0].Start = Known(51) }, "was 50 and is 51"},
		{"start unknown", func(l *GroupLook) { l.Partitions[0].Start = Number{} }, "was 50 and is –"},
		{"member", func(l *GroupLook) { l.Members = []Member{{ClientID: NewText("app"), Host: NewText("10.0.3.7")}} }, "app (10.0.3.7)"},
		{"made anew", func(l *GroupLook) { l.Partitions[0].TopicID[0] = 1 }, "made anew"},
		{"gone", func(l *GroupLook) { l.Partitions = l.Partitions[1:] }, "the partition is gone"},
		{"group gone", func(l *GroupLook) { l.Exists = false }, "group is gone"},
		{"log start passed the number", func(l *GroupLook) { l.Partitions[0].LogStart = Known(21) }, "no longer has offset 20"},
		{"leader lost", func(l *GroupLook) { l.Partitions[0].Trouble = "no leader" }, "no leader"},
	} {
		now := *p.Look
		now.Partitions = append([]LookPartition(nil), before...)
		c.change(&now)
		said := strings.Join(p.Moved(&now), " ")
		if (said == "") != (c.says == "") || !strings.Contains(said, c.says) {
			t.Errorf("%s: %q, want %q", c.name, said, c.says)
		}
	}
}

func TestPlanCSVAndBack(t *testing.T) {
	unread := auditPart(2, 0, 0, 0, 100)
	unread.Start = Number{}
	p := planOf(ResetTarget{Kind: ToOffset, Offset: 20}, auditPart(0, 50, 9, 0, 100), auditPart(1, 20, 9, 0, 100), unread)
	if got := string(p.CSV()); got != "audit,0,20\naudit,2,20\n" {
		t.Errorf("plan is %q", got)
	}
	if got := string(p.UndoCSV()); got != "audit,0,50\n" {
		t.Errorf("undo is %q", got)
	}
	if got := p.NotUndone(); len(got) != 1 || got[0].Partition != 2 {
		t.Errorf("not undone are %v", got)
	}
	rows, _, err := ReadPlanCSV(p.UndoCSV(), p.Group)
	undo := p.UndoTarget(NewText("undo.csv"))
	if err != nil || len(rows) != 1 || rows[TopicPartition{NewTopicName("audit"), 0}] != 50 || len(undo.File) != 1 || undo.String() != "undo of undo.csv" {
		t.Errorf("read back %v, %v; target %v", rows, err, undo)
	}
}

func TestReadPlanCSV(t *testing.T) {
	key := func(n int32) TopicPartition { return TopicPartition{NewTopicName("audit"), n} }
	for _, c := range []struct {
		name, text string
		rows       map[TopicPartition]int64
		others     int
		bad        string
	}{
		{"three fields", "audit,0,5\r\naudit,1,6\r\n\n", map[TopicPartition]int64{key(0): 5, key(1): 6}, 0, ""},
		{"four fields, quoted group", "\"it's \"\"g\"\", x\",audit,0,5\nother,audit,0,7\n", map[TopicPartition]int64{key(0): 5}, 1, ""},
		{"byte order mark", "\xef\xbb\xbfaudit,0,5", map[TopicPartition]int64{key(0): 5}, 0, ""},
		{"below zero", "audit,0,-2\n", nil, 0, "line 1"},
		{"no number", "audit,0,5\naudit,1,x\n", nil, 0, "line 2"},
		{"title line", "TOPIC,PARTITION,OFFSET\n", nil, 0, "is no partition"},
		{"too few", "audit,5\n", nil, 0, "2 fields"},
		{"two meanings", "audit,0,5\naudit,0,6\n", nil, 0, "named twice"},
		{"only others", "other,audit,0,7\n", nil, 0, "none of group"},
		{"empty", "", nil, 0, "empty"},
		{"escape", "audit,\x1b[2J,5\n", nil, 0, `is no partition`},
	} {
		rows, others, err := ReadPlanCSV([]byte(c.text), NewGroupID(`it's "g", x`))
		if c.bad != "" {
			if err == nil || !strings.Contains(err.Error(), c.bad) || strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || others != c.others || len(rows) != len(c.rows) {
			t.Errorf("%s: %v, %d, %v", c.name, rows, others, err)
		}
		for k, v := range c.rows {
			if rows[k] != v {
				t.Errorf("%s: %v is %d, want %d", c.name, k, rows[k], v)
			}
		}
	}
}

func TestEquivalentReset(t *testing.T) {
	p := planOf(ResetTarget{Kind: ToOffset, Offset: 20},
		auditPart(0, 50, 9, 0, 100), auditPart(1, 20, 9, 0, 100), auditPart(2, 50, 9, 0, 100), auditPart(3, 50, 9, 30, 100))
	p.Group = NewGroupID("-rf $(reboot)")
	got, err := EquivalentReset([]string{"b:9092"}, p)
	want := "kafka-share-groups.sh --bootstrap-server b:9092 --reset-offsets '--group=-rf $(reboot)' --topic audit:0,2 --to-offset 20 --execute\n" +
		"kafka-share-groups.sh --bootstrap-server b:9092 --reset-offsets '--group=-rf $(reboot)' --topic audit:3 --to-offset 30 --execute"
	if err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	if _, err := EquivalentReset(nil, planOf(ResetTarget{Kind: ToCurrent}, auditPart(0, 50, 9, 0, 100))); err == nil {
		t.Error("a plan that writes nothing has no command")
	}
}
