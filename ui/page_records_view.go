package ui

import (
	"fmt"
	"slices"
	"strings"

	"sharetop/model"
)

// recordsLayout is where the parts of the tab are: a line that says what is
// shown, the list, and the record.
type recordsLayout struct{ banner, list, pane Rect }

// Sizes from which on list and record share the tab: beside each other from a
// width on, which is larger for wider lists, else one above the other.
const (
	recordsBeside = 110
	lettersBeside = 160
	oneAbove      = 16
)

// layoutRecords divides a place between list and record.
func layoutRecords(r Rect, reading bool, beside int) recordsLayout {
	l := recordsLayout{banner: Rect{r.X, r.Y, r.W, min(1, r.H)}}
	body := Rect{r.X, r.Y + l.banner.H, r.W, max(0, r.H-l.banner.H)}
	switch {
	case reading:
		l.pane = body
	case body.W >= beside:
		left := body.W / 2
		l.list = Rect{body.X, body.Y, left, body.H}
		l.pane = Rect{body.X + left + 1, body.Y, body.W - left - 1, body.H}
	case body.H >= oneAbove:
		top := body.H / 2
		l.list = Rect{body.X, body.Y, body.W, top}
		l.pane = Rect{body.X, body.Y + top, body.W, body.H - top}
	default:
		l.list = body
	}
	return l
}

func (t *recordsTab) fit(r Rect) { t.fitIn(t.env, r) }

// fitIn tells list and pane their places.
func (t *recordsTab) fitIn(e *env, r Rect) {
	t.size = r
	l := layoutRecords(r, t.reading, recordsBeside)
	if !l.list.Empty() {
		t.table.SetHeight(l.list.H)
	}
	if !l.pane.Empty() {
		t.send(t.pane.fit(e, l.pane))
	}
}

// view draws the tab in r.
func (t *recordsTab) view(e *env, _ *groupPage, r Rect) string {
	if r.Empty() {
		return ""
	}
	l := layoutRecords(r, t.reading, recordsBeside)
	return clipLine(t.banner(e, r.W), r.W) + drawSplit(e, l, t.table.View(e.look(), l.list.W, l.list.H), &t.pane)
}

// drawSplit draws a list and a record beside or below each other, each line
// after a line break.
func drawSplit(e *env, l recordsLayout, list string, pane *recordPane) string {
	right := clipBlock(pane.draw(e, l.pane), l.pane.W, l.pane.H)
	var b strings.Builder
	b.Grow(len(list) + len(right) + 2*l.list.H + 2)
	switch {
	case l.list.Empty() && l.pane.Empty():
	case l.list.Empty():
		b.WriteString("\n" + right)
	case l.pane.Empty():
		b.WriteString("\n" + list)
	case l.pane.Y > l.list.Y:
		b.WriteString("\n" + list + "\n" + right)
	default:
		lines := strings.Split(right, "\n")
		for i, line := range strings.Split(list, "\n") {
			b.WriteString("\n" + line + " ")
			if i < len(lines) {
				b.WriteString(lines[i])
			}
		}
	}
	return b.String()
}

// banner is the line above the list: that nothing is touched, what is shown, or
// what is being typed.
func (t *recordsTab) banner(e *env, width int) string {
	parts := []string{e.styles.accent.render("PEEK: the group is not touched")}
	switch {
	case t.asking != nil:
		label := "# offset: "
		if t.asking.kind == askTime {
			label = "@ time: "
		}
		line := e.styles.accent.render(label) + t.asking.line.view(24)
		switch {
		case t.mistake != "":
			line += "  " + e.styles.warn.render(e.glyphs.warn+" "+plain(t.mistake))
		case t.asking.line.String() == "":
			line += "  " + e.styles.dim.render(t.asking.kind.example())
		}
		return " " + cut(line, width-1, e.glyphs.more)
	case t.problem != nil:
		parts = append(parts, e.styles.warn.render(e.glyphs.warn+" "+plain(t.problem.Detail)))
	}
	parts = append([]string{e.styles.bold.render(t.placeName())}, parts...)
	whole := append(slices.Clip(parts), t.facts(e, t.start)...)
	// Where not all fits, what the place means goes before how much is loaded.
	place, _, _ := strings.Cut(t.start, ": ")
	brief := append(slices.Clip(parts), t.facts(e, place)...)
	return " " + cut(firstFitting(width-2, strings.Join(whole, "  "), strings.Join(brief, "  ")), width-2, e.glyphs.more)
}

func (t *recordsTab) placeName() string {
	if at, one := t.place(); one {
		return fmt.Sprintf("%s-%d", at.topic, at.partition)
	}
	places := t.shownPlaces()
	if len(places) == 0 {
		return "no partition"
	}
	return fmt.Sprintf("%s, %d partitions by time", places[0].topic, len(places))
}

// facts are what else there is to say, most important first.
func (t *recordsTab) facts(e *env, start string) []string {
	var facts []string
	if t.follow.on() {
		facts = append(facts, e.styles.good.render("FOLLOW"))
	}
	if start != "" {
		facts = append(facts, plain(start))
	}
	n := model.FormatInt(int64(len(t.window.Records()))) + " loaded"
	if gaps := t.window.Gaps(); gaps.Total() > 0 {
		n += ", not shown: " + gapText(gaps)
	}
	return append(facts, e.styles.dim.render(n))
}

// gapText counts the offsets that are no records.
func gapText(g model.PeekGaps) string {
	var parts []string
	for _, p := range []struct {
		n    int64
		what string
	}{{g.Control, "markers"}, {g.Aborted, "aborted"}, {g.Missing, "compacted away"}} {
		if p.n > 0 {
			parts = append(parts, model.FormatInt(p.n)+" "+p.what)
		}
	}
	return strings.Join(parts, ", ")
}
