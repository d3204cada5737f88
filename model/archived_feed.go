package model

import "slices"

// ArchivedFeed gives every run of records of one group that is given up, once:
// first those at or above the start offsets, then what is seen to happen. The
// zero feed with a group has given none.
type ArchivedFeed struct {
	Group GroupID
	// Hurry gives also what somebody is about to look at, as it is.
	Hurry bool

	// next numbers the events of StateView.Archived over all that were dropped.
	next uint64
	seen map[archivedPlace]spans
	last *StateView
}

// Take returns what a snapshot has that none before it had, oldest first; those
// given up before we looked come before all others, with a zero At. What somebody is
// about to look at (FoundPending) waits for that, with all after it. Missed is
// true when events in between are lost; what they left at or above the start
// offset is among the rows all the same.
func (f *ArchivedFeed) Take(s *Snapshot) (rows []*ArchivedRow, missed bool) {
	if s == nil || s.State == nil {
		return nil, false
	}
	if f.seen == nil {
		f.seen = make(map[archivedPlace]spans)
	}
	missed = f.hasMissed(s.State)
	g := s.Group(f.Group)
	rows = f.takeEvents(s, g)
	a := archivist{list: &ArchivedList{}, snapshot: s, covered: f.seen}
	if g != nil {
		a.addStates(g)
	}
	rows = append(rows, a.list.Rows...)
	slices.SortStableFunc(rows, func(x, y *ArchivedRow) int { return x.At.Compare(y.At) })
	return rows, missed
}

// hasMissed follows the numbering of events; it begins anew with watching.
func (f *ArchivedFeed) hasMissed(v *StateView) bool {
	before := f.last
	f.last = v
	if before == nil || !v.Since.Equal(before.Since) {
		f.next = v.ArchivedDropped
		return before != nil
	}
	return v.ArchivedDropped > f.next || !v.Missed.Equal(before.Missed)
}

// takeEvents are the group's new events. That a record was written to the
// dead-letter topic is not told again: that it is given up was.
func (f *ArchivedFeed) takeEvents(s *Snapshot, g *Group) []*ArchivedRow {
	v := s.State
	f.next = max(f.next, v.ArchivedDropped)
	list := &ArchivedList{}
	next, waits := v.ArchivedDropped+uint64(len(v.Archived)), false
	events := v.Archived[min(f.next-v.ArchivedDropped, uint64(len(v.Archived))):]
	for i, e := range events {
		if e.Group != f.Group || e.Before == RecordArchiving {
			continue
		}
		place := archivedPlace{e.Group.raw, e.TopicID, e.Partition}
		f.seen[place] = f.seen[place].with(span{e.First, e.Last})
		if !waits && !f.Hurry && g != nil && g.Archived.pending(e) {
			waits, next = true, next-uint64(len(events)-i)
		}
		if waits {
			continue
		}
		// Of its own: after a reset the same record can be given up once more.
		a := archivist{list: list, snapshot: s, covered: map[archivedPlace]spans{}}
		a.add(ArchivedRow{
			Group: e.Group, Place: Place{e.Topic, e.TopicID, e.Partition}, StateBatch: e.StateBatch,
			At: e.Time(),
		}, g)
	}
	f.next = next
	return list.Rows
}
