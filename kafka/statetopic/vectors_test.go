package statetopic

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sharetop/model"
)

// vectors are records read from real brokers (4.2.2, 4.3.1, 4.4.0), with what
// Kafka's own ShareGroupStateMessageFormatter says of them.
type vectors struct {
	Records  []vector
	Sequence struct {
		MergedState vectorValue
		BrokerSaid  struct{ StartOffset, Lag, LogEnd int64 }
	}
	Hash []struct {
		Key        string
		UTF16Hash  int32 `json:"utf16Hash"`
		Partitions int32
		Partition  int32
	}
}

type vector struct {
	PartitionOfStateTopic int32
	KeyHex                string
	Key                   struct {
		Type      int16
		GroupID   string
		TopicID   string
		Partition int32
	}
	ValueHex *string
	Value    *vectorValue
	Meaning  string
}

type vectorValue struct {
	SnapshotEpoch, StateEpoch, LeaderEpoch int32
	StartOffset                            int64
	CreateTimestamp, WriteTimestamp        int64
	DeliveryCompleteCount                  int32
	StateBatches                           []struct {
		FirstOffset, LastOffset int64
		DeliveryState           int8
		DeliveryCount           int16
	}
}

func (v *vectorValue) batches() []Batch {
	var batches []Batch
	for _, b := range v.StateBatches {
		batches = append(batches, Batch{First: b.FirstOffset, Last: b.LastOffset, State: b.DeliveryState, Count: b.DeliveryCount})
	}
	return batches
}

func (v *vector) key(t testing.TB) Key {
	return Key{Type: KeyType(v.Key.Type), ShareKey: ShareKey{
		Group: v.Key.GroupID, TopicID: topicID(t, v.Key.TopicID), Partition: v.Key.Partition,
	}}
}

func (v *vector) bytes(t testing.TB) (key, value []byte) {
	t.Helper()
	key = unhex(t, v.KeyHex)
	if v.ValueHex != nil {
		value = unhex(t, *v.ValueHex)
	}
	return key, value
}

func loadVectors(t testing.TB) vectors {
	t.Helper()
	text, err := os.ReadFile("testdata/share-group-state.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Records) != 14 || len(v.Hash) != 31 {
		t.Fatalf("%d records and %d hashes", len(v.Records), len(v.Hash))
	}
	return v
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func topicID(t testing.TB, s string) (id model.TopicID) {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) != len(id) {
		t.Fatalf("%q is not a topic id (%v)", s, err)
	}
	copy(id[:], b)
	return id
}

func TestVectorsKeys(t *testing.T) {
	for i, v := range loadVectors(t).Records {
		raw, _ := v.bytes(t)
		key, err := ParseKey(raw)
		if err != nil || key != v.key(t) {
			t.Errorf("record %d: key %+v, %v", i, key, err)
		}
		if got := AppendKey(nil, key); !bytes.Equal(got, raw) {
			t.Errorf("record %d: key written as %x, want %x", i, got, raw)
		}
	}
}

func TestVectorsValues(t *testing.T) {
	var u Update
	var s Snapshot
	for i, v := range loadVectors(t).Records {
		_, raw := v.bytes(t)
		if v.Value == nil {
			if raw != nil {
				t.Errorf("record %d has bytes and no value", i)
			}
			continue
		}
		var written []byte
		if KeyType(v.Key.Type) == SnapshotKey {
			checkSnapshot(t, i, &s, raw, v.Value)
			written = s.Append(nil)
		} else {
			checkUpdate(t, i, &u, raw, v.Value)
			written = u.Append(nil)
		}
		if !bytes.Equal(written, raw) {
			t.Errorf("record %d: written as %x, want %x", i, written, raw)
		}
	}
}

func checkSnapshot(t *testing.T, i int, s *Snapshot, raw []byte, want *vectorValue) {
	t.Helper()
	if err := s.Decode(raw); err != nil {
		t.Fatalf("record %d: %v", i, err)
	}
	got := *s
	got.Batches = nil
	if w := (Snapshot{
		SnapshotEpoch: want.SnapshotEpoch, StateEpoch: want.StateEpoch, LeaderEpoch: want.LeaderEpoch,
		StartOffset: want.StartOffset, CreateTimestamp: want.CreateTimestamp,
		WriteTimestamp: want.WriteTimestamp, DeliveryCompleteCount: want.DeliveryCompleteCount,
	}); !reflect.DeepEqual(got, w) || !slices.Equal(s.Batches, want.batches()) {
		t.Errorf("record %d: %+v, want %+v", i, *s, *want)
	}
}

