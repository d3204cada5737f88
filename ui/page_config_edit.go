package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// configPage changes one config of a group: a value is typed, what it leads to is
// said, and the group's name is typed before it is written. The group and the
// config are those of the moment it was opened.
type configPage struct {
	id    model.GroupID
	entry model.ConfigEntry
	line  lineEdit
	// busy is true while the cluster is asked or changed; it can't be left then.
	busy bool
	// req numbers what was asked for: replies to anything older are dropped.
	req  int
	done bool
	// finding is true while the config is looked up that was only named.
	finding bool
	news    []string
}

// editConfig opens the page; unset asks at once to unset the config.
type editConfig struct {
	id    model.GroupID
	entry model.ConfigEntry
	unset bool
	// find is true when only the key of entry is known.
	find bool
}

// setConfig makes the change: the group's name was typed.
type setConfig struct {
	page   *configPage
	change model.ConfigChange
}

func (editConfig) isIntent() {}
func (setConfig) isIntent()  {}

// configLookMsg has what a change is judged by.
type configLookMsg struct {
	page   *configPage
	req    int
	change model.ConfigChange
	facts  *model.ConfigFacts
	err    error
}

func (m configLookMsg) owner() page { return m.page }

// configSetMsg is what came of a change.
type configSetMsg struct {
	page   *configPage
	req    int
	change model.ConfigChange
	result *model.ConfigResult
	err    error
}

func (m configSetMsg) owner() page { return m.page }

func newConfigPage(e *env, want editConfig) (*configPage, tea.Cmd) {
	p := &configPage{id: want.id, entry: want.entry, line: newLineEdit(want.entry.Value.Raw())}
	if want.find {
		p.finding = true
		return p, p.look(e, model.ConfigChange{Group: p.id, Key: p.entry.Key, Unset: true})
	}
	if want.unset {
		return p, p.look(e, model.ConfigChange{Group: p.id, Key: p.entry.Key, Unset: true})
	}
	return p, nil
}

func (p *configPage) look(e *env, c model.ConfigChange) tea.Cmd {
	p.busy, p.news = true, nil
	p.req++
	return lookConfig(e.cfg.Changer, p, p.req, c)
}

func lookConfig(changer Changer, page *configPage, req int, c model.ConfigChange) tea.Cmd {
	return func() tea.Msg {
		facts, err := changer.LookConfig(context.Background(), c)
		return configLookMsg{page, req, c, facts, err}
	}
}

func changeConfig(changer Changer, page *configPage, req int, c model.ConfigChange) tea.Cmd {
	return func() tea.Msg {
		result, err := changer.ChangeConfig(context.Background(), c)
		return configSetMsg{page, req, c, result, err}
	}
}

func (p *configPage) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	switch msg := msg.(type) {
	case configLookMsg:
		if msg.req == p.req {
			return p.looked(e, msg), nil
		}
	case configSetMsg:
		if msg.req == p.req {
			p.changed(msg)
		}
	case tea.PasteMsg:
		if !p.busy && !p.done {
			p.line.update(msg)
		}
	case tea.KeyPressMsg:
		return p.key(e, msg)
	}
	return nil, nil
}

// changing tells whether the cluster is asked or changed.
func (p *configPage) changing() bool { return p.busy }

func (p *configPage) key(e *env, k tea.KeyPressMsg) (intent, tea.Cmd) {
	switch {
	case p.busy:
	case e.keys.Text.Leave.Pressed(k):
		return goBack{}, nil
	case p.done:
	case e.keys.Typed.Copy.Pressed(k):
		return sameBy(model.EquivalentConfig(bootstrapOf(e), p.typed())).copy(), nil
	case e.keys.Text.Accept.Pressed(k):
		c := p.typed()
		if err := model.CheckConfig(c, p.entry); err != nil {
			p.news = []string{"Not sent: " + model.Sanitize(err.Error()) + "."}
			return nil, nil
		}
		return nil, p.look(e, c)
	default:
		if p.line.update(k) {
			p.news = nil
		}
	}
	return nil, nil
}

