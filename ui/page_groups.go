package ui

import (
	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// groupsPage is home: every share group of the cluster in one line each.
type groupsPage struct {
	table *table[*model.Row, model.GroupID]
	// typing is the filter while it is typed; nil otherwise.
	typing *lineEdit
	// mistake says what is wrong with the filter that is typed; then the one
	// before it still holds.
	mistake string
	// marked are the first of the marked groups.
	marked  []model.GroupID
	changes groupChanges
}

func newGroupsPage(e *env) *groupsPage {
	p := &groupsPage{table: newTable(groupOf, groupColumns())}
	p.table.stale = func(r *model.Row) bool { return !r.Fresh }
	p.table.changed = func(r *model.Row, column int) bool {
		return p.changes.recent(r, groupColumn(column), e.now)
	}
	p.refresh(e)
	return p
}

func groupOf(r *model.Row) model.GroupID { return r.Group.ID }

// refresh takes over the rows and all that hangs on them.
func (p *groupsPage) refresh(e *env) {
	p.table.SetHeight(e.body.H)
	before := p.table.Visible()
	live := e.board != nil && e.board.Snapshot.Offsets.Source == model.FromStateTopic
	p.table.setAbsent(!live, "RETRY")
	p.table.setAbsent(!live || e.body.W < withStateRates, "ACCEPT/s", "ARCH/s")
	p.table.SetRows(e.rows)
	p.changes.note(e.board, before, p.table.Visible(), e.now)
	column, descending := sortedColumn(e)
	p.table.SetSort(column, descending)
	p.table.empty = emptyGroups(e)
	p.findMarked()
}

// withStateRates is the width from which on what DONE/s is made up of is shown
// too: names and reasons are worth more.
const withStateRates = 160

// findMarked looks up the marked groups, as many as are refreshed at every
// tick: once for each change and not for each message.
func (p *groupsPage) findMarked() {
	p.marked = nil
	if rows := p.table.MarkedRows(); len(rows) > 0 {
		p.marked = idsOf(rows[:min(len(rows), model.MaxMarked)])
	}
}

func (p *groupsPage) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	switch msg := msg.(type) {
	case boardChangedMsg, resizedMsg:
		p.refresh(e)
	case tea.PasteMsg:
		return p.typeFilter(e, msg), nil
	case tea.KeyPressMsg:
		if p.typing != nil {
			return p.filterKey(e, msg), nil
		}
		return p.key(e, msg), nil
	}
	return nil, nil
}

func (p *groupsPage) key(e *env, k tea.KeyPressMsg) intent {
	l := e.keys.Lists
	switch {
	case moveTable(p.table, l, k):
		p.findMarked()
	case l.Filter.Pressed(k):
		typed := newLineEdit(e.filter)
		p.typing = &typed
	case l.SortLeft.Pressed(k):
		return setQuery{p.sortBy(e.query, -1)}
	case l.SortRight.Pressed(k):
		return setQuery{p.sortBy(e.query, 1)}
	case l.Invert.Pressed(k):
		q := e.query
		q.Invert = !q.Invert
		return setQuery{q}
	case e.keys.Everywhere.Back.Pressed(k) && e.filter != "":
		return setFilter{}
	default:
		if row, ok := p.table.Cursor(); ok {
			return p.rowKey(e, row.Group.ID, k)
		}
	}
	return nil
}

// rowKey handles the keys that are about the group under the cursor.
func (p *groupsPage) rowKey(e *env, id model.GroupID, k tea.KeyPressMsg) intent {
	g := e.keys.Groups
	switch {
	case g.Open.Pressed(k):
		return openGroup{id}
	case g.Peek.Pressed(k):
		return openRecords{id: id}
	case g.Archived.Pressed(k):
		return openArchived{id}
	case g.Consume.Pressed(k):
		return openConsume{id}
	case g.Reset.Pressed(k):
		return openReset{id: id}
	case g.Delete.Pressed(k):
		if rows := p.table.MarkedRows(); len(rows) > 0 {
			return askDelete{idsOf(rows)}
		}
		return askDelete{[]model.GroupID{id}}
	}
	return nil
}

