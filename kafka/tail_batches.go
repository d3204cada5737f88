package kafka

import (
	"bytes"

	"github.com/twmb/franz-go/pkg/kgo"

	"sharetop/kafka/statetopic"
)

// The load reads record batches itself: each record of the state topic is a batch
// of its own as a rule, and making a client's record of every one took most of
// the load's time, and left the heap full of holes.

// takeBatches applies the batches that one partition was answered with, from
// p.next on; t.mu is held. The last one may be cut off by the fetch's size.
func (t *tail) takeBatches(p *tailPart, partition int32, in []byte, unpack kgo.Decompressor, seen int64) error {
	for {
		raw, rest, ok := cutBatch(in)
		if !ok {
			return nil
		}
		if err := t.takeBatch(p, partition, raw, unpack, seen); err != nil {
			return err
		}
		in = rest
	}
}

// takeBatch applies one batch.
func (t *tail) takeBatch(p *tailPart, partition int32, raw []byte, unpack kgo.Decompressor, seen int64) error {
	b, err := readBatch(raw)
	if err != nil || b.last < p.next {
		return err
	}
	if err := b.whole(); err != nil {
		return err
	}
	if err := t.takeRecords(p, partition, &b, unpack, seen); err != nil {
		return err
	}
	p.next = max(p.next, b.last+1) // compaction leaves gaps
	return nil
}

// takeRecords applies the records of a batch. Where a single group is wanted,
// batches that do not name it are not even split.
func (t *tail) takeRecords(p *tailPart, partition int32, b *batch, unpack kgo.Decompressor, seen int64) error {
	if b.control() {
		return nil
	}
	raw, err := b.records(unpack)
	if err != nil {
		return err
	}
	if t.only != "" && !bytes.Contains(raw, []byte(t.only)) {
		return nil
	}
	for len(raw) > 0 {
		r, n, ok := nextRecord(raw)
		if !ok {
			return b.cutShort()
		}
		raw = raw[n:]
		if err := t.apply(p, statetopic.Record{
			Partition: partition, Offset: b.base + r.delta, Timestamp: b.stamp(r.tsDelta), Seen: seen, Key: r.key, Value: r.value,
		}); err != nil {
			return err
		}
	}
	return nil
}
