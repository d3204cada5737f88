package kafka

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// A request is answered with an error that says nothing of what was asked, once,
// at any moment.
func TestNothingShownIsLostByOneError(t *testing.T) {
	errs := []*kerr.Error{
		kerr.CoordinatorLoadInProgress, kerr.CoordinatorNotAvailable, kerr.NotCoordinator, kerr.LeaderNotAvailable,
		kerr.NotLeaderForPartition, kerr.RequestTimedOut, kerr.NetworkException, kerr.UnknownServerError,
	}
	for turn, e := range errs {
		for name, conn := range map[string]model.Connection{"state topic": {}, "requests": {OffsetsFrom: model.OffsetsByRequests}} {
			t.Run(e.Message+", by "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					s := newStage(t, 1)
					o := outing{name: e.Message, conn: conn, whole: complete}
					if conn.OffsetsFrom != model.OffsetsByRequests {
						o.whole = completeLive
					}
					for _, k := range moments(s.answersUntil(o)+ticksMore, mostErrors, turn) {
						s.failAt(k, e, o)
					}
				})
			})
		}
	}
}

// ticksMore is how many requests of the ticks after all is shown are answered with
// an error, too.
const ticksMore = 10

// failAt has the k-th request of a client answered with an error.
func (s *stage) failAt(k int, e *kerr.Error, o outing) {
	s.t.Helper()
	v := s.viewer(fmt.Sprintf("%s for request %d", e.Message, k), o.conn, s.outage(byKill, ""))
	defer v.close()
	defer s.failOnce(k, e).Remove()
	v.pass(5 * time.Second)
	v.wantAgain(o.whole)
}

// failOnce has the k-th request from now on answered with an error, not counting
// those of members and those that begin a connection.
func (s *stage) failOnce(k int, e *kerr.Error) *kfake.FaultHandle {
	others := []kmsg.Key{kmsg.ShareGroupHeartbeat, kmsg.ShareFetch, kmsg.ShareAcknowledge, kmsg.ApiVersions}
	var victim kmsg.Request
	s.c.Control(func(r kmsg.Request) (kmsg.Response, error, bool) {
		s.c.KeepControl()
		if slices.Contains(others, kmsg.Key(r.Key())) {
			return nil, nil, false
		}
		if k--; k == 0 {
			victim = r
			s.c.DropControl()
		}
		return nil, nil, false
	})
	return s.c.Fault(kfake.Fault{Err: e, When: func(r kmsg.Request) bool { return r == victim }})
}
