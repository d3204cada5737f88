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
	t.chosen, t.wish, t.start, t.problem, t.mistake = true, nil, start, nil, ""
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
		t.problem = &model.Problem{Detail: "The records could not be read: " + model.Sanitize(m.err.Error())}
		return
	}
	t.problem = m.result.Problem
	before := len(t.window.Records())
	t.window.Add(m.result, m.request)
	if t.find.last != "" && len(t.window.Records()) != before {
		t.send(t.find.begin(t.window.Records()))
	}
	t.arrange(e)
	if t.loader.bottom || t.follow.on() {
		t.table.Bottom()
		t.showCursor(e)
	}
	if t.loader.outstanding > 0 {
		return
	}
	t.loader.bottom = false
	switch {
	case t.follow.on():
		t.send(t.follow.wait())
	case m.result.Problem == nil && m.result.Next > m.result.From:
		t.fill(e, m.request.Backward)
	}
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
