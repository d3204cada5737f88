package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
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
	// largest is the size of the largest batch that was unpacked.
	largest int
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

// wantsAny tells whether any record in a range is to be kept: a batch with none is
// not unpacked.
func (s *batchScan) wantsAny(first, last int64) bool {
	if s.wanted == nil {
		return true
	}
	i := sort.Search(len(s.wanted), func(i int) bool { return s.wanted[i].last >= first })
	return i < len(s.wanted) && s.wanted[i].first <= last
}

// done tells whether nothing more is wanted.
func (s *batchScan) done() bool {
	return s.full || s.spent() || len(s.records) >= s.max || s.at >= s.below
}

// spent tells that there is no room left, so that nothing more has to be fetched
// and unpacked only to be left out.
func (s *batchScan) spent() bool { return s.room <= 0 && len(s.records) > 0 }

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
	for !s.done() {
		raw, rest, ok := cutBatch(in)
		if !ok {
			return nil // it comes whole with the next fetch
		}
		if err := s.batch(raw, d); err != nil {
			return err
		}
		in = rest
	}
	return nil
}

// batch takes in one batch. After an error the scan goes on behind it.
func (s *batchScan) batch(raw []byte, d kgo.Decompressor) error {
	b, err := readBatch(raw)
	if err != nil {
		s.at = max(s.at, b.last) + 1
		return err
	}
	if b.last < s.at {
		return nil
	}
	from := max(s.at, b.base)
	if err := b.whole(); err != nil {
		s.at = b.last + 1
		return err
	}
	producer := b.number(batchProdAt)
	switch {
	case b.control():
		s.gaps.Control += max(0, min(b.last+1, s.below)-from)
		s.marker(raw[batchHeader:], producer)
	case b.attrs&attrTxn != 0 && s.isAborted(producer, b.base):
		s.gaps.Aborted += max(0, min(b.last+1, s.below)-from)
	case !s.wantsAny(from, b.last):
	default:
		return s.decompressed(&b, d)
	}
	s.at = b.last + 1
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
func (s *batchScan) decompressed(b *batch, d kgo.Decompressor) error {
	raw, err := b.records(d)
	if err != nil {
		s.at = b.last + 1
		return err
	}
	s.largest = max(s.largest, len(raw))
	h := batchFacts{
		batch: b, epoch: int32(binary.BigEndian.Uint32(b.raw[batchEpochAt:])), //nolint:gosec // an epoch as Kafka writes it
		size: len(raw), kept: s.keepsAll(b, len(raw)),
	}
	if h.kept {
		count := int(b.count()) // at most max, or not all were kept
		s.records = slices.Grow(s.records, count)
		s.made.expect(count)
	}
	for len(raw) > 0 && !s.done() {
		r, n, ok := nextRecord(raw)
		if !ok {
			s.at = b.last + 1
			return b.cutShort()
		}
		raw = raw[n:]
		if offset := b.base + r.delta; offset >= s.at && offset < s.below && offset <= b.last && s.wants(offset) {
			s.keep(r, &h, offset)
		}
	}
	if !s.full && !s.spent() && len(s.records) < s.max {
		s.at = b.last + 1
	}
	return nil
}

// keepsAll tells whether all of a batch will be kept: then its records can share
// its memory.
func (s *batchScan) keepsAll(b *batch, size int) bool {
	return s.wanted == nil && b.base >= s.at && b.last < s.below && b.count() <= int64(s.max-len(s.records)) && size <= s.room
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
	*batch
	epoch int32
	// size is that of all records, decompressed.
	size int
	// kept is true when all of the batch is kept.
	kept bool
}

// own copies bytes out of their batch, unless they are most of it: a small
// record does not keep a whole batch in memory. Of a batch that is kept as a
// whole nothing is copied.
func (h *batchFacts) own(b []byte) []byte {
	if h.kept || len(b) > h.size/2 {
		return b
	}
	return bytes.Clone(b)
}
