package ui

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// key handles the keys of the tab.
func (t *recordsTab) key(e *env, k tea.KeyPressMsg) bool {
	keys := e.keys.Records
	switch {
	case keys.Head.Pressed(k):
		t.toHead(e)
	case keys.End.Pressed(k):
		t.toEnd(e)
	case keys.ToOffset.Pressed(k):
		t.ask(askOffset)
	case keys.ToTime.Pressed(k):
		t.ask(askTime)
	case keys.PreviousPartition.Pressed(k):
		t.turn(e, -1)
	case keys.NextPartition.Pressed(k):
		t.turn(e, 1)
	case keys.NextMatch.Pressed(k):
		t.toMatch(e, 1)
	case keys.PreviousMatch.Pressed(k):
		t.toMatch(e, -1)
	case keys.Follow.Pressed(k):
		t.toggleFollow(e)
	default:
		return t.paneKey(paneKeys{keys.Open, keys.NextView, keys.Save, keys.Pager}, k) || t.move(e, k)
	}
	return true
}

// loadAhead is how near to an end of the list the cursor comes before more is
// loaded.
const loadAhead = 20

// move moves the cursor, and loads what it comes near to. Of large records few are
// held, so that both ends are near, and what comes in at one end goes at the other:
// then only the end that it moves to is loaded.
func (t *recordsTab) move(e *env, k tea.KeyPressMsg) bool {
	if !moveTable(t.table, e.keys.Lists, k) {
		return false
	}
	t.showCursor(e)
	if t.loader.outstanding > 0 || t.find.text != "" {
		return true
	}
	l := e.keys.Lists
	up := l.Up.Pressed(k) || l.PageUp.Pressed(k) || l.Top.Pressed(k)
	both := t.window.Memory() <= model.MaxLoadedBytes/4
	if both || !up {
		t.loadNear(e, false)
	}
	if both || up {
		t.loadNear(e, true)
	}
	return true
}

// loadNear reads on at one end of what is loaded, if the cursor is near to it. In
// a list by time that is where the list ceases to be whole, and only what is
// lacking there is read.
func (t *recordsTab) loadNear(e *env, backward bool) {
	rows, ahead := t.table.rows, t.table.cursor+loadAhead
	if backward {
		ahead = t.table.cursor - loadAhead
	}
	if t.at == allPlaces && len(rows) > 0 {
		near := rows[clamp(ahead, 0, len(rows)-1)]
		t.loadOn(e, backward, func(partition int32) bool { return t.window.Lacks(partition, near, backward) })
		return
	}
	if ahead < 0 || ahead >= len(rows) {
		t.loadMore(e, backward)
	}
}

// loadMore reads on at one end of what is loaded.
func (t *recordsTab) loadMore(e *env, backward bool) {
	t.loadOn(e, backward, func(int32) bool { return true })
}

// loadOn reads on at one end of what is loaded of some partitions.
func (t *recordsTab) loadOn(e *env, backward bool, wanted func(partition int32) bool) {
	for _, at := range t.shownPlaces() {
		if !wanted(at.partition) {
			continue
		}
		edge := t.window.Edge(at.partition)
		if edge == nil { // it could not be read, or came later
			t.load(e, t.where(at))
			continue
		}
		if backward && edge.AtStart() || !backward && edge.AtEnd() && !t.follow.on() {
			continue
		}
		r := t.request(at)
		r.Offset, r.Backward = edge.Next, backward
		if backward {
			r.Offset = edge.From
		}
		t.load(e, r)
	}
}

// turn goes to the next share-partition, or the one before; between the last
// and the first are all together.
func (t *recordsTab) turn(e *env, step int) {
	n := len(t.places)
	if n == 0 {
		return
	}
	if here, one := t.place(); one {
		t.together = here.topic
	}
	t.at = (t.at+1+step+n+1)%(n+1) - 1
	if n == 1 {
		t.at = 0 // all of one is that one
	}
	t.toHead(e)
}

// questionKind is what is asked for by name.
type questionKind uint8

const (
	askOffset questionKind = iota
	askTime
)

// example says what can be typed.
func (k questionKind) example() string {
	if k == askTime {
		return "14:00, 2026-11-29T14:00:00Z, or 10m for that long ago"
	}
	return "the first record at or after it is shown"
}

// recordQuestion is an offset or a time while it is typed.
type recordQuestion struct {
	kind questionKind
	line lineEdit
}

func (t *recordsTab) ask(kind questionKind) {
	t.asking, t.mistake = &recordQuestion{kind, newLineEdit("")}, ""
}

// answer takes what is typed.
func (t *recordsTab) answer(e *env, msg tea.Msg) {
	k, pressed := msg.(tea.KeyPressMsg)
	switch {
	case pressed && e.keys.Text.Leave.Pressed(k):
		t.asking, t.mistake = nil, ""
	case pressed && e.keys.Text.Accept.Pressed(k):
		t.accept(e)
	default:
		t.asking.line.update(msg)
	}
}

var errNoOffset = errors.New("an offset is a whole number, 0 or more")

