package kafka

import (
	"errors"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// This file is about share sessions that end, and what is held in them with it.

// With a connection that is cut the broker gives back all that was held there: it
// is said of all of it, nothing can be decided about it, and more can be taken.
func TestARenewalWithoutAnAnswerGivesAllBack(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	held := take(t, s, 3)
	c.ControlKey(kmsg.ShareAcknowledge.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		return nil, errors.New("the connection is cut"), true
	})
	results, err := s.Renew(t.Context(), []model.RecordID{held[0].ID})
	if err != nil {
		t.Fatal(err)
	}
	wantOutcome(t, results, len(held), model.OutcomeGivenBack)
	sent := count(c)
	wantOutcome(t, decide(t, s, model.Accept, held[1]), 1, model.OutcomeLockOver)
	if n := sent.of(kmsg.ShareAcknowledge); n > 0 {
		t.Errorf("%d decisions left about what is not held", n)
	}
	again := take(t, s, 2)
	left := s.Leave(t.Context())
	if len(left.Released) != len(again) || len(left.NotHeld) != len(held)-len(again) {
		t.Errorf("took %d again of %d, and left with %+v", len(again), len(held), left)
	}
}

// What went with a connection is named with the end of its lock where nobody
// confirms, while leaving, that the broker knows of it.
func TestLeavingWhenNothingIsAnswered(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	held := take(t, s, 3)
	c.ControlKey(kmsg.ShareAcknowledge.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		return nil, errors.New("the connection is cut"), true
	})
	decide(t, s, model.Accept, held[0])
	left := s.Leave(t.Context())
	if len(left.Unanswered) != 1 || len(left.NotReleased) != 2 || len(left.NotHeld) > 0 || !left.NotReleased[0].LockEnds.Equal(held[1].LockEnds) {
		t.Errorf("left with %+v", left)
	}
}

// The broker ends the share session under a session, with all that is held in it.
func TestAShareSessionThatIsGoneGivesAllBack(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	held := take(t, s, 3)
	refuseOnce(c, kerr.ShareSessionNotFound.Code)
	for _, r := range decide(t, s, model.Accept, held[0]) {
		if want := map[bool]model.Outcome{true: model.OutcomeNotHolder, false: model.OutcomeGivenBack}[r.ID == held[0].ID]; r.Outcome != want {
			t.Errorf("%s: %v, want %v", r.ID, r.Outcome, want)
		}
	}
}

// refuseOnce refuses the next acknowledgements as a whole.
func refuseOnce(c *kfake.Cluster, code int16) {
	c.ControlKey(kmsg.ShareAcknowledge.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		resp := r.ResponseKind().(*kmsg.ShareAcknowledgeResponse)
		resp.ErrorCode = code
		return resp, nil, true
	})
}

// Without the answer to what a session tells of gaps its epoch is not known: what
// was just acquired is given back with the connection, and not shown as held.
func TestGapsThatAreNotAnswered(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	control(c, kmsg.ShareFetch, func(r kmsg.Request) kmsg.Response {
		resp := r.(*kmsg.ShareFetchRequest).ResponseKind().(*kmsg.ShareFetchResponse)
		topic, p := kmsg.NewShareFetchResponseTopic(), kmsg.NewShareFetchResponseTopicPartition()
		p.AcquiredRecords = []kmsg.ShareFetchResponseTopicPartitionAcquiredRecord{{FirstOffset: 8, LastOffset: 10, DeliveryCount: 1}}
		p.Records = at(batchOf(t, 3), 10)
		topic.TopicID, topic.Partitions = r.(*kmsg.ShareFetchRequest).Topics[0].TopicID, append(topic.Partitions, p)
		resp.Topics = append(resp.Topics, topic)
		return resp
	})
	c.ControlKey(kmsg.ShareAcknowledge.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if r.(*kmsg.ShareAcknowledgeRequest).ShareSessionEpoch == closeEpoch {
			return nil, nil, false
		}
		return nil, errors.New("the connection is cut"), true
	})
	if records, err := s.Take(t.Context(), 3); err == nil || !strings.Contains(err.Error(), "has used up a delivery") {
		t.Errorf("took %v, %v", records, err)
	}
	if n, _ := s.heldUntil(); n > 0 {
		t.Errorf("%d records are held without a share session", n)
	}
}

// A share session that was given up is closed before the next begins: else what
// was held in it stays locked when its broker sees too late that the connection
// has ended.
func TestAShareSessionThatWasGivenUpIsClosed(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	held := take(t, s, 3)
	c.ControlKey(kmsg.ShareAcknowledge.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		return nil, errors.New("the connection is cut"), true
	})
	wantOutcome(t, decide(t, s, model.Accept, held...), len(held), model.OutcomeNoAnswer)
	epochs := make(chan int32, 64)
	c.Control(func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		switch r := r.(type) {
		case *kmsg.ShareAcknowledgeRequest:
			epochs <- r.ShareSessionEpoch
		case *kmsg.ShareFetchRequest:
			epochs <- r.ShareSessionEpoch
		}
		return nil, nil, false
	})
	take(t, s, 3)
	if first, second := <-epochs, <-epochs; first != closeEpoch || second != 0 {
		t.Errorf("the epochs are %d and %d", first, second)
	}
}
