package kafka

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// refuseSets answers the set of each partition with an error, and the request as a
// whole without one.
func refuseSets(c *kfake.Cluster, with *kerr.Error) {
	c.ControlKey(kmsg.ShareAcknowledge.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		req := r.(*kmsg.ShareAcknowledgeRequest)
		resp := req.ResponseKind().(*kmsg.ShareAcknowledgeResponse)
		for _, t := range req.Topics {
			topic := kmsg.NewShareAcknowledgeResponseTopic()
			topic.TopicID = t.TopicID
			for _, p := range t.Partitions {
				part := kmsg.NewShareAcknowledgeResponseTopicPartition()
				part.Partition, part.ErrorCode = p.Partition, with.Code
				topic.Partitions = append(topic.Partitions, part)
			}
			resp.Topics = append(resp.Topics, topic)
		}
		return resp, nil, true
	})
}

// READ on the group is taken away while records are held, and given back: what is
// refused meanwhile is held on, and can be sent again.
func TestDecisionsWithoutTheRight(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	held := take(t, s, 2)
	fault := forbid(c, kfake.Fault{Keys: []kmsg.Key{kmsg.ShareAcknowledge}, Err: kerr.GroupAuthorizationFailed})
	for range 2 {
		refused := decide(t, s, model.Accept, held...)
		wantOutcome(t, refused, 2, model.OutcomeDenied)
		if got := refused[0].Detail; got != "READ on the group is missing" {
			t.Errorf("it says %q", got)
		}
	}
	fault.Remove()
	wantOutcome(t, decide(t, s, model.Accept, held...), 2, model.OutcomeDone)
	if left := s.Leave(t.Context()); !left.Left || len(left.Released)+len(left.NotReleased) > 0 {
		t.Errorf("nothing is held, and it left with %+v", left)
	}
}

// Without READ on the topic a release is refused, and the share session is closed
// by the same request, which gives everything back: so does Kafka.
func TestLeavingWithoutTheRightOnTheTopic(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	take(t, s, 2)
	refuseSets(c, kerr.TopicAuthorizationFailed)
	if left := s.Leave(t.Context()); !left.Left || len(left.Released) != 2 || len(left.Lines(true)) != 1 {
		t.Errorf("left with %+v", left)
	}
}

// A release that a broker could not write down is named with what it said.
func TestLeavingWithoutAWrite(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	take(t, s, 2)
	refuseSets(c, kerr.NotEnoughReplicas)
	if left := s.Leave(t.Context()); len(left.NotReleased) != 2 || !strings.HasPrefix(left.Why, kerr.NotEnoughReplicas.Message) {
		t.Errorf("left with %+v", left)
	}
}

// Without the right nothing can be given back, and each record is named with the
// time its lock ends, and the right.
func TestLeavingWithoutTheRight(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	held := take(t, s, 2)
	forbid(c, kfake.Fault{Keys: []kmsg.Key{kmsg.ShareAcknowledge, kmsg.ShareGroupHeartbeat}, Err: kerr.GroupAuthorizationFailed})
	left := s.Leave(t.Context())
	if left.Left || len(left.NotReleased) != 2 || !left.NotReleased[0].LockEnds.Equal(held[0].LockEnds) {
		t.Errorf("left with %+v", left)
	}
	if left.Why != "READ on the group is missing" {
		t.Errorf("why: %q", left.Why)
	}
	if lines := strings.Join(left.Lines(true), " "); !strings.Contains(lines, "(READ on the group is missing): orders-") {
		t.Errorf("it says %s", lines)
	}
}
