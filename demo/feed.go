package demo

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// maxFed bounds the records that one topic is given after the start, since
// kfake keeps them all in memory: about 40 MB at this number. At the busiest
// topic's rate it is reached after three hours and a half; nothing more comes
// in then.
const maxFed = 500_000

// seed creates topics, records, group configs and start offsets.
func (c *Cluster) seed() error {
	ctx, cancel := context.WithTimeout(c.work, seedTimeout)
	defer cancel()
	client, err := c.client("demo-seed")
	if err != nil {
		return err
	}
	defer client.Close()
	all := append(scenes(), packers())
	for _, s := range all {
		if err := c.fake.CreateTopic(s.topic, int32(len(s.seeded)), nil); err != nil {
			return fmt.Errorf("topic %s: %w", s.topic, err)
		}
		c.fake.SetGroupConfigs(s.group, s.configs)
	}
	if err := client.ProduceSync(ctx, seededRecords(all)...).FirstErr(); err != nil {
		return err
	}
	admin := kadm.NewClient(client)
	for _, s := range all {
		if err := placeGroup(ctx, admin, s); err != nil {
			return fmt.Errorf("start offsets of %q: %w", s.group, err)
		}
	}
	return nil
}

func seededRecords(all []scene) []*kgo.Record {
	var records []*kgo.Record
	for _, s := range all {
		if s.record == nil {
			continue
		}
		n := 0
		for partition, count := range s.seeded {
			for range count {
				n++
				records = append(records, s.make(n, int32(partition)))
			}
		}
	}
	for n := 1; n <= Orders; n++ {
		records = append(records, order(n))
	}
	return records
}

func (s scene) make(n int, partition int32) *kgo.Record {
	key, value := s.record(n)
	return &kgo.Record{Topic: s.topic, Partition: partition, Key: key, Value: value}
}

// placeGroup writes the group's start offsets, which also creates it.
func placeGroup(ctx context.Context, admin *kadm.Client, s scene) error {
	if s.start == nil {
		return nil
	}
	offsets := kadm.Offsets{}
	for partition, at := range s.start {
		offsets.AddOffset(s.topic, int32(partition), at, -1)
	}
	answers, err := admin.AlterShareGroupOffsets(ctx, s.group, offsets)
	if err != nil {
		return err
	}
	return answers.Error()
}

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
