package model

import (
	"slices"
	"testing"
	"time"
)

func nobodyAsked(string) bool { return false }

func TestOpenGroupHasRatesOfItsPartitions(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("refunds", [2]int64{0, 1000}, [2]int64{0, 1000})
	s.group("g", 1, part("refunds", 0, 500, 500), part("refunds", 1, 1000, 0))
	s.look(0)
	s.open = NewGroupID("g")
	start := int64(500)
	for range 20 {
		start += 8
		s.finish("g", 0, 8, start)
		s.look(time.Second)
	}
	o := s.board.Open
	if o == nil || o.Row != s.row("g") || len(o.Partitions) != 2 {
		t.Fatalf("open: %+v", o)
	}
	wantRate(t, "done of refunds-0", o.Partitions[0].Done, 8)
	wantRate(t, "done of refunds-1", o.Partitions[1].Done, 0)
	first := o.Partitions[0]
	if first.Lag != Known(340) || first.Log.End != Known(1000) || first.Ahead != Known(0) || first.Window != Known(1) {
		t.Errorf("row: %+v", first)
	}
	if first.Drain.Kind != DrainIn || first.Drain.In != 340*time.Second/8 || o.Partitions[1].Drain.Kind != DrainDone {
		t.Errorf("drain: %+v %+v", first.Drain, o.Partitions[1].Drain)
	}
	if o.Partitions[1].Verdict.Finding != FindingCaughtUp {
		t.Errorf("verdict: %+v", o.Partitions[1].Verdict)
	}
	if n := len(o.LagSeries); n != ringSlots || o.LagSeries[n-1] != Known(340) || o.LagSeries[n-21] != Known(500) || o.LagSeries[n-22].IsKnown() {
		t.Errorf("series: %v", o.LagSeries)
	}
	if again := s.lookAt(nobodyAsked); again.Open == o {
		t.Error("the logs were sampled anew, and the rows of the partitions were not")
	}
	s.open = NewGroupID("nobody-knows-it")
	if o := s.look(time.Second).Open; o == nil || o.Row != nil || o.ID != s.open {
		t.Errorf("a group that is not there: %+v", o)
	}
	s.open = GroupID{}
	if o := s.look(time.Second).Open; o != nil {
		t.Errorf("nothing is opened: %+v", o)
	}
}

func TestOpenGroupIsSharedWhileNothingChanges(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 10})
	s.group("g", 1, part("jobs", 0, 5, 5))
	s.open = NewGroupID("g")
	snapshot := s.look(0).Snapshot
	first := s.tracker.Apply(snapshot, s.open, s.now).Open
	if second := s.tracker.Apply(snapshot, s.open, s.now.Add(10*time.Millisecond)).Open; second != first {
		t.Error("same snapshot, same second, another pointer")
	}
	if later := s.tracker.Apply(snapshot, s.open, s.now.Add(time.Second)).Open; later == first {
		t.Error("a second later the series has moved on")
	}
}

func TestTrendMovesOnAndForgets(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 1000})
	s.group("g", 1, part("jobs", 0, 1000, 0))
	for i := range 300 {
		s.groups["g"].Partitions[0] = part("jobs", 0, 1000-int64(i), int64(i))
		s.look(time.Second)
	}
	r := s.row("g")
	if len(r.Trend) != TrendPoints || r.Trend[TrendPoints-1] != r.Lag {
		t.Fatalf("the last point is now: %v, lag %v", r.Trend, r.Lag)
	}
	for i := 1; i < TrendPoints; i++ {
		older, ok := r.Trend[i-1].Get()
		newer, ok2 := r.Trend[i].Get()
		if !ok || !ok2 || older >= newer {
			t.Fatalf("trend of a lag that grows: %v", r.Trend)
		}
	}
	s.now = s.now.Add(2 * time.Minute)
	s.lookAt(nobodyAsked)
	now := s.row("g").Trend
	if now[TrendPoints-1].IsKnown() || !now[0].IsKnown() || slices.Equal(now, r.Trend) {
		t.Errorf("two minutes without an answer: %v", now)
	}
	s.now = s.now.Add(HistoryLength)
	s.lookAt(nobodyAsked)
	for _, n := range s.row("g").Trend {
		if n.IsKnown() {
			t.Errorf("older than the history: %v", s.row("g").Trend)
		}
	}
}

