package kafka

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// Bounds of looking at head records.
const (
	// headsPerTick is how many heads are looked for in one tick.
	headsPerTick = 16
	// headBytes bounds the answer to one look; brokers send the first batch
	// also where it is larger.
	headBytes = 64 << 10
	// headSteps is how many fetches go after one head in a tick, over control
	// markers and gaps.
	headSteps = 4
	// maxHeads bounds what is kept; at the bound all is forgotten.
	maxHeads = 4096
	// headRetry is when a head that may not be looked at is tried again.
	headRetry = 30 * time.Second
	// headRests is how long a head must have stayed before it is looked for.
	headRests = time.Second
	// readCommitted is the isolation level of groups that get no records of open
	// or aborted transactions.
	readCommitted = "read_committed"
)

// headKey is the head of a share-partition as far as its log goes: groups that
// are at the same offset have it in common.
type headKey struct {
	topic     model.TopicID
	partition int32
	offset    int64
	committed bool
}

// headQuestion is a head to look for.
type headQuestion struct {
	headKey
	name   string
	leader int32
	// from is where to look: above what was found to hold no record.
	from int64
}

// runHeads looks for the head records of the groups on screen: how old they are,
// and whether there is one at all. What was found once is not asked again.
func (c *Client) runHeads(ctx context.Context) error {
	scope := c.demand.scope()
	ids := wanted(scope)
	due := c.state.headsDue(ids, scope.Once)
	askLeaders(c, due, func(q headQuestion) int32 { return q.leader }, func(l *link, q headQuestion) error {
		found, err := lookForHead(ctx, l, q, c.opts.Now)
		if err != nil {
			c.opts.Logf("looking at %s-%d@%d: %v", safeText(q.name), q.partition, q.offset, err)
			return err
		}
		c.state.keepHead(q.headKey, found)
		return nil
	})
	if len(due) > 0 {
		c.state.headsDue(ids, scope.Once) // shows what was found
	}
	return nil
}

// askLeaders asks each leader its questions, one after the other, and all leaders
// at once; it returns when all have answered. After an error a leader is asked no
// more.
func askLeaders[Q any](c *Client, all []Q, leader func(Q) int32, ask func(*link, Q) error) {
	by := make(map[int32][]Q, 3)
	for _, q := range all {
		by[leader(q)] = append(by[leader(q)], q)
	}
	var wg sync.WaitGroup
	for leader, questions := range by {
		l := c.nodes.link(leader)
		if l == nil {
			continue
		}
		wg.Add(1)
		c.wg.Go(func() {
			defer wg.Done()
			for _, q := range questions {
				if ask(l, q) != nil {
					return
				}
			}
		})
	}
	wg.Wait()
}

// headsDue are heads of these groups to look for, headsPerTick at most: those at
// rest, or all of them. It also gives rows what is known of their head.
func (s *state) headsDue(ids []string, all bool) []headQuestion {
	s.mu.Lock()
	defer s.mu.Unlock()
	look := headLook{before: s.headsSeen, seen: make(map[headKey]struct{}), all: all, now: s.now()}
	s.headsSeen = look.seen
	for _, id := range ids {
		e := s.groups[id]
		if e == nil || e.group.OffsetsFrom != model.FromStateTopic {
			continue
		}
		var rows []model.SharePartition
		for i := range e.group.Partitions {
			p := &e.group.Partitions[i]
			known, q := s.headOf(e.group, p)
			look.take(q, p.State.HeadSince())
			if known != p.Head {
				if rows == nil {
					rows = slices.Clone(e.group.Partitions)
				}
				rows[i].Head = known
			}
		}
		if rows != nil {
			s.change(e, func(g *model.Group) { g.Partitions = rows })
		}
	}
	return look.due
}

// headLook is one look at the heads of groups.
type headLook struct {
	// before and seen are the heads that the last look and this one have to ask
	// about.
	before, seen map[headKey]struct{}
	all          bool
	now          time.Time
	due          []headQuestion
}

// take adds a question, where there is one, to those that are due.
func (l *headLook) take(q *headQuestion, since model.Stamp) {
	if q == nil {
		return
	}
	l.seen[q.headKey] = struct{}{}
	if len(l.due) >= headsPerTick || (!l.all && !atRest(l.before, q.headKey, since, l.now)) ||
		slices.ContainsFunc(l.due, func(o headQuestion) bool { return o.headKey == q.headKey }) {
		return
	}
	l.due = append(l.due, *q)
}

// atRest tells whether a head stays where it is: it was there at the look before,
// or has been there for long. A Fetch for each place that a busy group passes
// would cost its broker more than it tells anybody.
func atRest(before map[headKey]struct{}, k headKey, since model.Stamp, now time.Time) bool {
	_, seen := before[k]
	return seen || now.Sub(since.Time()) >= headRests
}

