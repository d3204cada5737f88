package demo

import (
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

// event is something that others did; it returns what that adds to the state
// topic. The coordinator runs events one by one.
type event func() []*kgo.Record

// events are those that the coordinator has not run yet, in the order in which
// they were seen. They never make the brokers wait.
type events struct {
	mu      sync.Mutex
	waiting []event
	some    chan struct{}
}

func newEvents() *events { return &events{some: make(chan struct{}, 1)} }

func (e *events) add(more event) {
	e.mu.Lock()
	e.waiting = append(e.waiting, more)
	e.mu.Unlock()
	select {
	case e.some <- struct{}{}:
	default:
	}
}

func (e *events) take() []event {
	e.mu.Lock()
	defer e.mu.Unlock()
	taken := e.waiting
	e.waiting = nil
	return taken
}
