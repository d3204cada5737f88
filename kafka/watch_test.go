package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// A group in which nothing changed keeps its pointer, whatever else was asked.
func TestUnchangedGroupsKeepTheirPointer(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	produce(t, c, "orders", 10)
	var groups []string
	for i := range 30 {
		groups = append(groups, fmt.Sprintf("group-%02d", i))
	}
	place(t, c, "orders", 0, groups...)
	w := watch(t, c)
	w.scope.Interval = model.MaxInterval // nothing but what this test asks for
	before := w.done()

	place(t, c, "orders", 7, "group-03")
	w.scope.Visible = []model.GroupID{id("group-03")}
	w.scope.Interval = model.MinInterval
	w.client.demand.enter(w.scope)
	defer w.client.demand.leave()
	w.client.source.Follow(before.Group(id("group-03")).Coordinator, []string{"group-03"})
	after := w.until("the new start offset", func(s *model.Snapshot) bool {
		g := s.Group(id("group-03"))
		return len(g.Partitions) > 0 && g.Partitions[0].Start == model.Known(7)
	})
	same := 0
	for i, g := range after.Groups {
		if g == before.Groups[i] {
			same++
		} else if !g.OffsetsAt.After(before.Groups[i].OffsetsAt) {
			t.Errorf("%s is another, but nothing in it changed", g.ID)
		}
	}
	if after.Group(id("group-03")) == before.Group(id("group-03")) {
		t.Error("group-03 kept its pointer")
	}
	if before.Group(id("group-03")).Partitions[0].Start != model.Known(0) {
		t.Error("a snapshot that was handed over has changed")
	}
	if same == 0 {
		t.Error("no group kept its pointer")
	}
}

func TestEqualDescriptionChangesNothing(t *testing.T) {
	s := newState(time.Now)
	s.mergeList(1, []listedGroup{{"billing", "Stable"}}, 0)
	answer := func(host string) *kmsg.ShareGroupDescribeResponseGroup {
		g := kmsg.NewShareGroupDescribeResponseGroup()
		g.GroupID, g.GroupState, g.GroupEpoch, g.AssignmentEpoch, g.Assignor = "billing", "Stable", 7, 7, "simple"
		for _, name := range []string{"m2", "m1"} {
			m := kmsg.NewShareGroupDescribeResponseGroupMember()
			m.MemberID, m.ClientHost, m.SubscribedTopicNames = name, host, []string{"orders", "refunds"}
			a := kmsg.NewShareGroupDescribeResponseGroupMemberAssignmentTopicPartition()
			a.Topic, a.Partitions = "orders", []int32{2, 0}
			m.Assignment.TopicPartitions = append(m.Assignment.TopicPartitions, a)
			g.Members = append(g.Members, m)
		}
		return &g
	}
	s.mergeDescription(1, answer("/10.0.0.1"))
	first, _, _ := s.poll(snapshotGap)
	s.mergeDescription(1, answer("/10.0.0.1"))
	if s.pub.isDirty {
		t.Error("an equal answer asks for a new snapshot")
	}
	if got := first.Groups[0].Members[0]; got.ID.Raw() != "m1" || got.Host.Raw() != "10.0.0.1" ||
		!slices.Equal(got.Assignment[0].Partitions, []int32{0, 2}) {
		t.Errorf("member is %+v", got)
	}
	for name, change := range map[string]func(*kmsg.ShareGroupDescribeResponseGroup){
		"host":       func(g *kmsg.ShareGroupDescribeResponseGroup) { *g = *answer("/10.0.0.2") },
		"epoch":      func(g *kmsg.ShareGroupDescribeResponseGroup) { g.GroupEpoch++ },
		"assignment": func(g *kmsg.ShareGroupDescribeResponseGroup) { g.AssignmentEpoch++ },
		"state":      func(g *kmsg.ShareGroupDescribeResponseGroup) { g.GroupState = "Empty" },
		"members":    func(g *kmsg.ShareGroupDescribeResponseGroup) { g.Members = g.Members[:1] },
		"partitions": func(g *kmsg.ShareGroupDescribeResponseGroup) {
			g.Members[0].Assignment.TopicPartitions[0].Partitions = []int32{0, 1}
		},
		"topics": func(g *kmsg.ShareGroupDescribeResponseGroup) {
			g.Members[0].SubscribedTopicNames = []string{"orders", "invoices"}
		},
		"member epoch": func(g *kmsg.ShareGroupDescribeResponseGroup) { g.Members[1].MemberEpoch = 9 },
	} {
		changed := answer("/10.0.0.1")
		change(changed)
		if sameDescription(first.Groups[0], changed) {
			t.Errorf("another %s counts as equal", name)
		}
	}
}

