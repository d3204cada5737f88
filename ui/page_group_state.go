package ui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// stateTab shows what the group has done with each record of one
// share-partition: a strip of offsets with a cursor, and what has happened to
// the record under it.
type stateTab struct {
	// rows are the share-partitions in the order of the group.
	rows []*model.PartitionRow
	// place is the share-partition that is shown; it may not be among rows yet.
	place  partitionKey
	chosen bool
	// cursor is an offset. Until a person moves it, it is on the head.
	cursor int64
	moved  bool
	// bucket is how many offsets a cell stands for; 0 shows all there is.
	bucket int64
	limit  model.DeliveryLimit
	// seen is what was seen to happen; nil while the state topic is not read.
	seen *model.StateView
	// asking is the offset to go to while it is typed; nil otherwise. Mistake
	// says what is wrong with it.
	asking  *lineEdit
	mistake string
	// size is the place that the tab was fitted to.
	size Rect
	// cut are the cells on screen: going through 100,000 batches takes longer
	// than a frame should.
	cut cutCells
}

// choose goes to a share-partition, to its head.
func (t *stateTab) choose(place partitionKey) {
	if t.chosen && t.place == place {
		return
	}
	t.place, t.chosen = place, true
	t.moved, t.bucket = false, 0
}

// goTo goes to one offset of a share-partition.
func (t *stateTab) goTo(place partitionKey, offset int64) {
	t.choose(place)
	t.cursor, t.moved = offset, true
}

func (t *stateTab) refresh(e *env, p *groupPage) {
	if p.shown == nil {
		return
	}
	t.rows = pointers(p.shown.Partitions)
	t.limit = p.group().DeliveryLimit()
	t.seen = e.board.Snapshot.State
	if !t.chosen && len(t.rows) > 0 {
		t.place = keyOf(t.worst())
	}
	t.settle()
}

// worst is the share-partition that is shown when none was chosen: the first
// with the worst verdict.
func (t *stateTab) worst() *model.PartitionRow {
	worst := t.rows[0]
	for _, r := range t.rows[1:] {
		if r.Verdict.Severity > worst.Verdict.Severity {
			worst = r
		}
	}
	return worst
}

// row is the share-partition that is shown and its number among all; nil when
// it is not there.
func (t *stateTab) row() (*model.PartitionRow, int) {
	for i, r := range t.rows {
		if keyOf(r) == t.place {
			return r, i
		}
	}
	return nil, 0
}

// span is what can be shown; false when that is nothing.
func (t *stateTab) span() (stripSpan, bool) {
	row, _ := t.row()
	return spanOf(row, t.limit)
}

// settle keeps the cursor on the head until it was moved, and on an offset that
// is there. An offset that the start has passed stays: its history is shown.
func (t *stateTab) settle() {
	s, ok := t.span()
	if !ok {
		return
	}
	if !t.moved {
		t.cursor = s.state.Head().Or(s.start)
	}
	t.cursor = clamp64(t.cursor, 0, s.end-1)
	t.cut = t.cut.of(s, t.shape(s))
}

// shape is how the strip lies in the tab's place.
func (t *stateTab) shape(s stripSpan) stripShape {
	return s.shape(t.size.W, t.stripRows(), t.bucket, t.cursor)
}

// stripRows is how many lines the strip may have: about a third, so that what
// happened to a record has room below it.
func (t *stateTab) stripRows() int { return clamp(t.size.H/3, 1, maxStrip) }

// maxStrip bounds the lines of a strip: more are hard to read.
const maxStrip = 16

func (t *stateTab) only(string) {}

func (t *stateTab) fit(r Rect) {
	t.size = r
	t.settle()
}

// key handles the keys of the tab.
func (t *stateTab) key(e *env, k tea.KeyPressMsg) bool {
	defer t.settle()
	s, ok := t.span()
	switch {
	case e.keys.State.PreviousPartition.Pressed(k):
		t.turnPartition(-1)
	case e.keys.State.NextPartition.Pressed(k):
		t.turnPartition(1)
	case !ok:
		return false
	case e.keys.State.ToOffset.Pressed(k):
		typed := newLineEdit("")
		t.asking, t.mistake = &typed, ""
	default:
		return t.move(e, k, s) || t.zoom(e, k, s) || t.jump(e, k, s)
	}
	return true
}

// turnPartition goes to the next share-partition, or to the one before.
func (t *stateTab) turnPartition(step int) {
	n := len(t.rows)
	if n == 0 {
		return
	}
	_, at := t.row()
	t.choose(keyOf(t.rows[(at+step+n)%n]))
}