// accept goes to the offset or time that was typed.
func (t *recordsTab) accept(e *env) {
	text := t.asking.line.String()
	where, err := t.typedPlace(e, text)
	if err != nil {
		t.mistake = err.Error()
		return
	}
	start := "from offset " + strings.TrimSpace(text)
	if t.asking.kind == askTime {
		start = "from the first record at or after " + stamp(where.Time, e.utc)
	}
	t.asking = nil
	t.begin(e, plain(model.Sanitize(start)), func(at partitionKey) model.PeekRequest {
		r := t.request(at)
		r.From, r.Offset, r.Time = where.From, where.Offset, where.Time
		return r
	})
}

func (t *recordsTab) typedPlace(e *env, text string) (model.PeekRequest, error) {
	if t.asking.kind == askTime {
		at, err := model.ParsePeekTime(text, e.now, e.utc)
		return model.PeekRequest{From: model.PeekAtTime, Time: at}, err
	}
	n, err := strconv.ParseInt(strings.NewReplacer(",", "", " ", "").Replace(text), 10, 64)
	if err != nil || n < 0 {
		return model.PeekRequest{}, errNoOffset
	}
	return model.PeekRequest{Offset: n}, nil
}

// followEvery is how often new records are asked for while following: at most
// model.DefaultPeekRecords a partition each time.
const followEvery = time.Second

// follower keeps the list at the end of the log.
type follower struct {
	ctx    context.Context
	cancel context.CancelFunc
	tick   int
}

// followMsg is the time to look for new records.
type followMsg struct{ tick int }

func (f *follower) on() bool { return f.ctx != nil }

func (f *follower) start() { f.ctx, f.cancel = context.WithCancel(context.Background()) }

func (f *follower) stop() {
	if f.cancel != nil {
		f.cancel()
	}
	f.ctx, f.cancel = nil, nil
	f.tick++
}

// wait is the command that waits for the next look.
func (f *follower) wait() tea.Cmd {
	f.tick++
	return waitThen(f.ctx, followEvery, followMsg{f.tick})
}

func (f *follower) due(m followMsg) bool { return f.on() && m.tick == f.tick }

// toggleFollow begins to follow at the end of the log, or stays where it is.
func (t *recordsTab) toggleFollow(e *env) {
	if t.follow.on() {
		t.follow.stop()
		return
	}
	t.setFind("")
	t.toEnd(e)
	t.follow.start()
}

// followNow looks for new records, unless the screen is paused.
func (t *recordsTab) followNow(e *env) {
	if !e.feed.paused {
		t.loadMore(e, false)
	}
	if t.loader.outstanding == 0 {
		t.send(t.follow.wait())
	}
}

// recordFind is the text that records must have in key or value. It is looked
// for in a command, since megabytes may be loaded.
type recordFind struct {
	text string
	// last is the text that was looked for last, which the keys for the next
	// match are about when all records are shown again.
	last   string
	found  []*model.Record
	wanted int
	cancel context.CancelFunc
}

// foundMsg has the records with a text.
type foundMsg struct {
	wanted int
	found  []*model.Record
}

// only is what is to be shown of the records.
func (f *recordFind) only(all []*model.Record) []*model.Record {
	if f.text == "" {
		return all
	}
	return f.found
}

func (f *recordFind) stop() {
	if f.cancel != nil {
		f.cancel()
		f.cancel = nil
	}
}

// forget gives up what was found in records that are no longer shown.
func (f *recordFind) forget() {
	f.stop()
	f.wanted++
	f.found = nil
}

// begin looks for the text anew.
func (f *recordFind) begin(all []*model.Record) tea.Cmd {
	f.stop()
	f.wanted++
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel = cancel
	return findRecords(ctx, all, f.last, f.wanted)
}

func (f *recordFind) received(m foundMsg) bool {
	if m.wanted != f.wanted || f.last == "" {
		return false
	}
	f.found = m.found
	f.stop()
	return true
}

func findRecords(ctx context.Context, all []*model.Record, text string, wanted int) tea.Cmd {
	return func() tea.Msg {
		return foundMsg{wanted, model.SearchRecords(all, text, func() bool { return ctx.Err() != nil })}
	}
}

// only shows the records with a text in key or value.
func (t *recordsTab) only(text string) { t.setFind(text) }

// setFind changes the text that records must have.
func (t *recordsTab) setFind(text string) {
	if text == t.find.text {
		return
	}
	t.find.text = text
	if text == "" {
		t.table.SetRows(t.window.Records())
		return
	}
	t.find.last, t.find.found = text, nil
	t.send(t.find.begin(t.window.Records()))
}

// toMatch goes to the nearest record that has the text looked for last, behind
// the cursor or with a step of -1 before it.
func (t *recordsTab) toMatch(e *env, step int) {
	at, ok := t.table.Cursor()
	switch {
	case t.find.last == "":
		t.want = showStatus{levelInfo, "Nothing was looked for yet: / looks for text in keys and values."}
		return
	case !ok:
		return
	}
	matches := t.find.found
	if step < 0 {
		matches = slices.Clone(matches)
		slices.Reverse(matches)
	}
	i := slices.IndexFunc(matches, func(r *model.Record) bool { return step*t.window.Compare(r, at) > 0 })
	if i < 0 {
		t.want = showStatus{levelInfo, "No more of " + preview(t.find.last) + " that way in what is loaded."}
		return
	}
	t.table.Select(keyOfRecord(matches[i]))
	t.showCursor(e)
}
