package kafka

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/kafka/statetopic"
	"sharetop/model"
)

// byRequests waits until requests are the source, for a reason that has a text,
// and have answered the group.
func (w *watched) byRequests(group, why string) *model.Snapshot {
	w.t.Helper()
	return w.until("requests because of "+why, func(s *model.Snapshot) bool {
		g := s.Group(id(group))
		return s.Offsets.Source == model.FromRequests && strings.Contains(s.Offsets.Why, why) &&
			s.Offsets.Tail.Phase == model.TailOff && g != nil && g.OffsetsFrom == model.FromRequests && !g.OffsetsAt.IsZero()
	})
}

func TestWithoutStateTopicRequestsAreAsked(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	produce(t, c, "orders", 10)
	place(t, c, "orders", 2, "billing")
	w := watch(t, c)
	s := w.byRequests("billing", "there is no topic __share_group_state yet")
	if s.Offsets.Tail.RetryAt.IsZero() || s.State != nil {
		t.Errorf("%+v in %s", s.Offsets, dump(s))
	}
	w.expectNoProblems()
	k := coordinate(t, c)
	k.begin("billing", "orders", 2)
	w.live() // by itself
}

func TestDeniedStateTopicNamesTheACL(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]kmsg.Key{"metadata": kmsg.Metadata, "list offsets": kmsg.ListOffsets, "fetch": kmsg.Fetch} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := withState(t, "billing")
			fault := forbid(c, kfake.Fault{Keys: []kmsg.Key{key}, Topic: stateTopic, Err: kerr.TopicAuthorizationFailed})
			w := watch(t, c)
			s := w.byRequests("billing", "READ on the topic")
			if !strings.Contains(s.Offsets.Advice, "--operation READ --topic __share_group_state") {
				t.Errorf("advice is %q", s.Offsets.Advice)
			}
			fault.Remove()
			w.scope.Refresh++
			w.live()
		})
	}
}

// The rights can go while the topic is read.
func TestStateTopicDeniedWhileLive(t *testing.T) {
	t.Parallel()
	c, _ := withState(t, "billing")
	w := watch(t, c)
	w.live()
	forbid(c, kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch, kmsg.Metadata}, Topic: stateTopic, Err: kerr.TopicAuthorizationFailed})
	w.byRequests("billing", "READ on the topic")
}

// A record that belongs to nobody makes the whole topic doubtful.
func TestUnreadableKeyFallsBack(t *testing.T) {
	t.Parallel()
	c, k := withState(t, "billing")
	k.raw(1, []byte{0, 0, 9}, []byte("?"))
	s := watch(t, c).byRequests("billing", "partition 1 of the state topic")
	if s.Offsets.Advice == "" {
		t.Error("no advice")
	}
}

// Kinds of records that are not known say nothing about the others.
func TestUnknownKindOfRecordIsPassedOver(t *testing.T) {
	t.Parallel()
	c, k := withState(t, "billing")
	k.raw(1, []byte{0, 7, 1}, []byte("?"))
	watch(t, c).live()
}

// One group's state in a newer version: that group by requests, all others live.
func TestGroupWithNewerStateIsAskedFor(t *testing.T) {
	t.Parallel()
	c, k := withState(t, "billing", "shipping")
	share := k.key("billing", "orders", 1)
	newer := statetopic.AppendKey(nil, statetopic.Key{Type: statetopic.UpdateKey, ShareKey: share})
	k.write(share, newer, []byte{0, 9})
	w := watch(t, c)
	s := w.until("both sources", func(s *model.Snapshot) bool {
		b, o := s.Group(id("billing")), s.Group(id("shipping"))
		return isLive(s) && b != nil && b.OffsetsFrom == model.FromRequests && len(b.Partitions) == 3 &&
			o.OffsetsFrom == model.FromStateTopic && len(o.Partitions) == 3
	})
	if first(s, "billing").Lag != model.Known(8) || first(s, "shipping").Lag != model.Known(8) {
		t.Errorf("lags %v and %v", first(s, "billing").Lag, first(s, "shipping").Lag)
	}
	key, value := k.journal.Repeat(share, time.Now().UnixMilli())
	k.write(share, key, value) // a snapshot that can be read heals it
	w.live()
}

