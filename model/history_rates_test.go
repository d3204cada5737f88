package model

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// A group asked once in 100 s gets a sample every 100 s, not one a tick.
func TestSparseSamples(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 100_000})
	s.group("g", 1, part("jobs", 0, 0, 100_000))
	s.look(0)
	start := int64(0)
	for second := 1; second <= 200; second++ {
		start += 10
		s.finish("g", 0, 10, start)
		s.now = s.now.Add(time.Second)
		s.lookAt(func(string) bool { return second%100 == 0 })
	}
	r := s.row("g")
	wantRate(t, "done", r.Done, 10)
	wantRate(t, "net", r.Net, 10)
	if r.Drain.Kind != DrainIn || r.Drain.In != 9800*time.Second {
		t.Errorf("drain: %+v", r.Drain)
	}
	known := 0
	for _, n := range r.Trend {
		if n.IsKnown() {
			known++
		}
	}
	if known == 0 || known > 6 {
		t.Errorf("trend is known where nothing was seen: %v", r.Trend)
	}
}

// Lag and log ends are sampled at different moments; that is no event.
func TestSkewBetweenLagAndEnds(t *testing.T) {
	for _, skew := range []time.Duration{-900 * time.Millisecond, -50 * time.Millisecond, 50 * time.Millisecond, 900 * time.Millisecond} {
		t.Run(skew.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(skew)))
			s := newScene(t, Rules{})
			s.skew = skew
			s.topic("jobs", [2]int64{0, 0})
			s.group("g", 1, part("jobs", 0, 0, 0))
			end, finished := int64(10_000), int64(9000)
			for range 60 {
				in, jitter := 900+rng.Int64N(200), rng.Int64N(100)
				end += in
				finished += 950 + rng.Int64N(100)
				s.log("jobs", 0).End = Known(end + int64(skew.Seconds()*1000) + jitter)
				s.groups["g"].Partitions[0] = part("jobs", 0, finished-200, end-finished)
				s.look(time.Second)
				if r := s.row("g"); r.In.PerSecond < 0 || r.Done.PerSecond < 0 {
					t.Fatalf("a rate below 0: %+v", r)
				}
			}
			r := s.row("g")
			if !r.Done.Known || math.Abs(r.Done.PerSecond-1000) > 60 || math.Abs(r.In.PerSecond-1000) > 60 {
				t.Errorf("in %+v done %+v", r.In, r.Done)
			}
		})
	}
}

// Noise of the ends must not look like progress for ever.
func TestNothingFinishesUnderTraffic(t *testing.T) {
	s := newScene(t, Rules{})
	rng := rand.New(rand.NewPCG(1, 2))
	s.topic("jobs", [2]int64{0, 0})
	s.group("g", 1, part("jobs", 0, 9000, 1000))
	end := int64(10_000)
	for range 60 {
		end += 1000
		s.log("jobs", 0).End = Known(end + rng.Int64N(400) - 200)
		s.groups["g"].Partitions[0] = part("jobs", 0, 9000, end-9000)
		s.look(time.Second)
		if v := s.row("g").Verdict; v.Severity == SeverityStuck {
			t.Fatal(v.Text)
		}
	}
	if v := s.row("g").Verdict; v.Finding != FindingNotMoving {
		t.Errorf("got %s %q", v.Finding, v.Text)
	}
}

// Without members nothing is finished, whatever a skew of the samples says.
func TestNobodyFinishesNothing(t *testing.T) {
	for members, finishes := range []bool{false, true} {
		s := newScene(t, Rules{})
		s.topic("jobs", [2]int64{0, 10_000})
		s.group("g", members, part("jobs", 0, 9000, 1000))
		s.open = NewGroupID("g")
		for i := range int64(30) {
			end := 10_000 + 40*i
			s.log("jobs", 0).End = Known(end + i) // each a record later than the lag
			s.groups["g"].Partitions[0] = part("jobs", 0, 9000, end-9000)
			s.look(time.Second)
		}
		r := s.row("g")
		if !r.Done.Known || r.Done.PerSecond > 0 != finishes || math.Abs(r.In.PerSecond-41) > 1 {
			t.Errorf("%d members: in %+v done %+v", members, r.In, r.Done)
		}
		if done := s.board.Open.Partitions[0].Done; !done.Known || done.PerSecond > 0 != finishes {
			t.Errorf("%d members: the partition has done %+v", members, done)
		}
	}
}

