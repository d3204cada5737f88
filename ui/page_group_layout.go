package ui

import "strings"

// groupLayout is where the parts of the group page are.
type groupLayout struct {
	notes, bar, tab Rect
}

// layoutGroup divides the page: notes on the verdict, the line of tabs, and the
// tab that is open, which gets most of it.
func layoutGroup(r Rect, notes int) groupLayout {
	var l groupLayout
	l.notes = Rect{r.X, r.Y, r.W, notes}
	bar := min(1, max(0, r.H-notes))
	if roomy(r.H) && notes > 0 {
		notes++
	}
	l.bar = Rect{r.X, r.Y + notes, r.W, bar}
	top := notes + bar
	l.tab = Rect{r.X, r.Y + top, r.W, max(0, r.H-top)}
	return l
}

// maxNotes bounds the lines between header and tabs by the page's height.
func maxNotes(height int) int {
	switch {
	case height < 10:
		return 0
	case height < 16:
		return 1
	case height < 30:
		return 3
	default:
		return 8
	}
}

// roomy tells whether a page is high enough for blank lines between parts.
func roomy(height int) bool { return height >= 30 }

// view draws the page in r, for which fit has laid out the notes.
func (p *groupPage) view(e *env, r Rect) string {
	if r.Empty() {
		return ""
	}
	if p.shown == nil {
		return clipBlock(p.absent(e, r.W), r.W, r.H)
	}
	l := layoutGroup(r, len(p.notes.lines))
	tab := p.current().view(e, p, l.tab)
	var b strings.Builder
	b.Grow(len(tab) + (r.H-l.tab.H)*(r.W+styleRoom))
	for _, line := range p.notes.lines {
		writeLine(&b, line, r.W)
		b.WriteByte('\n')
	}
	if l.bar.Y > l.notes.Y+l.notes.H {
		b.WriteString(blanks(r.W) + "\n")
	}
	writeLine(&b, p.tabBar(e, r.W), r.W)
	b.WriteByte('\n')
	b.WriteString(tab)
	return b.String()
}

// tabBar draws the line of tabs. Where not all names fit, only the open tab's
// is written out; the numbers keep their order.
func (p *groupPage) tabBar(e *env, width int) string {
	room := 0
	if p.filterText(e, width) != "" {
		room = minFilter
	}
	line := p.tabLine(e, "  ", false)
	for _, gap := range []string{"   ", "  ", " "} {
		if named := p.tabLine(e, gap, true); cellWidth(named)+room <= width {
			line = named
			break
		}
	}
	room = width - cellWidth(line)
	if room > 0 && p.filterText(e, room) != "" {
		return line + "   " + p.filterText(e, room-4)
	}
	return line + p.tabReason(e, room)
}

// minFilter is the room that a filter gets beside the tabs, in cells.
const minFilter = 20

func (p *groupPage) tabLine(e *env, gap string, names bool) string {
	tabs := p.keys(e).Tabs
	parts := make([]string, len(tabs))
	for i, b := range tabs {
		text := b.Help().Key
		if names || groupTab(i) == p.tab {
			text += " " + b.Help().Desc
		}
		st := e.styles.text
		switch {
		case groupTab(i) == p.tab:
			st = e.styles.accent.with(e.styles.bold)
		case b.IsOff():
			st = e.styles.dim
		}
		parts[i] = st.render(text)
	}
	return " " + strings.Join(parts, gap)
}

// tabReason says why the dim tabs are dim, where there is room and they have
// one reason in common.
func (p *groupPage) tabReason(e *env, width int) string {
	reason := ""
	for _, b := range p.keys(e).Tabs {
		if b.IsOff() && reason != "" && b.Reason != reason {
			return ""
		}
		if b.IsOff() {
			reason = b.Reason
		}
	}
	if reason == "" || cellWidth(reason)+4 > width {
		return ""
	}
	return e.styles.dim.render("  (" + reason + ")")
}
