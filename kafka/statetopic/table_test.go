package statetopic

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sharetop/model"
)

// released is an update that gives a batch back.
func released(first, last int64, count int16) Update {
	return Update{
		LeaderEpoch: NotTold, StartOffset: NotTold,
		Batches: []Batch{{First: first, Last: last, State: StateAvailable, Count: count}},
	}
}

func settled(state int8, first, last int64, count int16) Update {
	u := released(first, last, count)
	u.Batches[0].State = state
	return u
}

// States that were handed out stay as they are, whatever comes after.
func TestHandedOutStatesDoNotChange(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	type handedOut struct {
		state   *model.PartitionState
		batches model.Intervals
	}
	for range 50 {
		f := newFeed(t)
		f.snapshot(Snapshot{StartOffset: NotTold, DeliveryCompleteCount: NotTold})
		var before []handedOut
		for _, w := range randomWrites(rng, 30) {
			f.update(Update{StartOffset: w.start, Batches: w.batches, DeliveryCompleteCount: w.count})
			if s := f.state(); rng.IntN(2) == 0 {
				before = append(before, handedOut{s, slices.Clone(s.Batches())})
			}
		}
		for _, h := range before {
			if !slices.Equal(h.state.Batches(), h.batches) {
				t.Fatalf("a state handed out has changed: %v, was %v", h.state.Batches(), h.batches)
			}
		}
	}
}

// A state is the same pointer as long as nothing changes: that is what a
// snapshot shares with the one before.
func TestSameStateSamePointer(t *testing.T) {
	f := newFeed(t)
	f.snapshot(Snapshot{})
	other := f.share
	f.share.Partition++
	f.snapshot(Snapshot{})
	first := f.table.Group("g")
	f.update(released(3, 3, 1))
	second := f.table.Group("g")
	if first[0].State != second[0].State || first[1].State == second[1].State {
		t.Errorf("partition %d should be as before, the other not", other.Partition)
	}
}

func TestUnchangedFields(t *testing.T) {
	f := newFeed(t)
	f.snapshot(Snapshot{SnapshotEpoch: 4, StateEpoch: 2, LeaderEpoch: 6, StartOffset: 10, DeliveryCompleteCount: 3})
	f.update(Update{SnapshotEpoch: 4, LeaderEpoch: NotTold, StartOffset: NotTold, DeliveryCompleteCount: 5})
	s := f.state()
	if s.Start() != model.Known(10) || s.LeaderEpoch() != model.Known(6) ||
		s.StateEpoch() != model.Known(2) || s.SnapshotEpoch() != model.Known(4) ||
		s.FinishedCount() != model.Known(5) {
		t.Errorf("state %+v", *s)
	}
	f.update(Update{SnapshotEpoch: 4, LeaderEpoch: 7, StartOffset: 11, DeliveryCompleteCount: NotTold})
	s = f.state()
	if s.Start() != model.Known(11) || s.LeaderEpoch() != model.Known(7) || s.FinishedCount().IsKnown() {
		t.Errorf("state %+v", *s)
	}
}

func TestTombstone(t *testing.T) {
	f := newFeed(t)
	f.snapshot(Snapshot{})
	f.table.Changed()
	if applied := f.put(UpdateKey, nil); applied.Changed || f.state() == nil {
		t.Error("a null update is taken for a tombstone")
	}
	if applied := f.put(SnapshotKey, nil); !applied.Changed || applied.ShareKey != f.share {
		t.Errorf("applied %+v", applied)
	}
	if f.state() != nil || f.table.Len() != 0 || f.table.Group("g") != nil {
		t.Error("the share-partition is still there")
	}
	if got := f.table.Changed(); !slices.Equal(got, []string{"g"}) {
		t.Errorf("changed %q", got)
	}
	if applied := f.put(SnapshotKey, nil); applied.Changed {
		t.Error("what is not there was deleted")
	}
	if got := f.table.Memory(); got != 0 {
		t.Errorf("an empty table takes %d bytes", got)
	}
	f.snapshot(Snapshot{StartOffset: 5})
	if f.state().Start() != model.Known(5) {
		t.Error("it can't be made again")
	}
}

