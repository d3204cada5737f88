package kafka

import (
	"bytes"
	"encoding/binary"

	"github.com/twmb/franz-go/pkg/kgo"

	"sharetop/kafka/statetopic"
)

// The load reads record batches itself: each record of the state topic is a batch
// of its own as a rule, and making a client's record of every one took most of
// the load's time, and left the heap full of holes.

// takeBatches applies the batches that one partition was answered with, from
// p.next on; t.mu is held. The last one may be cut off by the fetch's size.
func (t *tail) takeBatches(p *tailPart, partition int32, in []byte, unpack kgo.Decompressor, seen int64) error {
	for len(in) >= batchHeader {
		size := int64(binary.BigEndian.Uint32(in[batchLengthAt:])) + batchEpochAt
		if size > int64(len(in)) {
			return nil
		}
		if err := t.takeBatch(p, partition, in[:size], unpack, seen); err != nil {
			return err
		}
		in = in[size:]
	}
	return nil
}

// takeBatch applies one batch, which is whole.
func (t *tail) takeBatch(p *tailPart, partition int32, b []byte, unpack kgo.Decompressor, seen int64) error {
	base := int64(binary.BigEndian.Uint64(b)) //nolint:gosec // an offset as Kafka writes it
	if len(b) < batchHeader || b[batchMagicAt] != magicV2 {
		return &badBatch{base, "it is not of message format v2"}
	}
	last := base + int64(binary.BigEndian.Uint32(b[batchLastAt:]))
	switch {
	case base < 0 || last < base:
		return &badBatch{base, "its offsets make no sense"}
	case last < p.next:
		return nil
	case !batchIsSound(b):
		return &badBatch{base, "its checksum is wrong"}
	}
	if err := t.takeRecords(p, partition, b, unpack, seen); err != nil {
		return err
	}
	p.next = max(p.next, last+1) // compaction leaves gaps
	return nil
}

// takeRecords applies the records of a batch. Where a single group is wanted,
// batches that do not name it are not even split.
func (t *tail) takeRecords(p *tailPart, partition int32, b []byte, unpack kgo.Decompressor, seen int64) error {
	attrs := binary.BigEndian.Uint16(b[batchAttrsAt:])
	if attrs&attrControl != 0 {
		return nil
	}
	base := int64(binary.BigEndian.Uint64(b)) //nolint:gosec // an offset as Kafka writes it
	raw, err := unpackBatch(b, base, attrs, unpack)
	if err != nil {
		return err
	}
	if t.only != "" && !bytes.Contains(raw, []byte(t.only)) {
		return nil
	}
	for len(raw) > 0 {
		r, n, ok := nextRecord(raw)
		if !ok {
			return &badBatch{base, "a record in it can't be read"}
		}
		raw = raw[n:]
		stamp := int64(binary.BigEndian.Uint64(b[batchFirstTsAt:])) + r.tsDelta //nolint:gosec // a timestamp as Kafka writes it
		if attrs&attrAppend != 0 {
			stamp = int64(binary.BigEndian.Uint64(b[batchMaxTsAt:])) //nolint:gosec // a timestamp as Kafka writes it
		}
		if err := t.apply(p, statetopic.Record{
			Partition: partition, Offset: base + r.delta, Timestamp: stamp, Seen: seen, Key: r.key, Value: r.value,
		}); err != nil {
			return err
		}
	}
	return nil
}
