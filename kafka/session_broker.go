package kafka

import (
	"context"
	"sync"
)

// sessionBroker is the share session with one broker. Requests to it go one at
// a time, since each has the epoch after the one before.
type sessionBroker struct {
	id   int32
	link *link
	// turns are those of the requests.
	turns turns
	// shut is true once leaving has given up waiting for its turn: what still waits
	// before it is not sent any more. The session's mu guards it.
	shut bool

	// silent is true when the last fetch was not answered as it should be. Only the
	// one who takes records uses it.
	silent bool

	mu    sync.Mutex
	epoch int32
	known map[partitionKey]bool
	// leftOpen is true when a share session was given up that the broker may still
	// have.
	leftOpen bool
}

func newSessionBroker(id int32, l *link) *sessionBroker {
	return &sessionBroker{id: id, link: l, known: make(map[partitionKey]bool)}
}

// next is the epoch of the next request.
func (b *sessionBroker) next() int32 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.epoch
}

// answered moves the epoch on after a request that the broker took.
func (b *sessionBroker) answered() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.epoch++
}

// reset begins a new share session with the next fetch: the broker has none.
func (b *sessionBroker) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.epoch = 0
	clear(b.known)
}

// cut gives up the share session together with its connection; the next fetch
// opens both.
func (b *sessionBroker) cut() {
	b.reset()
	b.mu.Lock()
	b.leftOpen = true
	b.mu.Unlock()
	b.link.cutSession()
}

// mayBeOpen tells whether the broker may have a share session of the member.
func (b *sessionBroker) mayBeOpen() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.epoch > 0 || b.leftOpen
}

// closeLeftOpen closes a share session that was given up with its connection. The
// broker gives back what was held in it once it sees that the connection has
// ended, but not when it has a new session of the member by then.
func (s *Session) closeLeftOpen(ctx context.Context, b *sessionBroker) error {
	b.mu.Lock()
	leftOpen := b.leftOpen
	b.mu.Unlock()
	if !leftOpen {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if _, err := s.acknowledgeLocked(ctx, b, nil, closeEpoch, false); err != nil {
		b.cut()
		return &refusedFetch{whyUnreachable(err)}
	}
	b.mu.Lock()
	b.leftOpen = false
	b.mu.Unlock()
	return nil
}
