package model

import (
	"runtime"
	"testing"
	"time"
)

// quietCrowd is a crowd that the state topic tells of, all of it caught up, and a
// tracker that has seen it once.
func quietCrowd(groups int) (*crowd, *Tracker, *Board) {
	c, tracker := newCrowd(groups), NewTracker(Rules{})
	c.snapshot.Offsets.Source = FromStateTopic
	c.tick(0)
	state := NewPartitionState(StateParts{Start: 15, Finished: 0, Highest: -1})
	for _, g := range c.snapshot.Groups {
		g.OffsetsAt, g.OffsetsFrom = c.now, FromStateTopic
		for p := range g.Partitions {
			g.Partitions[p].State, g.Partitions[p].Lag, g.Partitions[p].LagEnd = state, Known(0), Known(15)
		}
	}
	return c, tracker, tracker.Apply(c.snapshot, GroupID{}, c.now)
}

// quietTick is the next snapshot in which nothing has changed but its time.
func (c *crowd) quietTick() *Snapshot {
	c.now = c.now.Add(c.step)
	s := *c.snapshot
	s.Taken = c.now
	return &s
}

// In a cluster in which nothing happens rows change by the clock alone, each
// when it is due; once the history is full, none does, and then the board is the
// one before in all but its snapshot.
func TestQuietGroupsCostNothing(t *testing.T) {
	c, tracker, b := quietCrowd(1000)
	var changed int
	for range 3 * HistoryLength / c.step {
		before := b
		b = tracker.Apply(c.quietTick(), GroupID{}, c.now)
		for i, r := range b.Rows {
			if r != before.Rows[i] {
				changed++
			}
		}
	}
	if changed == 0 || changed > 2*TrendPoints*len(b.Rows) {
		t.Errorf("rows changed %d times, each row at most %d times is due", changed, 2*TrendPoints)
	}
	if n := testing.AllocsPerRun(20, func() {
		before := b
		b = tracker.Apply(c.quietTick(), GroupID{}, c.now)
		if !b.SameRows(before) || b.Totals != before.Totals {
			t.Error("rows changed though nothing did")
		}
	}); n > 3 {
		t.Errorf("a quiet tick of 1,000 groups takes %v allocations", n)
	}
}

// What changes by the clock alone is not passed over: by requests a row turns
// stale, with another interval too, and is derived anew when the topic's leader
// is lost.
func TestQuietGroupsAreLookedAtWhenDue(t *testing.T) {
	c, tracker := newCrowd(100), NewTracker(Rules{})
	b := tracker.Apply(c.tick(100), GroupID{}, c.now)
	fresh := func() (n int) {
		for _, r := range b.Rows {
			if r.Fresh {
				n++
			}
		}
		return n
	}
	for seconds, want := range []int{100, 100, 0, 0} {
		b = tracker.Apply(c.quietTick(), GroupID{}, c.now)
		if got := fresh(); got != want {
			t.Errorf("%d rows are fresh after %d s, want %d", got, seconds+1, want)
		}
	}
	tracker.SetInterval(10 * time.Second)
	b = tracker.Apply(c.quietTick(), GroupID{}, c.now)
	if got := fresh(); got != 100 {
		t.Errorf("%d rows are fresh by an interval of 10 s", got)
	}
	s := c.quietTick()
	topics := make(map[TopicName]*Topic, len(s.Topics))
	for name, topic := range s.Topics {
		next := *topic
		next.Partitions = append([]PartitionLog(nil), topic.Partitions...)
		next.Partitions[2].Leader = NoLeader
		topics[name] = &next
	}
	s.Topics = topics
	if b = tracker.Apply(s, GroupID{}, c.now); b.Totals.Stuck != 100 {
		t.Errorf("%d groups are stuck without a leader", b.Totals.Stuck)
	}
}

// Nearly all of ten thousand groups rest, and what is remembered of each, its row
// included, is bounded well below what a busy one takes.
func TestQuietGroupsAreSmall(t *testing.T) {
	const groups, limit = 2000, 1_700 // bytes a group of five share-partitions
	c, tracker, b := quietCrowd(groups)
	with := heapInUse()
	if b.Rows[0].Lag != Known(0) {
		t.Fatalf("not the group that is to be measured: %+v", b.Rows[0])
	}
	runtime.KeepAlive(b)
	runtime.KeepAlive(tracker) // both are let go of here
	without := heapInUse()
	runtime.KeepAlive(c)
	held := (int64(with) - int64(without)) / groups
	t.Logf("a quiet group takes %d bytes", held)
	if held > limit {
		t.Errorf("a quiet group takes %d bytes, the bound is %d", held, limit)
	}
}
