package model

import (
	"testing"
	"time"
)

// The tests of this file are about the time after brokers went silent: nothing is
// concluded from their silence, and what was told before an error is shown and
// judged no more.

// seenScene is a scene whose live source says up to when it has told all, until
// it is stopped.
func seenScene(t *testing.T, rules Rules) (s *scene, look func(), stop func()) {
	t.Helper()
	s = newScene(t, rules)
	s.source = FromStateTopic
	seen, running := s.now, true
	s.checked = func() time.Time {
		if running {
			seen = s.now
		}
		return seen
	}
	look = func() {
		s.now = s.now.Add(time.Second)
		s.lookAt(nobodyAsked)
	}
	return s, look, func() { running = false }
}

// A broker that stops in the middle of its work looks idle to a live source, until
// that is found to be behind: no rate falls by its silence.
func TestSilenceIsNoRest(t *testing.T) {
	s, look, stop := seenScene(t, Rules{MinLag: 1001})
	s.topic("jobs", [2]int64{0, 1000})
	s.group("g", 1, part("jobs", 0, 0, 1000))
	s.look(0)
	start := int64(0)
	for range 20 {
		start += 10
		s.finish("g", 0, 10, start)
		s.look(time.Second)
	}
	before := s.row("g")
	wantRate(t, "done", before.Done, 10)
	stop()
	for range 30 {
		look()
	}
	if r := s.row("g"); r.Done != before.Done || r.Net != before.Net || r.Drain != before.Drain {
		t.Errorf("after 30 s of silence: done %v, net %v, drain %v", r.Done, r.Net, r.Drain)
	}
}

// That retention is about to delete the record at the head is said only while it
// is known to be there still.
func TestSilenceBringsNoRetention(t *testing.T) {
	for name, stops := range map[string]bool{"told": false, "silent": true} {
		t.Run(name, func(t *testing.T) {
			s, look, stop := seenScene(t, Rules{MinLag: 1001})
			s.topic("jobs", [2]int64{0, 1000})
			s.topics["jobs"].Retention = Known(time.Hour.Milliseconds())
			g := s.group("g", 0, part("jobs", 0, 900, 100))
			p := &g.Partitions[0]
			p.State = NewPartitionState(StateParts{Start: 900, Finished: 0, Highest: 899})
			p.Head = &HeadRecord{Offset: 900, Record: Known(900), Timestamp: s.now.Add(-53 * time.Minute)}
			s.look(0)
			if stops {
				stop()
			}
			for range 120 {
				look()
			}
			if expiring := s.row("g").Verdict.Finding == FindingExpiring; expiring == stops {
				t.Errorf("the verdict is %q", s.row("g").Verdict.Text)
			}
		})
	}
}

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
