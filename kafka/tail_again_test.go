package kafka

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/kafka/statetopic"
	"sharetop/model"
)

// Records that were pruned before we read them: what their partition said is
// dropped and loaded again.
func TestPrunedWhileAwayIsLoadedAgain(t *testing.T) {
	t.Parallel()
	c, k := withState(t, "billing", "gone")
	w := watch(t, c)
	w.live()
	w.rest()

	share := k.key("billing", "orders", 0)
	k.settle("billing", "orders", accepted(2, 5))
	key, value := k.journal.Repeat(share, time.Now().UnixMilli())
	k.write(share, key, value)
	partition := statetopic.PartitionFor(share, k.parts)
	k.prune(partition)
	s := w.until("the state after it", func(s *model.Snapshot) bool { return isLive(s) && first(s, "billing").Lag == model.Known(4) })
	if s.State == nil || s.State.Missed.IsZero() {
		t.Errorf("the gap is not told: %+v", s.State)
	}
}

// prune deletes all but the last record of a partition of the state topic.
func (k *coordinator) prune(partition int32) {
	k.t.Helper()
	adm := kadm.NewClient(k.cl)
	ends, err := adm.ListEndOffsets(k.t.Context(), stateTopic)
	if err != nil {
		k.t.Fatal(err)
	}
	end, _ := ends.Lookup(stateTopic, partition)
	var to kadm.Offsets
	to.AddOffset(stateTopic, partition, end.Offset-1, -1)
	if _, err := adm.DeleteRecords(k.t.Context(), to); err != nil {
		k.t.Fatal(err)
	}
}

// rest waits until the tail has noticed that nobody watches.
func (w *watched) rest() {
	w.t.Helper()
	deadline := time.Now().Add(patienceOfTests)
	for w.client.demand.active(time.Now()) || w.client.tail.isReading() {
		if time.Now().After(deadline) {
			w.t.Fatal("the tail does not rest")
		}
		select {
		case <-w.t.Context().Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func TestOffsetOutOfRangeLoadsAgain(t *testing.T) {
	t.Parallel()
	c, k := withState(t, "billing")
	w := watch(t, c)
	before := w.live()
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: stateTopic, Err: kerr.OffsetOutOfRange, Count: 1})
	k.settle("billing", "orders", accepted(2, 5))
	s := w.until("the new state", func(s *model.Snapshot) bool { return isLive(s) && first(s, "billing").Lag == model.Known(4) })
	if before.State.Since != s.State.Since {
		t.Error("watching began anew, though only part of it was lost")
	}
}

func TestStateTopicMadeAgain(t *testing.T) {
	t.Parallel()
	c, k := withState(t, "billing", "shipping")
	w := watch(t, c)
	w.scope.Interval = model.MinInterval
	w.live()
	if _, err := kadm.NewClient(k.cl).DeleteTopics(t.Context(), stateTopic); err != nil {
		t.Fatal(err)
	}
	k.cl.Close()
	k.cl = plainClient(t, c, kgo.RecordPartitioner(kgo.ManualPartitioner()))
	k.parts = statePartitions + 3
	k.create()
	k.begin("billing", "orders", 6)
	s := w.until("the new one", func(s *model.Snapshot) bool {
		return isLive(s) && s.Offsets.Tail.Of == int(k.parts) && first(s, "billing").Start == model.Known(6)
	})
	if n := len(s.Group(id("shipping")).Partitions); n != 0 {
		t.Errorf("shipping has %d partitions from the old one", n)
	}
}

// State of a topic that was deleted is not shown for the one made again.
func TestTopicMadeAgain(t *testing.T) {
	t.Parallel()
	c, _ := withState(t, "billing")
	w := watch(t, c)
	w.scope.Interval = model.MinInterval
	w.live()
	adm := kadm.NewClient(plainClient(t, c))
	if _, err := adm.DeleteTopics(t.Context(), "orders"); err != nil {
		t.Fatal(err)
	}
	if _, err := adm.CreateTopic(t.Context(), 3, 1, nil, "orders"); err != nil {
		t.Fatal(err)
	}
	w.until("no state of the old one", func(s *model.Snapshot) bool {
		g := s.Group(id("billing"))
		return g == nil || (g.OffsetsFrom == model.FromStateTopic && len(g.Partitions) == 0)
	})
}

// Nobody watches, nothing is fetched; and on it goes when somebody does.
func TestTailRestsWhileNobodyWatches(t *testing.T) {
	t.Parallel()
	c, k := withState(t, "billing")
	wire := newWitness()
	w := open(t, model.Connection{Bootstrap: c.ListenAddrs()}, Options{Dial: wire.dial})
	w.live()
	w.rest()
	asked := wire.count(kmsg.Fetch)
	k.settle("billing", "orders", accepted(2, 5))
	if n := wire.count(kmsg.Fetch); n > asked {
		t.Errorf("%d fetches while nobody watched", n-asked)
	}
	w.until("what was missed", func(s *model.Snapshot) bool { return first(s, "billing").Lag == model.Known(4) })
}
