package kafka

import (
	"context"
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// everyBeat is more heartbeats than come.
const everyBeat = 1 << 30

// answerLeaving answers the first heartbeats that leave, with a code or, for 0, by
// cutting the connection; asked has an element for each that came.
func answerLeaving(c *kfake.Cluster, code int16, first int) (asked chan struct{}) {
	asked = make(chan struct{}, 100)
	c.ControlKey(kmsg.ShareGroupHeartbeat.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		req, ok := r.(*kmsg.ShareGroupHeartbeatRequest)
		if !ok || req.MemberEpoch != leaveEpoch {
			return nil, nil, false
		}
		if asked <- struct{}{}; len(asked) > first {
			return nil, nil, false
		}
		if code == 0 {
			return nil, errors.New("the connection is cut"), true
		}
		resp, _ := req.ResponseKind().(*kmsg.ShareGroupHeartbeatResponse)
		resp.ErrorCode = code
		return resp, nil, true
	})
	return asked
}

func members(t *testing.T, c *kfake.Cluster, group string) int {
	t.Helper()
	groups, err := kadm.NewClient(plainClient(t, c)).DescribeShareGroups(t.Context(), group)
	if err != nil {
		t.Fatal(err)
	}
	return len(groups[group].Members)
}

// A coordinator that has moved, or is not there, is looked for once more.
func TestLeavingLooksForTheCoordinator(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]int16{
		"moved": kerr.NotCoordinator.Code, "none yet": kerr.CoordinatorNotAvailable.Code,
		"loading": kerr.CoordinatorLoadInProgress.Code, "gone": 0,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := billingSession(t, &logbook{})
			take(t, s, 3)
			asked := answerLeaving(c, code, 2)
			left := s.Leave(t.Context())
			if !left.Left || left.Why != "" || len(left.Released) != 3 || len(asked) != 3 {
				t.Errorf("asked %d times, left with %+v", len(asked), left)
			}
			if n := members(t, c, "billing"); n != 0 {
				t.Errorf("%d members are left", n)
			}
		})
	}
}

// The one that is found is told, and not the one from before.
func TestLeavingTellsTheNewCoordinator(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(3))
	place(t, c, "orders", 0, "billing")
	s := joinSession(t, sessionClient(t, c, Options{}), "billing", &logbook{}, "orders")
	s.mu.Lock()
	right := s.coordinator.addr
	s.mu.Unlock()
	for _, l := range s.anyLinks() {
		if l.addr != right {
			s.coordinatedBy(l.addr)
		}
	}
	if left := s.Leave(t.Context()); !left.Left {
		t.Errorf("left with %+v", left)
	}
	if n := members(t, c, "billing"); n != 0 {
		t.Errorf("%d members are left", n)
	}
}

// Looking is bounded, and what the last coordinator did is the reason.
func TestLookingForTheCoordinatorEnds(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	asked := answerLeaving(c, 0, everyBeat)
	if left := s.Leave(t.Context()); left.Left || left.Why == "" || len(asked) != leaveAsks {
		t.Errorf("asked %d times, left with %+v", len(asked), left)
	}
	c, s = billingSession(t, &logbook{})
	answerLeaving(c, kerr.NotCoordinator.Code, everyBeat)
	ctx, cancel := context.WithTimeout(t.Context(), 3*firstPause)
	defer cancel()
	if left := s.Leave(ctx); left.Left || left.Why == "" {
		t.Errorf("left with %+v", left)
	}
	c, s = billingSession(t, &logbook{})
	asked = answerLeaving(c, kerr.GroupAuthorizationFailed.Code, everyBeat)
	if left := s.Leave(t.Context()); left.Left || len(asked) != 1 {
		t.Errorf("asked %d times, left with %+v", len(asked), left)
	}
}

// Whoever abandons the session does not wait for a coordinator.
func TestAbandoningEndsLookingForTheCoordinator(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	asked := answerLeaving(c, kerr.NotCoordinator.Code, everyBeat)
	left := make(chan bool, 1)
	go func() { left <- s.Leave(context.Background()).Left }()
	<-asked
	s.Abandon()
	if <-left {
		t.Error("it left")
	}
}
