//go:build unix

package test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/kafka/statetopic"
	"sharetop/model"
	"sharetop/test/judge"
)

// silence is Kafka's default broker.session.timeout.ms: for so long nobody leads
// what a killed broker led, and a reader of that sees neither records nor an
// error.
const silence = 9 * time.Second

// silentStateLeader kills the leader of a part of the state topic under the tail,
// while records of a group go on to be settled: its silence is told, on the
// screen too, and what is written until the tail reads again is not missed.
func silentStateLeader(t *testing.T, c cluster, w *watching, groups []string) {
	t.Helper()
	w.until("all from the state topic", fromStateTopic)
	victim := stateLeader(t, c)
	g := placeSilent(t, c, victim)
	w.scope.Open, w.scope.Visible = model.NewGroupID(g.group), append(w.scope.Visible, model.NewGroupID(g.group))
	w.until("the group that goes on", func(b *model.Board) bool { return fromStateTopic(b) && row(b, g.group) != nil })
	screen := startTerminal(t, 120, 40, "--bootstrap-server", strings.Join(c.Bootstrap(), ","))
	screen.shows(groups[0], "state topic, live")
	stop := g.settle(t, c)
	w.until("records settled", func(b *model.Board) bool { return settledIn(b, g.group) > 0 })

	asOf := screen.notes("state topic, as of")
	must(t, c.Kill9(victim))
	killed := time.Now()
	w.onBoard = func(b *model.Board) { calmWhileSilent(t, c, b, victim, killed, g.dead) }
	silent := w.until("the tail not known to be current, and why", func(b *model.Board) bool {
		return b.Snapshot.Offsets.Tail.Phase == model.TailBehind && problemOf(b, model.ProblemUnreachable, "what is shown from there may be as old as") != nil
	})
	if !haveLag(silent, groups, 12) {
		t.Errorf("what was last seen is gone with the leader:\n%s", describe(silent))
	}
	asOf()
	w.until("live again, all from the state topic", func(b *model.Board) bool {
		return fromStateTopic(b) && b.Snapshot.Offsets.Tail.CheckedAt.After(killed)
	})
	again := time.Now()
	t.Logf("live again %v after the leader was killed", again.Sub(killed).Round(time.Millisecond))
	if again.Sub(killed) < silence/2 { // it counts from the broker's last heartbeat
		t.Errorf("the silence was %v: nothing is shown of Kafka's default of %v", again.Sub(killed), silence)
	}
	screen.shows("state topic, live")
	w.onBoard = nil
	stop()
	done := w.until("all settled", func(b *model.Board) bool { return fromStateTopic(b) && hasLag(b, g.group, 0) })
	g.nothingMissed(t, c, done.Snapshot, killed, again)
	compareOffsets(t, c, w, g.group)
}

// calmWhileSilent checks that no board calls the tail live, as of a moment after
// the kill, while nobody leads a part of the state topic.
func calmWhileSilent(t *testing.T, c cluster, b *model.Board, victim int, killed time.Time, dead map[int32]bool) {
	t.Helper()
	tail := b.Snapshot.Offsets.Tail
	if !tail.CheckedAt.After(killed) {
		return
	}
	led := ledWithout(t, c, victim)
	for p, silent := range dead {
		if silent && !led[p] {
			t.Errorf("as of %s the tail is %d, and nobody leads partition %d of the state topic", clock(tail.CheckedAt), tail.Phase, p)
		}
	}
}

// ledWithout are the partitions of the state topic that another broker than the
// victim leads, as any other broker knows: they hear of it one after the other, and
// the tail is right that asked the first.
func ledWithout(t *testing.T, c cluster, victim int) map[int32]bool {
	t.Helper()
	topic := stateTopic
	led := map[int32]bool{}
	for _, id := range []int{1, 2, 3} {
		if id == victim {
			continue
		}
		req := kmsg.NewPtrMetadataRequest()
		asked := kmsg.NewMetadataRequestTopic()
		asked.Topic = &topic
		req.Topics = append(req.Topics, asked)
		resp, err := c.work.Raw().Broker(id).RetriableRequest(t.Context(), req)
		must(t, err)
		for _, p := range resp.(*kmsg.MetadataResponse).Topics[0].Partitions {
			led[p.Partition] = led[p.Partition] || (p.Leader >= 0 && int(p.Leader) != victim)
		}
	}
	return led
}

// silentGroup is a group that can go on while a broker is dead that leads part
// of its state.
type silentGroup struct {
	topic, group string
	// dead are the partitions of the state topic that the group's state is in: true
	// for those that the broker led.
	dead map[int32]bool
}

