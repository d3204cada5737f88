package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// palette is the line after ":" with what it can be completed to.
type palette struct {
	line lineEdit
	// past are the lines typed before; at is where in it the person is.
	past []string
	at   int
	// chosen is the choice under the cursor, -1 for none; stem is then what had
	// been typed before tab went through the choices.
	chosen int
	stem   string
}

// maxChoices bounds how many completions are shown.
const maxChoices = 8

func (a *App) openPalette() tea.Cmd {
	return a.carryOut(openDialog{&palette{
		past: a.pastCommands, at: len(a.pastCommands), chosen: -1,
	}})
}

func (p *palette) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if want, done := p.key(e, k); done {
			return want, nil
		}
	}
	if p.line.update(msg) {
		p.chosen = -1
	}
	return nil, nil
}

// key handles the keys that are not text; done is false for the others.
func (p *palette) key(e *env, k tea.KeyPressMsg) (want intent, done bool) {
	t := e.keys.Text
	switch {
	case t.Accept.Pressed(k):
		return runCommand{p.line.String()}, true
	case t.Leave.Pressed(k), k.String() == "backspace" && p.line.String() == "":
		return closeDialog{}, true
	case t.Complete.Pressed(k), k.String() == "shift+tab":
		p.complete(e, k.String() == "shift+tab")
		return nil, true
	case t.Older.Pressed(k):
		p.recall(p.at - 1)
		return nil, true
	case t.Newer.Pressed(k):
		p.recall(p.at + 1)
		return nil, true
	}
	return nil, false
}

// recall puts an earlier line in place of the one being typed.
func (p *palette) recall(at int) {
	if at < 0 || at > len(p.past) {
		return
	}
	p.at, p.chosen = at, -1
	p.line = newLineEdit("")
	if at < len(p.past) {
		p.line = newLineEdit(p.past[at])
	}
}

// complete takes the only choice there is, or goes to the next one.
func (p *palette) complete(e *env, backwards bool) {
	found := p.choices(e)
	switch {
	case len(found) == 0:
		return
	case len(found) == 1:
		p.line, p.chosen = newLineEdit(found[0].text), -1
		return
	}
	if p.chosen < 0 {
		p.stem = p.line.String()
	}
	switch {
	case !backwards:
		p.chosen++
	case p.chosen > 0:
		p.chosen--
	default:
		p.chosen = len(found) - 1
	}
	p.chosen %= len(found)
	p.line = newLineEdit(found[p.chosen].text)
}

// choice is a line that the typed one can be completed to.
type choice struct{ text, help string }

// choices are the commands or arguments that go on as the line begins.
func (p *palette) choices(e *env) []choice {
	line := p.line.String()
	if p.chosen >= 0 {
		line = p.stem
	}
	line = strings.TrimLeft(line, " ")
	name, argument, spaced := strings.Cut(line, " ")
	var found []choice
	for _, c := range commands() {
		switch {
		case !spaced && strings.HasPrefix(c.name, name):
			text := c.name
			if c.argument != "" {
				text += " "
			}
			found = append(found, choice{text, c.help})
		case spaced && c.name == name && c.complete != nil:
			found = completions(c, e, argument)
		}
	}
	return found[:min(len(found), maxMatches)]
}

// maxMatches bounds how many completions tab goes through.
const maxMatches = 100

func completions(c command, e *env, argument string) []choice {
	var found []choice
	for _, text := range c.complete(e) {
		if len(found) < maxMatches && strings.Contains(strings.ToLower(text), strings.ToLower(argument)) {
			found = append(found, choice{text: c.name + " " + text})
		}
	}
	return found
}

func (p *palette) place(e *env, screen Rect) Rect {
	return sheet(screen, 1+min(maxChoices, len(p.choices(e)))+1)
}

// view draws the choices above the line.
func (p *palette) view(e *env, r Rect) string {
	found := p.choices(e)
	from := clamp(p.chosen-maxChoices+1, 0, max(0, len(found)-maxChoices))
	lines := []string{titleLine(e, "Command", "tab completes", r.W)}
	for i := from; i < min(len(found), from+maxChoices); i++ {
		lines = append(lines, cut(p.choiceLine(e, found[i], i == p.chosen), r.W-1, e.glyphs.more))
	}
	// In a low window the line itself must stay.
	lines = lines[:min(len(lines), max(0, r.H-1))]
	lines = append(lines, " "+e.styles.accent.render(":")+p.line.view(r.W-3))
	return strings.Join(lines, "\n")
}

func (p *palette) choiceLine(e *env, c choice, chosen bool) string {
	bar := "  "
	if chosen {
		bar = e.styles.accent.render(e.glyphs.bar) + " "
	}
	text := plain(model.Sanitize(c.text))
	return bar + padRight(text, keyNames) + e.styles.dim.render(c.help)
}

func (p *palette) footer(e *env) []keymap.Binding {
	return []keymap.Binding{e.keys.Text.Accept, e.keys.Text.Leave, e.keys.Text.Complete, e.keys.Text.Older}
}
