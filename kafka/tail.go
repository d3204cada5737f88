package kafka

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"sharetop/kafka/statetopic"
	"sharetop/model"
)

// tail reads the state topic: from its log start to its end, and then on. It
// owns the table of all states and hands them to the client's state.
//
// Lock order: tail.mu, then state.mu. What the table has and what the state was
// told of it are the same whenever tail.mu is free.
type tail struct {
	c      *Client
	choice model.OffsetsChoice
	budget model.StateBudget
	wake   chan struct{}
	// settled is true once a first try has ended, or there is to be none: a
	// printout waits for it.
	settled atomic.Bool
	// busy is true while the topic is read, or about to be.
	busy atomic.Bool

	mu sync.Mutex
	// topic is the state topic as last seen; nil while no table is held.
	topic *stateTopicFacts
	table *statetopic.Table
	// only is the one group whose partitions are read; empty for all.
	only  string
	parts map[int32]*tailPart
	phase model.TailPhase
	// stop ends the stay at the topic that is under way.
	stop context.CancelCauseFunc

	began    time.Time // the load
	endsAt   time.Time // when the ends were sampled that a load goes up to
	took     time.Duration
	checked  time.Time // see model.Tail.CheckedAt
	sampled  time.Time // when the ends in parts were
	reread   time.Time // when a new reader was last made because one was behind
	behind   int64
	setbacks int // in a row
	reloads  int // in a row
	why      *setback
	retryAt  time.Time
	meter    meter
	metered  int64 // Stats.Bytes when last metered
	moved    int   // state.identities when all was last published

	events eventLog
	told   toldTail
}

// tailPart is one partition of the state topic.
type tailPart struct {
	// start and target are the log start and the end that the load goes up to.
	start, target int64
	// next is the offset to read next.
	next int64
	// end is the last sampled end; late since when it was not reached.
	end  int64
	late time.Time
	// given is true while what belongs here is asked for by requests.
	given bool
}

func newTail(c *Client) *tail {
	t := &tail{c: c, choice: c.conn.OffsetsFrom, budget: c.conn.StateBudget.OrDefault(), wake: make(chan struct{}, 1)}
	t.settled.Store(t.off())
	return t
}

// off tells that the state topic is never read.
func (t *tail) off() bool { return t.choice == model.OffsetsByRequests }

// forced tells that nothing else is asked for offsets.
func (t *tail) forced() bool { return t.choice == model.OffsetsByStateTopic }

func (t *tail) isReading() bool { return t.busy.Load() }

func (t *tail) poke() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// retry makes the next try due now.
func (t *tail) retry() {
	t.mu.Lock()
	t.retryAt = time.Time{}
	t.mu.Unlock()
	t.poke()
}

// run reads whenever somebody watches, until the client is closed.
func (t *tail) run() {
	for t.await() {
		ctx, stop := context.WithCancelCause(t.c.ctx)
		t.mu.Lock()
		t.stop = stop
		t.mu.Unlock()
		t.busy.Store(true)
		err := t.stay(ctx)
		t.busy.Store(false)
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		stop(nil)
		t.left(err)
	}
}

// await waits until somebody watches and a try is due. It returns false once
// the client is closed.
func (t *tail) await() bool {
	for t.c.ctx.Err() == nil {
		wait, ready := t.due()
		if ready {
			return true
		}
		if !sleepUntil(t.c.ctx, t.wake, wait) {
			return false
		}
	}
	return false
}

// due is the time until a try may be due; 0 when only a poke can make it so.
func (t *tail) due() (wait time.Duration, ready bool) {
	now := t.c.opts.Now()
	if !t.c.demand.active(now) || t.c.demand.scope().NoOffsets {
		return 0, false
	}
	t.mu.Lock()
	wait = t.retryAt.Sub(now)
	t.mu.Unlock()
	return wait, wait <= 0
}

