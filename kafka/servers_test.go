package kafka

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// The tests of this file are what docs/servers.md says of servers that are not
// Kafka, as far as a client sees it. No such server can be had: answers are put
// into a fake one's mouth.

// A server that tells few configs: they are unknown, those that are missing are
// named, and nothing is called a problem.
func TestServerWithFewConfigs(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1))
	produce(t, c, "orders", 2)
	place(t, c, "orders", 0, "billing")
	control(c, kmsg.DescribeConfigs, func(r kmsg.Request) kmsg.Response {
		resp := r.ResponseKind().(*kmsg.DescribeConfigsResponse)
		for _, asked := range r.(*kmsg.DescribeConfigsRequest).Resources {
			res := kmsg.NewDescribeConfigsResponseResource()
			res.ResourceType, res.ResourceName = asked.ResourceType, asked.ResourceName
			if asked.ResourceType == kmsg.ConfigResourceTypeGroupConfig {
				cfg := kmsg.NewDescribeConfigsResponseResourceConfig()
				cfg.Name, cfg.Value = keyLockDuration, kmsg.StringPtr("20000")
				res.Configs = append(res.Configs, cfg)
			}
			resp.Resources = append(resp.Resources, res)
		}
		return resp
	})
	w := watch(t, c)
	w.scope.Open = id("billing")
	s := w.until("the configs", func(s *model.Snapshot) bool {
		g := s.Group(id("billing"))
		return g != nil && g.Configs != nil && g.Effective().LockDuration == 20*time.Second
	})
	g := s.Group(id("billing"))
	if g.Effective().DeliveryLimit.IsKnown() || g.Effective().MaxRecordLocks.IsKnown() || g.Effective().AutoOffsetReset != "" {
		t.Errorf("what was not told is known: %+v", g.Effective())
	}
	if len(g.Configs.Entries) != 1 || len(g.Configs.Missing) != len(groupConfigs())-1 ||
		!slices.Contains(g.Configs.Missing, keyDeliveries) || slices.Contains(g.Configs.Missing, keyLockDuration) {
		t.Errorf("configs %+v", g.Configs)
	}
	w.expectNoProblems()

	ch := changes(t, c)
	change := model.ConfigChange{Group: id("billing"), Key: model.NewText("share.assignment.interval.ms"), Value: model.NewText("5000")}
	_, err := ch.ChangeConfig(t.Context(), change)
	if err == nil || !strings.Contains(err.Error(), "does not tell a group config share.assignment.interval.ms") {
		t.Errorf("a config that the server has not got: %v", err)
	}
}

// A server that tells share.assignment.interval.ms and refuses to set it.
func TestServerRefusesAConfig(t *testing.T) {
	t.Parallel()
	const key = "share.assignment.interval.ms"
	c := fakeCluster(t, kfakeBrokers(1))
	place(t, c, "orders", 0, "billing")
	control(c, kmsg.DescribeConfigs, func(r kmsg.Request) kmsg.Response {
		resp := r.ResponseKind().(*kmsg.DescribeConfigsResponse)
		cfg := kmsg.NewDescribeConfigsResponseResourceConfig()
		cfg.Name, cfg.Value = key, kmsg.StringPtr("0")
		res := kmsg.NewDescribeConfigsResponseResource()
		res.Configs = append(res.Configs, cfg)
		resp.Resources = append(resp.Resources, res)
		return resp
	})
	control(c, kmsg.IncrementalAlterConfigs, func(r kmsg.Request) kmsg.Response {
		resp := r.ResponseKind().(*kmsg.IncrementalAlterConfigsResponse)
		res := kmsg.NewIncrementalAlterConfigsResponseResource()
		res.ErrorCode, res.ErrorMessage = kerr.InvalidConfig.Code, kmsg.StringPtr("Unknown group config name: "+key)
		resp.Resources = append(resp.Resources, res)
		return resp
	})
	ch := changes(t, c)
	r, err := ch.ChangeConfig(t.Context(), model.ConfigChange{Group: id("billing"), Key: model.NewText(key), Value: model.NewText("5000")})
	if err != nil || !strings.Contains(r.Problem, "Unknown group config name") || !strings.Contains(r.Advice, "docs/servers.md") {
		t.Errorf("%+v, %v", r, err)
	}
	if len(ch.book.entries) != 0 {
		t.Errorf("what was refused before it was sent is in the audit file: %+v", ch.book.entries)
	}
}

