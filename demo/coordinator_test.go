package demo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"sharetop/kafka"
	"sharetop/kafka/statetopic"
	"sharetop/model"
)

// What the state topic says of every record, and lag, are right once traffic
// pauses: they agree with what the brokers answer for every share-partition.
func TestStateTopic(t *testing.T) {
	noLeaks(t)
	c, err := open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	live := see(t, c, model.OffsetsByStateTopic)
	live.until("every group, before anybody works", func(s *model.Snapshot) bool {
		return s.Offsets.Tail.Phase == model.TailLive && len(states(s)) == 18
	})

	if err := errors.Join(c.employ(Options{Fast: true}), c.hireSinks(500, 0), c.hireRefunders(0, 0)); err != nil {
		t.Fatal(err)
	}
	await(t, c.Drained())
	// The refund that hangs is left, and at most the one that its holder's client
	// has fetched ahead.
	settled := func(s *model.Snapshot) bool {
		sum := map[string]int64{}
		each(s, func(_ string, p *model.SharePartition) { sum[p.Topic.Raw()] += p.Lag.Or(1000) })
		return s != nil && len(s.Groups) == 6 && sum[PackersTopic] == 0 && sum[sinkTopic] == 0 && sum[retryTopic] <= 2
	}
	asked := see(t, c, model.OffsetsByRequests)
	// kfake moves its start offset at once, while what is persisted trails by one
	// write, as in Kafka: starts may differ, lag may not. A start offset of -1
	// has no lag; kfake answers the records of the log and one more.
	live.until("all settled, by the state topic", settled)
	bothSee(t, live, asked, "the same by requests", func() bool {
		return settled(asked.last) && maps.Equal(lags(asked.last), lags(live.last))
	})
	got := live.last
	if n := len(lags(got)); n != 15 {
		t.Errorf("lag is known of %d share-partitions, want all 18 but the 3 of %s", n, newGroup)
	}

	t.Run("promised outcomes", func(t *testing.T) { wantPackersTally(t, got) })
	t.Run("records", func(t *testing.T) { wantRefundStates(t, partition(t, got, retryGroup, 0).State) })
	t.Run("archived", func(t *testing.T) {
		if n := len(got.State.Archived); n < Rejected+1 {
			t.Errorf("%d archived records were seen, want the %d orders and a refund", n, Rejected)
		}
	})
}

// The state topic follows start offsets that are altered or deleted from
// outside, where the brokers do it.
func TestStateTopicFollowsAlterations(t *testing.T) {
	noLeaks(t)
	c := start(t, Options{})
	t.Cleanup(c.Close)
	admin := adminOf(t, c)
	live := see(t, c, model.OffsetsByStateTopic)
	live.until("every group", func(s *model.Snapshot) bool { return len(states(s)) == 18 })

	altered := kadm.Offsets{}
	altered.AddOffset(auditTopic, 1, 7, -1)
	altered.AddOffset(auditTopic, 99, 7, -1) // there is no such partition
	refused := kadm.Offsets{}
	refused.AddOffset(retryTopic, 0, 0, -1) // the group has members
	if _, err := admin.AlterShareGroupOffsets(t.Context(), auditGroup, altered); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.AlterShareGroupOffsets(t.Context(), retryGroup, refused); !errors.Is(err, kerr.NonEmptyGroup) {
		t.Fatalf("altering a group with members: %v", err)
	}
	if _, err := admin.DeleteGroup(t.Context(), newGroup); err != nil {
		t.Fatal(err)
	}
	live.until("the new start offset, and one group less", func(s *model.Snapshot) bool {
		all := states(s)
		return len(all) == 15 && all[auditGroup+" audit-1"].Start() == model.Known(7)
	})
	all := states(live.last)
	if got := all[auditGroup+" audit-0"].Start(); got != model.Known(400) {
		t.Errorf("the partition beside the altered one starts at %v, want 400", got)
	}
	if got := all[retryGroup+" refunds-0"].Head(); got != model.Known(120) {
		t.Errorf("an alteration that was refused moved the head to %v", got)
	}

	if _, err := admin.DeleteShareGroupOffsets(t.Context(), auditGroup, auditTopic); err != nil {
		t.Fatal(err)
	}
	live.until("another group less", func(s *model.Snapshot) bool { return len(states(s)) == 11 })
}

