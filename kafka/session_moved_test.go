package kafka

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// takesFrom tells that a session takes what comes into a partition. Records come
// until one is taken: with share.auto.offset.reset=latest those do not count that
// came before the first fetch. What is left of another partition is settled.
func takesFrom(t *testing.T, s *Session, c *kfake.Cluster, topic string, partition int32) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patienceOfTests)
	defer cancel()
	taken := make(chan bool, 1)
	go func() { taken <- takesUntil(ctx, s, partition) }()
	cl := plainClient(t, c, kgo.RecordPartitioner(kgo.ManualPartitioner()))
	for {
		r := &kgo.Record{Topic: topic, Partition: partition, Value: []byte("x")}
		if err := cl.ProduceSync(ctx, r).FirstErr(); err != nil {
			t.Fatalf("nothing was taken of %s-%d: %v", topic, partition, err)
		}
		select {
		case ok := <-taken:
			if !ok {
				t.Fatalf("nothing was taken of %s-%d", topic, partition)
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// takesUntil accepts what is taken, until something is from a partition.
func takesUntil(ctx context.Context, s *Session, partition int32) bool {
	for {
		records, err := s.Take(ctx, 10)
		if err != nil {
			return false
		}
		var acks []model.Acknowledgement
		for _, r := range records {
			acks = append(acks, model.Acknowledgement{ID: r.ID, Decision: model.Accept})
		}
		if _, err := s.Acknowledge(ctx, acks); err != nil {
			return false
		}
		if records[0].ID.Partition == partition {
			return true
		}
	}
}

// Partitions that come to a topic during a session are read too, though the
// leaders of all others are known.
func TestSessionReadsPartitionsThatAreAdded(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(2))
	s := joinSession(t, sessionClient(t, c, Options{}), "adding", &logbook{}, "orders")
	takesFrom(t, s, c, "orders", 0)
	if _, err := kadm.NewClient(plainClient(t, c)).UpdatePartitions(t.Context(), 5, "orders"); err != nil {
		t.Fatal(err)
	}
	takesFrom(t, s, c, "orders", 4)
}

// A partition whose leader moves is read from the new one, though the others
// stay where they are.
func TestSessionFollowsALeaderThatMoves(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(2))
	s := joinSession(t, sessionClient(t, c, Options{}), "moving", &logbook{}, "orders")
	takesFrom(t, s, c, "orders", 0)
	was := c.LeaderFor("orders", 0)
	if err := c.MoveTopicPartition("orders", 0, 1-was); err != nil {
		t.Fatal(err)
	}
	takesFrom(t, s, c, "orders", 0)
}

// Brokers are asked one after the other, and share the time that one may hold a
// fetch back: a record waits as long for its turn however many there are.
func TestSessionSharesTheWaitAmongBrokers(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(3))
	for p := range int32(3) {
		if err := c.MoveTopicPartition("orders", p, p); err != nil {
			t.Fatal(err)
		}
	}
	waits := make(chan int32, 64)
	c.ControlKey(kmsg.ShareFetch.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		select {
		case waits <- r.(*kmsg.ShareFetchRequest).MaxWaitMillis:
		default:
		}
		return nil, nil, false
	})
	s := joinSession(t, sessionClient(t, c, Options{}), "sharing", &logbook{}, "orders")
	takesFrom(t, s, c, "orders", 0)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // there may be records left, and with one a take is over
		for ctx.Err() == nil {
			records, _ := s.Take(ctx, 10)
			for _, r := range records {
				_, _ = s.Acknowledge(ctx, []model.Acknowledgement{{ID: r.ID, Decision: model.Accept}})
			}
		}
	}()
	third := int32(maxFetchWait.Milliseconds() / 3)
	for n := 0; n < 3; { // each of the brokers once
		if w := <-waits; w > third {
			t.Fatalf("a broker may hold a fetch back for %d ms, want %d at most", w, third)
		} else if w > 0 {
			n++
		}
	}
}

// What one broker gave is not held back until the others have answered: its locks
// run down meanwhile.
func TestTakeEndsWithTheFirstBrokerThatGives(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(2))
	produce(t, c, "orders", 5)
	place(t, c, "orders", 0, "giving")
	s := joinSession(t, sessionClient(t, c, Options{}), "giving", &logbook{}, "orders")
	seen := 0
	for seen < 15 {
		records := take(t, s, 100)
		leader := c.LeaderFor("orders", records[0].ID.Partition)
		for _, r := range records {
			if got := c.LeaderFor("orders", r.ID.Partition); got != leader {
				t.Fatalf("one take has records of the brokers %d and %d", leader, got)
			}
		}
		decide(t, s, model.Accept, records...)
		seen += len(records)
	}
}
