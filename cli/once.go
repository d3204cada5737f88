package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sharetop/model"
)

// once prints one look. The error carries the exit code; nil means that all was
// seen.
func once(ctx context.Context, env Env, s settings, source Snapshotter, rules model.Rules) error {
	l := &look{
		source: source, now: env.Now, group: model.NewGroupID(s.group),
		timeout: s.timeout, watch: s.watch,
		tracker: model.NewTracker(rules),
		scope:   model.Scope{Open: model.NewGroupID(s.group), Once: true, Only: s.group != "", Interval: s.interval},
	}
	l.tracker.SetInterval(s.interval)
	board, err := l.run(ctx)
	if err != nil {
		return err
	}
	if s.group != "" {
		board = narrow(board, l.group)
	}
	if err := write(env, s, board); err != nil {
		return err
	}
	if l.timedOut || !model.AllSeen(board.Snapshot) {
		return &ExitError{Code: ExitPartial, Err: errors.New(partialSentence(board.Snapshot, l.timedOut))}
	}
	return nil
}

// partialSentence says on stderr that something is missing; what it is stands
// in the output.
func partialSentence(s *model.Snapshot, timedOut bool) string {
	n := len(model.AllProblems(s))
	switch {
	case timedOut:
		return "the cluster did not answer everything in time: the output is partial; a longer --timeout may help"
	case n == 1:
		return "the output is partial: 1 problem is listed in it"
	case n > 1:
		return fmt.Sprintf("the output is partial: %d problems are listed in it", n)
	}
	return "the output is partial: some groups were not answered"
}

// narrow leaves one group of a board.
func narrow(b *model.Board, id model.GroupID) *model.Board {
	out := *b
	out.Snapshot = model.Narrow(b.Snapshot, id)
	out.Rows = nil
	if row := b.Row(id); row != nil {
		out.Rows = []*model.Row{row}
	}
	return &out
}

// look waits until everything asked for has been seen once, then for as long
// as it was told to watch.
type look struct {
	source  Snapshotter
	now     func() time.Time
	group   model.GroupID
	timeout time.Duration
	watch   time.Duration
	tracker *model.Tracker
	scope   model.Scope

	last *model.Snapshot
	// news is when the cluster was last heard of.
	news time.Time
	// until is the end of the watch; zero while not everything was seen.
	until time.Time
	// timedOut says that not everything was seen in time.
	timedOut bool
}

// run returns the board to print.
func (l *look) run(ctx context.Context) (*model.Board, error) {
	l.news = l.now()
	for {
		s, err := l.next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, &ExitError{Code: ExitInterrupted, Err: errors.New("interrupted")}
		case errors.Is(err, context.DeadlineExceeded):
			return l.finish()
		case err != nil:
			return nil, fmt.Errorf("watching the cluster failed: %w", err)
		}
		if l.heardMore(s) {
			l.news = l.now()
		}
		l.last = s
		l.tracker.Apply(s, l.group, l.now())
		if done, err := l.step(s); done || err != nil {
			return l.boardNow(), err
		}
	}
}

// next waits for a snapshot, up to the end of the watch or of patience.
func (l *look) next(ctx context.Context) (*model.Snapshot, error) {
	end := l.until
	if end.IsZero() {
		end = l.news.Add(l.timeout)
	}
	ctx, cancel := context.WithTimeout(ctx, end.Sub(l.now()))
	defer cancel()
	after := model.Version(0)
	if l.last != nil {
		after = l.last.Version
	}
	return l.source.Watch(ctx, l.scope, after)
}

// step decides what a snapshot means: wait on, begin the watch, or done.
func (l *look) step(s *model.Snapshot) (done bool, err error) {
	if !l.until.IsZero() {
		return !l.now().Before(l.until), nil
	}
	if cannotConnect(s) {
		return true, unreachable(s)
	}
	if err := l.missing(s); err != nil {
		return true, err
	}
	if !l.complete(s) {
		return false, nil
	}
	if l.watch <= 0 {
		return true, nil
	}
	l.until = l.now().Add(l.watch)
	l.scope.Once = false // from here on at the pace of a screen
	if l.group.Empty() {
		for _, g := range s.Groups {
			l.scope.Visible = append(l.scope.Visible, g.ID)
		}
	}
	return false, nil
}

