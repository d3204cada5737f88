package kafka

import (
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// fetching says what plain Fetch requests of one topic have in common: no group,
// no fetch session, explicit offsets.
type fetching struct {
	topic string
	id    model.TopicID
	// committed leaves out records of open and aborted transactions.
	committed bool
	// wait is how long the broker may wait for something to send; 0 for not at
	// all.
	wait time.Duration
	// bytes bounds an answer, partBytes one partition in it. A broker sends at
	// least one batch, however large.
	bytes, partBytes int32
}

// fetchFrom is where to fetch in a partition.
type fetchFrom struct {
	partition int32
	offset    int64
}

func (f fetching) request(from ...fetchFrom) *kmsg.FetchRequest {
	req := kmsg.NewPtrFetchRequest()
	req.ReplicaID, req.SessionEpoch = -1, -1
	req.MaxWaitMillis, req.MaxBytes = int32(f.wait.Milliseconds()), f.bytes
	if f.wait > 0 {
		req.MinBytes = 1
	}
	if f.committed {
		req.IsolationLevel = 1
	}
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID = f.topic, f.id
	for _, at := range from {
		p := kmsg.NewFetchRequestTopicPartition()
		p.Partition, p.FetchOffset, p.PartitionMaxBytes = at.partition, at.offset, f.partBytes
		t.Partitions = append(t.Partitions, p)
	}
	req.Topics = append(req.Topics, t)
	return req
}

// decompressor is the one of the link's own client, which gives up at
// maxBatchBytes: kgo's default goes on to 2 GiB.
// It is looked for once, since kgo finds an option by reflection.
func (l *link) decompressor() (kgo.Decompressor, error) {
	if known := l.unpack.Load(); known != nil {
		return *known, nil
	}
	cl, err := l.client(roleControl)
	if err != nil {
		return nil, err
	}
	d, ok := cl.OptValue(kgo.WithDecompressor).(kgo.Decompressor)
	if !ok {
		return nil, errors.New("there is no bounded decompressor")
	}
	l.unpack.Store(&d)
	return d, nil
}
