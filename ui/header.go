package ui

import (
	"slices"
	"strings"
	"time"

	"sharetop/model"
)

// header draws the two lines that say where the person is and how fresh it is.
func (a *App) header(h heading) string {
	first := joinEnds(a.leftParts(h), rightParts(&a.env), a.screen.W)
	return clipBlock(first+"\n "+h.second, a.screen.W, headerHeight)
}

// part is a piece of the header's first line. The parts with the highest drop
// go first where not all of them fit; those with drop 0 stay and are cut.
type part struct {
	text string
	drop int
}

// leftParts are the page's own parts and the badges, which are never dropped.
func (a *App) leftParts(h heading) []part {
	var parts []part
	if badge := clusterBadge(&a.env); badge != "" && !saysCluster(a.page()) {
		parts = append(parts, part{text: badge})
	}
	for i, text := range h.left {
		p := part{text: text}
		switch {
		case i > h.keep:
			p.drop = 10 + i
		case i > 0:
			p.drop = 1
		}
		parts = append(parts, p)
	}
	return append(parts, badges(&a.env)...)
}

// saysCluster tells whether a page has the cluster's name in its own parts.
func saysCluster(p page) bool {
	switch p.(type) {
	case *groupsPage, *clustersPage:
		return true
	default:
		return false
	}
}

// badges are the modes that a person must not forget.
func badges(e *env) []part {
	var parts []part
	for _, b := range []struct {
		on    bool
		text  string
		style style
	}{
		{e.cfg.Insecure, "INSECURE", e.styles.bad},
		{e.cfg.ReadOnly, "READ-ONLY", e.styles.bold},
		{e.cfg.Demo, "DEMO", e.styles.accent},
		{e.feed.paused, "PAUSED", e.styles.warn},
	} {
		if b.on {
			parts = append(parts, part{text: b.style.render(b.text)})
		}
	}
	return parts
}

// rightParts are the source of offsets, the age of the data, and the clock.
func rightParts(e *env) []part {
	if e.cfg.Source == nil {
		return []part{{text: e.styles.dim.render(model.FormatClock(e.now, e.utc)), drop: 3}}
	}
	parts := []part{
		{text: sourceText(e.board, e.now), drop: 2},
		{text: freshness(e)},
		{text: e.styles.dim.render(model.FormatClock(e.now, e.utc)), drop: 3},
	}
	if e.board == nil {
		return parts[1:]
	}
	if d := e.feed.interval; d != model.DefaultInterval {
		parts = append([]part{{text: "every " + d.String(), drop: 4}}, parts...)
	}
	return parts
}

// sourceText says where the offsets come from: how long a round of requests
// takes, how far the state topic is loaded, how old it is when it is not live.
func sourceText(b *model.Board, now time.Time) string {
	if b == nil {
		return ""
	}
	o := b.Snapshot.Offsets
	switch {
	case o.Source == model.FromStateTopic:
		return tailText(o.Tail, now)
	case loadingText(o.Tail) != "":
		return "requests; state topic " + loadingText(o.Tail)
	case !o.Sweep.FirstDone && o.Sweep.Total > 0:
		return "requests, first sweep " + percent(o.Sweep)
	case o.Sweep.Took > 0:
		return "requests, full sweep " + model.FormatDuration(roundedSweep(o.Sweep.Took))
	default:
		return "requests"
	}
}

// tailText is how the state topic does while offsets come from it.
func tailText(t model.Tail, now time.Time) string {
	switch t.Phase {
	case model.TailLoading:
		return "state topic, " + loadingText(t)
	case model.TailBehind, model.TailOff:
		if t.CheckedAt.IsZero() {
			return "state topic, not live"
		}
		return "state topic, as of " + ageText(max(0, now.Sub(t.CheckedAt)))
	default:
		return "state topic, live"
	}
}

// loadingText is how far the state topic is loaded; empty when it is not being
// loaded.
func loadingText(t model.Tail) string {
	if t.Phase != model.TailLoading {
		return ""
	}
	return "loading " + model.FormatInt(min(100, t.Loaded*100/max(1, t.Total))) + " %"
}

// roundedSweep keeps the header calm: a sweep's length is told in steps.
func roundedSweep(d time.Duration) time.Duration {
	if d < time.Second {
		return max(100*time.Millisecond, d.Round(100*time.Millisecond))
	}
	return d.Round(time.Second)
}

func percent(s model.Sweep) string {
	return model.FormatInt(int64(s.Done*100/max(1, s.Total))) + " %"
}

// The age of the data turns amber and then red after that many ticks.
const (
	amberTicks = 3
	redTicks   = 10
)

// freshness is how long ago a broker last answered. A board that only tells of
// a new problem is no fresher than the one before.
func freshness(e *env) string {
	if e.board == nil || e.board.Snapshot.Answered.IsZero() {
		return e.styles.dim.render("nothing seen yet")
	}
	at := e.board.Snapshot.Answered
	if e.feed.answered.After(at) {
		at = e.feed.answered
	}
	age := e.now.Sub(at)
	text := padRight("seen "+ageText(age), len("seen 0.4s ago"))
	switch {
	case age > redTicks*e.feed.interval:
		return e.styles.bad.render(e.glyphs.stuck + " " + text)
	case age > amberTicks*e.feed.interval:
		return e.styles.warn.render(e.glyphs.warn + " " + text)
	default:
		return text
	}
}

// ageText is the age in steps of a tenth of a second and later of a second:
// finer ones would only flicker.
func ageText(age time.Duration) string {
	step := time.Second
	if age < 10*time.Second {
		step = 100 * time.Millisecond
	}
	return model.FormatDuration(max(age.Truncate(step), 100*time.Millisecond)) + " ago"
}

// joinEnds puts parts at both ends of a line of that width, dropping those that
// may go until the rest fits.
func joinEnds(left, right []part, width int) string {
	gap := width - 2 - dropParts(width-2-2, &left, &right)
	return " " + joinParts(left) + blanks(max(2, gap)) + joinParts(right) + " "
}

// partGap is the number of cells between two parts.
const partGap = 2

// partsWidth is how many cells joinParts makes.
func partsWidth(parts []part) int {
	w := partGap * max(0, len(parts)-1)
	for i := range parts {
		w += cellWidth(parts[i].text)
	}
	return w
}

func joinParts(parts []part) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
	}
	return strings.Join(texts, blanks(partGap))
}

// joinFitting joins texts, most important first, as far as they fit.
func joinFitting(texts []string, width int) string {
	parts := make([]part, len(texts))
	for i, t := range texts {
		parts[i] = part{text: t, drop: i}
	}
	dropParts(width, &parts)
	return joinParts(parts)
}

// dropParts takes parts away in place, those with the highest drop of all sides
// first, until the rest is no wider than room or none may go any more. It returns
// how wide the rest is.
func dropParts(room int, sides ...*[]part) (width int) {
	for _, side := range sides {
		width += partsWidth(*side)
	}
	for width > room {
		side, i := nextDropped(sides)
		if side == nil {
			break
		}
		width -= cellWidth((*side)[i].text)
		if len(*side) > 1 {
			width -= partGap
		}
		*side = slices.Delete(*side, i, i+1)
	}
	return width
}

// nextDropped is the part that goes first; nil when none may go.
func nextDropped(sides []*[]part) (from *[]part, index int) {
	most := 0
	for _, side := range sides {
		for i := range *side {
			if d := (*side)[i].drop; d > most {
				from, index, most = side, i, d
			}
		}
	}
	return from, index
}
