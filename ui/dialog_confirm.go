package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
)

// confirmDialog asks whether something is to be done. The cursor is on No when
// it opens; what is asked about is a frozen copy inside want.
type confirmDialog struct {
	title string
	// lines say what happens then, one sentence each.
	lines []string
	// yes and no name what the two answers do.
	yes, no string
	// want is carried out after a yes.
	want intent
	sure bool
}

// closeThen closes the dialog and then does something.
type closeThen struct{ want intent }

func (closeThen) isIntent() {}

func (d *confirmDialog) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, nil
	}
	c := e.keys.Confirm
	switch {
	case c.No.Pressed(k):
		return closeDialog{}, nil
	case c.Yes.Pressed(k), c.Choose.Pressed(k) && d.sure:
		return closeThen{d.want}, nil
	case c.Choose.Pressed(k):
		return closeDialog{}, nil
	case c.Switch.Pressed(k):
		d.sure = !d.sure
	}
	return nil, nil
}

// place is as high as the sentences need, at the lower edge.
func (d *confirmDialog) place(_ *env, screen Rect) Rect {
	return sheet(screen, len(d.body(screen.W))+4)
}

func (d *confirmDialog) body(width int) []string {
	var out []string
	for _, line := range d.lines {
		out = append(out, wrap(line, width-4)...)
	}
	return out
}

func (d *confirmDialog) view(e *env, r Rect) string {
	lines := []string{titleLine(e, d.title, "", r.W)}
	body := d.body(r.W)
	// In a low window the answers must stay.
	for _, line := range body[:min(len(body), max(0, r.H-3))] {
		lines = append(lines, "  "+line)
	}
	lines = append(lines, "", answer(e, d.no, !d.sure)+answer(e, d.yes, d.sure))
	return strings.Join(lines, "\n")
}

// answer is one of the two answers, with the bar when enter means it.
func answer(e *env, text string, chosen bool) string {
	if chosen {
		return "  " + e.styles.accent.render(e.glyphs.bar) + " " + e.styles.bold.render(plain(text)) + "  "
	}
	return "    " + plain(text) + "  "
}

func (d *confirmDialog) footer(e *env) []keymap.Binding {
	c := e.keys.Confirm
	return []keymap.Binding{c.No, c.Yes, c.Switch, c.Choose}
}
