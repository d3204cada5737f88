package kafka

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// pump asks one coordinator for the offsets of one group after another.
type pump struct {
	source      *requests
	coordinator int32
	link        *link
	ctx         context.Context
	cancel      context.CancelFunc
	// slots has one token for each request in flight. A token is given back by
	// the real answer only, whoever waits for it: an abandoned request still
	// blocks its connection.
	slots chan struct{}
	wake  chan struct{}

	mu       sync.Mutex
	first    []string            // to be asked now
	queued   map[string]struct{} // in first or in flight
	sweep    []string            // to be asked in turn
	fast     bool
	paced    time.Time // when the next paced request may leave
	failures int
	resting  time.Time // no request before that, after a failure
}

func newPump(source *requests, coordinator int32, l *link) *pump {
	ctx, cancel := context.WithCancel(source.ctx)
	return &pump{
		source: source, coordinator: coordinator, link: l, ctx: ctx, cancel: cancel,
		slots:  make(chan struct{}, maxInFlight),
		wake:   make(chan struct{}, 1),
		queued: make(map[string]struct{}),
	}
}

func (p *pump) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// follow puts groups behind what earlier calls left over.
func (p *pump) follow(groups []string) {
	p.mu.Lock()
	for _, id := range groups {
		if _, there := p.queued[id]; !there {
			p.queued[id] = struct{}{}
			p.first = append(p.first, id)
		}
	}
	p.mu.Unlock()
	p.poke()
}

func (p *pump) addSweep(groups []string, fast bool) {
	p.mu.Lock()
	p.sweep = append(p.sweep, groups...)
	p.fast = fast
	p.mu.Unlock()
	p.poke()
}

// run asks until the pump is cancelled.
func (p *pump) run() {
	for {
		select {
		case p.slots <- struct{}{}:
		case <-p.ctx.Done():
			return
		}
		group, followed, wait := p.next()
		if group != "" {
			p.source.wg.Go(func() {
				defer func() { <-p.slots }()
				p.ask(group, followed)
			})
			continue
		}
		<-p.slots
		if !p.sleep(wait) {
			return
		}
	}
}

// sleep waits for a poke, at most for the given time; 0 means no bound.
func (p *pump) sleep(wait time.Duration) bool {
	var due <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-p.ctx.Done():
		return false
	case <-p.wake:
	case <-due:
	}
	return true
}

// next is the group to ask for now; empty when there is none, and then wait is
// the time until there may be one (0: not before a poke).
func (p *pump) next() (group string, followed bool, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.source.now()
	if wait := p.resting.Sub(now); wait > 0 {
		return "", false, wait
	}
	if len(p.first) > 0 {
		group, p.first = p.first[0], p.first[1:]
		return group, true, 0
	}
	group, wait = p.nextOfSweep(now)
	return group, false, wait
}

func (p *pump) nextOfSweep(now time.Time) (group string, wait time.Duration) {
	for len(p.sweep) > 0 {
		if !p.source.sink.Watched() {
			return "", 0
		}
		if wait := p.paced.Sub(now); wait > 0 && !p.fast {
			return "", wait
		}
		group, p.sweep = p.sweep[0], p.sweep[1:]
		if _, inFlight := p.queued[group]; inFlight || !p.source.sink.Pending(group) {
			continue
		}
		p.queued[group] = struct{}{}
		p.paced = now.Add(p.source.spacing)
		return group, 0
	}
	return "", 0
}

// ask asks for one group and hands the answer to the sink.
func (p *pump) ask(group string, followed bool) {
	resp, err := describeOffsets(p.ctx, p.link, group)
	p.mu.Lock()
	delete(p.queued, group)
	p.mu.Unlock()
	if err != nil {
		p.failed(group, err)
		return
	}
	p.mu.Lock()
	p.failures, p.resting = 0, time.Time{}
	p.mu.Unlock()
	o := groupOffsets(group, resp, p.source.now())
	o.Followed = followed
	p.source.sink.Answered(p.coordinator, o)
}

// failed gives up all that was to be asked here: it comes again with the next
// tick and the next sweep. The pump rests, longer after each failure in a row.
func (p *pump) failed(group string, err error) {
	if p.ctx.Err() != nil || errors.Is(err, kgo.ErrClientClosed) {
		p.source.sink.Unreachable(p.coordinator, []string{group}, err)
		return
	}
	p.mu.Lock()
	if now := p.source.now(); !p.resting.After(now) {
		p.failures++
		p.resting = now.Add(backoff(p.failures))
	}
	p.mu.Unlock()
	p.source.sink.Unreachable(p.coordinator, append(p.takeAll(), group), err)
}

// takeAll empties the queues and returns what was in them.
func (p *pump) takeAll() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := slices.Concat(p.first, p.sweep)
	for _, id := range p.first {
		delete(p.queued, id)
	}
	p.first, p.sweep = nil, nil
	return all
}
