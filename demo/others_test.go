package demo

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/kafka"
	"sharetop/kafka/statetopic"
	"sharetop/model"
)

// rawConsumer takes and settles records of one partition with requests of its
// own, as sharetop does.
type rawConsumer struct {
	t             *testing.T
	client        *kgo.Client
	broker        *kgo.Broker
	group, member string
	topic         [16]byte
	epoch         int32
}

func newRawConsumer(t *testing.T, c *Cluster, group, topic string) *rawConsumer {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Addrs()...), kgo.DisableClientMetrics(), kgo.ClientID("somebody"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &rawConsumer{
		t: t, client: client, broker: client.Broker(int(c.fake.LeaderFor(topic, 0))), group: group, member: "raw-" + topic,
		topic: c.fake.TopicInfo(topic).TopicID,
	}
}

func (r *rawConsumer) ask(q kmsg.Request) kmsg.Response {
	r.t.Helper()
	answer, err := r.broker.Request(r.t.Context(), q)
	if err != nil {
		r.t.Fatal(err)
	}
	r.epoch++
	return answer
}

// fetch takes so many records, and sends acknowledgements along.
func (r *rawConsumer) fetch(most int32, epoch int32, acks ...run) (records []int64, code, ackCode int16) {
	r.t.Helper()
	q := kmsg.NewPtrShareFetchRequest()
	q.GroupID, q.MemberID, q.ShareSessionEpoch = &r.group, &r.member, epoch
	q.MaxBytes, q.MaxRecords, q.BatchSize, q.ShareAcquireMode = 1<<20, most, most, 1
	topic, partition := kmsg.NewShareFetchRequestTopic(), kmsg.NewShareFetchRequestTopicPartition()
	for _, a := range acks {
		b := kmsg.NewShareFetchRequestTopicPartitionAcknowledgementBatch()
		b.FirstOffset, b.LastOffset, b.AcknowledgeTypes = a.first, a.last, a.types
		partition.AcknowledgementBatches = append(partition.AcknowledgementBatches, b)
	}
	topic.TopicID, topic.Partitions = r.topic, append(topic.Partitions, partition)
	q.Topics = append(q.Topics, topic)
	answer := r.ask(q).(*kmsg.ShareFetchResponse)
	for _, t := range answer.Topics {
		for _, p := range t.Partitions {
			ackCode = max(ackCode, p.AcknowledgeErrorCode)
			for _, a := range p.AcquiredRecords {
				for offset := a.FirstOffset; offset <= a.LastOffset; offset++ {
					records = append(records, offset)
				}
			}
		}
	}
	return records, answer.ErrorCode, ackCode
}

// take takes records that must be these.
func (r *rawConsumer) take(want ...int64) {
	r.t.Helper()
	got, code, _ := r.fetch(int32(len(want)), r.epoch)
	if !slices.Equal(got, want) || code != 0 {
		r.t.Fatalf("took %v with code %d, want %v", got, code, want)
	}
}

func (r *rawConsumer) acknowledge(epoch int32, acks ...run) (code int16) {
	r.t.Helper()
	q := kmsg.NewPtrShareAcknowledgeRequest()
	q.GroupID, q.MemberID, q.ShareSessionEpoch = &r.group, &r.member, epoch
	topic, partition := kmsg.NewShareAcknowledgeRequestTopic(), kmsg.NewShareAcknowledgeRequestTopicPartition()
	for _, a := range acks {
		b := kmsg.NewShareAcknowledgeRequestTopicPartitionAcknowledgementBatch()
		b.FirstOffset, b.LastOffset, b.AcknowledgeTypes = a.first, a.last, a.types
		partition.AcknowledgementBatches = append(partition.AcknowledgementBatches, b)
	}
	topic.TopicID, topic.Partitions = r.topic, append(topic.Partitions, partition)
	q.Topics = append(q.Topics, topic)
	answer := r.ask(q).(*kmsg.ShareAcknowledgeResponse)
	if len(answer.Topics) == 0 {
		return answer.ErrorCode
	}
	return max(answer.ErrorCode, answer.Topics[0].Partitions[0].ErrorCode)
}

