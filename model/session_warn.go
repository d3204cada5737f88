package model

import (
	"fmt"
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
// release archives, before it the broker hands out smaller batches, and some
// come for the third time.
func (s *Session) Warnings(now time.Time) []SessionWarning {
	var last, next, seen, halved []SessionWarning
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
		if s.seen[r.ID] >= 3 {
			seen = append(seen, SessionWarning{r.ID, fmt.Sprintf("%s came to you %d times", offset, s.seen[r.ID])})
		}
	}
	all := append(append(append(last, next...), seen...), halved...)
	return all[:min(len(all), maxWarnings)]
}

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
