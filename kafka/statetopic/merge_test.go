package statetopic

import (
	"math/rand/v2"
	"slices"
	"testing"

	"sharetop/model"
)

// write is one write of the share coordinator.
type write struct {
	start   int64
	batches []Batch
	count   int32
}

// offsets is the oracle: the state of every offset by itself, 0..len-1.
type offsets struct {
	start int64
	state []model.StateBatch
	count int32
}

func newOffsets(n int) *offsets {
	return &offsets{start: -1, state: make([]model.StateBatch, n), count: -1}
}

func (o *offsets) write(w write) {
	if w.start != NotTold {
		o.start = w.start
	}
	for _, b := range w.batches {
		now := model.StateBatch{State: recordState(b.State), Count: b.Count}
		for at := b.First; at <= b.Last; at++ {
			if old := o.state[at]; old.State == 0 || now.Count > old.Count ||
				(now.Count == old.Count && now.State > old.State) {
				o.state[at] = now
			}
		}
	}
	for at := range o.state[:max(0, o.start)] {
		o.state[at] = model.StateBatch{}
	}
	o.count = w.count
}

func (o *offsets) batches() []Batch {
	var iv model.Intervals
	for at, s := range o.state {
		if s.State == 0 {
			continue
		}
		if n := len(iv); n > 0 && iv[n-1].Last == int64(at)-1 && iv[n-1].SameState(s) {
			iv[n-1].Last++
			continue
		}
		s.First, s.Last = int64(at), int64(at)
		iv = append(iv, s)
	}
	return toWire(iv)
}

// randomWrites are writes whose start only grows, as that of a share-partition
// does between two resets. Batches overlap in every way there is.
func randomWrites(rng *rand.Rand, n int) []write {
	writes := make([]write, n)
	var start int64
	for i := range writes {
		w := &writes[i]
		w.start, w.count = NotTold, int32(rng.IntN(20))
		if rng.IntN(3) == 0 || i == 0 {
			start += rng.Int64N(6)
			w.start = min(start, historyOffsets-1)
		}
		for range rng.IntN(4) {
			first := rng.Int64N(historyOffsets)
			w.batches = append(w.batches, Batch{
				First: first, Last: min(first+rng.Int64N(12), historyOffsets-1),
				State: []int8{0, 2, 3, 4}[rng.IntN(4)], Count: int16(1 + rng.IntN(3)),
			})
		}
	}
	return writes
}

const historyOffsets = 60

// However a history is divided into updates, with a snapshot in between or not,
// the state is that of looking at every offset by itself.
func TestAnySplitGivesTheSameState(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 500 {
		writes := randomWrites(rng, 1+rng.IntN(20))
		oracle := newOffsets(historyOffsets)
		for _, w := range writes {
			oracle.write(w)
		}
		for range 4 {
			f := newFeed(t)
			f.snapshot(Snapshot{StartOffset: NotTold, DeliveryCompleteCount: NotTold, StateEpoch: 2})
			feedSplit(f, rng, writes)
			checkOracle(t, f.state(), oracle)
		}
	}
}

// feedSplit writes a history as updates of one or several writes each, now and
// then with the whole state as a snapshot in place of an update.
func feedSplit(f *feed, rng *rand.Rand, writes []write) {
	so := newOffsets(historyOffsets)
	epoch := int32(0)
	for len(writes) > 0 {
		n := 1 + rng.IntN(min(4, len(writes)))
		u := Update{SnapshotEpoch: epoch, LeaderEpoch: NotTold, StartOffset: NotTold}
		for _, w := range writes[:n] {
			so.write(w)
			u.Batches = append(u.Batches, w.batches...)
			u.DeliveryCompleteCount = w.count
			if w.start != NotTold {
				u.StartOffset = w.start
			}
		}
		writes = writes[n:]
		if rng.IntN(5) > 0 {
			f.update(u)
			continue
		}
		epoch++
		f.snapshot(Snapshot{
			SnapshotEpoch: epoch, StateEpoch: 2, StartOffset: so.start,
			Batches: so.batches(), DeliveryCompleteCount: so.count,
		})
	}
}

