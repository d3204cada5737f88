// Package floor asks for the same things as sharetop's --once with bare kmsg
// requests and nothing around them: the floor that sharetop is measured
// against, in the same run.
package floor

import (
	"context"
	"fmt"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Counts says what a look at the cluster brought, so that two ways of asking
// can be compared for having asked for the same.
type Counts struct {
	Groups, Members, Partitions, LogEnds int
	Lag                                  int64
}

// inFlight is how many one-group offsets requests are under way per broker:
// more stall in the broker, one alone leaves it waiting.
const inFlight = 2

// describeChunk is the number of groups in one ShareGroupDescribe.
const describeChunk = 500

// Look lists, describes and asks the offsets of the given groups, or of all
// share groups when none is given, and of the logs under them.
func Look(ctx context.Context, bootstrap string, only ...string) (Counts, error) {
	opts := []kgo.Opt{kgo.SeedBrokers(bootstrap), kgo.DisableClientMetrics()}
	control, err := kgo.NewClient(opts...)
	if err != nil {
		return Counts{}, err
	}
	defer control.Close()
	offsets, err := kgo.NewClient(opts...)
	if err != nil {
		return Counts{}, err
	}
	defer offsets.Close()
	l := look{control: control, offsets: offsets, topics: map[string]map[int32]bool{}}
	if err := l.all(ctx, only); err != nil {
		return Counts{}, err
	}
	return l.counts, nil
}

type look struct {
	control, offsets *kgo.Client

	mu     sync.Mutex
	counts Counts
	topics map[string]map[int32]bool
}

func (l *look) all(ctx context.Context, only []string) error {
	meta := kmsg.NewPtrMetadataRequest()
	meta.Topics = []kmsg.MetadataRequestTopic{} // the brokers only; nil would be all topics
	resp, err := meta.RequestWith(ctx, l.control)
	if err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	for _, b := range resp.Brokers {
		groups := only
		if len(groups) == 0 {
			if groups, err = l.list(ctx, b.NodeID); err != nil {
				return fmt.Errorf("list groups on broker %d: %w", b.NodeID, err)
			}
		}
		if err := l.ask(ctx, b.NodeID, groups); err != nil {
			return err
		}
	}
	return l.logEnds(ctx, resp)
}

func (l *look) list(ctx context.Context, broker int32) ([]string, error) {
	req := kmsg.NewPtrListGroupsRequest()
	req.TypesFilter = []string{"share"}
	resp, err := l.control.Broker(int(broker)).Request(ctx, req)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, g := range resp.(*kmsg.ListGroupsResponse).Groups {
		ids = append(ids, g.Group)
	}
	return ids, nil
}

// ask describes in chunks on one connection, and asks offsets one group a
// request on another, both at once as sharetop does.
func (l *look) ask(ctx context.Context, broker int32, groups []string) error {
	errs := make(chan error, inFlight+1)
	next := make(chan string)
	for range inFlight {
		go func() { errs <- l.askOffsets(ctx, broker, next) }()
	}
	go func() { errs <- l.describe(ctx, broker, groups) }()
	for _, g := range groups {
		next <- g
	}
	close(next)
	for range inFlight + 1 {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

func (l *look) describe(ctx context.Context, broker int32, groups []string) error {
	for len(groups) > 0 {
		n := min(len(groups), describeChunk)
		req := kmsg.NewPtrShareGroupDescribeRequest()
		req.GroupIDs = groups[:n]
		groups = groups[n:]
		resp, err := l.control.Broker(int(broker)).Request(ctx, req)
		if err != nil {
			return fmt.Errorf("describe: %w", err)
		}
		l.mu.Lock()
		for _, g := range resp.(*kmsg.ShareGroupDescribeResponse).Groups {
			l.counts.Groups++
			l.counts.Members += len(g.Members)
		}
		l.mu.Unlock()
	}
	return nil
}

func (l *look) askOffsets(ctx context.Context, broker int32, next <-chan string) error {
	var failed error
	for id := range next {
		if failed != nil {
			continue
		}
		req := kmsg.NewPtrDescribeShareGroupOffsetsRequest()
		g := kmsg.NewDescribeShareGroupOffsetsRequestGroup()
		g.GroupID = id
		g.Topics = nil
		req.Groups = append(req.Groups, g)
		resp, err := l.offsets.Broker(int(broker)).Request(ctx, req)
		if err != nil {
			failed = fmt.Errorf("offsets of %q: %w", id, err)
			continue
		}
		l.count(resp.(*kmsg.DescribeShareGroupOffsetsResponse))
	}
	return failed
}

func (l *look) count(resp *kmsg.DescribeShareGroupOffsetsResponse) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range resp.Groups {
		for _, t := range g.Topics {
			seen := l.topics[t.Topic]
			if seen == nil {
				seen = map[int32]bool{}
				l.topics[t.Topic] = seen
			}
			for _, p := range t.Partitions {
				l.counts.Partitions++
				seen[p.Partition] = true
				if p.StartOffset >= 0 {
					l.counts.Lag += p.Lag
				}
			}
		}
	}
}

// logEnds asks the latest and the earliest offset of every partition seen, one
// request of each kind per leader.
func (l *look) logEnds(ctx context.Context, brokers *kmsg.MetadataResponse) error {
	meta := kmsg.NewPtrMetadataRequest()
	for name := range l.topics {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(name)
		meta.Topics = append(meta.Topics, t)
	}
	if len(meta.Topics) == 0 {
		return nil
	}
	resp, err := meta.RequestWith(ctx, l.control)
	if err != nil {
		return fmt.Errorf("metadata of topics: %w", err)
	}
	for _, b := range brokers.Brokers {
		for _, at := range []int64{-1, -2} {
			if err := l.listOffsets(ctx, b.NodeID, at, resp); err != nil {
				return fmt.Errorf("list offsets on broker %d: %w", b.NodeID, err)
			}
		}
	}
	return nil
}

func (l *look) listOffsets(ctx context.Context, leader int32, at int64, meta *kmsg.MetadataResponse) error {
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID = -1
	for _, t := range meta.Topics {
		rt := kmsg.NewListOffsetsRequestTopic()
		rt.Topic = *t.Topic
		for _, p := range t.Partitions {
			if p.Leader == leader {
				rp := kmsg.NewListOffsetsRequestTopicPartition()
				rp.Partition, rp.Timestamp = p.Partition, at
				rt.Partitions = append(rt.Partitions, rp)
			}
		}
		if len(rt.Partitions) > 0 {
			req.Topics = append(req.Topics, rt)
		}
	}
	resp, err := l.control.Broker(int(leader)).Request(ctx, req)
	if err != nil {
		return err
	}
	for _, t := range resp.(*kmsg.ListOffsetsResponse).Topics {
		l.counts.LogEnds += len(t.Partitions)
	}
	return nil
}
