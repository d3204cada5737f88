package kafka

import "encoding/binary"

// rawRecord is one record as it lies in its batch. A nil key or value is null.
type rawRecord struct {
	tsDelta, delta int64
	key, value     []byte
	headerCount    int
	headers        []byte
}

// nextRecord reads the record that raw begins with and returns its length.
func nextRecord(raw []byte) (r rawRecord, length int, ok bool) {
	size, n := binary.Varint(raw)
	if n <= 0 || size < 1 || size > int64(len(raw)-n) {
		return r, 0, false
	}
	length = n + int(size)
	rest := raw[n+1 : length] // one byte of attributes, which are unused
	if r.tsDelta, rest, ok = varint(rest); !ok {
		return r, 0, false
	}
	if r.delta, rest, ok = varint(rest); !ok || r.delta < 0 {
		return r, 0, false
	}
	if r.key, rest, ok = varBytes(rest); !ok {
		return r, 0, false
	}
	if r.value, rest, ok = varBytes(rest); !ok {
		return r, 0, false
	}
	count, rest, ok := varint(rest)
	if !ok || count < 0 || count > int64(len(rest)) {
		return r, 0, false
	}
	r.headerCount, r.headers = int(count), rest
	return r, length, true
}

// nextHeader reads the header that raw begins with.
func nextHeader(raw []byte) (name, value, rest []byte, ok bool) {
	if name, rest, ok = varBytes(raw); !ok {
		return nil, nil, nil, false
	}
	value, rest, ok = varBytes(rest)
	return name, value, rest, ok
}

func varint(b []byte) (n int64, rest []byte, ok bool) {
	if len(b) > 0 && b[0] < 0x80 { // one byte, as nearly all are: no loop
		return int64(b[0]>>1) ^ -int64(b[0]&1), b[1:], true
	}
	n, size := binary.Varint(b)
	if size <= 0 {
		return 0, nil, false
	}
	return n, b[size:], true
}

// varBytes reads bytes with their length before them; a length of -1 is null.
func varBytes(b []byte) (out, rest []byte, ok bool) {
	n, rest, ok := varint(b)
	switch {
	case !ok || n < -1 || n > int64(len(rest)):
		return nil, nil, false
	case n == -1:
		return nil, rest, true
	}
	return rest[:n:n], rest[n:], true
}
