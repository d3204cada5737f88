package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"
)

// refunds is the partition of design.md's State tab: its head on the fourth of
// five deliveries, 13 finished behind it, one more given back, the rest new.
func refunds() *PartitionState {
	return NewPartitionState(StateParts{
		Start: 9120, Finished: 13, LeaderEpoch: 4, StateEpoch: 2, SnapshotEpoch: 7,
		Highest: 9134, Version: 88,
		Batches: Intervals{
			{First: 9120, Last: 9120, State: RecordReleased, Count: 3},
			{First: 9121, Last: 9133, State: RecordFinished, Count: 1},
			{First: 9134, Last: 9134, State: RecordReleased, Count: 2},
		},
	})
}

func TestPartitionStateNumbers(t *testing.T) {
	s := refunds()
	got := map[string]Number{
		"start": s.Start(), "finished": s.FinishedCount(), "leader epoch": s.LeaderEpoch(),
		"state epoch": s.StateEpoch(), "snapshot epoch": s.SnapshotEpoch(), "head": s.Head(),
		"ahead": s.FinishedAhead(), "highest": s.HighestKnown(), "window": s.Window(),
		"version": s.Version(), "lag": s.Lag(Known(9147), time.UnixMilli(1)),
	}
	want := map[string]int64{
		"start": 9120, "finished": 13, "leader epoch": 4, "state epoch": 2, "snapshot epoch": 7,
		"head": 9120, "ahead": 13, "highest": 9134, "window": 15, "version": 88, "lag": 14,
	}
	for name, n := range want {
		if got[name] != Known(n) {
			t.Errorf("%s is %v, want %d", name, got[name], n)
		}
	}
	if s.Cut().IsKnown() {
		t.Error("nothing was cut")
	}
	if c := s.Counts(9147); c != (StateCounts{Finished: 13, Released: 2, New: 12}) {
		t.Errorf("counts are %+v", c)
	}
}

// Nothing is known of nil, and nothing of a partition without a start offset
// but that it is there.
func TestPartitionStateUnknown(t *testing.T) {
	fresh := NewPartitionState(StateParts{
		Start: -1, Finished: -1, LeaderEpoch: 0, StateEpoch: 2, Highest: -1,
	})
	for name, s := range map[string]*PartitionState{"nil": nil, "no start": fresh} {
		for what, n := range map[string]Number{
			"start": s.Start(), "finished": s.FinishedCount(), "head": s.Head(),
			"ahead": s.FinishedAhead(), "highest": s.HighestKnown(), "window": s.Window(),
			"lag": s.Lag(Known(20), time.UnixMilli(1)), "cut": s.Cut(),
		} {
			if n.IsKnown() {
				t.Errorf("%s: %s is %v", name, what, n)
			}
		}
		if state, count := s.StateAt(5); state != RecordUnknown || count != 0 {
			t.Errorf("%s: offset 5 is %v %d", name, state, count)
		}
		runs := slices.Collect(s.Range(3, 9))
		if !slices.Equal(runs, []StateBatch{{First: 3, Last: 9}}) {
			t.Errorf("%s: runs %v", name, runs)
		}
		if _, ok := s.Next(0, 10, AnyUnfinished); ok {
			t.Errorf("%s: has a next", name)
		}
		if _, ok := s.Prev(10, AnyUnfinished); ok {
			t.Errorf("%s: has a previous", name)
		}
	}
	if !fresh.StateEpoch().IsKnown() || fresh.Version() != Known(0) || (*PartitionState)(nil).Version().IsKnown() {
		t.Error("what is known of the partition is not told")
	}
}

func TestPartitionStateLag(t *testing.T) {
	parts := StateParts{Start: 100, Finished: 30, Highest: 139, SeenMicros: 5_000_000}
	before, after := time.UnixMilli(5000), time.UnixMilli(5001)
	tests := []struct {
		name    string
		end     Number
		sampled time.Time
		want    Number
	}{
		{"end newer than the state", Known(150), after, Known(20)},
		{"end older, but beyond what the state has seen", Known(150), before, Known(20)},
		{"end older, below what the state has seen", Known(120), before, Known(10)},
		{"end newer, start past the end", Known(90), after, Known(-40)},
		{"end older, start past the end", Known(90), before, Known(10)},
		{"end not known", Number{}, after, Number{}},
		{"end never sampled", Known(0), time.Time{}, Known(10)},
	}
	for _, test := range tests {
		if got := NewPartitionState(parts).Lag(test.end, test.sampled); got != test.want {
			t.Errorf("%s: lag %v, want %v", test.name, got, test.want)
		}
	}
}

// Kafka 4.1 tells no count: it is then counted, unless batches were left out.
func TestFinishedAheadWithoutCount(t *testing.T) {
	parts := StateParts{Start: 0, Finished: -1, Batches: Intervals{
		{First: 0, Last: 4, State: RecordFinished, Count: 1},
		{First: 5, Last: 6, State: RecordReleased, Count: 1},
		{First: 7, Last: 8, State: RecordArchived, Count: 2},
	}}
	if got := NewPartitionState(parts).FinishedAhead(); got != Known(7) {
		t.Errorf("finished ahead: %v, want 7", got)
	}
	parts.Cut = 9
	if got := NewPartitionState(parts).FinishedAhead(); got.IsKnown() {
		t.Errorf("finished ahead of a cut state: %v", got)
	}
}

