package kafka

import (
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// This file is about fetches that nobody answered. The broker may have carried
// one out: then its records have used up a delivery that nobody saw, and the same
// again would use up the next, until they are archived.

// Bounds of fetches without an answer.
const (
	// fetchTimeout is how long the answer to a fetch may take: megabytes over a
	// slow way take their time, but what comes after its locks have ended is of no
	// use. Acknowledgements have answerTimeout all the same.
	fetchTimeout = 30 * time.Second
	// maxUnanswered is how many fetches of one take may go without an answer.
	maxUnanswered = 2
)

// errNoTurn means that the request before did not end in time.
var errNoTurn = errors.New("is still busy with the request before")

// openFetch books that a fetch is about to leave; false once the session is being
// left.
func (s *Session) openFetch() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fetchOpen = !s.isLeaving()
	return s.fetchOpen
}

// fetchIsKnown books that it is known what the fetch has acquired.
func (s *Session) fetchIsKnown() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fetchOpen = false
}

// unansweredFetch cuts the connection: without it the broker gives back what the
// fetch acquired, whatever that was. Who takes is told; leaving has to tell it
// where there is nobody.
func (s *Session) unansweredFetch(b *sessionBroker, err error) error {
	b.cut()
	left, _ := mayHaveTaken(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fetchOpen = left && s.isLeaving()
	s.lose(b)
	return err
}

// noAnswer is an error when a fetch failed in a way that must not be tried again
// and again: it may have acquired records that nobody saw.
func (s *Session) noAnswer(b *sessionBroker, err error) error {
	left, late := mayHaveTaken(err)
	if !left {
		return nil
	}
	if s.unansweredFetches++; !late && s.unansweredFetches < maxUnanswered {
		return nil
	}
	return &takeError{fmt.Sprintf("no records came: %s %s when asked for them; what it may have handed out is given back and "+
		"has used up a delivery, so it is not asked again by itself", brokerName(b.id, b.link.addr), whyAndRemedy(err))}
}

// refusedFetch is a fetch that the broker answered, with an error: it acquired
// nothing.
type refusedFetch struct{ text string }

// Error says what the broker did.
func (e *refusedFetch) Error() string { return e.text }

// mayHaveTaken tells whether a fetch that failed may have been carried out, and
// whether its answer was too late or too large, as the next one's would be too.
func mayHaveTaken(err error) (left, late bool) {
	_, answered := errors.AsType[*refusedFetch](err)
	_, refused := errors.AsType[*refusal](err)
	_, first := errors.AsType[*kgo.ErrFirstReadEOF](err) // of this request, whatever it is taken for
	dial, onWay := errors.AsType[*net.OpError](err)
	if answered || refused && !first || onWay && dial.Op == "dial" || errors.Is(err, errNoTurn) {
		return false, false
	}
	died := first || diedBeside(err) || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || onWay && !dial.Timeout()
	return true, !died
}
