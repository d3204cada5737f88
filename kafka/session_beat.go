package kafka

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// heartbeat sends one heartbeat; the first, with epoch 0, joins.
func (s *Session) heartbeat(ctx context.Context) error {
	s.mu.Lock()
	l, epoch := s.coordinator, s.memberEpoch
	s.mu.Unlock()
	req := kmsg.NewPtrShareGroupHeartbeatRequest()
	req.GroupID, req.MemberID, req.MemberEpoch = s.group, s.member, epoch
	if epoch == 0 {
		for _, t := range s.terms.Topics {
			req.SubscribedTopicNames = append(req.SubscribedTopicNames, t.Raw())
		}
	}
	resp, err := ask[*kmsg.ShareGroupHeartbeatResponse](ctx, l, roleControl, req)
	if err != nil {
		return err
	}
	if resp.ErrorCode != 0 {
		return &answeredError{resp.ErrorCode, deref(resp.ErrorMessage)}
	}
	s.beaten(resp)
	return nil
}

// answeredError is an error code that a broker answered a session with.
type answeredError struct {
	code    int16
	message string
}

// Error is what a person can do something with.
func (e *answeredError) Error() string {
	switch e.code {
	case kerr.GroupAuthorizationFailed.Code:
		return "READ on the group is missing"
	case kerr.TopicAuthorizationFailed.Code:
		return "DESCRIBE on a topic is missing"
	case kerr.UnsupportedVersion.Code:
		return "share groups are disabled on this cluster"
	case kerr.CoordinatorNotAvailable.Code:
		return noCoordinator(e.code)
	case kerr.GroupIDNotFound.Code:
		return "the group does not exist any more"
	default:
		return codeText(e.code, e.message)
	}
}

// beaten takes in what a heartbeat brought.
func (s *Session) beaten(resp *kmsg.ShareGroupHeartbeatResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.memberEpoch = resp.MemberEpoch
	if d := resp.HeartbeatIntervalMillis; d > 0 {
		s.terms.Heartbeat = time.Duration(d) * time.Millisecond
	}
	if resp.Assignment == nil {
		return
	}
	s.assigned = s.assigned[:0:0]
	for i := range resp.Assignment.TopicPartitions {
		t := &resp.Assignment.TopicPartitions[i]
		for _, p := range t.Partitions {
			s.assigned = append(s.assigned, partitionKey{t.TopicID, p})
		}
	}
	close(s.reassigned)
	s.reassigned = make(chan struct{})
}

// firstBeats is the pace of heartbeats until there is an assignment: it comes
// with the heartbeat after the one that joined.
const firstBeats = time.Second

// beat sends heartbeats until the session is left.
func (s *Session) beat() {
	for {
		s.mu.Lock()
		every := s.terms.Heartbeat
		if every <= 0 {
			every = 5 * time.Second
		}
		if len(s.assigned) == 0 {
			every = min(every, firstBeats)
		}
		s.mu.Unlock()
		if !s.pause(s.ctx, every) {
			return
		}
		leaving, err := s.beatOnce()
		switch {
		case leaving:
			return
		case err != nil:
			s.missed(err)
		default:
			s.setTrouble("")
		}
	}
}

// beatOnce sends a heartbeat, unless the session is being left: leaving is the
// last that the coordinator hears of the member. A member that was dropped joins
// again with it, if the group is still there.
func (s *Session) beatOnce() (leaving bool, err error) {
	s.mu.Lock()
	if s.isLeaving() {
		s.mu.Unlock()
		return true, nil
	}
	t := s.beats.next()
	dropped := s.memberEpoch == 0
	s.mu.Unlock()
	defer t.end()
	if dropped {
		if err := s.findGroup(s.ctx); err != nil {
			return false, err
		}
	}
	return false, s.heartbeat(s.ctx)
}

// findGroup fails where the group does not exist any more: joining would make it
// anew, with none of its offsets, after somebody had deleted it.
func (s *Session) findGroup(ctx context.Context) error {
	s.mu.Lock()
	l := s.coordinator
	s.mu.Unlock()
	req := kmsg.NewPtrShareGroupDescribeRequest()
	req.GroupIDs = []string{s.group}
	resp, err := ask[*kmsg.ShareGroupDescribeResponse](ctx, l, roleControl, req)
	if err != nil {
		return err
	}
	for i := range resp.Groups {
		if g := &resp.Groups[i]; g.ErrorCode == kerr.GroupIDNotFound.Code {
			return &answeredError{g.ErrorCode, deref(g.ErrorMessage)}
		}
	}
	return nil // also where another member reads a topic that may not be seen here
}

// missed does what a failed heartbeat asks for.
func (s *Session) missed(err error) {
	if s.isLeaving() {
		return
	}
	refused, answered := errors.AsType[*answeredError](err)
	switch {
	case !answered:
		s.setTrouble("The coordinator " + whyAndRemedy(err) + ": the member may be dropped.")
		_ = s.findCoordinator(s.ctx)
	case refused.code == kerr.UnknownMemberID.Code, refused.code == kerr.FencedMemberEpoch.Code:
		s.setTrouble("The coordinator had dropped this member; it joins again.")
		s.mu.Lock()
		s.memberEpoch = 0
		s.mu.Unlock()
	case transient(refused.code):
		s.setTrouble("The group has no coordinator now, the member may be dropped: " + refused.Error() + ".")
		_ = s.findCoordinator(s.ctx)
	default:
		s.setTrouble("The coordinator refuses this member: " + refused.Error() + ".")
	}
}
