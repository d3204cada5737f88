package demo

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sharetop/kafka/statetopic"
	"sharetop/model"
)

const (
	// stateTopic is where Kafka's share coordinators persist the state of
	// share-partitions. Kafka makes it with 50 partitions; here are fewer, since
	// every one of them costs whoever reads them, and there are only 18
	// share-partitions.
	stateTopic      = "__share_group_state"
	statePartitions = 6
	// maxQueued bounds the outcomes that wait to be written, in batches. When it
	// is reached the consumers wait.
	maxQueued = 256
	// lookForLocks is how often it is looked for locks of others that ended.
	lookForLocks = time.Second
)

// coordinator stands in for Kafka's share coordinators, which kfake does not
// have: it writes the state topic from what the demo's own consumers were
// answered, and from start offsets that anybody alters or deletes. It sees
// nobody else's acknowledgements, and no expired lock. Its log
// is not pruned: once the seeded orders are done it grows by 12,000 records and
// 2 MB an hour.
type coordinator struct {
	journal *statetopic.Journal
	queue   chan outcome
	events  *events
	others  *others
	now     func() time.Time
	// begun are the share-partitions that have a state, and their topics. Only
	// begin and then coordinate touch it.
	begun map[statetopic.ShareKey]string
	// ids and turns are by topic and by group. They do not change after begin.
	ids   map[string]model.TopicID
	turns map[string]*sync.RWMutex
}

// outcome is a batch that the brokers have answered.
type outcome struct {
	group string
	batch []acknowledged
}

func newCoordinator(now func() time.Time) *coordinator {
	return &coordinator{
		journal: statetopic.NewJournal(statetopic.UpdatesPerSnapshot),
		queue:   make(chan outcome, maxQueued),
		events:  newEvents(),
		others:  newOthers(now),
		now:     now,
		begun:   map[statetopic.ShareKey]string{},
		ids:     map[string]model.TopicID{},
		turns:   map[string]*sync.RWMutex{},
	}
}

// begin makes the state topic and writes where each group starts.
func (c *Cluster) begin(ctx context.Context, client *kgo.Client, all []scene) error {
	if err := c.fake.CreateTopic(stateTopic, statePartitions, nil); err != nil {
		return err
	}
	co := c.coordinator
	var records []*kgo.Record
	for _, s := range all {
		info := c.fake.TopicInfo(s.topic)
		if info == nil {
			return fmt.Errorf("there is no topic %s", s.topic)
		}
		co.ids[s.topic], co.turns[s.group] = info.TopicID, &sync.RWMutex{}
		for partition, start := range s.starts() {
			share := co.share(s.group, topicPartition{s.topic, int32(partition)})
			key, value := co.journal.Initialize(share, start, co.now().UnixMilli())
			records = append(records, stateRecord(share, key, value))
			co.begun[share] = s.topic
		}
	}
	c.placeAtJoin()
	return client.ProduceSync(ctx, records...).FirstErr()
}

func (co *coordinator) share(group string, at topicPartition) statetopic.ShareKey {
	return statetopic.ShareKey{Group: group, TopicID: co.ids[at.topic], Partition: at.partition}
}

func stateRecord(share statetopic.ShareKey, key, value []byte) *kgo.Record {
	return &kgo.Record{
		Topic: stateTopic, Partition: statetopic.PartitionFor(share, statePartitions), Key: key, Value: value,
	}
}

// inTurn acknowledges and persists what was acknowledged, so that awaitTurns of
// the same group see both or neither.
func (co *coordinator) inTurn(group string, do func()) {
	turn := co.turns[group]
	turn.RLock()
	defer turn.RUnlock()
	do()
}

// awaitTurns waits until what made these records available again is queued to
// be written. A released record is delivered to another consumer before the one
// that released it has its answer; this keeps the writes in the order in which
// things happened.
func (co *coordinator) awaitTurns(group string, records []*kgo.Record) {
	for _, r := range records {
		if r.DeliveryCount() > 1 {
			turn := co.turns[group]
			turn.Lock()
			defer turn.Unlock()
			return
		}
	}
}

