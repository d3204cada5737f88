package kafka

import (
	"sync"
	"time"

	"sharetop/model"
)

// sources is the OffsetSource of a client: the state topic for all that it
// covers, requests for the rest.
type sources struct {
	requests *requests
	tail     *tail
	sink     OffsetSink

	mu sync.Mutex
	// held are sweeps that wait for the state topic; none once it is released.
	held     []heldSweep
	released bool
}

// heldSweep is what Sweep was called with.
type heldSweep struct {
	coordinator int32
	groups      []string
	fast        bool
}

// holdSweep is how long a sweep waits for the state topic at the start: that
// takes a tenth of it as a rule, and makes a sweep needless. What is on screen
// is asked for at once.
const holdSweep = time.Second

// Kind is where most offsets come from now.
func (s *sources) Kind() model.OffsetsSource {
	s.tail.mu.Lock()
	defer s.tail.mu.Unlock()
	return s.tail.kind()
}

// Follow asks for those groups that the state topic does not cover.
func (s *sources) Follow(coordinator int32, groups []string) {
	covered, others := s.tail.split(groups)
	s.tail.publish(s.tail.c.state.notLive(covered))
	if len(others) > 0 && !s.tail.forced() {
		s.requests.Follow(coordinator, others)
	}
}

// Sweep does the same in turn. With the state topic forced, the others are done
// once a try to read it has ended: nobody else is asked.
func (s *sources) Sweep(coordinator int32, groups []string, fast bool) {
	covered, others := s.tail.split(groups)
	s.tail.publish(s.tail.c.state.notLive(covered))
	if len(covered) > 0 {
		s.tail.c.swept(covered...)
	}
	switch {
	case len(others) == 0:
	case !s.tail.forced():
		if sweep := (heldSweep{coordinator, others, fast}); !s.hold(sweep) {
			s.requests.Sweep(coordinator, others, fast)
		}
	case s.tail.settled.Load():
		s.tail.c.swept(others...)
	}
}

// hold keeps a sweep until release, if it is to wait. A single group is asked
// for at once, since the state topic waits for the answer.
func (s *sources) hold(sweep heldSweep) bool {
	if s.tail.settled.Load() || s.tail.oneWanted() != "" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.released {
		return false
	}
	if len(s.held) == 0 {
		time.AfterFunc(holdSweep, s.release)
	}
	s.held = append(s.held, sweep)
	return true
}

// release lets go on what was held, from now on at once.
func (s *sources) release() {
	s.mu.Lock()
	held := s.held
	s.held, s.released = nil, true
	s.mu.Unlock()
	for _, sweep := range held {
		if _, others := s.tail.split(sweep.groups); len(others) > 0 {
			s.requests.Sweep(sweep.coordinator, others, sweep.fast)
		}
	}
}

// Forget implements OffsetSource.
func (s *sources) Forget(coordinator int32) { s.requests.Forget(coordinator) }

// Wake implements OffsetSource.
func (s *sources) Wake() {
	s.requests.Wake()
	s.tail.poke()
}

// Close implements OffsetSource; the tail ends with the client's context.
func (s *sources) Close() { s.requests.Close() }

// Answered implements OffsetSink for the requests: what the state topic covers
// is not taken from them, but can be held against it.
func (s *sources) Answered(coordinator int32, o *GroupOffsets) {
	s.tail.mu.Lock()
	defer s.tail.mu.Unlock()
	if s.tail.covers(o.Group) {
		s.tail.c.cross.answered(o)
		s.tail.c.swept(o.Group)
		return
	}
	s.sink.Answered(coordinator, o)
	s.tail.poke()
}

// Unreachable implements OffsetSink.
func (s *sources) Unreachable(coordinator int32, groups []string, err error) {
	_, others := s.tail.split(groups)
	s.sink.Unreachable(coordinator, others, err)
}

// Pending implements OffsetSink.
func (s *sources) Pending(group string) bool { return s.sink.Pending(group) }

// Watched implements OffsetSink.
func (s *sources) Watched() bool { return s.sink.Watched() }

// fellBack has the requests go on without the state topic. Only when groups lost
// it that had it are they asked for at once: a try that fails changes nothing
// for anybody, and comes again and again.
func (c *Client) fellBack(lost bool) {
	c.both.release()
	if c.tail.forced() {
		c.swept(c.sweeper.unanswered()...)
	} else {
		c.swept()
	}
	if lost {
		c.schedule.kick(c.nodes.censuses()...)
	}
}
