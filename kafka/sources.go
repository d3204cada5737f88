package kafka

import "sharetop/model"

// sources is the OffsetSource of a client: the state topic for all that it
// covers, requests for the rest.
type sources struct {
	requests *requests
	tail     *tail
	sink     OffsetSink
}

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
		s.requests.Sweep(coordinator, others, fast)
	case s.tail.settled.Load():
		s.tail.c.swept(others...)
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

// fellBack makes the requests take over at once.
func (c *Client) fellBack() {
	if c.tail.forced() {
		c.swept(c.sweeper.left()...)
	} else {
		c.swept()
	}
	c.schedule.kick(c.nodes.censuses()...)
}
