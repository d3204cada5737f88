package kafka

import (
	"context"
	"runtime/debug"
	"sync"

	"sharetop/model"
)

// Bounds of peeks that are under way at the same time.
const (
	// peeksAtOnce is how many there are of small records: each may hold
	// model.MaxPeekBytes, twice for a moment.
	peeksAtOnce = 4
	// largeBatch is the size from which on a batch makes peeks at its topic go one
	// by one: it takes several times as much while it is unpacked.
	largeBatch = model.MaxPeekBytes
	// maxPeekSizes bounds the topics whose size is remembered.
	maxPeekSizes = 1024
)

// peekGate bounds what peeks that are made at the same time take of memory: a
// screen asks for all partitions of a topic at once, and each answer can be a
// batch of tens of megabytes. Of a topic with such batches, or of which nothing
// was seen yet, one is let through alone.
type peekGate struct {
	// turn has the one who takes slots, so that nobody waits for some of them with
	// others in hand.
	turn  chan struct{}
	slots chan struct{}

	mu sync.Mutex
	// small has the topics that were seen, and whether all their batches were
	// small.
	small map[string]bool
}

func newPeekGate() *peekGate {
	return &peekGate{
		turn: make(chan struct{}, 1), slots: make(chan struct{}, peeksAtOnce),
		small: make(map[string]bool),
	}
}

// enter waits for room to peek at a topic. The error is ctx's.
func (g *peekGate) enter(ctx context.Context, topic string) (leave func(), err error) {
	select {
	case g.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-g.turn }()
	taken := 0
	leave = func() {
		if g.sawLarge(topic) {
			debug.FreeOSMemory() // unpacking leaves several times the batch behind
		}
		for range taken {
			<-g.slots
		}
	}
	for range g.needs(topic) {
		select {
		case g.slots <- struct{}{}:
			taken++
		case <-ctx.Done():
			leave()
			return nil, ctx.Err()
		}
	}
	return leave, nil
}

// needs is how many slots a peek at a topic takes.
func (g *peekGate) needs(topic string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.small[topic] {
		return 1
	}
	return peeksAtOnce
}

// sawLarge tells whether a topic had a large batch.
func (g *peekGate) sawLarge(topic string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	small, known := g.small[topic]
	return known && !small
}

// saw notes the size of a topic's largest batch so far.
func (g *peekGate) saw(topic string, size int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	small, known := g.small[topic]
	if !known && len(g.small) >= maxPeekSizes {
		clear(g.small)
	}
	g.small[topic] = (small || !known) && size < largeBatch
}
