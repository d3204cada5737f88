package kafka

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// mergeDescription takes in what a broker says of a group. An answer that
// equals what is known changes nothing, not even a time: so ten thousand quiet
// groups cost no copy at a tick.
func (s *state) mergeDescription(node int32, d *kmsg.ShareGroupDescribeResponseGroup) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.groups[d.GroupID]
	if e == nil {
		if d.ErrorCode != 0 || d.GroupID != s.open {
			return
		}
		e = s.create(d.GroupID, node)
		e.pinned = true
	}
	if d.ErrorCode != 0 {
		if d.ErrorCode == kerr.NotCoordinator.Code {
			s.passOn(e, node)
		}
		s.describeFailed(e, d)
		return
	}
	s.isDescribed(e.group.ID.Raw())
	if s.cureLocked(problemKey{actionDescribe, d.GroupID}) {
		s.refreshProblems(e)
	}
	if !e.group.Described.IsZero() && sameDescription(e.group, d) {
		return
	}
	s.change(e, func(g *model.Group) {
		s.names.applyDescription(g, d)
		g.Described = s.now()
	})
	s.wantSubscribed(e.group)
}

// describeFailed notes why a group has no description. What was known stays
// unless the error says that it may not be seen.
func (s *state) describeFailed(e *groupEntry, d *kmsg.ShareGroupDescribeResponseGroup) {
	if d.ErrorCode == kerr.GroupIDNotFound.Code && !e.pinned {
		s.remove(d.GroupID) // it was deleted after it was listed
		return
	}
	p := groupProblem(d.GroupID, "state and members", d.ErrorCode, deref(d.ErrorMessage))
	if s.reportLocked(problemKey{actionDescribe, d.GroupID}, p) {
		s.refreshProblems(e)
	}
	if !takesAway(d.ErrorCode) || (e.group.Described.IsZero() && e.group.State == model.GroupUnknown) {
		return
	}
	s.change(e, func(g *model.Group) {
		g.State, g.Members, g.Assignor = model.GroupUnknown, nil, model.Text{}
		g.Epoch, g.AssignmentEpoch = model.Number{}, model.Number{}
		g.Described = model.Group{}.Described
	})
	s.describeSoon(e)
}

// openGone notes that no broker knows the group that a person opened by id.
func (s *state) openGone(id, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.groups[id]; e != nil {
		if !e.pinned {
			return
		}
		s.remove(id)
	}
	if id == s.open {
		s.reportLocked(problemKey{actionDescribe, id},
			groupProblem(id, "", kerr.GroupIDNotFound.Code, message))
	}
}

// openFailed notes why the group that a person opened by id is not described.
func (s *state) openFailed(id string, code int16, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == s.open {
		s.reportLocked(problemKey{actionDescribe, id}, groupProblem(id, "state and members", code, message))
	}
}

// sameDescription compares without converting, since nearly always nothing has
// changed.
func sameDescription(g *model.Group, d *kmsg.ShareGroupDescribeResponseGroup) bool {
	epoch, _ := g.Epoch.Get()
	assignment, _ := g.AssignmentEpoch.Get()
	if string(g.State) != d.GroupState || epoch != int64(d.GroupEpoch) || assignment != int64(d.AssignmentEpoch) ||
		g.Assignor.Raw() != d.Assignor || len(g.Members) != len(d.Members) {
		return false
	}
	for i := range d.Members {
		m := &d.Members[i]
		at, found := slices.BinarySearchFunc(g.Members, m.MemberID, func(known model.Member, id string) int {
			return compareRaw(known.ID.Raw(), id)
		})
		if !found || !sameMember(&g.Members[at], m) {
			return false
		}
	}
	return true
}

func sameMember(known *model.Member, m *kmsg.ShareGroupDescribeResponseGroupMember) bool {
	if known.ClientID.Raw() != m.ClientID || known.Host.Raw() != memberHost(m.ClientHost) ||
		known.Rack.Raw() != deref(m.RackID) || known.Epoch != m.MemberEpoch ||
		len(known.Subscribed) != len(m.SubscribedTopicNames) ||
		len(known.Assignment) != len(m.Assignment.TopicPartitions) {
		return false
	}
	for _, t := range m.SubscribedTopicNames {
		if !slices.ContainsFunc(known.Subscribed, func(k model.TopicName) bool { return k.Raw() == t }) {
			return false
		}
	}
	for i := range m.Assignment.TopicPartitions {
		if !hasAssignment(known.Assignment, &m.Assignment.TopicPartitions[i]) {
			return false
		}
	}
	return true
}

func hasAssignment(known []model.Assignment, a *kmsg.ShareGroupDescribeResponseGroupMemberAssignmentTopicPartition) bool {
	for i := range known {
		if known[i].Topic.Raw() == a.Topic {
			return sameElements(known[i].Partitions, a.Partitions)
		}
	}
	return false
}

// sameElements compares an ascending list with one in any order.
func sameElements(sorted, other []int32) bool {
	if len(sorted) != len(other) {
		return false
	}
	for _, p := range other {
		if _, ok := slices.BinarySearch(sorted, p); !ok {
			return false
		}
	}
	return true
}

// changedOr is the set of those of the groups that are named, that were never
// described, or that the list says are in another state since. Ids are sorted.
func (s *state) changedOr(named, ids []string) map[string]struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	due := make(map[string]struct{}, describeChunk)
	add := func(id string) {
		if _, here := slices.BinarySearch(ids, id); here {
			due[id] = struct{}{}
		}
	}
	for _, id := range named {
		add(id)
	}
	for id := range s.undescribed {
		add(id)
	}
	return due
}
