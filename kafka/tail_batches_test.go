package kafka

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/kafka/statetopic"
	"sharetop/model"
)

// batchAt is a record batch from an offset on, with the first state of a
// share-partition of each of the groups. It spans one offset more than it has
// records, as after a compaction.
func batchAt(offset int64, attributes int16, groups ...string) []byte {
	var records []byte
	for i, group := range groups {
		key := statetopic.AppendKey(nil, statetopic.Key{
			Type: statetopic.SnapshotKey, ShareKey: statetopic.ShareKey{Group: group, TopicID: model.TopicID{1}},
		})
		value := (&statetopic.Snapshot{StateEpoch: 1, StartOffset: offset}).Append(nil)
		r := kmsg.Record{OffsetDelta: int32(i), TimestampDelta64: 7, Key: key, Value: value} //nolint:gosec // a few
		r.Length = int32(len(r.AppendTo(nil)) - 1)                                           //nolint:gosec // below 64: one byte
		records = r.AppendTo(records)
	}
	b := kmsg.RecordBatch{
		FirstOffset: offset, Magic: magicV2, Attributes: attributes, LastOffsetDelta: int32(len(groups)), //nolint:gosec // a few
		NumRecords: int32(len(groups)), Records: records, FirstTimestamp: 1000, MaxTimestamp: 5000, //nolint:gosec // a few
		Length: int32(batchHeader - batchEpochAt + len(records)), //nolint:gosec // small
	}
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[batchCRCAt:], crc32.Checksum(raw[batchAttrsAt:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}

func TestBatchesOfTheLoad(t *testing.T) {
	changed := func(b []byte, at int, to byte) []byte {
		b = slices.Clone(b)
		b[at] = to
		return b
	}
	both, control := batchAt(10, 0, "a", "b"), batchAt(13, attrControl, "c")
	tests := []struct {
		name, only string
		raw        []byte
		groups     string // that are held
		next       int64
		err        string
	}{
		{"nothing", "", nil, "", 10, ""},
		{"one", "", both, "a b", 13, ""},
		{"a marker", "", slices.Concat(both, control), "a b", 15, ""},
		{"read before", "", slices.Concat(batchAt(4, 0, "x", "y", "z"), both), "a b", 13, ""},
		{"cut off", "", slices.Concat(both, batchAt(13, 0, "c")[:80]), "a b", 13, ""},
		{"the head cut off", "", slices.Concat(both, batchAt(13, 0, "c")[:20]), "a b", 13, ""},
		{"only one group of two", "b", both, "b", 13, ""},
		{"only another", "c", both, "", 13, ""},
		{"damaged", "", changed(both, len(both)-1, 0xff), "", 10, "its checksum is wrong"},
		{"of a group that nobody asked for, and damaged", "c", changed(both, len(both)-1, 0xff), "", 10, "its checksum is wrong"},
		{"another format", "", changed(both, batchMagicAt, 1), "", 10, "message format v1"},
		{"a length too short", "", changed(changed(both, batchLengthAt+2, 0), batchLengthAt+3, 9), "", 10, "shorter than its header"},
		{"an offset below zero", "", changed(both, 0, 0x80), "", 10, "its offsets make no sense"},
		{"not compressed though it says so", "", batchAt(10, 1, "a"), "", 10, "it can't be decompressed"},
	}
	unpack := kgo.DefaultDecompressor()
	for _, tt := range tests {
		p := &tailPart{next: 10}
		tail := &tail{table: statetopic.NewTable(0), only: tt.only, parts: map[int32]*tailPart{3: p}}
		tail.table.Only(tt.only)
		err := tail.takeBatches(p, 3, tt.raw, unpack, 1)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.err)
		}
		held := strings.Join(slices.Sorted(tail.table.Groups()), " ")
		if held != tt.groups || p.next != tt.next {
			t.Errorf("%s: holds %q, next %d, want %q, %d", tt.name, held, p.next, tt.groups, tt.next)
		}
	}
}

// Times are the record's own, or the broker's where the topic says so.
func TestBatchTimes(t *testing.T) {
	for attributes, want := range map[int16]int64{0: 1007, attrAppend: 5000} {
		p := &tailPart{next: 10}
		tail := &tail{table: statetopic.NewTable(0), parts: map[int32]*tailPart{0: p}}
		if err := tail.takeBatches(p, 0, batchAt(10, attributes, "a"), kgo.DefaultDecompressor(), time.Now().UnixMicro()); err != nil {
			t.Fatal(err)
		}
		if got := tail.table.Group("a")[0].State.LastWrite(); got.Millis() != want {
			t.Errorf("attributes %d: written at %d, want %d", attributes, got.Millis(), want)
		}
	}
}
