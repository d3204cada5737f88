package statetopic

import (
	"testing"

	"sharetop/model"
)

// at is the timestamp of the feed's nth record.
func (f *feed) at(n int) model.Stamp { return model.NewStamp(1_000_000+1000*int64(n), false) }

func (f *feed) atLeast(n int) model.Stamp {
	return model.NewStamp(f.at(n).Millis(), true)
}

func (f *feed) times(what string, write, head, finish model.Stamp) {
	f.t.Helper()
	s := f.state()
	if s.LastWrite() != write || s.HeadSince() != head || s.LastFinish() != finish {
		f.t.Errorf("%s: last write %v, head since %v, last finish %v; want %v, %v, %v", what,
			s.LastWrite(), s.HeadSince(), s.LastFinish(), write, head, finish)
	}
}

func accept(first, last int64, count int32) Update {
	u := settled(StateAcknowledged, first, last, 1)
	u.DeliveryCompleteCount = count
	return u
}

// A share-partition watched from its first record on: every time is exact.
func TestTimesFromTheBeginning(t *testing.T) {
	f := newFeed(t)
	never := model.Stamp{}
	f.snapshot(Snapshot{StartOffset: NotTold, DeliveryCompleteCount: NotTold})
	f.times("initialised", f.at(0), f.at(0), never)
	u := released(0, 2, 1)
	u.StartOffset = 0
	f.update(u)
	f.times("given back: the head is at 0 now", f.at(1), f.at(1), never)
	f.update(accept(1, 2, 2))
	f.times("1 and 2 finished: the head stays", f.at(2), f.at(1), f.at(2))
	u = released(0, 0, 2)
	u.DeliveryCompleteCount = 2
	f.update(u)
	f.times("0 given back again", f.at(3), f.at(1), f.at(2))
	u = settled(StateArchived, 0, 0, 3)
	u.DeliveryCompleteCount = 3
	f.update(u)
	f.times("0 archived: the head moves to 3", f.at(4), f.at(4), f.at(4))
	f.update(Update{LeaderEpoch: NotTold, StartOffset: 3})
	f.times("the start follows", f.at(5), f.at(4), f.at(4))
	f.update(Update{LeaderEpoch: NotTold, StartOffset: 10})
	f.times("retention moves the start: nothing was finished", f.at(6), f.at(6), f.at(4))
}

// What an older snapshot shows had come about by then, and may be older.
func TestTimesFromTheMiddle(t *testing.T) {
	blocked := Snapshot{
		SnapshotEpoch: 3, StateEpoch: 2, DeliveryCompleteCount: 1, StartOffset: 5,
		CreateTimestamp: 100, WriteTimestamp: 100,
		Batches: []Batch{{5, 5, StateAvailable, 2}, {6, 6, StateAcknowledged, 1}},
	}
	f := newFeed(t)
	f.snapshot(blocked)
	f.times("written for an update", f.at(0), f.atLeast(0), f.atLeast(0))
	blocked.SnapshotEpoch, blocked.WriteTimestamp = 4, 200
	if applied := f.put(SnapshotKey, blocked.Append(nil)); applied.Changed {
		t.Error("a repeated snapshot is taken for a change")
	}
	f.times("repeated while idle", f.at(0), f.atLeast(0), f.atLeast(0))
	f.update(released(5, 5, 3))
	f.times("given back once more", f.at(2), f.atLeast(0), f.atLeast(0))

	f = newFeed(t)
	f.snapshot(blocked)
	f.times("first seen as a repeated one", f.atLeast(0), f.atLeast(0), f.atLeast(0))
	f.snapshot(blocked)
	f.times("and once more", f.atLeast(0), f.atLeast(0), f.atLeast(0))
}

