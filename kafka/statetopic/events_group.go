package statetopic

import "sort"

// Cursor says up to where a group's events were taken; the zero Cursor is before
// all of them.
type Cursor struct{ archived, history uint64 }

// GroupEvents returns what happened to records of a group since the cursor, as
// far as it is still held, oldest first: releases, archiving, and acceptance
// after a release. Next is the cursor to go on with; lost tells that events in
// between are not held any more, of whatever group.
func (t *Table) GroupEvents(id string, after Cursor) (events []Event, next Cursor, lost bool) {
	take := func(g *ring, after uint64) {
		from := min(g.from(after), g.total)
		lost = lost || from > after
		for n := from; n < g.total; n++ {
			if e := g.at(n); e.Group == id {
				events = append(events, *e)
			}
		}
	}
	take(&t.archived, after.archived)
	take(&t.history, after.history)
	sort.SliceStable(events, func(i, j int) bool { return events[i].Millis < events[j].Millis })
	return events, Cursor{t.archived.total, t.history.total}, lost
}