// move handles the keys that move the cursor by cells, lines and pages.
func (t *stateTab) move(e *env, k tea.KeyPressMsg, s stripSpan) bool {
	sh := t.shape(s)
	page := int64(sh.rows) * sh.line()
	l, keys := e.keys.Lists, e.keys.State
	switch {
	case keys.Left.Pressed(k):
		t.moveTo(s, t.cursor-sh.bucket)
	case keys.Right.Pressed(k):
		t.moveTo(s, t.cursor+sh.bucket)
	case l.Up.Pressed(k):
		t.moveTo(s, t.cursor-sh.line())
	case l.Down.Pressed(k):
		t.moveTo(s, t.cursor+sh.line())
	case l.PageUp.Pressed(k):
		t.moveTo(s, t.cursor-page)
	case l.PageDown.Pressed(k):
		t.moveTo(s, t.cursor+page)
	case l.Top.Pressed(k):
		t.moveTo(s, s.start)
	case l.Bottom.Pressed(k), keys.End.Pressed(k):
		t.moveTo(s, s.end-1)
	case keys.Head.Pressed(k):
		t.moveTo(s, s.state.Head().Or(s.start))
	default:
		return false
	}
	return true
}

func (t *stateTab) moveTo(s stripSpan, offset int64) {
	t.cursor, t.moved = clamp64(offset, s.start, s.end-1), true
}

// zoom halves or doubles what a cell stands for. What shows all is not doubled
// any more, and follows the log as it grows.
func (t *stateTab) zoom(e *env, k tea.KeyPressMsg, s stripSpan) bool {
	now := t.shape(s).bucket
	switch {
	case e.keys.State.ZoomIn.Pressed(k):
		t.bucket = max(1, now/2)
	case e.keys.State.ZoomOut.Pressed(k):
		t.bucket = now * 2
		if all := s.shape(t.size.W, t.stripRows(), 0, t.cursor).bucket; t.bucket >= all {
			t.bucket = 0
		}
	default:
		return false
	}
	return true
}

// jump goes to the next run of records in one of the sets, or to the one before.
func (t *stateTab) jump(e *env, k tea.KeyPressMsg, s stripSpan) bool {
	keys := e.keys.State
	for _, j := range [...]struct {
		back, on interface{ Pressed(fmt.Stringer) bool }
		set      model.RecordSet
		what     string
	}{
		{keys.PreviousReleased, keys.NextReleased, model.AnyReleased, "given back"},
		{keys.PreviousArchived, keys.NextArchived, model.AnyArchived, "archived"},
		{keys.PreviousUnfinished, keys.NextUnfinished, model.AnyUnfinished, "unfinished"},
	} {
		var at int64
		var found bool
		switch {
		case j.back.Pressed(k):
			at, found = s.state.Prev(t.cursor, j.set)
		case j.on.Pressed(k):
			at, found = s.state.Next(t.cursor, s.end, j.set)
		default:
			continue
		}
		t.mistake = ""
		if found {
			t.moveTo(s, at)
		} else {
			t.mistake = "No record " + j.what + " further on this way."
		}
		return true
	}
	return false
}

// answer takes the offset that is typed after "#".
func (t *stateTab) answer(e *env, msg tea.Msg) intent {
	k, pressed := msg.(tea.KeyPressMsg)
	switch {
	case pressed && e.keys.Text.Leave.Pressed(k):
		t.asking, t.mistake = nil, ""
	case pressed && e.keys.Text.Accept.Pressed(k):
		t.accept()
	default:
		t.asking.update(msg)
	}
	return nil
}

func (t *stateTab) accept() {
	s, ok := t.span()
	text := strings.NewReplacer(",", "", " ", "").Replace(t.asking.String())
	offset, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || offset < 0:
		t.mistake = "An offset is a whole number."
		return
	case ok && (offset < s.start || offset >= s.end):
		t.mistake = fmt.Sprintf("From %s to %s there is a state.", model.FormatInt(s.start), model.FormatInt(s.end-1))
		return
	}
	t.asking, t.mistake = nil, ""
	if ok {
		t.moveTo(s, offset)
		t.settle()
	}
}

func (t *stateTab) copyItems() []copyItem {
	row, _ := t.row()
	if row == nil {
		return nil
	}
	place := row.Topic.Raw() + "-" + strconv.Itoa(int(row.Partition))
	return []copyItem{
		{what: "share-partition@offset", text: place + "@" + strconv.FormatInt(t.cursor, 10)},
		{what: "offset", text: strconv.FormatInt(t.cursor, 10)},
		{what: "topic", text: row.Topic.Raw()},
	}
}
