package kafka

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// runLogs asks one broker for the log offsets of the partitions that it leads
// and that a group reads which was answered since: each at most once a tick, but
// once more when the first sweep ends, since a printout is made of that.
func (c *Client) runLogs(ctx context.Context, nd *node) error {
	age := interval(c.demand.scope()) * 4 / 5
	if c.sweeper.closing() {
		age = 0
	}
	if c.source.Kind() == model.FromStateTopic {
		c.state.wantEveryLog()
	}
	ends, starts := c.state.dueLogs(nd.id, age)
	// Both go out at once: one after the other they are a round trip more before
	// the first rows are complete.
	begun := make(chan error, 1)
	c.wg.Go(func() { begun <- c.askLogs(ctx, nd, starts, earliest) })
	err := c.askEnds(ctx, nd, ends, age)
	select {
	case other := <-begun:
		return errors.Join(err, other)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// askEnds asks for the ends of logs, and for the last stable offsets where they
// count.
func (c *Client) askEnds(ctx context.Context, nd *node, ends []logQuestion, age time.Duration) error {
	if err := c.askLogs(ctx, nd, ends, latest); err != nil {
		return err
	}
	if len(ends) > 0 {
		c.state.relag()
	}
	return c.askStable(ctx, nd, age)
}

// The special timestamps of ListOffsets.
const (
	latest   int64 = -1
	earliest int64 = -2
)

// logsChunk is the most partitions in one ListOffsets request.
const logsChunk = 5000

func (c *Client) askLogs(ctx context.Context, nd *node, questions []logQuestion, which int64) error {
	for chunk := range slices.Chunk(questions, logsChunk) {
		at := c.opts.Now()
		resp, err := ask[*kmsg.ListOffsetsResponse](ctx, nd.link, roleControl, listOffsets(chunk, which))
		if err != nil {
			return err
		}
		if c.state.mergeLogs(resp, which == earliest, at) {
			c.releaders()
		}
	}
	return nil
}

// listOffsets asks once for each partition; questions of one topic stand
// together.
func listOffsets(questions []logQuestion, which int64) *kmsg.ListOffsetsRequest {
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID = -1
	for _, q := range questions {
		if n := len(req.Topics); n == 0 || req.Topics[n-1].Topic != q.topic {
			t := kmsg.NewListOffsetsRequestTopic()
			t.Topic = q.topic
			req.Topics = append(req.Topics, t)
		}
		p := kmsg.NewListOffsetsRequestTopicPartition()
		p.Partition, p.Timestamp = q.partition, which
		t := &req.Topics[len(req.Topics)-1]
		t.Partitions = append(t.Partitions, p)
	}
	return req
}
