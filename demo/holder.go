package demo

import (
	"context"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// renewEvery leaves room for two failed tries within one lock duration.
const renewEvery = lockDuration / 3

// holder is a share consumer that takes one record and keeps renewing its
// acquisition lock (KIP-1222), as a worker does that hangs on one job. When it
// loses the lock all the same, for example because the machine slept, it takes
// the next record and holds that.
type holder struct {
	worker
	// has is closed once the first record is held.
	has chan struct{}
}

// holdOne starts a holder.
func (c *Cluster) holdOne(w worker) (<-chan struct{}, error) {
	w.batch = 1
	failures := &refusals{}
	client, err := c.consumer(w, failures)
	if err != nil {
		return nil, err
	}
	h := holder{worker: w, has: make(chan struct{})}
	c.goWork(client, func() { h.run(c.work, client, failures) })
	return h.has, nil
}

func (h holder) run(work context.Context, client *kgo.Client, failures *refusals) {
	held := sync.OnceFunc(func() { close(h.has) })
	for work.Err() == nil {
		records := client.PollRecords(work, 1).Records()
		if len(records) == 0 {
			continue
		}
		held()
		hold(work, client, records[0], failures, renewEvery)
	}
}

// hold renews until a renewal is refused or work ends.
func hold(work context.Context, client *kgo.Client, r *kgo.Record, failures *refusals, every time.Duration) {
	for pause(work, every) {
		client.MarkAcks(kgo.AckRenew, r)
		if client.FlushAcks(work) != nil || failures.any() {
			failures.apply(nil)
			return
		}
	}
}
