package model

import "slices"

// groupHistory is what is remembered of one group between snapshots: a ring of
// its lag, the counters its rates come from, and a small running state for each
// of its share-partitions.
type groupHistory struct {
	group  *Group // as in the last snapshot; nil before the first
	muted  Muted
	topics []*topicHistory // what its partitions and members refer to
	parts  []partitionHistory
	lag    lagRing
	rates  rateRing
	// tally is nil while the state topic tells nothing of the group.
	tally *tallyRing
	// sampledAt is the last sample of the offsets, brokenAt the second in which
	// they were last altered. Slopes are taken from steadySince on, the second
	// since which the sum has been over the same number of known lags: one that
	// becomes known makes the sum jump, and is no growth.
	sampledAt, brokenAt, steadySince int64
	knownLags                        int
	// idleAt is the last moment that a live source's silence was taken as a
	// sample for.
	idleAt            int64
	empty, unassigned spell
	// staffed is since when it has members.
	staffed spell
	// What the row was made from, beside the group.
	row       *Row
	topicsRev uint32
	support   ShareSupport
	phase     uint8 // see trend
	// When the clock alone changes what the row says: its verdict, its trend.
	verdictDue, trendDue int64
}

// spell is a state that lasts: since when, and whether it had begun before we
// looked. Since is 0 while it does not hold.
type spell struct {
	since   int64
	atLeast bool
}

// observe notes whether the state holds at a moment; first is true when nothing
// was known before.
func (s *spell) observe(holds bool, at int64, first bool) {
	switch {
	case !holds:
		*s = spell{}
	case s.since == 0:
		*s = spell{since: max(1, at), atLeast: first}
	}
}

func newGroupHistory(id GroupID, rules Rules) *groupHistory {
	h := &groupHistory{muted: rules.Muted(id)}
	for _, b := range []byte(id.raw) {
		h.phase = h.phase*31 + b
	}
	return h
}

// observe takes over a group as a new snapshot has it.
func (h *groupHistory) observe(g *Group, topics topicHistories, s *Snapshot) {
	old := h.group
	h.refer(g, topics, s)
	altered := h.align(g)
	h.group = g
	wasEmpty := old != nil && isEmpty(old)
	h.empty.observe(isEmpty(g), nanos(s.Taken), old == nil)
	h.staffed.observe(hasMembers(g), nanos(s.Taken), old == nil)
	if described := nanos(g.Described); described != 0 {
		h.unassigned.observe(isUnassigned(g), described, old == nil || old.Described.IsZero())
	}
	if at := nanos(g.OffsetsAt); at > h.sampledAt {
		h.sample(g, at, wasEmpty && isEmpty(g), altered)
	}
}

// refer brings the references to topics in line with a group's partitions and
// its members' subscriptions.
func (h *groupHistory) refer(g *Group, topics topicHistories, s *Snapshot) {
	before := h.topics
	if refersTo(before, g) {
		return
	}
	h.topics = nil
	for _, name := range topicNames(g) {
		h.topics = append(h.topics, topics.acquire(name, s))
	}
	topics.release(before)
}

// refersTo tells whether refs are exactly the topics of a group.
func refersTo(refs []*topicHistory, g *Group) bool {
	names := topicNames(g)
	return slices.EqualFunc(refs, names, func(t *topicHistory, n TopicName) bool { return t.name == n })
}

// topicNames lists the topics of a group once each: those of its partitions in
// their order, then those that only a member subscribes to.
func topicNames(g *Group) []TopicName {
	var names []TopicName
	for i := range g.Partitions {
		if t := g.Partitions[i].Topic; len(names) == 0 || names[len(names)-1] != t {
			names = append(names, t)
		}
	}
	for i := range g.Members {
		for _, t := range g.Members[i].Subscribed {
			if !slices.Contains(names, t) {
				names = append(names, t)
			}
		}
	}
	return names
}

// align puts the histories in the order of the group's partitions. It tells
// whether the group was altered: a partition is gone, or its topic is another
// one of the same name.
func (h *groupHistory) align(g *Group) (altered bool) {
	if h.group == nil {
		h.parts = make([]partitionHistory, len(g.Partitions))
		return false
	}
	if slices.EqualFunc(h.group.Partitions, g.Partitions, samePlace) {
		return false
	}
	old, was := h.parts, h.group.Partitions
	h.parts = make([]partitionHistory, len(g.Partitions))
	kept := 0
	for i := range g.Partitions {
		for len(was) > 0 && placeLess(&was[0], &g.Partitions[i]) {
			was, old = was[1:], old[1:]
		}
		if len(was) > 0 && samePlace(was[0], g.Partitions[i]) {
			h.parts[i] = old[0]
			kept++
		}
	}
	return kept < len(h.group.Partitions)
}

// samePlace tells whether two share-partitions are of the same topic-partition;
// a topic that was deleted and made again is another one.
func samePlace(a, b SharePartition) bool {
	return a.Partition == b.Partition && a.Topic == b.Topic &&
		(a.TopicID == b.TopicID || a.TopicID == TopicID{} || b.TopicID == TopicID{})
}

func placeLess(a, b *SharePartition) bool {
	if a.Topic != b.Topic {
		return a.Topic.raw < b.Topic.raw
	}
	return a.Partition < b.Partition
}

// sample adds one answer about the group's offsets to its history.
func (h *groupHistory) sample(g *Group, at int64, idle, altered bool) {
	var sum delta
	for i := range g.Partitions {
		d := h.samplePartition(i, at, idle)
		altered = altered || d.altered
		sum = sum.plus(d)
	}
	second := at / secondsFor
	if altered {
		h.rates, h.brokenAt, sum = rateRing{}, second-1, delta{}
	}
	h.rates.add(at, sum)
	lag, known := sumKnown(g, h.logOf)
	if altered || known != h.knownLags {
		h.knownLags, h.steadySince = known, second-1
	}
	if known == 0 {
		h.lag.put(second, Number{})
	} else {
		h.lag.put(second, Known(lag))
	}
	h.tally = h.tally.sampled(at, g)
	h.sampledAt = at
}

