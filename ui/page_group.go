package ui

import (
	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// groupPage shows one group in depth.
type groupPage struct{ id model.GroupID }

func newGroupPage(_ *env, id model.GroupID) *groupPage { return &groupPage{id: id} }

func (p *groupPage) heading(e *env) heading {
	return heading{left: []string{e.styles.bold.render(p.id.String())}}
}

func (p *groupPage) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok && e.keys.Everywhere.Back.Pressed(k) {
		return goBack{}, nil
	}
	return nil, nil
}

func (p *groupPage) view(*env, Rect) string { return "" }

func (p *groupPage) footer(e *env) []keymap.Binding { return nil }

func (p *groupPage) help(e *env) []keymap.Section {
	return []keymap.Section{{Scope: keymap.ScopeGroup, Bindings: e.keys.Group.Bindings()}}
}

func (p *groupPage) capturesText() bool { return false }

func (p *groupPage) wants(*env) wants { return wants{open: p.id} }
