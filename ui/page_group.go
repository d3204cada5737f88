package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// groupPage is the page of one group: its verdict, and tabs that show it from
// several sides. It can be open for a group that no broker lists.
type groupPage struct {
	id model.GroupID
	// shown is the last detail that had a row; nil until there was one. It stays
	// on screen, dim, when the group goes away.
	shown *model.OpenGroup
	// seen is when shown was taken; gone is true when a later look did not find
	// the group any more.
	seen time.Time
	gone bool
	// asked is true once a snapshot that is newer than the page was searched for
	// the group: before that its absence means nothing.
	asked  bool
	opened model.Version

	// notes are laid out by fit, for the board and the size that hold now.
	notes groupNotes

	tab        groupTab
	filter     rowFilter
	partitions partitionsTab
	members    membersTab
	config     configTab
	records    *recordsTab
	state      stateTab
	letters    *lettersTab
}

// groupTab numbers the tabs from 0; the number a person sees is one more, and
// is the same for ever.
type groupTab int

const (
	tabPartitions groupTab = iota
	tabMembers
	tabConfig
	tabRecords
	tabState
	tabDeadLetters
)

// tabView is what the page needs of a tab.
type tabView interface {
	// refresh takes what is now known of the group.
	refresh(e *env, p *groupPage)
	// key handles a key and tells whether it was one of the tab's.
	key(e *env, k tea.KeyPressMsg) bool
	// only shows the rows that match a filter, all of them when it is empty.
	only(text string)
	// fit is told the place that view gets.
	fit(r Rect)
	// view draws the tab in r.
	view(e *env, p *groupPage, r Rect) string
	// copyItems are the things under the cursor, most useful first.
	copyItems() []copyItem
}

// newGroupPage opens the page of one group. What is already on screen of it is
// shown at once.
func newGroupPage(e *env, id model.GroupID) *groupPage {
	p := &groupPage{id: id}
	if e.board != nil {
		p.opened = e.board.Snapshot.Version
	}
	p.partitions = newPartitionsTab(e, p)
	p.members = newMembersTab(p)
	p.config = newConfigTab(p)
	p.records = newRecordsTab(e, p)
	p.letters = newLettersTab(e, p)
	p.refresh(e)
	return p
}

// tabs are the tabs by their number.
func (p *groupPage) tabs() [tabDeadLetters + 1]tabView {
	return [...]tabView{&p.partitions, &p.members, &p.config, p.records, &p.state, p.letters}
}

func (p *groupPage) current() tabView { return p.tabs()[p.tab] }

// keys are the keys of the page as they are now: a tab that has nothing to show
// is off, with the reason.
func (p *groupPage) keys(e *env) keymap.Group {
	k := e.keys.Group
	k.Consume, k.Reset = consumeHere(e, k.Consume), resetHere(e, k.Reset)
	if why := p.whyNoState(e); why != "" {
		k.Tabs[tabState] = k.Tabs[tabState].Off(why)
	}
	if why := p.whyNoLetters(e); why != "" {
		k.Tabs[tabDeadLetters] = k.Tabs[tabDeadLetters].Off(why)
	}
	return k
}

// update handles one message.
func (p *groupPage) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	want := p.handle(e, msg)
	said, cmd := p.sent()
	if want == nil {
		want = said
	}
	return want, cmd
}

func (p *groupPage) handle(e *env, msg tea.Msg) intent {
	switch msg := msg.(type) {
	case boardChangedMsg:
		p.refresh(e)
	case resizedMsg:
		p.fit(e)
	case tea.PasteMsg, tea.KeyPressMsg:
		return p.input(e, msg)
	case tabMsg:
		p.toTab(e, msg)
	}
	return nil
}

// input hands a key or a paste to who captures text, if anybody does.
func (p *groupPage) input(e *env, msg tea.Msg) intent {
	switch {
	case p.filter.typing != nil:
		p.filterKey(e, msg)
	case p.state.asking != nil:
		return p.state.answer(e, msg)
	case p.records.asking != nil:
		p.records.answer(e, msg)
	default:
		if k, pressed := msg.(tea.KeyPressMsg); pressed {
			return p.key(e, k)
		}
	}
	return nil
}

