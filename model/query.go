package model

import (
	"cmp"
	"math"
	"slices"
)

// Query says which rows of a board to show, and in which order.
type Query struct {
	Filter Filter
	Sort   SortKey
	// Invert turns the order round.
	Invert bool
}

// SortKey names a column of the groups page to sort by.
type SortKey uint8

// The sort keys. SortWorst is severity, then lag, not allowed last; until the
// first sweep is over it means SortName.
const (
	SortWorst SortKey = iota
	SortName
	SortState
	SortMembers
	SortPartitions
	SortLag
	SortIn
	SortDone
	SortDrain
)

// String names the key as column titles and messages do.
func (k SortKey) String() string {
	names := [...]string{"worst first", "name", "state", "members", "partitions", "lag", "in/s", "done/s", "drain"}
	if int(k) < len(names) {
		return names[k]
	}
	return Unknown
}

// Arrange picks and orders the rows of a board. Names and states go up, all
// else goes down (most first); Invert turns that round. Rows whose value is
// unknown are last either way, and equal rows are ordered by raw id. The rows
// are shared with the board: they must not be changed.
func (q Query) Arrange(b *Board) []*Row {
	if b == nil {
		return nil
	}
	key := q.effectiveSort(b)
	keyed := make([]keyedRow, 0, len(b.Rows))
	for _, row := range b.Rows {
		if row != nil && row.Group != nil && q.Filter.Match(row) {
			keyed = append(keyed, keyOf(row, key))
		}
	}
	slices.SortFunc(keyed, q.less(key))
	rows := make([]*Row, len(keyed))
	for i := range keyed {
		rows[i] = keyed[i].row
	}
	return rows
}

// effectiveSort is the key that is really used: an order by lag before every
// group has been asked for once would be an order by accident.
func (q Query) effectiveSort(b *Board) SortKey {
	if q.Sort == SortWorst && (b.Snapshot == nil || !b.Snapshot.Offsets.Sweep.FirstDone) {
		return SortName
	}
	return q.Sort
}

// keyedRow is a row with what it is sorted by, taken out once: a larger first
// comes before a smaller one, then a larger second.
type keyedRow struct {
	row           *Row
	known         bool
	first, second float64
	text          string
}

// less compares two rows of the given key for slices.SortFunc.
func (q Query) less(key SortKey) func(a, b keyedRow) int {
	turn := 1
	if q.Invert {
		turn = -1
	}
	return func(a, b keyedRow) int {
		if a.known != b.known {
			if a.known {
				return -1
			}
			return 1
		}
		if c := cmp.Compare(b.first, a.first); c != 0 {
			return turn * c
		}
		if c := cmp.Compare(b.second, a.second); c != 0 {
			return turn * c
		}
		if c := cmp.Compare(a.text, b.text); c != 0 {
			return turn * c
		}
		c := cmp.Compare(a.row.Group.ID.raw, b.row.Group.ID.raw)
		if key == SortName {
			return turn * c
		}
		return c
	}
}

// keyOf takes out what a row is sorted by.
func keyOf(row *Row, key SortKey) keyedRow {
	k := keyedRow{row: row, known: true}
	switch key {
	case SortWorst:
		k.known = row.Verdict.Severity != SeverityUnknown
		k.first = float64(row.Verdict.Severity)
		k.second, _ = byNumber(row.Lag)
	case SortState:
		k.text, k.known = string(row.Group.State), row.Group.State != GroupUnknown
	case SortMembers:
		k.first, k.known = byNumber(row.Members)
	case SortPartitions:
		k.first, k.known = byNumber(row.Partitions)
	case SortLag:
		k.first, k.known = byNumber(row.Lag)
	case SortIn:
		k.first, k.known = byRate(row.In)
	case SortDone:
		k.first, k.known = byRate(row.Done)
	case SortDrain:
		k.first, k.second, k.known = byDrain(row.Drain)
	case SortName: // the id decides
	}
	return k
}

// byNumber is a number as a sort key. Below all others where it is unknown.
// Numbers above 2^53 that differ by a few count as equal.
func byNumber(n Number) (key float64, known bool) {
	if v, ok := n.Get(); ok {
		return float64(v), true
	}
	return math.Inf(-1), false
}

// byRate is a rate as a sort key; what is not a number is unknown.
func byRate(r Rate) (key float64, known bool) {
	if !r.Known || math.IsNaN(r.PerSecond) {
		return 0, false
	}
	return r.PerSecond, true
}

// byDrain is a drain time as two sort keys: stuck, never, the longest first,
// done.
func byDrain(d Drain) (first, second float64, known bool) {
	switch d.Kind {
	case DrainStuck:
		return 3, 0, true
	case DrainNever:
		return 2, 0, true
	case DrainIn:
		return 1, float64(d.In), true
	case DrainDone:
		return 0, 0, true
	case DrainUnknown:
	}
	return 0, 0, false
}
