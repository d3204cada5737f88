package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// archivedPage lists the records that were given up: those at or above the
// start offsets, and those seen since watching began. Its title says since
// when, so that an empty list is not read as "nothing was lost".
type archivedPage struct {
	recordList[*model.ArchivedRow, archivedKey]
	// group is the group whose records are listed; empty for all.
	group model.GroupID
	// list is the newest look; nil before the first.
	list *model.ArchivedList
}

// archivedKey is a run's identity: what it begins with.
type archivedKey struct {
	group model.GroupID
	place model.Place
	first int64
	at    int64
}

// archivedMsg is what a look has found; rows are those that match the filter.
type archivedMsg struct {
	page *archivedPage
	req  int
	list *model.ArchivedList
	rows []*model.ArchivedRow
}

// owner is the page that asked.
func (m archivedMsg) owner() page { return m.page }

func newArchivedPage(e *env, group model.GroupID) (*archivedPage, tea.Cmd) {
	p := &archivedPage{group: group}
	p.table = newTable(func(r *model.ArchivedRow) archivedKey {
		return archivedKey{r.Group, r.Place, r.First, r.At.UnixNano()}
	}, archivedColumns(func() bool { return e.utc }))
	p.table.columns[0].absent = !group.Empty()
	p.fit(e)
	return p, p.look(e)
}

// look takes a look at the board in a command.
func (p *archivedPage) look(e *env) tea.Cmd {
	if e.board == nil {
		return nil
	}
	req, ok := p.begin()
	if !ok {
		return nil
	}
	return lookArchived(p, req, e.board.Snapshot, p.group, p.text)
}

// lookArchived is the command: it finds the runs and leaves those that match.
func lookArchived(p *archivedPage, req int, s *model.Snapshot, group model.GroupID, text string) tea.Cmd {
	return func() tea.Msg {
		list := model.ArchivedIn(s, group)
		rows := list.Rows
		if lower := strings.ToLower(text); lower != "" {
			rows = nil
			for _, r := range list.Rows {
				if lineMatches(lower, r.Group.String(), recordsText(r.Place, r.StateBatch), archivedReason(r)) {
					rows = append(rows, r)
				}
			}
		}
		return archivedMsg{p, req, list, rows}
	}
}

func (p *archivedPage) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	switch msg := msg.(type) {
	case boardChangedMsg:
		p.fit(e)
		return nil, p.look(e)
	case resizedMsg:
		p.fit(e)
	case archivedMsg:
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
func (p *archivedPage) take(e *env, m archivedMsg) tea.Cmd {
	ours, again := p.replied(m.req)
	if !ours {
		return nil
	}
	p.list = m.list
	p.table.SetRows(m.rows)
	p.fit(e)
	if again {
		return p.look(e)
	}
	return nil
}

func (p *archivedPage) key(e *env, k tea.KeyPressMsg) (intent, tea.Cmd) {
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
		if r, ok := p.table.Cursor(); ok {
			return openState{r.Group, partitionKey{r.Topic, r.Partition}, r.First}, nil
		}
	case e.keys.Radar.Peek.Pressed(k):
		if r, ok := p.table.Cursor(); ok {
			return openRecords{r.Group, partitionKey{r.Topic, r.Partition}, model.Known(r.First)}, nil
		}
	default:
		moveTable(p.table, e.keys.Lists, k)
	}
	return nil, nil
}

// fit tells the table its height, and what to say when it has no rows.
func (p *archivedPage) fit(e *env) {
	p.table.SetHeight(e.body.H)
	p.table.empty = wrapAll(e, p.whyEmpty(e))
}

func (p *archivedPage) whyEmpty(e *env) []string {
	if missing := needsStateTopic(e); missing != nil {
		return missing
	}
	switch {
	case p.list == nil:
		return []string{"Looking for archived records."}
	case p.text != "" && len(p.list.Rows) > 0:
		return []string{"No record matches " + preview(p.text) + ": esc shows all."}
	}
	return []string{
		"No archived record at or above a start offset, and none seen " + p.since(e) + ".",
		"Records archived before that and below a start offset are no longer told apart from accepted ones: this list can't show them.",
	}
}

// since is from when on the list has everything.
func (p *archivedPage) since(e *env) string {
	if p.list == nil || p.list.Since.IsZero() {
		return "since " + model.Unknown
	}
	return "since " + model.FormatClock(p.list.Since, e.utc)
}

