package model

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// crowd is a cluster of many groups with five share-partitions each, one topic
// for every hundred groups.
type crowd struct {
	snapshot *Snapshot
	now      time.Time
	step     time.Duration
}

const crowdPartitions = 5

func newCrowd(groups int) *crowd {
	c := &crowd{now: sceneStart, step: time.Second, snapshot: &Snapshot{Topics: map[TopicName]*Topic{}}}
	for i := range groups {
		name := NewTopicName("topic-" + strconv.Itoa(i/100))
		g := &Group{
			ID: NewGroupID(fmt.Sprintf("group-%06d", i)), State: GroupStable,
			Members: []Member{{ClientID: NewText("reader"), Host: NewText("10.0.3.7"), Assignment: []Assignment{{name, []int32{0, 1, 2, 3, 4}}}}},
		}
		for p := range int32(crowdPartitions) {
			g.Partitions = append(g.Partitions, SharePartition{Topic: name, Partition: p, Start: Known(0), Lag: Known(1000)})
		}
		c.snapshot.Groups = append(c.snapshot.Groups, g)
		c.snapshot.Topics[name] = nil
	}
	for name := range c.snapshot.Topics {
		c.snapshot.Topics[name] = &Topic{Name: name, Partitions: make([]PartitionLog, crowdPartitions)}
	}
	return c
}

// tick makes the next snapshot: a step later, with so many groups changed.
func (c *crowd) tick(changed int) *Snapshot {
	c.now = c.now.Add(c.step)
	s := *c.snapshot
	s.Taken, s.Groups, s.Topics = c.now, append([]*Group(nil), s.Groups...), make(map[TopicName]*Topic, len(s.Topics))
	seconds := int64(c.now.Sub(sceneStart) / time.Second)
	for name, topic := range c.snapshot.Topics {
		t := *topic
		t.Partitions = make([]PartitionLog, crowdPartitions)
		for i := range t.Partitions {
			t.Partitions[i] = PartitionLog{Asked: true, LogStart: Known(0), End: Known(1000 + 20*seconds), StartAt: c.now, EndAt: c.now}
		}
		s.Topics[name] = &t
	}
	for i := range changed {
		g := *s.Groups[i]
		g.OffsetsAt, g.Described = c.now, c.now
		g.Partitions = append([]SharePartition(nil), g.Partitions...)
		for p := range g.Partitions {
			g.Partitions[p].Start, g.Partitions[p].Lag = Known(15*seconds), Known(1000+5*seconds+int64(p))
		}
		s.Groups[i] = &g
	}
	c.snapshot = &s
	return &s
}

// TestTrackerMemory holds the bound: 10,000 groups of 5 share-partitions, every
// one sampled for longer than the history, under 30 MB with their boards. What a
// history takes depends on the time that it spans, not on how many samples fall
// into it, so a sample every 12 s does.
func TestTrackerMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("fills the history of 10,000 groups")
	}
	const limit = 30_000_000
	c, tracker := newCrowd(10_000), NewTracker(Rules{})
	c.step = 12 * time.Second
	var b *Board
	for range HistoryLength/c.step + 2 {
		b = tracker.Apply(c.tick(len(c.snapshot.Groups)), GroupID{}, c.now)
	}
	// What is held now, less the snapshot: measured by letting go of the rest.
	with := heapInUse()
	if r := b.Rows[0]; r.Verdict.Finding != FindingBehind || !r.Trend[0].IsKnown() {
		t.Fatalf("not the busy history that is to be measured: %+v", r)
	}
	runtime.KeepAlive(b)
	runtime.KeepAlive(tracker)
	b, tracker = nil, nil
	without := heapInUse()
	runtime.KeepAlive(c)
	held := int64(with) - int64(without)
	t.Logf("held %d bytes for 10,000 groups", held)
	if held > limit {
		t.Errorf("the tracker and its board hold %d bytes, the bound is %d", held, limit)
	}
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkApply(b *testing.B) {
	for _, changed := range []int{0, 10, 100, 10_000} {
		b.Run(strconv.Itoa(changed)+"-of-10000-changed", func(b *testing.B) {
			c, tracker := newCrowd(10_000), NewTracker(Rules{})
			for range 20 {
				tracker.Apply(c.tick(10_000), GroupID{}, c.now)
			}
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				s := c.tick(changed)
				b.StartTimer()
				tracker.Apply(s, GroupID{}, c.now)
			}
		})
	}
}
