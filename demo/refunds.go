package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// The refunds of payments-retry: every third one needs two to four deliveries,
// and of thirty one is never done and given up at the delivery count limit.
const (
	hardRefund     = 3
	hopelessRefund = 30
	// firstHopeless is among the seeded refunds, so that one is given up within
	// the first minute.
	firstHopeless = 126
)

// refund is what a refunder does with a record.
func refund(r *kgo.Record) kgo.AckStatus {
	n := refundNumber(r)
	if r.DeliveryCount() < deliveriesNeeded(n) {
		return kgo.AckRelease
	}
	return kgo.AckAccept
}

// deliveriesNeeded is with which delivery a refund works out; beyond the limit
// when it never does.
func deliveriesNeeded(n int) int32 {
	switch {
	case n%hopelessRefund == firstHopeless%hopelessRefund:
		return deliveryLimit + 1
	case n%hardRefund == 0:
		return int32(2 + n/hardRefund%3)
	default:
		return 1
	}
}

// refundNumber is the number in a refund's value; 0 when there is none.
func refundNumber(r *kgo.Record) int {
	var n int
	if _, err := fmt.Sscanf(string(r.Value), `{"refund":%d}`, &n); err != nil {
		return 0
	}
	return n
}

// retrier is a share consumer that settles the records of a batch in two goes:
// those that are new to it, and after a while those that did not work out
// before.
type retrier struct {
	worker
	// again is how long it waits before the second go. That batch, and the one
	// that the client has fetched ahead, must be done within one lock duration.
	again time.Duration
}

func (t retrier) run(work context.Context, client *kgo.Client, failures *refusals) {
	for work.Err() == nil {
		first, again := byDelivery(t.take(work, client))
		if !t.work(work, client, first, time.Duration(len(first))*t.each, failures) ||
			!t.work(work, client, again, t.again, failures) {
			return
		}
	}
}

// byDelivery divides records into those in their first delivery and the others.
func byDelivery(records []*kgo.Record) (first, again []*kgo.Record) {
	for _, r := range records {
		if r.DeliveryCount() > 1 {
			again = append(again, r)
		} else {
			first = append(first, r)
		}
	}
	return first, again
}
