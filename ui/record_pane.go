package ui

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// recordPane shows one record: where and when, what its owner adds, headers,
// key, and the value in one of its views. It draws only the rows in its window,
// so that a value of any size costs the same; what takes long to find out about
// a large one is done in a command, whose recordRowsMsg goes to update.
type recordPane struct {
	record *model.Record
	// extra are the owner's own lines, such as what the group did with it.
	extra []field
	// choice is the view that was asked for, ViewAuto for the content's own.
	choice  model.ValueView
	content model.Content
	// rows are the value's; nil for null and for an empty value.
	rows   *model.ValueRows
	place  Rect
	scroll scroller
	// wanted numbers the question for all of a large value: replies to others
	// are dropped.
	wanted int
	// over tells the command that is under way for it that it is not wanted any
	// more; nil before the first.
	over *atomic.Bool
}

// recordRowsMsg has what a command found out about all of a large value.
type recordRowsMsg struct {
	record  *model.Record
	wanted  int
	content model.Content
	rows    *model.ValueRows
}

// show puts a record into the pane, nil for none. The same one again keeps the
// place in it.
func (p *recordPane) show(e *env, r *model.Record, extra []field) tea.Cmd {
	if r == p.record {
		p.retell(e, extra)
		return nil
	}
	p.extra = extra
	p.record, p.choice, p.content, p.scroll.top = r, model.ViewAuto, model.Content{}, 0
	if r != nil {
		p.content = model.Look(r.Value.Bytes())
	}
	return p.lay(e)
}

// retell gives the record that is shown other lines of the owner's.
func (p *recordPane) retell(e *env, extra []field) {
	p.extra = extra
	p.settle(e)
}

// fit tells the pane its place.
func (p *recordPane) fit(e *env, r Rect) tea.Cmd {
	width := p.place.W
	p.place = r
	if r.W == width {
		p.settle(e)
		return nil
	}
	return p.lay(e)
}

// nextView turns to the next view of the value.
func (p *recordPane) nextView(e *env) tea.Cmd {
	if p.rows == nil {
		return nil
	}
	p.choice = p.rows.View().Next()
	if p.choice == model.ViewJSON && !p.content.IsJSON {
		p.choice = p.choice.Next()
	}
	p.scroll.top = 0
	return p.lay(e)
}

// lay makes the value's rows as far as that is quick; the command, when there
// is one, makes the rest.
func (p *recordPane) lay(e *env) tea.Cmd {
	p.rows = nil
	p.stop()
	if p.record == nil || p.record.Value.Size() <= 0 || p.place.Empty() {
		p.settle(e)
		return nil
	}
	p.rows = model.NewValueRows(p.record.Value.Bytes(), p.content, p.choice, p.place.W-gutter)
	p.settle(e)
	if _, whole := p.rows.Len(); whole && p.content.Checked {
		return nil
	}
	p.over = new(atomic.Bool)
	return readWhole(p.over.Load, recordRowsMsg{p.record, p.wanted, p.content, p.rows}, p.choice, p.place.W-gutter)
}

// stop gives up what is read of a large value: with a key held down there would
// soon be many at work, each holding its record.
func (p *recordPane) stop() {
	p.wanted++
	if p.over != nil {
		p.over.Store(true)
	}
}

// readWhole is the command that reads all of a large value, unless that is over
// with.
func readWhole(over func() bool, m recordRowsMsg, view model.ValueView, width int) tea.Cmd {
	return func() tea.Msg {
		data := m.record.Value.Bytes()
		if !m.content.Checked && !over() {
			m.content = model.LookAtAll(data)
			m.rows = model.NewValueRows(data, m.content, view, width)
		}
		m.rows = m.rows.WholeUnless(over)
		if over() {
			return nil
		}
		return m
	}
}

// update takes the reply of readWhole.
func (p *recordPane) update(e *env, m recordRowsMsg) {
	if m.wanted == p.wanted && m.record == p.record {
		p.stop()
		p.content, p.rows = m.content, m.rows
		p.settle(e)
	}
}

// settle makes scrolling fit what there is to show.
func (p *recordPane) settle(e *env) {
	p.scroll.fit(len(p.head(e))+p.valueRows(), p.place.H-1)
}

func (p *recordPane) valueRows() int {
	if p.rows == nil {
		return len(p.instead())
	}
	n, _ := p.rows.Len()
	return n
}

// key scrolls and tells whether the key was one that does.
func (p *recordPane) key(l keymap.Lists, k tea.KeyPressMsg) bool { return p.scroll.key(l, k) }

// draw draws the pane in r, which is what fit was told.
func (p *recordPane) draw(e *env, r Rect) string {
	if r.Empty() {
		return ""
	}
	if p.record == nil {
		return titleLine(e, "no record", "", r.W)
	}
	lines := []string{titleLine(e, cut(recordName(p.record), max(0, r.W-4), e.glyphs.more), p.position(), r.W)}
	head := p.head(e)
	top := p.scroll.top
	for i := top; i < len(head) && i-top < r.H-1; i++ {
		lines = append(lines, head[i])
	}
	from := max(0, top-len(head))
	for _, line := range p.window(e, from, r.H-1-max(0, len(head)-top)) {
		lines = append(lines, blanks(gutter)+line)
	}
	return strings.Join(lines, "\n")
}