// Under steady change there are 20 snapshots a second; after a quiet time the
// first change is returned at once.
func TestSnapshotsAreHandedOutTwentyTimesASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newState(time.Now)
		s.setSweep(model.Sweep{Round: 1})
		first, err := s.next(t.Context(), nil, 0, snapshotGap)
		if err != nil || first.Version != 1 {
			t.Fatalf("first is %+v, %v", first, err)
		}

		time.Sleep(time.Second) // quiet
		began := time.Now()
		go s.setSweep(model.Sweep{Round: 2})
		second, err := s.next(t.Context(), nil, 1, snapshotGap)
		if err != nil || second.Version != 2 || time.Since(began) != 0 {
			t.Errorf("the first change came after %s: %+v, %v", time.Since(began), second, err)
		}

		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for i := 3; ; i++ {
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond):
					s.setSweep(model.Sweep{Round: i})
				}
			}
		}()
		began = time.Now()
		last := second
		for time.Since(began) < time.Second {
			if last, err = s.next(t.Context(), nil, last.Version, snapshotGap); err != nil {
				t.Fatal(err)
			}
		}
		close(stop)
		<-stopped
		if n := last.Version - second.Version; n < 19 || n > 21 {
			t.Errorf("%d snapshots in a second of steady change", n)
		}
	})
}

// A printout of a few groups waits for none of its snapshots; a screen, and a
// printout of everything, do.
func TestPrintoutOfOneGroupDoesNotWait(t *testing.T) {
	for _, test := range []struct {
		name  string
		scope model.Scope
		want  time.Duration
	}{
		{"a screen", model.Scope{}, snapshotGap},
		{"a printout of all", model.Scope{Once: true}, snapshotGap},
		{"a watch of one group", model.Scope{Only: true}, snapshotGap},
		{"a printout of one group", model.Scope{Once: true, Only: true}, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newState(time.Now)
			s.setSweep(model.Sweep{Round: 1})
			first, _ := s.next(t.Context(), nil, 0, gapFor(test.scope))
			s.setSweep(model.Sweep{Round: 2})
			began := time.Now()
			second, err := s.next(t.Context(), nil, first.Version, gapFor(test.scope))
			if took := time.Since(began); err != nil || took != test.want || second.Version != 2 {
				t.Errorf("%s: the second snapshot came after %s, want %s (%v)", test.name, took, test.want, err)
			}
		})
	}
}

// Ending a wait ends nothing else, and the snapshot at hand is returned at once.
func TestCancelledWatchEndsOnlyTheWait(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	place(t, c, "orders", 0, "billing")
	w := watch(t, c)
	s := w.done()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := w.client.Watch(ctx, w.scope, s.Version+1000)
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if again, err := w.client.Watch(t.Context(), w.scope, 0); err != nil || again.Version < s.Version {
		t.Errorf("the next Watch gives %+v, %v", again, err)
	}
}

