package ui

import (
	"slices"
	"strconv"
	"strings"

	"sharetop/model"
)

// heading says which group this is and how it is.
func (p *groupPage) heading(e *env) heading {
	h := heading{left: []string{e.styles.bold.render(p.id.String())}}
	g := p.group()
	if g == nil {
		return h
	}
	h.left = append(h.left, stateText(g.State))
	if old := p.ageText(e, g); old != "" {
		h.left = append(h.left, old)
	}
	h.left = append(h.left, epochText(g))
	if !g.Assignor.Empty() {
		h.left = append(h.left, "assignor "+g.Assignor.String())
	}
	if g.Coordinator >= 0 {
		h.left = append(h.left, "coordinator "+brokerName(g.Coordinator))
	}
	h.second = p.notes.head
	return h
}

// ageText says how old the group's offsets are when that is more than the age
// of all that is on screen, which the header has anyway.
func (p *groupPage) ageText(e *env, g *model.Group) string {
	if g.OffsetsAt.IsZero() || p.gone || e.board.Snapshot.Taken.Sub(e.board.Snapshot.OffsetsSeen(g)) <= amberTicks*e.feed.interval {
		return ""
	}
	return e.styles.warn.render(e.glyphs.warn + " offsets " + model.FormatAge(e.board.Snapshot.OffsetsSeen(g), e.now))
}

func stateText(s model.GroupState) string {
	if s == model.GroupUnknown {
		return "state " + model.Unknown
	}
	return string(s)
}

// epochText is the group's epoch and that of its assignment.
func epochText(g *model.Group) string {
	return "epoch " + model.FormatNumber(g.Epoch) + "/" + model.FormatNumber(g.AssignmentEpoch)
}

// brokerName is how a broker is named in few cells: b2.
func brokerName(id int32) string { return "b" + strconv.Itoa(int(id)) }

// verdictLines are the verdict and what it rests on, at least one line. The
// first is the second line of the header.
func (p *groupPage) verdictLines(e *env, width int) []string {
	if p.gone {
		text := "gone: no broker lists this group any more; last seen " + model.FormatClock(p.seen, e.utc)
		return []string{
			e.styles.warn.render(e.glyphs.warn) + " " + e.styles.bold.render(text),
			cut("  It was deleted, or DESCRIBE on it was taken away: then brokers leave it out.", width, e.glyphs.more),
		}
	}
	v := p.shown.Row.Verdict
	head := v.Text
	if head == "" {
		head = "no verdict yet"
	}
	sentences := []string{head}
	for _, sentence := range v.Evidence {
		sentences = append(sentences, strings.TrimSuffix(sentence.In(e.utc), "."))
	}
	sign := e.glyphs.severity(v.Severity)
	if sign != "" {
		sign = e.styles.severity(v.Severity).render(sign) + " "
	}
	head = e.glyphs.words(head)
	lines := wrap(e.glyphs.words(strings.Join(sentences, ". ")), max(1, width-4))
	for i, line := range lines {
		switch {
		case i > 0:
			lines[i] = "   " + line
		case strings.HasPrefix(line, head):
			lines[0] = sign + e.styles.bold.render(head) + line[len(head):]
		default:
			lines[0] = sign + e.styles.bold.render(line)
		}
	}
	return lines
}

// groupNotes are the verdict and what else there is to say of a group, laid out:
// they change with a board or a size and not with every frame.
type groupNotes struct {
	// head is the verdict's first line, which is the second of the header.
	head string
	// lines stand between header and tabs.
	lines []string
}

// layNotes lays them out for a page of that size. Before a group was seen there
// are none.
func (p *groupPage) layNotes(e *env, r Rect) groupNotes {
	if p.shown == nil {
		return groupNotes{}
	}
	others := p.otherNotes(e, r.W)
	verdict := p.verdictBeside(e, r, len(others))
	lines := slices.Concat(verdict[1:], others)
	return groupNotes{verdict[0], lines[:min(len(lines), maxNotes(r.H))]}
}

// verdictBeside are the verdict's lines that a page of that size has room for
// beside so many other notes: one in the header, the others among the notes. In a
// low window the next step is worth more than all of the evidence.
func (p *groupPage) verdictBeside(e *env, r Rect, others int) []string {
	lines := p.verdictLines(e, r.W)
	room := 1 + max(0, maxNotes(r.H)-min(1, others))
	if len(lines) > room {
		lines = lines[:room]
		lines[room-1] += e.glyphs.more
	}
	return lines
}

