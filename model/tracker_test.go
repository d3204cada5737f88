package model

import (
	"testing"
	"time"
)

func wantRate(t *testing.T, what string, r Rate, want float64) {
	t.Helper()
	if !r.Known || r.PerSecond < want-0.01 || r.PerSecond > want+0.01 {
		t.Errorf("%s: got %+v, want %v", what, r, want)
	}
}

func TestRatesAndDrainOfADrainingGroup(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 10_000})
	s.group("packers", 2, part("jobs", 0, 4000, 6000))
	s.look(0)
	if r := s.row("packers"); r.In.Known || r.Done.Known || r.Net.Known || r.Drain.Kind != DrainUnknown {
		t.Fatalf("one sample gives no rate: %+v", r)
	}
	start := int64(4000)
	for range 30 {
		s.arrive("packers", 0, 180)
		start += 196
		s.finish("packers", 0, 196, start)
		s.look(time.Second)
	}
	r := s.row("packers")
	wantRate(t, "in", r.In, 180)
	wantRate(t, "done", r.Done, 196)
	wantRate(t, "net", r.Net, 16)
	lag := 6000 - 16*30
	if r.Lag != Known(int64(lag)) || r.LagPartial {
		t.Errorf("lag: %+v", r.Lag)
	}
	if want := time.Duration(float64(lag) / 16 * float64(time.Second)); r.Drain.Kind != DrainIn || r.Drain.In != want {
		t.Errorf("drain: got %+v, want %v", r.Drain, want)
	}
	s.want("packers", FindingDraining, "draining")
}

func TestFallingBehindNeverDrains(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("orders", [2]int64{0, 1000})
	s.group("sink", 2, part("orders", 0, 900, 100))
	s.look(0)
	start := int64(900)
	for range 40 {
		s.arrive("sink", 0, 310)
		start += 250
		s.finish("sink", 0, 250, start)
		s.look(time.Second)
	}
	s.want("sink", FindingBehind, "falling behind by 60/s")
	if d := s.row("sink").Drain; d.Kind != DrainNever {
		t.Errorf("drain: %+v", d)
	}
}

func TestUnchangedRowsAreShared(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 100})
	s.group("a", 1, part("jobs", 0, 100, 0))
	s.group("b", 1, part("jobs", 0, 50, 50))
	s.look(0)
	b1 := s.look(time.Second)
	b2 := s.lookAt(func(string) bool { return false })
	if b1.Rows[0] != b2.Rows[0] || b1.Rows[1] != b2.Rows[1] || &b1.Rows[0] != &b2.Rows[0] {
		t.Error("a snapshot without news must share all rows, and the list of them")
	}
	s.finish("b", 0, 10, 60)
	b3 := s.lookAt(func(id string) bool { return id == "b" })
	if b3.Rows[0] != b2.Rows[0] {
		t.Error("row of a group that was not asked must be the same")
	}
	if b3.Rows[1] == b2.Rows[1] || b3.Rows[1].Lag != Known(40) {
		t.Errorf("row of a group that changed: %+v", b3.Rows[1])
	}
	if b2.Rows[1].Lag != Known(50) {
		t.Error("a board that was handed over has changed")
	}
}

func TestRowsGoStale(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 100})
	s.group("a", 1, part("jobs", 0, 100, 0))
	if !s.look(0).Rows[0].Fresh {
		t.Error("just answered, and not fresh")
	}
	s.now = s.now.Add(2500 * time.Millisecond)
	if s.lookAt(func(string) bool { return false }).Rows[0].Fresh {
		t.Error("not answered for more than two ticks, and fresh")
	}
	s.tracker.SetInterval(5 * time.Second)
	if !s.lookAt(func(string) bool { return false }).Rows[0].Fresh {
		t.Error("answered within two ticks of 5 s, and not fresh")
	}
}

func TestTotals(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 100}, [2]int64{0, 0}, [2]int64{0, 100})
	s.group("known", 1, part("jobs", 0, 60, 40))
	s.group("empty-log", 1, unsettledPart("jobs", 1))
	s.look(0)
	if got := s.board.Totals; got.Lag != Known(40) || got.Partial || got.Groups != 2 || got.Fine != 2 {
		t.Errorf("a log without records counts as 0: %+v", got)
	}
	s.group("unsettled", 1, part("jobs", 0, 98, 2), unsettledPart("jobs", 2))
	s.look(time.Second)
	if r := s.row("unsettled"); r.Lag != Known(2) || !r.LagPartial || r.Partitions != Known(2) {
		t.Errorf("partial lag: %+v", r)
	}
	if got := s.board.Totals; got.Lag != Known(42) || !got.Partial {
		t.Errorf("totals: %+v", got)
	}
	s.group("past-end", 1, part("jobs", 0, 1080, -980))
	s.look(time.Second)
	if got := s.board.Totals; got.Lag != Known(42) {
		t.Errorf("a lag below 0 must not hide what waits elsewhere: %+v", got)
	}
}
