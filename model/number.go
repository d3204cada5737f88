package model

import (
	"math"
	"strconv"
)

// Number is a whole number that may be unknown. The zero Number is unknown,
// which is never the same as 0: it is shown as "–" and written to JSON as null.
//
// It takes 8 bytes, since most of what is held of ten thousand groups are
// Numbers: the value with its sign bit turned, so that what stands for "unknown"
// is the lowest int64.
type Number struct{ turned int64 }

// Known is a Number whose value is known. Values below zero are possible (lag is
// negative when the start offset is past the end); the lowest int64 counts as
// the one above it.
func Known(n int64) Number { return Number{max(n, math.MinInt64+1) ^ math.MinInt64} }

// Get returns the value and whether it is known; the value of an unknown
// Number is 0 and means nothing.
func (n Number) Get() (int64, bool) {
	if n.turned == 0 {
		return 0, false
	}
	return n.turned ^ math.MinInt64, true
}

// IsKnown tells whether the value is known.
func (n Number) IsKnown() bool { return n.turned != 0 }

// Or returns the value, or the given one where it is unknown.
func (n Number) Or(unknown int64) int64 {
	if v, known := n.Get(); known {
		return v
	}
	return unknown
}

// Plus adds a known number, counting an unknown one as nothing: a sum over what
// is known. It stays at the ends of int64 instead of going round.
func (n Number) Plus(m int64) Number {
	v, _ := n.Get()
	sum := v + m
	switch {
	case v > 0 && m > 0 && sum < 0:
		return Known(math.MaxInt64)
	case v < 0 && m < 0 && sum >= 0:
		return Known(math.MinInt64)
	}
	return Known(sum)
}

// MarshalJSON writes the number, or null where it is unknown.
func (n Number) MarshalJSON() ([]byte, error) {
	v, known := n.Get()
	if !known {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, v, 10), nil
}
