package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// settingsPage lists the settings that made the connection, as the command
// "sharetop settings" does: each with where it comes from, and no secret.
type settingsPage struct {
	recordList[*model.Setting, string]
}

func (a *App) openSettings() tea.Cmd {
	if _, already := a.page().(*settingsPage); already {
		return nil
	}
	if len(a.env.cfg.Settings) == 0 {
		return a.say(levelInfo, "No setting made this connection.")
	}
	return a.push(newSettingsPage(&a.env))
}

func newSettingsPage(e *env) *settingsPage {
	p := &settingsPage{}
	p.table = newTable(func(s *model.Setting) string { return s.Key }, settingColumns(e))
	p.fit(e)
	return p
}

func settingColumns(e *env) []column[*model.Setting] {
	type row = *model.Setting
	return []column[row]{
		{
			columnSpec: columnSpec{title: "SETTING", flex: 1, min: 24, max: 50},
			cell:       func(s row, l look, _ int) cell { return cell{text: model.Sanitize(s.Key), style: settingStyle(s, l)} },
		},
		{
			columnSpec: columnSpec{title: "VALUE", flex: 2, min: 16, max: 60},
			cell:       func(s row, l look, _ int) cell { return valueCell(s, l) },
		},
		{
			columnSpec: columnSpec{title: "FROM", flex: 1, min: 14, max: 70, tail: true},
			cell: func(s row, l look, _ int) cell {
				return cell{text: sourceOfSetting(e, s), style: settingStyle(s, l)}
			},
		},
		{
			columnSpec: columnSpec{title: "", flex: 1, min: 10, drop: 1},
			cell:       func(s row, l look, _ int) cell { return cell{text: model.Sanitize(s.Note), style: l.s.dim} },
		},
	}
}

// sourceOfSetting is where a setting stands, with the home directory as ~.
func sourceOfSetting(e *env, s *model.Setting) string {
	text := s.Source
	if home := e.cfg.Env("HOME"); len(home) > 1 {
		text = strings.ReplaceAll(text, home+"/", "~/")
	}
	return model.Sanitize(text)
}

// settingStyle makes dim what has no effect, or nobody has set.
func settingStyle(s *model.Setting, l look) style {
	if s.Note != "" || s.Source == "default" {
		return l.s.dim
	}
	return l.s.text
}

func valueCell(s *model.Setting, l look) cell {
	if s.Value == "" {
		return cell{text: "(empty)", style: l.s.dim}
	}
	return cell{text: model.Sanitize(s.Value), style: settingStyle(s, l)}
}

// fit takes over the settings of the cluster that is shown.
func (p *settingsPage) fit(e *env) {
	rows := make([]*model.Setting, 0, len(e.cfg.Settings))
	for i := range e.cfg.Settings {
		s := &e.cfg.Settings[i]
		if lineMatches(strings.ToLower(p.text), s.Key, s.Value, s.Source, s.Note) {
			rows = append(rows, s)
		}
	}
	p.table.SetRows(rows)
	p.table.SetHeight(p.listHeight(e, e.body))
	p.table.empty = "No setting matches " + preview(p.text) + ": esc shows all."
}

func (p *settingsPage) listHeight(e *env, r Rect) int {
	return aboveHeight(len(p.table.rows), len(p.about(e, r.W)), r.H)
}

// about is the setting under the cursor in full, and the warnings.
func (p *settingsPage) about(e *env, width int) []string {
	var lines []string
	if s, ok := p.table.Cursor(); ok {
		lines = append(lines, titleLine(e, model.Sanitize(s.Key), "", width))
		for _, f := range []field{{"value", valueCell(s, e.look()).text}, {"from", sourceOfSetting(e, s)}, {"note", s.Note}} {
			if f.text != "" {
				lines = append(lines, fieldLines(e, f, width)...)
			}
		}
	}
	for _, w := range e.cfg.Warnings {
		lines = append(lines, sentence(e.styles.warn, e.glyphs.warn, model.Sanitize(w), width)...)
	}
	return lines
}

func (p *settingsPage) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	var want intent
	switch msg := msg.(type) {
	case tea.PasteMsg:
		if p.typing != nil {
			p.filterKey(e, msg)
		}
	case tea.KeyPressMsg:
		want = p.key(e, msg)
	}
	p.fit(e)
	return want, nil
}

func (p *settingsPage) key(e *env, k tea.KeyPressMsg) intent {
	switch {
	case p.typing != nil:
		p.filterKey(e, k)
	case e.keys.Lists.Filter.Pressed(k):
		p.startFilter()
	case e.keys.Everywhere.Back.Pressed(k) && p.text != "":
		p.setText("")
	case e.keys.Everywhere.Back.Pressed(k):
		return goBack{}
	default:
		moveTable(p.table, e.keys.Lists, k)
	}
	return nil
}

func (p *settingsPage) view(e *env, r Rect) string {
	height := p.listHeight(e, r)
	return listAndPane(p.table.View(e.look(), r.W, height), p.about(e, r.W), r.H-height)
}

func (p *settingsPage) heading(e *env) heading {
	h := heading{left: withoutEmpty([]string{e.styles.bold.render("Settings"), clusterElsewhere(e)}), second: p.filterText(e)}
	if p.typing != nil {
		return h
	}
	ignored := 0
	for i := range e.cfg.Settings {
		if e.cfg.Settings[i].Note != "" {
			ignored++
		}
	}
	text := count(len(e.cfg.Settings), "setting", "settings") + "; secrets are not shown"
	if ignored > 0 {
		text += fmt.Sprintf("; %d without effect", ignored)
	}
	warned := ""
	if n := len(e.cfg.Warnings); n > 0 {
		warned = e.styles.warn.render(e.glyphs.warn + " " + count(n, "warning", "warnings"))
	}
	h.second = joinFitting(withoutEmpty([]string{text, warned, h.second}), e.body.W-2)
	return h
}

func (p *settingsPage) footer(e *env) []keymap.Binding {
	if p.typing != nil {
		return []keymap.Binding{e.keys.Text.Accept, e.keys.Text.Leave}
	}
	l := e.keys.Lists
	return []keymap.Binding{l.Down, l.Up, l.Filter, e.keys.Everywhere.CopyMenu}
}

func (p *settingsPage) help(e *env) []keymap.Section {
	return []keymap.Section{{Scope: keymap.ScopeLists, Bindings: append(e.keys.Lists.Scrolling(), e.keys.Lists.Filter)}}
}

func (p *settingsPage) capturesText() bool { return p.typing != nil }

func (p *settingsPage) wants(*env) wants { return wants{} }

// copyItems offers the setting under the cursor, and all of them for a ticket.
func (p *settingsPage) copyItems(e *env) []copyItem {
	var all strings.Builder
	for i := range e.cfg.Settings {
		s := &e.cfg.Settings[i]
		fmt.Fprintf(&all, "%s=%s\t%s\t%s\n", s.Key, s.Value, s.Source, s.Note)
	}
	items := []copyItem{{what: "all settings", text: all.String()}}
	if s, ok := p.table.Cursor(); ok {
		items = append([]copyItem{{what: "the setting", text: s.Key + "=" + s.Value}}, items...)
	}
	return items
}