// typed is the change that the line stands for.
func (p *configPage) typed() model.ConfigChange {
	return model.ConfigChange{Group: p.id, Key: p.entry.Key, Value: model.NewText(strings.TrimSpace(p.line.String()))}
}

// looked asks for the group's name, and says what the change leads to.
func (p *configPage) looked(e *env, m configLookMsg) intent {
	p.busy = false
	if m.err != nil {
		p.news, p.done = []string{capitalised(model.Sanitize(m.err.Error())) + "."}, p.finding
		return nil
	}
	if p.finding {
		p.finding, p.entry, p.line = false, m.facts.Entry, newLineEdit(m.facts.Entry.Value.Raw())
		return nil
	}
	lines := model.ConfigConsequences(m.change, *m.facts)
	return openDialog{newTypedDialog(capitalised(m.change.String()), "to "+m.change.String(), p.id.String(), e.now, setConfig{p, m.change},
		sameBy(model.EquivalentConfig(bootstrapOf(e), m.change)), lines...)}
}

func (p *configPage) set(e *env, c model.ConfigChange) tea.Cmd {
	p.busy = true
	p.req++
	return changeConfig(e.cfg.Changer, p, p.req, c)
}

func (p *configPage) changed(m configSetMsg) {
	p.busy = false
	switch {
	case m.err != nil:
		p.news = []string{"Not changed: " + model.Sanitize(m.err.Error()) + "."}
	case m.result.Problem != "":
		p.news = []string{"Not changed: " + m.result.Problem}
	default:
		p.done = true
		read := "it could not be read back"
		if m.result.ReadBackKnown {
			read = "it reads back as " + orEmpty(m.result.ReadBack.String())
		}
		p.news = []string{"Done: " + m.change.String() + "; " + read + "."}
	}
	if m.result != nil && m.result.Advice != "" {
		p.news = append(p.news, "next: "+m.result.Advice)
	}
}

func orEmpty(text string) string {
	if text == "" {
		return "(empty)"
	}
	return text
}

func (p *configPage) heading(e *env) heading {
	h := heading{left: []string{e.styles.bold.render("CONFIG"), plain(p.id.String())}, second: "nothing changed yet"}
	if p.busy {
		h.second = "asking the cluster"
	} else if p.done && !p.finding {
		h.second = "changed"
	}
	return h
}

func (p *configPage) view(e *env, r Rect) string {
	lines := []string{titleLine(e, plain(p.entry.Key.String()), "", r.W)}
	for _, f := range []field{
		{"now", p.entry.ValueText() + inWords(&p.entry)},
		{"from", configOrigin(&p.entry)},
		{"default", p.entry.Default.String()},
		{"allowed", configRange(&p.entry)},
		{"meaning", p.entry.Meaning},
		{"effect", model.ConfigTakesEffect(p.entry.Key.Raw())},
	} {
		for i, line := range wrap(f.text, max(1, r.W-14)) {
			label := f.label
			if i > 0 {
				label = ""
			}
			if line != "" {
				lines = append(lines, "  "+e.styles.dim.render(padRight(label, 9))+line)
			}
		}
	}
	if !p.done {
		lines = append(lines, "", " "+e.styles.accent.render("› ")+p.line.view(r.W-4))
	}
	for _, text := range p.news {
		for _, line := range wrap(text, max(1, r.W-4)) {
			lines = append(lines, "  "+e.styles.warn.render(line))
		}
	}
	return strings.Join(lines, "\n")
}

func (p *configPage) capturesText() bool { return true }

func (p *configPage) wants(*env) wants { return wants{open: p.id} }

func (p *configPage) footer(e *env) []keymap.Binding {
	if p.busy {
		return nil
	}
	return []keymap.Binding{e.keys.Text.Accept, e.keys.Text.Leave, e.keys.Typed.Copy}
}

func (p *configPage) help(*env) []keymap.Section { return nil }
