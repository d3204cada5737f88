package workload

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Transaction is an open transaction on one partition. Its records are in the
// log already; ending it adds one more offset, the marker, that is no record.
type Transaction struct {
	producer *kgo.Client
	topic    string
}

// BeginTransaction produces n records to one partition in a new transaction.
func (c *Client) BeginTransaction(ctx context.Context, topic string, partition int32, n int) (*Transaction, error) {
	producer, err := kgo.NewClient(
		kgo.SeedBrokers(c.bootstrap...),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.TransactionalID(fmt.Sprintf("%s-%d", topic, partition)),
		kgo.DisableClientMetrics(),
	)
	if err != nil {
		return nil, fmt.Errorf("no transactional producer: %w", err)
	}
	err = producer.BeginTransaction()
	if err == nil {
		err = producer.ProduceSync(ctx, numbered(topic, partition, n)...).FirstErr()
	}
	if err != nil {
		producer.Close()
		return nil, fmt.Errorf("producing to %s-%d in a transaction failed: %w", topic, partition, err)
	}
	return &Transaction{producer: producer, topic: topic}, nil
}

// Commit ends the transaction; its records stay.
func (t *Transaction) Commit(ctx context.Context) error { return t.end(ctx, kgo.TryCommit) }

// Abort ends the transaction; its records are not for read_committed readers.
func (t *Transaction) Abort(ctx context.Context) error { return t.end(ctx, kgo.TryAbort) }

func (t *Transaction) end(ctx context.Context, how kgo.TransactionEndTry) error {
	defer t.producer.Close()
	if err := t.producer.EndTransaction(ctx, how); err != nil {
		return fmt.Errorf("the transaction on %s can't end: %w", t.topic, err)
	}
	return nil
}
