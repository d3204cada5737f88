package kafka

import (
	"context"
	"sync"
)

// turns hands out turns in the order in which they were asked for: a request that
// was asked for before another leaves before it, also when both wait.
type turns struct {
	mu   sync.Mutex
	last <-chan struct{}
}

// turn is one place in the line. It is ended with end, or given up with drop.
type turn struct {
	// before is closed once all turns before this one are over.
	before <-chan struct{}
	over   chan struct{}
}

// next takes the place behind all others.
func (t *turns) next() *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := &turn{before: t.last, over: make(chan struct{})}
	if out.before == nil {
		out.before = closedChannel()
	}
	t.last = out.over
	return out
}

func closedChannel() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// await waits for the turn. After an error it is given up.
func (t *turn) await(ctx context.Context) error {
	select {
	case <-t.before:
		return nil
	default:
	}
	select {
	case <-t.before:
		return nil
	case <-ctx.Done():
		t.drop()
		return ctx.Err()
	}
}

// end is called when what had the turn is over.
func (t *turn) end() { close(t.over) }

// drop gives up a turn that did not come yet. Those behind it go on waiting for
// those before it, each of which is bounded.
func (t *turn) drop() {
	go func() {
		<-t.before
		close(t.over)
	}()
}

// lineUp takes the next turn at a broker; false once the session is being left:
// what has lined up by then comes before leaving, and nothing comes after it.
func (s *Session) lineUp(b *sessionBroker) (*turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isLeaving() {
		return nil, false
	}
	return b.turns.next(), true
}

// lastTurns are the turns of leaving: one at each broker that the session ever
// asked, and one among the heartbeats.
type lastTurns struct {
	at   map[*sessionBroker]*turn
	beat *turn
}

// beginLeaving lets nothing more line up. What is over by now was not held any
// more; what ends from now on is named.
func (s *Session) beginLeaving() lastTurns {
	s.heldUntil()
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.leaving)
	last := lastTurns{at: make(map[*sessionBroker]*turn, len(s.everyBroker)), beat: s.beats.next()}
	for _, b := range s.everyBroker {
		last.at[b] = b.turns.next()
	}
	return last
}

// awaitSends waits for all decisions and renewals that have lined up by now.
func (s *Session) awaitSends(ctx context.Context) error {
	s.mu.Lock()
	brokers := s.everyBroker
	s.mu.Unlock()
	for _, b := range brokers {
		t, ok := s.lineUp(b)
		if !ok {
			return errLeaving
		}
		if err := t.await(ctx); err != nil {
			return err
		}
		t.end()
	}
	return nil
}
