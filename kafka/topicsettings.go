package kafka

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// The topic configs that say when retention deletes a record.
const (
	keyRetention = "retention.ms"
	keyCleanup   = "cleanup.policy"
)

// retentionEvery is how often the retention of a topic on screen is asked for.
const retentionEvery = 5 * time.Minute

// runRetention asks for the retention of the topics that groups on screen read.
// Where that is not allowed it stays unknown; nothing else depends on it.
func (c *Client) runRetention(ctx context.Context) error {
	nd, ok := c.nodes.anyNode()
	if !ok {
		return nil
	}
	due := c.state.retentionDue(wanted(c.demand.scope()))
	for chunk := range slices.Chunk(due, settingsChunk) {
		resources := make([]kmsg.DescribeConfigsRequestResource, 0, len(chunk))
		for _, topic := range chunk {
			resources = append(resources, resource(kmsg.ConfigResourceTypeTopic, topic, []string{keyRetention, keyCleanup}))
		}
		resp, err := describeConfigs(ctx, nd.link, false, resources...)
		if err != nil {
			return notSupportedIsFine(err)
		}
		c.state.mergeRetention(resp)
	}
	return nil
}

// retentionDue are the topics of these groups whose retention is to be asked
// for; they count as asked from now on.
func (s *state) retentionDue(ids []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	var due []string
	for _, name := range s.topicsOf(ids, func(*model.Group) bool { return true }) {
		if t := s.topics[name]; t.retentionAsked.IsZero() || now.Sub(t.retentionAsked) >= retentionEvery {
			t.retentionAsked = now
			due = append(due, name)
		}
	}
	return due
}

// topicsOf are the known topics that those of the groups read that are as
// wanted; s.mu is held.
func (s *state) topicsOf(ids []string, as func(*model.Group) bool) []string {
	read := make(map[string]struct{})
	for _, id := range ids {
		e := s.groups[id]
		if e == nil || !as(e.group) {
			continue
		}
		for i := range e.group.Partitions {
			if name := e.group.Partitions[i].Topic.Raw(); s.topics[name] != nil {
				read[name] = struct{}{}
			}
		}
	}
	names := make([]string, 0, len(read))
	for name := range read {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// mergeRetention takes in the configs of topics.
func (s *state) mergeRetention(resp *kmsg.DescribeConfigsResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range resp.Resources {
		r := &resp.Resources[i]
		e := s.topics[r.ResourceName]
		if e == nil {
			continue
		}
		next := *e.topic
		next.Retention = model.Number{}
		if r.ErrorCode == 0 {
			next.Retention = retentionOf(r.Configs)
		}
		s.replaceTopic(e, &next)
	}
}

// retentionOf reads retention.ms; -1 where retention deletes nothing by time.
func retentionOf(configs []kmsg.DescribeConfigsResponseResourceConfig) model.Number {
	var retention model.Number
	for i := range configs {
		value := deref(configs[i].Value)
		switch configs[i].Name {
		case keyRetention:
			retention = number(value)
		case keyCleanup:
			if value != "" && !strings.Contains(value, "delete") {
				return model.Known(-1)
			}
		}
	}
	return retention
}

// dueStable are the partitions led by a broker whose last stable offset is to be
// asked: those that a read_committed group on screen reads.
func (s *state) dueStable(leader int32, ids []string, age time.Duration) []logQuestion {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	var due []logQuestion
	for _, name := range s.topicsOf(ids, func(g *model.Group) bool { return g.Effective().IsolationLevel == readCommitted }) {
		logs := s.topics[name].topic.Partitions
		for i := range logs {
			if logs[i].Asked && logs[i].Leader == leader && now.Sub(logs[i].StableAt) >= age {
				due = append(due, logQuestion{name, int32(i)}) //nolint:gosec // bounded by maxPartitions
			}
		}
	}
	return due
}

// askStable asks a broker for last stable offsets.
func (c *Client) askStable(ctx context.Context, nd *node, age time.Duration) error {
	due := c.state.dueStable(nd.id, wanted(c.demand.scope()), age)
	for chunk := range slices.Chunk(due, logsChunk) {
		at := c.opts.Now()
		req := listOffsets(chunk, latest)
		req.IsolationLevel = 1
		resp, err := ask[*kmsg.ListOffsetsResponse](ctx, nd.link, roleControl, req)
		if err != nil {
			return err
		}
		c.state.mergeStable(resp, at)
	}
	return nil
}

// mergeStable takes in last stable offsets.
func (s *state) mergeStable(r *kmsg.ListOffsetsResponse, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range r.Topics {
		e := s.topics[r.Topics[i].Topic]
		if e == nil {
			continue
		}
		next := *e.topic
		next.Partitions = slices.Clone(next.Partitions)
		for _, p := range r.Topics[i].Partitions {
			if p.ErrorCode == 0 && p.Partition >= 0 && int(p.Partition) < len(next.Partitions) {
				log := &next.Partitions[p.Partition]
				log.Stable, log.StableAt = model.Known(p.Offset), at
			}
		}
		s.replaceTopic(e, &next)
	}
}
