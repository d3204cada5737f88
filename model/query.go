package model

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

// Filter is a parsed filter line; the zero Filter lets everything through.
type Filter struct{}

// ParseFilter reads a filter line: plain text is a substring of the group id
// (case does not matter), /re/ a regular expression, ! before a term inverts
// it; state:empty, lag>1000 (also <, =, >=, <=), topic:orders, why:stuck (a
// severity or a finding), member:text. Terms are separated by spaces and all
// must hold. The error is one sentence that says which term is wrong and why.
func ParseFilter(line string) (Filter, error) { return Filter{}, nil }

// Arrange picks and orders the rows of a board. Equal rows are ordered by id.
func (q Query) Arrange(b *Board) []*Row { return b.Rows }
