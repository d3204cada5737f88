package ui

import (
	"slices"
	"time"

	"sharetop/model"
)

// partitionChange remembers the values that are drawn bold for a second after
// they have changed.
type partitionChange struct {
	values [boldColumns]model.Number
	at     [boldColumns]time.Time
}

// boldColumns is how many columns are watched: those of boldTitles.
const boldColumns = 4

func boldTitles() [boldColumns]string { return [boldColumns]string{"START", headTitle, "END", "LAG"} }

// boldValues are the values in those columns.
func boldValues(r *model.PartitionRow) [boldColumns]model.Number {
	return [boldColumns]model.Number{r.Start, r.Head, r.Log.End, r.Lag}
}

// boldFor is how long a changed value is bold.
const boldFor = time.Second

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
	titles := boldTitles()
	i := slices.Index(titles[:], t.table.columns[column].title)
	if i < 0 {
		return false
	}
	at := t.changes[keyOf(r)].at[i]
	return !at.IsZero() && now.Sub(at) < boldFor
}
