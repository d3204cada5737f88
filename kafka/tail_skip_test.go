package kafka

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// batchAt is a record batch of count records from an offset on.
func batchAt(offset int64, count int32, attributes int16, records string) []byte {
	b := kmsg.RecordBatch{
		FirstOffset: offset, Magic: magicV2, Attributes: attributes, LastOffsetDelta: count - 1, NumRecords: count,
		Records: []byte(records), Length: int32(batchHeader - batchEpochAt + len(records)),
	}
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[batchCRCAt:], crc32.Checksum(raw[batchAttrsAt:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}

func TestBatchesOfAGroup(t *testing.T) {
	ours, ours2 := batchAt(3, 1, 0, "..billing.."), batchAt(9, 4, 0, "orders billing")
	other, packed := batchAt(4, 5, 0, "..shipping.."), batchAt(13, 2, 4, "zzzz")
	old := batchAt(15, 1, 0, "shipping")
	old[batchMagicAt] = 1
	none := make([]byte, 100)
	none[batchMagicAt] = magicV2
	damaged := batchAt(17, 1, 0, "shipping")
	damaged[len(damaged)-1]++
	whole := slices.Concat[[]byte]
	tests := []struct {
		name     string
		raw, out []byte
		next     int64
	}{
		{"nothing", nil, nil, 0},
		{"ours", whole(ours), whole(ours), 4},
		{"another's", whole(other), nil, 9},
		{"between others", whole(other, ours2, other), whole(ours2), 9},
		{"compressed", whole(other, packed), whole(packed), 15},
		{"cut off", whole(ours, other, ours2[:70]), whole(ours, ours2[:70]), 9},
		{"the head cut off", whole(ours, other[:20]), whole(ours, other[:20]), 4},
		{"another format", whole(other, old, ours), whole(old, ours), 9},
		{"damaged", whole(other, damaged, other), whole(damaged), 9},
		{"a length that is none", whole(ours, none), whole(ours, none), 4},
	}
	for _, tt := range tests {
		before := bytes.Clone(tt.raw)
		out, next := batchesNaming("billing", tt.raw)
		if !bytes.Equal(out, tt.out) || next != tt.next {
			t.Errorf("%s: %d bytes, next %d, want %d bytes, next %d", tt.name, len(out), next, len(tt.out), tt.next)
		}
		if !bytes.Equal(before, tt.raw) {
			t.Errorf("%s: the answer was changed", tt.name)
		}
	}
}