func TestCloseEndsEveryWait(t *testing.T) {
	client, err := Open(model.Connection{Bootstrap: []string{silentBroker(t)}}, Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := client.Watch(t.Context(), model.Scope{}, 1000)
		ended <- err
	}()
	client.Close()
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Errorf("error is %v", err)
	}
	if _, err := client.Watch(t.Context(), model.Scope{}, 0); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	client.Close() // twice does no harm
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	tests := []struct {
		name string
		conn model.Connection
		opts Options
		want string
	}{
		{"no server", model.Connection{}, Options{Now: time.Now}, "no bootstrap server"},
		{"no port", model.Connection{Bootstrap: []string{"kafka"}}, Options{Now: time.Now}, "not HOST:PORT"},
		{"no clock", model.Connection{Bootstrap: []string{"kafka:9092"}}, Options{}, "Now"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Open(test.conn, test.opts); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

// Nobody watches, nothing is asked: neither before the first Watch nor when a
// screen is paused.
func TestNothingIsAskedWhileNobodyWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := new(kfake.VirtualNetwork)
		c, err := kfake.NewCluster(kfake.ListenFn(network.Listen), kfake.NumBrokers(1), kfake.Ports(9092))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		seen := count(c)
		client, err := Open(model.Connection{Bootstrap: c.ListenAddrs()},
			Options{Now: time.Now, Dial: network.DialContext})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		time.Sleep(time.Minute)
		if n := seen.of(kmsg.Metadata) + seen.of(kmsg.ListGroups); n != 0 {
			t.Errorf("%d requests before the first Watch", n)
		}

		watchFor(t, client, 10*time.Second)
		listed := seen.of(kmsg.ListGroups)
		// One at once, ten in turn, and one more where the group's offsets are first
		// asked for. Looking for the state topic, which is not there, adds none.
		if listed < 10 || listed > 12 {
			t.Errorf("%d lists in ten seconds at one a second", listed)
		}
		time.Sleep(restAfter + 2*time.Second)
		rest := seen.of(kmsg.ListGroups)
		time.Sleep(time.Minute)
		if n := seen.of(kmsg.ListGroups); n != rest {
			t.Errorf("%d lists while nobody watched", n-rest)
		}
		watchFor(t, client, 2*time.Second)
		if n := seen.of(kmsg.ListGroups); n == rest {
			t.Error("nothing is asked when somebody watches again")
		}
	})
}

// watchFor keeps one Watch outstanding for a time, as a screen does.
func watchFor(t *testing.T, client *Client, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	var last model.Version
	for {
		s, err := client.Watch(ctx, model.Scope{}, last)
		if err != nil {
			return
		}
		last = s.Version
	}
}

// What is urgent does not wait for its time, also for who waits already.
func TestUrgentSnapshotDoesNotWait(t *testing.T) {
	t.Parallel()
	s := newState(time.Now)
	s.pub.dirty()
	if _, err := s.next(t.Context(), nil, 0, time.Hour); err != nil {
		t.Fatal(err)
	}
	s.pub.dirty()
	if _, _, wait := s.poll(time.Hour); wait <= 0 {
		t.Fatal("the second does not wait")
	}
	got := make(chan *model.Snapshot)
	go func() {
		next, _ := s.next(t.Context(), nil, 1, time.Hour)
		got <- next
	}()
	s.mu.Lock()
	s.pub.urge()
	s.mu.Unlock()
	if next := <-got; next == nil || next.Version != 2 {
		t.Errorf("got %+v", next)
	}
}

// What belongs together is in one snapshot, however long it takes.
func TestTogetherIsOneSnapshot(t *testing.T) {
	t.Parallel()
	s := newState(time.Now)
	s.pub.urge()
	s.poll(snapshotGap)
	got := make(chan *model.Snapshot)
	s.together(func() {
		s.report(problemKey{actionTail, ""}, model.Problem{Detail: "the first half"})
		go func() {
			next, _ := s.next(t.Context(), nil, 1, 0)
			got <- next
		}()
		for range 10 {
			if made, _, _ := s.poll(0); made.Version > 1 {
				t.Error("a snapshot has half of it")
			}
		}
		s.together(func() { s.report(problemKey{actionLimits, ""}, model.Problem{Detail: "the second"}) })
		if made, _, _ := s.poll(0); made.Version > 1 {
			t.Error("a snapshot was made when the inner half was done")
		}
	})
	if next := <-got; next == nil || len(next.Problems) != 2 {
		t.Errorf("got %+v", next)
	}
}
