package model

import (
	"slices"
	"time"
)

// Tracker turns a stream of snapshots into boards: it keeps the history that
// rates, trends and "since" need, and asks Diagnose for the verdicts. It is
// not safe for concurrent use: whoever reads the snapshots owns it.
//
// What it keeps is bounded by what is in the last snapshot: a group that is no
// longer there is forgotten at once. For 10,000 groups of 5 share-partitions
// it holds less than 30 MB, boards included, beside the snapshot itself.
type Tracker struct {
	rules    Rules
	interval time.Duration
	groups   []*groupHistory // in the order of the last snapshot's groups
	// due is when the clock alone may change the row of a group, in the same
	// order; clock is that of the last board. Together they say which groups need
	// not even be looked at.
	due     []int64
	clock   rowClock
	topics  topicHistories
	open    openHistory
	board   *Board
	scratch []PartitionFacts // reused from one group to the next
}

// NewTracker makes a Tracker with an empty history.
func NewTracker(rules Rules) *Tracker {
	return &Tracker{rules: rules, interval: DefaultInterval, topics: topicHistories{}}
}

// SetInterval tells how far ticks are apart: a row is fresh while it was
// answered within the last two.
func (t *Tracker) SetInterval(d time.Duration) {
	if d > 0 {
		t.interval = d
	}
}

// Apply adds a snapshot to the history and derives the board. Open is the
// group whose partitions get a row each; empty for none. Now is the caller's
// clock.
//
// A sample counts only when it was really taken, by its own time stamp
// (Group.OffsetsAt, PartitionLog.EndAt): a group that was not asked in this
// tick adds none. Rows are computed again only for groups that changed, whose
// topic changed in a way that matters (gone, leader, empty), or whose text
// carries a duration that has moved on; all others are the same pointers as on
// the board before.
func (t *Tracker) Apply(s *Snapshot, open GroupID, now time.Time) *Board {
	if s == nil {
		return &Board{Snapshot: s}
	}
	clock := newRowClock(s, now, t.interval, t.rules)
	every := t.topics.update(s) || !clock.alike(t.clock)
	t.clock = clock
	b := &Board{Snapshot: s}
	if rows, changed := t.rows(s, clock, every); changed {
		b.Rows, b.Totals = rows, sumRows(rows)
	} else {
		b.Rows, b.Totals = t.board.Rows, t.board.Totals
	}
	b.Open = t.openGroup(open, clock)
	t.board = b
	return b
}

// rows are the rows of a snapshot's groups; not changed when they are those of
// the board before. Unless every group is to be looked at, those are passed over
// that are the same and not due: of ten thousand quiet groups nothing is touched
// but two lists.
func (t *Tracker) rows(s *Snapshot, clock rowClock, every bool) (rows []*Row, changed bool) {
	var last []*Group
	if t.board != nil && t.sameGroups(s.Groups) {
		last, rows = t.board.Snapshot.Groups, t.board.Rows
	} else {
		t.match(s.Groups)
		every, changed = true, true
		rows = make([]*Row, len(s.Groups))
	}
	now := nanos(clock.now)
	for i, g := range s.Groups {
		if !every && g == last[i] && now < t.due[i] {
			continue
		}
		h := t.groups[i]
		t.applyGroup(h, g, s, clock)
		t.due[i] = h.due(clock)
		if rows[i] == h.row {
			continue
		}
		if !changed {
			rows, changed = slices.Clone(rows), true
		}
		rows[i] = h.row
	}
	return rows, changed
}

// match makes one history per group, in the same order: the known one, or a new
// one. Histories of groups that are gone let go of their topics. Both lists are
// sorted by raw id.
func (t *Tracker) match(groups []*Group) {
	old := t.groups
	matched := make([]*groupHistory, len(groups))
	for i, g := range groups {
		for len(old) > 0 && old[0].group.ID.raw < g.ID.raw {
			t.topics.release(old[0].topics)
			old = old[1:]
		}
		if len(old) > 0 && old[0].group.ID.raw == g.ID.raw {
			matched[i], old = old[0], old[1:]
			continue
		}
		matched[i] = newGroupHistory(g.ID, t.rules)
	}
	for _, h := range old {
		t.topics.release(h.topics)
	}
	t.groups, t.due = matched, make([]int64, len(matched))
}

// sameGroups tells whether groups are those of the last snapshot, by their ids.
func (t *Tracker) sameGroups(groups []*Group) bool {
	last := t.board.Snapshot.Groups
	if len(groups) != len(last) {
		return false
	}
	for i, g := range groups {
		if g != last[i] && g.ID.raw != last[i].ID.raw {
			return false
		}
	}
	return true
}

// applyGroup brings one group's history and row up to date.
func (t *Tracker) applyGroup(h *groupHistory, g *Group, s *Snapshot, clock rowClock) {
	changed := h.group != g
	if changed {
		h.observe(g, t.topics, s)
	}
	fresh, now := clock.fresh(g), nanos(clock.now)
	if clock.live && !changed && h.row != nil && h.idle(nanos(clock.heldUntil())) {
		changed = true
	}
	if changed || h.row == nil || h.support != clock.support || h.topicsRev != h.revision() || now >= h.verdictDue {
		t.scratch = h.facts(t.scratch[:0])
		h.rebuild(t.scratch, clock, fresh)
		return
	}
	h.freshen(clock, fresh, now >= h.trendDue)
}
