package ui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// askDelete asks for the name of one group, or for the number of several, and
// then deletes them. The groups are those of the moment it was asked.
type askDelete struct{ ids []model.GroupID }

// askDeleteIn asks what of one group is to be deleted: all of it, or what it has
// of one topic.
type askDeleteIn struct {
	id     model.GroupID
	topics []model.TopicName
}

// startDelete deletes: the name or number was typed.
type startDelete struct {
	ids []model.GroupID
	// topic is set when only what the one group has of it is deleted.
	topic *model.TopicName
}

func (askDelete) isIntent()   {}
func (askDeleteIn) isIntent() {}
func (startDelete) isIntent() {}

// maxListed bounds the names that a question lists.
const maxListed = 8

// newDeleteDialog asks before groups are deleted.
func newDeleteDialog(e *env, ids []model.GroupID) dialog {
	lines := model.DeleteConsequences(len(ids), nil)
	same := sameBy(model.EquivalentDelete(bootstrapOf(e), ids...))
	if len(ids) == 1 {
		return newTypedDialog("Delete group "+ids[0].String(), "to delete it", ids[0].String(), e.now,
			startDelete{ids: ids}, same, lines...)
	}
	names := make([]string, 0, maxListed)
	for _, id := range ids[:min(len(ids), maxListed)] {
		names = append(names, id.String())
	}
	if n := len(ids) - len(names); n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return newTypedDialog(fmt.Sprintf("Delete %d groups", len(ids)), "to delete them", strconv.Itoa(len(ids)), e.now,
		startDelete{ids: ids}, same, append([]string{strings.Join(names, ", ")}, lines...)...)
}

// newDeleteOffsetsDialog asks before a topic's offsets are deleted.
func newDeleteOffsetsDialog(e *env, id model.GroupID, topic model.TopicName) dialog {
	return newTypedDialog("Delete the offsets of "+topic.String()+" in "+id.String(), "to delete them", topic.String(), e.now,
		startDelete{ids: []model.GroupID{id}, topic: &topic},
		sameBy(model.EquivalentDeleteOffsets(bootstrapOf(e), id, topic)), model.DeleteConsequences(1, &topic)...)
}

// deleteMenu offers what of a group can be deleted.
type deleteMenu struct {
	askDeleteIn
	cursor int
}

func (m *deleteMenu) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, nil
	}
	d := e.keys.Dialogs
	switch {
	case d.Close.Pressed(k):
		return closeDialog{}, nil
	case d.Next.Pressed(k):
		m.cursor = min(m.cursor+1, len(m.topics))
	case d.Previous.Pressed(k):
		m.cursor = max(m.cursor-1, 0)
	case d.Choose.Pressed(k) && m.cursor == 0:
		return typedDone{openDialog{newDeleteDialog(e, []model.GroupID{m.id})}}, nil
	case d.Choose.Pressed(k):
		return typedDone{openDialog{newDeleteOffsetsDialog(e, m.id, m.topics[m.cursor-1])}}, nil
	}
	return nil, nil
}

func (m *deleteMenu) place(_ *env, screen Rect) Rect { return sheet(screen, len(m.topics)+2) }

func (m *deleteMenu) view(e *env, r Rect) string {
	lines := []string{titleLine(e, "Delete what of "+m.id.String(), "nothing is deleted before a name is typed", r.W)}
	all := []string{"the group"}
	for _, t := range m.topics {
		all = append(all, "its offsets of topic "+t.String())
	}
	from := windowTop(0, m.cursor, len(all), r.H-1)
	for i := from; i < min(len(all), from+max(0, r.H-1)); i++ {
		bar, st := "  ", e.styles.text
		if i == m.cursor {
			bar, st = e.styles.accent.render(e.glyphs.bar)+" ", e.styles.bold
		}
		lines = append(lines, bar+st.render(cut(plain(all[i]), r.W-2, e.glyphs.more)))
	}
	return strings.Join(lines, "\n")
}

func (m *deleteMenu) footer(e *env) []keymap.Binding {
	d := e.keys.Dialogs
	return []keymap.Binding{d.Choose, d.Next, d.Previous, d.Close}
}
