package kafka

import (
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"

	"sharetop/model"
)

// What was given up is kept with the time since when it was looked for, for the
// opened group with all else that happened.
func TestEventsOfTheStateTopic(t *testing.T) {
	t.Parallel()
	c, k := withState(t, "billing", "shipping")
	k.settle("billing", "orders", archived(2, 5)) // before we look
	w := watch(t, c)
	s := w.live()
	if v := s.State; v == nil || v.Since.IsZero() || len(v.Archived) != 0 || len(v.Events) != 0 {
		t.Fatalf("view is %+v", v)
	}
	k.settle("billing", "orders", released(3, 1), archived(5, 4))
	k.settle("shipping", "orders", archived(4, 5))
	k.settle("billing", "orders", released(3, 2))
	s = w.until("two archived", func(s *model.Snapshot) bool {
		return len(s.State.Archived) == 2 && first(s, "billing").State.HighestKnown() == model.Known(5)
	})
	early := s.State
	billing := early.ArchivedOf(id("billing"))
	if len(billing) != 1 || billing[0].Topic.Raw() != "orders" || billing[0].Partition != 0 || billing[0].First != 5 ||
		billing[0].Count != 4 || billing[0].State != model.RecordArchived || billing[0].Millis == 0 {
		t.Errorf("archived are %+v", early.Archived)
	}

	w.scope.Open = id("billing")
	w.until("the events of the opened group", func(s *model.Snapshot) bool { return len(s.State.Events) == 3 })
	k.settle("billing", "orders", finished(3, 3))
	s = w.until("one more", func(s *model.Snapshot) bool { return len(s.State.Events) == 4 })
	var states []model.RecordState
	for _, e := range s.State.HistoryOf(first(s, "billing").Topic, 0, 3) {
		states = append(states, e.State)
	}
	if want := []model.RecordState{model.RecordReleased, model.RecordReleased, model.RecordFinished}; !slices.Equal(states, want) {
		t.Errorf("history of record 3 is %v", states)
	}
	if len(early.Archived) != 2 || len(early.Events) != 0 || s.State.Open != id("billing") {
		t.Error("a view that was handed out has changed")
	}
	w.scope.Open = id("shipping")
	w.until("the events of the other", func(s *model.Snapshot) bool {
		return s.State.Open == id("shipping") && len(s.State.Events) == 1
	})
}

// What happened to records of the opened group before a broker lists it is kept
// until one does.
func TestEventsBeforeTheOpenedGroupIsListed(t *testing.T) {
	t.Parallel()
	c, k := withState(t, "billing")
	w := watch(t, c)
	w.scope.Open = id("fresh")
	w.live()
	k.begin("fresh", "orders", 1)
	k.settle("fresh", "orders", released(3, 1))
	k.settle("billing", "orders", archived(2, 5))
	w.until("what happened later", func(s *model.Snapshot) bool { return len(s.State.Archived) == 1 })
	place(t, c, "orders", 1, "fresh")
	w.until("what happened before", func(s *model.Snapshot) bool { return len(s.State.Events) == 1 && !s.State.EventsDropped })
}

// Events of a topic that the state topic names for the first time have its name.
func TestEventsOfATopicThatIsNew(t *testing.T) {
	t.Parallel()
	c, k := withState(t, "billing")
	w := watch(t, c)
	w.scope.Open = id("billing")
	w.live()
	produce(t, c, "refunds", 10)
	k.beginSettled("billing", "refunds", 1, released(3, 1), archived(5, 5))
	s := w.until("what happened", func(s *model.Snapshot) bool { return len(s.State.Archived) == 1 && len(s.State.Events) == 2 })
	for _, e := range slices.Concat(s.State.Events, s.State.Archived) {
		if e.Topic.Raw() != "refunds" {
			t.Errorf("the topic of %+v is not named", e)
		}
	}
}

// Nothing new, same view.
func TestViewKeepsItsPointer(t *testing.T) {
	t.Parallel()
	c, _ := withState(t, "billing")
	w := watch(t, c)
	w.scope.Interval = model.MinInterval
	view := w.live().State
	at := w.last.Offsets.Tail.CheckedAt
	s := w.until("two checks", func(s *model.Snapshot) bool { return s.Offsets.Tail.CheckedAt.Sub(at) > model.MinInterval })
	if s.State != view {
		t.Error("the view was made anew though nothing happened")
	}
}

// The head record's time comes by one Fetch and is kept.
func TestHeadRecord(t *testing.T) {
	t.Parallel()
	c, k := withState(t, "billing", "shipping")
	k.settle("billing", "orders", accepted(2, 4))
	wire := newWitness()
	w := open(t, model.Connection{Bootstrap: c.ListenAddrs(), ReadOnly: true}, Options{Dial: wire.dial})
	w.scope = model.Scope{Interval: model.MinInterval, Visible: []model.GroupID{id("billing")}}
	has := func(s *model.Snapshot, offset int64) bool {
		h := first(s, "billing").Head
		return h != nil && h.Record == model.Known(offset)
	}
	s := w.until("the head", func(s *model.Snapshot) bool { return isLive(s) && has(s, 5) })
	h := first(s, "billing").Head
	if h.Offset != 5 || time.Since(h.Timestamp) > time.Hour || h.Timestamp.IsZero() || h.NoneUpTo.IsKnown() || h.Problem != nil {
		t.Errorf("head is %+v", h)
	}
	if first(s, "shipping").Head != nil {
		t.Error("a group off the screen was looked at")
	}
	k.settle("billing", "orders", accepted(5, 5))
	w.until("the next head", func(s *model.Snapshot) bool { return has(s, 6) })
}

