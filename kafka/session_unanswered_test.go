package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

func TestWhatAFailedFetchMayHaveTaken(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err        error
		left, late bool
	}{
		"too late":              {context.DeadlineExceeded, true, true},
		"read timed out":        {&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, true, true},
		"too large":             {errors.New("invalid large response size 99 > limit 9"), true, true},
		"the connection ended":  {fmt.Errorf("read: %w", io.EOF), true, false},
		"the connection broke":  {&net.OpError{Op: "read", Err: errors.New("connection reset by peer")}, true, false},
		"it died beside":        {errors.New("the broker connection has died"), true, false},
		"at the first request":  {&refusal{why: "closes the connection", err: &kgo.ErrFirstReadEOF{}}, true, false},
		"not dialled":           {fmt.Errorf("unable to dial: %w", &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}), false, false},
		"not let in":            {&refusal{kind: model.ProblemDenied, why: "refused"}, false, false},
		"answered with a code":  {&refusedFetch{"has begun a new share session"}, false, false},
		"another request first": {errNoTurn, false, false},
	} {
		if left, late := mayHaveTaken(test.err); left != test.left || late != test.late {
			t.Errorf("%s: %v, %v", name, left, late)
		}
	}
}

// A fetch whose answer never comes may have acquired records: asked again and
// again it would use up all their deliveries, and nobody would have seen them.
func TestFetchesWithoutAnAnswerAreNotRepeated(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	var asked atomic.Int32
	c.ControlKey(kmsg.ShareFetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		asked.Add(1)
		return nil, errors.New("the connection is cut"), true
	})
	for range 2 {
		_, err := s.Take(t.Context(), 3)
		if err == nil || !strings.Contains(err.Error(), "has used up a delivery") {
			t.Errorf("took: %v", err)
		}
		if n := asked.Swap(0); n != maxUnanswered {
			t.Errorf("asked %d times", n)
		}
	}
}