func TestChangedGroups(t *testing.T) {
	f := newFeed(t)
	for _, group := range []string{"b", "a", "c"} {
		f.share.Group = group
		f.snapshot(Snapshot{StateEpoch: 1})
	}
	if got := f.table.Changed(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("changed %q", got)
	}
	if got := f.table.Changed(); got != nil {
		t.Errorf("changed again %q", got)
	}
	f.share.Group = "a"
	f.update(released(0, 0, 1))
	f.update(released(1, 1, 1))
	if got := f.table.Changed(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("changed %q", got)
	}
	f.put(SnapshotKey, nil)
	f.snapshot(Snapshot{})
	if got := f.table.Changed(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("deleted and made again: changed %q", got)
	}
	if got := slices.Sorted(f.table.Groups()); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("groups %q", got)
	}
}

// A table of one group reads on past all others.
func TestOnlyOneGroup(t *testing.T) {
	f := newFeed(t)
	f.table.Only("g")
	f.snapshot(Snapshot{StartOffset: 7})
	f.share.Group = "other"
	f.snapshot(Snapshot{StartOffset: 9})
	f.share.Group = "g"
	if n := f.table.Len(); n != 1 || f.state().Start() != model.Known(7) || f.table.Stats().Records != 2 {
		t.Errorf("%d share-partitions, start %v, %+v", n, f.state().Start(), f.table.Stats())
	}
}

