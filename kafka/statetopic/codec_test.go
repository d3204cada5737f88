package statetopic

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"sharetop/model"
)

func TestKeyErrors(t *testing.T) {
	good := AppendKey(nil, Key{Type: UpdateKey, ShareKey: ShareKey{Group: "g", Partition: 7}})
	tests := []struct {
		name string
		key  []byte
		want string
	}{
		{"nothing", nil, "the key is not readable: at byte 0, 2 bytes are needed and 0 are left"},
		{"type only", good[:2], "the key is not readable: at byte 2, 2 bytes are needed and 0 are left"},
		{"cut in the group", good[:4], "the key is not readable: at byte 4, 1 bytes are needed and 0 are left"},
		{"cut in the topic id", good[:9], "the key is not readable: at byte 5, 20 bytes are needed and 4 are left"},
		{"too long", append(good[:len(good):len(good)], 1), "the key is not readable: at byte 25, 1 bytes are left over"},
		{"null group", []byte{0, 0, 0xff, 0xff}, "the key is not readable: at byte 4, -1 bytes are needed and 0 are left"},
		{"newer type", []byte{0, 7, 1, 2, 3}, "key type 7 is not known: this Kafka writes a newer format of the state topic"},
	}
	for _, test := range tests {
		if _, err := ParseKey(test.key); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

func TestAppendKeyCutsAnImpossibleGroup(t *testing.T) {
	key, err := ParseKey(AppendKey(nil, Key{ShareKey: ShareKey{Group: strings.Repeat("x", 1<<16), Partition: 3}}))
	if err != nil || len(key.Group) != math.MaxInt16 || key.Partition != 3 {
		t.Errorf("%d bytes of group, partition %d, %v", len(key.Group), key.Partition, err)
	}
}

// update is a value with two batches and a count.
func update() Update {
	return Update{
		SnapshotEpoch: 3, LeaderEpoch: 5, StartOffset: 9,
		Batches: []Batch{
			{First: 9, Last: 11, State: StateAvailable, Count: 2},
			{First: 12, Last: 12, State: StateArchived, Count: 5},
		},
		DeliveryCompleteCount: 1,
	}
}

// With its version an update has 18 bytes, then the batches: one byte of
// length and 20 bytes each; the tag section follows.
func TestValueErrors(t *testing.T) {
	u := update()
	good := u.Append(nil)
	with := func(at int, bytes ...byte) []byte {
		b := append([]byte{}, good...)
		copy(b[at:], bytes)
		return b
	}
	tests := []struct {
		name  string
		value []byte
		want  string
	}{
		{"nothing", nil, "at byte 0, 2 bytes are needed and 0 are left"},
		{"cut in the start offset", good[:12], "at byte 10, 8 bytes are needed and 2 are left"},
		{"no batches at all", good[:18], "at byte 18, a length or a tag is cut short or too large"},
		{"null batches", with(18, 0), "at byte 19, the batches are null"},
		{"too many batches", with(18, 0x7f), "at byte 19, more batches are announced than fit"},
		{"a length without end", with(18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), "at byte 18, a length or a tag is cut short or too large"},
		{"a length beyond 31 bits", with(18, 0xff, 0xff, 0xff, 0xff, 0x0f), "at byte 18, a length or a tag is cut short or too large"},
		{"one batch fewer than there are", with(18, 2), "at byte 40, 26 bytes are left over"},
		{"a tag in the place of a batch", with(38, 1, 9, 21), "at byte 62, 19 bytes are needed and 4 are left"},
		{"no tags", good[:59], "at byte 59, a length or a tag is cut short or too large"},
		{"count of 3 bytes", with(61, 3), "at byte 62, the delivery complete count is not 4 bytes long"},
		{"tag cut short", with(60, 9, 99), "at byte 62, 99 bytes are needed and 4 are left"},
		{"bytes left over", append(with(0), 1, 2), "at byte 66, 2 bytes are left over"},
	}
	for _, test := range tests {
		var u Update
		err := u.Decode(test.value)
		var format *FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
	for n := range good {
		var u Update
		if err := u.Decode(good[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are taken for a whole update", n, len(good))
		}
	}
	s := snapshot()
	whole := s.Append(nil)
	for n := range whole {
		var s Snapshot
		if err := s.Decode(whole[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are taken for a whole snapshot", n, len(whole))
		}
	}
}

func snapshot() Snapshot {
	return Snapshot{
		SnapshotEpoch: 1, StateEpoch: 2, LeaderEpoch: 3, StartOffset: 9,
		CreateTimestamp: 1000, WriteTimestamp: 2000,
		Batches:               []Batch{{First: 9, Last: 11, State: StateAvailable, Count: 2}},
		DeliveryCompleteCount: 0,
	}
}

func TestNewerVersions(t *testing.T) {
	var u Update
	var s Snapshot
	for _, err := range []error{u.Decode([]byte{0, 1, 9, 9}), s.Decode([]byte{0x7f, 0xff})} {
		var version *VersionError
		if !errors.As(err, &version) || version.Version == 0 {
			t.Errorf("a newer version gives %v", err)
		}
	}
}

// Tags of a newer Kafka are passed over, wherever they stand, and counted.
func TestUnknownTagsAreSkipped(t *testing.T) {
	want := Update{
		SnapshotEpoch: 3, LeaderEpoch: -1, StartOffset: -1,
		Batches:               []Batch{{First: 4, Last: 4, State: StateAcknowledged, Count: 1}},
		DeliveryCompleteCount: 2, UnknownTags: 4,
	}
	value := unhex(t, "0000"+"00000003"+"ffffffff"+"ffffffffffffffff"+
		"02"+"0000000000000004"+"0000000000000004"+"02"+"0001"+"02"+"0002aabb"+"8001"+"00"+
		"03"+"000400000002"+"0503aabbcc"+"0700")
	var got Update
	if err := got.Decode(value); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

// A decoder that is used again keeps nothing of the record before.
func TestDecodeIntoAUsedValue(t *testing.T) {
	empty := Update{LeaderEpoch: NotTold, StartOffset: NotTold, DeliveryCompleteCount: NotTold}
	value := empty.Append(nil)
	got := update()
	got.UnknownTags = 5
	if err := got.Decode(value); err != nil {
		t.Fatal(err)
	}
	if len(got.Batches) != 0 || got.DeliveryCompleteCount != NotTold || got.UnknownTags != 0 ||
		got.LeaderEpoch != NotTold || got.StartOffset != NotTold {
		t.Errorf("left over: %+v", got)
	}
	bare := Snapshot{DeliveryCompleteCount: NotTold}
	s := snapshot()
	s.UnknownTags = 5
	if err := s.Decode(bare.Append(nil)); err != nil || len(s.Batches) != 0 || s.UnknownTags != 0 ||
		s.DeliveryCompleteCount != NotTold {
		t.Errorf("left over: %+v, %v", s, err)
	}
}

// String.hashCode can be the one number that has no absolute value.
func TestHashOfTheLowestNumber(t *testing.T) {
	const lowest = "polygenelubricants"
	if got := javaHash(lowest); got != math.MinInt32 {
		t.Fatalf("hash is %d", got)
	}
	if got := partitionOf(math.MinInt32, 50); got != 0 {
		t.Errorf("partition %d, want 0", got)
	}
	if got := partitionOf(-51, 50); got != 1 {
		t.Errorf("partition %d, want 1", got)
	}
	if got := PartitionFor(ShareKey{Group: "g"}, 0); got != -1 {
		t.Errorf("a topic without partitions has partition %d", got)
	}
}

func TestDecodeDoesNotAllocate(t *testing.T) {
	u := update()
	value, key := u.Append(nil), AppendKey(nil, Key{Type: UpdateKey, ShareKey: ShareKey{Group: "payments-retry"}})
	if n := testing.AllocsPerRun(100, func() {
		if _, _, err := splitKey(key); err != nil {
			t.Error(err)
		}
		if err := u.Decode(value); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzKey(f *testing.F) {
	for _, v := range loadVectors(f).Records {
		key, _ := v.bytes(f)
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		key, err := ParseKey(b)
		if err != nil {
			return
		}
		if got := AppendKey(nil, key); string(got) != string(b) {
			t.Errorf("%x is written as %x", b, got)
		}
		if p := PartitionFor(key.ShareKey, 50); p < 0 || p >= 50 {
			t.Errorf("partition %d", p)
		}
	})
}

func FuzzUpdate(f *testing.F) {
	addValues(f, UpdateKey)
	f.Fuzz(func(t *testing.T, b []byte) {
		var u, again Update
		if err := u.Decode(b); err != nil {
			return
		}
		if err := again.Decode(u.Append(nil)); err != nil {
			t.Fatalf("%+v is not readable once written: %v", u, err)
		}
		u.UnknownTags = 0
		if len(u.Batches) == 0 {
			u.Batches = again.Batches[:0]
		}
		if !reflect.DeepEqual(u, again) {
			t.Errorf("%+v is read back as %+v", u, again)
		}
	})
}

func FuzzSnapshot(f *testing.F) {
	addValues(f, SnapshotKey)
	f.Fuzz(func(t *testing.T, b []byte) {
		var s, again Snapshot
		if err := s.Decode(b); err != nil {
			return
		}
		if err := again.Decode(s.Append(nil)); err != nil {
			t.Fatalf("%+v is not readable once written: %v", s, err)
		}
		s.UnknownTags = 0
		if len(s.Batches) == 0 {
			s.Batches = again.Batches[:0]
		}
		if !reflect.DeepEqual(s, again) {
			t.Errorf("%+v is read back as %+v", s, again)
		}
	})
}

func addValues(f *testing.F, kind KeyType) {
	for _, v := range loadVectors(f).Records {
		if _, value := v.bytes(f); value != nil && KeyType(v.Key.Type) == kind {
			f.Add(value)
		}
	}
}

// Whatever a partition of the topic has in it, a table neither panics nor holds
// intervals that are none.
func FuzzTable(f *testing.F) {
	for _, v := range loadVectors(f).Records {
		key, value := v.bytes(f)
		f.Add(key, value, value)
	}
	f.Fuzz(func(t *testing.T, key, first, second []byte) {
		table := NewTable(0)
		table.Watch(0)
		for i, value := range [][]byte{first, second, first, nil, second} {
			_, _ = table.Apply(Record{Offset: int64(i), Timestamp: int64(i), Key: key, Value: value})
			for id := range table.Groups() {
				for _, p := range table.Group(id) {
					checkState(t, p.State)
				}
			}
		}
		if table.Memory() < 0 {
			t.Errorf("%d bytes", table.Memory())
		}
	})
}

func checkState(t *testing.T, s *model.PartitionState) {
	t.Helper()
	iv := s.Batches()
	if !iv.Valid() {
		t.Fatalf("intervals %v", iv)
	}
	if start, ok := s.Start().Get(); ok && len(iv) > 0 && iv[0].First < start {
		t.Fatalf("start %d, intervals %v", start, iv)
	}
	s.Head()
	s.Counts(1 << 40)
}
