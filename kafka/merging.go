package kafka

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"sharetop/model"
)

// lostFor is how long a topic that was deleted under a group is told.
const lostFor = 10 * time.Minute

func compareRaw(a, b string) int { return cmp.Compare(a, b) }

// mergeOffsets takes in an answer about one group's start offsets and lag.
// Every good answer moves OffsetsAt, and so makes a new Group: rates need to
// know that the same value was seen again, later.
func (s *state) mergeOffsets(coordinator int32, o *GroupOffsets) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.groups[o.Group]
	if e == nil {
		return
	}
	key := problemKey{actionOffsets, o.Group}
	if o.Moved {
		s.passOn(e, coordinator)
	}
	if o.Problem != nil {
		s.offsetsFailed(e, key, *o.Problem, o.Transient)
		return
	}
	unseen := s.cureLocked(problemKey{actionUnseen, o.Group}) // requests can't tell
	cured := s.cureLocked(key) || unseen
	before := e.group.Partitions
	first := e.group.OffsetsAt.IsZero()
	partitions, same := s.sharePartitions(o, before)
	s.replace(e, func(g *model.Group) {
		g.OffsetsAt, g.OffsetsFrom, g.Partitions, g.Unnamed = o.At, model.FromRequests, partitions, 0
	})
	if same && !first && !o.Followed {
		s.pub.quiet(s.now())
	} else {
		s.pub.dirty()
	}
	s.wantLogs(e.group, o.At)
	told := s.tellPartitions(e)
	noted := s.noteMissing(e, false)
	lost := s.noteLost(e, before)
	if cured || told || noted || lost {
		s.refreshProblems(e)
	}
}

func (s *state) offsetsFailed(e *groupEntry, key problemKey, p model.Problem, transient bool) {
	if s.reportLocked(key, p) {
		s.refreshProblems(e)
	}
	if !transient && !e.group.OffsetsAt.IsZero() {
		s.change(e, func(g *model.Group) { g.Partitions, g.OffsetsAt = nil, time.Time{} })
	}
}

// sharePartitions converts an answer, sorted. Where it equals what is known the
// known slice is kept.
func (s *state) sharePartitions(o *GroupOffsets, before []model.SharePartition) (now []model.SharePartition, same bool) {
	out := make([]model.SharePartition, 0, len(o.partitions))
	for i := range o.partitions {
		p := &o.partitions[i]
		row := s.names.sharePartition(p, s.logEnd(p.topic, p.partition))
		if row.Problem != nil && !takesAway(p.errorCode) {
			keepTold(before, &row)
		}
		if i == 0 || p.topicID != o.partitions[i-1].topicID {
			s.ids.learn(p.topicID, p.topic) // so that no row waits for its name when the state topic takes over
		}
		out = append(out, row)
	}
	slices.SortFunc(out, comparePlaces)
	if slices.EqualFunc(out, before, samePartition) {
		return before, true
	}
	return out, false
}

// keepTold keeps of a share-partition what was told of it before: when its leader
// does not answer the coordinator, which asks it for the log end, an error is all
// that the coordinator tells of it. The problem says that it is old.
func keepTold(before []model.SharePartition, p *model.SharePartition) {
	if old := sameIn(before, p); old != nil {
		p.Start, p.Lag, p.LeaderEpoch = old.Start, old.Lag, old.LeaderEpoch
	}
}

func samePartition(a, b model.SharePartition) bool {
	if (a.Problem == nil) != (b.Problem == nil) || (a.Problem != nil && *a.Problem != *b.Problem) {
		return false
	}
	a.Problem, b.Problem = nil, nil
	return a == b
}

// tellPartitions makes one problem of the partitions that were answered with an
// error. It returns true when that is new.
func (s *state) tellPartitions(e *groupEntry) bool {
	var first *model.Problem
	missing := 0
	for i := range e.group.Partitions {
		if p := e.group.Partitions[i].Problem; p != nil {
			missing++
			if first == nil {
				first = p
			}
		}
	}
	raw := e.group.ID.Raw()
	key := problemKey{actionPartitions, raw}
	if first == nil {
		return s.cureLocked(key)
	}
	return s.reportLocked(key, partitionsProblem(raw, missing, len(e.group.Partitions), first))
}

// noteMissing looks for topics that a member reads and the answer lacks; s.mu
// is held. A partition that nobody has fetched yet may be missing for a moment,
// so that a topic counts as hidden at the second such answer in a row, or at
// the first when there will be no second (hasty) or the cluster says that it may
// not be described.
func (s *state) noteMissing(e *groupEntry, hasty bool) bool {
	raw := e.group.ID.Raw()
	missing := s.missingTopics(e.group)
	changed := false
	for topic := range e.missing {
		if _, still := missing[topic]; !still {
			changed = s.cureLocked(problemKey{actionHidden, groupTopic(raw, topic)}) || changed
			delete(e.missing, topic)
		}
	}
	for topic, assigned := range missing {
		if e.missing == nil {
			e.missing = make(map[string]int, 1)
		}
		e.missing[topic]++
		// The state topic leaves no topic out: one is missing for a moment, or
		// may not be described.
		hidden := assigned && (hasty || e.missing[topic] >= 2) && e.group.OffsetsFrom != model.FromStateTopic
		if s.topicDenied(topic) || hidden {
			p := hiddenTopicProblem(raw, topic, "a member reads")
			changed = s.reportLocked(problemKey{actionHidden, groupTopic(raw, topic)}, p) || changed
		}
	}
	return changed
}

