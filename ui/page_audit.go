package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// auditPage shows what was written down of a person's acknowledgements and
// changes.
type auditPage struct {
	path    string
	entries []model.AuditEntry
	err     error
	loaded  bool
	scroll  scroller
}

// maxAuditShown bounds the entries that are shown.
const maxAuditShown = 500

// auditMsg has the newest entries of the audit file.
type auditMsg struct {
	entries []model.AuditEntry
	err     error
}

func (a *App) openAudit() tea.Cmd {
	log := a.env.cfg.Audit
	if log == nil {
		return a.say(levelInfo, "There is no audit file here.")
	}
	return tea.Batch(a.push(&auditPage{path: log.Path()}), readAudit(log))
}

func readAudit(log AuditLog) tea.Cmd {
	return func() tea.Msg {
		entries, err := log.Last(maxAuditShown)
		return auditMsg{entries, err}
	}
}

func (p *auditPage) heading(e *env) heading {
	return heading{
		left:   []string{e.styles.bold.render("Audit file"), plain(model.Sanitize(p.path))},
		second: "what was sent to share groups from here, newest first",
	}
}

func (p *auditPage) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	switch msg := msg.(type) {
	case auditMsg:
		p.entries, p.err, p.loaded = msg.entries, msg.err, true
	case tea.KeyPressMsg:
		return p.scroll.pageKey(e, msg), nil
	}
	p.scroll.fit(len(p.lines(e, e.body.W)), e.body.H-1)
	return nil, nil
}

func (p *auditPage) view(e *env, r Rect) string {
	return p.scroll.view(e, "What was sent", p.lines(e, r.W), r)
}

func (p *auditPage) lines(e *env, width int) []string {
	switch {
	case p.err != nil:
		return wrap("The file can't be read: "+model.Sanitize(p.err.Error())+".", width-2)
	case !p.loaded:
		return []string{" Reading."}
	case len(p.entries) == 0:
		return []string{" Nothing has been sent from here yet."}
	}
	out := make([]string, len(p.entries))
	for i := range p.entries {
		out[i] = cut(auditLine(e, &p.entries[i]), width-1, e.glyphs.more)
	}
	return out
}

// auditLine is one entry.
func auditLine(e *env, a *model.AuditEntry) string {
	what := ""
	switch {
	case a.Record != nil:
		what = fmt.Sprintf("%s delivery %d", a.Record.ID(), a.Record.Delivery)
	case a.Change != nil:
		what = a.Change.String()
	}
	return " " + e.styles.dim.render(a.Time.UTC().Format("2006-01-02 15:04:05Z")) + "  " +
		plain(padRight(a.Action, 14)+" "+padRight(a.Outcome, 15)+" "+a.Group.String()+"  "+what+"  "+a.Who+"  "+a.Detail)
}

func (p *auditPage) footer(e *env) []keymap.Binding {
	l := e.keys.Lists
	return []keymap.Binding{l.Down, l.Up, l.PageDown, l.PageUp}
}

func (p *auditPage) help(e *env) []keymap.Section {
	return []keymap.Section{{Scope: keymap.ScopeLists, Bindings: e.keys.Lists.Scrolling()}}
}

func (p *auditPage) capturesText() bool { return false }

func (p *auditPage) wants(*env) wants { return wants{} }
