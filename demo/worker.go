package demo

import (
	"context"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// worker is a share consumer that takes records in batches and acknowledges
// each batch before it takes the next, so that nothing is ever accepted only
// because it was left unmarked when the client polled again.
type worker struct {
	group, topic, clientID string
	// batch is the number of records taken at a time.
	batch int
	// each is the time that one record takes; 0 for none.
	each time.Duration
	// decide says what to do with a record.
	decide func(*kgo.Record) kgo.AckStatus
	// settled, if not nil, is told of every batch that the brokers answered.
	settled func([]acknowledged)
	// states persists what was settled.
	states *coordinator
}

// acknowledged is one record and how its acknowledgement went.
type acknowledged struct {
	record *kgo.Record
	status kgo.AckStatus
	failed bool
}

func accept(*kgo.Record) kgo.AckStatus { return kgo.AckAccept }

// consumer makes a share consumer's client. Failures gets the partitions whose
// acknowledgements were refused.
func (c *Cluster) consumer(w worker, failures *refusals) (*kgo.Client, error) {
	c.tap.spare(w.clientID)
	return c.client(
		w.clientID,
		kgo.ConsumeTopics(w.topic),
		kgo.ShareGroup(w.group),
		kgo.ShareMaxRecords(int32(w.batch)),
		kgo.ShareMaxRecordsStrict(),
		kgo.ShareAckCallback(failures.note),
	)
}

// consumes is something that works as a share consumer until work ends.
type consumes interface {
	run(work context.Context, client *kgo.Client, failures *refusals)
}

// hire starts a worker, which works until Close. It does not begin
// before ready is closed; nil for at once.
func (c *Cluster) hire(w worker, ready <-chan struct{}) error {
	w.states = c.coordinator
	return c.start(w, w, ready)
}

// start sets a consumer of the worker's settings to work.
func (c *Cluster) start(w worker, consumer consumes, ready <-chan struct{}) error {
	failures := &refusals{}
	client, err := c.consumer(w, failures)
	if err != nil {
		return err
	}
	c.goWork(client, func() {
		if ready != nil {
			select {
			case <-ready:
			case <-c.work.Done():
				return
			}
		}
		consumer.run(c.work, client, failures)
	})
	return nil
}

// run takes batches until work is done. What is held then is released by the
// client's Close.
func (w worker) run(work context.Context, client *kgo.Client, failures *refusals) {
	for work.Err() == nil {
		records := w.take(work, client)
		if !w.work(work, client, records, time.Duration(len(records))*w.each, failures) {
			return
		}
	}
}

// work spends time on records and settles them; false when work ended before
// that was done.
func (w worker) work(work context.Context, client *kgo.Client, records []*kgo.Record, takes time.Duration, failures *refusals) bool {
	if len(records) == 0 {
		return true
	}
	batch := make([]acknowledged, len(records))
	for i, r := range records {
		batch[i] = acknowledged{record: r, status: w.decide(r)}
	}
	return pause(work, takes) && w.settle(work, client, batch, failures)
}

// take waits for the next records; none when work ended.
func (w worker) take(work context.Context, client *kgo.Client) []*kgo.Record {
	records := client.PollRecords(work, w.batch).Records()
	w.states.awaitTurns(w.group, records)
	return records
}

// settle acknowledges a batch, and has persisted what the brokers accepted of
// it; false when work ended before they answered. The records are marked no
// sooner than here, since the client sends marks along with its next fetch.
func (w worker) settle(work context.Context, client *kgo.Client, batch []acknowledged, failures *refusals) (answered bool) {
	w.states.inTurn(w.group, func() {
		for _, a := range batch {
			client.MarkAcks(a.status, a.record)
		}
		if answered = client.FlushAcks(work) == nil; answered {
			failures.apply(batch)
			w.states.persist(work, w.group, batch)
		}
	})
	if answered && w.settled != nil {
		w.settled(batch)
	}
	return answered
}

// pause waits for d; false when work ended before that.
func pause(work context.Context, d time.Duration) bool {
	if d <= 0 {
		return work.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-work.Done():
		return false
	}
}

// refusals are the topic-partitions whose acknowledgements a broker refused
// since they were last applied. The callback names no offset: one refused
// record fails its partition's whole set.
type refusals struct {
	mu   sync.Mutex
	gone map[topicPartition]bool
}

type topicPartition struct {
	topic     string
	partition int32
}

func (f *refusals) note(_ *kgo.Client, results kgo.ShareAckResults) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range results {
		if r.Err == nil {
			continue
		}
		if f.gone == nil {
			f.gone = map[topicPartition]bool{}
		}
		f.gone[topicPartition{r.Topic, r.Partition}] = true
	}
}

// apply marks what was refused in a batch and forgets it.
func (f *refusals) apply(batch []acknowledged) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range batch {
		r := batch[i].record
		batch[i].failed = f.gone[topicPartition{r.Topic, r.Partition}]
	}
	clear(f.gone)
}

// any tells whether anything was refused since the last apply.
func (f *refusals) any() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.gone) > 0
}
