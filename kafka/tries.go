package kafka

import (
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
)

// tries bounds how often a coordinator is asked for that is not there. On a
// fresh cluster it comes within seconds; a server at its limit of groups says
// COORDINATOR_NOT_AVAILABLE for ever. The zero value has asked nothing yet.
type tries struct{ asked int }

const (
	// coordinatorAsks is the most often one is asked for in a row, over about 10 s.
	coordinatorAsks = 20
	// firstPause is the pause at first; it grows by as much every fifth time.
	firstPause = 200 * time.Millisecond
)

// next is the pause before the next try; false when it was the last one.
func (t *tries) next() (time.Duration, bool) {
	t.asked++
	return firstPause * time.Duration((t.asked+4)/5), t.asked < coordinatorAsks
}

// noCoordinator is why no coordinator of a group is told, as a part of a
// sentence.
func noCoordinator(code int16) string {
	switch code {
	case kerr.CoordinatorNotAvailable.Code:
		return codeText(code, "") + "; a server at its limit of groups answers so for ever, a fresh cluster for some seconds"
	case kerr.GroupAuthorizationFailed.Code:
		return "DESCRIBE on the group is missing"
	default:
		return codeText(code, "")
	}
}
