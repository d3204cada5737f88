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
		g.OffsetsAt, g.OffsetsFrom, g.Partitions = o.At, model.FromRequests, partitions
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
		out = append(out, s.names.sharePartition(p, s.logEnd(p.topic, p.partition)))
	}
	slices.SortFunc(out, func(a, b model.SharePartition) int {
		return cmp.Or(compareTopics(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	if slices.EqualFunc(out, before, samePartition) {
		return before, true
	}
	return out, false
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
			p := hiddenTopicProblem(raw, topic)
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
	has := func(topic string) bool {
		at, found := slices.BinarySearchFunc(g.Partitions, topic, func(p model.SharePartition, t string) int {
			return compareRaw(p.Topic.Raw(), t)
		})
		return found && at >= 0
	}
	note := func(topic string, assigned bool) {
		if t := s.topics[topic]; (t != nil && t.topic.Gone) || has(topic) {
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
// are told once the cluster says that they do not exist.
func (s *state) noteLost(e *groupEntry, before []model.SharePartition) bool {
	now := s.now()
	present := make(map[string]bool, 2)
	for i := range e.group.Partitions {
		present[e.group.Partitions[i].Topic.Raw()] = true
	}
	for i := range before {
		topic := before[i].Topic.Raw()
		if !present[topic] {
			if e.lost == nil {
				e.lost = make(map[string]time.Time, 1)
			}
			if _, known := e.lost[topic]; !known {
				e.lost[topic] = now
				s.wantTopic(topic)
			}
		}
	}
	return s.judgeLost(e, present, now)
}

func (s *state) judgeLost(e *groupEntry, present map[string]bool, now time.Time) bool {
	changed := false
	raw := e.group.ID.Raw()
	for topic, since := range e.lost {
		key := problemKey{actionLost, groupTopic(raw, topic)}
		if present[topic] || now.Sub(since) > lostFor && !s.topicDenied(topic) {
			delete(e.lost, topic)
			changed = s.cureLocked(key) || changed
			continue
		}
		if s.topicDenied(topic) {
			changed = s.reportLocked(key, takenTopicProblem(raw, topic)) || changed
		} else if t := s.topics[topic]; t != nil && t.topic.Gone {
			changed = s.reportLocked(key, lostTopicProblem(raw, topic)) || changed
		}
	}
	return changed
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
