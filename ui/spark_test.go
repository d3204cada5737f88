package ui

import (
	"math"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sharetop/model"
)

// numbers makes a series; -1 stands for unknown.
func numbers(values ...int64) []model.Number {
	out := make([]model.Number, len(values))
	for i, v := range values {
		if v != -1 {
			out[i] = model.Known(v)
		}
	}
	return out
}

func TestSparkline(t *testing.T) {
	tests := []struct {
		name   string
		series []model.Number
		width  int
		want   string
	}{
		{"nothing seen", nil, 8, "········"},
		{"all unknown", numbers(-1, -1, -1), 8, "········"},
		{"zero", numbers(0, 0, 0, 0), 4, "▁▁▁▁"},
		{"steady", numbers(14, 14, 14, 14), 4, "▅▅▅▅"},
		{"a ripple on a large number", numbers(4200, 4210, 4250, 4294), 4, "▅▅▅▅"},
		{"growing", numbers(0, 10, 20, 30, 40, 50, 60, 70), 8, "▁▂▃▄▅▆▇█"},
		{"draining", numbers(70, 60, 50, 40, 30, 20, 10, 0), 8, "█▇▆▅▄▃▂▁"},
		{"a gap", numbers(10, -1, 0), 3, "█·▁"},
		{"too short stands at the right", numbers(5, 5), 5, "···▅▅"},
		{"too long is thinned out by its peaks", numbers(0, 9, 0, 0, 0, 0), 3, "█▁▁"},
		{"one value", numbers(7), 1, "▅"},
		{"below zero", []model.Number{model.Known(-5), model.Known(5)}, 2, "▁█"},
		{"the largest numbers", []model.Number{model.Known(math.MinInt64), model.Known(math.MaxInt64)}, 2, "▁█"},
		{"no width", numbers(1, 2), 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := sparkline(newGlyphs(false), tt.series, tt.width); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSparklineIsExactAndASCIIWhereAsked(t *testing.T) {
	series := numbers(0, 3, -1, 900, 14, 14, 2)
	for width := range 40 {
		got := sparkline(newGlyphs(true), series, width)
		if ansi.StringWidth(got) != width || !isASCII(got) {
			t.Errorf("at %d: %q", width, got)
		}
	}
}