type run struct {
	first, last int64
	types       []int8
}

// The state topic follows consumers that are not the demo's own: in each request
// that settles records, only where the brokers carried it out, with the counts
// that the brokers gave.
func TestStateTopicFollowsOthers(t *testing.T) {
	noLeaks(t)
	c := withoutConsumers(t)
	r := newRawConsumer(t, c, auditGroup, auditTopic)

	r.take(400, 401, 402, 403, 404, 405, 406, 407)
	accepted(t, r.acknowledge(r.epoch, run{401, 402, []int8{wireAccept}}, run{403, 405, []int8{wireRelease, wireReject, 0}}))
	if code := r.acknowledge(r.epoch, run{400, 401, []int8{wireAccept}}, run{405, 406, []int8{wireAccept}}); code == 0 {
		t.Error("what was settled before is settled again")
	}
	accepted(t, r.acknowledge(r.epoch, run{406, 406, []int8{wireReject}}))
	records, code, ackCode := r.fetch(2, r.epoch, run{407, 407, []int8{wireAccept}})
	if !slices.Equal(records, []int64{403, 408}) || code != 0 || ackCode != 0 {
		t.Fatalf("took %v with codes %d and %d", records, code, ackCode)
	}
	accepted(t, r.acknowledge(r.epoch, run{403, 403, []int8{wireAccept}}))
	// A set that is refused along with a fetch changes nothing.
	if _, _, ackCode = r.fetch(1, r.epoch, run{408, 410, []int8{wireAccept}}); ackCode == 0 {
		t.Error("what is not held is settled by a fetch")
	}
	// Closing the session gives 400 and 408 back.
	accepted(t, r.acknowledge(closeEpoch, run{409, 409, []int8{wireAccept}}))
	r.epoch = beginEpoch
	r.take(400, 408)
	if _, code, _ = r.fetch(1, closeEpoch); code != 0 {
		t.Errorf("closing the session: code %d", code)
	}

	name := auditGroup + " audit-0"
	agree(t, c, name, haveStates(name, map[int64]stateOf{
		399: {model.RecordBelowStart, 0},
		400: {model.RecordReleased, 2},
		402: {model.RecordFinished, 1},
		403: {model.RecordFinished, 2},
		404: {model.RecordArchived, 1},
		405: {model.RecordArchived, 1},
		406: {model.RecordArchived, 1},
		407: {model.RecordFinished, 1},
		408: {model.RecordReleased, 2},
		409: {model.RecordFinished, 1},
		410: {model.RecordNew, 0},
	}))
}

// A group that nobody knew has a state from its first record on. A connection
// that is cut gives back what was taken on it, and what comes back for the fifth
// time is given up.
func TestStateTopicFollowsOthersWhoGo(t *testing.T) {
	noLeaks(t)
	c := withoutConsumers(t)
	const group = "somebody's"
	c.fake.SetGroupConfigs(group, map[string]string{"share.auto.offset.reset": "earliest"})
	for n := range deliveryLimit {
		r := newRawConsumer(t, c, group, awkwardTopic)
		r.member = strconv.Itoa(n) // kfake lets a session begun anew survive its old connection
		eventually(t, "the record is free", func() bool {
			got, _, _ := r.fetch(1, beginEpoch)
			return slices.Equal(got, []int64{0})
		})
		r.client.Close()
	}
	name := group + " returns-0"
	agree(t, c, name, haveStates(name, map[int64]stateOf{0: {model.RecordArchived, deliveryLimit}}))
}

// withoutConsumers is the demo where only the state topic is written.
func withoutConsumers(t *testing.T) *Cluster {
	t.Helper()
	c := withoutCoordinator(t)
	coordinateNow(t, c)
	return c
}

