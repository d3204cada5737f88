package kafka

import (
	"errors"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

func TestNothingIsSentThatIsNotWrittenDown(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1))
	produce(t, c, "orders", 2)
	place(t, c, "orders", 0, "billing")
	book := &logbook{}
	s := joinSession(t, sessionClient(t, c, Options{}), "billing", book, "orders")
	held := take(t, s, 6)
	sent := count(c)
	book.fail(errors.New("disk full"))
	_, err := s.Acknowledge(t.Context(), []model.Acknowledgement{{ID: held[0].ID, Decision: model.Accept}})
	if !errors.Is(err, ErrNotAudited) || sent.of(kmsg.ShareAcknowledge) != 0 {
		t.Errorf("%d sent, %v", sent.of(kmsg.ShareAcknowledge), err)
	}
	if left := s.Leave(t.Context()); len(left.Released) != len(held) {
		t.Errorf("a broken audit file must not keep records: %+v", left)
	}
}

// That an outcome could not be written down is said until it can be again, and
// not only until the next heartbeat.
func TestAnOutcomeThatIsNotWrittenDownIsTold(t *testing.T) {
	t.Parallel()
	book := &logbook{}
	c, s := billingSession(t, book)
	held := take(t, s, 2)
	control(c, kmsg.ShareAcknowledge, func(kmsg.Request) kmsg.Response {
		book.fail(errors.New("disk full"))
		return nil
	})
	decide(t, s, model.Accept, held[0])
	s.setTrouble("") // as a heartbeat does
	if trouble := s.Trouble(); !strings.Contains(trouble, "disk full") {
		t.Errorf("trouble %q", trouble)
	}
}
