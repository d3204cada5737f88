package model

import (
	"math"
	"testing"
	"unsafe"
)

func TestNumberKeepsItsValue(t *testing.T) {
	for _, n := range []int64{math.MinInt64 + 1, -1 << 62, -1, 0, 1, 1 << 62, math.MaxInt64} {
		if v, known := Known(n).Get(); v != n || !known || !Known(n).IsKnown() || Known(n).Or(7) != n {
			t.Errorf("%d comes back as %d, known %v", n, v, known)
		}
	}
	if v, known := (Number{}).Get(); v != 0 || known || (Number{}).IsKnown() || (Number{}).Or(7) != 7 {
		t.Errorf("the zero Number is %d, known %v", v, known)
	}
	if got := Known(math.MinInt64); got != Known(math.MinInt64+1) {
		t.Errorf("the lowest int64 counts as %d", got.Or(0))
	}
}

// Ten thousand groups hold some hundred thousand Numbers.
func TestNumberTakesEightBytes(t *testing.T) {
	if size := unsafe.Sizeof(Number{}); size != 8 {
		t.Errorf("a Number takes %d bytes", size)
	}
}