// silentTries bounds how many names are tried for a silentGroup.
const silentTries = 200

// placeSilent makes a topic and a group of it that need the victim only for a
// part of the state, that of partition 1: records are led, and the group is
// coordinated, by others.
func placeSilent(t *testing.T, c cluster, victim int) silentGroup {
	t.Helper()
	const topic = "silence.jobs"
	id := createWithout(t, c, topic, victim)
	leaders := stateLeaders(t, c)
	for i := range silentTries {
		g := silentGroup{topic: topic, group: fmt.Sprintf("silence-%d", i), dead: map[int32]bool{}}
		fits := true
		for p := range silentPartitions {
			at := statetopic.PartitionFor(statetopic.ShareKey{Group: g.group, TopicID: id, Partition: p}, int32(len(leaders))) //nolint:gosec // a few partitions
			g.dead[at] = leaders[at] == victim
			fits = fits && g.dead[at] == (p == 1)
		}
		if !fits || coordinatorOf(t, c, g.group) == victim {
			continue
		}
		must(t, c.work.SetGroupConfig(t.Context(), g.group, "share.record.lock.duration.ms", "4000"))
		must(t, c.work.PlaceGroup(t.Context(), g.group, topic, make([]int64, silentPartitions)...))
		return g
	}
	t.Fatalf("no group needs broker %d for a part of its state only: %v", victim, leaders)
	return silentGroup{}
}

// silentPartitions is how many partitions a silentGroup reads. The state of
// neighbours is in neighbouring partitions of the state topic.
const silentPartitions int32 = 2

// createWithout creates a topic on all brokers but one.
func createWithout(t *testing.T, c cluster, topic string, not int) model.TopicID {
	t.Helper()
	replicas := slices.DeleteFunc([]int32{1, 2, 3}, func(id int32) bool { return int(id) == not })
	create := kmsg.NewCreateTopicsRequestTopic()
	create.Topic, create.NumPartitions, create.ReplicationFactor = topic, -1, -1
	for p := range silentPartitions {
		at := kmsg.NewCreateTopicsRequestTopicReplicaAssignment()
		at.Partition, at.Replicas = p, []int32{replicas[p%2], replicas[(p+1)%2]}
		create.ReplicaAssignment = append(create.ReplicaAssignment, at)
	}
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Topics = append(req.Topics, create)
	resp, err := req.RequestWith(t.Context(), c.work.Raw())
	must(t, err)
	must(t, kerr.ErrorForCode(resp.Topics[0].ErrorCode))
	return resp.Topics[0].TopicID
}

// coordinatorOf is the broker that coordinates a group.
func coordinatorOf(t *testing.T, c cluster, group string) int {
	t.Helper()
	found := c.work.Admin().FindGroupCoordinators(t.Context(), group)
	must(t, found.Error())
	return int(found[group].NodeID)
}

// stateLeaders are the leaders of the state topic's partitions; below 0 where
// there is none.
func stateLeaders(t *testing.T, c cluster) []int {
	t.Helper()
	topics, err := c.work.Admin().ListTopicsWithInternal(t.Context(), stateTopic)
	must(t, err)
	parts := topics[stateTopic].Partitions
	leaders := make([]int, len(parts))
	for p, detail := range parts {
		leaders[p] = int(detail.Leader)
	}
	return leaders
}

// stateLeader is a broker that leads a part of the state topic and is not the
// controller.
func stateLeader(t *testing.T, c cluster) int {
	t.Helper()
	for _, leader := range stateLeaders(t, c) {
		if leader > 1 {
			return leader
		}
	}
	t.Fatal("the controller leads all of the state topic")
	return 0
}

// stateLedBy are the partitions of the state topic that a broker leads.
func stateLedBy(t *testing.T, c cluster, broker int) map[int32]bool {
	t.Helper()
	led := map[int32]bool{}
	for p, leader := range stateLeaders(t, c) {
		if leader == broker {
			led[int32(p)] = true //nolint:gosec // a few partitions
		}
	}
	if len(led) == 0 {
		t.Fatalf("broker %d leads nothing of the state topic", broker)
	}
	return led
}