// position says which part of the pane is shown when not all of it fits.
func (p *recordPane) position() string {
	s := p.scroll
	if s.lines <= s.height || s.height <= 0 {
		return ""
	}
	more := ""
	if p.rows != nil {
		if _, whole := p.rows.Len(); !whole {
			more = "+"
		}
	}
	return fmt.Sprintf("%s–%s of %s%s", model.FormatInt(int64(s.top+1)), model.FormatInt(int64(s.top+s.height)),
		model.FormatInt(int64(s.lines)), more)
}

// window are rows of the value, or what stands in its place.
func (p *recordPane) window(e *env, from, count int) []string {
	switch {
	case count <= 0:
		return nil
	case p.rows != nil:
		return p.rows.Window(from, count)
	}
	lines := p.instead()
	lines = lines[min(from, len(lines)):]
	lines = lines[:min(count, len(lines))]
	for i := range lines {
		lines[i] = e.styles.dim.render(lines[i])
	}
	return lines
}

// instead are the lines in the place of a value that has no bytes.
func (p *recordPane) instead() []string {
	switch {
	case p.record == nil:
		return nil
	case p.record.Value.IsNull():
		return wrap("no value at all (null): where the topic is compacted, a tombstone", p.place.W-gutter)
	case p.record.Value.Size() == 0:
		return wrap("an empty value: 0 bytes", p.place.W-gutter)
	}
	return nil
}

// recordName is how a record is called: orders-0@9,120.
func recordName(r *model.Record) string {
	return fmt.Sprintf("%s-%d@%s", r.Topic, r.Partition, model.FormatInt(r.Offset))
}

// Bounds of what stands above the value.
const (
	// shownHeaders is the most headers written out; more are counted.
	shownHeaders = 100
	// keyLines is the most lines of a key, and of what the owner adds.
	keyLines = 4
)

// head are the lines above the value.
func (p *recordPane) head(e *env) []string {
	r := p.record
	if r == nil {
		return nil
	}
	fields := []field{{"time", recordTime(e, r)}}
	fields = append(fields, p.extra...)
	fields = append(fields, field{"key", blobText(r.Key, keyLines*max(minWidth, p.place.W))})
	for i, h := range r.Headers {
		if i == shownHeaders {
			break
		}
		fields = append(fields, field{"header", h.Name.String() + " = " + blobText(h.Value, p.place.W)})
	}
	if n := len(r.Headers) + r.HeadersCut - shownHeaders; n > 0 {
		fields = append(fields, field{"", model.FormatInt(int64(n)) + " more headers"})
	}
	return append(p.fieldLines(e, fields), e.styles.dim.render(cut("  value  "+p.about(), p.place.W, e.glyphs.more)))
}

// fieldLines writes fields with their texts under each other; each header and
// the time take one line, every other text as many as it needs up to keyLines.
func (p *recordPane) fieldLines(e *env, fields []field) []string {
	left := len("header") + 2
	room := max(1, p.place.W-gutter-left-1)
	var lines []string
	for _, f := range fields {
		if f.text == "" {
			continue
		}
		texts := wrap(f.text, room)
		texts = texts[:min(len(texts), keyLines)]
		if f.label == "header" || f.label == "time" {
			texts = []string{cut(plain(f.text), room, e.glyphs.more)}
		}
		label := e.styles.dim.render(f.label) + blanks(left-cellWidth(f.label))
		for _, text := range texts {
			lines = append(lines, blanks(gutter)+label+text)
			label = blanks(left)
		}
	}
	return lines
}

// about says what the value is, before its rows.
func (p *recordPane) about() string {
	v := p.record.Value
	if v.IsNull() {
		return "null"
	}
	text := model.FormatSize(v.Size())
	if p.rows != nil {
		text = p.rows.View().String() + ", " + text
	}
	if id, framed := p.content.SchemaID.Get(); framed {
		text += fmt.Sprintf(", schema id %d by its first 5 bytes", id)
	}
	if p.content.BOM {
		text += ", begins with a byte-order mark"
	}
	if at, isCut := v.CutAt(); isCut {
		text += ", only the first " + model.FormatSize(at) + " are here"
	}
	if p.rows != nil && !p.content.Checked {
		text += ", reading it to its end"
	}
	return text
}

// blobText is a key or a header's value in about that many cells. What stands
// for null and for nothing is in brackets, and the value itself in quotes when
// it could be taken for either.
func blobText(b model.Blob, cells int) string {
	switch {
	case b.IsNull():
		return nullText
	case b.Size() == 0:
		return emptyText
	}
	text := b.Preview(cells)
	if text == nullText || text == emptyText {
		return `"` + text + `"`
	}
	return text
}

// What stands in the place of a value that has no bytes.
const (
	nullText  = "(null)"
	emptyText = "(empty)"
)

// recordTime is a record's timestamp, its age, and whose clock it is of.
func recordTime(e *env, r *model.Record) string {
	at := r.Time()
	if at.IsZero() {
		return model.Unknown
	}
	text := model.FormatAge(at, e.now) + "  " + stamp(at, e.utc) + "  " + r.TimestampType.String()
	return text
}

// stamp is a moment to the millisecond. A year that has no four digits is told
// as milliseconds.
func stamp(at time.Time, utc bool) string {
	if y := at.UTC().Year(); y < 0 || y > 9999 {
		return model.FormatInt(at.UnixMilli()) + " ms since 1970"
	}
	if utc {
		return at.UTC().Format("2006-01-02 15:04:05.000Z")
	}
	return at.Local().Format("2006-01-02 15:04:05.000")
}
