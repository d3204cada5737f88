package kafka

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// topicEntry is one topic that some group reads, with what is not for showing.
type topicEntry struct {
	// topic is immutable; a change replaces it.
	topic *model.Topic
	// wanted is when a group that reads it was last answered: a log end older
	// than that is due.
	wanted time.Time
	// code is metadata's error for the topic.
	code int16
	// retentionAsked is when the topic's retention was last asked for.
	retentionAsked time.Time
}

// wantTopic makes a topic known, so that metadata is asked for it; s.mu is held.
func (s *state) wantTopic(raw string) *topicEntry {
	if t := s.topics[raw]; t != nil {
		return t
	}
	t := &topicEntry{topic: &model.Topic{Name: s.names.topic(raw)}}
	s.topics[raw] = t
	s.unmet[raw] = struct{}{}
	s.topicsMoved = true
	return t
}

// wantLogs makes the logs of a group's partitions due; s.mu is held.
func (s *state) wantLogs(g *model.Group, at time.Time) {
	for i := range g.Partitions {
		if raw := g.Partitions[i].Topic.Raw(); i == 0 || raw != g.Partitions[i-1].Topic.Raw() {
			s.wantTopic(raw).wanted = at
		}
	}
}

// wantSubscribed makes the topics known that a group's members subscribe to.
func (s *state) wantSubscribed(g *model.Group) {
	for i := range g.Members {
		for _, t := range g.Members[i].Subscribed {
			s.wantTopic(t.Raw())
		}
	}
}

func (s *state) logEnd(topic string, partition int32) model.Number {
	if t := s.topics[topic]; t != nil && partition >= 0 && int(partition) < len(t.topic.Partitions) {
		return t.topic.Partitions[partition].End
	}
	return model.Number{}
}

func (s *state) topicDenied(topic string) bool {
	t := s.topics[topic]
	return t != nil && t.code == kerr.TopicAuthorizationFailed.Code
}

// newTopics tells whether there are topics that metadata was not asked for.
func (s *state) newTopics() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.unmet) > 0
}

// readTopics are the topics that some group reads or a member subscribes to;
// all others are forgotten.
func (s *state) readTopics() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	read := make(map[string]struct{}, len(s.topics))
	for _, e := range s.groups {
		for i := range e.group.Partitions {
			read[e.group.Partitions[i].Topic.Raw()] = struct{}{}
		}
		for i := range e.group.Members {
			for _, t := range e.group.Members[i].Subscribed {
				read[t.Raw()] = struct{}{}
			}
		}
		for t := range e.lost {
			read[t] = struct{}{}
		}
	}
	names := make([]string, 0, len(read))
	for name := range read {
		s.wantTopic(name)
		names = append(names, name)
	}
	for name := range s.topics {
		if _, ok := read[name]; !ok {
			delete(s.topics, name)
			delete(s.unmet, name)
			s.cureLocked(problemKey{actionTopic, name})
			s.cureLocked(problemKey{actionLog, name})
			s.topicsMoved = true
			s.pub.dirty()
		}
	}
	slices.Sort(names)
	return names
}

// mergeTopic takes in what metadata says of a topic.
func (s *state) mergeTopic(m *kmsg.MetadataResponseTopic) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.topics[deref(m.Topic)]
	if e == nil {
		return
	}
	delete(s.unmet, deref(m.Topic))
	e.code = m.ErrorCode
	next := *e.topic
	key := problemKey{actionTopic, next.Name.Raw()}
	next.Gone = gone(m.ErrorCode)
	if m.ErrorCode == 0 {
		s.ids.learn(m.TopicID, next.Name.Raw())
	}
	switch m.ErrorCode {
	case 0, kerr.LeaderNotAvailable.Code:
		s.cureLocked(key)
		next.Problem = nil
		mergeLeaders(&next, m)
	default:
		p := topicProblem(next.Name.Raw(), m.ErrorCode)
		if s.reportLocked(key, p) || next.Problem == nil {
			next.Problem = &p
		}
		if takesAway(m.ErrorCode) {
			next.Partitions = nil
		}
	}
	s.replaceTopic(e, &next)
}

func gone(code int16) bool {
	return code == kerr.UnknownTopicOrPartition.Code || code == kerr.UnknownTopicID.Code
}