// idle takes the silence of a live source as a sample in which nothing came and
// nothing was finished: without it the rates of a group that came to rest would
// stay what they were. Now is up to when that source is known to have told all. It
// tells whether the row has to be derived anew, which ends when there is nothing
// left to settle.
func (h *groupHistory) idle(now int64) bool {
	if !h.unsettled(now) || now-max(h.sampledAt, h.idleAt) < int64(HistoryStep) {
		return false
	}
	h.idleAt = now
	h.rates.add(now, delta{hasIn: h.rates.hasIn, hasDone: h.rates.hasDone})
	h.lag.put(now/secondsFor, h.row.Lag)
	h.tally.idle(now)
	return true
}

// unsettled tells whether silence still changes what the row says.
func (h *groupHistory) unsettled(now int64) bool {
	const settled = int64(slopeWindow + RateWindow)
	if !h.rates.isLong() || now-h.sampledAt > settled {
		return false
	}
	return h.row.Lag.Or(0) != 0 || h.row.In.PerSecond != 0 || h.row.Done.PerSecond != 0 || !h.row.State.still()
}

func (d delta) plus(other delta) delta {
	return delta{
		in: d.in + other.in, done: d.done + other.done, net: d.net + other.net,
		hasIn: d.hasIn || other.hasIn, hasDone: d.hasDone || other.hasDone,
	}
}

// grew tells whether any counter moved.
func (d delta) grew() bool { return d.in != 0 || d.done != 0 || d.net != 0 }

func (h *groupHistory) samplePartition(i int, at int64, idle bool) delta {
	p := &h.group.Partitions[i]
	if p.Problem != nil {
		return delta{} // an error is no sample
	}
	end, skew, late := h.endFor(p, at)
	return h.parts[i].add(partitionSample{
		at: at, previous: h.sampledAt, start: p.Start, lag: p.Lag, end: end, skew: skew, late: late, idle: idle,
	})
}

// endFor is the end offset that goes with a partition's lag: the one the lag
// was reckoned from where it is told, else what the log's own samples say about
// the moment of the answer. Late: all of those are older.
func (h *groupHistory) endFor(p *SharePartition, at int64) (end Number, skew int64, late bool) {
	if p.LagEnd.IsKnown() {
		return p.LagEnd, 0, false
	}
	t := h.topic(p.Topic)
	if t == nil || p.Partition < 0 || int(p.Partition) >= len(t.ends) {
		return Number{}, 0, false
	}
	ends := &t.ends[p.Partition]
	end, skew = ends.endAt(at)
	return end, skew, at > ends.at
}

// topic finds a topic that the group refers to. Groups read few topics, and
// names that are equal mostly share their bytes.
func (h *groupHistory) topic(name TopicName) *topicHistory {
	for _, t := range h.topics {
		if t.name == name {
			return t
		}
	}
	return nil
}

// logOf is what is known of the log behind a share-partition.
func (h *groupHistory) logOf(p *SharePartition) PartitionLog {
	t := h.topic(p.Topic)
	if t == nil || t.topic == nil || p.Partition < 0 || int(p.Partition) >= len(t.topic.Partitions) {
		return PartitionLog{}
	}
	return t.topic.Partitions[p.Partition]
}

// revision changes when something changed in the topics that groups must be
// looked at again for.
func (h *groupHistory) revision() uint32 {
	var sum uint32
	for _, t := range h.topics {
		sum += t.rev
	}
	return sum
}

// topicsSeen changes with anything in the topics.
func (h *groupHistory) topicsSeen() uint32 {
	var sum uint32
	for _, t := range h.topics {
		sum += t.seen
	}
	return sum
}

// facts appends what is known of every share-partition.
func (h *groupHistory) facts(into []PartitionFacts) []PartitionFacts {
	for i := range h.group.Partitions {
		p := &h.group.Partitions[i]
		f := h.parts[i].facts()
		f.Log = h.logOf(p)
		if t := h.topic(p.Topic); t != nil {
			if t.topic != nil {
				f.TopicGone, f.Retention, f.TopicProblem = t.topic.Gone, t.topic.Retention, t.topic.Problem
			}
			if p.Partition >= 0 && int(p.Partition) < len(t.ends) {
				e := &t.ends[p.Partition]
				f.LeaderlessSince, f.LeaderlessAtLeast = timeOf(e.leaderlessSince), !e.hadLeader
			}
		}
		into = append(into, f)
	}
	return into
}

// goneTopics are the topics that members subscribe to and that do not exist.
func (h *groupHistory) goneTopics() []TopicName {
	var gone []TopicName
	for _, t := range h.topics {
		if t.topic != nil && t.topic.Gone {
			gone = append(gone, t.name)
		}
	}
	return gone
}

// isEmpty tells whether a group is known to have no member.
func isEmpty(g *Group) bool {
	if g.State == GroupUnknown {
		return !g.Described.IsZero() && len(g.Members) == 0
	}
	return g.State == GroupEmpty
}

// hasMembers tells whether a group is known to have a member.
func hasMembers(g *Group) bool { return len(g.Members) > 0 || g.State == GroupStable }

// isUnassigned tells whether a group has members and none has a partition.
func isUnassigned(g *Group) bool {
	for i := range g.Members {
		for _, a := range g.Members[i].Assignment {
			if len(a.Partitions) > 0 {
				return false
			}
		}
	}
	return len(g.Members) > 0
}
