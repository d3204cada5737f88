package model

import (
	"cmp"
	"slices"
	"time"
)

// Kafka archives what a member rejects and what was delivered too often, but also
// every offset that holds no record once a client acknowledges it as a gap:
// transaction markers, and what compaction left. The state topic tells them alike;
// only a Fetch at the offset does not. This file is what such a Fetch found.

// ArchivedFound is what a Fetch found where offsets were archived.
type ArchivedFound uint8

// What can be found.
const (
	// FoundPending: nobody has looked yet, and somebody is about to.
	FoundPending ArchivedFound = iota
	// FoundUnknown: it can't be told. READ on the topic is missing, the log does
	// not have the offset any more, or there was too much to look at.
	FoundUnknown
	// FoundNoRecord: a transaction marker or a gap; for a read_committed group
	// also a record of an aborted transaction.
	FoundNoRecord
	// FoundRecord: a record.
	FoundRecord
)

// ArchivedLook is a run of offsets that a group archived, all of them alike.
type ArchivedLook struct {
	TopicID     TopicID
	Partition   int32
	First, Last int64
	Found       ArchivedFound
}

// Len is the number of offsets.
func (l ArchivedLook) Len() int64 { return l.Last - l.First + 1 }

// MaxArchivedLooks bounds ArchivedLooks.Newest.
const MaxArchivedLooks = 256

// ArchivedLooks is what was found where one group archived offsets. It is
// immutable; nil says that nothing is known of any.
type ArchivedLooks struct {
	// Newest are those that were seen to be archived, newest first. Those with
	// FoundPending do not stay so for long. MaxArchivedLooks at most.
	Newest []ArchivedLook
	// Standing are those at or above the start offsets that nobody saw being
	// archived, in no order. They are looked at while Scope.Archived asks for it.
	Standing []ArchivedLook
	// RecordAt is when a record was last found where one was seen to be archived,
	// on the client's clock; zero when none was.
	RecordAt time.Time
	// Problem is why some could not be looked at; nil where nothing failed.
	Problem *Problem
}

// Equal tells whether two say the same.
func (l *ArchivedLooks) Equal(other *ArchivedLooks) bool {
	if l == nil || other == nil {
		return l == other
	}
	return slices.Equal(l.Newest, other.Newest) && slices.Equal(l.Standing, other.Standing) &&
		l.RecordAt.Equal(other.RecordAt) && l.Problem == other.Problem
}

// archivedCount says what the last archived offsets of a group were found to be.
type archivedCount struct {
	of                        int64
	records, nothing, pending int64
}

func (c archivedCount) looked() int64 { return c.records + c.nothing }

// count looks at the last n offsets that were archived; those that are not listed
// are neither pending nor anything else.
func (l *ArchivedLooks) count(n int64) archivedCount {
	c := archivedCount{of: n}
	if l == nil || len(l.Newest) == 0 {
		c.pending = n
		return c
	}
	for _, look := range l.Newest {
		part := min(look.Len(), n)
		switch look.Found {
		case FoundRecord:
			c.records += part
		case FoundNoRecord:
			c.nothing += part
		case FoundUnknown: // neither looked at, nor about to be
		case FoundPending:
			c.pending += part
		}
		if n -= part; n <= 0 {
			break
		}
	}
	return c
}

// pending tells whether somebody is about to look where an event says that offsets
// were archived.
func (l *ArchivedLooks) pending(e StateEvent) bool {
	return l != nil && slices.ContainsFunc(l.Newest, func(x ArchivedLook) bool {
		return x.Found == FoundPending && x.Partition == e.Partition && x.TopicID == e.TopicID &&
			x.First <= e.Last && e.First <= x.Last
	})
}

// lookedAt has what was found by share-partition, by offset, as far as something
// was; no two overlap.
type lookedAt map[archivedPlace][]ArchivedLook

// lookedAtIn puts in order what was found of a group that was looked at.
func lookedAtIn(g *Group) lookedAt {
	all, covered := make(lookedAt), map[archivedPlace]spans{}
	for _, looks := range [...][]ArchivedLook{g.Archived.Newest, g.Archived.Standing} {
		for _, look := range looks {
			if look.Found != FoundRecord && look.Found != FoundNoRecord {
				continue
			}
			place, whole := archivedPlace{g.ID.raw, look.TopicID, look.Partition}, span{look.First, look.Last}
			for _, part := range covered[place].without(whole) {
				look.First, look.Last = part.first, part.last
				all[place] = append(all[place], look)
			}
			covered[place] = covered[place].with(whole)
		}
	}
	for _, looks := range all {
		slices.SortFunc(looks, func(a, b ArchivedLook) int { return cmp.Compare(a.First, b.First) })
	}
	return all
}

// foundSpan is a range of offsets in which the same was found.
type foundSpan struct {
	span
	found ArchivedFound
}

// split cuts a range where something else was found; of what is not known here
// nobody has to say whether it ever will be: it is pending.
func (l lookedAt) split(place archivedPlace, r span) []foundSpan {
	looks := l[place]
	i, _ := slices.BinarySearchFunc(looks, r.first, func(x ArchivedLook, at int64) int { return cmp.Compare(x.Last, at) })
	var parts []foundSpan
	add := func(last int64, found ArchivedFound) {
		if n := len(parts); n > 0 && parts[n-1].found == found {
			parts[n-1].last = last
		} else {
			parts = append(parts, foundSpan{span{r.first, last}, found})
		}
		r.first = last + 1
	}
	for ; i < len(looks) && looks[i].First <= r.last; i++ {
		if looks[i].First > r.first {
			add(looks[i].First-1, FoundPending)
		}
		add(min(looks[i].Last, r.last), looks[i].Found)
	}
	if r.first <= r.last {
		add(r.last, FoundPending)
	}
	return parts
}
