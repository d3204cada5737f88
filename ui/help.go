package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
)

// helpDialog shows every key of where the person is, and the commands. It is
// made from the key map, so that it can't be out of step.
type helpDialog struct {
	// notes are sentences of the page itself.
	notes    []string
	sections []keymap.Section
	// commands is true where the commands can be typed, and a filter.
	commands bool
	scroll   scroller
}

func (a *App) openHelp() tea.Cmd {
	sections := a.page().help(&a.env)
	sections = append(sections,
		keymap.Section{Scope: keymap.ScopeEverywhere, Bindings: a.env.keys.Everywhere.Bindings()},
		keymap.Section{Scope: keymap.ScopeText, Bindings: a.env.keys.Text.Bindings()})
	h := &helpDialog{sections: sections, commands: true}
	if p, ok := a.page().(explainer); ok {
		h.notes = p.explain()
	}
	return a.carryOut(openDialog{h})
}

func (h *helpDialog) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	r := e.body
	h.scroll.fit(len(h.lines(e, r.W)), r.H-1)
	k, ok := msg.(tea.KeyPressMsg)
	if !ok || h.scroll.key(e.keys.Lists, k) {
		return nil, nil
	}
	if e.keys.Dialogs.Close.Pressed(k) || e.keys.Everywhere.Help.Pressed(k) {
		return closeDialog{}, nil
	}
	return nil, nil
}

func (h *helpDialog) place(_ *env, screen Rect) Rect { return bodyOf(screen) }

func (h *helpDialog) view(e *env, r Rect) string {
	return h.scroll.view(e, strings.TrimSpace("Help, sharetop "+plain(e.cfg.Version)), h.lines(e, r.W), r)
}

func (h *helpDialog) footer(e *env) []keymap.Binding {
	l := e.keys.Lists
	return []keymap.Binding{e.keys.Dialogs.Close, l.Down, l.Up, l.PageDown, l.PageUp}
}

// explainer is a page with more to explain than keys.
type explainer interface{ explain() []string }

// helpColumn is the width from which on help is in two columns, each half.
const helpColumn = 108

// lines are the sections one below the other, in two columns where there is
// room.
func (h *helpDialog) lines(e *env, width int) []string {
	var out []string
	for _, note := range h.notes {
		for _, line := range wrap(note, width-3) {
			out = append(out, " "+line)
		}
		out = append(out, "")
	}
	return append(out, h.columns(e, width)...)
}

// columns are the keys and commands.
func (h *helpDialog) columns(e *env, width int) []string {
	if !h.commands {
		return h.keyLines(e, h.sections, width)
	}
	if width < helpColumn {
		return append(h.keyLines(e, h.sections, width), commandLines(e, width)...)
	}
	half := width / 2
	left := h.keyLines(e, h.sections[:len(h.sections)-2], half)
	right := h.keyLines(e, h.sections[len(h.sections)-2:], half)
	right = append(right, commandLines(e, width-half)...)
	out := make([]string, max(len(left), len(right)))
	for i := range out {
		out[i] = clipLine(lineAt(left, i), half) + lineAt(right, i)
	}
	return out
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// The widths of the names in help: of keys, and of commands and filters.
const (
	keyNames     = 14
	commandNames = 16
)

func (h *helpDialog) keyLines(e *env, sections []keymap.Section, width int) []string {
	var out []string
	for _, s := range sections {
		out = append(out, " "+e.styles.bold.render(string(s.Scope)))
		for _, b := range s.Bindings {
			out = append(out, helpLines(e, b, width)...)
		}
		out = append(out, "")
	}
	return out
}

// helpLines are one key with what it does, dim with the reason when it is off.
func helpLines(e *env, b keymap.Binding, width int) []string {
	name := padRight(b.Help().Key, keyNames)
	if !b.IsOff() {
		return explained(e.styles.accent, name, b.Help().Desc, width)
	}
	lines := explained(style{}, name, b.Help().Desc+" ("+b.Reason+")", width)
	for i := range lines {
		lines[i] = e.styles.dim.render(lines[i])
	}
	return lines
}

// commandLines are the commands of ":" and the words of a filter.
func commandLines(e *env, width int) []string {
	out := []string{" " + e.styles.bold.render("commands")}
	for _, c := range commands() {
		out = append(out, explained(e.styles.accent, padRight(":"+c.usage(), commandNames), c.help, width)...)
	}
	out = append(out, "", " "+e.styles.bold.render("filter"))
	for _, f := range [][2]string{
		{"orders", "part of the group id"},
		{"/^or.*s$/", "a regular expression"},
		{"!orders", "not this; before any term"},
		{"state:empty", "the group's state"},
		{"lag>1000", "also < = >= <="},
		{"topic:orders", "reads such a topic"},
		{"member:billing", "has such a member"},
		{"why:stuck", "severity or finding"},
	} {
		out = append(out, explained(e.styles.accent, padRight(f[0], commandNames), f[1], width)...)
	}
	return append(out, "", " "+e.styles.bold.render("signs"),
		"  "+e.glyphs.stuck+" stuck  "+e.glyphs.warn+" look at it  "+e.glyphs.named+" share-group sink, by its name",
		"  "+e.styles.dim.render("dim")+" rows were not asked in this tick")
}

// explained is a word and, beside it, what it does, in as many lines as that
// takes.
func explained(s style, word, does string, width int) []string {
	left := "  " + word
	lines := wrap(does, max(1, width-1-cellWidth(left)))
	for i := range lines {
		lines[i] = s.render(left) + lines[i]
		left = blanks(cellWidth(left))
	}
	return lines
}
