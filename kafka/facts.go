package kafka

import (
	"maps"
	"slices"
	"time"

	"sharetop/model"
)

// setCluster keeps who the cluster is.
func (s *state) setCluster(id model.Text, brokers []model.Broker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cluster.ID == id && slices.Equal(s.cluster.Brokers, brokers) {
		return
	}
	s.cluster.ID, s.cluster.Brokers = id, brokers
	s.pub.dirty()
}

// setReachable notes whether a broker answers.
func (s *state) setReachable(id int32, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.cluster.Brokers, func(b model.Broker) bool { return b.ID == id })
	if at < 0 || s.cluster.Brokers[at].Reachable == ok {
		return
	}
	s.cluster.Brokers = slices.Clone(s.cluster.Brokers)
	s.cluster.Brokers[at].Reachable = ok
	s.pub.dirty()
}

// setSweep keeps how far the sweep is.
func (s *state) setSweep(sweep model.Sweep) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.offsets.Sweep == sweep {
		return
	}
	before := s.offsets.Sweep.FirstDone
	s.offsets.Sweep = sweep
	switch {
	case !sweep.FirstDone:
		s.pub.dirty()
	case !before:
		s.pub.urge()
	default:
		s.pub.quiet(s.now())
	}
}

// setSource keeps where offsets come from, how the reader of the state topic
// does, and what it saw happen.
func (s *state) setSource(o model.OffsetsState, view *model.StateView) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.Sweep = s.offsets.Sweep
	if s.offsets == o && s.view == view {
		return
	}
	switched := o.Tail.Phase == model.TailLive && s.offsets.Tail.Phase == model.TailLoading
	moved := s.view != view
	s.offsets, s.view = o, view
	if moved && s.archived.scope.Archived {
		s.passArchived(false) // what is new is told to be pending together with it
	}
	if switched {
		s.pub.urge()
	} else {
		s.pub.dirty()
	}
}

// setOpen follows what a person opens: what was fetched only for the group
// opened before is dropped.
func (s *state) setOpen(before, open string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = open
	if before == "" || before == open {
		return
	}
	e := s.groups[before]
	switch {
	case e == nil:
		s.cureLocked(problemKey{actionDescribe, before})
	case e.pinned:
		s.remove(before)
	case e.group.Configs != nil:
		s.change(e, func(g *model.Group) { g.Configs = nil })
	}
}

// unanswered are those of the groups whose offsets were not answered since.
func (s *state) unanswered(ids []string, since time.Time) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var stale []string
	for _, id := range ids {
		if e := s.groups[id]; e != nil && e.group.OffsetsAt.Before(since) {
			stale = append(stale, id)
		}
	}
	return stale
}

// lacksConfigs tells whether a group is there whose configs were not answered.
func (s *state) lacksConfigs(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.groups[id]
	return e != nil && e.group.Configs == nil
}

// has tells whether the group is known.
func (s *state) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.groups[id] != nil
}

// markTried notes that a try for a broker's list has ended and that what it
// found is in the sweep.
func (s *state) markTried(node int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listing(node).tried = true
}

// unmetTopics are the topics that metadata was not asked for yet.
func (s *state) unmetTopics() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.unmet))
}

// setSupport keeps what the cluster can do with share groups, and the one
// sentence about it.
func (s *state) setSupport(level model.Number, support model.ShareSupport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cluster.ShareVersion != level || s.cluster.ShareGroups != support {
		s.cluster.ShareVersion, s.cluster.ShareGroups = level, support
		s.pub.dirty()
	}
	key := problemKey{actionFeature, ""}
	if p, missing := supportProblem(support); missing {
		s.reportLocked(key, p)
	} else {
		s.cureLocked(key)
	}
}
