package model

import (
	"cmp"
	"slices"
	"time"
)

// ArchiveReason says why records were given up, as far as their delivery count
// and a look at their offsets tell.
type ArchiveReason uint8

// The reasons.
const (
	// ArchivedUnknown: the group's delivery limit is not known.
	ArchivedUnknown ArchiveReason = iota
	// ArchivedAtLimit: the delivery that ended was the last one.
	ArchivedAtLimit
	// ArchivedBefore: deliveries were left, so a member rejected them, or there
	// was nothing to deliver (a gap in the log, an aborted transaction).
	ArchivedBefore
	// ArchivedRejected: deliveries were left and records are there.
	ArchivedRejected
	// ArchivedNothing: no record is there, but transaction markers or a gap.
	ArchivedNothing
)

// String is the word for JSON output: unknown, limit, rejected-or-gap, rejected,
// no-record.
func (r ArchiveReason) String() string {
	words := [...]string{"unknown", "limit", "rejected-or-gap", "rejected", "no-record"}
	return words[min(int(r), len(words)-1)]
}

// ArchivedRow is a run of records of one share-partition that were given up.
type ArchivedRow struct {
	Group GroupID
	Place
	// StateBatch is the run with its delivery count; its state is
	// RecordArchiving while it is still being written to the dead-letter topic.
	StateBatch
	Limit DeliveryLimit
	// At is when they were given up, on the brokers' clock; zero when that was
	// before we looked.
	At time.Time
	// Found is what a look at the offsets found: FoundRecord or FoundNoRecord for
	// all of them alike, else FoundPending.
	Found ArchivedFound
	// BelowStart is true when the start offset has passed all of them: only
	// that we saw it happen still tells that they were given up.
	BelowStart bool
}

// Reason is why they were given up, as far as is known.
func (r *ArchivedRow) Reason() ArchiveReason {
	switch {
	case r.Found == FoundNoRecord:
		return ArchivedNothing
	case int64(r.Count) >= r.Limit.Count && !r.Limit.Assumed:
		return ArchivedAtLimit
	case r.Limit.Assumed:
		return ArchivedUnknown
	case r.Found == FoundRecord:
		return ArchivedRejected
	}
	return ArchivedBefore
}

// Records is how many records they are at most: as many as there are offsets,
// unless none of them holds one.
func (r *ArchivedRow) Records() int64 {
	if r.Found == FoundNoRecord {
		return 0
	}
	return r.Len()
}

// MaxArchivedRows bounds an ArchivedList.
const MaxArchivedRows = 10_000

// ArchivedList are the records that were given up: those at or above the start
// offsets, whenever that was, and those seen since watching began.
type ArchivedList struct {
	// Since is when watching began: what was given up before that and is below
	// its start offset is not in here. Zero when nothing is watched.
	Since time.Time
	// Missed is when events were last missed; zero when none were.
	Missed time.Time
	// Rows are the newest first, those from before we looked last;
	// MaxArchivedRows at most, More tells of how many others there are.
	Rows []*ArchivedRow
	More int64
	// Records counts the records of Rows, Nothing the offsets in them that are
	// known to hold none.
	Records, Nothing int64
}

// ArchivedIn lists the records of one group that were given up, of all groups
// when the id is empty.
func ArchivedIn(s *Snapshot, group GroupID) *ArchivedList {
	list := &ArchivedList{}
	if s == nil {
		return list
	}
	if v := s.State; v != nil {
		list.Since, list.Missed, list.More = v.Since, v.Missed, int64(v.ArchivedDropped)
	}
	a := archivist{list: list, snapshot: s, covered: map[archivedPlace]spans{}}
	a.addEvents(group)
	if group.Empty() {
		for _, g := range s.Groups {
			a.addStates(g)
		}
	} else if g := s.Group(group); g != nil {
		a.addStates(g)
	}
	slices.SortStableFunc(list.Rows, func(x, y *ArchivedRow) int {
		return cmp.Or(y.At.Compare(x.At), cmp.Compare(x.Group.raw, y.Group.raw))
	})
	return list
}

// archivist puts an ArchivedList together from events and states.
type archivist struct {
	list     *ArchivedList
	snapshot *Snapshot
	covered  map[archivedPlace]spans
	// looked is what was found, of groups that were met.
	looked map[string]lookedAt
}

// lookedIn is what was found of a group; g may be nil.
func (a *archivist) lookedIn(g *Group) lookedAt {
	if g == nil || g.Archived == nil {
		return nil
	}
	found, met := a.looked[g.ID.raw]
	if !met {
		if a.looked == nil {
			a.looked = make(map[string]lookedAt)
		}
		found = lookedAtIn(g)
		a.looked[g.ID.raw] = found
	}
	return found
}