// mergeLeaders takes in the partitions of a topic; one with a new id starts
// afresh, since it is another topic.
func mergeLeaders(next *model.Topic, m *kmsg.MetadataResponseTopic) {
	known := next.Partitions
	if next.ID != m.TopicID {
		known, next.ID = nil, m.TopicID
	}
	count := len(known)
	for i := range m.Partitions {
		count = max(count, int(m.Partitions[i].Partition)+1)
	}
	if count > maxPartitions {
		return
	}
	next.Partitions = make([]model.PartitionLog, count)
	copy(next.Partitions, known)
	for i := range m.Partitions {
		p := &m.Partitions[i]
		if p.Partition < 0 {
			continue
		}
		log := &next.Partitions[p.Partition]
		log.Asked, log.Leader = true, p.Leader
		if p.Leader < 0 {
			log.Leader = model.NoLeader
		}
	}
}

// maxPartitions bounds the partitions of one topic; an answer with more is
// ignored.
const maxPartitions = 1 << 20

// replaceTopic puts a changed copy in place, unless it is equal; s.mu is held.
func (s *state) replaceTopic(e *topicEntry, next *model.Topic) {
	old := e.topic
	if old.ID == next.ID && old.Gone == next.Gone && old.Problem == next.Problem &&
		old.Retention == next.Retention && slices.Equal(old.Partitions, next.Partitions) {
		return
	}
	if old.ID != next.ID || old.Gone != next.Gone {
		s.ids.moved++
	}
	s.endsMoved = s.endsMoved || old.ID != next.ID || len(old.Partitions) != len(next.Partitions)
	e.topic = next
	s.topicsMoved = true
	s.pub.dirty()
}

// logQuestion is one partition whose log offset is to be asked.
type logQuestion struct {
	topic     string
	partition int32
}

// startEvery is how often the log start of a partition is asked: it moves with
// retention and DeleteRecords only.
const startEvery = 30 * time.Second

// dueLogs are the partitions led by a broker whose end, and whose log start, are
// to be asked. An end is due when a group that reads it was answered since and
// it is older than the given age, or when it was never asked.
func (s *state) dueLogs(leader int32, age time.Duration) (ends, starts []logQuestion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for name, e := range s.topics {
		if e.topic.Gone || e.wanted.IsZero() {
			continue
		}
		for i := range e.topic.Partitions {
			p := &e.topic.Partitions[i]
			if !p.Asked || p.Leader != leader {
				continue
			}
			q := logQuestion{name, int32(i)} //nolint:gosec // bounded by maxPartitions
			if p.EndAt.IsZero() || (!e.wanted.Before(p.EndAt) && now.Sub(p.EndAt) >= age) {
				ends = append(ends, q)
			}
			if p.StartAt.IsZero() || now.Sub(p.StartAt) >= startEvery {
				starts = append(starts, q)
			}
		}
	}
	return ends, starts
}

// mergeLogs takes in an answer about log ends or log starts that was sampled at
// a time. It returns true when the leaders are no longer what we think.
func (s *state) mergeLogs(r *kmsg.ListOffsetsResponse, starts bool, at time.Time) (stale bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range r.Topics {
		if e := s.topics[r.Topics[i].Topic]; e != nil && s.mergeLog(e, &r.Topics[i], starts, at) {
			stale = true
		}
	}
	return stale
}

func (s *state) mergeLog(e *topicEntry, t *kmsg.ListOffsetsResponseTopic, starts bool, at time.Time) (stale bool) {
	next := *e.topic
	next.Partitions = slices.Clone(next.Partitions)
	var failed int16
	for i := range t.Partitions {
		p := &t.Partitions[i]
		if p.Partition < 0 || int(p.Partition) >= len(next.Partitions) {
			continue
		}
		if p.ErrorCode != 0 {
			failed = p.ErrorCode
			continue
		}
		log := &next.Partitions[p.Partition]
		if starts {
			log.LogStart, log.StartAt = model.Known(p.Offset), at
		} else {
			s.endsMoved = s.endsMoved || log.End != model.Known(p.Offset)
			log.End, log.EndAt = model.Known(p.Offset), at
		}
	}
	key := problemKey{actionLog, t.Topic}
	switch {
	case failed == 0:
		if s.cureLocked(key) {
			next.Problem = nil
		}
	case failed == kerr.NotLeaderForPartition.Code || gone(failed):
		stale = true // metadata says what became of it
	default:
		p := topicProblem(t.Topic, failed)
		if s.reportLocked(key, p) {
			next.Problem = &p
		}
	}
	s.replaceTopic(e, &next)
	return stale
}
