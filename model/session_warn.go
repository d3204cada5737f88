package model

import (
	"fmt"
	"strings"
	"time"
)

// SessionWarning is something to know before a record is given back.
type SessionWarning struct {
	ID   RecordID
	Text string
}

// maxWarnings bounds the warnings that are made; the most pressing come first.
const maxWarnings = 20

// Warnings are what to know about the records that are held: at the limit a
// release archives, before it the broker hands out smaller batches, some come
// for the third time, and some though they were finished. More says how many
// there are beside those.
func (s *Session) Warnings(now time.Time) (first []SessionWarning, more int) {
	// A page of held records is drawn each second: only what is shown of them is
	// written out.
	var kinds [warningKinds][]*HeldRecord
	for i := range s.records {
		if r := &s.records[i]; r.HeldAt(now) {
			s.sortWarnings(&kinds, r)
		}
	}
	name := RecordID.String
	if s.onePartition() {
		name = func(id RecordID) string { return "offset " + FormatInt(id.Offset) }
	}
	for kind, records := range kinds {
		for _, r := range records {
			if len(first) == maxWarnings {
				more++
				continue
			}
			first = append(first, SessionWarning{r.ID, s.warningText(warningKind(kind), r, name(r.ID))}) //nolint:gosec // a few kinds
		}
	}
	return first, more
}

// warningKind orders warnings, most pressing first.
type warningKind int

const (
	warnLast warningKind = iota
	warnBack
	warnNext
	warnSeen
	warnHalved
	warningKinds
)

func (s *Session) sortWarnings(kinds *[warningKinds][]*HeldRecord, r *HeldRecord) {
	limit := s.terms.limit()
	switch n := int64(r.Delivery); {
	case n >= limit:
		kinds[warnLast] = append(kinds[warnLast], r)
	case n == limit-1:
		kinds[warnNext] = append(kinds[warnNext], r)
	case n >= isolatedFrom(limit):
		kinds[warnHalved] = append(kinds[warnHalved], r)
	}
	if _, was := s.back[r.ID]; was {
		kinds[warnBack] = append(kinds[warnBack], r)
	}
	if s.seen[r.ID] >= seenOften {
		kinds[warnSeen] = append(kinds[warnSeen], r)
	}
}

// seenOften is from how many deliveries on a record that comes to the same
// person is told.
const seenOften = 3

func (s *Session) warningText(kind warningKind, r *HeldRecord, name string) string {
	limit := s.terms.limit()
	text := fmt.Sprintf("%s is on delivery %d of %d", name, r.Delivery, limit)
	switch kind {
	case warnSeen:
		return fmt.Sprintf("%s came to you %d times", name, s.seen[r.ID])
	case warnBack:
		return fmt.Sprintf("%s came back, though you %s it and the server confirmed that: somebody reset the group, "+
			"or this server gives back whole batches (docs/servers.md)", name, s.back[r.ID].past())
	case warnLast:
		return text + ", its last: release = archived" + s.whereTo()
	case warnNext:
		return text + ": one delivery is left, then a release archives it" + s.whereTo()
	default:
		return text + ": the broker halves batches to find what fails"
	}
}

// onePartition tells whether all records are of one share-partition, so that an
// offset alone names one.
func (s *Session) onePartition() bool {
	for i := range s.records {
		if id, first := s.records[i].ID, s.records[0].ID; id.Topic != first.Topic || id.Partition != first.Partition {
			return false
		}
	}
	return true
}

// past is what was done with a record.
func (d Decision) past() string { return strings.TrimSuffix(d.String(), "e") + "ed" }

// isolatedFrom is the delivery count from which on the broker hands out smaller
// batches (Kafka 4.2): half the limit, rounded up, and at least 2.
func isolatedFrom(limit int64) int64 { return max(2, (limit+1)/2) }

// whereTo names the dead-letter topic that archived records go to, if any.
func (s *Session) whereTo() string {
	if s.terms.DeadLetters.Empty() {
		return ""
	}
	return " (" + s.terms.DeadLetters.String() + ")"
}
