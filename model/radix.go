package model

// keyedRow is a row with the key that places it: the smallest comes first.
type keyedRow struct {
	key uint64
	row *Row
}

// sortByKey sorts by key; rows with the same key keep their order. It changes
// the slice, and returns it or another one.
//
// It sorts byte by byte from the lowest (least significant digit radix sort):
// a screen sorts at every tick, and for 10,000 rows the comparisons alone take
// several milliseconds, longer than a frame may. Bytes that are the same in all
// keys, which is most of them, cost nothing.
func sortByKey(rows []keyedRow) []keyedRow {
	var counts [8][256]int32
	for i := range rows {
		for digit := range counts {
			counts[digit][byte(rows[i].key>>(8*digit))]++
		}
	}
	var spare []keyedRow
	for digit := range counts {
		count := &counts[digit]
		if len(rows) == 0 || int(count[byte(rows[0].key>>(8*digit))]) == len(rows) {
			continue
		}
		if spare == nil {
			spare = make([]keyedRow, len(rows))
		}
		at := int32(0)
		for i, n := range count {
			count[i] = at
			at += n
		}
		for i := range rows {
			place := &count[byte(rows[i].key>>(8*digit))]
			spare[*place] = rows[i]
			*place++
		}
		rows, spare = spare, rows
	}
	return rows
}
