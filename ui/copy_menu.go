package ui

import (
	"net"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// copyMenu offers what can be copied. Its items are what they were when it
// opened: a refresh does not change what is sent.
type copyMenu struct {
	items  []copyItem
	cursor int
}

func newCopyMenu(items []copyItem) dialog { return &copyMenu{items: items} }

func (m *copyMenu) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, nil
	}
	d := e.keys.Dialogs
	switch {
	case d.Close.Pressed(k), e.keys.Everywhere.CopyMenu.Pressed(k):
		return closeDialog{}, nil
	case d.Choose.Pressed(k):
		return copyText{m.items[m.cursor]}, nil
	case d.Next.Pressed(k):
		m.cursor = min(m.cursor+1, len(m.items)-1)
	case d.Previous.Pressed(k):
		m.cursor = max(m.cursor-1, 0)
	}
	return nil, nil
}

func (m *copyMenu) place(_ *env, screen Rect) Rect { return sheet(screen, len(m.items)+1) }

// view draws one line for each item: what it is, and how it begins.
func (m *copyMenu) view(e *env, r Rect) string {
	names := 0
	for _, item := range m.items {
		names = max(names, cellWidth(item.what))
	}
	lines := []string{titleLine(e, "Copy", "to the clipboard", r.W)}
	from := windowTop(0, m.cursor, len(m.items), r.H-1)
	for i := from; i < min(len(m.items), from+r.H-1); i++ {
		item, bar, st := m.items[i], " ", e.styles.text
		if i == m.cursor {
			bar, st = e.styles.accent.render(e.glyphs.bar), e.styles.bold
		}
		room := max(0, r.W-gutter-names-3)
		lines = append(lines, bar+" "+st.render(padRight(item.what, names))+"  "+
			e.styles.dim.render(cut(preview(item.text), room, e.glyphs.more)))
	}
	return strings.Join(lines, "\n")
}

func (m *copyMenu) footer(e *env) []keymap.Binding { return e.keys.Dialogs.Bindings() }

// maxPreview bounds what is looked at of an item's text, in bytes.
const maxPreview = 1024

// preview is the beginning of a text in one safe line.
func preview(text string) string {
	if len(text) > maxPreview {
		text = text[:maxPreview]
	}
	return plain(model.Sanitize(strings.Join(strings.Fields(text), " ")))
}

// groupCopyItems is what can be copied of a group's row, its name first.
func groupCopyItems(e *env, row *model.Row) []copyItem {
	items := []copyItem{{what: "group id", text: row.Group.ID.Raw()}}
	items = appendRowJSON(items, e, row)
	return appendCommand(items, "offsets by Kafka's command", e, row.Group.ID, model.EquivalentOffsets)
}

// appendRowJSON adds the row as JSON output has it.
func appendRowJSON(items []copyItem, e *env, row *model.Row) []copyItem {
	text, err := model.RowJSON(e.board, row)
	if err != nil {
		return items
	}
	return append(items, copyItem{what: "row as JSON", text: string(text)})
}

// appendCommand adds the command of Kafka's own tools that shows the same. An
// id that can't be an argument of any command has none.
func appendCommand(items []copyItem, what string, e *env, id model.GroupID, make func([]string, model.GroupID) (string, error)) []copyItem {
	text, err := make(bootstrapOf(e), id)
	if err != nil {
		return items
	}
	return append(items, copyItem{what: what, text: text})
}

// bootstrapOf is how to reach the cluster from a command line: as this program
// was told to, else the first broker as it advertises itself.
func bootstrapOf(e *env) []string {
	if len(e.cfg.Bootstrap) > 0 {
		return e.cfg.Bootstrap
	}
	if e.board == nil {
		return []string{"HOST:PORT"}
	}
	for _, b := range e.board.Snapshot.Cluster.Brokers {
		if !b.Host.Empty() {
			return []string{net.JoinHostPort(b.Host.Raw(), strconv.Itoa(int(b.Port)))}
		}
	}
	return []string{"HOST:PORT"}
}
