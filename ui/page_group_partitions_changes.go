package ui

import (
	"time"

	"sharetop/model"
)

// partitionChange remembers the values that are drawn bold for a second after
// they have changed.
type partitionChange struct {
	values [boldColumns]model.Number
	at     [boldColumns]time.Time
}

// boldColumns are START, END and LAG.
const boldColumns = 3

func boldValues(r *model.PartitionRow) [boldColumns]model.Number {
	return [boldColumns]model.Number{r.Start, r.Log.End, r.Lag}
}

// boldFor is how long a changed value is bold.
const boldFor = time.Second

// The places of the columns whose values are watched.
const (
	columnStart = 3
	columnEnd   = 4
	columnLag   = 5
)

// note remembers what has changed since the last look.
func (t *partitionsTab) note(now time.Time) {
	seen := make(map[partitionKey]partitionChange, len(t.rows))
	for _, r := range t.rows {
		c, before := t.changes[keyOf(r)]
		for i, v := range boldValues(r) {
			if before && c.values[i] != v && v.IsKnown() {
				c.at[i] = now
			}
			c.values[i] = v
		}
		seen[keyOf(r)] = c
	}
	t.changes = seen
}

// changed tells whether a cell's value has changed within the last second.
func (t *partitionsTab) changed(r *model.PartitionRow, column int, now time.Time) bool {
	if column < columnStart || column > columnLag {
		return false
	}
	at := t.changes[keyOf(r)].at[column-columnStart]
	return !at.IsZero() && now.Sub(at) < boldFor
}
