package kafka

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"sharetop/model"
)

// One group a request, two requests in flight at a coordinator and never more,
// and no FindCoordinator: each of the three has stalled or changed a cluster.
func TestOffsetsAreAskedOneGroupARequestTwoInFlight(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfake.NumBrokers(2))
	var groups []string
	for i := range 40 {
		groups = append(groups, fmt.Sprintf("group-%02d", i))
	}
	place(t, c, "orders", 0, groups...)

	w := newWitness()
	// No answer before two are in flight: then the limit is what holds a third.
	c.ControlKey(kmsg.DescribeShareGroupOffsets.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.SleepControl(func() { <-w.two })
		return nil, nil, false
	})
	client := open(t, model.Connection{Bootstrap: c.ListenAddrs()}, Options{Dial: w.dial})
	for _, g := range groups {
		client.scope.Visible = append(client.scope.Visible, model.NewGroupID(g))
	}
	client.done()
	round := client.last.Offsets.Sweep.Round
	client.until("a second sweep", func(s *model.Snapshot) bool { return s.Offsets.Sweep.Round > round })

	w.mu.Lock()
	defer w.mu.Unlock()
	for i, n := range w.groups {
		if n != 1 {
			t.Errorf("request %d names %d groups", i, n)
		}
	}
	if len(w.groups) < len(groups) {
		t.Errorf("only %d requests for %d groups", len(w.groups), len(groups))
	}
	for addr, most := range w.most {
		if most > maxInFlight {
			t.Errorf("%d requests in flight at %s", most, addr)
		}
	}
	if n := w.sent[kmsg.FindCoordinator.Int16()]; n != 0 {
		t.Errorf("FindCoordinator was sent %d times", n)
	}
}

// A slot is given back by the answer, not by whoever stops waiting for it.
func TestEndedWatchKeepsItsSlotsUntilTheAnswer(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfake.NumBrokers(1))
	groups := []string{"a", "b", "c", "d", "e", "f"}
	place(t, c, "orders", 0, groups...)
	w := newWitness()
	release := make(chan struct{})
	control(c, kmsg.DescribeShareGroupOffsets, func(kmsg.Request) kmsg.Response {
		c.SleepControl(func() { <-release })
		return nil
	})
	client := open(t, model.Connection{Bootstrap: c.ListenAddrs()}, Options{Dial: w.dial})
	client.until("the list", func(s *model.Snapshot) bool { return len(s.Groups) == len(groups) })
	<-w.two
	for i := range groups { // scroll: each call ends at once and names another group
		ctx, cancel := contextCancelled()
		client.scope.Visible = []model.GroupID{model.NewGroupID(groups[i])}
		if _, err := client.client.Watch(ctx, client.scope, client.last.Version); err == nil {
			t.Error("a cancelled Watch returned a snapshot")
		}
		cancel()
	}
	w.mu.Lock()
	for addr, most := range w.most {
		if most > maxInFlight {
			t.Errorf("%d requests in flight at %s", most, addr)
		}
	}
	w.mu.Unlock()
	close(release)
	client.done()
}

// Kafka 4.1 answers version 0, which has no lag.
func TestLagIsUnknownWhereTheAnswerHasNone(t *testing.T) {
	t.Parallel()
	pinned := kversion.Stable()
	pinned.SetMaxKeyVersion(kmsg.DescribeShareGroupOffsets.Int16(), 0)
	c := fakeCluster(t, kfake.MaxVersions(pinned))
	produce(t, c, "orders", 4)
	place(t, c, "orders", 1, "billing")
	s := watch(t, c).done()
	g := s.Group(model.NewGroupID("billing"))
	if len(g.Partitions) != 3 {
		t.Fatalf("%d partitions", len(g.Partitions))
	}
	for _, p := range g.Partitions {
		if p.Start != model.Known(1) || p.Lag.IsKnown() {
			t.Errorf("partition is %+v", p)
		}
	}
}

func TestSharePartitionTellsUnknownFromNumbers(t *testing.T) {
	tests := []struct {
		name       string
		in         partitionOffsets
		end        model.Number
		start, lag model.Number
	}{
		{"ordinary", partitionOffsets{start: 5, lag: 15, lagTold: true}, model.Known(20), model.Known(5), model.Known(15)},
		{"nothing settled", partitionOffsets{start: -1, lag: -1, lagTold: true}, model.Known(20), model.Number{}, model.Number{}},
		{"kfake's lag without a start", partitionOffsets{start: -1, lag: 21, lagTold: true}, model.Known(20), model.Number{}, model.Number{}},
		{"drained", partitionOffsets{start: 118, lag: 0, lagTold: true}, model.Known(666), model.Known(118), model.Known(0)},
		{"past the end", partitionOffsets{start: 1000, lag: -980, lagTold: true}, model.Known(20), model.Known(1000), model.Known(-980)},
		{"one past the end", partitionOffsets{start: 21, lag: -1, lagTold: true}, model.Known(20), model.Known(21), model.Known(-1)},
		{"lag not stored", partitionOffsets{start: 5, lag: -1, lagTold: true}, model.Known(20), model.Known(5), model.Number{}},
		{"lag not stored, end not known", partitionOffsets{start: 5, lag: -1, lagTold: true}, model.Number{}, model.Known(5), model.Number{}},
		{"version 0", partitionOffsets{start: 5, lag: -1}, model.Known(4), model.Known(5), model.Number{}},
		{"altered below zero", partitionOffsets{start: -100, lag: 120, lagTold: true}, model.Known(20), model.Known(-100), model.Known(120)},
		{"an error", partitionOffsets{start: -1, lag: -1, errorCode: 3}, model.Number{}, model.Number{}, model.Number{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := newNames().sharePartition(&test.in, test.end)
			if got.Start != test.start || got.Lag != test.lag {
				t.Errorf("start %v lag %v, not %v and %v", got.Start, got.Lag, test.start, test.lag)
			}
			if (got.Problem != nil) != (test.in.errorCode != 0) {
				t.Errorf("problem is %v", got.Problem)
			}
		})
	}
}

