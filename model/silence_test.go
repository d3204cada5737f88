package model

import (
	"testing"
	"time"
)

// The tests of this file are about the time after brokers went silent: nothing is
// concluded from their silence, and what was told before an error is shown and
// judged no more.

// A share-partition that is answered with an error keeps what was told of it
// before: no verdict, no rate and no number follows from that.
func TestWhatWasToldBeforeAnErrorIsNotJudged(t *testing.T) {
	s := newScene(t, Rules{})
	s.open = NewGroupID("g")
	s.topic("jobs", [2]int64{0, 1000}, [2]int64{0, 1000})
	g := s.group("g", 1, part("jobs", 0, 0, 1000), part("jobs", 1, 0, 1000))
	s.look(0)
	work := func(i int) {
		start := g.Partitions[i].Start.Or(0) + 10
		s.finish("g", i, 10, start)
	}
	for range 20 {
		work(0)
		work(1)
		s.look(time.Second)
	}
	wantRate(t, "done of jobs-1", s.board.Open.Partitions[1].Done, 10)

	g.Partitions[1].Problem = &Problem{Kind: ProblemLoading, Detail: "Its leader is moving."}
	s.log("jobs", 1).LogStart = Known(500) // which says nothing, as the start offset is old
	for range 60 {
		work(0)
		s.look(time.Second)
	}
	r, p := s.row("g"), s.board.Open.Partitions[1]
	if r.Lag != Known(200+800) || !r.LagPartial {
		t.Errorf("lag %v, partial %v", r.Lag, r.LagPartial)
	}
	if r.Verdict.Severity >= SeverityWarn || p.Verdict != (PartitionVerdict{}) {
		t.Errorf("verdict %q, of jobs-1 %q", r.Verdict.Text, p.Verdict.Text)
	}
	if p.Done.Known || p.Ahead.IsKnown() || p.Window.IsKnown() || p.Lag != Known(800) || p.Start != Known(200) {
		t.Errorf("jobs-1 is %+v", p)
	}

	g.Partitions[1].Problem = nil
	s.finish("g", 1, 600, 800)
	s.look(time.Second)
	if p := s.board.Open.Partitions[1]; !p.Done.Known || p.Done.PerSecond <= 0 {
		t.Errorf("jobs-1 is back: done %+v", p.Done)
	}
}
