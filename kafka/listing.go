package kafka

import (
	"slices"
	"time"

	"sharetop/model"
)

// listedGroup is one group as a broker lists it.
type listedGroup struct{ id, state string }

// mergeList takes in what a broker lists. A group that two brokers list (a
// coordinator is moving) is there once, and stays with the broker it was with
// as long as that one lists it and answers.
func (s *state) mergeList(node int32, groups []listedGroup) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	old := s.listing(node)
	l := &listing{groups: make(map[string]struct{}, len(groups)), at: now, tried: old.tried}
	s.listings[node] = l
	for _, listed := range groups {
		// Not the answer's own string: it would be held beside the one that we have.
		l.groups[s.mergeListed(node, listed).group.ID.Raw()] = struct{}{}
	}
	for id := range old.groups {
		if _, still := l.groups[id]; !still {
			s.unlist(id, node)
		}
	}
	if old.at.IsZero() { // names are shown as soon as they are there
		s.pub.urge()
	}
	s.dropOrphans()
}

func (s *state) listing(node int32) *listing {
	if l := s.listings[node]; l != nil {
		return l
	}
	l := &listing{}
	s.listings[node] = l
	return l
}

func (s *state) mergeListed(node int32, listed listedGroup) *groupEntry {
	e := s.groups[listed.id]
	if e == nil {
		e = s.create(listed.id, node)
	}
	if at, lists := slices.BinarySearch(e.listedBy, node); !lists {
		e.listedBy = slices.Insert(e.listedBy, at, node)
	}
	e.pinned = false
	if e.group.Coordinator != node && !s.holds(e.group.Coordinator, e) {
		s.change(e, func(g *model.Group) { g.Coordinator = node })
	}
	state := groupState(listed.state)
	if e.group.Coordinator == node && state != model.GroupUnknown && e.group.State != state &&
		s.problems[problemKey{actionDescribe, listed.id}] == nil {
		s.change(e, func(g *model.Group) { g.State = state })
		e.restated = true
	}
	return e
}

// holds tells whether a broker lists the group and answered when last asked.
func (s *state) holds(node int32, e *groupEntry) bool {
	_, lists := slices.BinarySearch(e.listedBy, node)
	return lists && !s.listing(node).failed
}

// unlist notes that a broker no longer lists a group; s.mu is held. The group
// goes when nobody lists it.
func (s *state) unlist(id string, node int32) {
	e := s.groups[id]
	if e == nil {
		return
	}
	e.unlistedBy(node)
	if e.group.Coordinator != node || e.pinned {
		return
	}
	if len(e.listedBy) > 0 {
		s.change(e, func(g *model.Group) { g.Coordinator = e.listedBy[0] })
		return
	}
	if !s.someFailed() {
		s.remove(id)
	}
}

// passOn gives a group whose broker says that it is not its coordinator to the
// next broker that lists it; s.mu is held. While a coordinator moves two do.
func (s *state) passOn(e *groupEntry, node int32) {
	if e.group.Coordinator != node {
		return
	}
	others := e.listedBy
	if len(others) < 2 {
		return
	}
	at, _ := slices.BinarySearch(others, node+1)
	next := others[at%len(others)]
	s.change(e, func(g *model.Group) { g.Coordinator = next })
}

// keepUnlisted is how long a group that nobody lists stays while some broker
// gives no list: it may be on its way there, as in a rolling restart.
const keepUnlisted = 30 * time.Second

// someFailed tells whether some broker's list is missing and may come.
func (s *state) someFailed() bool {
	now := s.now()
	for _, l := range s.listings {
		if l.failed && now.Sub(l.failedAt) < keepUnlisted {
			return true
		}
	}
	return false
}

// dropOrphans removes groups that nobody lists once every broker has answered.
func (s *state) dropOrphans() {
	if s.someFailed() {
		return
	}
	for id, e := range s.groups {
		if len(e.listedBy) == 0 && !e.pinned {
			s.remove(id)
		}
	}
}

// listFailed notes that a broker gave no list; what it listed before stays.
func (s *state) listFailed(node int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.listing(node)
	if !l.failed {
		l.failed, l.failedAt = true, s.now()
	}
}

// dropNode forgets a broker that left the cluster; its groups stay until every
// other broker has been asked for them.
func (s *state) dropNode(node int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.listings[node]
	delete(s.listings, node)
	if l == nil {
		return
	}
	for id := range l.groups {
		if e := s.groups[id]; e != nil {
			e.unlistedBy(node)
		}
	}
}

// allTried tells whether every known broker's list was answered or has failed,
// and that there is a broker at all.
func (s *state) allTried() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.listings {
		if !l.tried {
			return false
		}
	}
	return len(s.listings) > 0
}

// expectNode makes a broker count among those whose list is wanted.
func (s *state) expectNode(node int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listing(node)
}

// groupsAt are the ids of the groups that a broker coordinates, unordered, if
// wanted lets them through.
func (s *state) groupsAt(node int32, wanted func(id string) bool) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	if l := s.listings[node]; l != nil {
		ids = make([]string, 0, len(l.groups))
	}
	for id, e := range s.groups {
		if e.group.Coordinator == node && wanted(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// targets are where to ask for the offsets of groups; groups that are not known
// or whose coordinator is not known are left out.
func (s *state) targets(ids []string) []Target {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Target, 0, len(ids))
	for _, id := range ids {
		if e := s.groups[id]; e != nil && e.group.Coordinator >= 0 {
			out = append(out, Target{Group: id, Coordinator: e.group.Coordinator})
		}
	}
	return out
}

// knows tells whether some broker lists the group.
func (s *state) knows(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.groups[id]
	return e != nil && !e.pinned
}
