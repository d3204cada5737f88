package demo

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// seed creates topics, records, group configs, start offsets and the state
// topic that says so too.
func (c *Cluster) seed() error {
	ctx, cancel := context.WithTimeout(c.work, seedTimeout)
	defer cancel()
	const seeder = "demo-seed"
	c.tap.spare(seeder) // begin writes where groups start
	client, err := c.client(seeder)
	if err != nil {
		return err
	}
	defer client.Close()
	all := append(scenes(), packers())
	for _, s := range all {
		if err := c.fake.CreateTopic(s.topic, int32(len(s.seeded)), nil); err != nil {
			return fmt.Errorf("topic %s: %w", s.topic, err)
		}
		if err := c.spread(s.topic, len(s.seeded)); err != nil {
			return fmt.Errorf("leaders of topic %s: %w", s.topic, err)
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
	if err := c.begin(ctx, client, all); err != nil {
		return fmt.Errorf("topic %s: %w", stateTopic, err)
	}
	return nil
}

// spread gives neighbouring partitions leaders of their own, as Kafka does: of two
// that a member has on the same broker kfake serves only the first while that has
// records.
func (c *Cluster) spread(topic string, partitions int) error {
	for p := range int32(partitions) { //nolint:gosec // a few partitions
		if err := c.fake.MoveTopicPartition(topic, p, p%brokers); err != nil {
			return err
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

// starts are the group's start offsets, by partition.
func (s scene) starts() []int64 {
	if s.start == nil {
		return make([]int64, len(s.seeded))
	}
	return s.start
}

func (s scene) make(n int, partition int32) *kgo.Record {
	key, value := s.record(n)
	return &kgo.Record{Topic: s.topic, Partition: partition, Key: key, Value: value}
}

// placeGroup writes the group's start offsets, which also creates it.
func placeGroup(ctx context.Context, admin *kadm.Client, s scene) error {
	offsets := kadm.Offsets{}
	for partition, at := range s.starts() {
		offsets.AddOffset(s.topic, int32(partition), at, -1)
	}
	answers, err := admin.AlterShareGroupOffsets(ctx, s.group, offsets)
	if err != nil {
		return err
	}
	return answers.Error()
}
