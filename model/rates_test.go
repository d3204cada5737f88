package model

import (
	"math"
	"testing"
	"time"
)

// samples feeds a ring with one sample every step, each with the same growth.
func samples(n int, step time.Duration, in, done int64) *rateRing {
	var r rateRing
	for i := range n {
		r.add(int64(i+1)*int64(step), delta{in: in, done: done, net: done - in, hasIn: true, hasDone: true})
	}
	return &r
}

func TestRates(t *testing.T) {
	tests := []struct {
		name              string
		ring              *rateRing
		known             bool
		in, done, balance float64
	}{
		{"none", &rateRing{}, false, 0, 0, 0},
		{"one sample", samples(1, time.Second, 10, 5), false, 0, 0, 0},
		{"two samples", samples(2, time.Second, 10, 5), true, 10, 5, -5},
		{"20 a second", samples(1000, 50*time.Millisecond, 10, 5), true, 200, 100, -100},
		{"one in 100 s", samples(4, 100*time.Second, 1000, 500), true, 10, 5, -5},
		{"done below 0 is skew", samples(3, time.Second, 10, -1), true, 10, 0, -11},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in, done, net := test.ring.rates()
			if in.Known != test.known || done.Known != test.known || net.Known != test.known {
				t.Fatalf("known: %+v %+v %+v", in, done, net)
			}
			for _, pair := range [][2]float64{{in.PerSecond, test.in}, {done.PerSecond, test.done}, {net.PerSecond, test.balance}} {
				if math.Abs(pair[0]-pair[1]) > 1e-9 {
					t.Errorf("got %v, want %v", pair[0], pair[1])
				}
			}
		})
	}
}

// Rates forget what is older than the window, but for a step of it.
func TestRatesAreOverTheWindow(t *testing.T) {
	r := samples(60, time.Second, 100, 100)
	for i := range 18 {
		r.add(int64(61+i)*int64(time.Second), delta{in: 7, hasIn: true})
	}
	in, done, _ := r.rates()
	if in.PerSecond != 7 || done.Known {
		t.Errorf("in %+v done %+v", in, done)
	}
	newest := r.last.at
	r.add(newest-1, delta{in: 17, hasIn: true})
	if again, _, _ := r.rates(); again.PerSecond != 8 || r.last.at != newest {
		t.Errorf("a sample out of order is lost, or has turned time back: %+v", again)
	}
}

func TestKnownRate(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if knownRate(v).Known {
			t.Errorf("%v is no rate", v)
		}
	}
	if r := knownRate(math.Copysign(0, -1)); !r.Known || math.Signbit(r.PerSecond) {
		t.Errorf("negative zero: %+v", r)
	}
}

// lagOver makes a ring of 240 s from a function of the second.
func lagOver(lag func(second int64) int64) *lagRing {
	var r lagRing
	for s := range int64(ringSlots) {
		r.put(s, Known(lag(s)))
	}
	return &r
}

func TestSlope(t *testing.T) {
	const end = int64(ringSlots) - 1
	tests := []struct {
		name        string
		lag         func(s int64) int64
		rising      int // sign of the median slope
		floorRising bool
	}{
		{"flat", func(int64) int64 { return 500 }, 0, false},
		{"growing", func(s int64) int64 { return 100 + 60*s }, 1, true},
		{"draining", func(s int64) int64 { return 100_000 - 60*s }, -1, false},
		{"saw-tooth of a batch every 30 s", func(s int64) int64 { return 100 * (s % 30) }, 1, false},
		{"one wild sample", func(s int64) int64 {
			if s == end-20 {
				return 1_000_000
			}
			return 100_000 - 60*s
		}, -1, false},
		{"a burst 40 s ago, draining since", func(s int64) int64 {
			if s < end-40 {
				return 0
			}
			return 100_000 - 100*(s-(end-40))
		}, -1, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := slopeOf(lagOver(test.lag), -1, end)
			sign := 0
			if got.perSecond > 0 {
				sign = 1
			} else if got.perSecond < 0 {
				sign = -1
			}
			if !got.known || sign != test.rising || got.floor > 0 != test.floorRising {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestSlopeNeedsTimeAndStopsAtABreak(t *testing.T) {
	const end = int64(ringSlots) - 1
	r := lagOver(func(s int64) int64 { return 100 + 60*s })
	if got := slopeOf(r, end-10, end); got.known {
		t.Errorf("10 s are too few: %+v", got)
	}
	if got := slopeOf(r, end-20, end); !got.known || got.perSecond != 60 {
		t.Errorf("got %+v", got)
	}
	if got := slopeOf(&lagRing{}, 0, end); got.known {
		t.Errorf("nothing there: %+v", got)
	}
}

// A lag of one or two that comes and goes is not one that never goes.
func TestDrainBesideAFinding(t *testing.T) {
	never, soon := Drain{Kind: DrainNever}, Drain{Kind: DrainIn, In: time.Second}
	for _, test := range []struct {
		finding Finding
		read    bool
		drain   Drain
		want    Drain
	}{
		{FindingQuiet, true, never, Drain{}},
		{FindingQuiet, false, never, never}, // muted: nobody reads
		{FindingQuiet, true, soon, soon},
		{FindingBehind, true, never, never},
		{FindingNobody, false, never, never},
	} {
		if got := test.drain.beside(test.finding, test.read); got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.finding, got, test.want)
		}
	}
}

func TestDrain(t *testing.T) {
	falling, rising := slope{perSecond: -4, known: true}, slope{perSecond: 4, floor: 100, known: true}
	tests := []struct {
		name     string
		severity Severity
		lag      Number
		partial  bool
		slope    slope
		want     Drain
	}{
		{"stuck", SeverityStuck, Known(100), false, falling, Drain{Kind: DrainStuck}},
		{"stuck and unknown", SeverityStuck, Number{}, true, slope{}, Drain{Kind: DrainStuck}},
		{"unknown lag", SeverityFine, Number{}, true, falling, Drain{}},
		{"lag 0", SeverityFine, Known(0), false, slope{}, Drain{Kind: DrainDone}},
		{"lag 0 of what is known", SeverityFine, Known(0), true, falling, Drain{}},
		{"lag below 0", SeverityWarn, Known(-5), false, rising, Drain{Kind: DrainDone}},
		{"no slope yet", SeverityFine, Known(100), false, slope{}, Drain{}},
		{"draining", SeverityFine, Known(100), false, falling, Drain{Kind: DrainIn, In: 25 * time.Second}},
		{"draining of what is known", SeverityFine, Known(100), true, falling, Drain{Kind: DrainIn, In: 25 * time.Second}},
		{"growing", SeverityWarn, Known(100), false, rising, Drain{Kind: DrainNever}},
		{"standing still", SeverityWarn, Known(100), false, slope{known: true}, Drain{Kind: DrainNever}},
		{"saw-tooth", SeverityFine, Known(100), false, slope{perSecond: 4, known: true}, Drain{}},
		{"longer than a year", SeverityFine, Known(math.MaxInt64), false, falling, Drain{Kind: DrainNever}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := drainOf(test.severity, test.lag, test.partial, test.slope); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
