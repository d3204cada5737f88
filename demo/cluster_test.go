package demo

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"
)

// The kinds of acknowledgement on the wire (KIP-932).
const (
	wireReject = 3
)

// The promised totals, by the packers' own count, by what the brokers were
// sent, and by the lag that they report.
func TestPackersKeepTheirPromise(t *testing.T) {
	noLeaks(t)
	c, err := open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	released, rejected := countAcknowledgements(c)
	if err := c.employ(Options{Fast: true}); err != nil {
		t.Fatal(err)
	}
	await(t, c.Drained())

	want := Tally{Accepted: 1996, Rejected: 4, Released: 285}
	if got := c.Packed(); got != want {
		t.Errorf("the packers counted %+v, want %+v", got, want)
	}
	if got := int(released.Load()); got != want.Released {
		t.Errorf("%d releases were sent, want %d", got, want.Released)
	}
	if got := int(rejected.Load()); got != want.Rejected {
		t.Errorf("%d rejections were sent, want %d", got, want.Rejected)
	}
	lag, records := groupLag(t, c, PackersGroup)
	if lag != 0 || records != Orders {
		t.Errorf("lag %d over %d records, want 0 over %d", lag, records, Orders)
	}
}

// What a person sees: all groups are there, with the states and start offsets
// that the scenes promise, and the record that payments-retry hangs on stays
// the head while later ones finish.
func TestScenes(t *testing.T) {
	noLeaks(t)
	c := start(t, Options{})
	t.Cleanup(c.Close)
	admin := adminOf(t, c)

	t.Run("members", func(t *testing.T) {
		for group, members := range map[string]int{
			PackersGroup: 4, sinkGroup: 2, retryGroup: 2, awkwardGroup: 1, auditGroup: 0, newGroup: 0,
		} {
			described, err := admin.DescribeShareGroups(t.Context(), group)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(described[group].Members); got != members {
				t.Errorf("%s has %d members right after the start, want %d", group, got, members)
			}
		}
	})
	t.Run("start offsets of the groups without members", func(t *testing.T) {
		for group, want := range map[string]int64{auditGroup: 400, newGroup: -1} {
			for _, p := range partitionsOf(t, admin, group) {
				if p.StartOffset != want {
					t.Errorf("%s: start offset %d of partition %d, want %d", group, p.StartOffset, p.Partition, want)
				}
			}
		}
	})
	t.Run("a head that does not move", func(t *testing.T) {
		eventually(t, "later refunds are finished", func() bool {
			p := partitionsOf(t, admin, retryGroup)[0]
			if p.StartOffset != 120 {
				t.Fatalf("the head moved to %d", p.StartOffset)
			}
			return p.Lag < 13
		})
	})
}

func TestCloseTwice(t *testing.T) {
	noLeaks(t)
	c := start(t, Options{})
	c.Close()
	c.Close()
}

// noLeaks looks for goroutines left running, after all other cleanups.
func noLeaks(t *testing.T) {
	t.Helper()
	t.Cleanup(func() { goleak.VerifyNone(t) })
}

func start(t *testing.T, opts Options) *Cluster {
	t.Helper()
	c, err := Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// countAcknowledgements looks at every acknowledgement that is sent to the
// brokers from now on.
func countAcknowledgements(c *Cluster) (released, rejected *atomic.Int64) {
	released, rejected = &atomic.Int64{}, &atomic.Int64{}
	count := func(first, last int64, types []int8) {
		for i := range last - first + 1 {
			switch types[min(int(i), len(types)-1)] {
			case wireRelease:
				released.Add(1)
			case wireReject:
				rejected.Add(1)
			}
		}
	}
	c.fake.Control(func(request kmsg.Request) (kmsg.Response, error, bool) {
		c.fake.KeepControl()
		switch r := request.(type) {
		case *kmsg.ShareFetchRequest:
			for _, topic := range r.Topics {
				for _, p := range topic.Partitions {
					for _, b := range p.AcknowledgementBatches {
						count(b.FirstOffset, b.LastOffset, b.AcknowledgeTypes)
					}
				}
			}
		case *kmsg.ShareAcknowledgeRequest:
			for _, topic := range r.Topics {
				for _, p := range topic.Partitions {
					for _, b := range p.AcknowledgementBatches {
						count(b.FirstOffset, b.LastOffset, b.AcknowledgeTypes)
					}
				}
			}
		}
		return nil, nil, false
	})
	return released, rejected
}

func adminOf(t *testing.T, c *Cluster) *kadm.Client {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Addrs()...), kgo.DisableClientMetrics())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return kadm.NewClient(client)
}

func partitionsOf(t *testing.T, admin *kadm.Client, group string) []kadm.ShareOffset {
	t.Helper()
	answers, err := admin.DescribeShareGroupOffsets(t.Context(), group)
	if err != nil {
		t.Fatal(err)
	}
	return answers[group].Offsets.Sorted()
}

// groupLag is the lag of a group and the number of records in its topics.
func groupLag(t *testing.T, c *Cluster, group string) (lag, records int64) {
	t.Helper()
	for _, p := range partitionsOf(t, adminOf(t, c), group) {
		lag += p.Lag
	}
	for _, p := range c.fake.PartitionInfos(PackersTopic) {
		records += p.HighWatermark
	}
	return lag, records
}

// patienceOfTests bounds every wait of a test; nothing waits that long, however
// slow the machine is.
const patienceOfTests = time.Minute

// await waits for something that comes on its own.
func await(t *testing.T, done <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patienceOfTests)
	defer cancel()
	select {
	case <-done:
	case <-ctx.Done():
		t.Fatalf("not there after %s", patienceOfTests)
	}
}

// eventually asks again and again until the brokers say so.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patienceOfTests)
	defer cancel()
	for !holds() {
		if !pause(ctx, 20*time.Millisecond) {
			t.Fatalf("after %s still not: %s", patienceOfTests, what)
		}
	}
}

// No member has two partitions on one broker, since kfake would serve one of them
// only.
func TestPartitionsAreSpread(t *testing.T) {
	noLeaks(t)
	c := withoutCoordinator(t)
	for partition := range int32(6) {
		if leader := c.fake.LeaderFor(sinkTopic, partition); leader != partition%brokers {
			t.Errorf("the leader of partition %d of %s is broker %d", partition, sinkTopic, leader)
		}
	}
}
