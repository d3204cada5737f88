package ui

import (
	"fmt"

	"sharetop/model"
)

// drawActivity draws what happens to a group's records a second, and how it has
// been since the group was opened, in one line.
func drawActivity(e *env, g *model.OpenGroup, width int) string {
	r := g.Row.State
	lost := e.styles.text
	if r.Archived.PerSecond > 0 {
		lost = e.styles.warn
	}
	parts := []part{
		{text: activityText(e, "finished/s", r.Accepted, g.Activity.Accepted, width), drop: 3},
		{text: activityText(e, "given back/s", r.Released, g.Activity.Released, width), drop: 2},
		{text: lost.render(activityText(e, "archived/s", r.Archived, g.Activity.Archived, width)), drop: 1},
	}
	dropParts(width-1, &parts)
	return " " + joinParts(parts)
}

// activityText is one rate with its sparkline.
func activityText(e *env, name string, rate model.Rate, series []model.Number, width int) string {
	return fmt.Sprintf("%s %s %s", name, padLeft(model.FormatRate(rate), rateWidth),
		sparkline(e.glyphs, series, activityWidth(width)))
}

// rateWidth is the widest that FormatRate writes.
const rateWidth = 6

// activityWidth is the width of one sparkline, so that three fit beside each
// other.
func activityWidth(width int) int { return clamp(width/3-24, 6, model.ActivityPoints) }
