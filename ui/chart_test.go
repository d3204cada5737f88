package ui

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"sharetop/model"
)

// wave is four minutes of a lag that grows, is drained, and has a gap.
func wave() []model.Number {
	out := make([]model.Number, 240)
	for i := range out {
		switch {
		case i < 100:
			out[i] = model.Known(int64(40 * i))
		case i < 120:
		case i < 200:
			out[i] = model.Known(int64(4000 - 50*(i-120)))
		default:
			out[i] = model.Known(0)
		}
	}
	return out
}

func lagChart(series []model.Number) chartSpec {
	return chartSpec{series: series, span: 240, step: time.Second}
}

func TestChartGolden(t *testing.T) {
	steady := make([]model.Number, 240)
	for i := range steady {
		steady[i] = model.Known(14)
	}
	rising := make([]model.Number, 240)
	for i := range rising {
		rising[i] = model.Known(int64(8120 + i*i/100))
	}
	for _, tt := range []struct {
		name   string
		series []model.Number
		ascii  bool
		w, h   int
	}{
		{"wave", wave(), false, 100, 12},
		{"wave-ascii", wave(), true, 100, 12},
		{"wave-narrow", wave(), false, 40, 6},
		{"wave-one-line", wave(), false, 40, 1},
		{"steady", steady, false, 60, 8},
		{"zero", numbers(make([]int64, 240)...), false, 60, 8},
		{"rising-far-from-zero", rising, false, 60, 12},
		{"just-started", numbers(5, 6, 8, 12), false, 60, 8},
		{"one-value", numbers(1207), false, 60, 8},
		{"nothing", nil, false, 60, 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := lookFor(tt.ascii)
			got := chart(l, lagChart(tt.series), tt.w, tt.h)
			assertBlock(t, got, tt.w, tt.h)
			golden.RequireEqual(t, []byte(shown(got)))
		})
	}
}

// shown is what a person sees of a drawn block: no styles, and a frame that
// keeps the blanks at the ends of lines in sight.
func shown(block string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(ansi.Strip(block), "\n") {
		b.WriteString(line + "¦\n")
	}
	return b.String()
}

func TestChartIsExactAtEverySize(t *testing.T) {
	series := map[string][]model.Number{
		"none":    nil,
		"unknown": numbers(-1, -1, -1),
		"one":     numbers(3),
		"zero":    numbers(0, 0, 0),
		"steady":  numbers(9, 9, 9, 9),
		"wave":    wave(),
		"below":   {model.Known(-4), model.Known(-2)},
		"largest": {model.Known(math.MinInt64), {}, model.Known(math.MaxInt64)},
		"huge":    {model.Known(math.MaxInt64), model.Known(math.MaxInt64 - 1)},
		"longer":  append(wave(), wave()...),
	}
	for name, s := range series {
		for _, ascii := range []bool{false, true} {
			l := lookFor(ascii)
			for _, w := range []int{0, 1, 2, 3, 9, 15, 16, 30, 80, 300} {
				for _, h := range []int{0, 1, 2, 3, 4, 9, 50, 100} {
					got := chart(l, lagChart(s), w, h)
					assertBlock(t, got, w, h)
					if ascii && !isASCII(l.g.fold(got)) {
						t.Errorf("%s at %dx%d is not ASCII", name, w, h)
					}
				}
			}
		}
	}
}

// Samples are not exactly a step apart: a hole that is narrow enough is no gap.
func TestChartBridgesUnevenSampling(t *testing.T) {
	series := make([]model.Number, 240)
	for i := 0; i < len(series); i += 5 {
		series[i] = model.Known(7)
	}
	blanksIn := func(bridge int) int {
		c := lagChart(series)
		c.bridge = bridge
		line := strings.Split(ansi.Strip(chart(testLook(), c, 200, 1)), "│")[1]
		return strings.Count(strings.TrimRight(line, " "), " ")
	}
	if n := blanksIn(5); n != 0 {
		t.Errorf("%d gaps in a series that is sampled at every fifth step", n)
	}
	if n := blanksIn(4); n == 0 {
		t.Error("samples that are too far apart are joined")
	}
}

func TestScaleHoldsItsRangeWithRoundNumbers(t *testing.T) {
	for _, tt := range []struct {
		low, high       int64
		rows            int
		wantLow, wantHi float64
	}{
		{0, 0, 8, 0, 1},
		{14, 14, 8, 0, 20},
		{0, 4000, 12, 0, 4000},
		{8120, 8691, 12, 8000, 8800},
		{-5, 5, 6, -5, 5},
	} {
		s := newScale(tt.low, tt.high, tt.rows)
		if s.low != tt.wantLow || s.high != tt.wantHi {
			t.Errorf("%d to %d: scale %v to %v, want %v to %v", tt.low, tt.high, s.low, s.high, tt.wantLow, tt.wantHi)
		}
	}
}

func BenchmarkChart(b *testing.B) {
	l, c := testLook(), lagChart(wave())
	b.ReportAllocs()
	for b.Loop() {
		chart(l, c, 200, 20)
	}
}