// Members that join before an alteration is written do not hide it.
func TestStateTopicFollowsAlterationsThoughMembersJoin(t *testing.T) {
	noLeaks(t)
	c := withoutCoordinator(t)
	admin := adminOf(t, c)
	altered := kadm.Offsets{}
	altered.AddOffset(newTopic, 0, 5, -1)
	if _, err := admin.AlterShareGroupOffsets(t.Context(), newGroup, altered); err != nil {
		t.Fatal(err)
	}
	member, err := kgo.NewClient(kgo.SeedBrokers(c.Addrs()...), kgo.DisableClientMetrics(), kgo.ShareGroup(newGroup), kgo.ConsumeTopics(newTopic))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(member.Close)
	eventually(t, "the group has a member", func() bool {
		described, err := admin.DescribeShareGroups(t.Context(), newGroup)
		return err == nil && len(described[newGroup].Members) == 1
	})
	coordinateNow(t, c)
	see(t, c, model.OffsetsByStateTopic).until("the altered start offset", func(s *model.Snapshot) bool {
		return states(s)[newGroup+" "+newTopic+"-0"].Start() == model.Known(5)
	})
}

// wantPackersTally compares what was seen to happen to the orders with what is
// promised: each of these was watched from before it happened.
func wantPackersTally(t *testing.T, s *model.Snapshot) {
	t.Helper()
	var got model.Tally
	for p := range int32(packersPartitions) {
		tally := partition(t, s, PackersGroup, p).State.Tally()
		got.Accepted += tally.Accepted
		got.Archived += tally.Archived
		got.Released += tally.Released
		got.Deliveries += tally.Deliveries
	}
	want := model.Tally{Accepted: Accepted, Archived: Rejected, Released: Released, Deliveries: Orders + Released}
	if got != want {
		t.Errorf("the state topic tells of %+v, want %+v", got, want)
	}
}

// wantRefundStates looks at the refunds that were seeded: offset 120 is refund
// 121.
func wantRefundStates(t *testing.T, state *model.PartitionState) {
	t.Helper()
	if head := state.Head(); head != model.Known(120) {
		t.Errorf("the head is %v, want the refund that hangs", head)
	}
	for offset, want := range map[int64]string{
		119: "below-start 0",
		120: "new 0",
		122: "finished 4",
		123: "finished 1",
		125: "archived 5",
		128: "finished 3",
		131: "finished 4",
		133: "finished 1",
		134: "new 0",
	} {
		at, count := state.StateAt(offset)
		if got := fmt.Sprint(at, " ", count); got != want {
			t.Errorf("offset %d is %s, want %s", offset, got, want)
		}
	}
}

// An outcome becomes one record for each share-partition, with equal neighbours
// as one batch, and without what the brokers refused.
func TestOutcomesAreWritten(t *testing.T) {
	co := newCoordinator(func() time.Time { return time.UnixMilli(1) })
	share := co.share("g", topicPartition{"t", 0})
	co.journal.Initialize(share, 10, 1)
	batch := []acknowledged{
		{record: &kgo.Record{Topic: "t", Offset: 10}, status: kgo.AckAccept},
		{record: &kgo.Record{Topic: "t", Offset: 11}, status: kgo.AckAccept},
		{record: &kgo.Record{Topic: "t", Offset: 12}, status: kgo.AckRelease},
		{record: &kgo.Record{Topic: "t", Offset: 13}, status: kgo.AckReject},
		{record: &kgo.Record{Topic: "t", Partition: 1, Offset: 14}, status: kgo.AckAccept, failed: true},
	}
	records := co.records(outcome{"g", batch})
	if len(records) != 1 {
		t.Fatalf("%d records, want one", len(records))
	}
	var update statetopic.Update
	if err := update.Decode(records[0].Value); err != nil {
		t.Fatal(err)
	}
	want := []statetopic.Batch{
		{First: 10, Last: 11, State: statetopic.StateAcknowledged},
		{First: 12, Last: 12, State: statetopic.StateAvailable},
		{First: 13, Last: 13, State: statetopic.StateArchived},
	}
	if !slices.Equal(update.Batches, want) {
		t.Errorf("batches %+v, want %+v", update.Batches, want)
	}
}

