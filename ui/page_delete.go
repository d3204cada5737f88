package ui

import (
	"context"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// deletePage shows what came of deleting, group by group. What failed can be
// tried again, and configs that stayed can be unset, each after its own question.
type deletePage struct {
	ids   []model.GroupID
	topic *model.TopicName
	// busy is true while something is on its way; it can't be left then.
	busy    bool
	results []model.DeleteResult
	trouble string
	unset   []string
	scroll  scroller
}

// deletedMsg has the results of a deletion.
type deletedMsg struct {
	page    *deletePage
	results []model.DeleteResult
	err     error
}

func (m deletedMsg) owner() page { return m.page }

// unsetMsg says what came of unsetting configs that stayed.
type unsetMsg struct {
	page  *deletePage
	lines []string
}

func (m unsetMsg) owner() page { return m.page }

// unsetConfigs unsets the configs that stayed: the number was typed.
type unsetConfigs struct {
	page    *deletePage
	changes []model.ConfigChange
}

func (unsetConfigs) isIntent() {}

func newDeletePage(e *env, s startDelete) (*deletePage, tea.Cmd) {
	p := &deletePage{ids: s.ids, topic: s.topic, busy: true}
	return p, deleteThem(e.cfg.Changer, p, s.ids, s.topic)
}

func deleteThem(changer Changer, page *deletePage, ids []model.GroupID, topic *model.TopicName) tea.Cmd {
	return func() tea.Msg {
		if topic != nil {
			r, err := changer.DeleteOffsets(context.Background(), ids[0], *topic)
			return deletedMsg{page: page, results: []model.DeleteResult{r}, err: err}
		}
		results, err := changer.DeleteGroups(context.Background(), ids)
		return deletedMsg{page: page, results: results, err: err}
	}
}

func unsetThem(changer Changer, page *deletePage, changes []model.ConfigChange) tea.Cmd {
	return func() tea.Msg {
		var lines []string
		for _, c := range changes {
			text := c.Group.String() + ": " + c.Key.String() + " unset"
			r, err := changer.ChangeConfig(context.Background(), c)
			switch {
			case err != nil:
				text = c.Group.String() + ": " + c.Key.String() + " not unset: " + model.Sanitize(err.Error())
			case r.Problem != "":
				text = c.Group.String() + ": " + c.Key.String() + " not unset: " + r.Problem
			}
			lines = append(lines, text)
		}
		return unsetMsg{page: page, lines: lines}
	}
}

func (p *deletePage) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	switch msg := msg.(type) {
	case deletedMsg:
		p.busy, p.results = false, msg.results
		if msg.err != nil {
			p.results, p.trouble = nil, capitalised(model.Sanitize(msg.err.Error()))+"."
		}
	case unsetMsg:
		p.busy, p.unset = false, msg.lines
	case tea.KeyPressMsg:
		if p.busy {
			return nil, nil
		}
		return p.key(e, msg), nil
	}
	p.scroll.fit(len(p.lines(e, e.body.W)), e.body.H-1)
	return nil, nil
}

// changing tells whether a change is under way.
func (p *deletePage) changing() bool { return p.busy }

func (p *deletePage) key(e *env, k tea.KeyPressMsg) intent {
	keys := p.keys(e)
	switch {
	case e.keys.Everywhere.Back.Pressed(k):
		return goBack{}
	case keys.Retry.Pressed(k) && !keys.Retry.IsOff():
		return askDelete{p.failed()}
	case keys.Unset.Pressed(k) && !keys.Unset.IsOff():
		changes := p.staying()
		return openDialog{newTypedDialog("Unset the configs that stayed", "to unset them", strconv.Itoa(len(changes)), e.now,
			unsetConfigs{p, changes}, sameBy(equivalentConfigs(e, changes)), p.stayingText())}
	}
	p.scroll.key(e.keys.Lists, k)
	return nil
}

// equivalentConfigs is one command a line.
func equivalentConfigs(e *env, changes []model.ConfigChange) (string, error) {
	lines := make([]string, len(changes))
	for i, c := range changes {
		var err error
		if lines[i], err = model.EquivalentConfig(bootstrapOf(e), c); err != nil {
			return "", err
		}
	}
	return strings.Join(lines, "\n"), nil
}