func (p *groupPage) key(e *env, k tea.KeyPressMsg) intent {
	keys := p.keys(e)
	switch {
	case e.keys.Everywhere.Back.Pressed(k) && p.leaveRecord():
	case e.keys.Everywhere.Back.Pressed(k) && p.filter.text != "":
		p.setFilter("")
	case e.keys.Everywhere.Back.Pressed(k):
		return goBack{}
	case e.keys.Lists.Filter.Pressed(k):
		return p.startFilter()
	case keys.NextTab.Pressed(k):
		p.turn(e, 1)
	case keys.PreviousTab.Pressed(k):
		p.turn(e, -1)
	case p.tab == tabConfig && (e.keys.Config.Edit.Pressed(k) || e.keys.Config.Unset.Pressed(k)):
		return p.editConfig(e, k)
	case p.tab == tabPartitions && e.keys.Partitions.Open.Pressed(k):
		return p.openState(e)
	default:
		return p.act(e, k)
	}
	return nil
}

// act handles the keys that do something with the group.
func (p *groupPage) act(e *env, k tea.KeyPressMsg) intent {
	keys := p.keys(e)
	switch {
	case keys.Peek.Pressed(k):
		return p.peek(e)
	case keys.Consume.Pressed(k):
		return openConsume{p.id}
	case keys.Archived.Pressed(k):
		return openArchived{p.id}
	case keys.Reset.Pressed(k):
		return openReset{p.id, p.partitions.marked()}
	case keys.Delete.Pressed(k):
		return askDeleteIn{p.id, p.topics()}
	default:
		return p.tabKey(e, k)
	}
}

// editConfig asks for a new value of the config under the cursor, or to unset it.
func (p *groupPage) editConfig(e *env, k tea.KeyPressMsg) intent {
	if c, ok := p.config.table.Cursor(); ok {
		return editConfig{id: p.id, entry: *c, unset: e.keys.Config.Unset.Pressed(k)}
	}
	return nil
}

// tabKey handles the numbers of the tabs, and leaves all else to the open one.
func (p *groupPage) tabKey(e *env, k tea.KeyPressMsg) intent {
	for i, b := range p.keys(e).Tabs {
		if b.Pressed(k) {
			return p.open(e, groupTab(i))
		}
	}
	p.current().key(e, k)
	return nil
}

// turn goes to the next tab that can be shown, or to the one before.
func (p *groupPage) turn(e *env, step int) {
	tabs := p.keys(e).Tabs
	for to := int(p.tab); ; {
		to = (to + step + len(tabs)) % len(tabs)
		if !tabs[to].IsOff() || groupTab(to) == p.tab {
			p.show(e, groupTab(to))
			p.opening(e, groupTab(to))
			return
		}
	}
}

// open goes to a tab, or says why it can't.
func (p *groupPage) open(e *env, tab groupTab) intent {
	if b := p.keys(e).Tabs[tab]; b.IsOff() {
		return showStatus{levelInfo, b.Help().Desc + ": " + b.Reason + "."}
	}
	if tab == tabState && p.tab != tabState {
		if row, ok := p.partitions.table.Cursor(); ok {
			p.state.choose(keyOf(row))
		}
	}
	p.show(e, tab)
	p.opening(e, tab)
	return nil
}

// openState goes to the state of the share-partition under the cursor.
func (p *groupPage) openState(e *env) intent { return p.open(e, tabState) }

func (p *groupPage) show(e *env, tab groupTab) {
	p.setFilter("")
	p.tab = tab
	p.fit(e)
}

// refresh takes the newest board. A board without this group's row leaves what
// was last seen on screen.
func (p *groupPage) refresh(e *env) {
	found := openOf(e.board, p.id)
	if found != nil {
		p.asked = p.asked || e.board.Snapshot.Version > p.opened
		p.gone = found.Row == nil && p.shown != nil
	}
	if found != nil && found.Row != nil {
		p.shown, p.seen = found, e.board.Snapshot.Taken
	}
	for _, t := range p.tabs() {
		t.refresh(e, p)
	}
	p.opening(e, p.tab)
	p.fit(e)
}

