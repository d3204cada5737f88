package ui

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"sharetop/model"
)

// fakePeeker has a few logs and notes what was asked.
type fakePeeker struct {
	mu    sync.Mutex
	logs  map[string]*fakeLog
	asked []model.PeekRequest
	// gate, unless it is nil, is closed when replies may come.
	gate chan struct{}
}

// fakeLog is the log of one partition: its records, and where it begins and
// ends.
type fakeLog struct {
	start, end int64
	records    []*model.Record
	partitions int64
	problem    *model.Problem
	gaps       model.PeekGaps
	// id is the topic's.
	id model.TopicID
	// atMost bounds what one look finds; 0 for what was asked.
	atMost int
}

func newFakePeeker() *fakePeeker { return &fakePeeker{logs: make(map[string]*fakeLog)} }

func (f *fakePeeker) log(topic string, partition int32, l *fakeLog) {
	f.logs[fmt.Sprintf("%s-%d", topic, partition)] = l
}

// Peek is the Peeker's.
func (f *fakePeeker) Peek(ctx context.Context, r model.PeekRequest) (*model.PeekResult, error) {
	if f.gate != nil {
		select {
		case <-f.gate:
		case <-ctx.Done():
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	f.asked = append(f.asked, r)
	out := &model.PeekResult{Topic: r.Topic, Partition: r.Partition, At: fixtureTime()}
	l := f.logs[fmt.Sprintf("%s-%d", r.Topic.Raw(), r.Partition)]
	if l == nil {
		out.Problem = &model.Problem{Kind: model.ProblemGone, Detail: fmt.Sprintf("There is no partition %s-%d (any more), or this user may not see it.", r.Topic, r.Partition)}
		return out, nil
	}
	out.ID = l.id
	out.LogStart, out.End, out.Problem = model.Known(l.start), model.Known(l.end), l.problem
	out.Stable, out.Partitions, out.Gaps = out.End, model.Known(max(1, l.partitions)), l.gaps
	if l.problem != nil {
		return out, nil
	}
	most := r.Max
	if most == 0 {
		most = model.DefaultPeekRecords
	}
	if l.atMost > 0 {
		most = min(most, l.atMost)
	}
	at := l.place(r)
	if at < l.start || at > l.end {
		at, out.Clamped = min(max(at, l.start), l.end), true
	}
	out.From, out.Next = at, at
	for _, record := range l.records {
		switch {
		case r.Backward && record.Offset < at, !r.Backward && record.Offset >= at && len(out.Records) < most:
			out.Records = append(out.Records, record)
		}
	}
	if r.Backward {
		out.Records = slices.Clone(out.Records[max(0, len(out.Records)-most):])
		out.From = l.start
		if len(out.Records) == most {
			out.From = out.Records[0].Offset
		}
		return out, nil
	}
	out.Next = l.end
	if len(out.Records) == most {
		out.Next = out.Records[most-1].Offset + 1
	}
	return out, nil
}

func (l *fakeLog) place(r model.PeekRequest) int64 {
	switch r.From {
	case model.PeekAtLogStart:
		return l.start
	case model.PeekAtEnd:
		return l.end
	case model.PeekAtTime:
		for _, record := range l.records {
			if !record.Time().Before(r.Time) {
				return record.Offset
			}
		}
		return l.end
	default:
		return r.Offset
	}
}

// last is the newest request.
func (f *fakePeeker) last() model.PeekRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[len(f.asked)-1]
}

// filled is a log with a record at every offset from start to end.
func filled(topic string, partition int32, start, end int64) *fakeLog {
	l := &fakeLog{start: start, end: end}
	for offset := start; offset < end; offset++ {
		value := fmt.Sprintf(`{"order":%d,"amount":"%d.50","currency":"EUR"}`, 79_000+offset, offset%90)
		r := fixtureRecord(offset, fmt.Append(nil, "r-", 79_000+offset), []byte(value))
		r.Topic, r.Partition = model.NewTopicName(topic), partition
		switch offset % 9 {
		case 4:
			r.Value = model.NewBlob(nil)
		case 5:
			r.Headers = []model.Header{header("trace", []byte("a1b2"))}
		case 7:
			r.Key = model.NewBlob([]byte{})
		}
		l.records = append(l.records, r)
	}
	return l
}

// refundsPeeker has the logs of openRefunds.
func refundsPeeker() *fakePeeker {
	f := newFakePeeker()
	f.log("refunds", 0, filled("refunds", 0, 9000, 9147))
	f.logs["refunds-0"].gaps = model.PeekGaps{Control: 2}
	f.log("refunds", 1, filled("refunds", 1, 8000, 9201))
	f.log("refunds", 2, &fakeLog{start: 8000, end: 8999})
	f.log("refunds.late", 0, filled("refunds.late", 0, 0, 120))
	f.log("refunds.late", 1, &fakeLog{})
	return f
}

// refundsWithState is the board of openRefunds whose group has its
// share-partitions and, on refunds-0, a state.
func refundsWithState() *model.Board {
	b := openRefunds()
	g := b.Rows[0].Group
	g.Settings = &model.Settings{DeliveryLimit: model.Known(5), AutoOffsetReset: "latest", DeadLetterTopic: model.NewText("dlq.refunds")}
	for i := range b.Open.Partitions {
		p := &b.Open.Partitions[i]
		if i == 0 {
			p.State = model.NewPartitionState(model.StateParts{
				Start: 9120, Finished: 3, LeaderEpoch: -1, StateEpoch: -1, SnapshotEpoch: -1, Highest: 9125,
				Batches: model.Intervals{
					{First: 9120, Last: 9120, State: model.RecordReleased, Count: 3},
					{First: 9121, Last: 9122, State: model.RecordFinished, Count: 1},
					{First: 9123, Last: 9123, State: model.RecordArchived, Count: 5},
					{First: 9125, Last: 9125, State: model.RecordArchiving, Count: 1},
				},
			})
		}
		g.Partitions = append(g.Partitions, p.SharePartition)
	}
	return b
}

func withPeeker(f *fakePeeker) func(*Config) { return func(c *Config) { c.Peeker = f } }
