package model

import (
	"math"
	"time"
)

// Record is one record of a topic as a fetch gave it. It is immutable; many
// places may hold the same one.
type Record struct {
	Topic     TopicName
	Partition int32
	Offset    int64
	// Millis is the record's timestamp in milliseconds since 1970; NoTimestamp
	// when it has none. Any other value is possible, far in the future too.
	Millis int64
	// TimestampType says whose clock Millis is of.
	TimestampType TimestampType
	// LeaderEpoch is the epoch of the leader that took the record in; unknown
	// when it was not told.
	LeaderEpoch Number
	Key, Value  Blob
	// Headers are in the record's order; names can repeat.
	Headers []Header
	// HeadersCut counts headers that were left out, at MaxHeaders.
	HeadersCut int
	// Delivery is how often it has been delivered, this time included, where it
	// came with an acquisition (KIP-932); unknown for a peek.
	Delivery Number
}

// NoTimestamp is the Millis of a record without a timestamp.
const NoTimestamp int64 = -1

// TimestampType says what a record's timestamp means (message.timestamp.type).
type TimestampType uint8

// The types of timestamp.
const (
	// CreateTime is what the producer said.
	CreateTime TimestampType = iota
	// LogAppendTime is when the broker wrote the record.
	LogAppendTime
)

// String is Kafka's word for the type.
func (t TimestampType) String() string {
	if t == LogAppendTime {
		return "LogAppendTime"
	}
	return "CreateTime"
}

// Header is one header of a record.
type Header struct {
	Name  Text
	Value Blob
}

// Bounds of one record in memory; what is beyond is counted and left out.
const (
	// MaxBlob is the most bytes kept of one key, value or header value. Kafka's
	// own default for a whole batch is 1 MiB.
	MaxBlob = 32 << 20
	// MaxHeaders is the most headers kept of one record.
	MaxHeaders = 1000
)

// Blob is a key, a value or a header's value: bytes as they came. The zero Blob
// is null, which is not the same as empty.
type Blob struct {
	data []byte // nil: null
	size int64
}

// NewBlob takes bytes over; nil is null. Of more than MaxBlob bytes the rest is
// left out, and only its size kept. The bytes must not change afterwards.
func NewBlob(data []byte) Blob {
	b := Blob{data: data, size: int64(len(data))}
	if len(data) > MaxBlob {
		b.data = data[:MaxBlob:MaxBlob]
	}
	return b
}

// IsNull tells whether there is no value at all (a tombstone's value).
func (b Blob) IsNull() bool { return b.data == nil }

// Bytes are the bytes that are held, raw: never to be written to a terminal.
// They are nil for null. They must not be changed.
func (b Blob) Bytes() []byte { return b.data }

// Size is the length in bytes, of what was left out too; -1 for null.
func (b Blob) Size() int64 {
	if b.IsNull() {
		return -1
	}
	return b.size
}

// CutAt is the number of bytes that are held where more came; false when all
// of them are.
func (b Blob) CutAt() (int64, bool) {
	held := int64(len(b.data))
	return held, held < b.size
}

// Time is the record's timestamp; the zero time when it has none. Timestamps
// that no calendar reaches are held at its ends.
func (r *Record) Time() time.Time {
	if r.Millis == NoTimestamp {
		return time.Time{}
	}
	const last = math.MaxInt64 / int64(time.Millisecond) // a Duration's end
	return time.UnixMilli(min(max(r.Millis, -last), last))
}

// recordOverhead is about what a record takes beside its bytes.
const recordOverhead = 256

// Memory is about how many bytes the record takes.
func (r *Record) Memory() int {
	n := recordOverhead + len(r.Key.data) + len(r.Value.data)
	for _, h := range r.Headers {
		n += 2*len(h.Name.raw) + len(h.Value.data) + 64
	}
	return n
}
