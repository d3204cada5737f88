package kafka

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// scheduled runs a scheduler for the time of a test.
func scheduled(t *testing.T, active func(time.Time) bool) (*scheduler, context.Context) {
	t.Helper()
	var wg workers
	s := newScheduler(time.Now, active, &wg)
	ctx, cancel := context.WithCancel(t.Context())
	wg.Go(func() { s.loop(ctx) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	return s, ctx
}

func always(time.Time) bool { return true }

// runs counts and times the runs of a job.
type runs struct {
	mu      sync.Mutex
	started []time.Time
	now     int
	overlap bool
}

func (r *runs) job(takes time.Duration, fail func(n int) error) func(context.Context) error {
	return func(ctx context.Context) error {
		r.mu.Lock()
		r.started = append(r.started, time.Now())
		n := len(r.started)
		r.now++
		r.overlap = r.overlap || r.now > 1
		r.mu.Unlock()
		defer func() {
			r.mu.Lock()
			r.now--
			r.mu.Unlock()
		}()
		select {
		case <-time.After(takes):
		case <-ctx.Done():
		}
		return fail(n)
	}
}

func (r *runs) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.started)
}

func never(int) error { return nil }

func TestJobNeverOverlapsItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ctx := scheduled(t, always)
		var r runs
		j := s.add(ctx, fixed(time.Second), r.job(2500*time.Millisecond, never))
		for range 20 {
			time.Sleep(500 * time.Millisecond)
			s.kick(j)
		}
		s.remove(j)
		synctest.Wait()
		if n := r.count(); n < 4 || n > 5 {
			t.Errorf("%d runs of 2.5 s in 10 s", n)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.overlap {
			t.Error("two runs at a time")
		}
	})
}

func TestFailuresBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ctx := scheduled(t, always)
		var r runs
		j := s.add(ctx, fixed(time.Second), r.job(0, func(n int) error {
			if n <= 8 {
				return errors.New("down")
			}
			return nil
		}))
		for range 300 {
			time.Sleep(100 * time.Millisecond)
			s.kick(j) // a person who scrolls does not undo the back-off
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		wait := firstBackoff
		for i := 1; i < 9; i++ {
			got := r.started[i].Sub(r.started[i-1])
			if got < wait*4/5 || got > wait*6/5 {
				t.Errorf("wait %d is %s, not %s give or take a fifth", i, got, wait)
			}
			wait = min(2*wait, maxBackoff)
		}
	})
}

func TestForceUndoesTheBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ctx := scheduled(t, always)
		var r runs
		j := s.add(ctx, fixed(time.Second), r.job(0, func(int) error { return errors.New("down") }))
		time.Sleep(20 * time.Second)
		before := r.count()
		s.force(j)
		synctest.Wait()
		if r.count() != before+1 {
			t.Errorf("%d runs, then %d", before, r.count())
		}
	})
}

func TestAwaitWaitsForAWholeRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ctx := scheduled(t, always)
		var r runs
		j := s.add(ctx, fixed(time.Hour), r.job(time.Second, never))
		time.Sleep(500 * time.Millisecond) // in the middle of the first run
		s.settle(ctx, j)
		if n := r.count(); n != 1 {
			t.Errorf("settle: %d runs", n)
		}
		time.Sleep(time.Minute)
		s.kick(j)
		time.Sleep(500 * time.Millisecond)
		began := time.Now()
		s.await(ctx, j)
		if n := r.count(); n != 3 || time.Since(began) != 1500*time.Millisecond {
			t.Errorf("await: %d runs after %s", n, time.Since(began))
		}
		s.remove(j)
		s.await(ctx, j) // does not hang
	})
}

func TestManySoonKicksMakeOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ctx := scheduled(t, always)
		var r runs
		j := s.add(ctx, fixed(time.Hour), r.job(0, never))
		synctest.Wait()
		for range 40 {
			time.Sleep(time.Millisecond)
			s.kickSoon(j)
		}
		time.Sleep(gather)
		if n := r.count(); n != 2 {
			t.Errorf("%d runs", n)
		}
	})
}

// One broker that never answers costs a moment, one that refuses nothing.
func TestHedgeAsksTheNextBroker(t *testing.T) {
	question := func(ctx context.Context, l *link) (string, error) {
		switch l.addr {
		case "silent":
			<-ctx.Done()
			return "", ctx.Err()
		case "down":
			return "", errors.New("refused")
		default:
			return l.addr, nil
		}
	}
	tests := []struct {
		name  string
		addrs []string
		want  string
		after time.Duration
	}{
		{"the first answers", []string{"a", "b"}, "a", 0},
		{"the first refuses", []string{"down", "b"}, "b", 0},
		{"the first is silent", []string{"silent", "b"}, "b", hedgeAfter},
		{"two are silent, one refuses", []string{"silent", "silent", "down", "b"}, "b", 2 * hedgeAfter},
		{"all refuse", []string{"down", "down"}, "", 0},
		{"nobody is known", nil, "", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var links []*link
				for _, addr := range test.addrs {
					links = append(links, newLink(addr, clients{}))
				}
				var wg sync.WaitGroup
				began := time.Now()
				got, l, err := hedge(t.Context(), wg.Go, links, question)
				wg.Wait()
				if got != test.want || (err == nil) != (test.want != "") || (l != nil && l.addr != test.want) {
					t.Errorf("%q from %v, %v", got, l, err)
				}
				if took := time.Since(began); took != test.after {
					t.Errorf("after %s, not %s", took, test.after)
				}
			})
		})
	}
}
