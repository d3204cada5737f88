package ui

import (
	"time"

	"sharetop/model"
)

// bridgedTicks is how many ticks may bring nothing before the chart's line has
// a gap: as many as before the age of the data turns amber.
const bridgedTicks = amberTicks

// drawLag draws the chart of a group's lag with its title line.
func drawLag(e *env, g *model.OpenGroup, r Rect) string {
	series := g.LagSeries
	span := lagSpan(series)
	spec := chartSpec{
		series: series[len(series)-min(len(series), span):],
		span:   span,
		step:   model.HistoryStep,
		bridge: bridgedTicks * int((e.feed.interval+model.HistoryStep-1)/model.HistoryStep),
	}
	title := titleLine(e, "lag, last "+model.FormatDuration(time.Duration(span)*model.HistoryStep),
		"now "+model.FormatTotal(g.Row.Lag, g.Row.LagPartial), r.W)
	if _, _, known := rangeOf(series); !known {
		return title + "\n" + blanks(gutter) + e.styles.dim.render("No lag is known yet.")
	}
	return title + "\n" + indent(chart(e.look(), spec, r.W-2, r.H-1), 1)
}

// lagSpan is how many samples the chart's width stands for: the whole history,
// or while there is little of it a part that holds what there is. It only ever
// doubles, so that the line seldom moves.
func lagSpan(series []model.Number) int {
	whole := int(model.HistoryLength / model.HistoryStep)
	known := 0
	for i, n := range series {
		if n.IsKnown() {
			known = len(series) - i
			break
		}
	}
	span := whole
	for span/2 >= known && span > whole/8 {
		span /= 2
	}
	return span
}
