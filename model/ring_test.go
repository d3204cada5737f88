package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

// lagModel is a lagRing done simply: every second that was ever put.
type lagModel struct {
	put  map[int64]Number
	last int64
}

func (m *lagModel) at(second int64) Number {
	if second > m.last || second <= m.last-int64(ringSlots) {
		return Number{}
	}
	return m.put[second]
}

func TestRingAgainstItsModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	gaps := []int64{0, 1, 1, 1, 1, 2, 5, 29, 30, 31, 100, 239, 240, 241, 100_000}
	for range 300 {
		var r lagRing
		second := rng.Int64N(10_000) - 5000
		m := lagModel{put: map[int64]Number{}, last: second}
		for range 400 {
			second += gaps[rng.IntN(len(gaps))]
			lag := Number{}
			if rng.IntN(10) > 0 {
				lag = Known(rng.Int64N(1<<31) - 1000)
			}
			r.put(second, lag)
			m.put[second], m.last = lag, second
			for s := second - int64(ringSlots) - 3; s <= second+2; s++ {
				if got, want := r.at(s), m.at(s); got != want {
					t.Fatalf("second %d of %d: got %+v, want %+v", s, second, got, want)
				}
			}
		}
	}
}

func TestRingIgnoresTimeThatGoesBack(t *testing.T) {
	var r lagRing
	r.put(100, Known(1))
	r.put(99, Known(2))
	if r.at(99).IsKnown() || r.at(100) != Known(1) {
		t.Errorf("got %+v %+v", r.at(99), r.at(100))
	}
}

func TestRingKeepsTheHighBitsOfHugeLags(t *testing.T) {
	var r lagRing
	values := []int64{5, 1 << 31, 1 << 40, math.MaxInt64, -(1 << 40), math.MinInt64 + 1, 0}
	for i, v := range values {
		r.put(int64(i), Known(v))
	}
	low := int64(1) << 33 // the bits that a value of 64 bits costs the others
	for i, v := range values {
		got, ok := r.at(int64(i)).Get()
		if !ok || got > v || v-got >= low {
			t.Errorf("%d: got %d", v, got)
		}
	}
}

func TestRingLatest(t *testing.T) {
	var r lagRing
	r.put(10, Known(1))
	r.put(20, Number{})
	r.put(30, Known(3))
	tests := []struct {
		from, to int64
		want     Number
		second   int64
	}{
		{0, 9, Number{}, 0},
		{0, 10, Known(1), 10},
		{10, 20, Number{}, 0}, // asked, and unknown
		{9, 29, Known(1), 10},
		{0, 1000, Known(3), 30},
		{30, 1000, Number{}, 0},
	}
	for _, test := range tests {
		if got, second := r.latest(test.from, test.to); got != test.want || second != test.second {
			t.Errorf("(%d, %d]: got %+v at %d", test.from, test.to, got, second)
		}
	}
}