// archivedPlace is a share-partition. A topic that was made anew is another one.
type archivedPlace struct {
	group     string
	topic     TopicID
	partition int32
}

// addEvents adds what was seen to happen, first what was given up then, and then
// what was seen only when its writing to the dead-letter topic was over.
func (a *archivist) addEvents(group GroupID) {
	if a.snapshot.State == nil {
		return
	}
	for _, wasArchiving := range [...]bool{false, true} {
		for i := range a.snapshot.State.Archived {
			e := &a.snapshot.State.Archived[i]
			if (e.Before == RecordArchiving) != wasArchiving || !group.Empty() && e.Group != group {
				continue
			}
			a.add(ArchivedRow{
				Group: e.Group, Place: Place{e.Topic, e.TopicID, e.Partition}, StateBatch: e.StateBatch,
				At: e.Time(),
			}, a.snapshot.Group(e.Group))
		}
	}
}

// addStates adds what stands at or above the start offsets of a group and was
// not seen to happen.
func (a *archivist) addStates(g *Group) {
	for i := range g.Partitions {
		p := &g.Partitions[i]
		for _, b := range p.State.Batches() {
			if AnyArchived.Has(b.State) {
				a.add(ArchivedRow{Group: g.ID, Place: Place{p.Topic, p.TopicID, p.Partition}, StateBatch: b}, g)
			}
		}
	}
}

// add adds those parts of a run that are not in the list yet.
func (a *archivist) add(row ArchivedRow, g *Group) {
	place := archivedPlace{row.Group.raw, row.TopicID, row.Partition}
	var now *PartitionState
	if g != nil {
		row.Limit, now = g.DeliveryLimit(), g.stateOf(place)
	} else {
		row.Limit = DeliveryLimit{defaultDeliveryLimit, true}
	}
	looked := a.lookedIn(g)
	for _, part := range a.covered[place].without(span{row.First, row.Last}) {
		for _, alike := range row.alike(looked.split(place, part)) {
			r := row
			r.First, r.Last, r.Found = alike.first, alike.last, alike.found
			a.append(&r, now)
		}
	}
	a.covered[place] = a.covered[place].with(span{row.First, row.Last})
}

// alike joins neighbours of which the same is said.
func (r *ArchivedRow) alike(parts []foundSpan) []foundSpan {
	out := parts[:1]
	reason := func(found ArchivedFound) ArchiveReason {
		told := *r
		told.Found = found
		return told.Reason()
	}
	for _, part := range parts[1:] {
		last := &out[len(out)-1]
		if reason(last.found) != reason(part.found) {
			out = append(out, part)
			continue
		}
		last.last, last.found = part.last, FoundPending
	}
	return out
}

// append adds a row that is in the list nowhere, by the state of its
// share-partition now, which may be nil.
func (a *archivist) append(r *ArchivedRow, now *PartitionState) {
	if len(a.list.Rows) >= MaxArchivedRows {
		a.list.More++
		return
	}
	if state, _ := now.StateAt(r.First); state == RecordArchived {
		r.State = state
	}
	start, known := now.Start().Get()
	r.BelowStart = known && r.Last < start
	if r.BelowStart {
		r.State = RecordArchived
	}
	a.list.Rows = append(a.list.Rows, r)
	a.list.Records = addClamped(a.list.Records, r.Records())
	a.list.Nothing = addClamped(a.list.Nothing, r.Len()-r.Records())
}

// stateOf is the state of one of the group's share-partitions; nil when it is
// not known.
func (g *Group) stateOf(place archivedPlace) *PartitionState {
	for i := range g.Partitions {
		if p := &g.Partitions[i]; p.Partition == place.partition && p.TopicID == place.topic {
			return p.State
		}
	}
	return nil
}

// span is a range of offsets, both ends included.
type span struct{ first, last int64 }

// spans are ranges in the order of their offsets that neither overlap nor touch.
type spans []span

// find is the index of the first range that ends at offset or above.
func (s spans) find(offset int64) int {
	i, _ := slices.BinarySearchFunc(s, offset, func(x span, at int64) int { return cmp.Compare(x.last, at) })
	return i
}

// without are the parts of a range that are in none of the spans.
func (s spans) without(r span) []span {
	var parts []span
	for i := s.find(r.first); i < len(s) && s[i].first <= r.last; i++ {
		if r.first < s[i].first {
			parts = append(parts, span{r.first, s[i].first - 1})
		}
		if s[i].last >= r.last {
			return parts
		}
		r.first = s[i].last + 1
	}
	return append(parts, r)
}

// with are the spans and one more.
func (s spans) with(r span) spans {
	from := s.find(r.first - 1)
	to := from
	for ; to < len(s) && s[to].first <= r.last+1; to++ {
		r = span{min(r.first, s[to].first), max(r.last, s[to].last)}
	}
	return slices.Replace(s, from, to, r)
}
