package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

// message is something said to the person.
type message struct {
	id    int
	level statusLevel
	text  string
	at    time.Time
}

// status has the message that is shown now and those that were.
type status struct {
	shown *message
	// log has the last maxMessages, oldest first, for the problems page.
	log    []message
	nextID int
	// cancel ends the timer of the shown message.
	cancel context.CancelFunc
}

// Bounds of the messages: older ones than the last hundred are dropped; a
// message that is not an error goes after four seconds.
const (
	maxMessages  = 100
	messageStays = 4 * time.Second
)

// statusExpiredMsg takes the message with that id off the screen; the number
// keeps an old timer from clearing a newer message.
type statusExpiredMsg struct{ id int }

// show puts a message on the screen in place of the one before. Errors stay
// until they are dismissed.
func (s *status) show(level statusLevel, text string, at time.Time) tea.Cmd {
	s.dismiss()
	s.nextID++
	m := message{id: s.nextID, level: level, text: text, at: at}
	s.shown = &m
	if len(s.log) == maxMessages {
		s.log = append(s.log[:0], s.log[1:]...)
	}
	s.log = append(s.log, m)
	if level == levelError {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	return waitThen(ctx, messageStays, statusExpiredMsg{id: m.id})
}

// expire takes a message off the screen when it is still the one shown.
func (s *status) expire(m statusExpiredMsg) {
	if s.shown != nil && s.shown.id == m.id {
		s.dismiss()
	}
}

// dismiss takes the shown message off the screen.
func (s *status) dismiss() {
	if s.cancel != nil {
		s.cancel()
		s.cancel = nil
	}
	s.shown = nil
}
