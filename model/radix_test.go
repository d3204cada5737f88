package model

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortByKey(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	masks := []uint64{0, 0xff, 0xff00, 0x00ff_00ff_0000_0000, ^uint64(0), 3 << 62}
	for _, n := range []int{0, 1, 2, 3, 255, 1000} {
		for _, mask := range masks {
			rows := make([]keyedRow, n)
			for i := range rows {
				rows[i] = keyedRow{key: random.Uint64() & mask, row: &Row{Lag: Known(int64(i))}}
			}
			want := slices.Clone(rows)
			slices.SortStableFunc(want, func(a, b keyedRow) int { return cmp.Compare(a.key, b.key) })
			if got := sortByKey(rows); !slices.Equal(got, want) {
				t.Errorf("%d rows with keys of %x are not in order", n, mask)
			}
		}
	}
}
