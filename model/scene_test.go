package model

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// scene is a made-up cluster whose values a test changes between two looks at
// it. Every look copies what it hands over, as the real client does.
type scene struct {
	t       *testing.T
	now     time.Time
	tracker *Tracker
	open    GroupID
	support ShareSupport
	source  OffsetsSource
	topics  map[string]*Topic
	groups  map[string]*Group
	// skew is how much later than the offsets the log ends are sampled.
	skew time.Duration
	// checked is up to when a live source has told all; nil where it does not say.
	checked func() time.Time
	board   *Board
}

var sceneStart = time.Date(2026, 11, 29, 14, 43, 0, 0, time.UTC)

func newScene(t *testing.T, rules Rules) *scene {
	t.Helper()
	return &scene{
		t: t, now: sceneStart, tracker: NewTracker(rules), support: ShareFull,
		topics: map[string]*Topic{}, groups: map[string]*Group{},
	}
}

// topic adds a topic with one log per pair of log start and end.
func (s *scene) topic(name string, logs ...[2]int64) {
	topic := &Topic{Name: NewTopicName(name), ID: TopicID{1, byte(len(s.topics))}}
	for _, l := range logs {
		topic.Partitions = append(topic.Partitions, PartitionLog{
			Asked: true, Leader: 1, LogStart: Known(l[0]), End: Known(l[1]),
		})
	}
	s.topics[name] = topic
}

// log is a partition's log, to be changed.
func (s *scene) log(topic string, partition int) *PartitionLog {
	return &s.topics[topic].Partitions[partition]
}

// produce appends records to a log.
func (s *scene) produce(topic string, partition int, n int64) {
	l := s.log(topic, partition)
	l.End = Known(l.End.Or(0) + n)
}

// group adds a group with so many members, each assigned all its partitions.
func (s *scene) group(id string, members int, parts ...SharePartition) *Group {
	g := &Group{ID: NewGroupID(id), State: GroupEmpty, Coordinator: 1, Partitions: parts}
	s.groups[id] = g
	s.members(id, members)
	return g
}

func (s *scene) members(id string, n int) {
	g := s.groups[id]
	g.State, g.Members = GroupEmpty, nil
	for i := range n {
		m := Member{ID: NewText(string(rune('a' + i))), ClientID: NewText("reader"), Host: NewText("10.0.3.7")}
		for _, p := range g.Partitions {
			m.Assignment = append(m.Assignment, Assignment{Topic: p.Topic, Partitions: []int32{p.Partition}})
		}
		g.State, g.Members = GroupStable, append(g.Members, m)
	}
}

// part is a share-partition with a start offset and a lag.
func part(topic string, partition int32, start, lag int64) SharePartition {
	return SharePartition{Topic: NewTopicName(topic), Partition: partition, Start: Known(start), Lag: Known(lag)}
}

// unsettledPart is one of which the broker says -1.
func unsettledPart(topic string, partition int32) SharePartition {
	return SharePartition{Topic: NewTopicName(topic), Partition: partition}
}

// finish settles records: the lag shrinks, and the start offset moves to start.
func (s *scene) finish(group string, i int, n, start int64) {
	p := &s.groups[group].Partitions[i]
	p.Lag, p.Start = Known(p.Lag.Or(0)-n), Known(start)
}

// arrive lets records come into a log and wait in a group's partition.
func (s *scene) arrive(group string, i int, n int64) {
	p := &s.groups[group].Partitions[i]
	s.produce(p.Topic.Raw(), int(p.Partition), n)
	p.Lag = Known(p.Lag.Or(0) + n)
}

// look lets time pass and looks at everything.
func (s *scene) look(after time.Duration) *Board {
	s.now = s.now.Add(after)
	return s.lookAt(func(string) bool { return true })
}

// lookAt hands over a snapshot in which only some groups were asked anew; the
// others are the same pointers as before.
func (s *scene) lookAt(asked func(id string) bool) *Board {
	snapshot := &Snapshot{
		Taken: s.now, Topics: map[TopicName]*Topic{},
		Cluster: Cluster{ShareGroups: s.support}, Offsets: OffsetsState{Source: s.source},
	}
	if s.checked != nil {
		snapshot.Offsets.Tail.CheckedAt = s.checked()
	}
	for _, t := range s.topics {
		c := *t
		c.Partitions = slices.Clone(t.Partitions)
		for i := range c.Partitions {
			c.Partitions[i].StartAt, c.Partitions[i].EndAt = s.now.Add(s.skew), s.now.Add(s.skew)
		}
		snapshot.Topics[c.Name] = &c
	}
	for id, g := range s.groups {
		if old := s.last(id); old != nil && !asked(id) {
			snapshot.Groups = append(snapshot.Groups, old)
			continue
		}
		snapshot.Groups = append(snapshot.Groups, s.copyOf(g))
	}
	slices.SortFunc(snapshot.Groups, func(a, b *Group) int { return strings.Compare(a.ID.Raw(), b.ID.Raw()) })
	s.board = s.tracker.Apply(snapshot, s.open, s.now)
	return s.board
}

func (s *scene) copyOf(g *Group) *Group {
	c := *g
	c.Described, c.OffsetsAt = s.now, s.now
	c.Partitions, c.Members = slices.Clone(g.Partitions), slices.Clone(g.Members)
	return &c
}

func (s *scene) last(id string) *Group {
	if r := s.board.Row(NewGroupID(id)); r != nil {
		return r.Group
	}
	return nil
}

// row is a group's row on the last board.
func (s *scene) row(id string) *Row {
	s.t.Helper()
	r := s.board.Row(NewGroupID(id))
	if r == nil {
		s.t.Fatalf("group %q is not on the board", id)
	}
	return r
}

// want checks a group's finding and its text.
func (s *scene) want(id string, finding Finding, text string) {
	s.t.Helper()
	v := s.row(id).Verdict
	if v.Finding != finding || v.Text != text {
		s.t.Fatalf("%s: got %s %q, want %s %q\nevidence: %s", id, v.Finding, v.Text, finding, text,
			strings.Join(written(v.Evidence), "\n          "))
	}
}
