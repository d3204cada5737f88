package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/twmb/franz-go/pkg/kgo"

	"sharetop/model"
)

// Places in a batch's header (message format v2, KIP-98).
const (
	batchLengthAt  = 8
	batchEpochAt   = 12
	batchMagicAt   = 16
	batchCRCAt     = 17
	batchAttrsAt   = 21
	batchLastAt    = 23
	batchFirstTsAt = 27
	batchMaxTsAt   = 35
	batchProdAt    = 43
	batchCountAt   = 57
	batchHeader    = 61

	attrCodec     = 0x07
	attrAppend    = 0x08
	attrTxn       = 0x10
	attrControl   = 0x20
	magicV2       = 2
	controlAbort  = 0
	abortedMarker = 4
)

// badBatch says why a batch can't be read.
type badBatch struct {
	offset int64
	why    string
}

func (b *badBatch) Error() string { return fmt.Sprintf("batch at offset %d: %s", b.offset, b.why) }

func asBadBatch(err error) (*badBatch, bool) { return errors.AsType[*badBatch](err) }

// batch is a record batch of message format v2. What comes after one that can't
// be read is its reader's affair: a peek tells of it and goes on behind it, while
// the load of the state topic ends there, since it would miss what was written.
type batch struct {
	raw []byte // header and all
	// base and last are its first and its last offset. In a batch whose header
	// can't be read, last is -1 where not even the first makes sense, else the
	// first.
	base, last int64
	attrs      uint16
}

// cutBatch takes the batch off that in begins with; false when it is not all
// there, as the last of an answer that is cut off by the fetch's size.
func cutBatch(in []byte) (raw, rest []byte, ok bool) {
	if len(in) < batchEpochAt {
		return nil, nil, false
	}
	size := int64(binary.BigEndian.Uint32(in[batchLengthAt:])) + batchEpochAt
	if size > int64(len(in)) {
		return nil, nil, false
	}
	return in[:size], in[size:], true
}

// readBatch reads the header of a whole batch. The error is a badBatch.
func readBatch(raw []byte) (batch, error) {
	base := int64(binary.BigEndian.Uint64(raw)) //nolint:gosec // an offset as Kafka writes it
	b := batch{raw: raw, base: base, last: base}
	switch {
	case len(raw) > batchMagicAt && raw[batchMagicAt] != magicV2:
		return b, &badBatch{base, fmt.Sprintf("it has message format v%d, which Kafka 4 no longer writes", raw[batchMagicAt])}
	case len(raw) < batchHeader:
		return b, &badBatch{base, "it is shorter than its header"}
	}
	b.attrs = binary.BigEndian.Uint16(raw[batchAttrsAt:])
	b.last = base + int64(int32(binary.BigEndian.Uint32(raw[batchLastAt:]))) //nolint:gosec // an offset as Kafka writes it
	if base < 0 || b.last < base {
		b.last = -1
		return b, &badBatch{base, "its offsets make no sense"}
	}
	return b, nil
}

// whole tells, by the checksum, whether all of the batch is as it was written. The
// error is a badBatch.
func (b *batch) whole() error {
	if crc32.Checksum(b.raw[batchAttrsAt:], crc32.MakeTable(crc32.Castagnoli)) != binary.BigEndian.Uint32(b.raw[batchCRCAt:]) {
		return &badBatch{b.base, "its checksum is wrong"}
	}
	return nil
}

// Bounds of what a decompressed batch holds beside its records: so many bytes and
// one part in so many of them.
const (
	slackBytes = 64 << 10
	slackPart  = 8
)

// records are the batch's records, decompressed. The error is a badBatch.
func (b *batch) records(d kgo.Decompressor) ([]byte, error) {
	raw, err := d.Decompress(b.raw[batchHeader:], kgo.CompressionCodecType(b.attrs&attrCodec))
	switch {
	case err == nil:
		if cap(raw)-len(raw) > len(raw)/slackPart+slackBytes {
			raw = bytes.Clone(raw) // it may be held for long, with what is behind it
		}
		return raw, nil
	case errors.Is(err, kgo.ErrMaxDecompress):
		return nil, &badBatch{b.base, "it is larger than " + model.FormatSize(maxBatchBytes) + " when decompressed"}
	default:
		return nil, &badBatch{b.base, "it can't be decompressed (" + err.Error() + ")"}
	}
}

// cutShort is the error of a batch with a record that does not end.
func (b *batch) cutShort() error { return &badBatch{b.base, "a record in it can't be read"} }

// control tells whether the batch has a transaction's marker instead of records.
func (b *batch) control() bool { return b.attrs&attrControl != 0 }

// count is how many records the batch says that it has.
func (b *batch) count() int64 { return int64(binary.BigEndian.Uint32(b.raw[batchCountAt:])) }

// number is one of the header's numbers of eight bytes.
func (b *batch) number(at int) int64 {
	return int64(binary.BigEndian.Uint64(b.raw[at:])) //nolint:gosec // as Kafka writes it
}

// stamp is the timestamp of a record that is that much later than the first; in
// milliseconds.
func (b *batch) stamp(delta int64) int64 {
	first := b.number(batchFirstTsAt)
	switch {
	case b.attrs&attrAppend != 0:
		return b.number(batchMaxTsAt)
	case first == model.NoTimestamp:
		return model.NoTimestamp
	}
	return first + delta
}
