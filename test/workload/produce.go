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

// ProduceTransaction adds n records to one partition in one transaction, then
// commits or aborts it. Either leaves one more offset: the marker.
func (c *Client) ProduceTransaction(ctx context.Context, topic string, partition int32, n int, commit kgo.TransactionEndTry) error {
	producer, err := kgo.NewClient(
		kgo.SeedBrokers(c.bootstrap...),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.TransactionalID(fmt.Sprintf("%s-%d", topic, partition)),
		kgo.DisableClientMetrics(),
	)
	if err != nil {
		return fmt.Errorf("no transactional producer: %w", err)
	}
	defer producer.Close()
	if err := producer.BeginTransaction(); err != nil {
		return fmt.Errorf("the transaction on %s can't begin: %w", topic, err)
	}
	if err := producer.ProduceSync(ctx, numbered(topic, partition, n)...).FirstErr(); err != nil {
		return fmt.Errorf("producing to %s-%d in a transaction failed: %w", topic, partition, err)
	}
	if err := producer.EndTransaction(ctx, commit); err != nil {
		return fmt.Errorf("the transaction on %s can't end: %w", topic, err)
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