// keys are the page's keys; what there is nothing for is off.
func (p *deletePage) keys(e *env) keymap.Deleted {
	k := e.keys.Deleted
	if len(p.failed()) == 0 || p.topic != nil {
		k.Retry = k.Retry.Off("nothing failed that can be tried again")
	}
	if len(p.staying()) == 0 || len(p.unset) > 0 {
		k.Unset = k.Unset.Off("no configs stayed")
	}
	return k
}

// failed are the groups that were not deleted.
func (p *deletePage) failed() []model.GroupID {
	var out []model.GroupID
	for i := range p.results {
		if p.results[i].Problem != "" {
			out = append(out, p.results[i].Group)
		}
	}
	return out
}

// staying are the changes that unset what stayed of the deleted groups.
func (p *deletePage) staying() []model.ConfigChange {
	var out []model.ConfigChange
	for i := range p.results {
		for _, key := range p.results[i].Configs {
			out = append(out, model.ConfigChange{Group: p.results[i].Group, Key: key, Unset: true})
		}
	}
	return out
}

func (p *deletePage) stayingText() string {
	var names []string
	for _, c := range p.staying() {
		if len(names) == maxListed {
			names = append(names, "…")
			break
		}
		names = append(names, c.Group.String()+" "+c.Key.String())
	}
	return strings.Join(names, ", ")
}

// lines are the results, each group in a line or more.
func (p *deletePage) lines(e *env, width int) []string {
	var out []string
	add := func(sign, text string) {
		for i, line := range wrap(text, max(1, width-4)) {
			if i > 0 {
				sign = " "
			}
			out = append(out, " "+sign+" "+line)
		}
	}
	if p.trouble != "" {
		add(e.styles.bad.render(e.glyphs.stuck), p.trouble)
	}
	for i := range p.results {
		r := &p.results[i]
		if r.Problem == "" {
			add(e.styles.good.render(e.glyphs.fine), r.Group.String()+": deleted")
			continue
		}
		text := r.Group.String() + ": " + r.Problem
		if r.Advice != "" {
			text += " Next: " + r.Advice
		}
		add(e.styles.bad.render(e.glyphs.stuck), text)
	}
	if text := p.stayingText(); text != "" {
		out = append(out, "")
		add(e.styles.warn.render(e.glyphs.warn), "Configs that stay, and that a group made again would get: "+text)
	}
	for _, line := range p.unset {
		add(" ", line)
	}
	return out
}

func (p *deletePage) heading(e *env) heading {
	what := count(len(p.ids), "group", "groups")
	if p.topic != nil {
		what = "offsets of " + plain(p.topic.String()) + " in " + plain(p.ids[0].String())
	}
	h := heading{left: []string{e.styles.bold.render("DELETE"), what}, second: "done"}
	switch {
	case p.busy:
		h.second = e.styles.warn.render(e.glyphs.warn + " on its way")
	case p.trouble != "" || len(p.failed()) > 0:
		h.second = e.styles.bad.render(e.glyphs.stuck + " not all was deleted")
	}
	return h
}

func (p *deletePage) view(e *env, r Rect) string {
	return p.scroll.view(e, "What became of it", p.lines(e, r.W), r)
}

func (p *deletePage) footer(e *env) []keymap.Binding {
	if p.busy {
		return nil
	}
	k := p.keys(e)
	return []keymap.Binding{k.Retry, k.Unset}
}

func (p *deletePage) help(e *env) []keymap.Section {
	return []keymap.Section{
		{Scope: keymap.ScopeDeleted, Bindings: p.keys(e).Bindings()},
		{Scope: keymap.ScopeLists, Bindings: e.keys.Lists.Scrolling()},
	}
}

// capturesText keeps every key here while something is on its way.
func (p *deletePage) capturesText() bool { return p.busy }

func (p *deletePage) wants(*env) wants { return wants{} }

// copyItems is the same as a command of Kafka's own tools.
func (p *deletePage) copyItems(e *env) []copyItem {
	text, err := model.EquivalentDelete(bootstrapOf(e), p.ids...)
	if p.topic != nil {
		text, err = model.EquivalentDeleteOffsets(bootstrapOf(e), p.ids[0], *p.topic)
	}
	if err != nil {
		return nil
	}
	return []copyItem{{what: "deletion by Kafka's command", text: text}}
}
