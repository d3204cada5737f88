package kafka

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/kafka/statetopic"
	"sharetop/model"
)

// coordinator stands in for a share coordinator: it writes the state topic of a
// cluster that has none.
type coordinator struct {
	t       *testing.T
	c       *kfake.Cluster
	cl      *kgo.Client
	journal *statetopic.Journal
	parts   int32
	ids     map[string]model.TopicID
}

// statePartitions is how many partitions the state topic of tests has.
const statePartitions = 4

func coordinate(t *testing.T, c *kfake.Cluster) *coordinator {
	t.Helper()
	k := &coordinator{
		t: t, c: c, parts: statePartitions, journal: statetopic.NewJournal(statetopic.UpdatesPerSnapshot),
		cl:  plainClient(t, c, kgo.RecordPartitioner(kgo.ManualPartitioner())),
		ids: make(map[string]model.TopicID),
	}
	k.create()
	return k
}

func (k *coordinator) create() {
	k.t.Helper()
	if _, err := kadm.NewClient(k.cl).CreateTopic(k.t.Context(), k.parts, 1, nil, stateTopic); err != nil {
		k.t.Fatal(err)
	}
}

// id is the id that a topic has now.
func (k *coordinator) id(topic string) model.TopicID {
	k.t.Helper()
	topics, err := kadm.NewClient(k.cl).ListTopics(k.t.Context(), topic)
	if err != nil {
		k.t.Fatal(err)
	}
	return model.TopicID(topics[topic].ID)
}

func (k *coordinator) key(group, topic string, partition int32) statetopic.ShareKey {
	k.t.Helper()
	if _, ok := k.ids[topic]; !ok {
		k.ids[topic] = k.id(topic)
	}
	return statetopic.ShareKey{Group: group, TopicID: k.ids[topic], Partition: partition}
}

// write puts a record where it belongs.
func (k *coordinator) write(share statetopic.ShareKey, key, value []byte) {
	k.t.Helper()
	k.raw(statetopic.PartitionFor(share, k.parts), key, value)
}

func (k *coordinator) raw(partition int32, key, value []byte) {
	k.t.Helper()
	r := &kgo.Record{Topic: stateTopic, Partition: partition, Key: key, Value: value}
	if err := k.cl.ProduceSync(context.Background(), r).FirstErr(); err != nil {
		k.t.Fatal(err)
	}
}

// begin writes the state of a group on all three partitions of a topic.
func (k *coordinator) begin(group, topic string, start int64) {
	k.t.Helper()
	for p := range int32(3) {
		share := k.key(group, topic, p)
		key, value := k.journal.Initialize(share, start, time.Now().UnixMilli())
		k.write(share, key, value)
	}
}

// settle writes what became of records of partition 0.
func (k *coordinator) settle(group, topic string, batches ...statetopic.Batch) {
	k.t.Helper()
	share := k.key(group, topic, 0)
	key, value, err := k.journal.Settle(share, 0, batches, time.Now().UnixMilli())
	if err != nil {
		k.t.Fatal(err)
	}
	k.write(share, key, value)
}

// beginSettled writes the state of partition 0 and what became of its records at
// once, as one batch.
func (k *coordinator) beginSettled(group, topic string, start int64, batches ...statetopic.Batch) {
	k.t.Helper()
	share, now := k.key(group, topic, 0), time.Now().UnixMilli()
	at := statetopic.PartitionFor(share, k.parts)
	beginKey, begin := k.journal.Initialize(share, start, now)
	key, value, err := k.journal.Settle(share, 0, batches, now)
	if err == nil {
		err = k.cl.ProduceSync(context.Background(),
			&kgo.Record{Topic: stateTopic, Partition: at, Key: beginKey, Value: begin},
			&kgo.Record{Topic: stateTopic, Partition: at, Key: key, Value: value}).FirstErr()
	}
	if err != nil {
		k.t.Fatal(err)
	}
}

func accepted(first, last int64) statetopic.Batch {
	return statetopic.Batch{First: first, Last: last, State: statetopic.StateAcknowledged, Count: 1}
}

func released(offset int64, count int16) statetopic.Batch {
	return statetopic.Batch{First: offset, Last: offset, State: statetopic.StateAvailable, Count: count}
}

func finished(offset int64, count int16) statetopic.Batch {
	return statetopic.Batch{First: offset, Last: offset, State: statetopic.StateAcknowledged, Count: count}
}

func archived(offset int64, count int16) statetopic.Batch {
	return statetopic.Batch{First: offset, Last: offset, State: statetopic.StateArchived, Count: count}
}

// withState makes a cluster whose state topic has these groups on orders, with
// 10 records a partition and start offset 2.
func withState(t *testing.T, groups ...string) (*kfake.Cluster, *coordinator) {
	t.Helper()
	c := fakeCluster(t)
	produce(t, c, "orders", 10)
	place(t, c, "orders", 2, groups...)
	k := coordinate(t, c)
	for _, g := range groups {
		k.begin(g, "orders", 2)
	}
	return c, k
}

func isLive(s *model.Snapshot) bool {
	return s.Offsets.Source == model.FromStateTopic && s.Offsets.Tail.Phase == model.TailLive
}

// live waits until the state topic is in use and has every group.
func (w *watched) live() *model.Snapshot {
	w.t.Helper()
	return w.until("the state topic live", func(s *model.Snapshot) bool {
		if !isLive(s) || s.Listed.IsZero() || len(s.Groups) == 0 {
			return false
		}
		for _, g := range s.Groups {
			if g.OffsetsFrom != model.FromStateTopic || g.OffsetsAt.IsZero() {
				return false
			}
		}
		return true
	})
}

// first is the first share-partition of a group; the zero value where there is
// none.
func first(s *model.Snapshot, group string) model.SharePartition {
	if g := s.Group(id(group)); g != nil && len(g.Partitions) > 0 {
		return g.Partitions[0]
	}
	return model.SharePartition{}
}

// count is how many frames with a key have left.
func (w *witness) count(key kmsg.Key) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent[key.Int16()]
}