func TestBudgets(t *testing.T) {
	t.Parallel()
	for why, budget := range map[string]model.StateBudget{
		"more than 0 MB": {MaxMemory: 1},
		"longer than":    {MaxLoad: 1},
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			c, k := withState(t, "billing")
			if budget.MaxLoad > 0 { // more than one fetch brings
				for range 30 {
					k.raw(0, []byte{0, 7, 1}, make([]byte, 900<<10))
				}
			}
			w := open(t, model.Connection{Bootstrap: c.ListenAddrs(), StateBudget: budget}, Options{})
			s := w.byRequests("billing", why)
			if s.Offsets.Tail.RetryAt.Sub(s.Taken) < time.Minute || s.Offsets.Advice == "" {
				t.Errorf("offsets are %+v", s.Offsets)
			}
		})
	}
}

// What changes bring is bounded too, averaged over a minute.
func TestBusyStateTopicFallsBack(t *testing.T) {
	t.Parallel()
	c, k := withState(t, "billing")
	w := open(t, model.Connection{Bootstrap: c.ListenAddrs(), StateBudget: model.StateBudget{MaxBytesPerSecond: 100}}, Options{})
	w.live()
	k.raw(0, []byte{0, 7, 1}, make([]byte, 10_000))
	w.byRequests("billing", "more than 0 kB/s")
}

func TestMeterAveragesOverAMinute(t *testing.T) {
	var m meter
	now := time.Unix(1_000_000, 0)
	m.add(now, 6000)
	m.add(now.Add(30*time.Second), 6000)
	for after, want := range map[time.Duration]int64{
		0: 200, 29 * time.Second: 200, 30 * time.Second: 100, 59 * time.Second: 100, 60 * time.Second: 0, time.Hour: 0,
		-time.Second: 200, -time.Hour: 0, // a clock that was set back
	} {
		copied := m
		if got := copied.perSecond(now.Add(30*time.Second + after)); got != want {
			t.Errorf("%d bytes/s after %s, want %d", got, after, want)
		}
	}
}

// With the state topic forced nobody else is asked: what is missing is unknown,
// and told.
func TestForcedStateTopicAsksForNothingElse(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	place(t, c, "orders", 2, "billing")
	asked := count(c)
	w := open(t, model.Connection{Bootstrap: c.ListenAddrs(), OffsetsFrom: model.OffsetsByStateTopic}, Options{})
	s := w.until("the problem", func(s *model.Snapshot) bool {
		return problem(s, model.ProblemOther, "only the state topic") != nil && s.Offsets.Sweep.FirstDone
	})
	if g := s.Group(id("billing")); !g.OffsetsAt.IsZero() || s.Offsets.Source != model.FromStateTopic {
		t.Errorf("billing is %+v, offsets %+v", g, s.Offsets)
	}
	k := coordinate(t, c)
	k.begin("billing", "orders", 2)
	s = w.live()
	w.expectNoProblems()
	if first(s, "billing").Start != model.Known(2) {
		t.Errorf("billing is %+v in %s", first(s, "billing"), dump(s))
	}
	if n := asked.of(kmsg.DescribeShareGroupOffsets); n > 0 {
		t.Errorf("%d offsets requests", n)
	}
}

func TestForcedRequestsNeverReadTheStateTopic(t *testing.T) {
	t.Parallel()
	c, _ := withState(t, "billing")
	asked := count(c)
	w := open(t, model.Connection{Bootstrap: c.ListenAddrs(), OffsetsFrom: model.OffsetsByRequests}, Options{})
	s := w.done()
	if s.Offsets.Source != model.FromRequests || s.Offsets.Why != "requests were asked for" || first(s, "billing").Lag != model.Known(8) {
		t.Errorf("offsets are %+v, billing %+v", s.Offsets, first(s, "billing"))
	}
	if n := asked.of(kmsg.Fetch); n > 0 {
		t.Errorf("%d fetches", n)
	}
}

