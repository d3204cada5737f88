package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// recordList is what the pages have in common that list runs of records of many
// groups: a table, a filter, and looks at the board that are taken in commands,
// since they may have to go through every group.
type recordList[T any, K comparable] struct {
	table *table[T, K]
	// text is the filter; typing is it while it is typed, nil otherwise.
	text   string
	typing *lineEdit
	// req numbers looks; busy is true while one is outstanding, again when the
	// board or the filter has changed since it began.
	req         int
	busy, again bool
}

// begin starts a look, unless one is outstanding: then another follows it.
func (l *recordList[T, K]) begin() (req int, ok bool) {
	if l.busy {
		l.again = true
		return 0, false
	}
	l.req++
	l.busy, l.again = true, false
	return l.req, true
}

// replied books a reply; again tells that another look is due. A reply to
// another look than the outstanding one is none of ours.
func (l *recordList[T, K]) replied(req int) (ours, again bool) {
	if !l.busy || req != l.req {
		return false, false
	}
	l.busy = false
	return true, l.again
}

// filterKey handles a key or a paste while the filter is typed, and tells
// whether it has changed what is to be shown.
func (l *recordList[T, K]) filterKey(e *env, msg tea.Msg) (changed bool) {
	k, pressed := msg.(tea.KeyPressMsg)
	switch {
	case pressed && e.keys.Text.Leave.Pressed(k):
		l.typing = nil
		return l.setText("")
	case pressed && e.keys.Text.Accept.Pressed(k):
		l.typing = nil
		return false
	}
	return l.typing.update(msg) && l.setText(l.typing.String())
}

func (l *recordList[T, K]) setText(text string) (changed bool) {
	changed = l.text != text
	l.text = text
	return changed
}

func (l *recordList[T, K]) startFilter() {
	typed := newLineEdit(l.text)
	l.typing = &typed
}

// filterText is the filter as it stands in the second line of the header; empty
// for none.
func (l *recordList[T, K]) filterText(e *env) string {
	switch {
	case l.typing != nil:
		return e.styles.accent.render("/") + l.typing.view(max(10, e.body.W-4))
	case l.text != "":
		return e.styles.accent.render("filter " + cut(preview(l.text), maxFilterText, e.glyphs.more))
	}
	return ""
}

// maxFilterText bounds a filter beside the totals, in cells.
const maxFilterText = 40

// lineMatches tells whether one of the texts has the filter's in it, or with a
// "!" before it none. Case does not matter. Lower is the filter in small letters.
func lineMatches(lower string, texts ...string) bool {
	lower, without := strings.CutPrefix(lower, "!")
	if lower == "" {
		return true
	}
	for _, t := range texts {
		if strings.Contains(strings.ToLower(t), lower) {
			return !without
		}
	}
	return without
}

// recordsText writes a run of records: "refunds-0@9,134–9,633".
func recordsText(p model.Place, b model.StateBatch) string {
	text := placeText(p) + "@" + model.FormatInt(b.First)
	if b.Last > b.First {
		text += "–" + model.FormatInt(b.Last)
	}
	return text
}

// placeText is a topic-partition; a topic whose name may not be seen, or that
// is gone, has its id.
func placeText(p model.Place) string {
	name := p.Topic.String()
	if name == "" {
		name = "topic id " + p.TopicID.String()
	}
	return name + "-" + model.FormatInt(int64(p.Partition))
}

// countText is "3 of 5" deliveries.
func countText(count int16, limit model.DeliveryLimit) string {
	return model.FormatInt(int64(count)) + " of " + limit.String()
}

// needsStateTopic says, in paragraphs, why there is nothing to list while the
// state topic is not read; empty while it is.
func needsStateTopic(e *env) []string {
	if e.board == nil {
		return []string{"Nothing has been seen yet."}
	}
	o := e.board.Snapshot.Offsets
	if o.Source == model.FromStateTopic {
		return nil
	}
	out := []string{"What has become of single records stands in the topic __share_group_state, which is not read now."}
	for _, s := range whyRequests(o) {
		out = append(out, upperFirst(s)+".")
	}
	if text := loadingText(o.Tail); text != "" {
		out = append(out, "It is being read: "+text+".")
	}
	return append(out, ":source says more.")
}

// wrapAll wraps paragraphs to the page's width.
func wrapAll(e *env, paragraphs []string) string {
	var out []string
	for _, p := range paragraphs {
		out = append(out, wrap(p, max(1, e.body.W-2*gutter))...)
	}
	return strings.Join(out, "\n")
}
