package kafka

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// acquiredOf decodes what a fetch with these bytes and ranges acquired, and says
// of each offset what is known.
func acquiredOf(t *testing.T, batches []byte, unpack kgo.Decompressor, ranges ...offsetRange) (records []model.HeldRecord, gaps []gap) {
	t.Helper()
	p := kmsg.NewShareFetchResponseTopicPartition()
	p.Records = batches
	for _, r := range ranges {
		p.AcquiredRecords = append(p.AcquiredRecords, kmsg.ShareFetchResponseTopicPartitionAcquiredRecord{
			FirstOffset: r.first, LastOffset: r.last, DeliveryCount: 2,
		})
	}
	d := decodeRecords(model.NewTopicName("orders"), &p, unpack)
	for _, r := range p.AcquiredRecords {
		some, empty := d.split(partitionKey{}, r)
		records, gaps = append(records, some...), append(gaps, empty...)
	}
	return records, gaps
}

func heldText(records []model.HeldRecord) string {
	var b strings.Builder
	for _, r := range records {
		if r.Record == nil {
			fmt.Fprintf(&b, "%d? ", r.ID.Offset)
			continue
		}
		fmt.Fprintf(&b, "%d=%s/%d ", r.ID.Offset, r.Record.Key.Bytes(), r.Delivery)
	}
	return strings.TrimSpace(b.String())
}

// at moves a batch to another base offset, which its checksum does not cover.
func at(batch []byte, base int64) []byte {
	moved := append([]byte(nil), batch...)
	binary.BigEndian.PutUint64(moved, uint64(base)) //nolint:gosec // an offset
	return moved
}

func TestAcquiredRecordsGapsAndDamage(t *testing.T) {
	t.Parallel()
	good := batchOf(t, 3)
	damaged := at(good, 3)
	damaged[len(damaged)-1] ^= 1
	three := append(append(at(good, 0), damaged...), at(good, 10)...)
	unpack := kgo.DefaultDecompressor()
	for name, test := range map[string]struct {
		batches []byte
		ranges  []offsetRange
		held    string
		gaps    string
	}{
		"all of a batch":       {good, []offsetRange{{0, 2}}, "0=0/2 1=1/2 2=2/2", "[]"},
		"every other record":   {good, []offsetRange{{0, 0}, {2, 2}}, "0=0/2 2=2/2", "[]"},
		"in any order":         {good, []offsetRange{{2, 2}, {0, 0}}, "2=2/2 0=0/2", "[]"},
		"a gap between":        {three, []offsetRange{{0, 2}, {6, 10}}, "0=0/2 1=1/2 2=2/2 10=0/2", "[{6 9}]"},
		"a damaged batch":      {three, []offsetRange{{1, 5}, {10, 10}}, "1=1/2 2=2/2 3? 4? 5? 10=0/2", "[]"},
		"behind what was sent": {good, []offsetRange{{2, 4}}, "2=2/2 3? 4?", "[]"},
		"nothing was sent":     {nil, []offsetRange{{7, 8}}, "7? 8?", "[]"},
		"a batch that is cut":  {good[:len(good)-2], []offsetRange{{0, 1}}, "0? 1?", "[]"},
		"before what is left":  {at(good, 10), []offsetRange{{8, 10}}, "10=0/2", "[{8 9}]"},
	} {
		records, gaps := acquiredOf(t, test.batches, unpack, test.ranges...)
		var empty []offsetRange
		for _, g := range gaps {
			empty = append(empty, offsetRange{g.first, g.last})
		}
		if got := heldText(records); got != test.held || fmt.Sprint(empty) != test.gaps {
			t.Errorf("%s: held %q, gaps %v; want %q, %s", name, got, empty, test.held, test.gaps)
		}
		for _, r := range records {
			if r.Record == nil && r.Unreadable == "" {
				t.Errorf("%s: nothing says why %d can't be read", name, r.ID.Offset)
			}
		}
	}
}

// What can't be decompressed is held all the same, whatever its size claims.
func TestAcquiredRecordsThatAreTooLarge(t *testing.T) {
	t.Parallel()
	good := batchOf(t, 3)
	for _, unpack := range []kgo.Decompressor{
		noDecompressor{errIncomplete}, noDecompressor{kgo.ErrMaxDecompress},
	} {
		records, gaps := acquiredOf(t, good, unpack, offsetRange{0, 2})
		if heldText(records) != "0? 1? 2?" || len(gaps) != 0 || records[0].Unreadable == "" {
			t.Errorf("held %+v, gaps %v", records, gaps)
		}
	}
}
