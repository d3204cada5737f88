package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// runsPage lists runs of records of many groups: what they are, and what to say
// of them, is its kind. L is what a look finds, T a row of it.
type runsPage[L, T any, K comparable] struct {
	recordList[T, K]
	kind runsKind[L, T]
	// group is the group whose records are listed; empty for all.
	group model.GroupID
	// found is the newest look; nil before the first.
	found *L
	// outdated is true when the board has changed while the page was covered.
	outdated bool
}

// runsKind is what tells one list of runs from another.
type runsKind[L, T any] struct {
	// find takes a look; before is the one before it, or nil.
	find func(s *model.Snapshot, before *L) (found *L, rows []T)
	// run is what a row is about, note what it says of that.
	run  func(T) run
	note func(T) string
	// left are the parts of the first line of the header, totals those of the
	// second; whyEmpty says in paragraphs why there are no rows.
	left     func(e *env, found *L) []string
	totals   func(e *env, found *L) []string
	whyEmpty func(e *env, found *L) []string
	// any tells whether a look found something, whatever the filter shows.
	any func(found *L) bool
	// archived is true where what groups have archived is to be looked at.
	archived bool
}

// run is a run of records of one share-partition.
type run struct {
	group model.GroupID
	place model.Place
	batch model.StateBatch
}

func (r run) partition() partitionKey { return partitionKey{r.place.Topic, r.place.Partition} }

// runsMsg is what a look has found; rows are those that match the filter.
type runsMsg[L, T any, K comparable] struct {
	page  *runsPage[L, T, K]
	req   int
	found *L
	rows  []T
}

// owner is the page that asked.
func (m runsMsg[L, T, K]) owner() page { return m.page }

// look takes a look at the board in a command.
func (p *runsPage[L, T, K]) look(e *env) tea.Cmd {
	p.outdated = false
	if e.board == nil {
		return nil
	}
	req, ok := p.begin()
	if !ok {
		return nil
	}
	return lookForRuns(p, req, e.board.Snapshot, p.found, p.kind, p.text)
}

// lookForRuns is the command: it finds the runs and leaves those that match.
func lookForRuns[L, T any, K comparable](p *runsPage[L, T, K], req int, s *model.Snapshot, before *L, kind runsKind[L, T], text string) tea.Cmd {
	return func() tea.Msg {
		found, all := kind.find(s, before)
		rows := all
		if lower := strings.ToLower(text); lower != "" {
			rows = nil
			for _, row := range all {
				r := kind.run(row)
				if lineMatches(lower, r.group.String(), recordsText(r.place, r.batch), kind.note(row)) {
					rows = append(rows, row)
				}
			}
		}
		return runsMsg[L, T, K]{p, req, found, rows}
	}
}

// cover notes that the board has changed: what nobody sees is not derived.
func (p *runsPage[L, T, K]) cover() { p.outdated = true }

// uncover takes the look that was left out.
func (p *runsPage[L, T, K]) uncover(e *env) tea.Cmd {
	if !p.outdated {
		return nil
	}
	p.fit(e)
	return p.look(e)
}

func (p *runsPage[L, T, K]) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	switch msg := msg.(type) {
	case boardChangedMsg:
		p.fit(e)
		return nil, p.look(e)
	case resizedMsg:
		p.fit(e)
	case runsMsg[L, T, K]:
		return nil, p.take(e, msg)
	case tea.PasteMsg:
		if p.typing != nil && p.filterKey(e, msg) {
			return nil, p.look(e)
		}
	case tea.KeyPressMsg:
		return p.key(e, msg)
	}
	return nil, nil
}

// take shows what a look has found.
func (p *runsPage[L, T, K]) take(e *env, m runsMsg[L, T, K]) tea.Cmd {
	ours, again := p.replied(m.req)
	if !ours {
		return nil
	}
	p.found = m.found
	p.table.SetRows(m.rows)
	p.fit(e)
	if again {
		return p.look(e)
	}
	return nil
}

