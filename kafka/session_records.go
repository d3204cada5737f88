package kafka

import (
	"cmp"
	"context"
	"math"
	"slices"
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
	unpack, err := b.link.decompressor()
	if err != nil {
		unpack = noDecompressor{err}
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
			batch := decodeRecords(topic, p, unpack)
			for _, r := range p.AcquiredRecords {
				held, empty := batch.split(partitionKey{t.TopicID, p.Partition}, r)
				s.hold(held, heldEntry{topic: t.TopicID, broker: b, since: sent, ends: sent.Add(lock)})
				records, gaps = append(records, held...), append(gaps, empty...)
			}
		}
	}
	return records, gaps
}

// noDecompressor stands for one that could not be had: what is acquired is held
// all the same, and is to be decided.
type noDecompressor struct{ why error }

func (n noDecompressor) Decompress([]byte, kgo.CompressionCodecType) ([]byte, error) {
	return nil, n.why
}

// decoded are the records of one partition of an answer.
type decoded struct {
	topic    model.TopicName
	byOffset map[int64]*model.Record
	// upTo is the first offset that was not looked at: what is below it and is no
	// record is a gap, but for the offsets in unread.
	upTo   int64
	unread []unreadRange
	// why says what kept the scan from going on; empty for nothing.
	why string
}

// unreadRange are offsets of a batch that can't be read.
type unreadRange struct {
	offsetRange
	why string
}

// Bounds of reading what was acquired.
const (
	// maxTakenBytes is how many bytes of records are kept of one partition of one
	// answer; what is over is held and can be decided, but is not shown.
	maxTakenBytes = 64 << 20
	// maxBadBatches is how many batches are passed over in it.
	maxBadBatches = 16
)

// decodeRecords reads the acquired records of a partition with peek's bounded
// reading of batches.
func decodeRecords(topic model.TopicName, p *kmsg.ShareFetchResponseTopicPartition, unpack kgo.Decompressor) decoded {
	scan := &batchScan{
		topic: topic, partition: p.Partition, max: math.MaxInt, room: maxTakenBytes, wanted: wantedOf(p.AcquiredRecords),
	}
	scan.at, scan.below = scan.wanted[0].first, scan.wanted[len(scan.wanted)-1].last+1
	d := decoded{topic: topic}
	for {
		from := scan.at
		err := scan.batches(p.Records, unpack)
		if err == nil {
			break
		}
		if bad, ok := asBadBatch(err); ok {
			from = max(from, bad.offset)
		}
		d.unread = append(d.unread, unreadRange{offsetRange{from, scan.at - 1}, safeText(err.Error())})
		if len(d.unread) == maxBadBatches {
			d.why = d.unread[len(d.unread)-1].why
			break
		}
	}
	if scan.full || scan.spent() && scan.at < scan.below {
		d.why = "with the records before it, it is larger than " + model.FormatSize(maxTakenBytes)
	}
	d.upTo = scan.at
	d.byOffset = make(map[int64]*model.Record, len(scan.records))
	for _, r := range scan.records {
		d.byOffset[r.Offset] = r
	}
	return d
}

// wantedOf are the ranges that were acquired, ascending.
func wantedOf(acquired []kmsg.ShareFetchResponseTopicPartitionAcquiredRecord) []offsetRange {
	out := make([]offsetRange, len(acquired))
	for i, r := range acquired {
		out[i] = offsetRange{r.FirstOffset, r.LastOffset}
	}
	slices.SortFunc(out, func(a, b offsetRange) int { return cmp.Compare(a.first, b.first) })
	return out
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
		record, why := d.byOffset[offset], ""
		if record == nil {
			if why = d.unreadable(offset); why == "" {
				gaps = addGap(gaps, at, offset)
				continue
			}
		} else {
			record.Delivery = model.Known(int64(r.DeliveryCount))
		}
		records = append(records, model.HeldRecord{
			ID:       model.RecordID{Topic: d.topic, Partition: at.partition, Offset: offset},
			Delivery: int(r.DeliveryCount), Record: record, Unreadable: why,
		})
	}
	return records, gaps
}

// addGap adds the next offset without a record.
func addGap(gaps []gap, at partitionKey, offset int64) []gap {
	if n := len(gaps); n > 0 && gaps[n-1].last == offset-1 {
		gaps[n-1].last = offset
		return gaps
	}
	return append(gaps, gap{at, offset, offset})
}

// unreadable says why there is no record to see at an offset; empty where there
// is none at all: a gap.
func (d *decoded) unreadable(offset int64) string {
	for _, u := range d.unread {
		if offset >= u.first && offset <= u.last {
			return u.why
		}
	}
	switch {
	case offset < d.upTo:
		return ""
	case d.why != "":
		return d.why
	default:
		return "the broker sent no bytes for it"
	}
}

// dropGaps tells the broker that there are no records at these offsets, as every
// consumer does (acknowledgement type 0): it archives them, and nobody waits for
// them. When it is refused their lock ends, and somebody else tells. The error is
// that of no answer: then the share session is not known any more.
func (s *Session) dropGaps(ctx context.Context, b *sessionBroker, gaps []gap) error {
	if len(gaps) == 0 {
		return nil
	}
	batches := make(map[partitionKey][]ackBatch)
	for _, g := range gaps {
		batches[g.at] = append(batches[g.at], ackBatch{g.first, g.last, wireGap})
	}
	resp, err := s.acknowledgeLocked(ctx, b, batches, b.next(), false)
	if err == nil && resp.ErrorCode != 0 {
		s.client.opts.Logf("gaps at broker %d were not acknowledged: %s", b.id, codeText(resp.ErrorCode, deref(resp.ErrorMessage)))
	}
	return err
}
