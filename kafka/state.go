package kafka

import (
	"slices"
	"sync"
	"time"

	"sharetop/model"
)

// state is all that is known of the cluster. Values that were handed out in a
// snapshot are never changed: a group, topic or list that changes is copied.
type state struct {
	now func() time.Time
	// answered is when a broker last answered; it needs no lock.
	answered lastAnswer

	mu    sync.Mutex
	names *names

	cluster  model.Cluster
	groups   map[string]*groupEntry
	listings map[int32]*listing
	// layout counts changes of which groups are known, who lists and who
	// coordinates them, and which lists fail; merges counts lists taken in.
	layout, merges uint64
	// orphans is true while some group may be there that nobody lists.
	orphans bool
	// left is when brokers left the cluster that have listed nothing since.
	left map[int32]time.Time
	// undescribed are the groups that never had a description, and those that the
	// list says are in another state since the last; nil when there are none.
	undescribed map[string]struct{}
	topics      map[string]*topicEntry
	// unmet are the topics that metadata was not asked for yet.
	unmet map[string]struct{}
	ids   topicIDs
	heads map[headKey]*model.HeadRecord
	// headsSeen are the heads that the last look had to ask about.
	headsSeen map[headKey]struct{}
	archived  archivedState
	problems  map[problemKey]*model.Problem
	// offsets says where offsets come from, and how that does.
	offsets model.OffsetsState
	// view is what was seen to happen in the state topic; nil for nothing.
	view     *model.StateView
	settings settingsFailure
	// lastSettings are those that a group was given last; nil for none.
	lastSettings *model.Settings
	// statesAt is when a state of the state topic was last taken in; relagged is the
	// time of the oldest log end when all lags were last reckoned from them, and
	// endsMoved tells whether an end has moved since.
	statesAt, relagged time.Time
	endsMoved          bool
	// open is the group that a person has open; empty for none. What is asked for
	// only because of that is dropped when it comes later.
	open string

	// What differs from the last snapshot.
	changed       []*groupEntry
	membership    bool // groups came or went
	topicsMoved   bool
	problemsMoved bool

	pub publisher
}

// groupEntry is one group with what is not for showing.
type groupEntry struct {
	// group is immutable; a change replaces it.
	group *model.Group
	// index is its place in the last snapshot; -1 before the first.
	index int32
	// queued is true while the entry is in state.changed.
	queued bool
	// pinned keeps a group that no broker lists: it was described by id.
	pinned bool
	// listedBy are the brokers whose last list has the group, ascending: one, but
	// while a coordinator moves.
	listedBy []int32
	// listedIn is the number of the list that last named it.
	listedIn uint64
	// missing counts answers in a row that lacked a topic that a member has.
	missing map[string]int
	// lost are topics that an earlier answer had, by name.
	lost map[string]lostTopic
	// settingsAsked is when the group's configs were last asked for.
	settingsAsked time.Time
}

func (e *groupEntry) isListedBy(node int32) bool {
	_, lists := slices.BinarySearch(e.listedBy, node)
	return lists
}

// unlistedBy notes that a broker does not list a group any more; s.mu is held.
func (s *state) unlistedBy(e *groupEntry, node int32) {
	e.listedBy = slices.DeleteFunc(e.listedBy, func(id int32) bool { return id == node })
	s.layout++
	s.orphans = s.orphans || len(e.listedBy) == 0
}

// listing is one broker's last list of share groups.
type listing struct {
	// sum names the answer merged last, and layout is state.layout after that.
	sum, layout uint64
	// coordinated are the groups that the broker coordinates, sorted, by
	// state.layout coordinatedIn.
	coordinated   []string
	coordinatedIn uint64
	// at is when it was answered; zero when it never was.
	at time.Time
	// failed is true when the last try to get it failed, since failedAt.
	failed   bool
	failedAt time.Time
	// tried is true once a try has ended, either way.
	tried bool
}

func newState(now func() time.Time) *state {
	return &state{
		now: now, names: newNames(),
		groups:   make(map[string]*groupEntry),
		listings: make(map[int32]*listing),
		left:     make(map[int32]time.Time),
		topics:   make(map[string]*topicEntry),
		ids:      newTopicIDs(),
		heads:    make(map[headKey]*model.HeadRecord),
		archived: newArchivedState(),
		unmet:    make(map[string]struct{}),
		problems: make(map[problemKey]*model.Problem),
		pub:      newPublisher(),
	}
}