func (p *runsPage[L, T, K]) key(e *env, k tea.KeyPressMsg) (intent, tea.Cmd) {
	switch {
	case p.typing != nil:
		if p.filterKey(e, k) {
			return nil, p.look(e)
		}
	case e.keys.Lists.Filter.Pressed(k):
		p.startFilter()
	case e.keys.Everywhere.Back.Pressed(k) && p.text != "":
		p.setText("")
		return nil, p.look(e)
	case e.keys.Everywhere.Back.Pressed(k):
		return goBack{}, nil
	case e.keys.Radar.Open.Pressed(k):
		if r, ok := p.cursor(); ok {
			return openState{r.group, r.partition(), r.batch.First}, nil
		}
	case e.keys.Radar.Peek.Pressed(k):
		if r, ok := p.cursor(); ok {
			return openRecords{r.group, r.partition(), model.Known(r.batch.First)}, nil
		}
	default:
		moveTable(p.table, e.keys.Lists, k)
	}
	return nil, nil
}

// cursor is the run under the cursor.
func (p *runsPage[L, T, K]) cursor() (r run, ok bool) {
	row, ok := p.table.Cursor()
	if ok {
		r = p.kind.run(row)
	}
	return r, ok
}

// fit tells the table its height, and what to say when it has no rows.
func (p *runsPage[L, T, K]) fit(e *env) {
	p.table.SetHeight(e.body.H)
	p.table.empty = wrapAll(e, p.whyEmpty(e))
}

func (p *runsPage[L, T, K]) whyEmpty(e *env) []string {
	if missing := needsStateTopic(e); missing != nil {
		return missing
	}
	if p.found != nil && p.text != "" && p.kind.any(p.found) {
		return []string{"No record matches " + preview(p.text) + ": esc shows all."}
	}
	return p.kind.whyEmpty(e, p.found)
}

func (p *runsPage[L, T, K]) heading(e *env) heading {
	h := heading{left: withoutEmpty(p.kind.left(e, p.found)), second: p.filterText(e)}
	if p.typing == nil {
		h.second = joinFitting(withoutEmpty(append(p.kind.totals(e, p.found), p.filterText(e))), e.body.W-2)
	}
	return h
}

func (p *runsPage[L, T, K]) view(e *env, r Rect) string { return p.table.View(e.look(), r.W, r.H) }

func (p *runsPage[L, T, K]) capturesText() bool { return p.typing != nil }

// wants the groups on screen, so that their delivery limits are known.
func (p *runsPage[L, T, K]) wants(*env) wants {
	if !p.group.Empty() {
		return wants{visible: []model.GroupID{p.group}, archived: p.kind.archived}
	}
	var ids []model.GroupID
	for _, row := range p.table.Visible() {
		if id := p.kind.run(row).group; len(ids) == 0 || ids[len(ids)-1] != id {
			ids = append(ids, id)
		}
	}
	return wants{visible: ids, archived: p.kind.archived}
}

func (p *runsPage[L, T, K]) footer(e *env) []keymap.Binding {
	if p.typing != nil {
		return []keymap.Binding{e.keys.Text.Accept, e.keys.Text.Leave}
	}
	return []keymap.Binding{e.keys.Radar.Open, e.keys.Lists.Filter, e.keys.Lists.Down, e.keys.Lists.Up, e.keys.Everywhere.CopyMenu}
}

func (p *runsPage[L, T, K]) help(e *env) []keymap.Section {
	return []keymap.Section{
		{Scope: keymap.ScopeRadar, Bindings: e.keys.Radar.Bindings()},
		{Scope: keymap.ScopeLists, Bindings: append(e.keys.Lists.Scrolling(), e.keys.Lists.Filter)},
	}
}

// copyItems is what can be copied of a run of records.
func (p *runsPage[L, T, K]) copyItems(*env) []copyItem {
	r, ok := p.cursor()
	if !ok {
		return nil
	}
	return recordCopyItems(r.group, r.place, r.batch)
}