// A server at its limit of groups never has a coordinator for one more. Who
// wants to join or change is told so after a bounded number of tries.
func TestServerAtItsLimitOfGroups(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1))
	var asked atomic.Int64
	control(c, kmsg.FindCoordinator, func(r kmsg.Request) kmsg.Response {
		asked.Add(1)
		resp := r.ResponseKind().(*kmsg.FindCoordinatorResponse)
		resp.ErrorCode = kerr.CoordinatorNotAvailable.Code
		for _, key := range r.(*kmsg.FindCoordinatorRequest).CoordinatorKeys {
			one := kmsg.NewFindCoordinatorResponseCoordinator()
			one.Key, one.ErrorCode = key, resp.ErrorCode
			resp.Coordinators = append(resp.Coordinators, one)
		}
		return resp
	})
	client, ch := sessionClient(t, c, Options{}), changes(t, c)
	failed := make(chan error, 2) // both wait for most of the time
	go func() {
		_, err := client.Join(t.Context(), request("one-more", "orders"), JoinOptions{Audit: &logbook{}})
		failed <- err
	}()
	go func() {
		_, err := ch.Look(t.Context(), model.LookRequest{Group: id("one-more")})
		failed <- err
	}()
	for range 2 {
		err := <-failed
		if err == nil || !strings.Contains(err.Error(), "no broker coordinates") ||
			!strings.Contains(err.Error(), "a server at its limit of groups answers so for ever") {
			t.Errorf("%v", err)
		}
	}
	if n := asked.Load(); n != 2*coordinatorAsks {
		t.Errorf("asked %d times, want %d", n, 2*coordinatorAsks)
	}
}

func TestTriesAreBounded(t *testing.T) {
	var all time.Duration
	var last time.Duration
	try := tries{}
	pause, again := try.next()
	for n := 1; again; n++ {
		if pause < last || n >= coordinatorAsks {
			t.Fatalf("pause %d is %s after %s", n, pause, last)
		}
		all, last = all+pause, pause
		pause, again = try.next()
	}
	if all > joinTimeout || all > lookTimeout || all < 5*time.Second {
		t.Errorf("all pauses together are %s", all)
	}
}

// A group that is listed and never has a coordinator that can describe it stays
// in the list, with what is missing; it is asked again at a bounded pace.
func TestServerNeverDescribesAGroup(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1))
	produce(t, c, "orders", 2)
	place(t, c, "orders", 0, "billing", "shipping")
	refuseDescriptions(c, kerr.CoordinatorNotAvailable.Code)
	s := watch(t, c).done()
	for _, name := range []string{"billing", "shipping"} {
		g := s.Group(id(name))
		if g == nil || len(g.Problems) == 0 || g.Problems[0].Kind != model.ProblemLoading ||
			!strings.Contains(g.Problems[0].Detail, "coordinator is not available (on a server at its limit of groups it never is)") {
			t.Errorf("%s: %+v", name, g)
		}
	}
}

// A server that gives back whole batches delivers again what was accepted and
// confirmed. The session says so; it can't undo it.
func TestServerGivesBackWholeBatches(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1))
	produce(t, c, "orders", 2)
	place(t, c, "orders", 0, "billing")
	s := joinSession(t, sessionClient(t, c, Options{}), "billing", &logbook{}, "orders")
	state := model.NewSession(s.Terms(), time.Now())
	held := take(t, s, 2)
	topic := s.ledgerTopic(held[0].ID)
	state.Took(held, time.Now())
	state.Decide(held[0].ID, model.Accept, time.Now())
	acks := state.Begin(state.Plan(time.Now()), time.Now())
	results, err := s.Acknowledge(t.Context(), acks)
	if err != nil {
		t.Fatal(err)
	}
	state.Settle(results, time.Now())
	wantOutcome(t, results, 2, model.OutcomeDone)

	// The whole batch comes back, without its bytes: that does not matter here.
	var once atomic.Bool
	control(c, kmsg.ShareFetch, func(r kmsg.Request) kmsg.Response {
		if once.Swap(true) {
			return nil
		}
		return acquireAnswer(r, topic, held[0].ID.Partition, held[0].ID.Offset, held[1].ID.Offset)
	})
	again := take(t, s, 2)
	state.Took(again, time.Now())
	var said []string
	warnings, _ := state.Warnings(time.Now())
	for _, w := range warnings {
		said = append(said, w.Text)
	}
	if all := strings.Join(said, "\n"); !strings.Contains(all, "came back, though you accepted it and the server confirmed that") ||
		strings.Count(all, "came back, though") != 1 {
		t.Errorf("warnings: %s", all)
	}
}

// ledgerTopic is the id of a held record's topic.
func (s *Session) ledgerTopic(r model.RecordID) [16]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger[r].topic
}

// acquireAnswer is the answer to a fetch that acquires a run of offsets.
func acquireAnswer(r kmsg.Request, topic [16]byte, partition int32, first, last int64) kmsg.Response {
	resp := r.ResponseKind().(*kmsg.ShareFetchResponse)
	acquired := kmsg.NewShareFetchResponseTopicPartitionAcquiredRecord()
	acquired.FirstOffset, acquired.LastOffset, acquired.DeliveryCount = first, last, 2
	p := kmsg.NewShareFetchResponseTopicPartition()
	p.Partition, p.AcquiredRecords = partition, append(p.AcquiredRecords, acquired)
	t := kmsg.NewShareFetchResponseTopic()
	t.TopicID, t.Partitions = topic, append(t.Partitions, p)
	resp.Topics = append(resp.Topics, t)
	resp.AcquisitionLockTimeoutMillis = 30_000
	return resp
}
