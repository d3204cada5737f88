package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"sharetop/audit"
	"sharetop/kafka"
	"sharetop/model"
	"sharetop/ui"
)

// joiner is a connection that sessions and changes can be made on.
type joiner interface {
	Join(ctx context.Context, r model.JoinRequest, o kafka.JoinOptions) (*kafka.Session, error)
	changing
}

// sessions are the consume sessions on one cluster. They outlive the screen: whatever
// ends the screen, what is held is released after the terminal is back.
type sessions struct {
	client joiner
	audit  *audit.File
	// logValues puts keys and values into the audit file.
	logValues bool

	mu      sync.Mutex
	open    []*kafka.Session
	joining []*joining
	closed  bool
}

// joining is a membership that is being asked for.
type joining struct {
	group  model.GroupID
	cancel context.CancelFunc
	// over is closed when it is there, or given up for err.
	over chan struct{}
	err  error
}

// Join makes a session and keeps it until close.
func (s *sessions) Join(ctx context.Context, r model.JoinRequest) (ui.Session, error) {
	ctx, j, err := s.beginJoining(ctx, r.Group)
	if err != nil {
		return nil, err
	}
	joined, err := s.client.Join(ctx, r, kafka.JoinOptions{
		Audit: s.audit, Who: person(), ClientID: clientID(), LogValues: s.logValues,
	})
	s.endJoining(j, joined, err)
	if err != nil {
		return nil, err
	}
	return joined, nil
}

// beginJoining books that somebody joins; nobody does once the program is ending.
func (s *sessions) beginJoining(ctx context.Context, group model.GroupID) (context.Context, *joining, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, errEnding
	}
	ctx, cancel := context.WithCancel(ctx)
	j := &joining{group: group, cancel: cancel, over: make(chan struct{})}
	s.joining = append(s.joining, j)
	return ctx, j, nil
}

// endJoining books what came of it.
func (s *sessions) endJoining(j *joining, joined *kafka.Session, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.joining = slices.DeleteFunc(s.joining, func(other *joining) bool { return other == j })
	if err == nil {
		// The screen has said what came of the sessions before this one.
		s.open = []*kafka.Session{joined}
	}
	j.err = err
	j.cancel()
	close(j.over)
}

// giveUpTimeout bounds the wait for joining to be given up, which is bounded
// itself, by less.
const giveUpTimeout = 3 * time.Second

// giveUp gives up joining that is under way, and waits until the group was told:
// its member would else be there until its session timeout.
func (s *sessions) giveUp(w io.Writer) {
	s.mu.Lock()
	s.closed = true
	under := slices.Clone(s.joining)
	for _, j := range under {
		j.cancel()
	}
	s.mu.Unlock()
	timer := time.NewTimer(giveUpTimeout)
	defer timer.Stop()
	for _, j := range under {
		select {
		case <-j.over:
			if errors.Is(j.err, model.ErrMemberStays) {
				fmt.Fprintln(w, "sharetop: "+model.Sanitize(j.err.Error()))
			}
		case <-timer.C:
			fmt.Fprintf(w, "sharetop: joining %s was not given up in time; %v\n", j.group, model.ErrMemberStays)
			return
		}
	}
}

// close gives up joining, leaves all sessions, side by side and within five
// seconds, and says what happened to what was held.
func (s *sessions) close(w io.Writer) {
	s.giveUp(w)
	s.mu.Lock()
	open := s.open
	s.open = nil
	s.mu.Unlock()
	results := make([]model.LeaveResult, len(open))
	var wg sync.WaitGroup
	for i, session := range open {
		wg.Go(func() { results[i] = session.Leave(context.Background()) })
	}
	wg.Wait()
	for i := range results {
		for _, line := range results[i].Lines(false) {
			fmt.Fprintln(w, "sharetop: "+line)
		}
	}
}

// person is who runs the program, as the audit file names them: user@host.
func person() string {
	return userName() + "@" + host()
}

// clientID is what the group's members are shown as.
func clientID() string { return "sharetop@" + host() }

func host() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
}

// newSessions prepares sessions; nothing is opened before somebody joins.
func newSessions(client joiner, auditFile string, logValues bool) (*sessions, error) {
	file, err := openAudit(auditFile)
	if err != nil {
		return nil, err
	}
	return &sessions{client: client, audit: file, logValues: logValues}, nil
}
