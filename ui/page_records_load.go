package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// toHead begins at the head of the place.
func (t *recordsTab) toHead(e *env) {
	why := ""
	t.begin(e, "", func(at partitionKey) model.PeekRequest {
		p := t.sharePartition(at)
		if p == nil {
			return t.request(at)
		}
		var req model.PeekRequest
		req, why = model.PeekStart(p, t.group.group().Effective(), e.now)
		return req
	})
	switch {
	case !t.chosen:
	case t.at != allPlaces:
		t.start = why
	default:
		t.start = "each partition from its head or start offset"
	}
}

// toEnd shows the last records.
func (t *recordsTab) toEnd(e *env) {
	t.begin(e, "the last records", func(at partitionKey) model.PeekRequest {
		r := t.request(at)
		r.From, r.Backward = model.PeekAtEnd, true
		return r
	})
	t.loader.bottom = true
}

// begin forgets what was loaded and reads from a new place.
func (t *recordsTab) begin(e *env, start string, where func(partitionKey) model.PeekRequest) {
	if len(t.places) == 0 {
		t.arrange(e)
		return
	}
	t.chosen, t.wish, t.start, t.mistake, t.where = true, nil, start, "", where
	t.problems, t.id = make(map[int32]*model.Problem), model.TopicID{}
	if t.together.Empty() {
		t.together = t.places[0].topic
	}
	t.find.forget()
	t.window = model.NewRecordWindow(t.at == allPlaces)
	t.table.moved = false
	t.loader.restart()
	t.follow.stop()
	for _, at := range t.shownPlaces() {
		t.load(e, where(at))
	}
	t.arrange(e)
	if t.loader.outstanding > 0 {
		t.want = awaitReply{}
	}
}

// load asks for records.
func (t *recordsTab) load(e *env, req model.PeekRequest) {
	if e.cfg.Peeker == nil {
		return
	}
	t.send(t.loader.ask(e.cfg.Peeker, req))
}

// update takes the replies to the tab's own commands.
func (t *recordsTab) update(e *env, msg tea.Msg) {
	switch msg := msg.(type) {
	case peekedMsg:
		t.peeked(e, msg)
	case recordRowsMsg:
		t.pane.update(e, msg)
	case foundMsg:
		if t.find.received(msg) {
			t.arrange(e)
		}
	case followMsg:
		if t.follow.due(msg) {
			t.followNow(e)
		}
	}
}

// peeked takes in what a peek found.
func (t *recordsTab) peeked(e *env, m peekedMsg) {
	if !t.loader.received(m) {
		return
	}
	if m.err != nil {
		t.problems[m.request.Partition] = &model.Problem{Detail: "The records could not be read: " + model.Sanitize(m.err.Error())}
		t.arrange(e)
		return
	}
	if t.isAnother(e, m.result) {
		return
	}
	delete(t.problems, m.result.Partition)
	if m.result.Problem != nil {
		t.problems[m.request.Partition] = m.result.Problem
	}
	atEnd := t.loader.bottom || t.follow.on() && t.table.cursor >= len(t.table.rows)-1
	t.add(m)
	t.arrange(e)
	if atEnd {
		t.table.Bottom()
		t.showCursor(e)
	}
	if t.loader.outstanding > 0 {
		return
	}
	t.loader.bottom = false
	switch {
	case t.follow.on() && t.behind(m):
		t.followNow(e) // the log grows by more than one look
	case t.follow.on():
		t.send(t.follow.wait())
	case m.result.Problem == nil && m.result.Next > m.result.From:
		t.fill(e, m.request.Backward)
	}
}

// add puts what a peek found into the window, and looks through it for the text
// that is looked for.
func (t *recordsTab) add(m peekedMsg) {
	before := t.window.Records()
	t.window.Add(m.result, m.request)
	if now := t.window.Records(); t.find.last != "" && !sameEnds(before, now) {
		t.send(t.find.begin(now))
	}
}

// sameEnds tells whether two lists of a window have the same records: what comes in
// makes one longer, or changes an end.
func sameEnds(a, b []*model.Record) bool {
	n := len(a)
	return n == len(b) && (n == 0 || a[0] == b[0] && a[n-1] == b[n-1])
}

// behind tells whether a peek got on and there is more at once.
func (t *recordsTab) behind(m peekedMsg) bool {
	edge := t.window.Edge(m.request.Partition)
	return m.result.Problem == nil && m.result.Next > m.result.From && edge != nil && !edge.AtEnd() && !t.env.feed.paused
}

// isAnother tells that a peek found another topic of the same name than the one
// that is shown, and begins anew with it.
func (t *recordsTab) isAnother(e *env, r *model.PeekResult) bool {
	was := t.id
	if r.ID != (model.TopicID{}) {
		t.id = r.ID
	}
	if was == (model.TopicID{}) || t.id == was {
		return false
	}
	follow := t.follow.on()
	t.toHead(e)
	if follow {
		t.toggleFollow(e)
	}
	t.start = "the topic was deleted and made again, this is the new one: " + t.start
	return true
}

// fill reads on while the list has room and little was loaded: a peek can come
// back with a few records, or none, of a log that is full of markers and gaps.
func (t *recordsTab) fill(e *env, backward bool) {
	if len(t.window.Records()) < t.table.height && t.window.Memory() < model.MaxPeekBytes {
		t.loadMore(e, backward)
	}
}

// recordLoader asks for records and drops replies to what is not wanted any
// more.
type recordLoader struct {
	generation  int
	outstanding int
	ctx         context.Context
	cancel      context.CancelFunc
	// bottom is true when the cursor is to go to the last record.
	bottom bool
}

// restart gives up what is outstanding.
func (l *recordLoader) restart() {
	if l.cancel != nil {
		l.cancel()
	}
	l.ctx, l.cancel = nil, nil
	l.generation++
	l.outstanding, l.bottom = 0, false
}

func (l *recordLoader) ask(p Peeker, req model.PeekRequest) tea.Cmd {
	if l.ctx == nil {
		l.ctx, l.cancel = context.WithCancel(context.Background())
	}
	l.outstanding++
	return peekRecords(l.ctx, p, req, l.generation)
}

// received books a reply; false for one that is to be dropped.
func (l *recordLoader) received(m peekedMsg) bool {
	if m.generation != l.generation {
		return false
	}
	l.outstanding--
	return true
}

// peekedMsg is the reply to one peek.
type peekedMsg struct {
	request    model.PeekRequest
	generation int
	result     *model.PeekResult
	err        error
}

// peekRecords is the command that peeks.
func peekRecords(ctx context.Context, p Peeker, req model.PeekRequest, generation int) tea.Cmd {
	return func() tea.Msg {
		result, err := p.Peek(ctx, req)
		return peekedMsg{req, generation, result, err}
	}
}
