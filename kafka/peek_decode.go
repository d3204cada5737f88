package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// This file reads record batches itself, since a batch of a few kilobytes can
// hold millions of records: they are made one by one, and no more of them than
// are asked for. It also tells markers and aborted records from plain gaps.

// batchScan collects records from an offset on.
type batchScan struct {
	topic     model.TopicName
	partition int32
	// at is the next offset to look at; below is where to stop.
	at, below int64
	max       int
	committed bool
	// wanted, unless it is nil, are the only offsets that are kept: ascending,
	// apart from each other.
	wanted []offsetRange
	// room is how many bytes of records may still be kept; full is true when
	// there was not enough of it.
	room    int
	full    bool
	records []*model.Record
	gaps    model.PeekGaps
	aborted map[int64][]int64
	made    recordMaker
}

// offsetRange is a run of offsets, both ends included.
type offsetRange struct{ first, last int64 }

// wants tells whether a record is to be kept.
func (s *batchScan) wants(offset int64) bool {
	if s.wanted == nil {
		return true
	}
	i := sort.Search(len(s.wanted), func(i int) bool { return s.wanted[i].last >= offset })
	return i < len(s.wanted) && s.wanted[i].first <= offset
}

// done tells whether nothing more is wanted.
func (s *batchScan) done() bool { return s.full || len(s.records) >= s.max || s.at >= s.below }

// errorCode is the broker's code in an error.
func errorCode(err error) (int16, bool) {
	if _, refused := errors.AsType[*refusal](err); refused {
		return 0, false // it is about the connection, not about what was asked
	}
	if k, ok := errors.AsType[*kerr.Error](err); ok {
		return k.Code, true
	}
	return 0, false
}

// read takes in the batches of one answer.
func (s *batchScan) read(part *kmsg.FetchResponseTopicPartition, d kgo.Decompressor) error {
	s.aborted = nil
	if s.committed {
		s.aborted = abortedOf(part)
	}
	return s.batches(part.RecordBatches, d)
}

// batches takes in what lies at and behind the scan's offset, up to the first
// batch that can't be read: then the scan goes on behind it when it is called
// again with the same bytes.
func (s *batchScan) batches(in []byte, d kgo.Decompressor) error {
	for len(in) > batchMagicAt && !s.done() {
		size := int64(int32(binary.BigEndian.Uint32(in[batchLengthAt:]))) + batchEpochAt //nolint:gosec // a length as Kafka writes it
		if size <= batchMagicAt || size > int64(len(in)) {
			return nil // cut off by the fetch's size; it comes whole with the next
		}
		if err := s.batch(in[:size], d); err != nil {
			return err
		}
		in = in[size:]
	}
	return nil
}

// batch takes in one batch. After an error the scan goes on behind it.
func (s *batchScan) batch(b []byte, d kgo.Decompressor) error {
	base := int64(binary.BigEndian.Uint64(b)) //nolint:gosec // an offset as Kafka writes it
	if b[batchMagicAt] != magicV2 || len(b) < batchHeader {
		s.at = max(s.at, base+1)
		return &badBatch{base, fmt.Sprintf("it has message format v%d, which Kafka 4 no longer writes", b[batchMagicAt])}
	}
	last := base + int64(binary.BigEndian.Uint32(b[batchLastAt:])&0x7fffffff)
	if base < 0 || last < base {
		s.at++
		return &badBatch{base, "its offsets make no sense"}
	}
	if last < s.at {
		return nil
	}
	from := max(s.at, base)
	attrs := binary.BigEndian.Uint16(b[batchAttrsAt:])
	if !batchIsSound(b) {
		s.at = last + 1
		return &badBatch{base, "its checksum is wrong"}
	}
	producer := int64(binary.BigEndian.Uint64(b[batchProdAt:])) //nolint:gosec // an id as Kafka writes it
	switch {
	case attrs&attrControl != 0:
		s.gaps.Control += max(0, min(last+1, s.below)-from)
		s.marker(b[batchHeader:], producer)
	case attrs&attrTxn != 0 && s.isAborted(producer, base):
		s.gaps.Aborted += max(0, min(last+1, s.below)-from)
	default:
		return s.decompressed(b, base, last, attrs, d)
	}
	s.at = last + 1
	return nil
}