// openOf is the board's detail of a group; nil when it has another group's, or
// none. Before the first board for this group its row alone makes one.
func openOf(b *model.Board, id model.GroupID) *model.OpenGroup {
	if b == nil {
		return nil
	}
	if b.Open != nil && b.Open.ID == id {
		return b.Open
	}
	for _, row := range b.Rows {
		if row.Group.ID == id {
			return &model.OpenGroup{ID: id, Row: row}
		}
	}
	return nil
}

// fit lays the notes out and tells the tab its place.
func (p *groupPage) fit(e *env) {
	p.notes = p.layNotes(e, e.body)
	p.current().fit(layoutGroup(e.body, len(p.notes.lines)).tab)
}

func (p *groupPage) capturesText() bool {
	return p.filter.typing != nil || p.state.asking != nil || p.records.asking != nil
}

func (p *groupPage) wants(*env) wants { return wants{open: p.id} }

// group is what is known of the group; nil when it was never seen.
func (p *groupPage) group() *model.Group {
	if p.shown == nil {
		return nil
	}
	return p.shown.Row.Group
}

// tabKeys are the keys of the open tab that are its own.
func (p *groupPage) tabKeys(e *env) []keymap.Section {
	switch p.tab {
	case tabPartitions:
		open := e.keys.Partitions
		if why := p.whyNoState(e); why != "" {
			open.Open = open.Open.Off(why)
		}
		return []keymap.Section{{Scope: keymap.ScopePartitions, Bindings: open.Bindings()}}
	case tabConfig:
		return []keymap.Section{{Scope: keymap.ScopeConfig, Bindings: e.keys.Config.Bindings()}}
	case tabState:
		return []keymap.Section{{Scope: keymap.ScopeState, Bindings: e.keys.State.Bindings()}}
	case tabRecords:
		return []keymap.Section{{Scope: keymap.ScopeRecords, Bindings: e.keys.Records.Bindings()}}
	case tabDeadLetters:
		return []keymap.Section{{Scope: keymap.ScopeLetters, Bindings: e.keys.Letters.Bindings()}}
	default:
		return nil
	}
}

func (p *groupPage) footer(e *env) []keymap.Binding {
	if p.capturesText() {
		return []keymap.Binding{e.keys.Text.Accept, e.keys.Text.Leave}
	}
	g := p.keys(e)
	keys := []keymap.Binding{g.AllTabs()}
	switch p.tab {
	case tabState:
		s := e.keys.State
		return append(keys, s.Move(), s.Zoom(), s.Jumps(), s.TurnPartition(), s.ToOffset, g.Archived, g.Peek)
	case tabRecords:
		r := e.keys.Records
		return append(keys, r.Open, r.NextView, r.Head, r.End, r.ToOffset, r.ToTime, r.TurnPartition(), r.Follow,
			e.keys.Lists.Filter, r.Save, r.Pager, e.keys.Everywhere.Copy)
	case tabDeadLetters:
		l := e.keys.Letters
		return append(keys, l.Open, l.NextView, l.Newest, e.keys.Lists.Filter, l.Save, l.Pager, e.keys.Everywhere.Copy)
	default:
	}
	for _, s := range p.tabKeys(e) {
		keys = append(keys, s.Bindings[0])
	}
	return append(keys, e.keys.Lists.Filter, e.keys.Lists.Sort(), e.keys.Everywhere.CopyMenu,
		g.Peek, g.Consume, g.Reset, g.Delete)
}

func (p *groupPage) help(e *env) []keymap.Section {
	sections := append([]keymap.Section{{Scope: keymap.ScopeGroup, Bindings: p.keys(e).Bindings()}}, p.tabKeys(e)...)
	return append(sections, keymap.Section{Scope: keymap.ScopeLists, Bindings: e.keys.Lists.Bindings()})
}

// topics are the topics that the group has share-partitions of.
func (p *groupPage) topics() []model.TopicName {
	if p.shown == nil {
		return nil
	}
	var out []model.TopicName
	for i := range p.shown.Partitions {
		if t := p.shown.Partitions[i].Topic; !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
