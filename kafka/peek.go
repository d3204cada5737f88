package kafka

import (
	"context"
	"errors"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// Bounds of one peek beside model's.
const (
	// peekFetchBytes is asked for in one Fetch. A broker gives at least one
	// batch, however large.
	peekFetchBytes = 1 << 20
	// peekFetches is the most Fetch requests of one pass over the log: a
	// compacted log or one full of markers can have little in each.
	peekFetches = 16
	// peekTries is how often a place is looked up again because a leader moved.
	peekTries = 3
)

// Peek reads records by an ordinary Fetch at explicit offsets on the
// partition's leader. No group is touched. What could not be read stands in the
// result's Problem, with the records that could; the error is ctx's, or
// ErrClosed.
func (c *Client) Peek(ctx context.Context, req model.PeekRequest) (*model.PeekResult, error) {
	if c.ctx.Err() != nil {
		return nil, ErrClosed
	}
	if req.Max <= 0 {
		req.Max = model.DefaultPeekRecords
	}
	req.Max = min(req.Max, model.MaxPeekRecords)
	leave, err := c.peeks.enter(ctx, req.Topic.Raw())
	if err != nil {
		return nil, err
	}
	defer leave()
	p := &peek{client: c, req: req}
	for try := range peekTries {
		p.afresh = try > 0
		p.out = model.PeekResult{Topic: req.Topic, Partition: req.Partition, At: c.opts.Now()}
		err = p.run(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if c.ctx.Err() != nil {
			return nil, ErrClosed
		}
		if err == nil {
			break
		}
		p.out.Problem = p.problem(err)
		if !p.mayBeElsewhere(err, try) {
			break
		}
		c.places.forget(req.Topic.Raw())
	}
	if p.out.Problem != nil {
		c.peeks.saw(req.Topic.Raw(), 0) // nobody is to wait for a broker that others wait for in vain
	}
	return &p.out, nil
}

// peek is one peek under way.
type peek struct {
	client *Client
	req    model.PeekRequest
	place  peekPlace
	out    model.PeekResult
	// afresh is true when the leader is to be asked for, since what was known of
	// it was wrong. lost is why the broker that was taken for the leader could not
	// be reached; nil when that is not it.
	afresh bool
	lost   error
}

// run looks the leader up and reads.
func (p *peek) run(ctx context.Context) error {
	place, err := p.client.peekPlace(ctx, p.req.Topic.Raw(), p.req.Partition, p.afresh)
	if err != nil {
		return err
	}
	if p.lost != nil && place.link == p.place.link {
		return p.lost // there is no other
	}
	p.place = place
	p.out.ID = place.id
	p.out.Partitions = model.Known(int64(place.partitions))
	at, err := p.locate(ctx)
	if err != nil {
		return err
	}
	if p.req.Backward {
		return p.backward(ctx, at)
	}
	return p.forward(ctx, at, p.req.Max, noLimit)
}

// noLimit is the offset before which a forward peek stops by itself.
const noLimit = int64(1<<63 - 1)

// locate finds the offset that the request names.
func (p *peek) locate(ctx context.Context) (int64, error) {
	switch p.req.From {
	case model.PeekAtLogStart:
		return p.listOffset(ctx, earliest)
	case model.PeekAtEnd:
		return p.listOffset(ctx, latest)
	case model.PeekAtTime:
		at, err := p.listOffset(ctx, max(0, p.req.Time.UnixMilli()))
		if err == nil && at < 0 {
			return p.listOffset(ctx, latest)
		}
		return at, err
	default:
		return max(0, p.req.Offset), nil
	}
}

// listOffset asks the leader for one offset; -1 where no record is that late.
func (p *peek) listOffset(ctx context.Context, which int64) (int64, error) {
	req := listOffsets([]logQuestion{{p.req.Topic.Raw(), p.req.Partition}}, which)
	if p.req.Committed {
		req.IsolationLevel = 1
	}
	resp, err := ask[*kmsg.ListOffsetsResponse](ctx, p.place.link, roleControl, req)
	if err != nil {
		return 0, err
	}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return 0, errIncomplete
	}
	part := &resp.Topics[0].Partitions[0]
	return part.Offset, kerr.ErrorForCode(part.ErrorCode)
}

var errIncomplete = errors.New("the broker's answer lacks the partition")

// forward reads from an offset on, up to max records and to what is below
// limit. An offset outside of the log is clamped.
func (p *peek) forward(ctx context.Context, at int64, limit int, below int64) error {
	err := p.scan(ctx, at, limit, below)
	if !errors.Is(err, kerr.OffsetOutOfRange) {
		return err
	}
	start, err := p.listOffset(ctx, earliest)
	if err != nil {
		return err
	}
	end, err := p.listOffset(ctx, latest)
	if err != nil {
		return err
	}
	p.out.Clamped = true
	p.out.LogStart, p.out.End = model.Known(start), model.Known(end)
	return p.scan(ctx, min(max(at, start), end), limit, max(below, start))
}

// scan fetches until there is enough, or nothing is left.
func (p *peek) scan(ctx context.Context, at int64, limit int, below int64) error {
	s := &batchScan{
		topic: p.req.Topic, partition: p.req.Partition, at: at, below: below, max: limit,
		committed: p.req.Committed, room: model.MaxPeekBytes,
	}
	p.out.From, p.out.Next = at, at
	p.out.Records = nil // an earlier pass's, which can be large
	var err error
	for n := 0; n < peekFetches && !s.done(); n++ {
		before := s.at
		s.largest = 0
		var part *kmsg.FetchResponseTopicPartition
		if part, err = p.fetch(ctx, s.at); err != nil {
			break
		}
		err = s.read(part, p.place.decompressor)
		p.client.peeks.saw(p.req.Topic.Raw(), max(len(part.RecordBatches), s.largest))
		if _, damaged := asBadBatch(err); damaged && s.at > before {
			p.out.Problem, err = p.problem(err), nil // the records behind it can be read
		}
		if err != nil || s.at == before || p.out.Ends(s.at, p.req.Committed) {
			break
		}
	}
	p.out.Records, p.out.Next, p.out.Gaps = s.records, min(s.at, max(below, at)), s.gaps
	p.out.Gaps.Missing = max(0, p.out.Next-at-int64(len(s.records))-s.gaps.Control-s.gaps.Aborted)
	return err
}

// fetch sends one Fetch and returns what it says of the partition.
func (p *peek) fetch(ctx context.Context, at int64) (*kmsg.FetchResponseTopicPartition, error) {
	f := fetching{
		topic: p.req.Topic.Raw(), id: p.place.id, committed: p.req.Committed,
		bytes: peekFetchBytes, partBytes: peekFetchBytes,
	}
	resp, err := ask[*kmsg.FetchResponse](ctx, p.place.link, roleControl, f.request(fetchFrom{p.req.Partition, at}))
	if err != nil {
		return nil, err
	}
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return nil, err
	}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return nil, errIncomplete
	}
	part := &resp.Topics[0].Partitions[0]
	if err := kerr.ErrorForCode(part.ErrorCode); err != nil {
		return nil, err
	}
	p.out.LogStart = numberOrUnknown(part.LogStartOffset)
	p.out.End = numberOrUnknown(part.HighWatermark)
	p.out.Stable = numberOrUnknown(part.LastStableOffset)
	return part, nil
}

