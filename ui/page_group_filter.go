package ui

import (
	tea "charm.land/bubbletea/v2"
)

// rowFilter is the text that rows of the open tab must have; it is left behind
// when the tab is.
type rowFilter struct {
	text string
	// typing is the text while it is typed; nil otherwise.
	typing *lineEdit
}

// filterKey handles a key or a paste while the filter is typed: rows are
// filtered at once.
func (p *groupPage) filterKey(e *env, msg tea.Msg) {
	k, pressed := msg.(tea.KeyPressMsg)
	switch {
	case pressed && e.keys.Text.Leave.Pressed(k):
		p.setFilter("")
		p.filter.typing = nil
	case pressed && e.keys.Text.Accept.Pressed(k):
		p.filter.typing = nil
	case p.filter.typing.update(msg):
		p.setFilter(p.filter.typing.String())
	}
}

func (p *groupPage) setFilter(text string) {
	p.filter.text = text
	p.current().only(text)
}

// startFilter begins to type a filter; a strip has no rows to filter.
func (p *groupPage) startFilter() intent {
	if p.tab == tabState {
		return showStatus{levelInfo, "There is nothing to filter here: ( ) { } , and . jump to records, # to an offset."}
	}
	typed := newLineEdit(p.filter.text)
	p.filter.typing = &typed
	return nil
}

// filterText is the filter as it stands in the line of tabs; empty for none.
func (p *groupPage) filterText(e *env, width int) string {
	switch {
	case p.filter.typing != nil:
		return e.styles.accent.render("/") + p.filter.typing.view(max(0, width-1))
	case p.filter.text != "":
		return e.styles.accent.render(cut("/"+preview(p.filter.text), width, e.glyphs.more))
	default:
		return ""
	}
}
