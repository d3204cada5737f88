package kafka

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// batchesNaming leaves those of fetched batches that may have records of a group: a
// partition of the state topic is shared by many, each record is a batch of its
// own as a rule, and unpacking those of other groups takes most of a printout's
// time. Next is the offset behind the last batch that is whole; 0 when there is
// none. What is compressed, damaged or not understood is left in.
func batchesNaming(group string, raw []byte) (kept []byte, next int64) {
	for len(raw) >= batchHeader && raw[batchMagicAt] == magicV2 {
		size := batchEpochAt + int64(binary.BigEndian.Uint32(raw[batchLengthAt:]))
		if size < batchHeader || size > int64(len(raw)) {
			break
		}
		batch := raw[:size]
		raw = raw[size:]
		next = int64(binary.BigEndian.Uint64(batch)) + int64(binary.BigEndian.Uint32(batch[batchLastAt:])) + 1 //nolint:gosec // as Kafka writes them
		packed := batch[batchAttrsAt+1]&attrCodec != 0
		if packed || !isSound(batch) || bytes.Contains(batch[batchHeader:], []byte(group)) {
			kept = append(kept, batch...)
		}
	}
	return append(kept, raw...), next
}

// isSound tells whether a batch has the checksum that it says.
func isSound(batch []byte) bool {
	sum := crc32.Checksum(batch[batchAttrsAt:], crc32.MakeTable(crc32.Castagnoli))
	return sum == binary.BigEndian.Uint32(batch[batchCRCAt:])
}
