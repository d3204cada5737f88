package model

import (
	"fmt"
	"slices"
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
// for the third time, and some though they were finished.
func (s *Session) Warnings(now time.Time) []SessionWarning {
	var last, back, next, seen, halved []SessionWarning
	limit := s.terms.limit()
	for i := range s.records {
		r := &s.records[i]
		if !r.HeldAt(now) {
			continue
		}
		offset := FormatInt(r.ID.Offset)
		switch n := int64(r.Delivery); {
		case n >= limit:
			last = append(last, SessionWarning{r.ID, fmt.Sprintf(
				"%s is on delivery %d of %d, its last: release = archived%s", offset, n, limit, s.whereTo())})
		case n == limit-1:
			next = append(next, SessionWarning{r.ID, fmt.Sprintf(
				"%s is on delivery %d of %d: released, one delivery is left; a release on the last archives it%s",
				offset, n, limit, s.whereTo())})
		case n >= isolatedFrom(limit):
			halved = append(halved, SessionWarning{r.ID, fmt.Sprintf(
				"%s is on delivery %d of %d: from there the broker halves its batch, to isolate a record that fails",
				offset, n, limit)})
		}
		if d, was := s.back[r.ID]; was {
			back = append(back, SessionWarning{r.ID, fmt.Sprintf("%s came back, though you %s it and the server confirmed that: "+
				"somebody reset the group, or this server gives back whole batches (docs/servers.md)", offset, d.past())})
		}
		if s.seen[r.ID] >= 3 {
			seen = append(seen, SessionWarning{r.ID, fmt.Sprintf("%s came to you %d times", offset, s.seen[r.ID])})
		}
	}
	all := slices.Concat(last, back, next, seen, halved)
	return all[:min(len(all), maxWarnings)]
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
