package ui

import (
	"fmt"
	"strings"

	"sharetop/model"
)

func (p *resetPage) heading(e *env) (h heading) {
	h = heading{left: []string{e.styles.bold.render("RESET OFFSETS"), plain(p.id.String())}}
	defer func() { h.second += e.styles.dim.render(p.aboutText()) }()
	switch p.stage {
	case stageChoose, stagePlan, stageLook:
		h.second = "nothing changed yet"
	case stageWait:
		h.second = e.styles.warn.render(e.glyphs.warn + " waiting; nothing changed yet")
	case stageWrite:
		h.second = e.styles.warn.render(e.glyphs.warn + " writing")
	case stageDone:
		h.second = p.doneText(e)
	}
	return h
}

// aboutText is what the page is about, also where the first line has no room
// for the name.
func (p *resetPage) aboutText() string {
	text := "   group " + plain(p.id.String())
	if p.plan != nil && p.stage != stageChoose {
		return "   " + plain(p.plan.Target.String()) + "," + text[2:]
	}
	return text
}

func (p *resetPage) doneText(e *env) string {
	if p.result.Written() == len(p.result.Rows) && p.result.Trouble == "" {
		return e.styles.good.render(e.glyphs.fine + " written")
	}
	return e.styles.bad.render(e.glyphs.stuck + " not all was written")
}

func (p *resetPage) view(e *env, r Rect) string {
	switch p.stage {
	case stageChoose:
		return p.chooseView(e, r)
	case stageLook:
		return titleLine(e, "Plan", "", r.W) + "\n  Asking the cluster; esc leaves it."
	case stagePlan, stageWait, stageWrite, stageDone:
	}
	height := p.tableHeight(e, r)
	summary := p.summary(e, r.W)
	return clipBlock(p.table.View(e.look(), r.W, height), r.W, height) + "\n" +
		strings.Join(summary[:min(len(summary), r.H-height)], "\n")
}

// tableHeight is what the lines below the table leave it.
func (p *resetPage) tableHeight(e *env, r Rect) int {
	return max(min(3, r.H), r.H-len(p.summary(e, r.W)))
}

// summary are the lines below the plan: what it does, what is lost, who is in
// the group, and what there is to say.
func (p *resetPage) summary(e *env, width int) []string {
	if p.plan == nil {
		return nil
	}
	t := p.plan.Totals()
	out := []string{" " + model.FormatInt(int64(t.Written)) + " of " + count(t.All, "partition changes", "partitions change") +
		"   " + t.Again.String() + " delivered again   " + t.Never.String() + " never delivered"}
	if !t.Ahead.Zero() {
		out = append(out, " "+e.styles.warn.render(e.glyphs.warn)+" undo restores start offsets only: "+t.Ahead.String()+" finished ahead are lost for good")
	}
	if text := p.crossedText(e); text != "" {
		out = append(out, " "+e.styles.dim.render(text))
	}
	if p.stage == stagePlan {
		out = append(out, " "+e.styles.dim.render(p.groupText()))
	}
	for _, text := range p.news {
		for i, line := range wrap(text, max(1, width-4)) {
			sign := "  "
			if i == 0 {
				sign = e.styles.accent.render(e.glyphs.bar) + " "
			}
			out = append(out, " "+sign+line)
		}
	}
	return out
}

// crossedText says what times the row under the cursor passes over.
func (p *resetPage) crossedText(e *env) string {
	r, ok := p.table.Cursor()
	if !ok {
		return ""
	}
	c := p.crossed[r.TopicPartition]
	if !c.Known() {
		return ""
	}
	return fmt.Sprintf("%s-%d passes records of %s to %s", r.Topic, r.Partition, stamp(c.First, e.utc), stamp(c.Last, e.utc))
}

// crossedCell is how much time a row passes over.
func (p *resetPage) crossedCell(r *model.PlanRow) string {
	if d, known := p.crossed[r.TopicPartition].Length(); known {
		return model.FormatDuration(d)
	}
	return model.Unknown
}

// groupText says who is in the group.
func (p *resetPage) groupText() string {
	look := p.plan.Look
	switch {
	case !look.Exists:
		return "(there is no such group yet: writing makes it)"
	case len(look.Members) == 0:
		return "(the group is empty)"
	default:
		return "(it has " + count(len(look.Members), "member", "members") + ": " + model.NameMembers(look.Members) + ")"
	}
}

// columns are those of the plan; once it is written the note is the outcome.
func (p *resetPage) columns() []column[*model.PlanRow] {
	type row = *model.PlanRow
	number := func(title string, drop int, of func(row) string) column[row] {
		return column[row]{
			columnSpec: columnSpec{title: title, right: true, drop: drop},
			cell: func(r row, l look, _ int) cell {
				text := of(r)
				return cell{text: text, style: dimUnless(l, text != "0" && text != model.Unknown)}
			},
		}
	}
	return []column[row]{
		{
			columnSpec: columnSpec{title: "TOPIC", flex: 1, min: 5, max: 40},
			cell:       func(r row, _ look, _ int) cell { return cell{text: r.Topic.String()} },
		},
		number("PART", 0, func(r row) string { return model.FormatInt(int64(r.Partition)) }),
		number("NOW", 1, func(r row) string { return model.FormatNumber(r.Now) }),
		number("NEW", 0, func(r row) string { return model.FormatNumber(r.New) }),
		number("MOVE", 3, moveText),
		number("CROSSES", 4, p.crossedCell),
		number("DELIVERED AGAIN", 0, againText),
		number("NEVER DELIVERED", 0, func(r row) string { return r.Never.String() }),
		{
			columnSpec: columnSpec{title: "NOTE", flex: 3, min: 12, drop: 2},
			cell: func(r row, l look, _ int) cell {
				text, st := p.note(r, l)
				return cell{text: text, style: st}
			},
		},
	}
}

func moveText(r *model.PlanRow) string {
	move, known := r.Move().Get()
	switch {
	case !known:
		return model.Unknown
	case move > 0:
		return "+" + model.FormatInt(move)
	default:
		return model.FormatInt(move)
	}
}

// againText parts what is delivered again because the start goes back from what
// was finished ahead: "320 + 41 ahead". A row that is left out keeps the latter.
func againText(r *model.PlanRow) string {
	switch {
	case r.Ahead.Zero():
		return r.Back.String()
	case !r.Write:
		return "0 (" + r.Ahead.String() + " ahead kept)"
	default:
		return r.Back.String() + " + " + r.Ahead.String() + " ahead"
	}
}

// note is a row's note, or what became of it.
func (p *resetPage) note(r *model.PlanRow, l look) (string, style) {
	if p.stage != stageDone || p.result == nil || !r.Write {
		return r.Note, l.s.dim
	}
	for i := range p.result.Rows {
		done := &p.result.Rows[i]
		if done.TopicPartition == r.TopicPartition {
			if done.OK() {
				return done.Outcome(), l.s.good
			}
			return done.Outcome(), l.s.bad
		}
	}
	return r.Note, l.s.dim
}
