package kafka

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// produceAt writes records whose timestamps are a minute apart, each in a batch
// of its own, some of them larger than what is asked for at first.
func produceAt(t *testing.T, c *kfake.Cluster, topic string, from time.Time, n int) {
	t.Helper()
	cl := plainClient(t, c, kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(kgo.NoCompression()))
	for i := range n {
		r := &kgo.Record{Topic: topic, Timestamp: from.Add(time.Duration(i) * time.Minute), Value: make([]byte, 1+i%3*(3*crossedSmall))}
		if err := cl.ProduceSync(context.Background(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCrossedReadsTheTimesAtBothEdges(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(2))
	from := time.UnixMilli(1_700_000_000_000)
	produceAt(t, c, "orders", from, 12)
	place(t, c, "orders", 8, "billing")
	ch := changes(t, c)
	for _, test := range []struct {
		to          int64
		first, last int
	}{{2, 2, 7}, {7, 7, 7}, {12, 8, 11}, {9, 8, 8}} {
		p := ch.plan("billing", toOffset(test.to))
		sent := count(c)
		got := ch.Crossed(t.Context(), p)
		want := model.Crossed{First: from.Add(time.Duration(test.first) * time.Minute), Last: from.Add(time.Duration(test.last) * time.Minute)}
		if len(got) != 1 || got[p.Rows[0].TopicPartition] != want {
			t.Errorf("to %d crosses %v, want %v", test.to, got, want)
		}
		if n := sent.of(kmsg.Fetch); n > 2*crossedFetches {
			t.Errorf("%d Fetch requests", n)
		}
		if n := sent.of(kmsg.ShareFetch) + sent.of(kmsg.ShareGroupHeartbeat) + sent.of(kmsg.AlterShareGroupOffsets); n != 0 {
			t.Errorf("reading times sent %d requests that touch a group", n)
		}
	}
}

func TestCrossedIsUnknownWhereNothingCanBeRead(t *testing.T) {
	t.Parallel()
	ch, p := planned(t, 1)
	sent := 0
	control(ch.cluster, kmsg.Fetch, func(r kmsg.Request) kmsg.Response {
		sent++
		return r.ResponseKind()
	})
	if got := ch.Crossed(t.Context(), p); len(got) != 0 {
		t.Errorf("read %v", got)
	}
	if sent == 0 || sent > crossedFetches {
		t.Errorf("%d Fetch requests to one leader", sent)
	}
	same := ch.plan("billing", model.ResetTarget{Kind: model.ToCurrent})
	if got := ch.Crossed(t.Context(), same); len(got) != 0 {
		t.Errorf("a plan that changes nothing crosses %v", got)
	}
}

// A plan of 1,000 partitions takes a number of requests that does not grow with
// them: one of each kind, and for each leader one ListOffsets for each kind of
// offset (brokers refuse a partition that is named twice in one).
func TestPlanOfAThousandPartitionsIsBoundedInRequests(t *testing.T) {
	t.Parallel()
	for _, brokers := range []int{1, 3} {
		c := fakeCluster(t, kfakeBrokers(brokers), kfake.SeedTopics(1000, "wide"))
		ch := changes(t, c)
		sent := count(c)
		p := ch.plan("billing", model.ResetTarget{Kind: model.ToTime, Time: time.Now()}, "wide")
		if len(p.Rows) != 1000 || p.Totals().Written != 1000 {
			t.Fatalf("%d rows, %d of them written", len(p.Rows), p.Totals().Written)
		}
		for key, want := range map[kmsg.Key]int{
			kmsg.ListOffsets: 3 * brokers, kmsg.ShareGroupDescribe: 1, kmsg.DescribeShareGroupOffsets: 1,
			kmsg.FindCoordinator: 1, kmsg.Fetch: 0, kmsg.AlterShareGroupOffsets: 0,
		} {
			if n := sent.of(key); n != want {
				t.Errorf("%d brokers: %d %s requests, want %d", brokers, n, key.Name(), want)
			}
		}
		// One that takes longer than hedgeAfter, as on a busy machine, makes the next
		// broker be asked too.
		if n := sent.of(kmsg.Metadata); n < 1 || n > brokers {
			t.Errorf("%d brokers: %d Metadata requests", brokers, n)
		}
		undone := *p
		undone.Rows = append([]model.PlanRow(nil), p.Rows...)
		for i := range undone.Rows {
			undone.Rows[i].Now = model.Known(undone.Rows[i].New.Or(0) + 1)
		}
		ch.Crossed(t.Context(), &undone)
		if n := sent.of(kmsg.Fetch); n > brokers*crossedFetches {
			t.Errorf("%d brokers: %d Fetch requests", brokers, n)
		}
	}
}

func TestLongestHoldIsKnownToAShorterLock(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1))
	produce(t, c, "orders", 4)
	place(t, c, "orders", 0, "billing")
	ch := changes(t, c)
	change := model.ConfigChange{Group: model.NewGroupID("billing"), Key: model.NewText(keyLockDuration), Value: model.NewText("15000")}
	facts, err := ch.LookConfig(t.Context(), change)
	if err != nil || facts.LongestAck.IsKnown() {
		t.Fatalf("before any session: %+v, %v", facts, err)
	}
	s := joinSession(t, ch.client, "billing", ch.book, "orders")
	records := take(t, s, 2)
	wantOutcome(t, decide(t, s, model.Accept, records...), len(records), model.OutcomeDone)
	if facts, err = ch.LookConfig(t.Context(), change); err != nil || facts.LongestAck.Or(0) < 1 {
		t.Errorf("after a session: %+v, %v", facts, err)
	}
}

// Where nothing watches the cluster, a change still knows its id, its bounds and
// what it can do.
func TestChangesKnowTheClusterWithoutAWatch(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1))
	place(t, c, "orders", 0, "billing")
	ch := changes(t, c)
	if f := ch.facts(t.Context()); f.id.Empty() || !f.version.IsKnown() || f.link == nil {
		t.Errorf("the cluster is %+v", f)
	}
	if _, err := ch.DeleteGroups(t.Context(), []model.GroupID{model.NewGroupID("billing")}); err != nil {
		t.Fatal(err)
	}
	for _, e := range ch.book.entries {
		if e.ClusterID.Empty() {
			t.Errorf("the audit file does not name the cluster: %+v", e)
		}
	}
	if len(ch.book.entries) == 0 {
		t.Error("nothing was written down")
	}
}