// A source that tells every change says by its silence that nothing changed.
func TestLiveSourceHoldsItsValues(t *testing.T) {
	s := newScene(t, Rules{})
	s.source = FromStateTopic
	s.topic("jobs", [2]int64{0, 1000})
	s.group("g", 1, part("jobs", 0, 900, 100))
	s.look(0)
	for range 31 {
		s.now = s.now.Add(time.Second)
		s.lookAt(nobodyAsked)
	}
	s.want("g", FindingNotMoving, "not moving ≥31s: 100 offsets wait; may be markers or gaps")
	s.now = s.now.Add(time.Hour)
	s.lookAt(nobodyAsked)
	if r := s.row("g"); !r.Fresh || r.Trend[0] != Known(100) || r.Trend[TrendPoints-1] != Known(100) {
		t.Errorf("an hour of silence: %+v", r)
	}
}

// The rates of a group that came to rest go to zero, though a live source says
// nothing of it any more.
func TestLiveSourceComesToRest(t *testing.T) {
	s := newScene(t, Rules{})
	s.source = FromStateTopic
	s.topic("jobs", [2]int64{0, 1000})
	s.group("g", 1, part("jobs", 0, 0, 1000))
	s.look(0)
	start := int64(0)
	for range 20 {
		start += 10
		s.finish("g", 0, 10, start)
		s.look(time.Second)
	}
	if r := s.row("g"); r.Done.PerSecond != 10 || r.Drain.Kind != DrainIn {
		t.Fatalf("at work: %+v", r)
	}
	for range 80 {
		s.now = s.now.Add(time.Second)
		s.lookAt(nobodyAsked)
	}
	r := s.row("g")
	wantRate(t, "done", r.Done, 0)
	if r.Drain.Kind != DrainNever {
		t.Errorf("drain: %+v", r.Drain)
	}
	s.finish("g", 0, 10, start+10)
	s.look(time.Second)
	if got := s.row("g").Done; got.PerSecond <= 0 {
		t.Errorf("at work again: %+v", got)
	}
}

func TestDurationInTheTextGoesOn(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 1000})
	s.group("g", 1, part("jobs", 0, 900, 100))
	s.look(0)
	s.look(35 * time.Second)
	s.want("g", FindingNotMoving, "not moving ≥35s: 100 offsets wait; may be markers or gaps")
	before := s.row("g")
	s.now = s.now.Add(200 * time.Millisecond)
	s.lookAt(nobodyAsked)
	if s.row("g") != before {
		t.Error("the text says the same, the row does not")
	}
	s.now = s.now.Add(5 * time.Second)
	s.lookAt(nobodyAsked)
	s.want("g", FindingNotMoving, "not moving ≥40s: 100 offsets wait; may be markers or gaps")
}

func TestMutesAndThresholdsOfTheTracker(t *testing.T) {
	s := newScene(t, Rules{MinLag: 100, Mute: []Mute{{Group: "old-*", Finding: FindingNobody}}})
	s.topic("jobs", [2]int64{0, 1000})
	s.group("old-one", 0, part("jobs", 0, 0, 1000))
	s.group("new-one", 0, part("jobs", 0, 0, 1000))
	s.group("small", 0, part("jobs", 0, 901, 99))
	s.look(0)
	for id, want := range map[string]Finding{"old-one": FindingQuiet, "new-one": FindingNobody, "small": FindingQuiet} {
		if got := s.row(id).Verdict.Finding; got != want {
			t.Errorf("%s: got %s, want %s", id, got, want)
		}
	}
}

func TestShareGroupsSwitchedOffIsNoticed(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 10})
	s.group("g", 1, part("jobs", 0, 10, 0))
	s.look(0)
	s.support = ShareDisabled
	s.lookAt(nobodyAsked)
	s.want("g", FindingFeatureOff, "share groups are off")
	if s.board.Totals.NotKnown != 1 {
		t.Errorf("totals: %+v", s.board.Totals)
	}
}

func TestGroupsComeAndGo(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 10})
	for _, id := range []string{"a", "c", "e"} {
		s.group(id, 1, part("jobs", 0, 5, 5))
	}
	s.look(0)
	s.look(time.Second)
	delete(s.groups, "c")
	s.group("b", 1, part("jobs", 0, 5, 5))
	s.group("f", 1, part("jobs", 0, 5, 5))
	s.look(time.Second)
	for id, known := range map[string]bool{"a": true, "b": false, "e": true, "f": false} {
		if got := s.row(id).Done.Known; got != known {
			t.Errorf("%s: has a history: %v, want %v", id, got, known)
		}
	}
	if s.board.Row(NewGroupID("c")) != nil || len(s.tracker.groups) != 4 {
		t.Error("a group that is gone is still there")
	}
	if got := (*Board)(nil).Row(NewGroupID("a")); got != nil {
		t.Error("no board, and a row")
	}
	if b := s.tracker.Apply(nil, GroupID{}, s.now); len(b.Rows) != 0 {
		t.Error("no snapshot, and rows")
	}
}
