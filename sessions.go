package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

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

	mu   sync.Mutex
	open []*kafka.Session
}

// Join makes a session and keeps it until close.
func (s *sessions) Join(ctx context.Context, r model.JoinRequest) (ui.Session, error) {
	joined, err := s.client.Join(ctx, r, kafka.JoinOptions{
		Audit: s.audit, Who: person(), ClientID: clientID(), LogValues: s.logValues,
	})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// The screen has said what came of the sessions before this one.
	s.open = []*kafka.Session{joined}
	return joined, nil
}

// close leaves all sessions, side by side and within five seconds, and says what
// happened to what was held.
func (s *sessions) close(w io.Writer) {
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
	_ = s.audit.Close()
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
