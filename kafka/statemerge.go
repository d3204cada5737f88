package kafka

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"sharetop/kafka/statetopic"
	"sharetop/model"
)

// mergeStates takes in what the state topic says of one group. It changes
// nothing, not even a pointer, where all of it is known. Groups that no broker
// lists are passed over: the state topic also has those that this user may not
// see. EndsMissing tells that some lag waits for a log end.
func (s *state) mergeStates(id string, parts []statetopic.GroupPartition) (endsMissing bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.groups[id]
	if e == nil {
		return false
	}
	now := s.now()
	before := e.group.Partitions
	rows, endsMissing := s.stateRows(parts, before, now)
	missing := s.namelessOf(parts)
	unseen := s.tellUnseen(id, &missing)
	live := e.group.OffsetsFrom == model.FromStateTopic && !e.group.OffsetsAt.IsZero()
	if live && missing.asked == e.group.Unnamed && slices.EqualFunc(rows, before, samePartition) {
		if lost := s.judgeLost(e); lost || unseen {
			s.refreshProblems(e)
		}
		return endsMissing
	}
	cured := s.cureLocked(problemKey{actionOffsets, id})
	s.change(e, func(g *model.Group) {
		g.OffsetsAt, g.OffsetsFrom, g.Partitions, g.Unnamed = now, model.FromStateTopic, rows, missing.asked
	})
	s.statesAt = now
	s.wantLogs(e.group, now)
	told := s.tellPartitions(e)
	noted := s.noteMissing(e, false)
	lost := s.noteLost(e, before)
	if unseen || cured || told || noted || lost {
		s.refreshProblems(e)
	}
	return endsMissing
}

// nameless counts share-partitions of topics that have no name here: asked for
// are those of topics whose name is not told yet, unseen those of topics that the
// cluster does not name.
type nameless struct {
	asked, unseen int
	// topics are the ids of unseen ones; nil for none.
	topics map[model.TopicID]struct{}
}

// namelessOf looks through a group's share-partitions, after stateRows has had
// their names asked for. s.mu is held.
func (s *state) namelessOf(parts []statetopic.GroupPartition) (n nameless) {
	for i := range parts {
		id := parts[i].TopicID
		if _, known := s.ids.names[id]; known {
			continue
		}
		if _, asked := s.ids.wanted[id]; asked {
			n.asked++
		}
		if _, unknown := s.ids.unknown[id]; unknown {
			if n.topics == nil {
				n.topics = make(map[model.TopicID]struct{}, 1)
			}
			n.topics[id] = struct{}{}
			n.unseen++
		}
	}
	return n
}

// tellUnseen tells of share-partitions whose topic the cluster does not name: it
// answers alike for one that may not be described and one that is gone, but what
// the state topic has of a deleted topic goes with it. It returns true when that
// is news. s.mu is held.
func (s *state) tellUnseen(group string, n *nameless) bool {
	key := problemKey{actionUnseen, group}
	if n.unseen == 0 {
		return s.cureLocked(key)
	}
	return s.reportLocked(key, unseenTopicsProblem(group, n.unseen, len(n.topics)))
}

// stateRows are the share-partitions that the state topic has of a group,
// sorted; those of topics that are gone or may not be seen are left out, as
// brokers do. s.mu is held.
func (s *state) stateRows(parts []statetopic.GroupPartition, before []model.SharePartition, now time.Time,
) (rows []model.SharePartition, endsMissing bool) {
	rows = make([]model.SharePartition, 0, len(parts))
	for i := range parts {
		t := s.topicByID(parts[i].TopicID, now)
		if t == nil {
			continue
		}
		row := stateRow(&parts[i], t.topic)
		endsMissing = endsMissing || (row.Start.IsKnown() && !row.Lag.IsKnown())
		keepOf(before, &row)
		rows = append(rows, row)
	}
	slices.SortFunc(rows, comparePlaces)
	return rows, endsMissing
}

