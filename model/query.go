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
	SortAccepted
	SortArchived
	SortRetrying
)

// String names the key as column titles and messages do.
func (k SortKey) String() string {
	names := [...]string{
		"worst first", "name", "state", "members", "partitions", "lag", "in/s", "done/s", "drain",
		"accept/s", "arch/s", "retry",
	}
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
	rows := q.pick(b.Rows)
	if key := q.effectiveSort(b); key != SortName {
		return q.order(rows, key)
	}
	if q.Invert {
		slices.Reverse(rows)
	}
	return rows
}

// SameRows tells that Arrange gives the same for two boards, whatever the query:
// their rows are one list, and the first sweep is over in both or in neither.
func (b *Board) SameRows(other *Board) bool {
	return len(b.Rows) > 0 && len(b.Rows) == len(other.Rows) && &b.Rows[0] == &other.Rows[0] &&
		b.Snapshot.Offsets.Sweep.FirstDone == other.Snapshot.Offsets.Sweep.FirstDone
}

// pick returns the rows that the filter lets through, by raw id. A board's rows
// are in that order already; that is looked at, not taken for granted.
func (q Query) pick(all []*Row) []*Row {
	rows := make([]*Row, 0, len(all))
	for _, row := range all {
		if row != nil && row.Group != nil && q.Filter.Match(row) {
			rows = append(rows, row)
		}
	}
	byID := func(a, b *Row) int { return cmp.Compare(a.Group.ID.raw, b.Group.ID.raw) }
	if !slices.IsSortedFunc(rows, byID) {
		slices.SortFunc(rows, byID)
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

// lastKey is the key of rows whose value is unknown.
const lastKey = math.MaxUint64

// order sorts rows that are ordered by id; equal keys keep that order.
func (q Query) order(rows []*Row, by SortKey) []*Row {
	keyed := make([]keyedRow, len(rows))
	for i, row := range rows {
		key := keyOf(row, by)
		if q.Invert && key != lastKey {
			key = lastKey - 1 - key
		}
		keyed[i] = keyedRow{key: key, row: row}
	}
	for i, k := range sortByKey(keyed) {
		rows[i] = k.row
	}
	return rows
}

// keyOf is a row's key: the smallest comes first; it is below lastKey where its value is known.
func keyOf(row *Row, by SortKey) uint64 {
	switch by {
	case SortWorst:
		if row.Verdict.Severity == SeverityUnknown {
			return lastKey
		}
		return rank(uint64(SeverityStuck-row.Verdict.Severity), row.Lag)
	case SortState:
		return byState(row.Group.State)
	case SortMembers:
		return byNumber(row.Members)
	case SortPartitions:
		return byNumber(row.Partitions)
	case SortLag:
		return byNumber(row.Lag)
	case SortIn:
		return byRate(row.In)
	case SortDone:
		return byRate(row.Done)
	case SortDrain:
		return byDrain(row.Drain)
	case SortAccepted:
		return byRate(row.State.Accepted)
	case SortArchived:
		return byRate(row.State.Archived)
	case SortRetrying:
		return byNumber(row.Retrying)
	case SortName: // the position decides
	}
	return 0
}

// rank is a key by a kind from 0 to 3 and, within it, a number, the largest
// first and an unknown one last. Numbers beyond ±2^60 count as that.
func rank(kind uint64, n Number) uint64 {
	const limit = 1 << 60
	within := uint64(2*limit + 1)
	if v, ok := n.Get(); ok {
		within = uint64(limit - min(max(v, -limit), limit))
	}
	return kind<<62 | within
}

// byNumber is a number as a key, the largest first.
func byNumber(n Number) uint64 {
	v, ok := n.Get()
	if !ok {
		return lastKey
	}
	// Turned so that the largest number is 0; the smallest shares the key of the
	// next, since its own would be lastKey.
	return min(uint64(math.MaxInt64)-uint64(v), lastKey-1)
}

// byRate is a rate as a key, the largest first; what is not a number is
// unknown.
func byRate(r Rate) uint64 {
	if !r.Known || math.IsNaN(r.PerSecond) {
		return lastKey
	}
	// The bits of floats are in order once those below 0 are turned round.
	bits := math.Float64bits(r.PerSecond + 0) // -0 becomes 0
	if bits>>63 == 0 {
		return math.MaxInt64 - bits
	}
	return bits
}

// byState is a state as a key, in the order of the alphabet; a state that is
// not known to us comes after those that are.
func byState(s GroupState) uint64 {
	switch s {
	case GroupDead:
		return 0
	case GroupEmpty:
		return 1
	case GroupStable:
		return 2
	case GroupUnknown:
		return lastKey
	}
	return 3
}

// byDrain is a drain time as a key: stuck, never, the longest first, done.
func byDrain(d Drain) uint64 {
	switch d.Kind {
	case DrainStuck:
		return rank(0, Known(0))
	case DrainNever:
		return rank(1, Known(0))
	case DrainIn:
		return rank(2, Known(int64(d.In)))
	case DrainDone:
		return rank(3, Known(0))
	case DrainUnknown:
	}
	return lastKey
}
