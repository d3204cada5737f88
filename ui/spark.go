package ui

import (
	"math"
	"strings"

	"sharetop/model"
)

// sparkline draws a series in one line of width cells, oldest first, the last
// cell being the newest value. A series that is longer is thinned out: each
// cell shows the largest value of its stretch. One that is shorter stands at
// the right end. Unknown values are gaps.
func sparkline(g glyphs, series []model.Number, width int) string {
	if width <= 0 {
		return ""
	}
	var b strings.Builder
	b.Grow(3 * width)
	low, high, any := rangeOf(series)
	for i := range width {
		v, known := peak(stretch(series, i, width))
		if !known || !any {
			b.WriteString(g.gap)
			continue
		}
		b.WriteString(g.levels[level(v, low, high, len(g.levels))])
	}
	return b.String()
}

// stretch is the part of the series that cell i of width shows.
func stretch(series []model.Number, i, width int) []model.Number {
	if n := len(series); n <= width {
		at := i - (width - n)
		if at < 0 {
			return nil
		}
		return series[at : at+1]
	}
	return series[i*len(series)/width : (i+1)*len(series)/width]
}

// peak is the largest known value; false when none is known.
func peak(series []model.Number) (int64, bool) {
	_, high, known := rangeOf(series)
	return high, known
}

// rangeOf are the smallest and the largest known value; false when none is.
func rangeOf(series []model.Number) (low, high int64, known bool) {
	for _, n := range series {
		v, ok := n.Get()
		if !ok {
			continue
		}
		if !known {
			low, high, known = v, v, true
			continue
		}
		low, high = min(low, v), max(high, v)
	}
	return low, high, known
}

// level is how high a value stands among n levels. All zero is the lowest.
// Else the full height stands for the range, or for half the largest value
// where that is more: so a steady series is flat, in the level just above the
// middle, and a ripple on a large number does not look like a storm.
func level(v, low, high int64, n int) int {
	l, h := float64(low), float64(high)
	span, middle := h-l, 0.5
	if half := max(math.Abs(l), math.Abs(h)) / 2; span < half {
		// The middle of a level and not the edge between two.
		span, middle = half, 0.5+0.5/float64(n)
	}
	if span == 0 {
		return 0
	}
	at := (float64(v)-(l+h)/2)/span + middle
	return clamp(int(at*float64(n)), 0, n-1)
}