// isAborted tells whether a batch belongs to a transaction that was aborted.
func (s *batchScan) isAborted(producer, base int64) bool {
	firsts := s.aborted[producer]
	return len(firsts) > 0 && base >= firsts[0]
}

// marker ends an aborted transaction of a producer. The marker is a record
// whose key is a version and a type.
func (s *batchScan) marker(raw []byte, producer int64) {
	r, _, ok := nextRecord(raw)
	firsts := s.aborted[producer]
	if ok && len(firsts) > 0 && len(r.key) >= abortedMarker && binary.BigEndian.Uint16(r.key[2:]) == controlAbort {
		s.aborted[producer] = firsts[1:]
	}
}

// decompressed takes in the records of a batch.
func (s *batchScan) decompressed(b []byte, base, last int64, attrs uint16, d kgo.Decompressor) error {
	raw, err := unpackBatch(b, base, attrs, d)
	if err != nil {
		s.at = last + 1
		return err
	}
	h := batchFacts{
		base: base, epoch: int32(binary.BigEndian.Uint32(b[batchEpochAt:])), //nolint:gosec // an epoch as Kafka writes it
		firstTs: int64(binary.BigEndian.Uint64(b[batchFirstTsAt:])), //nolint:gosec // a timestamp as Kafka writes it
		maxTs:   int64(binary.BigEndian.Uint64(b[batchMaxTsAt:])),   //nolint:gosec // a timestamp as Kafka writes it
		append:  attrs&attrAppend != 0, size: len(raw),
		whole: s.keepsAll(b, base, last, len(raw)),
	}
	if h.whole {
		count := int(binary.BigEndian.Uint32(b[batchCountAt:])) // at most max, or it were not whole
		s.records = slices.Grow(s.records, count)
		s.made.expect(count)
	}
	for len(raw) > 0 && !s.done() {
		r, n, ok := nextRecord(raw)
		if !ok {
			s.at = last + 1
			return &badBatch{base, "a record in it can't be read"}
		}
		raw = raw[n:]
		if offset := base + r.delta; offset >= s.at && offset < s.below && offset <= last && s.wants(offset) {
			s.keep(r, &h, offset)
		}
	}
	if !s.full && len(s.records) < s.max {
		s.at = last + 1
	}
	return nil
}

// keepsAll tells whether all of a batch will be kept: then its records can share
// its memory.
func (s *batchScan) keepsAll(b []byte, base, last int64, size int) bool {
	count := int64(binary.BigEndian.Uint32(b[batchCountAt:]))
	return s.wanted == nil && base >= s.at && last < s.below && count <= int64(s.max-len(s.records)) && size <= s.room
}

// keep adds a record, if there is room for it.
func (s *batchScan) keep(r rawRecord, h *batchFacts, offset int64) {
	record := s.made.record(r, h)
	record.Topic, record.Partition, record.Offset = s.topic, s.partition, offset
	size := record.Memory()
	if size > s.room && len(s.records) > 0 {
		s.full = true
		return
	}
	s.room -= size
	s.records = append(s.records, record)
	s.at = offset + 1
}

// batchFacts are what a batch says for all its records.
type batchFacts struct {
	base           int64
	epoch          int32
	firstTs, maxTs int64
	append         bool
	size           int
	// whole is true when all of the batch is kept.
	whole bool
}

// own copies bytes out of their batch, unless they are most of it: a small
// record does not keep a whole batch in memory. Of a batch that is kept as a
// whole nothing is copied.
func (h *batchFacts) own(b []byte) []byte {
	if h.whole || len(b) > h.size/2 {
		return b
	}
	return bytes.Clone(b)
}