func comparePlaces(a, b model.SharePartition) int {
	return cmp.Or(compareTopics(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
}

// sameIn is the same share-partition in sorted ones; nil where it is not there, or
// its topic was made anew.
func sameIn(sorted []model.SharePartition, p *model.SharePartition) *model.SharePartition {
	if at, found := slices.BinarySearchFunc(sorted, *p, comparePlaces); found && sorted[at].TopicID == p.TopicID {
		return &sorted[at]
	}
	return nil
}

// stateRow is one share-partition by its state.
func stateRow(p *statetopic.GroupPartition, t *model.Topic) model.SharePartition {
	row := model.SharePartition{Topic: t.Name, TopicID: p.TopicID, Partition: p.Partition, State: p.State}
	if p.State == nil {
		problem := unreadableProblem(t.Name, p.Partition, p.Err)
		row.Problem = &problem
		return row
	}
	if row.Start = p.State.Start(); row.Start.IsKnown() {
		row.LeaderEpoch = p.State.LeaderEpoch()
	}
	row.Lag, row.LagEnd = lagOf(&row, t)
	return row
}

// lagOf is a share-partition's lag by its state, and the log end that this is
// reckoned from.
func lagOf(p *model.SharePartition, t *model.Topic) (lag, end model.Number) {
	if p.Partition < 0 || int(p.Partition) >= len(t.Partitions) {
		return model.Number{}, model.Number{}
	}
	log := &t.Partitions[p.Partition]
	lag = p.State.Lag(log.End, log.EndAt)
	if n, ok := lag.Get(); ok {
		end = model.Known(n + p.State.Start().Or(0) + p.State.FinishedAhead().Or(0))
	}
	return lag, end
}

// keepOf keeps of a share-partition as it was before what its state does not
// tell: the head record while the head stays, and, until a log end was sampled
// to reckon the lag from, the lag that the broker told of the same offsets: the
// end may never come, since it is another broker that has to answer.
func keepOf(before []model.SharePartition, p *model.SharePartition) {
	old := sameIn(before, p)
	if old == nil {
		return
	}
	if old.Head != nil && p.State.Head() == model.Known(old.Head.Offset) {
		p.Head = old.Head
	}
	if !p.Lag.IsKnown() && isToldLag(old) && old.Start == p.Start &&
		(old.State == nil || old.State.FinishedAhead() == p.State.FinishedAhead()) {
		p.Lag = old.Lag
	}
}

// isToldLag tells whether a lag is one that the broker told: one that is
// reckoned here has a log end.
func isToldLag(p *model.SharePartition) bool { return p.Lag.IsKnown() && !p.LagEnd.IsKnown() }

// relag reckons the lags of all groups anew that come from the state topic,
// after log ends were sampled. It does nothing when no end has moved since, and
// all were sampled after the newest state already.
func (s *state) relag() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.endsMoved && s.relagged.After(s.statesAt) {
		return
	}
	s.endsMoved, s.relagged = false, s.oldestEnd()
	now := s.now()
	for _, e := range s.groups {
		if e.group.OffsetsFrom != model.FromStateTopic {
			continue
		}
		if rows := s.withLags(e.group.Partitions); rows != nil {
			s.change(e, func(g *model.Group) { g.OffsetsAt, g.Partitions = now, rows })
		}
	}
}

// oldestEnd is when the log end was sampled that is the oldest; zero when one
// was not. s.mu is held.
func (s *state) oldestEnd() time.Time {
	oldest := s.now()
	for _, e := range s.topics {
		if e.wanted.IsZero() {
			continue // no group reads it
		}
		for i := range e.topic.Partitions {
			if at := e.topic.Partitions[i].EndAt; at.Before(oldest) {
				oldest = at
			}
		}
	}
	return oldest
}

// withLags are the partitions with their lags as of now; nil when they are the
// same.
func (s *state) withLags(parts []model.SharePartition) []model.SharePartition {
	var rows []model.SharePartition
	var t *topicEntry
	for i := range parts {
		p := &parts[i]
		if i == 0 || p.Topic != parts[i-1].Topic {
			t = s.topics[p.Topic.Raw()]
		}
		if t == nil || p.State == nil {
			continue
		}
		lag, end := lagOf(p, t.topic)
		if (lag == p.Lag && end == p.LagEnd) || (!end.IsKnown() && isToldLag(p)) {
			continue
		}
		if rows == nil {
			rows = slices.Clone(parts)
		}
		rows[i].Lag, rows[i].LagEnd = lag, end
	}
	return rows
}

// wantEveryLog makes the log ends of all topics due that the state topic's
// groups read: their lag is reckoned here at every tick.
func (s *state) wantEveryLog() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for _, t := range s.topics {
		if !t.wanted.IsZero() {
			t.wanted = now
		}
	}
}

// wantLogsOf makes the logs of these topics due.
func (s *state) wantLogsOf(ids []model.TopicID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for _, id := range ids {
		if t := s.topicByID(id, now); t != nil {
			t.wanted = now
		}
	}
}

// notLive are those of the groups whose offsets do not come from the state topic
// yet.
func (s *state) notLive(ids []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, id := range ids {
		if e := s.groups[id]; e != nil && (e.group.OffsetsAt.IsZero() || e.group.OffsetsFrom != model.FromStateTopic) {
			out = append(out, id)
		}
	}
	return out
}

// allGroups are the ids of all groups.
func (s *state) allGroups() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]string, 0, len(s.groups))
	for id := range s.groups {
		ids = append(ids, id)
	}
	return ids
}

// unreadableProblem says that a share-partition's state can't be read.
func unreadableProblem(topic model.TopicName, partition int32, err error) model.Problem {
	place := fmt.Sprintf("%s-%d", topic, partition)
	return model.Problem{
		Kind: model.ProblemFeature, Target: target("partition", place),
		Detail: fmt.Sprintf("The state of %s can't be read: %s.", place, safeText(fmt.Sprint(err))),
		Advice: "look for a newer sharetop, if the cluster was upgraded",
	}
}
