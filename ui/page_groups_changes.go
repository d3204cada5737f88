package ui

import (
	"time"

	"sharetop/model"
)

// groupChanges knows which cells of the groups on screen have changed within
// boldFor.
type groupChanges struct {
	board *model.Board
	at    map[groupCellID]time.Time
}

// groupCellID is one cell of the groups page.
type groupCellID struct {
	id     model.GroupID
	column groupColumn
}

// note compares the rows that were on screen with those that are. Only these
// are looked at, however many groups there are.
func (c *groupChanges) note(board *model.Board, before, after []*model.Row, now time.Time) {
	if board == c.board {
		return
	}
	c.board = board
	for cell, at := range c.at {
		if now.Sub(at) >= boldFor {
			delete(c.at, cell)
		}
	}
	old := make(map[model.GroupID]*model.Row, len(before))
	for _, r := range before {
		old[r.Group.ID] = r
	}
	for _, r := range after {
		if was := old[r.Group.ID]; was != nil && was != r {
			c.compare(was, r, now)
		}
	}
}

// compare notes the cells of one row that differ. Rates and trends always move
// a little and are left out.
func (c *groupChanges) compare(was, is *model.Row, now time.Time) {
	for _, cell := range [...]struct {
		column  groupColumn
		differs bool
	}{
		{groupsState, was.Group.State != is.Group.State},
		{groupsMembers, was.Members != is.Members},
		{groupsPartitions, was.Partitions != is.Partitions},
		{groupsLag, was.Lag != is.Lag},
		{groupsWhy, was.Verdict.Finding != is.Verdict.Finding},
	} {
		if !cell.differs {
			continue
		}
		if c.at == nil {
			c.at = make(map[groupCellID]time.Time)
		}
		c.at[groupCellID{is.Group.ID, cell.column}] = now
	}
}

// recent tells whether a cell has changed within boldFor.
func (c *groupChanges) recent(r *model.Row, column groupColumn, now time.Time) bool {
	if len(c.at) == 0 {
		return false
	}
	at, noted := c.at[groupCellID{r.Group.ID, column}]
	return noted && now.Sub(at) < boldFor
}
