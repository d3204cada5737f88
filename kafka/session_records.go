package kafka

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// gap is a run of acquired offsets at which there is no record: transaction
// markers and what compaction took.
type gap struct {
	at          partitionKey
	first, last int64
}

// acquired books what a fetch acquired and returns its records. The lock is
// counted from when the request left.
func (s *Session) acquired(b *sessionBroker, resp *kmsg.ShareFetchResponse, sent time.Time) ([]model.HeldRecord, []gap) {
	lock := time.Duration(resp.AcquisitionLockTimeoutMillis) * time.Millisecond
	if lock <= 0 {
		lock = defaultLock
	}
	var records []model.HeldRecord
	var gaps []gap
	for i := range resp.Topics {
		t := &resp.Topics[i]
		topic := topicName(s.topicName(t.TopicID))
		for j := range t.Partitions {
			p := &t.Partitions[j]
			if len(p.AcquiredRecords) == 0 {
				continue
			}
			batch := decodeRecords(topic, p)
			for _, r := range p.AcquiredRecords {
				held, empty := batch.split(partitionKey{t.TopicID, p.Partition}, r)
				records, gaps = append(records, held...), append(gaps, empty...)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range records {
		r := &records[i]
		r.Lock, r.LockEnds = lock, sent.Add(lock)
		s.ledger[r.ID] = heldEntry{
			topic: s.idOf(r.ID.Topic), broker: b, delivery: r.Delivery, ends: r.LockEnds, record: r.Record,
		}
	}
	return records, gaps
}

// idOf is the id of a topic; s.mu is held.
func (s *Session) idOf(name model.TopicName) [16]byte {
	for id, n := range s.topics {
		if n == name.Raw() {
			return id
		}
	}
	return [16]byte{}
}

// decoded are the records of one partition of an answer.
type decoded struct {
	topic     model.TopicName
	byOffset  map[int64]*kgo.Record
	lastWhole int64
	why       string
}

// decodeRecords reads the records of a partition. Offsets up to lastWhole that
// have no record are gaps; behind it nothing is known.
func decodeRecords(topic model.TopicName, p *kmsg.ShareFetchResponseTopicPartition) decoded {
	d := decoded{topic: topic, byOffset: make(map[int64]*kgo.Record), lastWhole: lastWholeOffset(p.Records)}
	fetched := kmsg.NewFetchResponseTopicPartition()
	fetched.Partition, fetched.RecordBatches = p.Partition, p.Records
	got, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
		Topic: topic.Raw(), Partition: p.Partition, Offset: p.AcquiredRecords[0].FirstOffset,
	}, &fetched, kgo.DefaultDecompressor(), nil)
	if got.Err != nil {
		d.why, d.lastWhole = safeText(got.Err.Error()), -1
	}
	for _, r := range got.Records {
		d.byOffset[r.Offset] = r
	}
	return d
}

// lastWholeOffset is the last offset of the last complete record batch; -1 for
// none. A batch is its base offset (8 bytes), its length (4), and among others
// the delta of its last offset at byte 23.
func lastWholeOffset(batches []byte) int64 {
	const header, delta = 12, 23
	last := int64(-1)
	for len(batches) >= header {
		size := int(int32(binary.BigEndian.Uint32(batches[8:]))) //nolint:gosec // a length as Kafka writes it
		if size < delta+4-header || len(batches) < header+size {
			break
		}
		base := int64(binary.BigEndian.Uint64(batches)) //nolint:gosec // an offset as Kafka writes it
		last = base + int64(binary.BigEndian.Uint32(batches[delta:]))
		batches = batches[header+size:]
	}
	return last
}

// maxAcquired bounds the offsets of one acquired range that are looked at: a
// fetch asks for at most MaxTake records, gaps beside them.
const maxAcquired = 100_000

// split tells records and gaps of an acquired range apart. What can't be read is
// held all the same: a person has to decide about it.
func (d *decoded) split(at partitionKey, r kmsg.ShareFetchResponseTopicPartitionAcquiredRecord) ([]model.HeldRecord, []gap) {
	var records []model.HeldRecord
	var gaps []gap
	for offset := r.FirstOffset; offset <= r.LastOffset && offset-r.FirstOffset < maxAcquired; offset++ {
		record := d.byOffset[offset]
		if record == nil && offset <= d.lastWhole {
			if n := len(gaps); n > 0 && gaps[n-1].last == offset-1 {
				gaps[n-1].last = offset
			} else {
				gaps = append(gaps, gap{at, offset, offset})
			}
			continue
		}
		held := model.HeldRecord{
			ID: model.RecordID{Topic: d.topic, Partition: at.partition, Offset: offset}, Delivery: int(r.DeliveryCount),
		}
		if record != nil {
			held.Record = heldRecord(d.topic, record, held.Delivery)
		} else {
			held.Unreadable = d.unreadable()
		}
		records = append(records, held)
	}
	return records, gaps
}

func (d *decoded) unreadable() string {
	if d.why == "" {
		return "the broker sent no bytes for it"
	}
	return d.why
}

// dropGaps tells the broker that there are no records at these offsets, as every
// consumer does (acknowledgement type 0): it archives them, and nobody waits for
// them. When it fails their lock ends, and somebody else tells.
func (s *Session) dropGaps(ctx context.Context, b *sessionBroker, gaps []gap) {
	if len(gaps) == 0 {
		return
	}
	batches := make(map[partitionKey][]ackBatch)
	for _, g := range gaps {
		batches[g.at] = append(batches[g.at], ackBatch{g.first, g.last, wireGap})
	}
	resp, err := s.acknowledgeLocked(ctx, b, batches, b.next(), false)
	if err != nil || resp.ErrorCode != 0 {
		s.client.opts.Logf("gaps at broker %d were not acknowledged: %v", b.id, err)
	}
}

// heldRecord is the record as a person sees it.
func heldRecord(topic model.TopicName, r *kgo.Record, delivery int) *model.Record {
	out := &model.Record{
		Topic: topic, Partition: r.Partition, Offset: r.Offset, Millis: model.NoTimestamp,
		LeaderEpoch: model.Known(int64(r.LeaderEpoch)), Key: model.NewBlob(r.Key), Value: model.NewBlob(r.Value),
		Delivery: model.Known(int64(delivery)),
	}
	if !r.Timestamp.IsZero() {
		out.Millis = r.Timestamp.UnixMilli()
	}
	if r.Attrs.TimestampType() == 1 {
		out.TimestampType = model.LogAppendTime
	}
	for _, h := range r.Headers[:min(len(r.Headers), model.MaxHeaders)] {
		out.Headers = append(out.Headers, model.Header{Name: outside(h.Key), Value: model.NewBlob(h.Value)})
	}
	out.HeadersCut = max(0, len(r.Headers)-model.MaxHeaders)
	return out
}