// Close does not wait for a queue that nobody empties.
func TestPersistEndsWithWork(t *testing.T) {
	co := newCoordinator(time.Now)
	work, stop := context.WithCancel(t.Context())
	for range maxQueued {
		co.persist(work, "g", nil)
	}
	stop()
	co.persist(work, "g", nil)
	if n := len(co.queue); n != maxQueued {
		t.Errorf("%d outcomes are queued, want %d", n, maxQueued)
	}
}

// viewer watches the demo as sharetop does.
type viewer struct {
	t      *testing.T
	client *kafka.Client
	last   *model.Snapshot
}

func see(t *testing.T, c *Cluster, from model.OffsetsChoice) *viewer {
	t.Helper()
	client, err := kafka.Open(model.Connection{Bootstrap: c.Addrs(), OffsetsFrom: from}, kafka.Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &viewer{t: t, client: client}
}

// until watches until a snapshot is as wanted, for patienceOfTests at most.
func (v *viewer) until(what string, good func(*model.Snapshot) bool) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.t.Context(), patienceOfTests)
	defer cancel()
	for v.last == nil || !good(v.last) {
		if err := v.watch(ctx); err != nil {
			v.t.Fatalf("%s: %v; lags are %v", what, err, lags(v.last))
		}
	}
}

func (v *viewer) watch(ctx context.Context) error {
	var after model.Version
	if v.last != nil {
		after = v.last.Version
	}
	s, err := v.client.Watch(ctx, model.Scope{Interval: model.MinInterval}, after)
	if err == nil {
		v.last = s
	}
	return err
}

// bothSee waits until something holds, whichever of the two comes to see it last.
func bothSee(t *testing.T, one, other *viewer, what string, holds func() bool) {
	t.Helper()
	eventually(t, what, func() bool {
		one.glance()
		other.glance()
		return holds()
	})
}

// glance takes in what is new, if anything comes within two ticks.
func (v *viewer) glance() {
	ctx, cancel := context.WithTimeout(v.t.Context(), 2*model.MinInterval)
	defer cancel()
	_ = v.watch(ctx)
}

// lags are the known lags by share-partition.
func lags(s *model.Snapshot) map[string]int64 {
	all := map[string]int64{}
	each(s, func(name string, p *model.SharePartition) {
		if lag, ok := p.Lag.Get(); ok && p.Start.IsKnown() {
			all[name] = lag
		}
	})
	return all
}

// states are what the state topic says, by share-partition.
func states(s *model.Snapshot) map[string]*model.PartitionState {
	all := map[string]*model.PartitionState{}
	each(s, func(name string, p *model.SharePartition) {
		if p.State != nil {
			all[name] = p.State
		}
	})
	return all
}

func each(s *model.Snapshot, do func(name string, p *model.SharePartition)) {
	if s == nil {
		return
	}
	for _, g := range s.Groups {
		for i := range g.Partitions {
			p := &g.Partitions[i]
			do(fmt.Sprintf("%s %s-%d", g.ID.Raw(), p.Topic.Raw(), p.Partition), p)
		}
	}
}

func partition(t *testing.T, s *model.Snapshot, group string, number int32) *model.SharePartition {
	t.Helper()
	g := s.Group(model.NewGroupID(group))
	if g == nil || int(number) >= len(g.Partitions) {
		t.Fatalf("there is no partition %d of %s", number, group)
	}
	return &g.Partitions[number]
}
