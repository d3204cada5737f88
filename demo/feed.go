package demo

import (
	"context"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// maxFed bounds the records that one topic is given after the start, since
// kfake keeps them all in memory: about 40 MB at this number. At the busiest
// topic's rate it is reached after three hours and a half; nothing more comes
// in then.
const maxFed = 500_000

// feedAll lets records come in at every topic; the packers get theirs once
// the seeded orders are settled.
func (c *Cluster) feedAll() error {
	client, err := c.client("demo-feed")
	if err != nil {
		return err
	}
	c.goWork(client, func() {
		var feeds sync.WaitGroup
		for _, s := range scenes() {
			feeds.Go(func() { s.feed(c.work, client, s.next()) })
		}
		select {
		case <-c.Drained():
			packers().feed(c.work, client, laterOrders())
		case <-c.work.Done():
		}
		feeds.Wait()
	})
	return nil
}

// laterOrders makes the orders that follow the seeded ones.
func laterOrders() func() *kgo.Record {
	n := Orders
	return func() *kgo.Record {
		n++
		return order(n)
	}
}

// next makes the records that follow the seeded ones, on each partition in
// turn.
func (s scene) next() func() *kgo.Record {
	n := 0
	for _, count := range s.seeded {
		n += count
	}
	return func() *kgo.Record {
		n++
		return s.make(n, int32(n%len(s.seeded)))
	}
}

// feed produces count records every so often until work ends or maxFed is
// reached. A record that can't be produced is not made up for.
func (s scene) feed(work context.Context, client *kgo.Client, next func() *kgo.Record) {
	ticker := time.NewTicker(s.every)
	defer ticker.Stop()
	for fed := 0; fed < maxFed; fed += s.count {
		select {
		case <-ticker.C:
		case <-work.Done():
			return
		}
		records := make([]*kgo.Record, s.count)
		for i := range records {
			records[i] = next()
		}
		client.ProduceSync(work, records...)
	}
}