// The series breaks when somebody altered the group's offsets.
func TestAlterationsBreakTheSeries(t *testing.T) {
	tests := []struct {
		name    string
		members int
		alter   func(s *scene)
		broken  bool
	}{
		{"nothing", 1, func(*scene) {}, false},
		{"start moved back", 1, func(s *scene) { s.groups["g"].Partitions[0] = part("jobs", 0, 100, 900) }, true},
		{"same start, finished ones forgotten", 0, func(s *scene) { s.groups["g"].Partitions[0] = part("jobs", 0, 500, 500) }, true},
		{"start moved on with nobody there", 0, func(s *scene) { s.groups["g"].Partitions[0] = part("jobs", 0, 900, 100) }, true},
		{"start moved on by members", 1, func(s *scene) { s.groups["g"].Partitions[0] = part("jobs", 0, 900, 100) }, false},
		{"start set to -1", 0, func(s *scene) { s.groups["g"].Partitions[0] = unsettledPart("jobs", 0) }, true},
		{"partition gone", 1, func(s *scene) { s.groups["g"].Partitions = s.groups["g"].Partitions[:1] }, true},
		{"topic made anew", 1, func(s *scene) {
			s.topics["jobs"].ID = TopicID{9}
			s.groups["g"].Partitions[0].TopicID = TopicID{9}
		}, true},
		{"log end moved back", 1, func(s *scene) { s.log("jobs", 0).End = Known(400) }, true},
		{"partition added", 1, func(s *scene) {
			s.groups["g"].Partitions = append(s.groups["g"].Partitions, part("jobs", 2, 0, 10))
		}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newScene(t, Rules{})
			s.topic("jobs", [2]int64{0, 1000}, [2]int64{0, 1000}, [2]int64{0, 10})
			first := part("jobs", 0, 500, 400)
			first.TopicID = s.topics["jobs"].ID
			s.group("g", test.members, first, part("jobs", 1, 1000, 0))
			for range 5 {
				s.look(time.Second)
			}
			if !s.row("g").Done.Known {
				t.Fatal("no rate to break")
			}
			test.alter(s)
			s.look(time.Second)
			if got := !s.row("g").Done.Known; got != test.broken {
				t.Errorf("series broken: %v, want %v", got, test.broken)
			}
			for range 3 {
				s.look(time.Second)
			}
			r := s.row("g")
			if len(r.Group.Partitions) > 1 && !r.Done.Known {
				t.Error("no rates two samples later")
			}
			if r.Done.PerSecond < 0 || test.broken && r.Done.PerSecond > 0 {
				t.Errorf("an alteration is no work done: %+v", r.Done)
			}
		})
	}
}

// A lag that becomes known makes the sum jump; that is no falling behind.
func TestPartitionsThatBecomeKnownAreNoGrowth(t *testing.T) {
	s := newScene(t, Rules{})
	logs := [][2]int64{{0, 1000}, {0, 1000}, {0, 1000}, {0, 1000}}
	s.topic("jobs", logs...)
	s.group("g", 1)
	for i := range logs {
		s.groups["g"].Partitions = append(s.groups["g"].Partitions, unsettledPart("jobs", int32(i)))
	}
	s.groups["g"].Partitions[0] = part("jobs", 0, 500, 500)
	for second := range 60 {
		if i := second / 5; i > 0 && i < len(logs) && second%5 == 0 {
			s.groups["g"].Partitions[i] = part("jobs", int32(i), 500, 500)
		}
		s.finish("g", 0, 1, 500+int64(second))
		s.look(time.Second)
		if r := s.row("g"); r.Verdict.Finding == FindingBehind || r.Drain.Kind == DrainNever || r.Net.PerSecond < 0 {
			t.Fatalf("second %d: %q, %+v", second, r.Verdict.Text, r.Net)
		}
	}
}