// settle produces and settles records until it is stopped: of ten one is
// rejected, and three are released at their first delivery. Nothing waits for the
// answer to an acknowledgement: what became of it is for Kafka to say.
func (g silentGroup) settle(t *testing.T, c cluster) (stop func()) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Bootstrap()...), kgo.ConsumeTopics(g.topic), kgo.ShareGroup(g.group), kgo.DisableClientMetrics())
	must(t, err)
	consuming, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		for consuming.Err() == nil {
			client.PollRecords(consuming, -1).EachRecord(settleOne)
		}
	})
	t.Cleanup(func() {
		cancel()
		running.Wait()
		client.Close()
	})
	end := make(chan struct{})
	var produced sync.WaitGroup
	produced.Go(func() {
		for i := int32(0); !isClosed(end); i++ {
			if err := c.work.Produce(t.Context(), g.topic, i%silentPartitions, 5); err != nil {
				t.Errorf("nothing is produced any more: %v", err)
				return
			}
			waitUntil(t, time.Now().Add(stirPause))
		}
	})
	return func() { close(end); produced.Wait() }
}

func isClosed(end <-chan struct{}) bool {
	select {
	case <-end:
		return true
	default:
		return false
	}
}

func settleOne(r *kgo.Record) {
	switch {
	case r.Offset%10 == 3:
		r.Ack(kgo.AckReject)
	case r.Offset%3 == 1 && r.DeliveryCount() == 1:
		r.Ack(kgo.AckRelease)
	default:
		r.Ack(kgo.AckAccept)
	}
}

// settledIn is how many records of a group are seen to be finished or given up.
func settledIn(b *model.Board, group string) int64 {
	r := row(b, group)
	if r == nil || r.Group.OffsetsFrom != model.FromStateTopic {
		return 0
	}
	return settled(r.Group)
}

// nothingMissed holds the events of the tail against a reading of the whole state
// topic: every record that was given back or given up, with its count. Beside the
// dead broker some of it must have been written before all was read again, and
// where it was some after the kill.
func (g silentGroup) nothingMissed(t *testing.T, c cluster, s *model.Snapshot, killed, again time.Time) {
	t.Helper()
	if s.State == nil || !s.State.Missed.IsZero() || s.State.EventsDropped || s.State.Open.Raw() != g.group {
		t.Fatalf("part of what happened is said to be missed: %+v", s.State)
	}
	reader := readState(t, c)
	reader.toEnd()
	written := outcomesWritten{now: map[string]outcome{}, all: map[string]bool{}}
	dead, beside := 0, 0
	for i, r := range decodeState(t, reader.records) {
		if r.Group != g.group {
			continue
		}
		written.add(r)
		record := reader.records[i]
		switch {
		case record.Timestamp.Before(killed):
		case g.dead[record.Partition]:
			dead++
		case record.Timestamp.Before(again):
			beside++
		}
	}
	sameSet(t, "given back and given up", outcomesTold(s.State), slices.Collect(maps.Keys(written.all)))
	t.Logf("%d events; %d records were written beside the dead broker meanwhile, %d later where it was", len(written.all), beside, dead)
	if dead == 0 || beside == 0 || len(written.all) == 0 {
		t.Error("nothing was written that the silence could have hidden")
	}
}

// outcomesTold are the records of the open group that were seen to be given back
// or given up: partition@offset, state and count.
func outcomesTold(v *model.StateView) []string {
	told := map[string]bool{}
	for _, e := range slices.Concat(v.ArchivedOf(v.Open), v.Events) {
		if e.State != model.RecordArchived && e.State != model.RecordReleased {
			continue
		}
		for _, place := range offsetsOf(e) {
			told[fmt.Sprintf("%s %s %d", place, e.State, e.Count)] = true
		}
	}
	return slices.Collect(maps.Keys(told))
}

// outcome is what became of one record; as Kafka reckons, what is written later
// holds where its count is higher or, at the same count, its state.
type outcome struct {
	count int16
	state int8
}

// outcomesWritten are those of a whole state topic, record by record.
type outcomesWritten struct {
	now map[string]outcome // by partition@offset
	// all are the releases and archivings, as outcomesTold has them.
	all map[string]bool
}

func (o outcomesWritten) add(r judge.StateRecord) {
	names := map[int8]model.RecordState{0: model.RecordReleased, 4: model.RecordArchived}
	for _, b := range r.Batches {
		next := outcome{b.Count, b.State}
		for offset := b.First; offset <= b.Last; offset++ {
			place := fmt.Sprintf("%d@%d", r.Partition, offset)
			if last := o.now[place]; next.count < last.count || (next.count == last.count && next.state <= last.state) {
				continue
			}
			o.now[place] = next
			if state, told := names[b.State]; told {
				o.all[fmt.Sprintf("%s %s %d", place, state, b.Count)] = true
			}
		}
	}
}
