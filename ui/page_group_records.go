package ui

import (
	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// tabMsg is the reply to a command of one of the page's tabs.
type tabMsg struct {
	page *groupPage
	tab  groupTab
	msg  tea.Msg
}

// owner is the page that asked.
func (m tabMsg) owner() page { return m.page }

// owned makes the replies of a tab's command come back to it, whatever is shown
// then. What is not a tab's own message is passed on as it is.
func (p *groupPage) owned(tab groupTab, cmd tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		switch msg := cmd().(type) {
		case peekedMsg, sourceMsg, recordRowsMsg, foundMsg, followMsg:
			return tabMsg{p, tab, msg}
		default:
			return msg
		}
	}
}

// sent is what the tabs want done since it was last asked for.
func (p *groupPage) sent() (intent, tea.Cmd) {
	var cmds []tea.Cmd
	var want intent
	for _, box := range []struct {
		tab groupTab
		out *outbox
	}{{tabRecords, &p.records.outbox}, {tabDeadLetters, &p.letters.outbox}} {
		said, sent := box.out.take()
		if said != nil {
			want = said
		}
		for _, cmd := range sent {
			cmds = append(cmds, p.owned(box.tab, cmd))
		}
	}
	return want, tea.Batch(cmds...)
}

func (p *groupPage) toTab(e *env, m tabMsg) {
	switch m.tab {
	case tabRecords:
		p.records.update(e, m.msg)
	case tabDeadLetters:
		p.letters.update(e, m.msg)
	default:
	}
}

// opening begins to read what the open tab shows, once the group is known.
func (p *groupPage) opening(e *env, tab groupTab) {
	switch {
	case p.group() == nil:
	case tab == tabRecords && !p.records.chosen && len(p.records.places) > 0:
		p.records.openFirst(e, p.underCursor())
	case tab == tabDeadLetters:
		p.letters.open(e)
	}
}

// underCursor is the share-partition that the cursor of the Partitions tab is
// on, else the first.
func (p *groupPage) underCursor() partitionKey {
	if row, ok := p.partitions.table.Cursor(); ok {
		return keyOf(row)
	}
	if len(p.records.places) > 0 {
		return p.records.places[0]
	}
	return partitionKey{}
}

// peek shows records: at the cursor of the State tab, else at the head of the
// share-partition that the person is on.
func (p *groupPage) peek(e *env) intent {
	if k := p.keys(e); k.Peek.IsOff() {
		return showStatus{levelInfo, k.Peek.Help().Desc + ": " + k.Peek.Reason + "."}
	}
	before := p.tab
	p.show(e, tabRecords)
	switch {
	case before == tabState && len(p.state.rows) > 0:
		p.records.openAt(e, p.state.place, p.state.cursor)
	case before == tabRecords:
		p.records.toHead(e)
	default:
		p.records.open(e, p.underCursor())
	}
	return nil
}

// peekKeys are the keys with those off that need a Peeker where there is none.
func peekKeys(k keymap.KeyMap, p Peeker) keymap.KeyMap {
	if p != nil {
		return k
	}
	for _, b := range []*keymap.Binding{&k.Groups.Peek, &k.Group.Peek, &k.Group.Tabs[tabRecords], &k.Radar.Peek} {
		*b = b.Off(noPeeker)
	}
	return k
}

// leaveRecord gives the keys back to the list where the record has them.
func (p *groupPage) leaveRecord() bool {
	return p.tab == tabRecords && p.records.leave() || p.tab == tabDeadLetters && p.letters.leave()
}

// close ends what the tabs have outstanding.
func (p *groupPage) close() {
	p.records.close()
	p.letters.close()
}

// openRecords opens a group's page at one of its records, or at the head of a
// share-partition: of the worst where none is named.
func (a *App) openRecords(want openRecords) tea.Cmd {
	p := newGroupPage(&a.env, want.id)
	if off := p.peek(&a.env); off != nil {
		return a.carryOut(off)
	}
	if offset, ok := want.offset.Get(); ok {
		p.records.openAt(&a.env, want.place, offset)
	}
	_, cmd := p.sent()
	return tea.Batch(a.push(p), cmd)
}

// openRecords asks the app for the records of a group.
type openRecords struct {
	id     model.GroupID
	place  partitionKey
	offset model.Number
}

func (openRecords) isIntent() {}

// closer is a page with something outstanding that is to end with the page.
type closer interface{ close() }

func closePage(p page) {
	if c, ok := p.(closer); ok {
		c.close()
	}
}
