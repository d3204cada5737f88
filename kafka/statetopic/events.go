package statetopic

import (
	"sort"

	"sharetop/model"
)

// Bounds of the events that are held; the oldest go first. An event takes 80
// bytes: 0.7 MB and 2.6 MB.
const (
	MaxArchivedEvents = 8_192
	MaxHistoryEvents  = 32_768
)

// Event is one change of a run of records of a share-partition.
type Event struct {
	ShareKey
	model.RecordEvent
}

// ring holds the last events, and counts all.
type ring struct {
	max    int
	events []Event
	total  uint64
}

func (g *ring) add(e Event) {
	if len(g.events) < g.max {
		g.events = append(g.events, e)
	} else {
		g.events[g.total%uint64(g.max)] = e
	}
	g.total++
}

// from returns the number of the oldest event that is held, at or after n.
func (g *ring) from(n uint64) uint64 { return max(n, g.total-uint64(len(g.events))) }

func (g *ring) at(n uint64) *Event { return &g.events[n%uint64(g.max)] }

// Archived returns the records given up since the partitions were loaded, oldest
// first, beginning with the event of number after (0 is the first). Next is the
// number to go on with; lost is how many in between are not held any more.
func (t *Table) Archived(after uint64) (events []Event, next, lost uint64) {
	from := min(t.archived.from(after), t.archived.total)
	for n := from; n < t.archived.total; n++ {
		events = append(events, *t.archived.at(n))
	}
	if from > after {
		lost = from - after
	}
	return events, t.archived.total, lost
}

// History returns what happened to one record since its state topic partition
// was loaded, oldest first, as far as it is still held: releases, archiving, and
// acceptance after a release.
func (t *Table) History(k ShareKey, offset int64) []model.RecordEvent {
	var events []model.RecordEvent
	for _, g := range []*ring{&t.history, &t.archived} {
		for n := g.from(0); n < g.total; n++ {
			if e := g.at(n); e.First <= offset && offset <= e.Last && e.ShareKey == k {
				events = append(events, e.RecordEvent)
			}
		}
	}
	sort.SliceStable(events, func(i, j int) bool { return events[i].Millis < events[j].Millis })
	return events
}