func checkUpdate(t *testing.T, i int, u *Update, raw []byte, want *vectorValue) {
	t.Helper()
	if err := u.Decode(raw); err != nil {
		t.Fatalf("record %d: %v", i, err)
	}
	got := *u
	got.Batches = nil
	if w := (Update{
		SnapshotEpoch: want.SnapshotEpoch, LeaderEpoch: want.LeaderEpoch,
		StartOffset: want.StartOffset, DeliveryCompleteCount: want.DeliveryCompleteCount,
	}); !reflect.DeepEqual(got, w) || !slices.Equal(u.Batches, want.batches()) {
		t.Errorf("record %d: %+v, want %+v", i, *u, *want)
	}
}

func TestVectorsHash(t *testing.T) {
	for _, h := range loadVectors(t).Hash {
		parts := strings.Split(h.Key, ":")
		n := len(parts)
		partition, err := strconv.Atoi(parts[n-1])
		if err != nil {
			t.Fatal(err)
		}
		k := ShareKey{
			Group:   strings.Join(parts[:n-2], ":"),
			TopicID: topicID(t, parts[n-2]), Partition: int32(partition),
		}
		if got := javaHash(coordinatorKey(k)); got != h.UTF16Hash {
			t.Errorf("%q: hash %d, want %d", h.Key, got, h.UTF16Hash)
		}
		if got := PartitionFor(k, h.Partitions); got != h.Partition {
			t.Errorf("%q: partition %d of %d, want %d", h.Key, got, h.Partitions, h.Partition)
		}
	}
}

// The first six records, in order, give what the broker itself had in memory.
func TestVectorsSequence(t *testing.T) {
	v := loadVectors(t)
	table := NewTable(3)
	for i := range v.Records[:6] {
		apply(t, table, int64(i), &v.Records[i])
	}
	list := table.Group("st-ascii")
	if len(list) != 1 {
		t.Fatalf("%d share-partitions", len(list))
	}
	s, want := list[0].State, v.Sequence.MergedState
	for name, n := range map[string][2]model.Number{
		"start":          {s.Start(), model.Known(want.StartOffset)},
		"finished":       {s.FinishedCount(), model.Known(int64(want.DeliveryCompleteCount))},
		"leader epoch":   {s.LeaderEpoch(), model.Known(int64(want.LeaderEpoch))},
		"state epoch":    {s.StateEpoch(), model.Known(int64(want.StateEpoch))},
		"snapshot epoch": {s.SnapshotEpoch(), model.Known(int64(want.SnapshotEpoch))},
		"lag":            {s.Lag(model.Known(v.Sequence.BrokerSaid.LogEnd), time.UnixMilli(1)), model.Known(v.Sequence.BrokerSaid.Lag)},
		"version":        {s.Version(), model.Known(5)},
	} {
		if n[0] != n[1] {
			t.Errorf("%s is %v, want %v", name, n[0], n[1])
		}
	}
	if got := toWire(s.Batches()); !slices.Equal(got, want.batches()) {
		t.Errorf("batches %v, want %v", got, want.batches())
	}
	apply(t, table, 6, &v.Records[6])
	altered := table.Group("st-ascii")[0].State
	if altered.Start() != model.Known(3) || altered.FinishedCount() != model.Known(0) || len(altered.Batches()) != 0 {
		t.Errorf("after the alter: start %v, finished %v, batches %v",
			altered.Start(), altered.FinishedCount(), altered.Batches())
	}
}

func apply(t testing.TB, table *Table, offset int64, v *vector) {
	t.Helper()
	key, value := v.bytes(t)
	applied, err := table.Apply(Record{
		Partition: v.PartitionOfStateTopic, Offset: offset, Timestamp: 1000 + offset,
		Key: key, Value: value,
	})
	if err != nil || !applied.Changed || applied.ShareKey != v.key(t).ShareKey {
		t.Fatalf("record %d: %+v, %v", offset, applied, err)
	}
}
