package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sharetop/model"
)

// look waits until everything asked for has been seen once, then for as long
// as it was told to watch.
type look struct {
	source  Snapshotter
	now     func() time.Time
	timeout time.Duration
	watch   time.Duration
	tracker *model.Tracker
	scope   model.Scope
	// ids are the groups asked for; empty for all.
	ids []model.GroupID
	// thorough waits for what comes after all that is usually printed of a single
	// group: what the state topic tells of it, or without offsets its configs.
	thorough bool

	// first is what had been seen when the watch began, last what was seen last.
	first, last *model.Snapshot
	// news is when the cluster was last heard of.
	news time.Time
	// until is the end of the watch; zero while not everything was seen.
	until time.Time
	// timedOut says that not everything was seen in time.
	timedOut bool
}

// newLook prepares a look at all groups.
func newLook(env Env, source Snapshotter, rules model.Rules, timeout time.Duration) *look {
	return &look{
		source: source, now: env.Now, timeout: timeout,
		tracker: model.NewTracker(rules), scope: model.Scope{Once: true},
	}
}

// maxNamed bounds the groups that a look is limited to; of more it asks for all
// groups, which is cheaper by then.
const maxNamed = 100

// about limits the look to some groups.
func (l *look) about(ids ...model.GroupID) {
	l.ids = ids
	switch {
	case len(ids) == 1:
		l.scope.Open, l.scope.Only = ids[0], true
	case len(ids) <= maxNamed:
		l.scope.Visible, l.scope.Only = ids, true
	}
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
		if l.watch > 0 { // each look counts for rates, else the last one does
			l.tracker.Apply(s, l.scope.Open, l.now())
		}
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
	if !l.complete(s) {
		return false, nil
	}
	if l.watch <= 0 {
		return true, nil
	}
	l.first, l.until = s, l.now().Add(l.watch)
	l.scope.Once = false // from here on at the pace of a screen
	if len(l.ids) == 0 {
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
	l.timedOut = true
	return l.boardNow(), nil
}

// boardNow derives the board from the last snapshot as of now; without offsets
// there is nothing to derive, and no rows.
func (l *look) boardNow() *model.Board {
	if l.scope.NoOffsets {
		return &model.Board{Snapshot: l.last}
	}
	return l.tracker.Apply(l.last, l.scope.Open, l.now())
}

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

// complete tells whether everything asked for has been seen once. For some
// groups that is much sooner than the end of the first sweep.
func (l *look) complete(s *model.Snapshot) bool {
	switch {
	case l.scope.ListOnly:
		return !s.Listed.IsZero()
	case len(l.ids) == 0 && l.scope.NoOffsets:
		return !s.Listed.IsZero() && !slices.ContainsFunc(s.Groups, func(g *model.Group) bool { return !described(g) })
	case len(l.ids) == 0:
		return s.Offsets.Sweep.FirstDone
	}
	for _, id := range l.ids {
		if !l.seen(s, id) {
			return false
		}
	}
	return true
}

// seen tells whether all that is wanted of one group was seen, or that there is
// no such group.
func (l *look) seen(s *model.Snapshot, id model.GroupID) bool {
	g := s.Group(id)
	switch {
	case g == nil:
		return l.missing(s, id) != nil
	case l.scope.NoOffsets:
		return described(g) && (!l.thorough || g.Configs != nil)
	}
	first := s.Offsets.Sweep.FirstDone
	if first && (!g.OffsetsAt.IsZero() || len(g.Problems) > 0) {
		return true
	}
	settled := first || !l.thorough && (g.Configs != nil || g.Settings != nil)
	return settled && model.GroupSeen(s, g)
}

// described tells whether a group was described, or can't be.
func described(g *model.Group) bool { return !g.Described.IsZero() || len(g.Problems) > 0 }

// missing is the error that there is no such share group, or none that this user
// may see, once that is sure.
func (l *look) missing(s *model.Snapshot, id model.GroupID) error {
	if s.Group(id) != nil {
		return nil
	}
	if p := problemOfGroup(s, id); p != nil && lasts(p.Kind) {
		return errors.New(sentence(*p))
	}
	// The opened one is asked for even where no broker lists it.
	listed := s.Offsets.Sweep.FirstDone || id != l.scope.Open && !s.Listed.IsZero()
	if listed && !slices.ContainsFunc(s.Problems, hidesGroups) {
		return fmt.Errorf("there is no share group %s on this cluster, or this user may not describe it", id)
	}
	return nil
}

// problemOfGroup is what is told of a group that is not there; nil when nothing is.
func problemOfGroup(s *model.Snapshot, id model.GroupID) *model.Problem {
	at := slices.IndexFunc(s.Problems, func(p model.Problem) bool { return p.Target == model.NewText("group "+id.Raw()) })
	if at < 0 {
		return nil
	}
	return &s.Problems[at]
}

// lasts tells whether a problem of a group is there to stay.
func lasts(kind model.ProblemKind) bool {
	return kind == model.ProblemGone || kind == model.ProblemDenied || kind == model.ProblemFeature
}

// sentence is a problem as the end of a sentence: what is wrong, and the remedy.
func sentence(p model.Problem) string {
	text := lowerFirst(p.Detail)
	if p.Advice != "" {
		text += "; to fix it: " + p.Advice
	}
	return text
}

// hidesGroups tells whether a problem may keep a whole group from being listed.
func hidesGroups(p model.Problem) bool {
	kind, _, _ := strings.Cut(p.Target.Raw(), " ")
	return !p.Configs && (kind == "broker" || kind == "cluster")
}

// absence is why a group that was asked for is not on the board; nil when it is.
func (l *look) absence(id model.GroupID) error {
	if l.last.Group(id) != nil {
		return nil
	}
	if err := l.missing(l.last, id); err != nil {
		return err
	}
	if p := problemOfGroup(l.last, id); p != nil {
		return errors.New(sentence(*p))
	}
	return fmt.Errorf("share group %s was not found in time, and not every broker has answered: try a longer --timeout", id)
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