func (p *archivedPage) heading(e *env) heading {
	whose := "all groups"
	if !p.group.Empty() {
		whose = p.group.String()
	}
	h := heading{
		left:   []string{e.styles.bold.render("Archived records " + p.since(e)), whose},
		second: p.filterText(e),
	}
	if p.typing == nil {
		h.second = joinFitting(withoutEmpty([]string{p.totals(e), p.missed(e), p.filterText(e)}), e.body.W-2)
	}
	return h
}

// totals counts what is listed, whatever the filter shows.
func (p *archivedPage) totals(e *env) string {
	if p.list == nil {
		return e.styles.dim.render("records given up: rejected, or at the delivery limit")
	}
	text := count(int(p.list.Records), "record", "records") + " given up; those from before are listed while they are at or above the start offset"
	if p.list.More > 0 {
		text = fmt.Sprintf("%s given up, and %s more runs that are not held any more",
			count(int(p.list.Records), "record", "records"), model.FormatInt(p.list.More))
	}
	return text
}

// missed says that something may be missing in between.
func (p *archivedPage) missed(e *env) string {
	if p.list == nil || p.list.Missed.IsZero() {
		return ""
	}
	return e.styles.warn.render(e.glyphs.warn + " events were missed at " + model.FormatClock(p.list.Missed, e.utc))
}

func (p *archivedPage) view(e *env, r Rect) string { return p.table.View(e.look(), r.W, r.H) }

func (p *archivedPage) capturesText() bool { return p.typing != nil }

// wants the group that is listed, so that its delivery limit is known.
func (p *archivedPage) wants(*env) wants {
	if !p.group.Empty() {
		return wants{visible: []model.GroupID{p.group}}
	}
	var ids []model.GroupID
	for _, r := range p.table.Visible() {
		if n := len(ids); n == 0 || ids[n-1] != r.Group {
			ids = append(ids, r.Group)
		}
	}
	return wants{visible: ids}
}

func (p *archivedPage) footer(e *env) []keymap.Binding {
	if p.typing != nil {
		return []keymap.Binding{e.keys.Text.Accept, e.keys.Text.Leave}
	}
	return []keymap.Binding{e.keys.Radar.Open, e.keys.Lists.Filter, e.keys.Lists.Down, e.keys.Lists.Up, e.keys.Everywhere.CopyMenu}
}

func (p *archivedPage) help(e *env) []keymap.Section { return recordListHelp(e) }

func (p *archivedPage) copyItems(*env) []copyItem {
	r, ok := p.table.Cursor()
	if !ok {
		return nil
	}
	return recordCopyItems(r.Group, r.Place, r.StateBatch)
}

// archivedColumns are the columns of the list. Utc says how times are shown.
func archivedColumns(utc func() bool) []column[*model.ArchivedRow] {
	type row = *model.ArchivedRow
	return []column[row]{
		{
			columnSpec: columnSpec{title: "GROUP", flex: 1, min: 14, max: 50},
			cell:       func(r row, _ look, _ int) cell { return cell{text: r.Group.String()} },
		},
		{
			columnSpec: columnSpec{title: "OFFSETS", flex: 1, min: 16, max: 60, tail: true},
			cell:       func(r row, _ look, _ int) cell { return cell{text: recordsText(r.Place, r.StateBatch)} },
		},
		{columnSpec: columnSpec{title: "RECORDS", right: true, drop: 2}, cell: func(r row, l look, _ int) cell { return timesCell(r.Len(), l) }},
		{columnSpec: columnSpec{title: "WHEN", drop: 1}, cell: func(r row, l look, _ int) cell { return whenCell(r, l, utc()) }},
		{
			columnSpec: columnSpec{title: "COUNT", right: true},
			cell:       func(r row, _ look, _ int) cell { return cell{text: countText(r.Count, r.Limit)} },
		},
		{
			columnSpec: columnSpec{title: "REASON", flex: 1, min: 22},
			cell:       func(r row, _ look, _ int) cell { return cell{text: archivedReason(r)} },
		},
	}
}

// whenCell is when records were given up; "before" stands for before we looked.
func whenCell(r *model.ArchivedRow, l look, utc bool) cell {
	if r.At.IsZero() {
		return cell{text: "before", style: l.s.dim}
	}
	return cell{text: model.FormatClock(r.At, utc)}
}

// archivedReason is why records were given up, as far as is known.
func archivedReason(r *model.ArchivedRow) string {
	text := "limit not known"
	switch r.Reason() {
	case model.ArchivedAtLimit:
		text = "at the delivery limit"
	case model.ArchivedBefore:
		text = "rejected, or nothing to deliver (gap, aborted)"
	case model.ArchivedUnknown:
	}
	if r.State == model.RecordArchiving {
		text += "; being written to the dead-letter topic"
	}
	return text
}