// headOf is what is known of a share-partition's head, and the question to ask
// where that is not enough; s.mu is held.
func (s *state) headOf(g *model.Group, p *model.SharePartition) (*model.HeadRecord, *headQuestion) {
	head, known := p.State.Head().Get()
	t := s.topics[p.Topic.Raw()]
	if !known || t == nil || p.Partition < 0 || int(p.Partition) >= len(t.topic.Partitions) {
		return nil, nil
	}
	log := &t.topic.Partitions[p.Partition]
	end, ok := log.End.Get()
	if !ok || head >= end {
		return nil, nil
	}
	q := &headQuestion{
		headKey: headKey{p.TopicID, p.Partition, head, g.Effective().IsolationLevel == readCommitted},
		name:    p.Topic.Raw(), leader: log.Leader, from: max(head, log.LogStart.Or(0)),
	}
	found := s.heads[q.headKey]
	switch {
	case found == nil:
		return nil, q
	case found.Record.IsKnown(), found.OnlyMarkers(log.End),
		found.Problem != nil && s.now().Sub(found.At) < headRetry:
		return found, nil
	}
	q.from = max(q.from, found.NoneUpTo.Or(0))
	return found, q
}

// keepHead keeps what was found.
func (s *state) keepHead(k headKey, found *model.HeadRecord) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.heads) >= maxHeads {
		clear(s.heads)
	}
	s.heads[k] = found
}

// lookForHead fetches at an offset until there is a record, or none is left up to
// the log's end. The error is of the connection, or says that it may be tried
// again soon.
func lookForHead(ctx context.Context, l *link, q headQuestion, now func() time.Time) (*model.HeadRecord, error) {
	found := &model.HeadRecord{Offset: q.offset, At: now()}
	for range headSteps {
		first, next, err := fetchAt(ctx, l, q)
		switch {
		case errors.Is(err, kerr.TopicAuthorizationFailed):
			p := headProblem(q.name)
			found.Problem = &p
			return found, nil
		case err != nil:
			return nil, err
		case first != nil:
			found.Record, found.Timestamp = model.Known(first.Offset), first.Time()
			found.NoneUpTo = model.Number{}
			return found, nil
		}
		found.NoneUpTo = model.Known(max(next, q.from))
		if next <= q.from {
			return found, nil
		}
		q.from = next
	}
	return found, nil
}

// fetchAt looks for the first record in what one Fetch brings; next is the offset
// behind what was looked at.
func fetchAt(ctx context.Context, l *link, q headQuestion) (first *model.Record, next int64, err error) {
	scan := batchScan{partition: q.partition, at: q.from, below: noLimit, max: 1, committed: q.committed}
	if _, err := fetchInto(ctx, l, q, &scan); err != nil {
		return nil, 0, err
	}
	if len(scan.records) > 0 {
		first = scan.records[0]
	}
	return first, scan.at, nil
}

// fetchInto reads what one Fetch brings. Where the log begins above q.from, all
// that is read is that: deleted is the log start offset, else 0.
func fetchInto(ctx context.Context, l *link, q headQuestion, scan *batchScan) (deleted int64, err error) {
	part, err := fetchHead(ctx, l, q)
	if err != nil {
		return 0, err
	}
	if part.ErrorCode == kerr.OffsetOutOfRange.Code && part.LogStartOffset > q.from {
		scan.at = part.LogStartOffset
		return part.LogStartOffset, nil
	}
	if err := kerr.ErrorForCode(part.ErrorCode); err != nil {
		return 0, err
	}
	unpack, err := l.decompressor()
	if err != nil {
		return 0, err
	}
	return 0, scan.read(part, unpack)
}

// fetchHead sends one Fetch and returns what it says of the partition.
func fetchHead(ctx context.Context, l *link, q headQuestion) (*kmsg.FetchResponseTopicPartition, error) {
	f := fetching{topic: q.name, id: q.topic, committed: q.committed, bytes: headBytes, partBytes: headBytes}
	resp, err := ask[*kmsg.FetchResponse](ctx, l, roleControl, f.request(fetchFrom{q.partition, q.from}))
	if err != nil {
		return nil, err
	}
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return nil, err
	}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return nil, errIncomplete
	}
	return &resp.Topics[0].Partitions[0], nil
}

// headProblem says that the record at a head may not be looked at.
func headProblem(topic string) model.Problem {
	return model.Problem{
		Kind: model.ProblemDenied, Target: target("topic", topic),
		Detail: "The age of the first unfinished record of " + safeText(topic) + " is not shown: READ on the topic is missing.",
		Advice: aclCommand("READ", "topic", safeText(topic)),
	}
}