// Sweeps after the first keep to the pace that was asked for.
func TestLaterSweepsArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := new(kfake.VirtualNetwork)
		c, err := kfake.NewCluster(kfake.ListenFn(network.Listen), kfake.NumBrokers(1), kfake.Ports(9092),
			kfake.SeedTopics(3, "orders"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		admin, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.Dialer(network.DialContext),
			kgo.DisableClientMetrics())
		if err != nil {
			t.Fatal(err)
		}
		for i := range 60 {
			offsets := make(kadm.Offsets)
			offsets.AddOffset("orders", 0, 0, -1)
			if _, err := kadm.NewClient(admin).AlterShareGroupOffsets(t.Context(), fmt.Sprintf("g-%02d", i), offsets); err != nil {
				t.Fatal(err)
			}
		}
		admin.Close()
		seen := count(c)
		client, err := Open(model.Connection{Bootstrap: c.ListenAddrs()},
			Options{Now: time.Now, Dial: network.DialContext, RequestRate: 10})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		watchFor(t, client, time.Second)
		first := seen.of(kmsg.DescribeShareGroupOffsets)
		if first < 60 {
			t.Errorf("the first sweep asked for %d of 60 groups in a second", first)
		}
		watchFor(t, client, 20*time.Second)
		if n := seen.of(kmsg.DescribeShareGroupOffsets) - first; n < 150 || n > 205 {
			t.Errorf("%d requests in 20 s at 10 a second", n)
		}
	})
}

// A printout is made of one round: however long the rest takes, no group is asked
// for its offsets twice.
func TestPrintoutAsksForOffsetsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := new(kfake.VirtualNetwork)
		c, err := kfake.NewCluster(kfake.ListenFn(network.Listen), kfake.NumBrokers(1), kfake.Ports(9092), kfake.SeedTopics(3, "orders"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		admin, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.Dialer(network.DialContext), kgo.DisableClientMetrics())
		if err != nil {
			t.Fatal(err)
		}
		offsets := make(kadm.Offsets)
		offsets.AddOffset("orders", 0, 0, -1)
		if _, err := kadm.NewClient(admin).AlterShareGroupOffsets(t.Context(), "billing", offsets); err != nil {
			t.Fatal(err)
		}
		admin.Close()
		seen := count(c)
		control(c, kmsg.DescribeConfigs, func(kmsg.Request) kmsg.Response {
			c.SleepControl(func() { time.Sleep(answerTimeout - time.Second) })
			return nil
		})
		client, err := Open(model.Connection{Bootstrap: c.ListenAddrs(), OffsetsFrom: model.OffsetsByRequests},
			Options{Now: time.Now, Dial: network.DialContext})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		s := (&watched{t: t, client: client, scope: model.Scope{Once: true}}).done()
		if g := s.Group(id("billing")); g == nil || g.OffsetsAt.IsZero() || g.Settings == nil {
			t.Errorf("the printout has %s", dump(s))
		}
		if n := seen.of(kmsg.DescribeShareGroupOffsets); n != 1 {
			t.Errorf("%d requests for the offsets of one group", n)
		}
	})
}

// The connection for offsets is opened while the list is on its way, and not
// again with every list.
func TestOffsetsConnectionIsOpenedWithTheList(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1))
	place(t, c, "orders", 0, "billing")
	listing, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	control(c, kmsg.ListGroups, func(kmsg.Request) kmsg.Response {
		once.Do(func() { close(listing) })
		c.SleepControl(func() { <-release })
		return nil
	})
	var mu sync.Mutex
	dialled := 0
	opened := make(chan struct{}, 8)
	w := open(t, model.Connection{Bootstrap: c.ListenAddrs(), OffsetsFrom: model.OffsetsByRequests}, Options{
		Now: time.Now,
		Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			mu.Lock()
			dialled++
			mu.Unlock()
			opened <- struct{}{}
			return new(net.Dialer).DialContext(ctx, network, addr)
		},
	})
	go func() {
		<-listing
		<-opened // for control
		<-opened // for offsets, though no list is there yet
		close(release)
	}()
	w.until("the group's offsets", func(s *model.Snapshot) bool {
		g := s.Group(id("billing"))
		return g != nil && !g.OffsetsAt.IsZero()
	})
	mu.Lock()
	defer mu.Unlock()
	if dialled != 2 {
		t.Errorf("%d connections were opened, want one for control and one for offsets", dialled)
	}
}