func TestPartitionStateCut(t *testing.T) {
	parts := StateParts{Start: 0, Finished: 5, Highest: 50, Cut: 10, Batches: Intervals{
		{First: 0, Last: 4, State: RecordFinished, Count: 1},
	}}
	s := NewPartitionState(parts)
	want := []StateBatch{
		parts.Batches[0],
		{First: 5, Last: 9, State: RecordNew},
		{First: 10, Last: 20},
	}
	if got := slices.Collect(s.Range(0, 20)); !slices.Equal(got, want) {
		t.Errorf("runs %v, want %v", got, want)
	}
	if s.Head() != Known(5) || s.Cut() != Known(10) || s.HighestKnown() != Known(50) {
		t.Errorf("head %v, cut %v, highest %v", s.Head(), s.Cut(), s.HighestKnown())
	}
	parts.Batches = Intervals{{First: 0, Last: 9, State: RecordFinished, Count: 1}}
	if got := NewPartitionState(parts).Head(); got.IsKnown() {
		t.Errorf("the head is in what was left out, not at %v", got)
	}
}

func TestPartitionStateJumps(t *testing.T) {
	s := NewPartitionState(StateParts{Start: 5, Batches: Intervals{
		{First: 5, Last: 6, State: RecordReleased, Count: 1},
		{First: 7, Last: 9, State: RecordFinished, Count: 1},
		{First: 12, Last: 12, State: RecordArchived, Count: 5},
		{First: 13, Last: 14, State: RecordReleased, Count: 1},
		{First: 15, Last: 15, State: RecordReleased, Count: 2},
		{First: 16, Last: 16, State: RecordArchiving, Count: 2},
	}})
	none := int64(-1)
	tests := []struct {
		set        RecordSet
		from       int64
		next, prev int64
	}{
		{AnyReleased, 0, 5, none},
		{AnyReleased, 5, 13, none},
		{AnyReleased, 6, 13, none},
		{AnyReleased, 10, 13, 5},
		{AnyReleased, 14, 15, 5},
		{AnyReleased, 15, none, 13},
		{AnyReleased, 30, none, 15},
		{AnyArchived, 5, 12, none},
		{AnyArchived, 12, 16, none},
		{AnyArchived, 30, none, 16},
		{AnyUnfinished, 5, 10, none},
		{AnyUnfinished, 16, 17, 15},
		{AnyUnfinished, 17, none, 16},
		{AnyUnfinished, 8, 10, 5},
	}
	found := func(offset int64, ok bool) int64 {
		if !ok {
			return none
		}
		return offset
	}
	const end = 40
	for _, test := range tests {
		if got := found(s.Next(test.from, end, test.set)); got != test.next {
			t.Errorf("next of %b above %d is %d, want %d", test.set, test.from, got, test.next)
		}
		if got := found(s.Prev(test.from, test.set)); got != test.prev {
			t.Errorf("previous of %b below %d is %d, want %d", test.set, test.from, got, test.prev)
		}
	}
	if got := found(s.Next(16, 17, AnyUnfinished)); got != none {
		t.Errorf("next below the end 17 is %d", got)
	}
}

func TestReleased(t *testing.T) {
	got := slices.Collect(refunds().Released())
	want := []StateBatch{
		{First: 9120, Last: 9120, State: RecordReleased, Count: 3},
		{First: 9134, Last: 9134, State: RecordReleased, Count: 2},
	}
	if !slices.Equal(got, want) {
		t.Errorf("released %v, want %v", got, want)
	}
	for range refunds().Released() {
		break
	}
}

func TestRangeAtTheLastOffset(t *testing.T) {
	s := NewPartitionState(StateParts{Start: 3})
	got := slices.Collect(s.Range(math.MaxInt64-1, math.MaxInt64))
	if len(got) != 1 || got[0].Len() != 2 || got[0].State != RecordNew {
		t.Errorf("runs %v", got)
	}
}

func TestStampKeepsItsTime(t *testing.T) {
	for _, millis := range []int64{-1 << 61, -1, 0, 1, 1795964633993, 1<<62 - 1} {
		for _, atLeast := range []bool{false, true} {
			if s := NewStamp(millis, atLeast); s.Millis() != millis || s.AtLeast() != atLeast {
				t.Errorf("%d, %v comes back as %d, %v", millis, atLeast, s.Millis(), s.AtLeast())
			}
		}
	}
	if got := NewStamp(math.MaxInt64, true); got.Millis() != 1<<62-1 || !got.AtLeast() {
		t.Errorf("what is too large is %d", got.Millis())
	}
	if size := unsafe.Sizeof(Stamp{}); size != 8 {
		t.Errorf("a Stamp takes %d bytes", size)
	}
}

