package workload

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Produce adds n records of a few bytes to one partition.
func (c *Client) Produce(ctx context.Context, topic string, partition int32, n int) error {
	if err := c.kgo.ProduceSync(ctx, numbered(topic, partition, n)...).FirstErr(); err != nil {
		return fmt.Errorf("producing to %s-%d failed: %w", topic, partition, err)
	}
	return nil
}

func numbered(topic string, partition int32, n int) []*kgo.Record {
	records := make([]*kgo.Record, n)
	for i := range records {
		records[i] = &kgo.Record{Topic: topic, Partition: partition, Value: fmt.Appendf(nil, `{"n":%d}`, i)}
	}
	return records
}
