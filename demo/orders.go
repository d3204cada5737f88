package demo

import (
	"fmt"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

// The BookNest packers: 2,000 orders on three partitions, read by four share
// consumers. Every 500th order can't be packed and is rejected; every 7th is
// short of stock the first time and is released, once; all others are
// accepted. These totals hold whoever gets which order.
const (
	// PackersGroup and PackersTopic name the group and its topic.
	PackersGroup = "booknest-packers"
	PackersTopic = "booknest.packing-jobs"
	// Orders is the number of seeded orders, numbered from 1.
	Orders = 2000
	// Accepted, Rejected and Released are what has happened to the seeded
	// orders when all are settled. A released order is accepted later.
	Accepted = Orders - Rejected
	Rejected = Orders / 500
	Released = Orders / 7

	packersPartitions = 3
)

// Tally counts acknowledgements of the seeded orders that a broker has
// answered. Failed are those answered with an error; they count nowhere else.
type Tally struct {
	Accepted, Rejected, Released, Failed int
}

// order is the record of order n, on the partition that it always has.
func order(n int) *kgo.Record {
	return &kgo.Record{
		Topic:     PackersTopic,
		Partition: int32(n % packersPartitions),
		Key:       fmt.Appendf(nil, "order-%d", n),
		Value:     fmt.Appendf(nil, `{"order_id":%d}`, n),
	}
}

// orderNumber is the number in an order's value; 0 when there is none.
func orderNumber(r *kgo.Record) int {
	var n int
	if _, err := fmt.Sscanf(string(r.Value), `{"order_id":%d}`, &n); err != nil {
		return 0
	}
	return n
}

// packOrder is what a packer does with an order.
func packOrder(r *kgo.Record) kgo.AckStatus {
	n := orderNumber(r)
	switch {
	case n%500 == 0:
		return kgo.AckReject
	case n%7 == 0 && r.DeliveryCount() == 1:
		return kgo.AckRelease
	default:
		return kgo.AckAccept
	}
}

// packing keeps the tally of all packers together.
type packing struct {
	mu      sync.Mutex
	sum     Tally
	drained chan struct{}
}

func newPacking() *packing { return &packing{drained: make(chan struct{})} }

// settled adds one batch that the brokers have answered.
func (p *packing) settled(batch []acknowledged) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.sum.Accepted + p.sum.Rejected
	for _, a := range batch {
		if orderNumber(a.record) <= Orders {
			p.sum.count(a)
		}
	}
	if before < Orders && p.sum.Accepted+p.sum.Rejected >= Orders {
		close(p.drained)
	}
}

func (t *Tally) count(a acknowledged) {
	switch {
	case a.failed:
		t.Failed++
	case a.status == kgo.AckReject:
		t.Rejected++
	case a.status == kgo.AckRelease:
		t.Released++
	case a.status == kgo.AckAccept:
		t.Accepted++
	}
}

func (p *packing) tally() Tally {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sum
}