// Without READ on the topic the head's age is unknown, and that is no problem of
// the snapshot.
func TestHeadRecordDenied(t *testing.T) {
	t.Parallel()
	c, _ := withState(t, "billing")
	forbid(c, kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: "orders", Err: kerr.TopicAuthorizationFailed})
	w := watch(t, c)
	w.scope = model.Scope{Interval: model.MinInterval, Visible: []model.GroupID{id("billing")}}
	s := w.until("the refusal", func(s *model.Snapshot) bool {
		h := first(s, "billing").Head
		return h != nil && h.Problem != nil
	})
	if p := first(s, "billing").Head.Problem; p.Kind != model.ProblemDenied || p.Advice == "" {
		t.Errorf("problem is %+v, in %s", p, dump(s))
	}
	w.expectNoProblems()
}

// Only a commit marker is left: nothing is there to be delivered.
func TestHeadWithNothingButMarkers(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	transact(t, c, kgo.TryCommit)
	place(t, c, "orders", 1, "billing")
	k := coordinate(t, c)
	k.begin("billing", "orders", 1)
	w := watch(t, c)
	w.scope = model.Scope{Interval: model.MinInterval, Visible: []model.GroupID{id("billing")}}
	s := w.until("the head", func(s *model.Snapshot) bool { return first(s, "billing").Head != nil })
	p := first(s, "billing")
	if p.Lag != model.Known(1) || !p.Head.OnlyMarkers(model.Known(2)) || p.Head.Record.IsKnown() {
		t.Errorf("lag %v, head %+v", p.Lag, p.Head)
	}
	produce(t, c, "orders", 1)
	w.until("a record", func(s *model.Snapshot) bool {
		h := first(s, "billing").Head
		return h != nil && h.Record == model.Known(2)
	})
}

// Open transactions hold back groups that read committed records only.
func TestLastStableOffsetAndRetention(t *testing.T) {
	t.Parallel()
	c, _ := withState(t, "billing", "shipping")
	alterGroup(t, c, "billing", keyIsolation, readCommitted)
	tx := plainClient(t, c, kgo.TransactionalID("tx"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err := tx.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	r := &kgo.Record{Topic: "orders", Partition: 0, Value: []byte("x")}
	if err := tx.ProduceSync(t.Context(), r).FirstErr(); err != nil {
		t.Fatal(err)
	}
	w := watch(t, c)
	w.scope = model.Scope{Interval: model.MinInterval, Visible: []model.GroupID{id("billing")}}
	s := w.until("the last stable offset", func(s *model.Snapshot) bool {
		log := s.Log(first(s, "billing").Topic, 0)
		topic := s.Topics[first(s, "billing").Topic]
		return log.End == model.Known(11) && log.Stable == model.Known(10) && topic.Retention.IsKnown()
	})
	if log := s.Log(first(s, "billing").Topic, 0); log.StableAt.IsZero() {
		t.Errorf("log is %+v", log)
	}
	if got := s.Topics[first(s, "billing").Topic].Retention; got != model.Known(7*24*3600*1000) {
		t.Errorf("retention is %v", got)
	}
}

func alterGroup(t *testing.T, c *kfake.Cluster, group, key, value string) {
	t.Helper()
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	r := kmsg.NewIncrementalAlterConfigsRequestResource()
	r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeGroupConfig, group
	cfg := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	cfg.Name, cfg.Value = key, kmsg.StringPtr(value)
	r.Configs = append(r.Configs, cfg)
	req.Resources = append(req.Resources, r)
	if _, err := req.RequestWith(t.Context(), plainClient(t, c)); err != nil {
		t.Fatal(err)
	}
}

func TestRetentionOf(t *testing.T) {
	config := func(key, value string) kmsg.DescribeConfigsResponseResourceConfig {
		c := kmsg.NewDescribeConfigsResponseResourceConfig()
		c.Name, c.Value = key, kmsg.StringPtr(value)
		return c
	}
	for want, configs := range map[model.Number][]kmsg.DescribeConfigsResponseResourceConfig{
		model.Known(5000): {config(keyRetention, "5000"), config(keyCleanup, "compact,delete")},
		model.Known(-1):   {config(keyRetention, "5000"), config(keyCleanup, "compact")},
		{}:                {config(keyCleanup, "delete")},
	} {
		if got := retentionOf(configs); got != want {
			t.Errorf("%v: retention %v, want %v", configs, got, want)
		}
	}
}

// What happens to a group before a broker has listed it is not lost; what
// happens to one that is never listed is not shown.
func TestEventsOfAGroupListedLater(t *testing.T) {
	t.Parallel()
	c, k := withState(t, "billing")
	w := watch(t, c)
	w.scope.Interval = model.MinInterval
	w.live()
	k.begin("new", "orders", 2)
	k.begin("hidden", "orders", 2)
	k.settle("new", "orders", archived(3, 5))
	k.settle("hidden", "orders", archived(3, 5))
	k.settle("billing", "orders", archived(3, 5))
	w.until("the listed group's", func(s *model.Snapshot) bool { return len(s.State.Archived) == 1 })
	place(t, c, "orders", 2, "new")
	s := w.until("the new group's", func(s *model.Snapshot) bool { return len(s.State.Archived) == 2 })
	if len(s.State.ArchivedOf(id("new"))) != 1 || len(s.State.ArchivedOf(id("hidden"))) != 0 {
		t.Errorf("archived are %+v", s.State.Archived)
	}
}
