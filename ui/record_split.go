package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
)

// recordSplit is what the tabs have in common that list records and show the one
// under the cursor: a line that says what is shown, the list, and the record in
// a pane that can have the whole tab.
type recordSplit struct {
	outbox
	list interface {
		SetHeight(lines int)
		View(l look, width, height int) string
	}
	pane recordPane
	// beside is the width from which on list and pane are beside each other.
	beside int
	// reading is true while the pane has the keys and the whole tab.
	reading bool
	env     *env
	size    Rect
}

// recordsLayout is where the parts of a split are: a line that says what is
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

// leave gives the keys back to the list; false when they are there already.
func (s *recordSplit) leave() bool {
	if !s.reading {
		return false
	}
	s.read(false)
	return true
}

// read gives the whole tab to the pane, or back to the list.
func (s *recordSplit) read(on bool) {
	s.reading = on
	s.fit(s.size)
}

// fit tells list and pane their places.
func (s *recordSplit) fit(r Rect) {
	s.size = r
	l := layoutRecords(r, s.reading, s.beside)
	if !l.list.Empty() {
		s.list.SetHeight(l.list.H)
	}
	if !l.pane.Empty() {
		s.send(s.pane.fit(s.env, l.pane))
	}
}

// paneKeys are the keys that are about the record that is shown.
type paneKeys struct{ open, nextView, save, pager keymap.Binding }

// paneKey handles them, and those that scroll while the pane has the keys.
func (s *recordSplit) paneKey(keys paneKeys, k tea.KeyPressMsg) bool {
	e := s.env
	switch {
	case keys.open.Pressed(k):
		s.read(!s.reading)
	case keys.nextView.Pressed(k):
		s.send(s.pane.nextView(e))
	case keys.save.Pressed(k):
		want, cmd := s.pane.save(e.cfg.SnapDir)
		s.want = want
		s.send(cmd)
	case keys.pager.Pressed(k):
		s.send(s.pane.page(e))
	default:
		return s.reading && s.pane.key(e.keys.Lists, k)
	}
	return true
}

// draw draws the split in r, below a banner.
func (s *recordSplit) draw(banner string, r Rect) string {
	l := layoutRecords(r, s.reading, s.beside)
	list := s.list.View(s.env.look(), l.list.W, l.list.H)
	pane := s.pane.draw(s.env, l.pane)
	var b strings.Builder
	b.Grow(len(list) + r.H*(r.W+styleRoom))
	writeLine(&b, banner, r.W)
	switch {
	case l.list.Empty() && l.pane.Empty():
	case l.list.Empty():
		b.WriteString("\n" + clipBlock(pane, l.pane.W, l.pane.H))
	case l.pane.Empty():
		b.WriteString("\n" + list)
	case l.pane.Y > l.list.Y:
		b.WriteString("\n" + list + "\n" + clipBlock(pane, l.pane.W, l.pane.H))
	default:
		sideBySide(&b, list, pane, l.pane.W)
	}
	return b.String()
}

// sideBySide writes a block that is drawn exactly, and beside it as many lines of
// another, made width cells wide; each line after a line break.
func sideBySide(b *strings.Builder, left, right string, width int) {
	for more := true; more; {
		var line, beside string
		line, left, more = strings.Cut(left, "\n")
		beside, right, _ = strings.Cut(right, "\n")
		b.WriteByte('\n')
		b.WriteString(line)
		b.WriteByte(' ')
		writeLine(b, beside, width)
	}
}
