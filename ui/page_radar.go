package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// radarPage lists the records of all groups that are on their second or a later
// delivery, those first that are closest to being given up.
type radarPage struct {
	recordList[*model.RadarRow, radarKey]
	// radar is the newest look; nil before the first.
	radar *model.Radar
}

// radarKey is a run's identity: what it begins with.
type radarKey struct {
	group model.GroupID
	place model.Place
	first int64
}

// radarMsg is what a look has found; rows are those that match the filter.
type radarMsg struct {
	page  *radarPage
	req   int
	radar *model.Radar
	rows  []*model.RadarRow
}

// owner is the page that asked.
func (m radarMsg) owner() page { return m.page }

func newRadarPage(e *env) (*radarPage, tea.Cmd) {
	p := &radarPage{}
	p.table = newTable(func(r *model.RadarRow) radarKey { return radarKey{r.Group, r.Place, r.First} }, radarColumns())
	p.fit(e)
	return p, p.look(e)
}

// look takes a look at the board in a command.
func (p *radarPage) look(e *env) tea.Cmd {
	if e.board == nil {
		return nil
	}
	req, ok := p.begin()
	if !ok {
		return nil
	}
	return lookRadar(p, req, e.board.Snapshot, p.radar, p.text)
}

// lookRadar is the command: it finds the runs and leaves those that match.
func lookRadar(p *radarPage, req int, s *model.Snapshot, before *model.Radar, text string) tea.Cmd {
	return func() tea.Msg {
		radar := model.RadarOf(s, before)
		rows := radar.Rows
		if lower := strings.ToLower(text); lower != "" {
			rows = nil
			for _, r := range radar.Rows {
				if lineMatches(lower, r.Group.String(), recordsText(r.Place, r.StateBatch), radarNote(r)) {
					rows = append(rows, r)
				}
			}
		}
		return radarMsg{p, req, radar, rows}
	}
}

func (p *radarPage) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	switch msg := msg.(type) {
	case boardChangedMsg:
		p.fit(e)
		return nil, p.look(e)
	case resizedMsg:
		p.fit(e)
	case radarMsg:
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
func (p *radarPage) take(e *env, m radarMsg) tea.Cmd {
	ours, again := p.replied(m.req)
	if !ours {
		return nil
	}
	p.radar = m.radar
	p.table.SetRows(m.rows)
	p.fit(e)
	if again {
		return p.look(e)
	}
	return nil
}

func (p *radarPage) key(e *env, k tea.KeyPressMsg) (intent, tea.Cmd) {
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
func (p *radarPage) fit(e *env) {
	p.table.SetHeight(e.body.H)
	p.table.empty = wrapAll(e, p.whyEmpty(e))
}

func (p *radarPage) whyEmpty(e *env) []string {
	if missing := needsStateTopic(e); missing != nil {
		return missing
	}
	switch {
	case p.radar == nil:
		return []string{"Looking at every group."}
	case p.text != "" && p.radar.Runs > 0:
		return []string{"No record matches " + preview(p.text) + ": esc shows all."}
	}
	return []string{
		"No record of any group is on its second or a later delivery.",
		fmt.Sprintf("The state of %s was looked at. What is in its first delivery can't be seen.", count(p.radar.Live, "group", "groups")),
	}
}

func (p *radarPage) heading(e *env) heading {
	h := heading{left: withoutEmpty([]string{e.styles.bold.render("Poison radar"), clusterElsewhere(e)}), second: p.filterText(e)}
	if p.typing == nil {
		h.second = joinFitting(withoutEmpty([]string{p.totals(e), p.filterText(e)}), e.body.W-2)
	}
	return h
}

// totals counts what was found, whatever the filter shows.
func (p *radarPage) totals(e *env) string {
	if p.radar == nil {
		return e.styles.dim.render("records on their second or a later delivery")
	}
	r := p.radar
	text := fmt.Sprintf("%s on a second or later delivery, in %s",
		count(int(r.Records), "record", "records"), count(r.Groups, "group", "groups"))
	if n := int64(len(r.Rows)); n < r.Runs {
		text += fmt.Sprintf("; the worst %s of %s runs", model.FormatInt(n), model.FormatInt(r.Runs))
	}
	return text
}

func (p *radarPage) view(e *env, r Rect) string { return p.table.View(e.look(), r.W, r.H) }

func (p *radarPage) capturesText() bool { return p.typing != nil }

// wants the groups on screen, so that their delivery limits are known.
func (p *radarPage) wants(*env) wants {
	var ids []model.GroupID
	for _, r := range p.table.Visible() {
		if n := len(ids); n == 0 || ids[n-1] != r.Group {
			ids = append(ids, r.Group)
		}
	}
	return wants{visible: ids}
}

func (p *radarPage) footer(e *env) []keymap.Binding {
	if p.typing != nil {
		return []keymap.Binding{e.keys.Text.Accept, e.keys.Text.Leave}
	}
	return []keymap.Binding{e.keys.Radar.Open, e.keys.Lists.Filter, e.keys.Lists.Down, e.keys.Lists.Up, e.keys.Everywhere.CopyMenu}
}

func (p *radarPage) help(e *env) []keymap.Section { return recordListHelp(e) }

// recordListHelp are the sections of help on a page that lists records.
func recordListHelp(e *env) []keymap.Section {
	return []keymap.Section{
		{Scope: keymap.ScopeRadar, Bindings: e.keys.Radar.Bindings()},
		{Scope: keymap.ScopeLists, Bindings: append(e.keys.Lists.Scrolling(), e.keys.Lists.Filter)},
	}
}

func (p *radarPage) copyItems(*env) []copyItem {
	r, ok := p.table.Cursor()
	if !ok {
		return nil
	}
	return recordCopyItems(r.Group, r.Place, r.StateBatch)
}

// recordCopyItems is what can be copied of a run of records.
func recordCopyItems(group model.GroupID, p model.Place, b model.StateBatch) []copyItem {
	return []copyItem{
		{what: "records", text: fmt.Sprintf("%s-%d@%d-%d", p.Topic.Raw(), p.Partition, b.First, b.Last)},
		{what: "group id", text: group.Raw()},
		{what: "first offset", text: rawNumber(model.Known(b.First))},
	}
}
