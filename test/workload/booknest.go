package workload

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

// The BookNest run: Orders packing jobs {"order_id":N} on three partitions,
// settled by share consumers. Every 500th order is rejected, every 7th is
// released at its first delivery, all else is accepted.
const (
	PackingTopic      = "booknest.packing-jobs"
	PackersGroup      = "booknest-packers"
	PackingPartitions = 3
	Orders            = 2000
	Rejected          = Orders / 500
	Accepted          = Orders - Rejected
	Released          = Orders / 7
)

// order is one packing job.
type order struct {
	ID int `json:"order_id"`
}

// ProduceOrders produces all orders, in turn to the three partitions: order 1
// to partition 0.
func (c *Client) ProduceOrders(ctx context.Context, topic string) error {
	records := make([]*kgo.Record, Orders)
	for i := range records {
		records[i] = &kgo.Record{Topic: topic, Partition: int32(i % PackingPartitions), Value: fmt.Appendf(nil, `{"order_id":%d}`, i+1)} //nolint:gosec // 0 to 2
	}
	if err := c.kgo.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return fmt.Errorf("the orders can't be produced to %s: %w", topic, err)
	}
	return nil
}

// Tally counts what packers have done.
type Tally struct {
	Accepted, Released, Rejected int
	// Twice counts orders that were settled more than once.
	Twice int
	// MaxDelivery is the highest delivery count that was seen.
	MaxDelivery int32
}

// Packers are share consumers that work through orders until they are closed.
type Packers struct {
	clients []*kgo.Client
	cancel  context.CancelFunc
	running sync.WaitGroup
	drained chan struct{}

	mu      sync.Mutex
	tally   Tally
	settled map[int]bool
	// unanswered counts orders whose acknowledgement was not answered yet.
	unanswered int
	err        error
}

// StartPackers starts n share consumers of a group. They read on when all
// orders are settled, so that the group stays Stable until Close.
func (c *Client) StartPackers(ctx context.Context, topic, group string, n int) (*Packers, error) {
	ctx, cancel := context.WithCancel(ctx)
	p := &Packers{cancel: cancel, drained: make(chan struct{}), settled: make(map[int]bool)}
	for i := range n {
		cl, err := kgo.NewClient(
			kgo.SeedBrokers(c.bootstrap...),
			kgo.ConsumeTopics(topic),
			kgo.ShareGroup(group),
			kgo.ClientID(fmt.Sprintf("packer-%d", i+1)),
			kgo.ShareAckCallback(p.acknowledged),
			kgo.DisableClientMetrics(),
		)
		if err != nil {
			p.Close()
			return nil, fmt.Errorf("packer %d can't be made: %w", i+1, err)
		}
		p.clients = append(p.clients, cl)
		p.running.Go(func() { p.work(ctx, cl) })
	}
	return p, nil
}

// acknowledged notes acknowledgements that the broker refused.
func (p *Packers) acknowledged(_ *kgo.Client, results kgo.ShareAckResults) {
	p.fail(results.Error())
}

func (p *Packers) work(ctx context.Context, cl *kgo.Client) {
	for ctx.Err() == nil {
		fetches := cl.PollRecords(ctx, -1)
		fetches.EachError(func(_ string, _ int32, err error) {
			if !errors.Is(err, context.Canceled) {
				p.fail(err)
			}
		})
		fetches.EachRecord(p.settle)
		if err := cl.FlushAcks(ctx); err != nil && ctx.Err() == nil {
			p.fail(err)
		}
		p.answered(fetches.NumRecords())
	}
}

// settle acknowledges one order by the rules above.
func (p *Packers) settle(r *kgo.Record) {
	var o order
	err := json.Unmarshal(r.Value, &o)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unanswered++
	if err != nil {
		p.err = errors.Join(p.err, fmt.Errorf("%s-%d@%d is not an order: %w", r.Topic, r.Partition, r.Offset, err))
		return
	}
	delivery := r.DeliveryCount()
	p.tally.MaxDelivery = max(p.tally.MaxDelivery, delivery)
	if o.ID%500 != 0 && o.ID%7 == 0 && delivery == 1 {
		p.tally.Released++
		r.Ack(kgo.AckRelease)
		return
	}
	if p.settled[o.ID] {
		p.tally.Twice++
	}
	p.settled[o.ID] = true
	if o.ID%500 == 0 {
		p.tally.Rejected++
		r.Ack(kgo.AckReject)
		return
	}
	p.tally.Accepted++
	r.Ack(kgo.AckAccept)
}

func (p *Packers) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = errors.Join(p.err, err)
}

// answered is called when a packer's acknowledgements of n orders have been
// answered.
func (p *Packers) answered(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unanswered -= n
	if len(p.settled) < Orders || p.unanswered > 0 {
		return
	}
	select {
	case <-p.drained:
	default:
		close(p.drained)
	}
}

// Wait returns when every order is settled, or the context ends.
func (p *Packers) Wait(ctx context.Context) (Tally, error) {
	select {
	case <-p.drained:
	case <-ctx.Done():
		p.fail(fmt.Errorf("the orders are not all settled: %w", context.Cause(ctx)))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tally, p.err
}

// Close lets all packers leave the group.
func (p *Packers) Close() {
	p.cancel()
	p.running.Wait()
	for _, cl := range p.clients {
		cl.Close()
	}
}
