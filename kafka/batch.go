package kafka

import (
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

// batchIsSound tells whether a whole batch's checksum holds.
func batchIsSound(b []byte) bool {
	return crc32.Checksum(b[batchAttrsAt:], crc32.MakeTable(crc32.Castagnoli)) == binary.BigEndian.Uint32(b[batchCRCAt:])
}

// unpackBatch is what stands behind the header of a batch at an offset,
// decompressed. The error is a badBatch.
func unpackBatch(b []byte, base int64, attrs uint16, d kgo.Decompressor) ([]byte, error) {
	raw, err := d.Decompress(b[batchHeader:], kgo.CompressionCodecType(attrs&attrCodec))
	switch {
	case err == nil:
		return raw, nil
	case errors.Is(err, kgo.ErrMaxDecompress):
		return nil, &badBatch{base, "it is larger than " + model.FormatSize(maxBatchBytes) + " when decompressed"}
	default:
		return nil, &badBatch{base, "it can't be decompressed (" + err.Error() + ")"}
	}
}