// persist queues what the brokers answered. It waits while the queue is full,
// but not after work has ended.
func (co *coordinator) persist(work context.Context, group string, batch []acknowledged) {
	select {
	case co.queue <- outcome{group, batch}:
	case <-work.Done():
	}
}

// coordinate writes what comes until work ends. The client produces in the
// background and in order, and waits when too much is under way.
func (c *Cluster) coordinate(client *kgo.Client) {
	co := c.coordinator
	locks := time.NewTicker(lookForLocks)
	defer locks.Stop()
	for {
		var records []*kgo.Record
		select {
		case o := <-co.queue:
			records = co.records(o)
		case <-co.events.some:
			for _, happened := range co.events.take() {
				records = append(records, happened()...)
			}
		case <-locks.C:
			records = co.settle(co.others.expire())
		case <-c.work.Done():
			return
		}
		for _, r := range records {
			client.Produce(c.work, r, nil)
		}
	}
}

// followOthers makes the records of what others did. A
// share-partition that has no state yet begins where its group first gets a
// record.
func (c *Cluster) followOthers(t told) []*kgo.Record {
	co := c.coordinator
	var records []*kgo.Record
	for _, a := range t.altered {
		records = append(records, c.follow(a)...)
	}
	for _, a := range t.acquired {
		topic := c.fake.TopicIDInfo(a.share.TopicID)
		if co.begun[a.share] != "" || topic == nil {
			continue
		}
		key, value := co.journal.Initialize(a.share, a.first, co.now().UnixMilli())
		records = append(records, stateRecord(a.share, key, value))
		co.begun[a.share] = topic.Topic
	}
	return append(records, co.settle(co.others.see(t))...)
}

// records are what an outcome adds to the state topic.
func (co *coordinator) records(o outcome) []*kgo.Record {
	settled := make([]settlement, 0, len(o.batch))
	for _, a := range o.batch {
		if !a.failed {
			share := co.share(o.group, topicPartition{a.record.Topic, a.record.Partition})
			settled = append(settled, settlement{
				recordKey{share, a.record.Offset}, a.state(), int16(a.record.DeliveryCount()), //nolint:gosec // at most deliveryLimit
			})
		}
	}
	return co.settle(settled)
}

// settle makes one record for each share-partition.
func (co *coordinator) settle(settled []settlement) []*kgo.Record {
	batches := map[statetopic.ShareKey][]statetopic.Batch{}
	for _, s := range settled {
		if !co.late(s) {
			batches[s.share] = appendState(batches[s.share], s)
		}
	}
	records := make([]*kgo.Record, 0, len(batches))
	for share, some := range batches {
		key, value, err := co.journal.Settle(share, 0, some, co.now().UnixMilli())
		if err != nil {
			continue // no offset or count that a broker gave is refused
		}
		records = append(records, stateRecord(share, key, value))
	}
	return records
}

// late tells whether more is written of the record already, or its
// share-partition was deleted. One consumer may be seen to give a record back
// only after the next one is seen to settle it: what is done stays done, and
// counts do not fall.
func (co *coordinator) late(s settlement) bool {
	state, count := co.journal.At(s.share, s.offset)
	return state == model.RecordUnknown || state.Done() || count > s.count
}

// appendState adds one record's state, to the batch before where that is the
// same and ends there.
func appendState(batches []statetopic.Batch, s settlement) []statetopic.Batch {
	b := statetopic.Batch{First: s.offset, Last: s.offset, State: s.state, Count: s.count}
	if n := len(batches); n > 0 {
		last := &batches[n-1]
		if last.Last+1 == b.First && last.State == b.State && last.Count == b.Count {
			last.Last = b.Last
			return batches
		}
	}
	return append(batches, b)
}

// state is what the record is in after its acknowledgement.
func (a acknowledged) state() int8 {
	kind := int8(a.status)                                   //nolint:gosec // kgo's are the types on the wire
	return stateAfter(kind, int16(a.record.DeliveryCount())) //nolint:gosec // at most deliveryLimit
}
