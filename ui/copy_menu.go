package ui

import (
	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// copyMenu offers what can be copied.
type copyMenu struct{ items []copyItem }

func newCopyMenu(items []copyItem) dialog { return &copyMenu{items: items} }

func (m *copyMenu) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok && e.keys.Dialogs.Close.Pressed(k) {
		return closeDialog{}, nil
	}
	return nil, nil
}

func (m *copyMenu) place(_ *env, screen Rect) Rect { return sheet(screen, len(m.items)+1) }

func (m *copyMenu) view(e *env, r Rect) string { return titleLine(e, "Copy", "", r.W) }

func (m *copyMenu) footer(e *env) []keymap.Binding { return e.keys.Dialogs.Bindings() }

// groupCopyItems is what can be copied of a group's row.
func groupCopyItems(row *model.Row) []copyItem {
	return []copyItem{{what: "group id", text: row.Group.ID.Raw()}}
}