// moveTable handles the keys that every table has and tells whether k is one.
func moveTable[T any, K comparable](t *table[T, K], l keymap.Lists, k tea.KeyPressMsg) bool {
	switch {
	case l.Up.Pressed(k):
		t.Move(-1)
	case l.Down.Pressed(k):
		t.Move(1)
	case l.PageUp.Pressed(k):
		t.Page(-1)
	case l.PageDown.Pressed(k):
		t.Page(1)
	case l.Top.Pressed(k):
		t.Top()
	case l.Bottom.Pressed(k):
		t.Bottom()
	case l.Mark.Pressed(k):
		t.ToggleMark()
		t.Move(1)
	case l.MarkAll.Pressed(k):
		t.ToggleAll()
	default:
		return false
	}
	return true
}

// filterKey handles a key while the filter is typed.
func (p *groupsPage) filterKey(e *env, k tea.KeyPressMsg) intent {
	switch {
	case e.keys.Text.Leave.Pressed(k):
		p.typing, p.mistake = nil, ""
		return setFilter{}
	case e.keys.Text.Accept.Pressed(k):
		// A line with a mistake stays until it is mended or left.
		if p.mistake == "" {
			p.typing = nil
		}
		return nil
	}
	return p.typeFilter(e, k)
}

// typeFilter takes text in and filters by it at once.
func (p *groupsPage) typeFilter(_ *env, msg tea.Msg) intent {
	if p.typing == nil || !p.typing.update(msg) {
		return nil
	}
	filter, err := model.ParseFilter(p.typing.String())
	if err != nil {
		p.mistake = err.Error()
		return nil
	}
	p.mistake = ""
	return setFilter{text: p.typing.String(), filter: filter}
}

func (p *groupsPage) view(e *env, r Rect) string {
	return p.table.View(e.look(), r.W, r.H)
}

func (p *groupsPage) capturesText() bool { return p.typing != nil }

func (p *groupsPage) wants(*env) wants {
	return wants{visible: idsOf(p.table.Visible()), marked: p.marked}
}

func idsOf(rows []*model.Row) []model.GroupID {
	ids := make([]model.GroupID, len(rows))
	for i, r := range rows {
		ids[i] = r.Group.ID
	}
	return ids
}

// keys are the page's keys: what works on one group is off while some are
// marked.
func (p *groupsPage) keys(e *env) keymap.Groups {
	g := e.keys.Groups
	g.Consume, g.Reset = consumeHere(e, g.Consume), resetHere(e, g.Reset)
	if len(p.marked) == 0 {
		return g
	}
	for _, b := range []*keymap.Binding{&g.Consume, &g.Reset} {
		if !b.IsOff() {
			*b = b.Off("it works on one group: take the marks away")
		}
	}
	return g
}

func (p *groupsPage) footer(e *env) []keymap.Binding {
	if p.typing != nil {
		return []keymap.Binding{e.keys.Text.Accept, e.keys.Text.Leave}
	}
	g, l := p.keys(e), e.keys.Lists
	return []keymap.Binding{g.Open, g.Peek, g.Consume, g.Reset, l.Mark, l.Filter, l.Sort()}
}

func (p *groupsPage) help(e *env) []keymap.Section {
	return []keymap.Section{
		{Scope: keymap.ScopeGroups, Bindings: p.keys(e).Bindings()},
		{Scope: keymap.ScopeLists, Bindings: e.keys.Lists.Bindings()},
	}
}

func (p *groupsPage) copyItems(e *env) []copyItem {
	row, ok := p.table.Cursor()
	if !ok {
		return nil
	}
	return groupCopyItems(e, row)
}
