package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// clustersPage lists the clusters that were found on this machine, and connects
// to the one that is chosen. Below the list it says all about the one under the
// cursor: how connecting does or why it failed, and what of its file was not
// understood.
type clustersPage struct {
	recordList[*model.Profile, string]
}

func newClustersPage(e *env) *clustersPage {
	p := &clustersPage{}
	p.table = newTable(func(f *model.Profile) string { return f.Name.Raw() }, clusterColumns(e))
	p.fit(e)
	return p
}

// fit takes over what was found, and how connecting does.
func (p *clustersPage) fit(e *env) {
	var rows []*model.Profile
	for i := range e.profiles {
		f := &e.profiles[i]
		if lineMatches(strings.ToLower(p.text), f.Name.String(), f.Bootstrap.String(), f.Source.String(), f.Security.String()) {
			rows = append(rows, f)
		}
	}
	p.table.setAbsent(!someWay(rows), "WAY")
	p.table.SetRows(rows)
	switch {
	case e.connect.name != "":
		p.table.Select(e.connect.name)
	case !p.table.moved && e.cfg.Profile != "":
		p.table.Select(e.cfg.Profile)
		p.table.moved = false
	}
	p.table.SetHeight(p.listHeight(e, e.body))
	p.table.empty = wrapAll(e, p.whyEmpty(e))
}

// someWay tells whether any cluster is not reached directly.
func someWay(rows []*model.Profile) bool {
	for _, f := range rows {
		if !f.Way.Empty() {
			return true
		}
	}
	return false
}

func (p *clustersPage) whyEmpty(e *env) []string {
	switch {
	case p.text != "":
		return []string{"No cluster matches " + preview(p.text) + ": esc shows all."}
	case e.profiles == nil:
		return []string{"Looking for clusters on this machine."}
	}
	return []string{
		"No cluster was found on this machine.",
		"Profiles stand in config.toml of sharetop; kcat.conf, ~/.kaf/config, kafkactl, rpk and kcl files are read too.",
	}
}

func (p *clustersPage) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	switch msg := msg.(type) {
	case resizedMsg:
		p.fit(e)
	case tea.PasteMsg:
		if p.typing != nil && p.filterKey(e, msg) {
			p.fit(e)
		}
	case tea.KeyPressMsg:
		want := p.key(e, msg)
		p.fit(e)
		return want, nil
	}
	return nil, nil
}

func (p *clustersPage) key(e *env, k tea.KeyPressMsg) intent {
	switch {
	case p.typing != nil:
		p.filterKey(e, k)
	case e.keys.Lists.Filter.Pressed(k):
		p.startFilter()
	case e.keys.Everywhere.Back.Pressed(k):
		return p.back(e)
	case e.keys.Clusters.Connect.Pressed(k):
		return p.connect(e)
	default:
		if e.connect.name == "" {
			moveTable(p.table, e.keys.Lists, k)
		}
	}
	return nil
}

// back gives up, in this order, connecting, the filter, and the list.
func (p *clustersPage) back(e *env) intent {
	switch {
	case e.connect.name != "":
		return stopSwitch{}
	case p.text != "":
		p.setText("")
		return nil
	case e.cfg.Source == nil:
		return showStatus{levelInfo, "Choose a cluster, or q quits."}
	}
	return goBack{}
}

func (p *clustersPage) connect(e *env) intent {
	f, ok := p.table.Cursor()
	switch {
	case !ok || e.connect.name == f.Name.Raw():
		return nil
	case !f.Problem.Empty():
		return showStatus{levelWarn, f.Name.String() + " can't be used: why stands below the list."}
	case isShown(e, f):
		return goBack{}
	}
	return switchTo{f.Name.Raw()}
}

// isShown tells whether a cluster is the one that is on screen.
func isShown(e *env, f *model.Profile) bool {
	return e.cfg.Source != nil && e.cfg.Profile != "" && e.cfg.Profile == f.Name.Raw()
}

func (p *clustersPage) heading(e *env) heading {
	h := heading{left: []string{e.styles.bold.render("Clusters")}}
	if e.cfg.Source == nil {
		h.left = []string{e.styles.bold.render("sharetop"), "which cluster?"}
	}
	h.second = p.filterText(e)
	if p.typing == nil {
		h.second = joinFitting(withoutEmpty([]string{p.totals(e), h.second}), e.body.W-2)
	}
	return h
}

// totals counts what was found, and what of it can't be used or only half.
func (p *clustersPage) totals(e *env) string {
	files := map[string]bool{}
	given, broken, noted := 0, 0, 0
	for i := range e.profiles {
		f := &e.profiles[i]
		if f.Given {
			given++
		} else {
			files[f.Source.Raw()] = true
		}
		switch {
		case !f.Problem.Empty():
			broken++
		case len(f.Notes) > 0:
			noted++
		}
	}
	if len(e.profiles) == 0 {
		return e.styles.dim.render("found on this machine: none")
	}
	text := foundIn(len(e.profiles), given, len(files))
	if broken > 0 {
		text += "  " + e.styles.bad.render(e.glyphs.stuck+" "+model.FormatInt(int64(broken))+" can't be used")
	}
	if noted > 0 {
		text += "  " + e.styles.warn.render(e.glyphs.warn+" "+model.FormatInt(int64(noted))+" with a note")
	}
	return text
}

// foundIn says where clusters are from: given ones stand in no file.
func foundIn(all, given, files int) string {
	in := " in " + count(files, "file", "files")
	switch given {
	case 0:
		return count(all, "cluster", "clusters") + in
	case all:
		return count(all, "cluster", "clusters") + " on the command line"
	}
	return count(given, "cluster", "clusters") + " on the command line, " + model.FormatInt(int64(all-given)) + in
}

func (p *clustersPage) footer(e *env) []keymap.Binding {
	if p.typing != nil {
		return []keymap.Binding{e.keys.Text.Accept, e.keys.Text.Leave}
	}
	return []keymap.Binding{e.keys.Clusters.Connect, e.keys.Lists.Filter, e.keys.Lists.Down, e.keys.Lists.Up}
}

func (p *clustersPage) help(e *env) []keymap.Section {
	return []keymap.Section{
		{Scope: keymap.ScopeClusters, Bindings: e.keys.Clusters.Bindings()},
		{Scope: keymap.ScopeLists, Bindings: append(e.keys.Lists.Scrolling(), e.keys.Lists.Filter)},
	}
}

func (p *clustersPage) capturesText() bool { return p.typing != nil }

func (p *clustersPage) wants(*env) wants { return wants{} }

// copyItems offers what a person may want to put into a command or a ticket.
func (p *clustersPage) copyItems(*env) []copyItem {
	f, ok := p.table.Cursor()
	if !ok {
		return nil
	}
	items := []copyItem{
		{what: "name", text: f.Name.Raw()},
		{what: "brokers", text: f.Bootstrap.Raw()},
	}
	if !f.Given {
		items = append(items, copyItem{what: "file", text: f.Source.Raw()})
	}
	return items
}