func checkOracle(t *testing.T, s *model.PartitionState, o *offsets) {
	t.Helper()
	if s.Start() != model.Known(o.start) || s.FinishedCount() != model.Known(int64(o.count)) {
		t.Fatalf("start %v, count %v; want %d, %d", s.Start(), s.FinishedCount(), o.start, o.count)
	}
	if !s.Batches().Valid() {
		t.Fatalf("intervals %v", s.Batches())
	}
	if got := toWire(s.Batches()); !slices.Equal(got, o.batches()) {
		t.Fatalf("batches %v, want %v", got, o.batches())
	}
}

// The cases of Kafka's PersisterStateBatchCombiner, by how two batches lie.
func TestOverlay(t *testing.T) {
	free, taken := StateAvailable, StateAcknowledged
	tests := []struct {
		name     string
		old, new []Batch
		want     []Batch
	}{
		{"the same", []Batch{{1, 5, free, 1}}, []Batch{{1, 5, free, 1}}, []Batch{{1, 5, free, 1}}},
		{"same range, higher count", []Batch{{1, 5, taken, 1}}, []Batch{{1, 5, free, 2}}, []Batch{{1, 5, free, 2}}},
		{"same range, lower count", []Batch{{1, 5, free, 3}}, []Batch{{1, 5, taken, 2}}, []Batch{{1, 5, free, 3}}},
		{"tie by the higher state", []Batch{{1, 5, free, 2}}, []Batch{{1, 5, taken, 2}}, []Batch{{1, 5, taken, 2}}},
		{"inside", []Batch{{1, 9, free, 1}}, []Batch{{3, 4, free, 2}}, []Batch{{1, 2, free, 1}, {3, 4, free, 2}, {5, 9, free, 1}}},
		{"inside, loses", []Batch{{1, 9, free, 2}}, []Batch{{3, 4, taken, 1}}, []Batch{{1, 9, free, 2}}},
		{"around, wins", []Batch{{3, 4, free, 1}}, []Batch{{1, 9, free, 2}}, []Batch{{1, 9, free, 2}}},
		{"around, loses", []Batch{{3, 4, free, 2}}, []Batch{{1, 9, free, 1}}, []Batch{{1, 2, free, 1}, {3, 4, free, 2}, {5, 9, free, 1}}},
		{"right half, wins", []Batch{{1, 5, free, 1}}, []Batch{{4, 8, free, 2}}, []Batch{{1, 3, free, 1}, {4, 8, free, 2}}},
		{"right half, loses", []Batch{{1, 5, free, 2}}, []Batch{{4, 8, free, 1}}, []Batch{{1, 5, free, 2}, {6, 8, free, 1}}},
		{"left half, wins", []Batch{{4, 8, free, 1}}, []Batch{{1, 5, free, 2}}, []Batch{{1, 5, free, 2}, {6, 8, free, 1}}},
		{"same first, shorter", []Batch{{1, 8, free, 1}}, []Batch{{1, 5, taken, 1}}, []Batch{{1, 5, taken, 1}, {6, 8, free, 1}}},
		{"same last, shorter", []Batch{{1, 8, free, 1}}, []Batch{{5, 8, taken, 1}}, []Batch{{1, 4, free, 1}, {5, 8, taken, 1}}},
		{"touching, alike", []Batch{{1, 5, free, 1}}, []Batch{{6, 8, free, 1}}, []Batch{{1, 8, free, 1}}},
		{"touching, different", []Batch{{1, 5, free, 1}}, []Batch{{6, 8, free, 2}}, []Batch{{1, 5, free, 1}, {6, 8, free, 2}}},
		{"fills a gap", []Batch{{1, 2, taken, 1}, {5, 6, taken, 1}}, []Batch{{3, 4, taken, 1}}, []Batch{{1, 6, taken, 1}}},
		{
			"over several",
			[]Batch{{1, 1, free, 3}, {3, 3, taken, 1}, {5, 6, free, 2}},
			[]Batch{{0, 5, taken, 2}},
			[]Batch{{0, 0, taken, 2}, {1, 1, free, 3}, {2, 5, taken, 2}, {6, 6, free, 2}},
		},
		{"in front", []Batch{{5, 6, free, 1}}, []Batch{{1, 2, free, 1}}, []Batch{{1, 2, free, 1}, {5, 6, free, 1}}},
		{"behind", []Batch{{1, 2, free, 1}}, []Batch{{5, 6, free, 1}}, []Batch{{1, 2, free, 1}, {5, 6, free, 1}}},
	}
	for _, test := range tests {
		f := newFeed(t)
		f.snapshot(Snapshot{Batches: test.old})
		f.update(Update{StartOffset: NotTold, Batches: test.new})
		if got := toWire(f.state().Batches()); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestClipAtTheStart(t *testing.T) {
	batches := []Batch{{1, 2, 0, 1}, {4, 8, 0, 2}, {9, 9, 2, 1}}
	tests := []struct {
		start int64
		want  []Batch
	}{
		{NotTold, batches},
		{0, batches},
		{2, []Batch{{2, 2, 0, 1}, {4, 8, 0, 2}, {9, 9, 2, 1}}},
		{3, batches[1:]},
		{6, []Batch{{6, 8, 0, 2}, {9, 9, 2, 1}}},
		{9, batches[2:]},
		{10, nil},
	}
	for _, test := range tests {
		f := newFeed(t)
		f.snapshot(Snapshot{Batches: batches})
		f.update(Update{StartOffset: test.start})
		if got := toWire(f.state().Batches()); !slices.Equal(got, test.want) {
			t.Errorf("start %d: %v, want %v", test.start, got, test.want)
		}
	}
}

func TestImpossibleBatches(t *testing.T) {
	for _, b := range []Batch{
		{First: -1, Last: 4},
		{First: 5, Last: 4},
		{First: 5, Last: 1<<63 - 1},
		{First: 5, Last: 6, Count: -1},
	} {
		var m merger
		if _, err := m.convert([]Batch{{First: 1, Last: 2}, b}); err == nil {
			t.Errorf("%+v is taken for a batch", b)
		}
	}
}

// feed writes records of one share-partition into a table.
type feed struct {
	t     testing.TB
	table *Table
	share ShareKey
	next  int64
	// clock is the timestamp of the next record.
	clock int64
}

func newFeed(t testing.TB) *feed {
	return &feed{t: t, table: NewTable(0), share: ShareKey{Group: "g", Partition: 1}, clock: 1_000_000}
}

func (f *feed) snapshot(s Snapshot) { f.put(SnapshotKey, s.Append(nil)) }
func (f *feed) update(u Update)     { f.put(UpdateKey, u.Append(nil)) }

func (f *feed) put(kind KeyType, value []byte) Applied {
	f.t.Helper()
	applied, err := f.try(kind, value)
	if err != nil {
		f.t.Fatal(err)
	}
	return applied
}

func (f *feed) try(kind KeyType, value []byte) (Applied, error) {
	r := Record{
		Offset: f.next, Timestamp: f.clock, Seen: f.clock + 5,
		Key: AppendKey(nil, Key{Type: kind, ShareKey: f.share}), Value: value,
	}
	f.next++
	f.clock += 1000
	return f.table.Apply(r)
}

// state is the share-partition's as it is handed out now.
func (f *feed) state() *model.PartitionState {
	for _, p := range f.table.Group(f.share.Group) {
		if p.TopicID == f.share.TopicID && p.Partition == f.share.Partition {
			return p.State
		}
	}
	return nil
}