// withoutCoordinator is the demo where nobody works.
func withoutCoordinator(t *testing.T) *Cluster {
	t.Helper()
	c, err := open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// coordinateNow begins to write the state topic.
func coordinateNow(t *testing.T, c *Cluster) {
	t.Helper()
	client, err := c.client("demo-coordinator")
	if err != nil {
		t.Fatal(err)
	}
	c.goWork(client, func() { c.coordinate(client) })
}

// notAudited is an audit file that keeps nothing.
type notAudited struct{}

func (notAudited) Record(...model.AuditEntry) error { return nil }

// A person decides records with sharetop, in a group that the demo's own
// consumers then go on with.
func TestStateTopicFollowsSharetop(t *testing.T) {
	noLeaks(t)
	c := withoutConsumers(t)
	session, err := see(t, c, model.OffsetsByRequests).client.Join(t.Context(), model.JoinRequest{
		Group: model.NewGroupID(retryGroup), Topics: []model.TopicName{model.NewTopicName(retryTopic)},
	}, kafka.JoinOptions{Audit: notAudited{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Leave(context.Background()) })
	held, err := session.Take(t.Context(), 6)
	if err != nil || len(held) != 6 || held[0].ID.Offset != 120 {
		t.Fatalf("took %v, %v", held, err)
	}
	decisions := []model.Decision{model.Release, model.Reject, model.Release, model.Accept}
	acks := make([]model.Acknowledgement, len(decisions))
	for i, d := range decisions {
		acks[i] = model.Acknowledgement{ID: held[i].ID, Decision: d}
	}
	results, err := session.Acknowledge(t.Context(), acks)
	if err != nil || len(results) != len(acks) {
		t.Fatalf("%v, %v", results, err)
	}
	if left := session.Leave(t.Context()); len(left.Released) != 2 {
		t.Errorf("left with %+v", left)
	}
	name := retryGroup + " refunds-0"
	agree(t, c, name, haveStates(name, map[int64]stateOf{
		119: {model.RecordBelowStart, 0},
		120: {model.RecordReleased, 1},
		121: {model.RecordArchived, 1},
		122: {model.RecordReleased, 1},
		123: {model.RecordFinished, 1},
		124: {model.RecordReleased, 1}, // given back by leaving
		125: {model.RecordReleased, 1},
		126: {model.RecordNew, 0},
	}))

	if err := c.hireRefunders(0, 0); err != nil {
		t.Fatal(err)
	}
	agree(t, c, name, haveStates(name, map[int64]stateOf{
		120: {model.RecordReleased, 1},
		121: {model.RecordArchived, 1},
		122: {model.RecordFinished, 4},
		123: {model.RecordFinished, 1},
		124: {model.RecordFinished, 2},
		125: {model.RecordArchived, 5},
	}))
}

// A client that sends its acknowledgements along with its fetches.
func TestStateTopicFollowsKgo(t *testing.T) {
	noLeaks(t)
	c := withoutConsumers(t)
	client, err := kgo.NewClient(
		kgo.SeedBrokers(c.Addrs()...), kgo.DisableClientMetrics(), kgo.ShareGroup(auditGroup), kgo.ConsumeTopics(auditTopic),
		kgo.ShareMaxRecords(20), kgo.ShareMaxRecordsStrict(), kgo.FetchMaxWait(fetchWait),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	finished := map[int32]int64{}
	for n := 0; n < 100; {
		for _, r := range client.PollRecords(t.Context(), 20).Records() {
			if n++; n%4 == 0 {
				r.Ack(kgo.AckRelease)
				continue
			}
			r.Ack(kgo.AckAccept)
			finished[r.Partition]++
		}
	}
	client.Close()
	name := auditGroup + " audit-0"
	agree(t, c, name, func(s *model.Snapshot) bool {
		lag, ok := lags(s)[name]
		return ok && lag == 1620-400-finished[0]
	})
}

type stateOf struct {
	state model.RecordState
	count int16
}

func accepted(t *testing.T, code int16) {
	t.Helper()
	if code != 0 {
		t.Fatalf("an acknowledgement was refused with code %d", code)
	}
}

// agree waits until the state topic has it all, and then until the brokers
// answer the same lag.
func agree(t *testing.T, c *Cluster, name string, all func(*model.Snapshot) bool) {
	t.Helper()
	live, asked := see(t, c, model.OffsetsByStateTopic), see(t, c, model.OffsetsByRequests)
	live.until("all in the state topic", all)
	bothSee(t, live, asked, "the same lag by requests", func() bool {
		answered, ok := lags(asked.last)[name]
		return ok && answered == lags(live.last)[name]
	})
}

// haveStates tells whether records of a share-partition are in these states.
func haveStates(name string, want map[int64]stateOf) func(*model.Snapshot) bool {
	return func(s *model.Snapshot) bool {
		state := states(s)[name]
		if state == nil {
			return false
		}
		got := map[int64]stateOf{}
		for offset := range want {
			is, count := state.StateAt(offset)
			got[offset] = stateOf{is, count}
		}
		return maps.Equal(got, want)
	}
}

// What is known of others by itself, without brokers.
func TestLoans(t *testing.T) {
	share := statetopic.ShareKey{Group: "g"}
	one, two := sessionKey{"g", "one", "a:1"}, sessionKey{"g", "two", "a:1"}
	conn := &tappedConn{}
	takes := told{session: one, conn: conn, begins: true, acquired: []acquiredRun{{share, 5, 7, 1}}}
	released := []settlement{
		{recordKey{share, 5}, statetopic.StateAvailable, 1},
		{recordKey{share, 6}, statetopic.StateAvailable, 1},
		{recordKey{share, 7}, statetopic.StateAvailable, 1},
	}
	acks := func(by sessionKey, first, last int64, types ...int8) told {
		return told{session: by, acks: []ackRun{{share, first, last, types}}}
	}
	for name, test := range map[string]struct {
		then told
		wait time.Duration
		want []settlement
	}{
		"nothing":                 {},
		"the session is closed":   {then: told{session: one, closes: true}, want: released},
		"another one is closed":   {then: told{session: two, closes: true}},
		"the member leaves":       {then: told{session: sessionKey{group: "g", member: "one"}, leaves: true}, want: released},
		"another one leaves":      {then: told{session: sessionKey{group: "g", member: "two"}, leaves: true}},
		"the connection ends":     {then: told{conn: conn, ended: true}, want: released},
		"another connection ends": {then: told{conn: &tappedConn{}, ended: true}},
		"somebody else's":         {then: acks(two, 5, 7, wireAccept)},
		"of a run without end":    {then: acks(one, 0, 1<<62, wireRelease), want: released},
		"a lock is over":          {wait: lockIsOver, want: released},
		"a lock is not over":      {wait: lockIsOver - 1},
		"of another type each": {
			then: acks(one, 5, 7, wireReject, wireRenew, 0),
			want: []settlement{
				{recordKey{share, 5}, statetopic.StateArchived, 1}, {recordKey{share, 7}, statetopic.StateArchived, 1},
			},
		},
	} {
		now := time.Unix(0, 0)
		o := newOthers(func() time.Time { return now })
		got := o.see(takes)
		got = append(got, o.see(test.then)...)
		now = now.Add(test.wait)
		got = append(got, o.expire()...)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// What one consumer is seen to do too late does not undo what the next one did.
func TestLateSettlements(t *testing.T) {
	co := newCoordinator(func() time.Time { return time.UnixMilli(1) })
	share := statetopic.ShareKey{Group: "g"}
	if len(co.settle([]settlement{{recordKey{share, 0}, statetopic.StateAcknowledged, 1}})) != 0 {
		t.Error("a share-partition that is gone is written again")
	}
	co.journal.Initialize(share, 0, 1)
	for i, test := range []struct {
		state int8
		count int16
		write bool
	}{
		{statetopic.StateAvailable, 2, true},
		{statetopic.StateAvailable, 1, false},
		{statetopic.StateAcknowledged, 3, true},
		{statetopic.StateAvailable, 3, false},
		{statetopic.StateArchived, 4, false},
	} {
		if wrote := len(co.settle([]settlement{{recordKey{share, 1}, test.state, test.count}})) == 1; wrote != test.write {
			t.Errorf("settlement %d is written: %v", i, wrote)
		}
	}
}
