package ui

import (
	"math"
	"strings"
	"time"

	"sharetop/model"
)

// chartSpec says what a chart shows.
type chartSpec struct {
	// series is oldest first, step apart; its last value is now. It stands at
	// the right end of span samples: what is older than the series is blank.
	series []model.Number
	span   int
	step   time.Duration
	// bridge is how many samples apart two known values may be and still be
	// joined: sampling is not as even as step. 0 means neighbours only.
	bridge int
}

// Sizes of a chart, in cells.
const (
	// chartRowsPerTick is how far apart the numbers at the left are.
	chartRowsPerTick = 3
	// minPlot is the narrowest plot beside which numbers are still written.
	minPlot = 12
	// minTimeAxis is the lowest chart that still has a line for the time.
	minTimeAxis = 3
)

// chart draws a line chart, exactly width by height: numbers at the left, time
// below, dots of a braille canvas between. Unknown values break the line.
func chart(l look, c chartSpec, width, height int) string {
	if width <= 0 || height <= 0 {
		return ""
	}
	rows := height
	if height >= minTimeAxis {
		rows--
	}
	low, high, _ := rangeOf(c.series)
	scale := newScale(low, high, rows)
	labels, left := axisLabels(scale, rows)
	if width-left < minPlot {
		labels, left = nil, 0
	}
	plot := newCanvas(l.g.ascii, width-left, rows)
	plotSeries(plot, c, scale)

	var b strings.Builder
	for y := range rows {
		if y > 0 {
			b.WriteByte('\n')
		}
		if left > 0 {
			b.WriteString(l.s.dim.render(padLeft(labels[y], left-2) + " " + l.g.side))
		}
		b.WriteString(plot.line(y))
	}
	if rows < height {
		b.WriteByte('\n')
		b.WriteString(l.s.dim.render(blanks(left) + fit(timeAxis(*l.g, c, width-left), width-left, l.g.more)))
	}
	return b.String()
}

// plotSeries draws the series; known values that are near enough are joined.
func plotSeries(p *canvas, c chartSpec, s scale) {
	w, h := p.dots()
	span := max(c.span, len(c.series), 1)
	first := span - len(c.series)
	last, lastX, lastY := -1, 0, 0
	for i, n := range c.series {
		v, known := n.Get()
		if !known {
			continue
		}
		x := w - 1
		if span > 1 {
			x = (first + i) * (w - 1) / (span - 1)
		}
		y := s.dot(v, h)
		if last < 0 || i-last > max(1, c.bridge) {
			lastX, lastY = x, y
		}
		p.join(lastX, lastY, x, y)
		last, lastX, lastY = i, x, y
	}
}

// scale maps values to heights; step is the distance of the numbers at the
// left.
type scale struct{ low, high, step float64 }

// newScale makes a scale with round numbers that holds low and high. It begins
// at 0 unless that would flatten what there is to see.
func newScale(low, high int64, rows int) scale {
	l, h := float64(low), float64(high)
	if l > 0 && l <= h && (l < h/2 || l == h) {
		l = 0
	}
	if l == h {
		h = l + 1
	}
	step := roundStep((h - l) / float64(max(1, rows/chartRowsPerTick)))
	return scale{low: math.Floor(l/step) * step, high: math.Ceil(h/step) * step, step: step}
}

// roundStep is the smallest of 1, 2, 5, 10, 20, 50, … that is at least raw.
func roundStep(raw float64) float64 {
	ten := math.Pow(10, math.Floor(math.Log10(max(1, raw))))
	for _, m := range []float64{1, 2, 5} {
		if m*ten >= raw {
			return m * ten
		}
	}
	return 10 * ten
}

// dot is the row, from the top, on which a value stands among so many.
func (s scale) dot(v int64, dots int) int {
	at := (float64(v) - s.low) / (s.high - s.low)
	return clamp(int(math.Round((1-at)*float64(dots-1))), 0, dots-1)
}

// axisLabels are the numbers beside each row, "" where there is none, and the
// width of the axis: the widest number, a blank and the line.
func axisLabels(s scale, rows int) (labels []string, width int) {
	labels = make([]string, rows)
	for v := s.high; v > s.low-s.step/2; v -= s.step {
		n := toInt(v)
		text, row := model.FormatInt(n), s.dot(n, rows)
		// On a chart of one line the top of the scale says more than its 0.
		if labels[row] == "" {
			labels[row] = text
			width = max(width, cellWidth(text))
		}
	}
	return labels, width + 2
}

// toInt is the whole number next to v; the ends of int64 for what is beyond.
func toInt(v float64) int64 {
	switch {
	case v >= math.MaxInt64:
		return math.MaxInt64
	case v <= math.MinInt64:
		return math.MinInt64
	default:
		return int64(math.Round(v))
	}
}

// timeAxis is the line below: how long ago the left end and the middle are.
func timeAxis(g glyphs, c chartSpec, width int) string {
	whole := time.Duration(c.span) * c.step
	start, middle, end := model.FormatDuration(whole)+" ago", model.FormatDuration(whole/2), "now"
	rule := func(n int) string { return strings.Repeat(g.line, max(0, n)) }
	between := width - cellWidth(start) - cellWidth(end) - 3
	both := between - cellWidth(middle) - 2
	switch {
	case both >= 2*cellWidth(start):
		before := width/2 - cellWidth(start) - 3 - cellWidth(middle)/2
		return " " + start + " " + rule(before) + " " + middle + " " + rule(both-before) + " " + end
	case between >= 0:
		return " " + start + " " + rule(between) + " " + end
	default:
		return padLeft(cut(end, width, g.more), width)
	}
}
