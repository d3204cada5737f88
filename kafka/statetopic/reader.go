package statetopic

import (
	"encoding/binary"
	"strconv"
)

// reader takes fields off a record. After the first field that does not fit it
// only returns zeros, and err says what was wrong.
type reader struct {
	what string
	b    []byte
	at   int
	err  error
}

func (r *reader) fail(why string) {
	if r.err == nil {
		r.err = &FormatError{What: r.what, At: r.at, Why: why}
	}
	r.at = len(r.b)
}

// take returns the next n bytes, or nil when there are fewer.
func (r *reader) take(n int) []byte {
	if left := len(r.b) - r.at; n < 0 || n > left {
		r.fail(strconv.Itoa(n) + " bytes are needed and " + strconv.Itoa(left) + " are left")
		return nil
	}
	b := r.b[r.at : r.at+n]
	r.at += n
	return b
}

func (r *reader) int16() int16 {
	if b := r.take(2); b != nil {
		return int16(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (r *reader) int32() int32 {
	if b := r.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (r *reader) int64() int64 {
	if b := r.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// uvarint reads an unsigned varint of at most 32 bits, as Kafka has them in
// front of compact arrays and in tag sections.
func (r *reader) uvarint() int {
	at := r.at
	v, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 || n > 5 || v > 1<<31-1 {
		r.at = at
		r.fail("a length or a tag is cut short or too large")
		return 0
	}
	r.at += n
	return int(v)
}

// end fails when there are bytes left over.
func (r *reader) end() error {
	if left := len(r.b) - r.at; r.err == nil && left > 0 {
		r.fail(strconv.Itoa(left) + " bytes are left over")
	}
	return r.err
}