// sleepUntil waits for a wake-up, at most for the given time; 0 means no bound.
func sleepUntil(ctx context.Context, wake <-chan struct{}, wait time.Duration) bool {
	var due <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
		return false
	case <-wake:
	case <-due:
	}
	return true
}

// left notes how a stay at the topic ended.
func (t *tail) left(err error) {
	if t.c.ctx.Err() != nil {
		return
	}
	_, final := errors.AsType[*setback](err)
	t.mu.Lock()
	lost := t.live()
	switch {
	case errors.Is(err, errPaused):
	case errors.Is(err, errReload) && t.reloads < maxReloads:
		t.reloads++
	case t.live() && !final:
		// It may pass: what is held stays, and the checks tell its age.
		t.setbacks++
		t.retryAt = t.c.opts.Now().Add(asSetback(err).wait(t.setbacks))
		t.c.opts.Logf("reading the state topic: %v", err)
	default:
		t.fall(asSetback(err))
	}
	t.tell()
	fallen := t.table == nil
	t.mu.Unlock()
	if fallen {
		t.c.fellBack(lost)
	}
}

// maxReloads bounds loads of parts in a row, without a load that was complete
// in between: pruning that outruns us is told instead.
const maxReloads = 5

// fall gives up the state topic for now; t.mu is held.
func (t *tail) fall(s *setback) {
	t.setbacks++
	t.reloads = 0
	t.why, t.retryAt = s, t.c.opts.Now().Add(s.wait(t.setbacks))
	t.phase, t.topic, t.table, t.parts = model.TailOff, nil, nil, nil
	t.events = eventLog{}
	t.tellBehind(0, time.Time{}, nil) // nothing is shown from there any more
	t.c.opts.Logf("the state topic is not read: %s; next try at %s", s.why, t.retryAt)
	t.settled.Store(true)
}

// live tells whether offsets come from the state topic; t.mu is held.
func (t *tail) live() bool { return t.phase == model.TailLive || t.phase == model.TailBehind }

// covers tells whether a group's offsets come from the state topic; t.mu is
// held. A group is not covered while a partition that has its state is behind
// for long, or some of its state can't be read.
func (t *tail) covers(group string) bool {
	if !t.live() || (t.only != "" && group != t.only) {
		return false
	}
	if t.table.Err(group) != nil {
		return false
	}
	return !t.someGiven() || !t.isGiven(group)
}

// coversAll tells whether every group's offsets come from the state topic.
func (t *tail) coversAll() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.live() && t.only == "" && t.table.Sound() && !t.someGiven()
}

// isGiven tells whether requests have taken over a partition that a group's
// state belongs into; where none of it is known it may be any, and one that is to
// be loaded again may have had any group's.
func (t *tail) isGiven(group string) bool {
	for id, p := range t.parts {
		if p.given && !t.table.Watched(id) {
			return true
		}
	}
	parts := t.table.Group(group)
	for i := range parts {
		p := t.parts[statetopic.PartitionFor(statetopic.ShareKey{
			Group: group, TopicID: parts[i].TopicID, Partition: parts[i].Partition,
		}, t.topic.count())]
		if p == nil || p.given {
			return true
		}
	}
	return len(parts) == 0
}

// someGiven tells whether requests have taken over some partition.
func (t *tail) someGiven() bool {
	for _, p := range t.parts {
		if p.given {
			return true
		}
	}
	return false
}

// allGiven tells whether requests have taken over all of them.
func (t *tail) allGiven() bool {
	for _, p := range t.parts {
		if !p.given {
			return false
		}
	}
	return true
}

// split divides groups into those that the state topic covers and the others.
func (t *tail) split(groups []string) (covered, others []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.live() {
		return nil, groups
	}
	covered = make([]string, 0, len(groups))
	for _, id := range groups {
		if t.covers(id) {
			covered = append(covered, id)
		} else {
			others = append(others, id)
		}
	}
	return covered, others
}
