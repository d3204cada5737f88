package ui

import (
	"fmt"
	"strconv"
	"strings"

	"sharetop/model"
)

// whyNoState says, as a clause, why the State tab has nothing to show; empty
// when it has.
func (p *groupPage) whyNoState(e *env) string {
	if p.shown == nil || e.board == nil {
		return "nothing of this group has been seen yet"
	}
	for i := range p.shown.Partitions {
		if p.shown.Partitions[i].State != nil {
			return ""
		}
	}
	o := e.board.Snapshot.Offsets
	switch {
	case o.Source == model.FromStateTopic && len(p.shown.Partitions) == 0:
		return "this group has no share-partitions yet"
	case o.Source == model.FromStateTopic:
		return "the state topic has nothing of this group"
	}
	return strings.Join(append([]string{"offsets come from requests, which do not tell the state of records"},
		whyRequests(o)...), "; ")
}

// whyRequests are the clauses that say why the state topic is not read, and
// what would change that.
func whyRequests(o model.OffsetsState) []string {
	var out []string
	for _, s := range [...]string{o.Why, o.Advice} {
		if s = strings.TrimSuffix(s, "."); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// view draws the strip, what its signs mean, and all about the record under the
// cursor.
func (t *stateTab) view(e *env, p *groupPage, r Rect) string {
	row, at := t.row()
	s, ok := t.span()
	if !ok {
		return strings.Join(t.absent(e, p, row, r.W), "\n")
	}
	lines := []string{t.titleOf(e, row, at, r.W)}
	sh := s.shape(r.W, t.stripRows(), t.bucket, t.cursor)
	lines = append(lines, drawStrip(e.look(), s, sh, t.cut.of(s, sh).cells, t.cursor)...)
	under := t.underCursor(e, row, s, sh, r.W)
	// In a low window the record is worth more than what the signs mean.
	if signs := legend(e.look(), r.W); len(lines)+len(signs)+len(under) <= r.H {
		lines = append(lines, signs...)
	}
	if roomy(r.H) {
		lines = append(lines, "")
	}
	lines = append(lines, under...)
	if room := r.H - len(lines); room > 1 {
		lines = append(lines, t.history(e, r.W, room)...)
	}
	return strings.Join(lines[:min(len(lines), r.H)], "\n")
}

// absent says why there is no strip.
func (t *stateTab) absent(e *env, p *groupPage, row *model.PartitionRow, width int) []string {
	text := p.whyNoState(e)
	switch {
	case text != "":
	case row == nil:
		text = fmt.Sprintf("the group has no share-partition %s-%d", t.place.topic, t.place.partition)
	case row.State == nil:
		text = fmt.Sprintf("the state topic has nothing of %s-%d", row.Topic, row.Partition)
	case !row.State.Start().IsKnown():
		text = fmt.Sprintf("no start offset yet in %s-%d: it is written with the first record that is settled", row.Topic, row.Partition)
	default:
		text = fmt.Sprintf("there is no record to show: %s-%d starts at %s, where its log ends",
			row.Topic, row.Partition, model.FormatNumber(row.Start))
	}
	lines := []string{""}
	for _, line := range wrap(upperFirst(text)+".", max(1, width-2*gutter)) {
		lines = append(lines, blanks(gutter)+e.styles.dim.render(line))
	}
	return lines
}

func upperFirst(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// titleOf is the line above the strip: which share-partition, its offsets, and
// when something was last written about it.
func (t *stateTab) titleOf(e *env, row *model.PartitionRow, at, width int) string {
	name := row.Topic.String() + "-" + strconv.Itoa(int(row.Partition))
	parts := []part{
		{text: " " + e.styles.bold.render(cut(name, max(8, width/2), e.glyphs.more))},
		{text: "start " + model.FormatNumber(row.Start), drop: 3},
		{text: "head " + model.FormatNumber(row.Head), drop: 1},
		{text: "end " + model.FormatNumber(row.Log.End), drop: 4},
		{text: "lag " + model.FormatNumber(row.Lag), drop: 2},
		{text: "last write " + stampAge(e, row.State.LastWrite()), drop: 5},
		{text: e.styles.dim.render(fmt.Sprintf("%d of %d", at+1, len(t.rows))), drop: 6},
	}
	dropParts(width, &parts)
	return joinParts(parts)
}

// stampAge is how long ago something was: "≥14m ago" when it may have been
// earlier.
func stampAge(e *env, s model.Stamp) string {
	if s.Millis() == 0 {
		return model.Unknown
	}
	text := ageText(max(0, e.now.Sub(s.Time())))
	if s.AtLeast() {
		return e.glyphs.words("≥" + text)
	}
	return text
}

// underCursor is what is known of the record under the cursor, and where a cell
// stands for many, of those.
func (t *stateTab) underCursor(e *env, row *model.PartitionRow, s stripSpan, sh stripShape, width int) []string {
	if t.asking != nil {
		note := e.styles.warn.render(t.mistake)
		return []string{" " + e.styles.accent.render("to offset ") +
			t.asking.view(max(8, width-13-cellWidth(note))) + "  " + note}
	}
	state, count := s.state.StateAt(t.cursor)
	head := " offset " + e.styles.bold.render(model.FormatInt(t.cursor)) + "   "
	text := model.RecordWords(state, count, t.limit)
	if age := headAge(e, row, t.cursor); age != "" {
		text += "   " + age
	}
	lines := wrap(text, max(1, width-cellWidth(head)-1))
	for i, line := range lines {
		lines[i] = blanks(cellWidth(head)) + line
	}
	lines[0] = head + lines[0][cellWidth(head):]
	if sh.bucket > 1 {
		lines = append(lines, cut(t.bucketLine(e, s, sh), width, e.glyphs.more))
	}
	if t.mistake != "" {
		lines = append(lines, " "+e.styles.warn.render(cut(t.mistake, width-2, e.glyphs.more)))
	}
	return lines
}

// headAge is the age of the record at the head, when the cursor is on it.
func headAge(e *env, row *model.PartitionRow, cursor int64) string {
	if row.Head != model.Known(cursor) || row.HeadTime.IsZero() {
		return ""
	}
	return "age " + model.FormatDuration(max(0, e.now.Sub(row.HeadTime)))
}

// bucketLine counts the records of the cell under the cursor by state.
func (t *stateTab) bucketLine(e *env, s stripSpan, sh stripShape) string {
	first := sh.first + (t.cursor-sh.first)/sh.bucket*sh.bucket
	last := min(first+sh.bucket-1, s.end-1)
	counts := make(map[model.RecordState]int64)
	for run := range s.state.Range(first, last) {
		counts[run.State] += run.Len()
	}
	text := fmt.Sprintf(" its cell %s–%s: ", model.FormatInt(first), model.FormatInt(last))
	var parts []string
	for _, c := range [...]struct {
		state model.RecordState
		word  string
	}{
		{model.RecordArchived, "archived"},
		{model.RecordArchiving, "archiving"},
		{model.RecordReleased, "given back"},
		{model.RecordNew, "never settled"},
		{model.RecordFinished, "finished"},
	} {
		if n := counts[c.state]; n > 0 {
			parts = append(parts, model.FormatInt(n)+" "+c.word)
		}
	}
	return e.styles.dim.render(text + strings.Join(parts, ", "))
}

// history is what was seen to happen to the record under the cursor, newest
// last, in that many lines.
func (t *stateTab) history(e *env, width, height int) []string {
	if t.seen == nil {
		return nil
	}
	title := "What happened to " + model.FormatInt(t.cursor)
	lines := []string{titleLine(e, title, "since "+model.FormatClock(t.seen.Since, e.utc), width)}
	events := t.seen.HistoryOf(t.place.topic, t.place.partition, t.cursor)
	if room := height - 1; len(events) > room {
		events = events[len(events)-room:]
	}
	for _, ev := range events {
		clock := e.styles.dim.render(model.FormatClock(ev.Time(), e.utc))
		lines = append(lines, cut(" "+clock+"  "+t.eventWords(ev), width, e.glyphs.more))
	}
	if len(events) == 0 {
		lines = append(lines, blanks(gutter)+e.styles.dim.render(cut(t.noEvents(), width-gutter, e.glyphs.more)))
	}
	return lines
}

// noEvents says what it means that nothing was seen to happen to a record.
func (t *stateTab) noEvents() string {
	if t.seen.EventsDropped {
		return "Nothing that is still held: there was more than is kept."
	}
	if s, ok := t.span(); ok {
		if state, _ := s.state.StateAt(t.cursor); state == model.RecordNew {
			return "Nothing that the broker writes down: it is new, or in its first delivery."
		}
	}
	return "Nothing but, perhaps, a first delivery that went well."
}

// eventWords says what one event did, and to which neighbours too.
func (t *stateTab) eventWords(ev model.StateEvent) string {
	text := model.RecordWords(ev.State, ev.Count, t.limit)
	if ev.State == model.RecordReleased {
		text = fmt.Sprintf("given back: delivery %d is over", ev.Count)
	}
	if n := ev.Len(); n > 1 {
		text += fmt.Sprintf(" (%s–%s, %s records)", model.FormatInt(ev.First), model.FormatInt(ev.Last), model.FormatInt(n))
	}
	return text
}