func TestGroupIsSorted(t *testing.T) {
	f := newFeed(t)
	for _, p := range [][2]int32{{2, 0}, {1, 5}, {2, 1}, {1, 11}} {
		f.share.TopicID[0], f.share.Partition = byte(p[0]), p[1]
		f.snapshot(Snapshot{})
	}
	var got [][2]int32
	for _, p := range f.table.Group("g") {
		got = append(got, [2]int32{int32(p.TopicID[0]), p.Partition})
	}
	if want := [][2]int32{{1, 5}, {1, 11}, {2, 0}, {2, 1}}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

// Dropping a partition of the state topic forgets what it said and nothing else;
// loading it again from the log start gives the same.
func TestDropAndLoadAgain(t *testing.T) {
	table := NewTable(0)
	put := func(partition int32, offset int64, group string, start int64) {
		t.Helper()
		s := Snapshot{StartOffset: start}
		if _, err := table.Apply(Record{
			Partition: partition, Offset: offset, Value: s.Append(nil),
			Key: AppendKey(nil, Key{ShareKey: ShareKey{Group: group}}),
		}); err != nil {
			t.Fatal(err)
		}
	}
	put(0, 7, "zero", 1)
	put(1, 9, "one", 2)
	table.Watch(1)
	table.Changed()
	table.Drop(1)
	table.Drop(5)
	if table.Group("one") != nil || table.Group("zero") == nil || table.Len() != 1 {
		t.Error("the wrong partition was dropped")
	}
	if got := table.Changed(); !slices.Equal(got, []string{"one"}) {
		t.Errorf("changed %q", got)
	}
	if table.Position(1) != 0 || table.Position(0) != 8 || table.Watched(1) {
		t.Errorf("positions %d and %d, watched %v", table.Position(0), table.Position(1), table.Watched(1))
	}
	put(1, 9, "one", 3)
	if got := table.Group("one"); len(got) != 1 || got[0].State.Start() != model.Known(3) {
		t.Errorf("loaded again: %v", got)
	}
}

func TestRepeatedRecordsAreIgnored(t *testing.T) {
	f := newFeed(t)
	f.snapshot(Snapshot{StartOffset: 1})
	f.snapshot(Snapshot{StartOffset: 2})
	f.next = 0
	f.snapshot(Snapshot{StartOffset: 9})
	if f.state().Start() != model.Known(2) || f.table.Stats().Repeated != 1 {
		t.Errorf("start %v, %d repeated", f.state().Start(), f.table.Stats().Repeated)
	}
}

// When partitions were added to the state topic, what an old partition holds of
// a key that now belongs elsewhere is stale.
func TestMisplacedKeys(t *testing.T) {
	table := NewTable(50)
	share := ShareKey{Group: "my-share-group"}
	for i := range share.TopicID {
		share.TopicID[i] = byte(i)
	}
	s := Snapshot{StartOffset: 4}
	put := func(partition int32) Applied {
		applied, err := table.Apply(Record{
			Partition: partition, Key: AppendKey(nil, Key{ShareKey: share}), Value: s.Append(nil),
		})
		if err != nil {
			t.Fatal(err)
		}
		return applied
	}
	if put(13).Changed || table.Len() != 0 || table.Stats().Misplaced != 1 {
		t.Error("a misplaced key counts")
	}
	if !put(14).Changed || table.Len() != 1 {
		t.Error("a key in its place does not count")
	}
}

func TestUnknownKeyTypes(t *testing.T) {
	table := NewTable(0)
	for i := range 40 {
		applied, err := table.Apply(Record{Offset: int64(i), Key: []byte{0, byte(2 + i/2), 1, 2}, Value: []byte{0, 0}})
		if err != nil || applied != (Applied{}) {
			t.Fatalf("%+v, %v", applied, err)
		}
	}
	got := table.Stats().UnknownTypes
	if len(got.By) != 16 || got.By[2] != 2 || got.Others != 8 {
		t.Errorf("counted %+v", got)
	}
}

// A value that can't be read leaves a state that is not to be trusted, until a
// snapshot says all anew. Other share-partitions go on.
func TestUnreadableValue(t *testing.T) {
	for name, broken := range map[string][]byte{
		"cut":              {0, 0, 1},
		"newer version":    {0, 1, 0, 0},
		"impossible batch": (&Update{Batches: []Batch{{First: 5, Last: 4}}}).Append(nil),
	} {
		f := newFeed(t)
		f.table.Watch(0)
		f.snapshot(Snapshot{StartOffset: 3})
		f.table.Changed()
		applied, err := f.try(UpdateKey, broken)
		if err == nil || !applied.Changed || !strings.HasPrefix(err.Error(), "partition 0 of the state topic, offset 1: ") {
			t.Fatalf("%s: %+v, %v", name, applied, err)
		}
		list := f.table.Group("g")
		if list[0].State != nil || !errors.Is(list[0].Err, err) || f.table.Changed() == nil {
			t.Errorf("%s: %+v", name, list[0])
		}
		f.update(released(3, 3, 1))
		if f.state() != nil {
			t.Errorf("%s: an update makes a broken state whole", name)
		}
		f.snapshot(Snapshot{SnapshotEpoch: 1, StartOffset: 4})
		s := f.state()
		if s.Start() != model.Known(4) || !s.HeadSince().AtLeast() || s.Tally() != (model.Tally{}) {
			t.Errorf("%s: after a snapshot: %+v", name, s)
		}
	}
}

func TestUnreadableSnapshotAndKey(t *testing.T) {
	f := newFeed(t)
	if _, err := f.try(SnapshotKey, []byte{0}); err == nil {
		t.Error("no error")
	}
	if _, err := f.try(SnapshotKey, []byte{0, 9}); err == nil {
		t.Error("no error for a newer version")
	}
	if _, err := f.table.Apply(Record{Offset: 9, Key: []byte{0}}); err == nil {
		t.Error("no error for a key of one byte")
	}
	stats := f.table.Stats()
	if stats.Bad != 2 || stats.NewerVersions.By[9] != 1 || stats.Records != 3 {
		t.Errorf("stats %+v", stats)
	}
}

func TestUnknownStatesAndTags(t *testing.T) {
	f := newFeed(t)
	f.snapshot(Snapshot{Batches: []Batch{{2, 3, 9, 1}, {5, 5, StateAcquired, 2}, {6, 6, -3, 1}}})
	if got := f.table.Stats().UnknownStates; got != 3 {
		t.Errorf("%d unknown states", got)
	}
	s := f.state()
	if state, count := s.StateAt(2); state != model.RecordOther || count != 1 {
		t.Errorf("offset 2 is %v %d", state, count)
	}
	if state, _ := s.StateAt(5); state != model.RecordAcquired {
		t.Errorf("offset 5 is %v", state)
	}
	if s.Head() != model.Known(0) || s.FinishedAhead() != model.Known(0) {
		t.Errorf("head %v, finished %v", s.Head(), s.FinishedAhead())
	}
}

// More batches than can be held are left out, counted and said; a snapshot with
// fewer makes the state whole.
func TestTooManyBatches(t *testing.T) {
	f := newFeed(t)
	s := Snapshot{}
	for i := range int64(MaxBatches + 10) {
		s.Batches = append(s.Batches, Batch{First: 2 * i, Last: 2 * i, State: StateAcknowledged, Count: 1})
	}
	f.snapshot(s)
	const cut = 2 * MaxBatches
	check := func(what string, highest int64) {
		t.Helper()
		got := f.state()
		if len(got.Batches()) > MaxBatches || got.Cut() != model.Known(cut) || got.HighestKnown() != model.Known(highest) {
			t.Errorf("%s: %d batches, cut %v, highest %v", what, len(got.Batches()), got.Cut(), got.HighestKnown())
		}
		if state, _ := got.StateAt(cut + 4); state != model.RecordUnknown {
			t.Errorf("%s: above the cut is %v", what, state)
		}
	}
	check("snapshot", cut+18)
	s.SnapshotEpoch, s.WriteTimestamp = 1, 200
	if f.put(SnapshotKey, s.Append(nil)).Changed || f.state().LastWrite() != f.at(0) {
		t.Error("a repeated snapshot is taken for a write")
	}
	check("repeated snapshot", cut+18)
	f.update(settled(StateAcknowledged, cut+40, cut+40, 1))
	check("update above the cut", cut+40)
	f.update(settled(StateAcknowledged, cut-1, cut+50, 1))
	check("update across the cut", cut+50)
	if got := f.state().Batches(); got[len(got)-1].Last != cut-1 {
		t.Errorf("the last batch is %v", got[len(got)-1])
	}
	if got := f.table.Stats().Cut; got != 1 {
		t.Errorf("cut %d times", got)
	}
	f.snapshot(s)
	s.Batches = s.Batches[:MaxBatches]
	if !f.put(SnapshotKey, s.Append(nil)).Changed || f.state().Cut().IsKnown() {
		t.Error("a snapshot that just fits is cut")
	}
}

// Where batches were left out nothing is counted that might be wrong.
func TestNothingIsCountedAboveTheCut(t *testing.T) {
	f := newFeed(t)
	s := Snapshot{}
	for i := range int64(MaxBatches + 10) {
		s.Batches = append(s.Batches, Batch{First: 2 * i, Last: 2 * i, State: StateAvailable, Count: 1})
	}
	f.snapshot(s)
	f.table.Watch(0)
	s.Batches[0].Count = 2
	f.snapshot(s)
	want := model.Tally{Released: 1, Deliveries: 1}
	if got := f.state().Tally(); got != want {
		t.Errorf("a snapshot with one release: tally %+v", got)
	}
	f.update(Update{LeaderEpoch: NotTold, StartOffset: 2*MaxBatches + 1})
	if got := f.state().Tally(); got != want {
		t.Errorf("a start above the cut: tally %+v", got)
	}
}

func TestImpossibleSnapshot(t *testing.T) {
	f := newFeed(t)
	f.snapshot(Snapshot{StartOffset: 1})
	s := Snapshot{StartOffset: 2, Batches: []Batch{{First: 5, Last: 4}}}
	if _, err := f.try(SnapshotKey, s.Append(nil)); err == nil || !strings.Contains(err.Error(), "batch 1 of 1 is not possible") {
		t.Errorf("error %v", err)
	}
	if f.state() != nil || f.table.Stats().Bad != 1 {
		t.Error("it counts all the same")
	}
}

func TestOrphanUpdate(t *testing.T) {
	f := newFeed(t)
	f.update(Update{SnapshotEpoch: 3, LeaderEpoch: 1, StartOffset: 8, DeliveryCompleteCount: 2})
	s := f.state()
	if s.Start() != model.Known(8) || s.SnapshotEpoch() != model.Known(3) || s.StateEpoch().IsKnown() ||
		!s.LastWrite().AtLeast() || f.table.Stats().Orphans != 1 {
		t.Errorf("state %+v, stats %+v", s, f.table.Stats())
	}
}
