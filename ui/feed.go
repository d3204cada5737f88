package ui

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// feed keeps boards coming: it has at most one Watch outstanding, and none
// while paused or suspended. When what the screen needs changes, the
// outstanding call is cancelled and a new one begins; the reply of a call that
// is not the newest is dropped by its number.
type feed struct {
	source Snapshotter
	clock  func() time.Time
	// derivers holds the one deriver, which keeps the history. A command takes
	// it out to derive a board and puts it back, so that it never has two users
	// though a cancelled call may still be at work. Update never touches it.
	derivers chan *deriver

	// call is the number of the newest call; replies to others are dropped.
	call int
	// cancel ends the outstanding call or timer; nil when there is none.
	cancel context.CancelFunc
	scope  model.Scope
	// snapshot is the newest one seen; nil before the first.
	snapshot *model.Snapshot
	refresh  int
	status   feedStatus
	// suspended is true while the program is stopped by ctrl-z.
	suspended bool
}

// boardRequest is what one command of the feed is asked for.
type boardRequest struct {
	call  int
	scope model.Scope
	// known is derived anew instead of waiting for a newer snapshot; nil to wait.
	known *model.Snapshot
	after model.Version
	query model.Query
	// revision is the query's number.
	revision int
}

// boardMsg is the reply to a boardRequest.
type boardMsg struct {
	call     int
	board    *model.Board
	rows     []*model.Row
	revision int
	err      error
	// known is true when nobody was asked: the board is a known snapshot's.
	known bool
}

// retryMsg ends the wait after a failed call.
type retryMsg struct{ call int }

// Waits after failed calls: doubled from the first to the last.
const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 10 * time.Second
)

var errNoSnapshot = errors.New("the source gave neither a snapshot nor an error")

func newFeed(cfg Config) feed {
	interval := cfg.Interval
	if interval == 0 {
		interval = model.DefaultInterval
	}
	derivers := make(chan *deriver, 1)
	derivers <- &deriver{tracker: model.NewTracker(cfg.Rules)}
	return feed{
		source: cfg.Source, clock: cfg.Now, derivers: derivers,
		status: feedStatus{interval: clampInterval(interval)},
	}
}

func clampInterval(d time.Duration) time.Duration {
	return min(max(d, model.MinInterval), model.MaxInterval)
}

// restart begins with another source; nothing of the one before is left. Replies
// to its calls are dropped, since calls are numbered on.
func (f *feed) restart(cfg Config) {
	f.stop()
	next := newFeed(cfg)
	next.call, next.refresh, next.suspended = f.call, f.refresh, f.suspended
	next.status.interval = f.status.interval
	*f = next
}

// mayAsk tells whether the cluster may be asked at all.
func (f *feed) mayAsk() bool { return f.source != nil && !f.status.paused && !f.suspended }

// stop cancels what is outstanding; its reply will be dropped.
func (f *feed) stop() {
	if f.cancel != nil {
		f.cancel()
		f.cancel = nil
	}
	f.call++
}

// follow makes the outstanding call fit the scope: it begins one when there is
// none, and replaces one that was asked for something else.
func (f *feed) follow(scope model.Scope, query model.Query, revision int) tea.Cmd {
	scope.Interval, scope.Refresh = f.status.interval, f.refresh
	if f.cancel != nil && !sameScope(f.scope, scope) {
		f.stop()
	}
	// The page of a group that has been opened shows what is known at once, in a
	// pause too.
	opened := scope.Open != f.scope.Open && f.snapshot != nil
	if f.cancel != nil || !opened && !f.mayAsk() {
		return nil
	}
	f.scope = scope
	f.call++
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel = cancel
	r := boardRequest{call: f.call, scope: scope, query: query, revision: revision}
	if f.snapshot != nil {
		r.after = f.snapshot.Version
	}
	if opened {
		r.known = f.snapshot
	}
	return watchBoard(ctx, f.source, f.derivers, f.clock, r)
}

