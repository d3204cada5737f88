package kafka

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

func TestPeekSaysWhatIsWrong(t *testing.T) {
	for name, test := range map[string]struct {
		code   int16
		kind   model.ProblemKind
		detail string
	}{
		"denied":  {kerr.TopicAuthorizationFailed.Code, model.ProblemDenied, "READ on the topic is missing"},
		"moved":   {kerr.NotLeaderForPartition.Code, model.ProblemLoading, "leader is moving"},
		"gone":    {kerr.UnknownTopicOrPartition.Code, model.ProblemGone, "There is no partition orders-0"},
		"unlucky": {kerr.KafkaStorageError.Code, model.ProblemOther, "orders-0 can't be read"},
	} {
		t.Run(name, func(t *testing.T) {
			c := fakeCluster(t)
			asked := 0
			control(c, kmsg.Fetch, func(r kmsg.Request) kmsg.Response {
				asked++
				return fetchAnswer(r.(*kmsg.FetchRequest), test.code, nil)
			})
			got := newPeeker(t, c, false).peek(model.PeekRequest{})
			if got.Problem == nil || got.Problem.Kind != test.kind || !strings.Contains(got.Problem.Detail, test.detail) {
				t.Errorf("got %+v", got.Problem)
			}
			if asked > peekTries {
				t.Errorf("asked %d times", asked)
			}
		})
	}
	c := fakeCluster(t)
	got := newPeeker(t, c, false).peek(model.PeekRequest{Topic: model.NewTopicName("no\x1btopic")})
	if got.Problem == nil || got.Problem.Kind != model.ProblemGone || strings.Contains(got.Problem.Detail, "\x1b") {
		t.Errorf("of a topic that is not there: %+v", got.Problem)
	}
	dead := open(t, model.Connection{Bootstrap: []string{"127.0.0.1:1"}}, Options{}).client
	got = peeker{t, dead}.peek(model.PeekRequest{})
	if got.Problem == nil || got.Problem.Kind != model.ProblemUnreachable || !strings.Contains(got.Problem.Detail, "refuses connections") {
		t.Errorf("of a cluster that is not there: %+v", got.Problem)
	}
}

// The leader of a partition that a group reads is known from watching: the
// first record costs one round trip, and only a leader that moved costs more.
func TestPeekUsesTheLeaderThatIsWatched(t *testing.T) {
	c := fakeCluster(t)
	send(t, c, nil, numberedRecords(3)...)
	place(t, c, "orders", 0, "billing")
	place(t, c, "refunds", 0, "billing")
	var asked, moved atomic.Int32
	control(c, kmsg.Metadata, func(r kmsg.Request) kmsg.Response {
		// Watching asks for both topics of the group.
		if topics := r.(*kmsg.MetadataRequest).Topics; len(topics) == 1 && *topics[0].Topic == "orders" {
			asked.Add(1)
		}
		return nil
	})
	control(c, kmsg.Fetch, func(r kmsg.Request) kmsg.Response {
		if moved.Load() > 0 && moved.Add(-1) >= 0 {
			return fetchAnswer(r.(*kmsg.FetchRequest), kerr.NotLeaderForPartition.Code, nil)
		}
		return nil
	})
	w := watch(t, c)
	w.until("the leaders", func(s *model.Snapshot) bool {
		return s.Log(model.NewTopicName("orders"), 0).Asked && s.Log(model.NewTopicName("refunds"), 0).Asked
	})
	for _, test := range []struct {
		what         string
		moved, asked int32
	}{{"the leader is known", 0, 0}, {"the leader has moved", 1, 1}, {"it is known again", 0, 0}} {
		asked.Store(0)
		moved.Store(test.moved)
		got := peeker{t, w.client}.peek(model.PeekRequest{})
		if got.Problem != nil || peeked(got) != "0 1 2" || asked.Load() != test.asked {
			t.Errorf("%s: %v, problem %+v, metadata asked %d times", test.what, peeked(got), got.Problem, asked.Load())
		}
	}
}

// What was remembered of a topic that no group reads may be older than a
// partition.
func TestPeekAsksAgainForAPartitionThatIsAdded(t *testing.T) {
	c := fakeCluster(t, kfakeBrokers(2))
	p := newPeeker(t, c, false)
	p.peek(model.PeekRequest{})
	if _, err := kadm.NewClient(plainClient(t, c)).UpdatePartitions(t.Context(), 4, "orders"); err != nil {
		t.Fatal(err)
	}
	if got := p.peek(model.PeekRequest{Partition: 3}); got.Problem != nil {
		t.Errorf("a partition that was added: %+v", got.Problem)
	}
}

// It may also name a leader whose broker is gone.
func TestPeekAsksAgainForALeaderThatIsGone(t *testing.T) {
	c := fakeCluster(t, kfakeBrokers(2))
	send(t, c, nil, numberedRecords(3)...)
	w := newWitness()
	p := peeker{t, open(t, model.Connection{Bootstrap: c.ListenAddrs()}, Options{Dial: w.dial}).client}
	p.peek(model.PeekRequest{})
	leader := c.LeaderFor("orders", 0)
	if err := c.MoveTopicPartition("orders", 0, 1-leader); err != nil {
		t.Fatal(err)
	}
	w.kill(c.ListenAddrs()[leader])
	if got := p.peek(model.PeekRequest{}); got.Problem != nil || peeked(got) != "0 1 2" {
		t.Errorf("read %q, problem %+v", peeked(got), got.Problem)
	}
}