// finish ends a look by time: the watch is over, or patience is.
func (l *look) finish() (*model.Board, error) {
	if !l.until.IsZero() {
		return l.boardNow(), nil
	}
	if l.last == nil || l.last.Listed.IsZero() {
		return nil, unreachable(l.last)
	}
	if err := l.missing(l.last); err != nil {
		return nil, err
	}
	if !l.group.Empty() && l.last.Group(l.group) == nil {
		return nil, fmt.Errorf("share group %s was not found in time, and not every broker has answered: try a longer --timeout",
			l.group)
	}
	l.timedOut = true
	return l.boardNow(), nil
}

// boardNow derives the board from the last snapshot as of now.
func (l *look) boardNow() *model.Board { return l.tracker.Apply(l.last, l.group, l.now()) }

// heardMore tells whether a snapshot shows progress that the last one did not:
// that alone extends the wait, and it ends with the first sweep.
func (l *look) heardMore(s *model.Snapshot) bool {
	if l.last == nil {
		return !s.Listed.IsZero()
	}
	sweep := s.Offsets.Sweep
	return l.last.Listed.IsZero() && !s.Listed.IsZero() ||
		sweep.Round <= 1 && sweep.Done > l.last.Offsets.Sweep.Done
}

// complete tells whether everything asked for has been seen once. For one
// group that is much sooner than the end of the first sweep.
func (l *look) complete(s *model.Snapshot) bool {
	first := s.Offsets.Sweep.FirstDone
	if l.group.Empty() {
		return first
	}
	g := s.Group(l.group)
	switch {
	case g == nil:
		return false
	case first && (!g.OffsetsAt.IsZero() || len(g.Problems) > 0):
		return true
	}
	settled := first || g.Configs != nil || !g.Settings.At.IsZero()
	return settled && model.GroupSeen(s, g)
}

// missing is the error that there is no such share group, once that is sure.
func (l *look) missing(s *model.Snapshot) error {
	if l.group.Empty() || s.Group(l.group) != nil {
		return nil
	}
	for _, p := range s.Problems {
		if p.Kind == model.ProblemGone && p.Target == model.NewText("group "+l.group.Raw()) {
			return errors.New(lowerFirst(p.Detail))
		}
	}
	if s.Offsets.Sweep.FirstDone && len(model.AllProblems(s)) == 0 {
		return fmt.Errorf("there is no share group %s on this cluster", l.group)
	}
	return nil
}

// cannotConnect tells whether all bootstrap servers were tried and none
// answered: the client then has a problem of the cluster as a whole.
func cannotConnect(s *model.Snapshot) bool {
	if !s.Listed.IsZero() {
		return false
	}
	for _, p := range s.Problems {
		// Denied is a login that was refused.
		wrong := p.Kind == model.ProblemUnreachable || p.Kind == model.ProblemDenied
		if wrong && p.Target == model.NewText("cluster") {
			return true
		}
	}
	return false
}

// unreachable says that nothing was seen: what was tried, why it failed, what
// to check.
func unreachable(s *model.Snapshot) error {
	problems := model.AllProblems(s)
	for _, p := range problems {
		if p.Target == model.NewText("cluster") {
			problems = []model.Problem{p}
			break
		}
	}
	if len(problems) == 0 {
		return &ExitError{Code: ExitUnreachable, Err: errors.New(
			"no broker answered in time: check the bootstrap servers, the network, and whether the listener wants TLS or a login")}
	}
	sentences := make([]string, 0, len(problems))
	for _, p := range problems {
		sentences = append(sentences, strings.TrimSuffix(p.Detail, "."))
		if p.Advice != "" {
			sentences = append(sentences, strings.TrimSuffix(p.Advice, "."))
		}
	}
	return &ExitError{Code: ExitUnreachable, Err: errors.New(lowerFirst(strings.Join(sentences, "; ")))}
}

// lowerFirst makes a sentence fit after "sharetop: ".
func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + strings.TrimSuffix(s[1:], ".")
}
