package kafka

import (
	"maps"
	"slices"
	"time"

	"sharetop/model"
)

// listedGroup is one group as a broker lists it.
type listedGroup struct{ id, state string }

// mergeList takes in what a broker lists. A group that two brokers list (a
// coordinator is moving) is there once, and stays with the broker it was with
// as long as that one lists it and answers. Sum names the answer, for sameList.
func (s *state) mergeList(node int32, groups []listedGroup, sum uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.listing(node)
	first := l.at.IsZero()
	l.at, l.failed = s.now(), false
	delete(s.left, node)
	s.merges++
	for _, listed := range groups {
		s.mergeListed(node, listed).listedIn = s.merges
	}
	for id, e := range s.groups {
		if e.listedIn != s.merges && e.isListedBy(node) {
			s.unlist(id, node)
		}
	}
	if first { // names are shown as soon as they are there
		s.pub.urge()
	}
	s.dropOrphans()
	l.sum, l.layout = sum, s.layout
}

// knownList is the sum of the list that was merged last of a broker; 0 when there
// was none, or it would not be merged again as it was.
func (s *state) knownList(node int32) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sumOf(s.listing(node))
}

// sumOf is that sum; s.mu is held.
func (s *state) sumOf(l *listing) uint64 {
	if l.failed || l.layout != s.layout {
		return 0
	}
	return l.sum
}

// sameList tells that an answer is the one that was merged last, and that
// nothing has happened since that it would bear on: which groups are known, who
// lists them, and which of those brokers answer. It then counts as merged.
func (s *state) sameList(node int32, sum uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.listing(node)
	if sum == 0 || sum != s.sumOf(l) {
		return false
	}
	l.at = s.now()
	s.dropOrphans()
	return true
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
		s.layout++
	}
	e.pinned = false
	if e.group.Coordinator != node && !s.holds(e.group.Coordinator, e) {
		s.coordinate(e, node)
	}
	state := groupState(listed.state)
	if e.group.Coordinator == node && state != model.GroupUnknown && e.group.State != state &&
		s.problems[problemKey{actionDescribe, listed.id}] == nil {
		s.change(e, func(g *model.Group) { g.State = state })
		s.describeSoon(e)
	}
	return e
}

// coordinate gives a group another coordinator; s.mu is held.
func (s *state) coordinate(e *groupEntry, node int32) {
	s.change(e, func(g *model.Group) { g.Coordinator = node })
	s.layout++
}

// holds tells whether a broker lists the group and answered when last asked.
func (s *state) holds(node int32, e *groupEntry) bool {
	return e.isListedBy(node) && !s.listing(node).failed
}

// unlist notes that a broker no longer lists a group; s.mu is held. The group
// goes when nobody lists it.
func (s *state) unlist(id string, node int32) {
	e := s.groups[id]
	s.unlistedBy(e, node)
	if e.group.Coordinator != node || e.pinned {
		return
	}
	if len(e.listedBy) > 0 {
		s.coordinate(e, e.listedBy[0])
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
	s.coordinate(e, others[at%len(others)])
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
// Those whose coordinator left the cluster stay as long as that is told of it:
// while they are moving, and where no replica of what it knew of them is alive,
// nobody lists them.
func (s *state) dropOrphans() {
	if !s.orphans || s.someFailed() {
		return
	}
	s.orphans = false
	now := s.now()
	for id, e := range s.groups {
		if len(e.listedBy) > 0 || e.pinned {
			continue
		}
		if at, left := s.left[e.group.Coordinator]; left && now.Sub(at) < departedFor {
			s.orphans = true
			continue
		}
		s.remove(id)
	}
}

// listFailed notes that a broker gave no list; what it listed before stays.
func (s *state) listFailed(node int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.listing(node)
	if !l.failed {
		l.failed, l.failedAt = true, s.now()
		s.layout++
	}
}

// dropNode forgets a broker that left the cluster; its groups stay until another
// lists them, at most for departedFor.
func (s *state) dropNode(node int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listings, node)
	now := s.now()
	maps.DeleteFunc(s.left, func(_ int32, at time.Time) bool { return now.Sub(at) >= departedFor })
	s.left[node] = now
	s.layout++
	for _, e := range s.groups {
		if e.isListedBy(node) {
			s.unlistedBy(e, node)
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

// groupsAt are the ids of the groups that a broker coordinates, sorted, as far as
// the scope is about them. They are the same list again until groups come, go or
// move, and must not be changed. Layout is which layout of them it is.
func (s *state) groupsAt(node int32, scope model.Scope) (ids []string, layout uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.listing(node)
	if l.coordinated == nil || l.coordinatedIn != s.layout {
		l.coordinated, l.coordinatedIn = s.coordinatedBy(node), s.layout
	}
	if !scope.Only {
		return l.coordinated, s.layout
	}
	wanted := only(scope)
	return slices.DeleteFunc(slices.Clone(l.coordinated), func(id string) bool { return !wanted(id) }), s.layout
}

// coordinatedBy are the groups that a broker coordinates, sorted; s.mu is held.
func (s *state) coordinatedBy(node int32) []string {
	ids := make([]string, 0, len(s.groups))
	for id, e := range s.groups {
		if e.group.Coordinator == node {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Clip(ids)
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
