package statetopic

import "sharetop/model"

// UpdatesPerSnapshot is Kafka's default of
// share.coordinator.snapshot.update.records.per.snapshot.
const UpdatesPerSnapshot = 500

// Journal makes the records that a share coordinator would write: it is what
// stands in for one where there is none, in the demo and in tests. Times are
// milliseconds since 1970. It is not safe for concurrent use.
type Journal struct {
	perSnapshot int
	shares      map[ShareKey]*journaled
	merger      merger
}

// journaled is one share-partition's state, and how many updates were written
// since its last snapshot.
type journaled struct {
	snapshot Snapshot
	held     model.Intervals
	updates  int
}

// NewJournal makes a journal that writes so many updates between two snapshots
// of a share-partition; 0 means snapshots only.
func NewJournal(perSnapshot int) *Journal {
	return &Journal{perSnapshot: perSnapshot, shares: map[ShareKey]*journaled{}}
}

// Initialize begins a share-partition anew at a start offset, which is what
// altering offsets does too; NotTold when it is not known yet.
func (j *Journal) Initialize(k ShareKey, start, now int64) (key, value []byte) {
	s := newJournaled(start, now)
	if before := j.shares[k]; before != nil {
		s.snapshot.SnapshotEpoch = before.snapshot.SnapshotEpoch + 1
		s.snapshot.StateEpoch = before.snapshot.StateEpoch + 1
	}
	j.shares[k] = s
	return s.write(k)
}

func newJournaled(start, now int64) *journaled {
	s := &journaled{snapshot: Snapshot{
		StateEpoch: 2, StartOffset: start, CreateTimestamp: now, WriteTimestamp: now,
	}}
	if start == NotTold {
		s.snapshot.DeliveryCompleteCount = NotTold
	}
	return s
}

// Settle writes what became of records: batches with the state and the delivery
// count they have now. Start is the first offset the group can get at all, and
// counts while no start offset is persisted. The error says which batch is not
// possible.
//
// As in Kafka the start offset trails by one write: it passes what was done
// before, not what this write does.
func (j *Journal) Settle(k ShareKey, start int64, batches []Batch, now int64) (key, value []byte, err error) {
	in, err := j.merger.convert(batches)
	if err != nil {
		return nil, nil, err
	}
	s, known := j.shares[k]
	if !known {
		s = newJournaled(start, now)
		j.shares[k] = s
	}
	j.merge(s, start, in)
	if known && s.updates < j.perSnapshot {
		s.updates++
		key, value = s.update(k, batches)
		return key, value, nil
	}
	if known {
		s.snapshot.SnapshotEpoch++
	}
	s.updates = 0
	s.snapshot.CreateTimestamp, s.snapshot.WriteTimestamp = now, now
	key, value = s.write(k)
	return key, value, nil
}

// merge moves the start over what was done before, and puts the batches on top.
func (j *Journal) merge(s *journaled, start int64, batches []model.StateBatch) {
	if s.snapshot.StartOffset == NotTold {
		s.snapshot.StartOffset = start
	}
	start = s.held.FirstUnfinished(s.snapshot.StartOffset)
	s.snapshot.StartOffset = start
	s.held = clip(s.held, start)
	for _, b := range batches {
		if b.Last >= start {
			s.held = j.merger.overlay(s.held, b.Clip(start, b.Last))
		}
	}
	s.snapshot.DeliveryCompleteCount = int32(s.held.Done())
}

// Repeat writes the state of an idle share-partition once more, as Kafka does
// every five minutes; nil when there is none.
func (j *Journal) Repeat(k ShareKey, now int64) (key, value []byte) {
	s := j.shares[k]
	if s == nil {
		return nil, nil
	}
	s.snapshot.SnapshotEpoch++
	s.snapshot.WriteTimestamp = now
	return s.write(k)
}

// Delete writes the tombstone of a share-partition.
func (j *Journal) Delete(k ShareKey) (key, value []byte) {
	delete(j.shares, k)
	return AppendKey(nil, Key{Type: SnapshotKey, ShareKey: k}), nil
}

// At is what was written of one record: its state, and the delivery count of
// states that have one. It is RecordUnknown when there is no such
// share-partition.
func (j *Journal) At(k ShareKey, offset int64) (model.RecordState, int16) {
	s := j.shares[k]
	if s == nil {
		return model.RecordUnknown, 0
	}
	if offset < s.snapshot.StartOffset {
		return model.RecordBelowStart, 0
	}
	if i := s.held.Find(offset); i < len(s.held) && s.held[i].First <= offset {
		return s.held[i].State, s.held[i].Count
	}
	return model.RecordNew, 0
}

// Lag is what Kafka would answer for a share-partition whose log ends there;
// false before it has a start offset.
func (j *Journal) Lag(k ShareKey, end int64) (int64, bool) {
	s := j.shares[k]
	if s == nil || s.snapshot.StartOffset == NotTold {
		return 0, false
	}
	return end - s.snapshot.StartOffset - int64(s.snapshot.DeliveryCompleteCount), true
}

func (s *journaled) write(k ShareKey) (key, value []byte) {
	s.snapshot.Batches = toWire(s.held)
	return AppendKey(nil, Key{Type: SnapshotKey, ShareKey: k}), s.snapshot.Append(nil)
}

func (s *journaled) update(k ShareKey, batches []Batch) (key, value []byte) {
	u := Update{
		SnapshotEpoch: s.snapshot.SnapshotEpoch, LeaderEpoch: s.snapshot.LeaderEpoch,
		StartOffset: s.snapshot.StartOffset, Batches: batches,
		DeliveryCompleteCount: s.snapshot.DeliveryCompleteCount,
	}
	return AppendKey(nil, Key{Type: UpdateKey, ShareKey: k}), u.Append(nil)
}

// toWire turns the model's batches into those that are written.
func toWire(iv model.Intervals) []Batch {
	batches := make([]Batch, len(iv))
	for i, b := range iv {
		batches[i] = Batch{First: b.First, Last: b.Last, State: stateID(b.State), Count: b.Count}
	}
	return batches
}

// stateID is the other way round of recordState.
func stateID(s model.RecordState) int8 {
	for id := StateAvailable; id <= StateArchived; id++ {
		if recordState(id) == s {
			return id
		}
	}
	return StateArchived + 1
}
