package ui

import (
	"fmt"
	"strings"

	"sharetop/model"
)

// view draws the tab in r.
func (t *recordsTab) view(e *env, _ *groupPage, r Rect) string {
	if r.Empty() {
		return ""
	}
	return t.draw(t.banner(e, r.W), r)
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
	case len(t.problems) > 0:
		parts = append(parts, e.styles.warn.render(e.glyphs.warn+" "+plain(t.problem().Detail)))
	}
	whole := append([]string{e.styles.bold.render(t.placeName(false))}, parts...)
	whole = append(whole, t.facts(e, t.start, false)...)
	// Where not all fits, what the place means goes before how much is loaded.
	place, _, _ := strings.Cut(t.start, ": ")
	brief := append([]string{e.styles.bold.render(t.placeName(cutText(t.window, true) != ""))}, parts...)
	brief = append(brief, t.facts(e, place, true)...)
	return " " + cut(firstFitting(width-2, strings.Join(whole, "  "), strings.Join(brief, "  ")), width-2, e.glyphs.more)
}

// placeName says what is shown; brief where there is little room.
func (t *recordsTab) placeName(brief bool) string {
	if at, one := t.place(); one {
		return fmt.Sprintf("%s-%d", at.topic, at.partition)
	}
	places := t.shownPlaces()
	if len(places) == 0 {
		return "no partition"
	}
	if all := len(t.togetherPlaces()); all > len(places) {
		return fmt.Sprintf("%s, the first %d of %d partitions by time", places[0].topic, len(places), all)
	}
	if brief {
		return fmt.Sprintf("%s, %d by time", places[0].topic, len(places))
	}
	return fmt.Sprintf("%s, %d partitions by time", places[0].topic, len(places))
}

// facts are what else there is to say, most important first.
func (t *recordsTab) facts(e *env, start string, brief bool) []string {
	var facts []string
	if t.follow.on() {
		facts = append(facts, e.styles.good.render("FOLLOW"))
	}
	if to, deleted := t.deletedTo(); deleted {
		facts = append(facts, e.styles.warn.render("deleted since: all before "+model.FormatInt(to)))
	}
	if text := cutText(t.window, brief); text != "" {
		facts = append(facts, plain(text))
	}
	if start != "" {
		facts = append(facts, plain(start))
	}
	n := model.FormatInt(int64(len(t.window.Records()))) + " loaded"
	if hidden := gapText(t.window.Gaps(), t.window.HeldBack()); hidden != "" {
		n += ", not shown: " + hidden
	}
	return append(facts, e.styles.dim.render(n))
}

// deletedTo is where the log of the one partition that is shown begins, when it
// lost records since they were read.
func (t *recordsTab) deletedTo() (int64, bool) {
	at, one := t.place()
	if !one {
		return 0, false
	}
	if edge := t.window.Edge(at.partition); edge != nil {
		return edge.DeletedTo()
	}
	return 0, false
}

// gapText counts the offsets that are no records, or not yet.
func gapText(g model.PeekGaps, heldBack int64) string {
	var parts []string
	for _, p := range []struct {
		n    int64
		what string
	}{{g.Control, "markers"}, {g.Aborted, "aborted"}, {g.Missing, "compacted away"}, {heldBack, "held back by an open transaction"}} {
		if p.n > 0 {
			parts = append(parts, model.FormatInt(p.n)+" "+p.what)
		}
	}
	return strings.Join(parts, ", ")
}