// A reader that gets nothing looks like a topic in which nothing happens: the
// checks tell it apart, and requests take over.
func TestDeadTailIsTold(t *testing.T) {
	t.Parallel()
	c, k := withState(t, "billing")
	w := watch(t, c)
	w.scope.Interval = model.MinInterval
	w.live()
	fault := forbid(c, kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: stateTopic, Err: kerr.NotLeaderForPartition})
	k.settle("billing", "orders", accepted(2, 5))
	s := w.until("the tail behind", func(s *model.Snapshot) bool { return s.Offsets.Tail.Phase == model.TailBehind })
	if p := problem(s, model.ProblemUnreachable, "behind its end"); p == nil || s.Offsets.Tail.Behind != 1 ||
		!s.Taken.After(s.Offsets.Tail.CheckedAt) {
		t.Errorf("%+v in %s", s.Offsets.Tail, dump(s))
	}
	w.until("requests", func(s *model.Snapshot) bool {
		return s.Group(id("billing")).OffsetsFrom == model.FromRequests
	})
	fault.Remove()
	s = w.until("the tail again", func(s *model.Snapshot) bool {
		return isLive(s) && first(s, "billing").State != nil && first(s, "billing").Lag == model.Known(4) && len(s.Problems) == 0
	})
	if s.Offsets.Tail.Behind != 0 {
		t.Errorf("tail is %+v", s.Offsets.Tail)
	}
}

// A single group needs only the partitions that its states belong into.
func TestOneGroupReadsItsPartitionsOnly(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	produce(t, c, "orders", 10)
	place(t, c, "orders", 2, "billing", "shipping")
	k := &coordinator{
		t: t, c: c, parts: 40, journal: statetopic.NewJournal(1), ids: make(map[string]model.TopicID),
		cl: plainClient(t, c, kgo.RecordPartitioner(kgo.ManualPartitioner())),
	}
	k.create()
	k.begin("billing", "orders", 2)
	w := watch(t, c)
	w.scope = model.Scope{Once: true, Only: true, Open: id("billing")}
	s := w.done()
	if !isLive(s) || s.Offsets.Tail.Partitions != 3 || s.Offsets.Tail.Of != 40 || first(s, "billing").State == nil {
		t.Errorf("%+v, billing %+v", s.Offsets, first(s, "billing"))
	}

	w = watch(t, c)
	w.scope = model.Scope{Once: true, Only: true, Open: id("shipping")} // whose state is not there
	s = w.done()
	if s.Offsets.Source != model.FromRequests || !strings.Contains(s.Offsets.Why, "lacks the state of shipping") ||
		first(s, "shipping").Lag != model.Known(8) {
		t.Errorf("%+v, shipping %+v", s.Offsets, first(s, "shipping"))
	}

	w = watch(t, c)
	w.scope = model.Scope{Once: true, Only: true, Open: id("nobody")}
	w.done()
}

// A printout waits for the state topic: it is the same whichever source was
// faster.
func TestOnceHasTheState(t *testing.T) {
	t.Parallel()
	c, _ := withState(t, "billing", "shipping")
	w := watch(t, c)
	w.scope = model.Scope{Once: true}
	s := w.done()
	if !isLive(s) || first(s, "billing").State == nil || first(s, "shipping").Lag != model.Known(8) {
		t.Errorf("%+v, billing %+v", s.Offsets, first(s, "billing"))
	}
}

// A real difference between the two sources is told with both values.
func TestCrossCheckTellsADifference(t *testing.T) {
	t.Parallel()
	c, k := withState(t, "billing")
	k.settle("billing", "orders", accepted(2, 5)) // of which the cluster knows nothing
	w := watch(t, c)
	w.scope.Interval = model.MinInterval
	s := w.until("the difference", func(s *model.Snapshot) bool { return problem(s, model.ProblemDiffers, "differ by source") != nil })
	text := problem(s, model.ProblemDiffers, "differ by source").Detail
	for _, part := range []string{"orders-0", "lag 8 by request", "2 and 4 to 4 by the state topic"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q lacks %q", text, part)
		}
	}
	place(t, c, "orders", 6, "billing")
	w.until("agreement", func(s *model.Snapshot) bool { return problem(s, model.ProblemOther, "orders-0") == nil })
}

func TestSetbacksWaitLonger(t *testing.T) {
	s := errNoStateTopic()
	for n, want := range map[int]time.Duration{1: 2 * time.Second, 2: 4 * time.Second, 3: 8 * time.Second, 6: 30 * time.Second, 99: 30 * time.Second} {
		if got := s.wait(n); got != want {
			t.Errorf("wait %d is %s, want %s", n, got, want)
		}
	}
	if got := asSetback(context.DeadlineExceeded); !strings.Contains(got.why, "failed") || got.first <= 0 {
		t.Errorf("setback is %+v", got)
	}
}
