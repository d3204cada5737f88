package model

import "time"

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
	topics   topicHistories
	open     openHistory
	board    *Board
	scratch  []PartitionFacts // reused from one group to the next
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
	t.topics.update(s)
	b := &Board{Snapshot: s, Rows: t.rows(s, now)}
	b.Totals = sumRows(b.Rows)
	b.Open = t.openGroup(open, newRowClock(s, now, t.interval, t.rules))
	t.board = b
	return b
}

// rows walks the snapshot's groups and the known histories side by side, both
// sorted by raw id.
func (t *Tracker) rows(s *Snapshot, now time.Time) []*Row {
	clock := newRowClock(s, now, t.interval, t.rules)
	same := t.board != nil && len(t.board.Rows) == len(s.Groups)
	histories := t.match(s.Groups)
	rows := make([]*Row, len(s.Groups))
	for i, g := range s.Groups {
		h := histories[i]
		t.applyGroup(h, g, s, clock)
		rows[i] = h.row
		same = same && t.board.Rows[i] == h.row
	}
	if same {
		return t.board.Rows
	}
	return rows
}

// match returns one history per group, in the same order: the known one, or a
// new one. Histories of groups that are gone let go of their topics.
func (t *Tracker) match(groups []*Group) []*groupHistory {
	if t.sameGroups(groups) {
		return t.groups
	}
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
	t.groups = matched
	return matched
}

func (t *Tracker) sameGroups(groups []*Group) bool {
	if len(groups) != len(t.groups) {
		return false
	}
	for i, g := range groups {
		if h := t.groups[i]; h.group != g && h.group.ID.raw != g.ID.raw {
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
	if clock.live && !changed && h.row != nil && h.idle(now) {
		changed = true
	}
	if changed || h.row == nil || h.support != clock.support || h.topicsRev != h.revision() || now >= h.verdictDue {
		t.scratch = h.facts(t.scratch[:0])
		h.rebuild(t.scratch, clock, fresh)
		return
	}
	h.freshen(clock, fresh, now >= h.trendDue)
}
