package model

import (
	"math"
	"strconv"
)

// Number is a whole number that may be unknown. The zero Number is unknown,
// which is never the same as 0: it is shown as "–" and written to JSON as null.
type Number struct {
	n     int64
	known bool
}

// Known is a Number whose value is known. Any value is possible, below zero
// too (lag is negative when the start offset is past the end).
func Known(n int64) Number { return Number{n: n, known: true} }

// Get returns the value and whether it is known; the value of an unknown
// Number is 0 and means nothing.
func (n Number) Get() (int64, bool) { return n.n, n.known }

// IsKnown tells whether the value is known.
func (n Number) IsKnown() bool { return n.known }

// Or returns the value, or the given one where it is unknown.
func (n Number) Or(unknown int64) int64 {
	if n.known {
		return n.n
	}
	return unknown
}

// Plus adds a known number, counting an unknown one as nothing: a sum over what
// is known. It stays at the ends of int64 instead of going round.
func (n Number) Plus(m int64) Number {
	sum := n.n + m
	switch {
	case n.n > 0 && m > 0 && sum < 0:
		return Known(math.MaxInt64)
	case n.n < 0 && m < 0 && sum >= 0:
		return Known(math.MinInt64)
	}
	return Known(sum)
}

// MarshalJSON writes the number, or null where it is unknown.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.known {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, n.n, 10), nil
}