// sameScope tells whether two scopes ask for the same.
func sameScope(a, b model.Scope) bool {
	return a.Open == b.Open && a.Interval == b.Interval && a.Refresh == b.Refresh &&
		a.Archived == b.Archived && slices.Equal(a.Visible, b.Visible) && slices.Equal(a.Marked, b.Marked)
}

// watchBoard waits for a snapshot newer than the request's and derives the board.
func watchBoard(
	ctx context.Context, source Snapshotter, derivers chan *deriver, clock func() time.Time, r boardRequest,
) tea.Cmd {
	return func() tea.Msg {
		s, err := r.known, error(nil)
		if s == nil {
			s, err = source.Watch(ctx, r.scope, r.after)
		}
		if err == nil && s == nil {
			err = errNoSnapshot
		}
		if err != nil {
			return boardMsg{call: r.call, err: err}
		}
		return deriveBoard(ctx, derivers, clock, r, s)
	}
}

// deriveBoard takes the deriver, applies the snapshot and arranges the rows.
func deriveBoard(
	ctx context.Context, derivers chan *deriver, clock func() time.Time, r boardRequest, s *model.Snapshot,
) boardMsg {
	select {
	case <-ctx.Done():
		return boardMsg{call: r.call, err: ctx.Err()}
	case d := <-derivers:
		defer func() { derivers <- d }()
		d.tracker.SetInterval(r.scope.Interval)
		board := d.tracker.Apply(s, r.scope.Open, clock())
		return boardMsg{call: r.call, board: board, rows: d.arrange(board, r), revision: r.revision, known: r.known != nil}
	}
}

// deriver makes boards of snapshots, and remembers what the next is made from.
type deriver struct {
	tracker *model.Tracker
	// arranged are the rows of board by the query of that revision.
	board    *model.Board
	revision int
	arranged []*model.Row
}

// arrange filters and sorts a board's rows. While nothing that this depends on
// has changed they are the same list as before.
func (d *deriver) arrange(b *model.Board, r boardRequest) []*model.Row {
	if d.board == nil || d.revision != r.revision || !b.SameRows(d.board) {
		d.revision, d.arranged = r.revision, r.query.Arrange(b)
	}
	d.board = b
	return d.arranged
}

// received books a reply. It returns false for one that is to be dropped, and
// the wait before the next call after a failure.
func (f *feed) received(m boardMsg) (accepted bool, wait tea.Cmd) {
	if m.call != f.call {
		return false, nil
	}
	f.release()
	if m.err == nil {
		f.snapshot = m.board.Snapshot
		f.status.answered = f.snapshot.Answered
		if !m.known {
			f.status.err, f.status.failures = nil, 0
		}
		return true, nil
	}
	f.status.err = m.err
	f.status.failures++
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel = cancel
	return false, waitThen(ctx, retryDelay(f.status.failures), retryMsg{call: f.call})
}

// release frees the context of a call that is over.
func (f *feed) release() {
	if f.cancel != nil {
		f.cancel()
		f.cancel = nil
	}
}

// retry ends the wait after a failure.
func (f *feed) retry(m retryMsg) {
	if m.call == f.call {
		f.release()
	}
}

func retryDelay(failures int) time.Duration {
	d := firstRetry
	for range failures - 1 {
		if d *= 2; d >= lastRetry {
			return lastRetry
		}
	}
	return d
}

// waitThen returns msg after d, or nothing when ctx ends first: a timer that is
// not needed any more leaves no goroutine behind.
func waitThen(ctx context.Context, d time.Duration, msg tea.Msg) tea.Cmd {
	return func() tea.Msg {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
			return msg
		}
	}
}

// arrangedMsg has the rows of a board for a query that changed after it came.
type arrangedMsg struct {
	board    *model.Board
	rows     []*model.Row
	revision int
}

// arrangeRows filters and sorts a board off the Update path.
func arrangeRows(board *model.Board, query model.Query, revision int) tea.Cmd {
	return func() tea.Msg {
		return arrangedMsg{board: board, rows: query.Arrange(board), revision: revision}
	}
}
