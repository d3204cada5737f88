package kafka

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// Bounds of reading the times that a plan crosses.
const (
	// crossedBytes is the most that one Fetch may answer with.
	crossedBytes = 4 << 20
	// crossedFetches is the most Fetch requests to one leader: what is not
	// answered by then stays unknown.
	crossedFetches = 16
	// crossedSmall is what is asked for of each partition at first. One whose
	// batch is larger comes back empty, and is asked again for crossedGrowth times
	// as much.
	crossedSmall  = 4 << 10
	crossedGrowth = 16
	// crossedRecords bounds the records of a batch that are looked at.
	crossedRecords = 10_000
)

// Crossed reads when the records were written that each row of a plan passes
// over: the first and the last of them, with an ordinary Fetch, by which no group
// is touched. A row is left out where there is nothing to pass, or where it could
// not be read within the bounds.
func (ch *Changer) Crossed(ctx context.Context, p *model.Plan) map[model.TopicPartition]model.Crossed {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	edges := edgesOf(p)
	topics := make([]string, 0, len(edges))
	for i := range edges {
		topics = append(topics, edges[i].at.Topic.Raw())
	}
	slices.Sort(topics)
	m, err := ch.metadataFor(ctx, slices.Compact(topics))
	if err != nil {
		return nil
	}
	byLeader := make(map[string][]*edge)
	for i := range edges {
		e := &edges[i]
		log := m.logs[partitionName{e.at.Topic.Raw(), e.at.Partition}]
		e.topic = log.id
		if log.leader != "" {
			byLeader[log.leader] = append(byLeader[log.leader], e)
		}
	}
	var wg sync.WaitGroup
	for addr, mine := range byLeader {
		wg.Go(func() { readEdges(ctx, ch.client.nodes.linkAt(addr), mine) })
	}
	wg.Wait()
	return crossedOf(edges)
}

// edge is the first or the last record that a row passes over.
type edge struct {
	at    model.TopicPartition
	topic [16]byte
	// first and end are what the row passes over; last says which edge it is.
	first, end int64
	last       bool
	// size is what is asked for, in bytes.
	size int32
	time time.Time
}

// from is the offset that is fetched.
func (e *edge) from() int64 {
	if e.last {
		return e.end - 1
	}
	return e.first
}

func edgesOf(p *model.Plan) []edge {
	var edges []edge
	for i := range p.Rows {
		if first, end, ok := p.Crosses(&p.Rows[i]); ok {
			e := edge{at: p.Rows[i].TopicPartition, first: first, end: end, size: crossedSmall}
			last := e
			last.last = true
			edges = append(edges, e, last)
		}
	}
	return edges
}

func crossedOf(edges []edge) map[model.TopicPartition]model.Crossed {
	out := make(map[model.TopicPartition]model.Crossed)
	for i := range edges {
		e, c := &edges[i], out[edges[i].at]
		if e.last {
			c.Last = e.time
		} else {
			c.First = e.time
		}
		if !e.time.IsZero() {
			out[e.at] = c
		}
	}
	return out
}

// readEdges reads the edges of one leader's partitions.
func readEdges(ctx context.Context, l *link, edges []*edge) {
	unpack, err := l.decompressor()
	if err != nil {
		return
	}
	for n := 0; n < crossedFetches && len(edges) > 0; n++ {
		asked := nextEdges(edges)
		resp, err := ask[*kmsg.FetchResponse](ctx, l, roleControl, fetchEdges(asked))
		if err != nil || resp.ErrorCode != 0 {
			return
		}
		takeEdges(asked, resp, unpack)
		edges = slices.DeleteFunc(edges, func(e *edge) bool { return !e.time.IsZero() || e.size > crossedBytes })
	}
}

// nextEdges are as many edges as one answer has room for, the smallest first. A
// request names a partition once.
func nextEdges(edges []*edge) []*edge {
	slices.SortStableFunc(edges, func(a, b *edge) int { return cmp.Compare(a.size, b.size) })
	var out []*edge
	named := make(map[model.TopicPartition]struct{}, len(edges))
	room := int64(crossedBytes)
	for _, e := range edges {
		if _, twice := named[e.at]; twice {
			continue
		}
		if room -= int64(e.size); room < 0 {
			break
		}
		named[e.at] = struct{}{}
		out = append(out, e)
	}
	return out
}

func fetchEdges(edges []*edge) *kmsg.FetchRequest {
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes = 0, 0, crossedBytes
	at := make(map[model.TopicName]int)
	for _, e := range edges {
		i, ok := at[e.at.Topic]
		if !ok {
			i = len(req.Topics)
			at[e.at.Topic] = i
			t := kmsg.NewFetchRequestTopic()
			t.Topic, t.TopicID = e.at.Topic.Raw(), e.topic
			req.Topics = append(req.Topics, t)
		}
		part := kmsg.NewFetchRequestTopicPartition()
		part.Partition, part.FetchOffset, part.PartitionMaxBytes = e.at.Partition, e.from(), e.size
		req.Topics[i].Partitions = append(req.Topics[i].Partitions, part)
	}
	return req
}

// takeEdges reads the times out of an answer. Which edges it had nothing for are
// asked for more next time.
func takeEdges(asked []*edge, resp *kmsg.FetchResponse, unpack kgo.Decompressor) {
	byID, byName := make(map[partitionKey]*edge), make(map[partitionName]*edge)
	for _, e := range asked {
		byID[partitionKey{e.topic, e.at.Partition}] = e
		byName[partitionName{e.at.Topic.Raw(), e.at.Partition}] = e
		e.size *= crossedGrowth
	}
	for i := range resp.Topics {
		t := &resp.Topics[i]
		for j := range t.Partitions {
			e := byName[partitionName{t.Topic, t.Partitions[j].Partition}]
			if t.Topic == "" {
				e = byID[partitionKey{t.TopicID, t.Partitions[j].Partition}]
			}
			if e != nil && t.Partitions[j].ErrorCode == 0 {
				e.read(&t.Partitions[j], unpack)
			}
		}
	}
}

// read finds the edge's record in the batches that came: the first one that is
// passed, or the last; where compaction took that one, its neighbour.
func (e *edge) read(part *kmsg.FetchResponseTopicPartition, unpack kgo.Decompressor) {
	s := &batchScan{topic: e.at.Topic, partition: e.at.Partition, at: e.from(), below: e.end, max: 1, room: crossedBytes}
	_ = s.read(part, unpack) // what can't be read has no time
	if len(s.records) == 0 && e.last {
		s = &batchScan{topic: e.at.Topic, partition: e.at.Partition, at: e.first, below: e.end, max: crossedRecords, room: crossedBytes}
		_ = s.read(part, unpack)
	}
	if n := len(s.records); n > 0 && s.records[n-1].Millis >= 0 {
		e.time = time.UnixMilli(s.records[n-1].Millis)
	}
}