func TestStampTime(t *testing.T) {
	if !(Stamp{}).Time().IsZero() {
		t.Error("an unknown stamp has a time")
	}
	if got := NewStamp(1795964633993, false).Time().UTC().Format(time.RFC3339Nano); got != "2026-11-29T15:03:53.993Z" {
		t.Errorf("stamp is %s", got)
	}
}

func TestRecordStateWords(t *testing.T) {
	seen := map[string]bool{}
	for s := RecordUnknown; s <= RecordOther; s++ {
		seen[s.String()] = true
	}
	if len(seen) != int(RecordOther)+1 {
		t.Errorf("%d words for %d states", len(seen), RecordOther+1)
	}
	if got := RecordState(200).String(); got != "unknown" {
		t.Errorf("a state that is none is %q", got)
	}
}

// Every query agrees with looking at one offset after another.
func TestPartitionStateAgainstOffsets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		const end = 60
		start := rng.Int64N(end)
		states := randomStates(rng, start, end)
		s := NewPartitionState(StateParts{
			Start: start, Finished: -1, Highest: -1, Batches: intervalsOf(states, start),
		})
		if !s.Batches().Valid() {
			t.Fatalf("the test made %v", s.Batches())
		}
		checkOffsets(t, s, states, start, end)
	}
}

func randomStates(rng *rand.Rand, start, end int64) []StateBatch {
	states := make([]StateBatch, end)
	for o := range states {
		states[o] = StateBatch{State: RecordBelowStart}
		if int64(o) < start {
			continue
		}
		states[o] = StateBatch{State: RecordNew}
		switch rng.IntN(5) {
		case 0:
			states[o] = StateBatch{State: RecordReleased, Count: int16(1 + rng.IntN(2))}
		case 1, 2:
			states[o] = StateBatch{State: RecordFinished, Count: 1}
		case 3:
			states[o] = StateBatch{State: RecordArchived, Count: 2}
		}
	}
	return states
}

func intervalsOf(states []StateBatch, start int64) Intervals {
	var iv Intervals
	for o, state := range states {
		if int64(o) < start || state.State == RecordNew {
			continue
		}
		if n := len(iv); n > 0 && iv[n-1].Last == int64(o)-1 && iv[n-1].SameState(state) {
			iv[n-1].Last++
			continue
		}
		state.First, state.Last = int64(o), int64(o)
		iv = append(iv, state)
	}
	return iv
}

func checkOffsets(t *testing.T, s *PartitionState, states []StateBatch, start, end int64) {
	t.Helper()
	at := int64(0)
	for run := range s.Range(0, end-1) {
		if run.First != at {
			t.Fatalf("run %v after offset %d", run, at-1)
		}
		for ; at <= run.Last; at++ {
			if !run.SameState(states[at]) {
				t.Fatalf("offset %d is in run %v, want %v", at, run, states[at])
			}
		}
	}
	if at != end {
		t.Fatalf("the runs end at %d", at)
	}
	var done int64
	head := Known(end)
	for o := end - 1; o >= start; o-- {
		if states[o].State.Done() {
			done++
		} else {
			head = Known(o)
		}
	}
	if s.Head() != head || s.FinishedAhead() != Known(done) {
		t.Fatalf("head %v, finished %v; want %v, %d", s.Head(), s.FinishedAhead(), head, done)
	}
	if lag := s.Lag(Known(end), time.UnixMilli(1)); lag != Known(end-start-done) {
		t.Fatalf("lag %v of %d", lag, end-start-done)
	}
}

// Records of aborted transactions are counted as finished and are in no batch.
func TestHeadPassesAbortedRecords(t *testing.T) {
	t.Parallel()
	done := func(first, last int64) StateBatch {
		return StateBatch{First: first, Last: last, State: RecordFinished, Count: 1}
	}
	back := StateBatch{First: 17, Last: 17, State: RecordReleased, Count: 1}
	for name, tt := range map[string]struct {
		batches  Intervals
		finished int32
		cut      int64
		head     Number
	}{
		"counted":                       {Intervals{done(10, 11), done(15, 17)}, 8, 0, Known(18)},
		"not counted":                   {Intervals{done(10, 11), done(15, 17)}, 5, 0, Known(12)},
		"counted, and others wait":      {Intervals{done(10, 11), done(14, 14), done(17, 17)}, 6, 0, Known(12)},
		"counted, and one given back":   {Intervals{done(10, 11), done(15, 16), back}, 7, 0, Known(17)},
		"fewer than are in no batch":    {Intervals{back, done(20, 20)}, 3, 0, Known(10)},
		"counted, from the start on":    {Intervals{done(13, 14)}, 5, 0, Known(15)},
		"counted behind the last batch": {Intervals{done(10, 11)}, 5, 0, Known(12)},
		"not told":                      {Intervals{done(13, 14)}, -1, 0, Known(10)},
		"not all batches are held":      {Intervals{done(13, 14)}, 5, 15, Known(10)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := NewPartitionState(StateParts{Start: 10, Finished: tt.finished, Batches: tt.batches, Cut: tt.cut, Highest: 20})
			if got := s.Head(); got != tt.head {
				t.Errorf("head %v, want %v", got, tt.head)
			}
		})
	}
}