// otherNotes are what to do next, what could not be seen, and what else was
// found.
func (p *groupPage) otherNotes(e *env, width int) []string {
	if p.gone {
		return nil
	}
	v := p.shown.Row.Verdict
	lines := p.nextLines(e, v.Next, width)
	for _, problem := range p.group().Problems {
		lines = append(lines, gapLines(e, problem, v, width)...)
	}
	for _, other := range v.Others {
		if other.Severity < model.SeverityWarn {
			continue
		}
		sign := e.styles.severity(other.Severity).render(e.glyphs.severity(other.Severity))
		lines = append(lines, " "+sign+" "+cut(e.glyphs.words(other.Text), width-4, e.glyphs.more))
	}
	return lines
}

// nextLines are the next steps, put side by side as far as they fit. A step
// that is longer than a line, such as the ACL to grant, goes on below.
func (p *groupPage) nextLines(e *env, steps []string, width int) []string {
	if len(steps) == 0 {
		return nil
	}
	const label = " next: "
	room := max(1, width-len(label))
	dot := " " + e.glyphs.dot + " "
	sideBySide := []string{steps[0]}
	for _, step := range steps[1:] {
		last := &sideBySide[len(sideBySide)-1]
		if cellWidth(*last+dot+step) <= room {
			*last += dot + step
			continue
		}
		sideBySide = append(sideBySide, step)
	}
	var lines []string
	for _, line := range sideBySide {
		for _, part := range wrap(line, room) {
			lines = append(lines, blanks(len(label))+part)
		}
	}
	lines[0] = e.styles.accent.render(label) + lines[0][len(label):]
	return lines
}

// gapLines say what could not be seen and what would fix it, unless the
// verdict has said so.
func gapLines(e *env, p model.Problem, v model.Verdict, width int) []string {
	told := func(s model.Sentence) bool { return strings.Contains(string(s), p.Detail) }
	if slices.ContainsFunc(v.Evidence, told) {
		return nil
	}
	text := p.Detail
	if p.Advice != "" {
		text += " " + p.Advice
	}
	lines := wrap(text, max(1, width-4))
	for i, line := range lines {
		lines[i] = "   " + line
	}
	lines[0] = " " + e.styles.warn.render(e.glyphs.warn) + lines[0][2:]
	return lines
}

// absent says why there is nothing to show.
func (p *groupPage) absent(e *env, width int) string {
	var b strings.Builder
	for _, line := range p.absence(e) {
		for _, l := range wrap(line, max(1, width-3)) {
			b.WriteString("\n  " + l)
		}
	}
	return b.String()
}

// absence is what is known of a group that has not been seen, in paragraphs.
func (p *groupPage) absence(e *env) []string {
	name := p.id.String()
	switch {
	case e.board == nil:
		return []string{"Nothing has been seen yet: waiting for the first answer of a broker."}
	case e.board.Snapshot.Listed.IsZero(), !p.asked:
		return []string{"Asking every broker for the share group " + name + "."}
	}
	out := []string{"No broker knows a share group named " + name + ".", ""}
	for _, problem := range e.board.Snapshot.Problems {
		if strings.Contains(problem.Target.Raw(), p.id.Raw()) {
			out = append(out, problem.Detail+" "+problem.Advice, "")
		}
	}
	dot := e.glyphs.dot + " "
	return append(out,
		"What could be wrong:",
		dot+"The name: it is case-sensitive. \":group \" and tab offers the names that are known.",
		dot+"Its type: consumer groups and streams groups share the namespace but are not share groups.",
		dot+"Access: a group that you may not DESCRIBE is hidden. The ACL is Describe on Group "+name+".",
		dot+"The cluster: this one is "+thisCluster(e)+".",
		"",
		"This page fills by itself as soon as a broker lists the group. esc goes back.")
}

// thisCluster names the cluster as well as is known.
func thisCluster(e *env) string {
	if e.cfg.ClusterName != "" {
		return model.Sanitize(e.cfg.ClusterName)
	}
	if id := e.board.Snapshot.Cluster.ID; !id.Empty() {
		return id.String()
	}
	return "not known by name"
}
