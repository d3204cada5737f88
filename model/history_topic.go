package model

import "time"

// topicHistories has a history for each topic that a known group reads,
// counted by use, so that none outlives its groups.
type topicHistories map[TopicName]*topicHistory

// topicHistory is what is remembered of one topic between snapshots.
type topicHistory struct {
	name  TopicName
	topic *Topic // as in the last snapshot; nil when it is not there
	// rev counts changes that groups must be looked at again for: gone, denied,
	// a leader lost or found, emptied, records where there were none, another
	// retention, a transaction opened or ended.
	rev  uint32
	seen uint32 // counts all changes
	refs int32
	ends []endHistory // by partition
}

// endHistory has the two newest samples of one partition's end offset.
type endHistory struct {
	end, before     int64
	at, beforeAt    int64 // unix nanoseconds; 0 when there was no such sample
	leaderlessSince int64 // unix nanoseconds; 0 while there is a leader
	hadLeader       bool  // a leader was seen before, so leaderlessSince is exact
}

// acquire returns the history of a topic and counts one more user.
func (t topicHistories) acquire(name TopicName, s *Snapshot) *topicHistory {
	h := t[name]
	if h == nil {
		h = &topicHistory{name: name}
		h.observe(s.Topics[name], s.Taken)
		t[name] = h
	}
	h.refs++
	return h
}

// release gives up the use of topics.
func (t topicHistories) release(used []*topicHistory) {
	for _, h := range used {
		if h.refs--; h.refs <= 0 {
			delete(t, h.name)
		}
	}
}

// update takes over the topics of a snapshot. Moved tells that a revision did.
func (t topicHistories) update(s *Snapshot) (moved bool) {
	for name, h := range t {
		if topic := s.Topics[name]; topic != h.topic {
			before := h.rev
			h.observe(topic, s.Taken)
			moved = moved || h.rev != before
		}
	}
	return moved
}

func (h *topicHistory) observe(topic *Topic, taken time.Time) {
	if structureOf(topic) != structureOf(h.topic) {
		h.rev++
	}
	old := h.topic
	h.topic = topic
	h.seen++
	if topic == nil {
		return
	}
	if old != nil && old.ID != topic.ID && old.ID != (TopicID{}) {
		h.ends = nil // made anew: its offsets have nothing to do with the old ones
	}
	for len(h.ends) < len(topic.Partitions) {
		h.ends = append(h.ends, endHistory{})
	}
	for i := range topic.Partitions {
		before := PartitionLog{}
		if old != nil && i < len(old.Partitions) {
			before = old.Partitions[i]
		}
		now := topic.Partitions[i]
		if h.ends[i].observe(now, taken) || emptiness(before) != emptiness(now) || hasOpen(before) != hasOpen(now) {
			h.rev++
		}
	}
}

// observe adds a sample of one partition, and tells whether a leader was lost
// or found.
func (e *endHistory) observe(p PartitionLog, taken time.Time) bool {
	if at := nanos(p.EndAt); p.End.IsKnown() && at > e.at {
		e.before, e.beforeAt = e.end, e.at
		e.end, e.at = p.End.Or(0), at
	}
	if !p.Asked {
		return false
	}
	led := p.Leader != NoLeader
	was := e.leaderlessSince == 0
	switch {
	case led:
		e.hadLeader, e.leaderlessSince = true, 0
	case was:
		e.leaderlessSince = max(1, nanos(taken))
	}
	return led != was
}

// endAt is the end offset at a moment, as far as the samples allow: between
// two samples on the straight line between them, else the nearest one. Skew is
// how far it may be off: the records that came in between the two samples,
// and, for a moment outside of them, as many more as came in such a time.
// Nothing is said of a moment further than maxEndAge from the nearest sample.
func (e *endHistory) endAt(at int64) (end Number, skew int64) {
	if e.at == 0 || at-e.at > int64(maxEndAge) {
		return Number{}, 0
	}
	if e.beforeAt == 0 {
		return Known(e.end), 0
	}
	grown, took := e.end-e.before, e.at-e.beforeAt
	skew = max(0, grown)
	switch {
	case at >= e.at:
		return Known(e.end), skew + int64(float64(skew)*float64(at-e.at)/float64(took))
	case at <= e.beforeAt && e.beforeAt-at > int64(maxEndAge):
		return Number{}, 0
	case at <= e.beforeAt:
		return Known(e.before), skew + int64(float64(skew)*float64(e.beforeAt-at)/float64(took))
	}
	return Known(e.before + int64(float64(grown)*float64(at-e.beforeAt)/float64(took))), skew
}

// maxEndAge is how far an end offset may be from the lag it is put beside.
const maxEndAge = 5 * time.Second

// structure is what groups depend on of a topic as a whole.
type structure struct {
	present, gone, problem bool
	partitions             int
	id                     TopicID
	retention              Number
}

func structureOf(t *Topic) structure {
	if t == nil {
		return structure{}
	}
	return structure{true, t.Gone, t.Problem != nil, len(t.Partitions), t.ID, t.Retention}
}

// emptiness is 0 while unknown, 1 for a log without records, 2 for one with.
func emptiness(p PartitionLog) int {
	n, known := recordsIn(p).Get()
	switch {
	case !known:
		return 0
	case n == 0:
		return 1
	}
	return 2
}

// hasOpen tells whether a transaction is known to be open in a log.
func hasOpen(p PartitionLog) bool {
	_, open := openTransaction(p)
	return open
}

// recordsIn is end - log start: how many offsets a log holds. It is never below
// zero, since the two are sampled at different moments.
func recordsIn(p PartitionLog) Number {
	start, ok := p.LogStart.Get()
	end, ok2 := p.End.Get()
	if !ok || !ok2 {
		return Number{}
	}
	return Known(max(0, end-start))
}

// nanos is a time as unix nanoseconds, 0 for the zero time. A time outside of
// what 64 bits hold (before 1678, after 2262) is cut to the nearest end.
func nanos(t time.Time) int64 {
	switch {
	case t.IsZero():
		return 0
	case t.Year() >= 2262:
		return 1<<63 - 1
	case t.Year() <= 1678:
		return -1 << 62
	}
	return t.UnixNano()
}

// timeOf is the reverse of nanos.
func timeOf(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
