package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// stateTopic is where share coordinators keep the state of share-partitions
// (KIP-932). It is made when the first share group is.
const stateTopic = "__share_group_state"

// stateTopicFacts are what metadata says of the state topic.
type stateTopicFacts struct {
	id model.TopicID
	// leaders are by partition; NoLeader where there is none.
	leaders []int32
}

func (f *stateTopicFacts) count() int32 { return int32(len(f.leaders)) } //nolint:gosec // bounded by maxPartitions

// all are the numbers of its partitions.
func (f *stateTopicFacts) all() []int32 {
	all := make([]int32, f.count())
	for p := range all {
		all[p] = int32(p) //nolint:gosec // bounded by maxPartitions
	}
	return all
}

// countLeaders is how many brokers lead some partition of it.
func (f *stateTopicFacts) countLeaders() int {
	leaders := make(map[int32]struct{}, 3)
	for _, id := range f.leaders {
		leaders[id] = struct{}{}
	}
	return len(leaders)
}

// same tells whether two looks saw the same topic with as many partitions.
func (f *stateTopicFacts) same(g *stateTopicFacts) bool {
	return f.id == g.id && len(f.leaders) == len(g.leaders)
}

// lookAtStateTopic asks where the state topic is. The error is a *setback when
// it can't be read at all.
func (c *Client) lookAtStateTopic(ctx context.Context) (*stateTopicFacts, error) {
	resp, _, err := c.askMetadata(ctx, []string{stateTopic})
	if err != nil {
		return nil, err
	}
	for i := range resp.Topics {
		if t := &resp.Topics[i]; deref(t.Topic) == stateTopic {
			f, err := readStateTopic(t)
			if err == nil && c.lacksNodes(f.leaders) {
				c.syncNodes(resp)
			}
			return f, err
		}
	}
	return nil, errNoStateTopic()
}

// lacksNodes tells whether some of the leaders are no brokers that we know: at
// the start the first look at the cluster is still on its way, and waiting for
// it would cost round trips.
func (c *Client) lacksNodes(leaders []int32) bool {
	return slices.ContainsFunc(leaders, func(id int32) bool { return id != model.NoLeader && c.nodes.link(id) == nil })
}

func readStateTopic(t *kmsg.MetadataResponseTopic) (*stateTopicFacts, error) {
	switch {
	case gone(t.ErrorCode):
		return nil, errNoStateTopic()
	case t.ErrorCode == kerr.TopicAuthorizationFailed.Code:
		return nil, errStateTopicDenied()
	case t.ErrorCode != 0:
		return nil, fmt.Errorf("metadata of %s: %s", stateTopic, codeText(t.ErrorCode, ""))
	case len(t.Partitions) == 0 || len(t.Partitions) > maxPartitions:
		return nil, fmt.Errorf("metadata gives %d partitions of %s", len(t.Partitions), stateTopic)
	}
	f := &stateTopicFacts{id: t.TopicID, leaders: make([]int32, len(t.Partitions))}
	for i := range f.leaders {
		f.leaders[i] = model.NoLeader
	}
	for i := range t.Partitions {
		if p := &t.Partitions[i]; p.Partition >= 0 && int(p.Partition) < len(f.leaders) && p.ErrorCode == 0 {
			f.leaders[p.Partition] = p.Leader
		}
	}
	return f, nil
}

// stateOffsets are answers of ListOffsets about the state topic.
type stateOffsets struct {
	// at is when the questions left, so that all that was written before is in
	// them.
	at time.Time
	// of has the offset of each partition that was answered.
	of map[int32]int64
	// err is the first reason why one is missing; nil when none is.
	err error
}

// warmTail opens the connections that the load will be read on while its bounds
// are asked for, by a Fetch of nothing: kgo keeps a connection for Fetch alone.
// What fails is told by the load.
func (c *Client) warmTail(f *stateTopicFacts, parts []int32) {
	warmed := make(map[int32]bool, 3)
	for _, id := range parts {
		leader := f.leaders[id]
		l := c.nodes.link(leader)
		if l == nil || warmed[leader] {
			continue
		}
		warmed[leader] = true
		c.wg.Go(func() {
			_, _ = ask[*kmsg.FetchResponse](c.ctx, l, roleTail, fetching{topic: stateTopic, id: f.id}.request())
		})
	}
}

// stateBounds are log starts and ends of partitions of the state topic.
type stateBounds struct{ starts, ends stateOffsets }

func (b *stateBounds) err() error { return errors.Join(b.starts.err, b.ends.err) }

// have tells whether both are there of all these partitions.
func (b *stateBounds) have(parts []int32) bool {
	for _, id := range parts {
		_, start := b.starts.of[id]
		_, end := b.ends.of[id]
		if !start || !end {
			return false
		}
	}
	return true
}

// askStateBounds asks for log starts and ends of these partitions at once.
func (c *Client) askStateBounds(ctx context.Context, f *stateTopicFacts, parts []int32) stateBounds {
	begun := make(chan stateOffsets, 1)
	c.wg.Go(func() { begun <- c.askStateOffsets(ctx, f, parts, earliest) })
	ends := c.askStateOffsets(ctx, f, parts, latest)
	return stateBounds{starts: <-begun, ends: ends}
}

// askStateOffsets asks every leader side by side for the log starts or ends of
// these partitions.
func (c *Client) askStateOffsets(ctx context.Context, f *stateTopicFacts, parts []int32, which int64) stateOffsets {
	out := stateOffsets{at: c.opts.Now(), of: make(map[int32]int64, len(parts))}
	byLeader := make(map[int32][]logQuestion, 3)
	for _, p := range parts {
		leader := f.leaders[p]
		byLeader[leader] = append(byLeader[leader], logQuestion{stateTopic, p})
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for leader, questions := range byLeader {
		wg.Add(1)
		c.wg.Go(func() {
			defer wg.Done()
			resp, err := c.askLeader(ctx, leader, questions, which)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				err = out.take(resp)
			}
			if out.err == nil {
				out.err = err
			}
		})
	}
	wg.Wait()
	return out
}

func (c *Client) askLeader(ctx context.Context, leader int32, questions []logQuestion, which int64) (*kmsg.ListOffsetsResponse, error) {
	l := c.nodes.link(leader)
	if l == nil {
		return nil, fmt.Errorf("%d partitions of %s have no leader that can be asked", len(questions), stateTopic)
	}
	return ask[*kmsg.ListOffsetsResponse](ctx, l, roleControl, listOffsets(questions, which))
}

// take keeps the offsets of an answer; the error is the first one in it.
func (o *stateOffsets) take(r *kmsg.ListOffsetsResponse) error {
	var err error
	for i := range r.Topics {
		for j := range r.Topics[i].Partitions {
			p := &r.Topics[i].Partitions[j]
			switch {
			case p.ErrorCode == 0:
				o.of[p.Partition] = p.Offset
			case p.ErrorCode == kerr.TopicAuthorizationFailed.Code:
				err = errStateTopicDenied()
			case err == nil:
				err = fmt.Errorf("partition %d of %s: %s", p.Partition, stateTopic, codeText(p.ErrorCode, ""))
			}
		}
	}
	return err
}
