package main

import "testing"

// TestPercentFor holds that a small heap is not collected all the time, and that
// a large one is kept small.
func TestPercentFor(t *testing.T) {
	for _, tt := range []struct {
		live uint64
		want int
	}{
		{0, startPercent}, {500_000, startPercent}, {2_500_000, 100}, {5_000_000, 50}, {20_000_000, gcPercent}, {1 << 40, gcPercent},
	} {
		if got := percentFor(tt.live); got != tt.want {
			t.Errorf("%d bytes in use: %d %%, want %d %%", tt.live, got, tt.want)
		}
	}
}

// TestLimitFor holds that the limit is never near what is in use: then the
// collector would run all the time.
func TestLimitFor(t *testing.T) {
	for _, tt := range []struct {
		live uint64
		want int64
	}{{0, leastLimit}, {60 << 20, leastLimit}, {100 << 20, 150 << 20}, {1 << 62, 3 << 59}} {
		if got := limitFor(tt.live); got != tt.want {
			t.Errorf("%d bytes in use: limit %d, want %d", tt.live, got, tt.want)
		}
	}
}