// change replaces a group by a changed copy; s.mu is held.
func (s *state) change(e *groupEntry, edit func(*model.Group)) {
	s.replace(e, edit)
	s.pub.dirty()
}

// replace is change without asking for a snapshot; s.mu is held. A group that no
// snapshot has yet is changed where it is: while all is read for the first time
// each changes several times, and the copies left holes in the heap.
func (s *state) replace(e *groupEntry, edit func(*model.Group)) {
	if !e.queued {
		next := *e.group
		e.group, e.queued = &next, true
		s.changed = append(s.changed, e)
	}
	edit(e.group)
}

// create makes an entry for a group met for the first time; s.mu is held.
func (s *state) create(raw string, coordinator int32) *groupEntry {
	e := &groupEntry{
		group: &model.Group{ID: groupID(raw), Coordinator: coordinator},
		index: -1,
	}
	s.groups[raw] = e
	s.describeSoon(e)
	s.membership = true
	s.layout++
	s.pub.dirty()
	return e
}

// remove forgets a group; s.mu is held.
func (s *state) remove(raw string) {
	s.cureGroupTopics(s.groups[raw])
	delete(s.groups, raw)
	s.isDescribed(raw)
	s.layout++
	for _, action := range groupActions() {
		s.cureLocked(problemKey{action, raw})
	}
	s.membership = true
	s.pub.dirty()
}

// report records a problem, or that it is still there; s.mu is held. It
// returns true when the problem is new or says something else than before.
func (s *state) reportLocked(key problemKey, p model.Problem) bool {
	now := s.now()
	s.problemsMoved = true
	if old := s.problems[key]; old != nil {
		same := old.Kind == p.Kind && old.Detail == p.Detail && old.Advice == p.Advice
		p.First, p.At = old.First, now
		s.problems[key] = &p
		if same {
			return false
		}
	} else {
		p.First, p.At = now, now
		s.problems[key] = &p
	}
	s.pub.dirty()
	return true
}

// cureLocked takes a problem away; s.mu is held. It returns true when there was
// one.
func (s *state) cureLocked(key problemKey) bool {
	if s.problems[key] == nil {
		return false
	}
	delete(s.problems, key)
	s.problemsMoved = true
	s.pub.dirty()
	return true
}

func (s *state) report(key problemKey, p model.Problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reportLocked(key, p)
}

// reportFirst records a problem unless the same action has one already: that a
// retry is slow says less than why the try before it failed.
func (s *state) reportFirst(key problemKey, p model.Problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.problems[key] == nil {
		s.reportLocked(key, p)
	}
}

// tells tells whether a problem is recorded.
func (s *state) tells(key problemKey) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problems[key] != nil
}

func (s *state) cure(keys ...problemKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range keys {
		s.cureLocked(key)
	}
}

// refreshProblems puts the problems of a group into it; s.mu is held.
func (s *state) refreshProblems(e *groupEntry) {
	raw := e.group.ID.Raw()
	var all []model.Problem
	for _, action := range groupActions() {
		if p := s.problems[problemKey{action, raw}]; p != nil {
			all = append(all, *p)
		}
	}
	for _, topics := range []struct {
		action string
		names  []string
	}{{actionHidden, hiddenTopics(e)}, {actionLost, lostTopics(e)}} {
		for _, topic := range topics.names {
			if p := s.problems[problemKey{topics.action, groupTopic(raw, topic)}]; p != nil {
				all = append(all, *p)
			}
		}
	}
	s.change(e, func(g *model.Group) { g.Problems = all })
}

// describeSoon makes a group's description due out of turn; s.mu is held.
func (s *state) describeSoon(e *groupEntry) {
	if s.undescribed == nil {
		s.undescribed = make(map[string]struct{})
	}
	s.undescribed[e.group.ID.Raw()] = struct{}{}
}

// isDescribed notes that a group needs no description out of turn; s.mu is held.
func (s *state) isDescribed(raw string) {
	delete(s.undescribed, raw)
	if len(s.undescribed) == 0 {
		s.undescribed = nil // an emptied map keeps the size it had
	}
}

// groupActions are the actions whose problems are of a group as a whole.
func groupActions() []string {
	return []string{actionDescribe, actionOffsets, actionPartitions, actionUnseen, actionCross}
}

// groupTopic names a group and a topic in a problemKey; topic names have no NUL.
func groupTopic(group, topic string) string { return topic + "\x00" + group }
