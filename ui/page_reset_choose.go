package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// resetChooser is the list of targets with a line for what some of them take.
type resetChooser struct {
	cursor int
	// typing is true while the line is typed in.
	typing bool
	line   lineEdit
	note   string
	// topics is the last line of the list, typed: it narrows or widens the scope.
	topics string
}

// onTopics tells whether the cursor is on the line for topics.
func (c *resetChooser) onTopics() bool { return c.cursor == len(model.TargetKinds()) }

func (c *resetChooser) typed(msg tea.Msg) {
	if c.typing && c.line.update(msg) {
		c.note = ""
	}
}

func (c *resetChooser) footer(e *env) []keymap.Binding {
	if c.typing {
		return []keymap.Binding{e.keys.Text.Accept, e.keys.Text.Leave}
	}
	d := e.keys.Dialogs
	return []keymap.Binding{d.Choose, d.Next, d.Previous}
}

func (p *resetPage) chooseKey(e *env, k tea.KeyPressMsg) (intent, tea.Cmd) {
	c := &p.chooser
	d := e.keys.Dialogs
	switch {
	case c.typing && e.keys.Text.Leave.Pressed(k):
		c.typing, c.note = false, ""
	case c.typing && e.keys.Text.Accept.Pressed(k):
		return nil, p.accept(e)
	case c.typing:
		c.typed(k)
	case e.keys.Everywhere.Back.Pressed(k):
		return goBack{}, nil
	case d.Choose.Pressed(k):
		return nil, p.choose(e)
	case d.Next.Pressed(k):
		c.cursor, c.note = min(c.cursor+1, len(model.TargetKinds())), ""
	case d.Previous.Pressed(k):
		c.cursor, c.note = max(c.cursor-1, 0), ""
	}
	return nil, nil
}

// choose takes the target under the cursor, or opens the line for what it takes.
func (p *resetPage) choose(e *env) tea.Cmd {
	c := &p.chooser
	if c.onTopics() {
		c.typing, c.line = true, newLineEdit(c.topics)
		return nil
	}
	kind := model.TargetKinds()[c.cursor]
	if kind.Takes() != "" {
		c.typing, c.line = true, newLineEdit("")
		return nil
	}
	return p.look(e, model.ResetTarget{Kind: kind})
}

// accept takes what was typed.
func (p *resetPage) accept(e *env) tea.Cmd {
	c := &p.chooser
	text := strings.TrimSpace(c.line.String())
	if c.onTopics() {
		scope, err := model.ParseScope(text)
		if err != nil {
			c.note = capitalised(err.Error()) + "."
			return nil
		}
		c.topics, c.typing, p.scope = text, false, scope
		return nil
	}
	kind := model.TargetKinds()[c.cursor]
	if kind == model.ToFile {
		c.typing = false
		p.req++
		p.stage = stageLook
		return readPlanFile(p, p.req, text, p.id)
	}
	zone := time.Local
	if e.utc {
		zone = time.UTC
	}
	target, err := model.ParseTarget(kind, text, e.now, zone)
	if err != nil {
		c.note = capitalised(err.Error()) + "."
		return nil
	}
	c.typing = false
	return p.look(e, target)
}

func capitalised(text string) string {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}

// look asks the cluster for what a plan is made of.
func (p *resetPage) look(e *env, target model.ResetTarget) tea.Cmd {
	ctx, cancel := context.WithCancel(context.Background())
	p.req++
	p.stage, p.cancel, p.news = stageLook, cancel, nil
	return lookGroup(ctx, e.cfg.Changer, model.LookRequest{Group: p.id, Scope: p.scope, Target: target}, p, p.req)
}

// fileReadMsg has what was read of a CSV file.
type fileReadMsg struct {
	page   *resetPage
	req    int
	target model.ResetTarget
	others int
	err    error
}

func (m fileReadMsg) owner() page { return m.page }

// readPlanFile is the command that reads a CSV file of offsets.
func readPlanFile(p *resetPage, req int, path string, id model.GroupID) tea.Cmd {
	return func() tea.Msg {
		m := fileReadMsg{page: p, req: req, target: model.ResetTarget{Kind: model.ToFile, Name: model.NewText(path)}}
		m.target.File, m.others, m.err = readPlan(path, id)
		return m
	}
}

// readPlan reads an ordinary file.
func readPlan(path string, id model.GroupID) (rows map[model.TopicPartition]int64, others int, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s is no file", model.Sanitize(path))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	rows, others, err = model.ReadPlan(f, id)
	return rows, others, errors.Join(err, f.Close())
}

func (p *resetPage) fileRead(e *env, m fileReadMsg) tea.Cmd {
	if m.req != p.req {
		return nil
	}
	if m.err != nil {
		p.stage = stageChoose
		p.chooser.note = model.Sanitize(capitalised(m.err.Error())) + "."
		return nil
	}
	cmd := p.look(e, m.target)
	if m.others > 0 {
		p.news = []string{"Left out: " + count(m.others, "line", "lines") + " of the file about other groups."}
	}
	return cmd
}

// chooseView draws the targets.
func (p *resetPage) chooseView(e *env, r Rect) string {
	c := &p.chooser
	lines := []string{titleLine(e, "Where the start offsets are to go", "", r.W)}
	for i, kind := range model.TargetKinds() {
		lines = append(lines, chooserLine(e, kind.String(), targetMeaning(kind), i == c.cursor))
	}
	topics := p.scopeText()
	lines = append(lines, chooserLine(e, "topics", topics, c.onTopics()))
	if c.typing {
		ask := "names, parted by blanks or commas; partitions as orders:0,1,2; empty: all that the group has"
		if !c.onTopics() {
			ask = model.TargetKinds()[c.cursor].Takes()
			if model.TargetKinds()[c.cursor] == model.ToTime {
				ask += "; without a zone it is " + zoneName(e)
			}
		}
		lines = append(lines, "", "  "+e.styles.dim.render(ask), " "+e.styles.accent.render("› ")+c.line.view(r.W-4))
	}
	for _, line := range wrap(c.note, max(1, r.W-4)) {
		lines = append(lines, "  "+e.styles.warn.render(line))
	}
	return strings.Join(lines, "\n")
}

func zoneName(e *env) string {
	if e.utc {
		return "UTC"
	}
	return "local time"
}

func chooserLine(e *env, name, meaning string, chosen bool) string {
	bar, st := "  ", e.styles.text
	if chosen {
		bar, st = e.styles.accent.render(e.glyphs.bar)+" ", e.styles.bold
	}
	return bar + st.render(padRight(name, 13)) + "  " + e.styles.dim.render(meaning)
}

// targetMeaning is a target in a person's words.
func targetMeaning(kind model.TargetKind) string {
	switch kind {
	case model.ToEarliest:
		return "the first record that is still there"
	case model.ToLatest:
		return "the log end: skip all that is there"
	case model.ToOffset:
		return "one offset for all partitions, kept within each log"
	case model.ToShift:
		return "so many offsets on, or back"
	case model.ToTime:
		return "the first record at or after a time"
	case model.ToBack:
		return "the first record of the last hour, day, …"
	case model.ToCurrent:
		return "where they are: changes only partitions that have no start offset"
	default:
		return "topic,partition,offset lines, as Kafka's --export writes them"
	}
}

// scopeText says which partitions the reset is about.
func (p *resetPage) scopeText() string {
	switch {
	case p.chooser.topics != "":
		return model.Sanitize(p.chooser.topics)
	case len(p.scope.Partitions) > 0:
		return count(len(p.scope.Partitions), "marked partition", "marked partitions")
	default:
		return "all that the group has"
	}
}
