package kafka

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// peekPlace is where a partition can be fetched from.
type peekPlace struct {
	leader int32
	link   *link
	id     [16]byte
	// partitions is how many the topic has.
	partitions int
	// decompressor is the client's own, which gives up at maxBatchBytes.
	decompressor kgo.Decompressor
}

// Bounds of what is remembered of leaders.
const (
	placesAge = time.Minute
	maxPlaces = 1024
)

// peekPlaces remembers the leaders of topics that were peeked at, which need
// not be topics that a group reads.
type peekPlaces struct {
	mu     sync.Mutex
	topics map[string]peekTopic
}

type peekTopic struct {
	at      time.Time
	id      [16]byte
	leaders map[int32]peekLeader
}

type peekLeader struct {
	id   int32
	addr string
}

func (p *peekPlaces) get(topic string, now time.Time) (peekTopic, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, ok := p.topics[topic]
	return t, ok && now.Sub(t.at) < placesAge
}

func (p *peekPlaces) put(topic string, t peekTopic) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.topics == nil || len(p.topics) >= maxPlaces {
		p.topics = make(map[string]peekTopic)
	}
	p.topics[topic] = t
}

func (p *peekPlaces) forget(topic string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.topics, topic)
}

// peekPlace finds a partition's leader: as it is known from watching, which
// spares a round trip, unless that was wrong; else it is asked for.
func (c *Client) peekPlace(ctx context.Context, topic string, partition int32, afresh bool) (peekPlace, error) {
	if place, ok := c.watchedPlace(topic, partition); ok && !afresh {
		return place, nil
	}
	t, known := c.places.get(topic, c.opts.Now())
	if _, has := t.leaders[partition]; !known || !has { // it may have got more of them
		var err error
		if t, err = c.askPeekTopic(ctx, topic); err != nil {
			return peekPlace{}, err
		}
		c.places.put(topic, t)
	}
	leader, ok := t.leaders[partition]
	switch {
	case !ok:
		return peekPlace{}, kerr.UnknownTopicOrPartition
	case leader.addr == "":
		return peekPlace{}, kerr.LeaderNotAvailable
	}
	l := c.nodes.linkAt(leader.addr)
	d, err := l.decompressor()
	if err != nil {
		return peekPlace{}, err
	}
	return peekPlace{leader: leader.id, link: l, id: t.id, partitions: len(t.leaders), decompressor: d}, nil
}

// watchedPlace is where a partition of a topic is that some group reads.
func (c *Client) watchedPlace(topic string, partition int32) (peekPlace, bool) {
	at, ok := c.state.leaderOf(topic, partition)
	if !ok {
		return peekPlace{}, false
	}
	if at.link = c.nodes.link(at.leader); at.link == nil {
		return peekPlace{}, false
	}
	var err error
	at.decompressor, err = at.link.decompressor()
	return at, err == nil
}

// leaderOf is what metadata last said of a partition, when it said that it has a
// leader.
func (s *state) leaderOf(topic string, partition int32) (at peekPlace, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.topics[topic]
	if e == nil || e.code != 0 || e.topic.Gone || partition < 0 || int(partition) >= len(e.topic.Partitions) {
		return at, false
	}
	p := &e.topic.Partitions[partition]
	return peekPlace{leader: p.Leader, id: e.topic.ID, partitions: len(e.topic.Partitions)}, p.Asked && p.Leader >= 0
}

// linkAt returns the link to an address.
func (n *nodes) linkAt(addr string) *link {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.at(addr)
}

// askPeekTopic asks any broker for a topic's leaders.
func (c *Client) askPeekTopic(ctx context.Context, topic string) (peekTopic, error) {
	resp, _, err := c.askMetadata(ctx, []string{topic})
	if err != nil {
		return peekTopic{}, err
	}
	if len(resp.Topics) != 1 {
		return peekTopic{}, errIncomplete
	}
	m := &resp.Topics[0]
	if err := kerr.ErrorForCode(m.ErrorCode); err != nil {
		return peekTopic{}, err
	}
	return leadersOf(m, resp.Brokers, c.opts.Now()), nil
}

func leadersOf(m *kmsg.MetadataResponseTopic, brokers []kmsg.MetadataResponseBroker, now time.Time) peekTopic {
	addrs := make(map[int32]string, len(brokers))
	for i := range brokers {
		addrs[brokers[i].NodeID] = net.JoinHostPort(brokers[i].Host, strconv.Itoa(int(brokers[i].Port)))
	}
	t := peekTopic{at: now, id: m.TopicID, leaders: make(map[int32]peekLeader, len(m.Partitions))}
	for i := range m.Partitions {
		p := &m.Partitions[i]
		t.leaders[p.Partition] = peekLeader{p.Leader, addrs[p.Leader]}
	}
	return t
}

// problem says in a sentence why records could not be read.
func (p *peek) problem(err error) *model.Problem {
	name := safeText(p.req.Topic.Raw())
	place := fmt.Sprintf("%s-%d", name, p.req.Partition)
	out := &model.Problem{Kind: model.ProblemOther, Target: target("partition", fmt.Sprintf("%s-%d", p.req.Topic.Raw(), p.req.Partition))}
	code, isCode := errorCode(err)
	switch {
	case code == kerr.TopicAuthorizationFailed.Code:
		out.Kind = model.ProblemDenied
		out.Detail = fmt.Sprintf("The records of %s can't be shown: READ on the topic is missing.", name)
		out.Advice = aclCommand("READ", "topic", name)
	case code == kerr.UnknownTopicOrPartition.Code, code == kerr.UnknownTopicID.Code:
		out.Kind = model.ProblemGone
		out.Detail = fmt.Sprintf("There is no partition %s (any more), or this user may not see it.", place)
	case code == kerr.OffsetOutOfRange.Code:
		out.Kind = model.ProblemLoading
		out.Detail = fmt.Sprintf("The log of %s moved while it was read.", place)
		out.Advice = "look again"
	case isCode && movedLeader(err):
		out.Kind = model.ProblemLoading
		out.Detail = fmt.Sprintf("The records of %s can't be read now: the partition's leader is moving, or there is none.", place)
	case isCode:
		out.Detail = fmt.Sprintf("The records of %s can't be read: %s.", place, codeText(code, ""))
	default:
		return p.transportProblem(err, place, out)
	}
	return out
}

// transportProblem is for what no broker said: a batch that can't be read, or a
// connection that failed.
func (p *peek) transportProblem(err error, place string, out *model.Problem) *model.Problem {
	if bad, ok := asBadBatch(err); ok {
		out.Detail = fmt.Sprintf("The batch at offset %s of %s is not shown: %s.", model.FormatInt(bad.offset), place, safeText(bad.why))
		return out
	}
	out.Kind = model.ProblemUnreachable
	who := "the cluster"
	if p.place.link != nil {
		who = brokerName(p.place.leader, p.place.link.addr)
	}
	out.Detail = fmt.Sprintf("The records of %s can't be read: %s %s.", place, who, whyUnreachable(err))
	out.Advice = "check that the broker runs and that its advertised address can be reached from here"
	*out = refusedProblem(err, *out)
	return out
}