// Between two updates a snapshot stands for a write, every 500th by default.
func TestTimesOfASnapshotThatIsAWrite(t *testing.T) {
	f := newFeed(t)
	f.table.Watch(0)
	s := Snapshot{StateEpoch: 2, StartOffset: NotTold, CreateTimestamp: 100, WriteTimestamp: 100}
	f.snapshot(s)
	f.times("initialised", f.at(0), f.at(0), model.Stamp{})
	s.StartOffset = 0
	s.SnapshotEpoch, s.DeliveryCompleteCount = 1, 1
	s.Batches = []Batch{{0, 0, StateAvailable, 1}, {1, 1, StateAcknowledged, 1}}
	f.snapshot(s)
	f.times("0 given back, 1 finished", f.at(1), f.at(1), f.at(1))
	if created, written := f.state().SnapshotTimes(); created.UnixMilli() != 100 || written.UnixMilli() != 100 {
		t.Errorf("snapshot of %v, written %v", created, written)
	}
	if got := f.state().Tally(); got != (model.Tally{Accepted: 1, Released: 1, Deliveries: 2}) {
		t.Errorf("tally %+v", got)
	}
	s.SnapshotEpoch, s.StartOffset, s.DeliveryCompleteCount = 2, 1, 1
	s.Batches = []Batch{{1, 1, StateAcknowledged, 1}}
	f.snapshot(s)
	f.times("the start passes 0, which was not finished", f.at(2), f.at(2), f.at(1))
	if got := f.state().Tally().Skipped; got != 1 {
		t.Errorf("%d skipped", got)
	}
}

// A repeated snapshot that differs means that a write was not seen: its times
// are bounds, and nothing is counted.
func TestTimesOfAMissedWrite(t *testing.T) {
	f := newFeed(t)
	f.table.Watch(0)
	s := Snapshot{StateEpoch: 2, CreateTimestamp: 100, WriteTimestamp: 100}
	f.snapshot(s)
	s.WriteTimestamp, s.DeliveryCompleteCount = 300, 1
	s.Batches = []Batch{{0, 0, StateAcknowledged, 1}}
	f.snapshot(s)
	f.times("missed", f.atLeast(1), f.atLeast(1), f.atLeast(1))
	if got := f.state().Tally(); got != (model.Tally{}) {
		t.Errorf("tally %+v", got)
	}
}

// Setting the start offset throws away what was finished above it, even to the
// same number: the head is there since then, and nothing was delivered.
func TestTimesOfAReset(t *testing.T) {
	f := newFeed(t)
	f.table.Watch(0)
	f.snapshot(Snapshot{StateEpoch: 2})
	f.update(accept(1, 3, 3))
	f.snapshot(Snapshot{SnapshotEpoch: 1, StateEpoch: 3})
	f.times("reset", f.at(2), f.at(2), f.at(1))
	s := f.state()
	if s.Tally() != (model.Tally{Accepted: 3, Deliveries: 3, Resets: 1}) {
		t.Errorf("tally %+v", s.Tally())
	}
	if len(s.Batches()) != 0 || s.Window() != model.Known(0) {
		t.Errorf("batches %v, window %v", s.Batches(), s.Window())
	}
}

// The state epoch is the group's, which a second reset in a row leaves alone: what
// tells it is a snapshot without the batches that were there.
func TestTimesOfASecondReset(t *testing.T) {
	f := newFeed(t)
	f.table.Watch(0)
	f.snapshot(Snapshot{SnapshotEpoch: 1, StateEpoch: 3, StartOffset: 12})
	f.update(accept(13, 14, 2))
	f.snapshot(Snapshot{SnapshotEpoch: 2, StateEpoch: 3, StartOffset: 12})
	f.times("to the same number", f.at(2), f.at(2), f.at(1))
	f.snapshot(Snapshot{SnapshotEpoch: 3, StateEpoch: 3, StartOffset: 2})
	f.times("back", f.at(3), f.at(3), f.at(1))
	f.snapshot(Snapshot{SnapshotEpoch: 4, StateEpoch: 3, StartOffset: 9})
	f.times("forward", f.at(4), f.at(4), f.at(1))
	f.snapshot(Snapshot{SnapshotEpoch: 5, StateEpoch: 3, StartOffset: 9, LeaderEpoch: 1})
	f.times("a new leader", f.at(5), f.at(4), f.at(1))
	if tally := f.state().Tally(); tally != (model.Tally{Accepted: 2, Deliveries: 2, Resets: 3}) {
		t.Errorf("tally %+v", tally)
	}
}
