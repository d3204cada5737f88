package kafka

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Bounds of the back-off after a failure: the first retry comes after
// firstBackoff, each further one after twice as long, up to maxBackoff, give
// or take a fifth so that many clients do not come back together.
const (
	firstBackoff = 250 * time.Millisecond
	maxBackoff   = 5 * time.Second
)

// backoff is the wait before the next try after n failures in a row (n ≥ 1).
func backoff(n int) time.Duration {
	d := maxBackoff
	if n < 6 {
		d = min(firstBackoff<<(n-1), maxBackoff)
	}
	return d - d/5 + rand.N(2*d/5) //nolint:gosec // spreads retries, guards nothing
}

// job is one thing that is done again and again and never overlaps itself.
type job struct {
	// every is the time from one start to the next.
	every func() time.Duration
	run   func(ctx context.Context) error

	// Guarded by scheduler.mu.
	due      time.Time
	running  bool
	again    bool // kicked while it ran
	failures int
	waiters  []*waiter
	cancel   context.CancelFunc
	ctx      context.Context
}

// waiter waits for a run of a job that began after it came.
type waiter struct {
	runs int // that have to end, counting one that was on already
	done chan struct{}
}

// scheduler starts jobs when they are due, as long as somebody watches.
type scheduler struct {
	now    func() time.Time
	active func(now time.Time) bool
	wg     *workers
	wake   chan struct{}

	mu   sync.Mutex
	jobs map[*job]struct{}
}

func newScheduler(now func() time.Time, active func(time.Time) bool, wg *workers) *scheduler {
	return &scheduler{
		now: now, active: active, wg: wg,
		wake: make(chan struct{}, 1), jobs: make(map[*job]struct{}),
	}
}

// newJob makes a job that ends with ctx; begin starts it.
func newJob(ctx context.Context, every func() time.Duration, run func(context.Context) error) *job {
	j := &job{every: every, run: run}
	j.ctx, j.cancel = context.WithCancel(ctx)
	return j
}

// begin makes jobs due at once.
func (s *scheduler) begin(jobs ...*job) {
	s.mu.Lock()
	now := s.now()
	for _, j := range jobs {
		j.due = now
		s.jobs[j] = struct{}{}
	}
	s.mu.Unlock()
	s.poke()
}

// add makes a job that is due at once. It ends with ctx.
func (s *scheduler) add(ctx context.Context, every func() time.Duration, run func(context.Context) error) *job {
	j := newJob(ctx, every, run)
	s.begin(j)
	return j
}

// remove ends a job; what it has on the wire is abandoned.
func (s *scheduler) remove(j *job) {
	j.cancel()
	s.mu.Lock()
	delete(s.jobs, j)
	j.release(true)
	s.mu.Unlock()
}

// kick makes a job due at once. A job that backs off stays backed off: a
// broker that is down is not asked more often because a person scrolls.
func (s *scheduler) kick(jobs ...*job) {
	s.mu.Lock()
	now := s.now()
	for _, j := range jobs {
		switch {
		case j.running:
			j.again = true
		case j.failures == 0:
			j.due = now
		}
	}
	s.mu.Unlock()
	s.poke()
}

// force makes a job due at once, also while it backs off: a person asked.
func (s *scheduler) force(jobs ...*job) {
	s.mu.Lock()
	for _, j := range jobs {
		j.failures = 0
	}
	s.mu.Unlock()
	s.kick(jobs...)
}

// gather is how long kickSoon waits for more of its kind: short enough that
// log ends still belong to the lag they are shown with.
const gather = 50 * time.Millisecond

// kickSoon makes jobs due within gather, so that many kicks make one run.
func (s *scheduler) kickSoon(jobs ...*job) {
	s.mu.Lock()
	due := s.now().Add(gather)
	for _, j := range jobs {
		if j.running {
			j.again = true
		} else if j.failures == 0 && j.due.After(due) {
			j.due = due
		}
	}
	s.mu.Unlock()
	s.poke()
}

// await makes jobs due and waits until each has run once from start to end, has
// failed, or ctx is done.
func (s *scheduler) await(ctx context.Context, jobs ...*job) {
	var waiters []*waiter
	s.mu.Lock()
	for _, j := range jobs {
		if j.failures > 0 || j.ctx.Err() != nil {
			continue
		}
		w := &waiter{runs: 1, done: make(chan struct{})}
		if j.running {
			w.runs = 2
		}
		j.waiters = append(j.waiters, w)
		waiters = append(waiters, w)
	}
	s.mu.Unlock()
	s.kick(jobs...)
	waitAll(ctx, waiters)
}

// settle waits until those of the jobs that run now have ended.
func (s *scheduler) settle(ctx context.Context, jobs ...*job) {
	var waiters []*waiter
	s.mu.Lock()
	for _, j := range jobs {
		if j.running {
			w := &waiter{runs: 1, done: make(chan struct{})}
			j.waiters = append(j.waiters, w)
			waiters = append(waiters, w)
		}
	}
	s.mu.Unlock()
	waitAll(ctx, waiters)
}

func waitAll(ctx context.Context, waiters []*waiter) {
	for _, w := range waiters {
		select {
		case <-w.done:
		case <-ctx.Done():
			return
		}
	}
}

// release lets those go on whose run has ended; s.mu is held.
func (j *job) release(all bool) {
	left := j.waiters[:0]
	for _, w := range j.waiters {
		if w.runs--; w.runs <= 0 || all {
			close(w.done)
		} else {
			left = append(left, w)
		}
	}
	j.waiters = left
}

// poke makes the loop look again.
func (s *scheduler) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// loop runs until ctx is done.
func (s *scheduler) loop(ctx context.Context) {
	for {
		timer := time.NewTimer(s.startDue())
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-s.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// idleCheck is how often the loop looks when nothing is due.
const idleCheck = time.Minute

// startDue starts what is due and returns the time until something else is.
func (s *scheduler) startDue() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if !s.active(now) {
		return idleCheck
	}
	next := idleCheck
	for j := range s.jobs {
		if j.running {
			continue
		}
		if wait := j.due.Sub(now); wait > 0 {
			next = min(next, wait)
			continue
		}
		s.start(j, now)
	}
	return next
}

// start runs a job once; s.mu is held.
func (s *scheduler) start(j *job, now time.Time) {
	if j.ctx.Err() != nil {
		return
	}
	j.running, j.again = true, false
	s.wg.Go(func() {
		err := j.run(j.ctx)
		s.ended(j, now, err)
	})
}

// ended says when a job is due again.
func (s *scheduler) ended(j *job, started time.Time, err error) {
	s.mu.Lock()
	j.running = false
	j.release(err != nil)
	switch {
	case err != nil:
		j.failures++
		j.due = s.now().Add(backoff(j.failures))
	case j.again:
		j.failures, j.due = 0, s.now()
	default:
		j.failures, j.due = 0, started.Add(j.every())
	}
	s.mu.Unlock()
	s.poke()
}
