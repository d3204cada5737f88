package kafka

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// lastBeat leaves the group, as the last of the heartbeats: the coordinator could
// else hear of it in the wrong order, and take the member in again. What is on its
// way to brokers comes before it, where they answer in time: a server may take a
// member's records away with the membership.
func (s *Session) lastBeat(ctx context.Context, last lastTurns) error {
	patient, cancel := context.WithTimeout(ctx, beforeLeavingGroup)
	defer cancel()
	for _, t := range last.at {
		select {
		case <-t.before:
		case <-patient.Done():
		}
	}
	if err := last.beat.await(ctx); err != nil {
		return err
	}
	defer last.beat.end()
	return s.leaveGroup(ctx)
}

// leaveAsks is how often a coordinator that can't be reached is told at most. One
// that answers that it is none, or none yet, is asked again as long as there is time.
const leaveAsks = 5

// leaveGroup tells the coordinator that the member goes; where that has moved, or is
// not there, the one that there is now. The error is that of the last one told.
func (s *Session) leaveGroup(ctx context.Context) error {
	var t tries
	for {
		err := s.tellCoordinator(ctx)
		refused, answered := errors.AsType[*answeredError](err)
		if err == nil || answered && !transient(refused.code) {
			return err
		}
		pause, again := t.next()
		if !again || !answered && t.asked >= leaveAsks || !s.wait(ctx, pause, nil) {
			return err
		}
		if addr, code, lookErr := s.askCoordinator(ctx); lookErr == nil && code == 0 {
			s.coordinatedBy(addr)
		} else if lookErr != nil && !answered {
			return err // no broker is there
		}
	}
}

// tellCoordinator sends the heartbeat that leaves.
func (s *Session) tellCoordinator(ctx context.Context) error {
	s.mu.Lock()
	l := s.coordinator
	s.mu.Unlock()
	req := kmsg.NewPtrShareGroupHeartbeatRequest()
	req.GroupID, req.MemberID, req.MemberEpoch = s.group, s.member, leaveEpoch
	resp, err := ask[*kmsg.ShareGroupHeartbeatResponse](ctx, l, roleControl, req)
	if err != nil {
		return err
	}
	switch resp.ErrorCode {
	case 0, kerr.UnknownMemberID.Code, kerr.GroupIDNotFound.Code:
		return nil
	default:
		return &answeredError{resp.ErrorCode, deref(resp.ErrorMessage)}
	}
}
