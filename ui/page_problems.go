package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// problemsPage shows in full what could not be seen and why, and what was said
// to the person in this session.
type problemsPage struct {
	// messages gives what was said, oldest first.
	messages func() []message
	// problems are those of the cluster and of its groups; more were left out
	// beyond maxProblems.
	problems []model.Problem
	more     int
	scroll   scroller
}

// maxProblems bounds the problems that are listed; the rest is counted.
const maxProblems = 500

func newProblemsPage(e *env, messages func() []message) *problemsPage {
	p := &problemsPage{messages: messages}
	p.collect(e.board)
	p.scroll.fit(len(p.lines(e, e.body.W)), e.body.H-1)
	return p
}

// collect takes the problems of a board; those of its groups are among them.
func (p *problemsPage) collect(b *model.Board) {
	if b == nil {
		p.problems, p.more = nil, 0
		return
	}
	all := b.Snapshot.Problems
	p.problems = all[:min(len(all), maxProblems)]
	p.more = len(all) - len(p.problems)
}

func (p *problemsPage) heading(e *env) heading {
	second := "nothing is missing"
	if n := len(p.problems) + p.more; n > 0 {
		second = count(n, "problem", "problems") + ": what could not be seen, and why"
	}
	return heading{left: withoutEmpty([]string{e.styles.bold.render("Problems"), clusterElsewhere(e)}), second: second}
}

func (p *problemsPage) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	switch msg := msg.(type) {
	case boardChangedMsg:
		p.collect(e.board)
	case tea.KeyPressMsg:
		return p.scroll.pageKey(e, msg), nil
	}
	p.scroll.fit(len(p.lines(e, e.body.W)), e.body.H-1)
	return nil, nil
}

func (p *problemsPage) view(e *env, r Rect) string {
	return p.scroll.view(e, "What could not be seen", p.lines(e, r.W), r)
}

// lines are all problems and messages in full, wrapped.
func (p *problemsPage) lines(e *env, width int) []string {
	var out []string
	for _, problem := range p.problems {
		out = append(out, problemLines(e, problem, width)...)
	}
	if p.more > 0 {
		out = append(out, fmt.Sprintf(" and %d more", p.more), "")
	}
	if len(p.problems) == 0 {
		out = append(out, " Everything that was asked was answered.", "")
	}
	return append(out, p.messageLines(e, width)...)
}

// problemLines are one problem: what it happened to, the sentence, the advice.
func problemLines(e *env, p model.Problem, width int) []string {
	head := " " + e.styles.warn.render(e.glyphs.warn) + " " + e.styles.bold.render(plain(p.Target.String())) +
		"  " + e.styles.dim.render(string(p.Kind)+sinceText(e, p))
	out := []string{head}
	for _, line := range wrap(p.Detail, width-5) {
		out = append(out, "   "+line)
	}
	if p.Advice != "" {
		for i, line := range wrap(p.Advice, width-11) {
			label := "      "
			if i == 0 {
				label = e.styles.accent.render("next: ")
			}
			out = append(out, "   "+label+line)
		}
	}
	return append(out, "")
}

func sinceText(e *env, p model.Problem) string {
	if p.First.IsZero() {
		return ""
	}
	return "  since " + model.FormatClock(p.First, e.utc)
}

// messageLines are what was said to the person, newest first.
func (p *problemsPage) messageLines(e *env, width int) []string {
	said := p.messages()
	if len(said) == 0 {
		return nil
	}
	out := []string{titleLine(e, "Messages of this session", "", width)}
	for i := len(said) - 1; i >= 0; i-- {
		clock := e.styles.dim.render(model.FormatClock(said[i].at, e.utc))
		for n, line := range wrap(said[i].text, width-13) {
			if n > 0 {
				clock = blanks(len("15:04:05Z"))
			}
			out = append(out, " "+padRight(clock, len("15:04:05Z"))+"  "+line)
		}
	}
	return out
}

func (p *problemsPage) footer(e *env) []keymap.Binding {
	l := e.keys.Lists
	return []keymap.Binding{l.Down, l.Up, l.PageDown, l.PageUp}
}

func (p *problemsPage) help(e *env) []keymap.Section {
	return []keymap.Section{{Scope: keymap.ScopeLists, Bindings: e.keys.Lists.Scrolling()}}
}

func (p *problemsPage) capturesText() bool { return false }

func (p *problemsPage) wants(*env) wants { return wants{} }

// copyItems offers all problems as text.
func (p *problemsPage) copyItems(*env) []copyItem {
	if len(p.problems) == 0 {
		return nil
	}
	var text strings.Builder
	for _, problem := range p.problems {
		fmt.Fprintf(&text, "%s: %s %s\n", problem.Target, problem.Detail, problem.Advice)
	}
	return []copyItem{{what: "the problems", text: text.String()}}
}

// count writes a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return model.FormatInt(int64(n)) + " " + many
}