// tellMissing looks for missing topics of all groups once more, knowing that no
// further answer comes: a printout is made of what there is.
func (s *state) tellMissing() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.groups {
		if !e.group.OffsetsAt.IsZero() && s.noteMissing(e, true) {
			s.refreshProblems(e)
		}
	}
}

// missingTopics are the topics that members subscribe to and that have no
// share-partition, with whether some member has it assigned. Topics that are
// gone are not missing.
func (s *state) missingTopics(g *model.Group) map[string]bool {
	var missing map[string]bool
	note := func(topic string, assigned bool) {
		if t := s.topics[topic]; (t != nil && t.topic.Gone) || hasTopic(g, topic) {
			return
		}
		if missing == nil {
			missing = make(map[string]bool, 1)
		}
		missing[topic] = missing[topic] || assigned
	}
	for i := range g.Members {
		for _, t := range g.Members[i].Subscribed {
			note(t.Raw(), false)
		}
		for _, a := range g.Members[i].Assignment {
			note(a.Topic.Raw(), len(a.Partitions) > 0)
		}
	}
	return missing
}

// noteLost looks for topics that the answer before had and this one lacks; they
// are told once the cluster says what became of them.
func (s *state) noteLost(e *groupEntry, before []model.SharePartition) bool {
	for i := range before {
		topic := before[i].Topic.Raw()
		if hasTopic(e.group, topic) {
			continue
		}
		if e.lost == nil {
			e.lost = make(map[string]lostTopic, 1)
		}
		if _, known := e.lost[topic]; !known {
			e.lost[topic] = lostTopic{since: s.now(), id: before[i].TopicID}
			s.wantTopic(topic)
		}
	}
	return s.judgeLost(e)
}

// judgeLost tells what became of topics that went from a group's offsets. It
// returns true when that is news.
func (s *state) judgeLost(e *groupEntry) bool {
	changed := false
	raw := e.group.ID.Raw()
	for topic, lost := range e.lost {
		key := problemKey{actionLost, groupTopic(raw, topic)}
		t, age := s.topics[topic], s.now().Sub(lost.since)
		switch {
		case hasTopic(e.group, topic):
			delete(e.lost, topic)
			changed = s.cureLocked(key) || changed
		case s.topicDenied(topic):
			changed = s.reportLocked(key, hiddenTopicProblem(raw, topic, "were there before")) || changed
		case age > lostFor, age > keptFor && lost.kept(t):
			delete(e.lost, topic)
			changed = s.cureLocked(key) || changed
		case t != nil && t.topic.Gone:
			changed = s.reportLocked(key, lostTopicProblem(raw, topic)) || changed
		case lost.remade(t):
			changed = s.reportLocked(key, remadeTopicProblem(raw, topic)) || changed
		}
	}
	return changed
}

// lostTopic is a topic that an earlier answer had: when it went, and its id then.
type lostTopic struct {
	since time.Time
	id    model.TopicID
}

// keptFor is how long the cluster is asked whether a topic still exists that went
// from a group's offsets. If it does, they were deleted on purpose.
const keptFor = 30 * time.Second

// kept tells whether the topic is still the one that the group read.
func (l lostTopic) kept(t *topicEntry) bool {
	return t != nil && !t.topic.Gone && t.topic.ID == l.id
}

// remade tells whether the topic was made again under its name.
func (l lostTopic) remade(t *topicEntry) bool {
	return t != nil && !t.topic.Gone && t.topic.ID != l.id && t.topic.ID != model.TopicID{} && l.id != model.TopicID{}
}

// hasTopic tells whether a group has share-partitions of a topic.
func hasTopic(g *model.Group, topic string) bool {
	_, found := slices.BinarySearchFunc(g.Partitions, topic, func(p model.SharePartition, t string) int {
		return compareRaw(p.Topic.Raw(), t)
	})
	return found
}

// cureGroupTopics takes away what was told of single topics of a group.
func (s *state) cureGroupTopics(e *groupEntry) {
	raw := e.group.ID.Raw()
	for topic := range e.missing {
		s.cureLocked(problemKey{actionHidden, groupTopic(raw, topic)})
	}
	for topic := range e.lost {
		s.cureLocked(problemKey{actionLost, groupTopic(raw, topic)})
	}
}

func hiddenTopics(e *groupEntry) []string { return slices.Sorted(maps.Keys(e.missing)) }
func lostTopics(e *groupEntry) []string   { return slices.Sorted(maps.Keys(e.lost)) }
