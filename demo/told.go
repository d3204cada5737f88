package demo

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/kafka/statetopic"
)

// The acknowledgement types on the wire (KIP-932; renew: KIP-1222).
const (
	wireAccept  = 1
	wireRelease = 2
	wireRenew   = 4
)

// The epochs that close a share session, begin one, join a group and leave it.
const (
	closeEpoch = -1
	beginEpoch = 0
	joinEpoch  = 0
	leaveEpoch = -1
)

// told is what a request and its answer tell of what others did: a share
// consumer, or whoever alters a group.
type told struct {
	session sessionKey
	conn    *tappedConn
	// begins and closes are about the share session, leaves is about the
	// member, ended about the connection.
	begins, closes, leaves, ended bool
	// acks are those that were not refused.
	acks     []ackRun
	acquired []acquiredRun
	// altered are start offsets that were set or deleted.
	altered []alteration
}

// sessionKey is a share session: a member has one with each broker.
type sessionKey struct{ group, member, broker string }

// ackRun is a run of offsets with a type for each, or one for all.
type ackRun struct {
	share       statetopic.ShareKey
	first, last int64
	types       []int8
}

func (a *ackRun) kind(offset int64) int8 {
	if len(a.types) == 1 {
		return a.types[0]
	}
	return a.types[offset-a.first]
}

// acquiredRun is a run of offsets that a member has with the same count.
type acquiredRun struct {
	share       statetopic.ShareKey
	first, last int64
	count       int16
}

// tell reads an exchange. One that was refused as a whole tells nothing.
func (c *tappedConn) tell(request kmsg.Request, response kmsg.Response) told {
	t := told{conn: c, session: sessionKey{broker: c.broker}}
	switch q := request.(type) {
	case *kmsg.ShareGroupHeartbeatRequest:
		t.session.group, t.session.member = q.GroupID, q.MemberID
		r, ok := response.(*kmsg.ShareGroupHeartbeatResponse)
		t.leaves = ok && r.ErrorCode == 0 && q.MemberEpoch == leaveEpoch
	case *kmsg.ShareFetchRequest:
		if r, ok := response.(*kmsg.ShareFetchResponse); ok && r.ErrorCode == 0 && q.GroupID != nil && q.MemberID != nil {
			t.session.group, t.session.member = *q.GroupID, *q.MemberID
			t.fetched(q, r)
		}
	case *kmsg.ShareAcknowledgeRequest:
		if r, ok := response.(*kmsg.ShareAcknowledgeResponse); ok && r.ErrorCode == 0 && q.GroupID != nil && q.MemberID != nil {
			t.session.group, t.session.member = *q.GroupID, *q.MemberID
			t.acknowledged(q, r)
		}
	default:
		t.altered = alteredBy(request, response)
	}
	return t
}

func (t *told) share(topic [16]byte, partition int32) statetopic.ShareKey {
	return statetopic.ShareKey{Group: t.session.group, TopicID: topic, Partition: partition}
}

// fetched reads a ShareFetch. kfake names a partition twice when it has an error
// for its acknowledgements and records from it.
func (t *told) fetched(q *kmsg.ShareFetchRequest, r *kmsg.ShareFetchResponse) {
	t.begins, t.closes = q.ShareSessionEpoch == beginEpoch, q.ShareSessionEpoch == closeEpoch
	refused := map[statetopic.ShareKey]bool{}
	for _, topic := range r.Topics {
		for _, p := range topic.Partitions {
			share := t.share(topic.TopicID, p.Partition)
			if p.AcknowledgeErrorCode != 0 {
				refused[share] = true
			}
			for _, a := range p.AcquiredRecords {
				t.acquired = append(t.acquired, acquiredRun{share, max(a.FirstOffset, 0), a.LastOffset, a.DeliveryCount})
			}
		}
	}
	for _, topic := range q.Topics {
		for _, p := range topic.Partitions {
			for _, b := range p.AcknowledgementBatches {
				t.addAcks(refused, ackRun{t.share(topic.TopicID, p.Partition), b.FirstOffset, b.LastOffset, b.AcknowledgeTypes})
			}
		}
	}
}

func (t *told) acknowledged(q *kmsg.ShareAcknowledgeRequest, r *kmsg.ShareAcknowledgeResponse) {
	t.closes = q.ShareSessionEpoch == closeEpoch
	refused := map[statetopic.ShareKey]bool{}
	for _, topic := range r.Topics {
		for _, p := range topic.Partitions {
			if p.ErrorCode != 0 {
				refused[t.share(topic.TopicID, p.Partition)] = true
			}
		}
	}
	for _, topic := range q.Topics {
		for _, p := range topic.Partitions {
			for _, b := range p.AcknowledgementBatches {
				t.addAcks(refused, ackRun{t.share(topic.TopicID, p.Partition), b.FirstOffset, b.LastOffset, b.AcknowledgeTypes})
			}
		}
	}
}

// addAcks takes a run that was not refused. What kfake does not carry out is
// passed over too, so that the types fit the offsets.
func (t *told) addAcks(refused map[statetopic.ShareKey]bool, a ackRun) {
	if n := int64(len(a.types)); !refused[a.share] && (n == 1 || n > 1 && n == a.last-a.first+1) {
		t.acks = append(t.acks, a)
	}
}