// numberOrUnknown is a number of which -1 says that it is not told.
func numberOrUnknown(n int64) model.Number {
	if n < 0 {
		return model.Number{}
	}
	return model.Known(n)
}

// mayBeElsewhere tells whether asking again for the leader can help: it moved, or
// what was remembered of the topic is older than the partition, or the broker that
// led it is gone.
func (p *peek) mayBeElsewhere(err error, try int) bool {
	if movedLeader(err) {
		return true
	}
	if try > 0 || p.place.link == nil {
		return false
	}
	if errors.Is(err, kerr.UnknownTopicOrPartition) {
		return true
	}
	if p.unreachable(err) {
		p.lost = err
	}
	return p.lost != nil
}

// unreachable tells that no broker said that, but the way to one failed.
func (p *peek) unreachable(err error) bool {
	_, said := errorCode(err)
	_, refused := errors.AsType[*refusal](err)
	_, damaged := asBadBatch(err)
	return !said && !refused && !damaged && !errors.Is(err, errIncomplete)
}

// movedLeader tells whether asking metadata again can help.
func movedLeader(err error) bool {
	for _, moved := range []error{
		kerr.NotLeaderForPartition, kerr.FencedLeaderEpoch, kerr.UnknownLeaderEpoch, kerr.UnknownTopicID,
		kerr.InconsistentTopicID, kerr.LeaderNotAvailable, kerr.ReplicaNotAvailable, kgo.ErrClientClosed,
	} {
		if errors.Is(err, moved) {
			return true
		}
	}
	return false
}

// abortedOf are where each producer's aborted transactions begin, ascending.
func abortedOf(part *kmsg.FetchResponseTopicPartition) map[int64][]int64 {
	if len(part.AbortedTransactions) == 0 {
		return nil
	}
	all := make(map[int64][]int64)
	for _, a := range part.AbortedTransactions {
		all[a.ProducerID] = append(all[a.ProducerID], a.FirstOffset)
	}
	for _, firsts := range all {
		slices.Sort(firsts)
	}
	return all
}
