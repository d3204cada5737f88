package kafka

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"sharetop/model"
)

// snapshotGap is the shortest time between two snapshots: 20 a second at most.
const snapshotGap = 50 * time.Millisecond

// gapFor is the shortest time between two snapshots for a scope. A printout of
// a few groups, or of no offsets, is over after a handful of answers, and has
// nothing to redraw.
func gapFor(scope model.Scope) time.Duration {
	if scope.Once && (scope.Only || scope.NoOffsets) {
		return 0
	}
	return snapshotGap
}

// publisher says when a snapshot is due. All of it is guarded by state.mu.
type publisher struct {
	isDirty bool
	// urgent makes the next snapshot not wait: a broker's first list, the switch
	// to the state topic, and the end of the first sweep, which is all that a
	// printout waits for.
	urgent bool
	// moved is closed when something changes that no snapshot has yet, hurried
	// when that is urgent.
	moved, hurried chan struct{}
	// holds counts who is about to change several things that belong into one
	// snapshot; none is made before all are done, when freed is closed.
	holds int
	freed chan struct{}
	// last is the newest snapshot; nil before the first.
	last *model.Snapshot
	// at is when it was made.
	at time.Time
}

func newPublisher() publisher {
	return publisher{moved: make(chan struct{}), hurried: make(chan struct{})}
}

// urge makes the next snapshot due at once, also for who waits for its time.
func (p *publisher) urge() {
	p.dirty()
	if !p.urgent {
		p.urgent = true
		close(p.hurried)
	}
}

// dirty notes that the next snapshot differs from the last.
func (p *publisher) dirty() {
	if !p.isDirty {
		p.isDirty = true
		close(p.moved)
	}
}

// together makes one snapshot of all that f changes, and not one of half of it:
// deriving a board from thousands of changed groups costs more than the changes.
// F must not wait for anything.
func (s *state) together(f func()) {
	s.mu.Lock()
	if s.pub.holds++; s.pub.holds == 1 {
		s.pub.freed = make(chan struct{})
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.pub.holds--; s.pub.holds == 0 {
			close(s.pub.freed)
		}
	}()
	f()
}

// quietGap is how long a change may wait that nobody looks for: that a group off
// the screen was answered with the same values again.
const quietGap = 500 * time.Millisecond

// quiet notes such a change: it goes with the next snapshot that is made for
// another reason, or makes one when the last is quietGap ago.
func (p *publisher) quiet(now time.Time) {
	if now.Sub(p.at) >= quietGap {
		p.dirty()
	}
}

// next returns the first snapshot newer than after: at once where there is one,
// else as soon as something changes, but never two within gap. The first change
// after a quiet gap is returned at once.
func (s *state) next(ctx context.Context, closed <-chan struct{}, after model.Version, gap time.Duration) (*model.Snapshot, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		snapshot, moved, wait := s.poll(gap)
		if snapshot != nil && snapshot.Version > after {
			return snapshot, nil
		}
		if err := pause(ctx, closed, moved, wait); err != nil {
			return nil, err
		}
	}
}

// pause waits for moved, or, where something has changed already, for the time
// until a snapshot may be made.
func pause(ctx context.Context, closed, moved <-chan struct{}, wait time.Duration) error {
	var due <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-closed:
		return ErrClosed
	case <-moved:
	case <-due:
	}
	return nil
}

// poll makes a snapshot if one is due. Wait is above zero when there is a
// change that has to wait until gap is over, unless moved is closed before: an
// urgent one is there then.
func (s *state) poll(gap time.Duration) (snapshot *model.Snapshot, moved <-chan struct{}, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pub.holds > 0 {
		return s.pub.last, s.pub.freed, 0
	}
	if s.pub.isDirty {
		now := s.now()
		if s.pub.last != nil && !s.pub.urgent {
			wait = gap - now.Sub(s.pub.at)
		}
		if wait <= 0 || wait > gap { // above: the clock was set back
			wait = 0
			s.build(now)
		}
	}
	if wait > 0 {
		return s.pub.last, s.pub.hurried, wait
	}
	return s.pub.last, s.pub.moved, 0
}

// build makes the next snapshot, sharing with the last all that did not change;
// s.mu is held.
func (s *state) build(now time.Time) {
	last := s.pub.last
	if last == nil {
		last = &model.Snapshot{}
	}
	next := &model.Snapshot{
		Version:  last.Version + 1,
		Taken:    now,
		Answered: s.answered.at(),
		Cluster:  s.cluster,
		Offsets:  s.offsets,
		Listed:   s.listedSince(),
		Groups:   s.arrangeGroups(last.Groups),
		Topics:   last.Topics, Problems: last.Problems,
		State: s.view,
	}
	if s.topicsMoved || next.Topics == nil {
		next.Topics = make(map[model.TopicName]*model.Topic, len(s.topics))
		for _, e := range s.topics {
			next.Topics[e.topic.Name] = e.topic
		}
	}
	if s.problemsMoved {
		next.Problems = s.arrangeProblems()
	}
	s.topicsMoved, s.problemsMoved = false, false
	if s.pub.urgent {
		s.pub.urgent, s.pub.hurried = false, make(chan struct{})
	}
	s.pub.last, s.pub.at, s.pub.isDirty = next, now, false
	s.pub.moved = make(chan struct{})
}

// arrangeGroups is the list of groups, sorted by raw id. Where none came or
// went, the last list is copied and only what changed is replaced.
func (s *state) arrangeGroups(last []*model.Group) []*model.Group {
	defer func() {
		for _, e := range s.changed {
			e.queued = false
		}
		clear(s.changed)
		s.changed, s.membership = s.changed[:0], false
	}()
	if !s.membership {
		if len(s.changed) == 0 {
			return last
		}
		groups := slices.Clone(last)
		for _, e := range s.changed {
			if e.index >= 0 {
				groups[e.index] = e.group
			}
		}
		return groups
	}
	ids := slices.Sorted(maps.Keys(s.groups))
	groups := make([]*model.Group, len(ids))
	for i, id := range ids {
		e := s.groups[id]
		e.index, groups[i] = int32(i), e.group //nolint:gosec // far fewer
	}
	return groups
}

// arrangeProblems are all problems, sorted by kind, target and text.
func (s *state) arrangeProblems() []model.Problem {
	all := make([]model.Problem, 0, len(s.problems))
	for _, p := range s.problems {
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b model.Problem) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), compareRaw(a.Target.Raw(), b.Target.Raw()),
			compareRaw(a.Detail, b.Detail))
	})
	return all
}

// listedSince is when every reachable broker's list was known; zero as long as
// one that has not failed is missing.
func (s *state) listedSince() time.Time {
	var oldest time.Time
	for _, l := range s.listings {
		switch {
		case l.failed:
		case l.at.IsZero():
			return time.Time{}
		case oldest.IsZero() || l.at.Before(oldest):
			oldest = l.at
		}
	}
	return oldest
}
