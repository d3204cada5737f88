package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"sharetop/kafka/statetopic"
	"sharetop/model"
)

// Bounds of reading the state topic.
const (
	// tailFetchBytes bounds one fetch of a broker, tailPartitionBytes one
	// partition in it.
	tailFetchBytes     = 16 << 20
	tailPartitionBytes = 4 << 20
	// tailPoll is how long a wait for records lasts before we look whether
	// somebody still watches.
	tailPoll = 250 * time.Millisecond
	// tailMetadata is how old the tail's own idea of the leaders may be; an
	// error makes it ask at once.
	tailMetadata = 30 * time.Second
	// switchWait bounds the wait for names and log ends before the switch.
	switchWait = 2 * time.Second
)

// stay reads the state topic until something ends it: the error says what.
func (t *tail) stay(ctx context.Context) error {
	facts, err := t.c.lookAtStateTopic(ctx)
	if err != nil {
		return err
	}
	need, bounds, err := t.bounds(ctx, facts)
	if err != nil {
		return err
	}
	t.begin(facts, need, bounds)
	if t.c.demand.scope().Once && t.oneWanted() != "" {
		if err := t.catchUp(ctx, facts, need); err != nil {
			return err
		}
		if err := t.awaitMore(ctx); err != nil {
			return err
		}
		return t.readOn(ctx, func() error { return nil })
	}
	return t.readOn(ctx, func() error { return t.catchUp(ctx, facts, need) })
}

// readOn reads what comes after the load, until an error or until nobody watches.
// Its client connects while the load is under way.
func (t *tail) readOn(ctx context.Context, load func() error) error {
	reader, err := t.newReader(ctx)
	if err != nil {
		return err
	}
	defer reader.Close()
	if err := load(); err != nil {
		return err
	}
	return t.follow(ctx, reader)
}

// catchUp loads, and switches to what was loaded.
func (t *tail) catchUp(ctx context.Context, facts *stateTopicFacts, need []int32) error {
	if err := t.load(ctx, facts, need); err != nil {
		return err
	}
	return t.afterPoll(ctx, t.c.opts.Now())
}

// bounds are the partitions of the state topic to read, and from where to where
// the load goes in each.
func (t *tail) bounds(ctx context.Context, facts *stateTopicFacts) ([]int32, stateBounds, error) {
	if t.oneWanted() != "" {
		return t.oneBounds(ctx, facts)
	}
	all := facts.all()
	t.c.warmTail(facts, all)
	b := t.c.askStateBounds(ctx, facts, all)
	return all, b, b.err()
}

// needed are the partitions of the state topic to read.
func (t *tail) needed(f *stateTopicFacts) []int32 {
	keys := t.oneGroup()
	if keys == nil {
		return f.all()
	}
	var need []int32
	for _, k := range keys {
		if p := statetopic.PartitionFor(k, f.count()); !slices.Contains(need, p) {
			need = append(need, p)
		}
	}
	return need
}

// begin prepares the table: an empty one, or the one held where it is of the
// same topic. What was pruned while we did not read is dropped.
func (t *tail) begin(f *stateTopicFacts, need []int32, bounds stateBounds) {
	starts, ends := bounds.starts, bounds.ends
	only := ""
	if keys := t.oneGroup(); keys != nil {
		only = keys[0].Group
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.c.opts.Now()
	if t.table == nil || !t.topic.same(f) || t.only != only || len(t.parts) != len(need) {
		t.table = statetopic.NewTable(f.count())
		t.table.Only(only)
		t.parts = make(map[int32]*tailPart, len(need))
		t.events, t.metered, t.meter = eventLog{}, 0, meter{}
		t.phase, t.checked = model.TailLoading, time.Time{}
	}
	t.topic, t.only, t.why, t.retryAt = f, only, nil, time.Time{}
	t.began, t.endsAt, t.sampled = now, ends.at, ends.at
	for _, id := range need {
		p := t.parts[id]
		if p == nil {
			p = &tailPart{next: starts.of[id]}
			t.parts[id] = p
		}
		if p.next < starts.of[id] || p.next > ends.of[id] {
			t.drop(id, p)
			p.next = starts.of[id]
		}
		p.start, p.target, p.end = starts.of[id], ends.of[id], ends.of[id]
	}
	t.tell()
}

// drop forgets what a partition said; t.mu is held.
func (t *tail) drop(id int32, p *tailPart) {
	t.table.Drop(id)
	p.next = 0
	if t.live() {
		t.events.missed = t.c.opts.Now()
	}
}

// newReader makes the tail's own client: a plain consumer without a group, which
// reads on from where the load ends. It connects while that is under way.
func (t *tail) newReader(ctx context.Context) (*kgo.Client, error) {
	t.mu.Lock()
	offsets := make(map[int32]kgo.Offset, len(t.parts))
	for id, p := range t.parts {
		offsets[id] = kgo.NewOffset().At(p.target)
	}
	t.mu.Unlock()
	opts := append(t.c.nodes.factory.common(answerTimeout),
		kgo.SeedBrokers(t.c.nodes.addresses()...),
		kgo.WithContext(ctx),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{stateTopic: offsets}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchIsolationLevel(kgo.ReadUncommitted()),
		kgo.KeepControlRecords(),
		kgo.FetchMaxBytes(tailFetchBytes),
		kgo.FetchMaxPartitionBytes(tailPartitionBytes),
		kgo.MetadataMaxAge(tailMetadata),
		kgo.MetadataMinAge(patience),
	)
	return kgo.NewClient(opts...)
}

// follow reads until an error or until nobody watches.
func (t *tail) follow(ctx context.Context, reader *kgo.Client) error {
	var published time.Time
	for wait := time.Duration(0); ; {
		if err := t.pollOnce(ctx, reader, wait); err != nil {
			return err
		}
		now := t.c.opts.Now()
		if !t.c.demand.active(now) {
			return errPaused
		}
		if err := t.afterPoll(ctx, now); err != nil {
			return err
		}
		wait = tailPoll
		if gap := published.Add(snapshotGap).Sub(now); gap > 0 && gap <= snapshotGap {
			wait = gap // what comes now is published together
		} else if t.publishChanged() {
			published = now
		}
	}
}

// pollOnce waits for records, at most for a time, and applies them.
func (t *tail) pollOnce(ctx context.Context, reader *kgo.Client, wait time.Duration) error {
	poll, cancel := context.WithTimeout(ctx, max(wait, time.Millisecond))
	fetches := reader.PollFetches(poll)
	cancel()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if fetches.IsClientClosed() {
		return kgo.ErrClientClosed
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	seen := t.c.opts.Now().UnixMicro()
	for iter := fetches.RecordIter(); !iter.Done(); {
		if err := t.applyNext(iter.Next(), seen); err != nil {
			return err
		}
	}
	return t.failedFetch(fetches.Errors())
}

// applyNext takes in a record that the reader brought; t.mu is held.
func (t *tail) applyNext(r *kgo.Record, seen int64) error {
	p := t.parts[r.Partition]
	if p == nil {
		return nil
	}
	if r.Attrs.IsControl() {
		p.next = max(p.next, r.Offset+1)
		return nil
	}
	return t.apply(p, statetopic.Record{
		Partition: r.Partition, Offset: r.Offset, Timestamp: r.Timestamp.UnixMilli(), Seen: seen,
		Key: r.Key, Value: r.Value,
	})
}

// apply takes in one record; t.mu is held. Only a record that can't be laid to
// any share-partition is an error.
func (t *tail) apply(p *tailPart, r statetopic.Record) error {
	if r.Offset < p.next {
		return nil
	}
	p.next = r.Offset + 1
	applied, err := t.table.Apply(r)
	if err != nil && applied.ShareKey == (statetopic.ShareKey{}) {
		return errUnreadable(err)
	}
	if err != nil {
		t.c.opts.Logf("%v", err)
	}
	return nil
}

// failedFetch says what the errors of a fetch mean; t.mu is held.
func (t *tail) failedFetch(errs []kgo.FetchError) error {
	var lost error
	for _, e := range errs {
		_, dataLoss := errors.AsType[*kgo.ErrDataLoss](e.Err)
		switch {
		case errors.Is(e.Err, context.DeadlineExceeded), errors.Is(e.Err, context.Canceled):
		case errors.Is(e.Err, kerr.TopicAuthorizationFailed):
			return errStateTopicDenied()
		case errors.Is(e.Err, kerr.UnknownTopicOrPartition), errors.Is(e.Err, kerr.UnknownTopicID):
			return errNoStateTopic()
		case errors.Is(e.Err, kerr.OffsetOutOfRange), dataLoss:
			if p := t.parts[e.Partition]; p != nil {
				t.drop(e.Partition, p)
			}
			lost = errReload
		default:
			return fmt.Errorf("partition %d: %w", e.Partition, e.Err)
		}
	}
	return lost
}

// afterPoll follows the load, and holds the budget.
func (t *tail) afterPoll(ctx context.Context, now time.Time) error {
	t.mu.Lock()
	loaded := t.noteLoaded()
	err := t.overBudget(now, loaded)
	switching := loaded && t.phase == model.TailLoading
	if loaded {
		t.reloads = 0
	} else {
		t.tell()
	}
	t.mu.Unlock()
	if err != nil || !switching {
		return err
	}
	return t.goLive(ctx)
}

// noteLoaded has the table watch what is read up to its end; it returns true
// when all is. t.mu is held.
func (t *tail) noteLoaded() bool {
	all := true
	for id, p := range t.parts {
		switch {
		case t.table.Watched(id):
		case p.next >= p.target:
			t.table.Watch(id)
		default:
			all = false
		}
	}
	return all
}

// overBudget is the setback when a bound is passed; t.mu is held.
func (t *tail) overBudget(now time.Time, loaded bool) error {
	if t.table.Memory() > t.budget.MaxMemory {
		return errTooLarge(t.budget.MaxMemory)
	}
	bytes := t.table.Stats().Bytes
	if t.live() && loaded {
		t.meter.add(now, bytes-t.metered)
	}
	t.metered = bytes
	if rate := t.meter.perSecond(now); rate > t.budget.MaxBytesPerSecond {
		return errTooBusy(rate, t.budget.MaxBytesPerSecond)
	}
	if !loaded && now.Sub(t.began) > t.budget.MaxLoad {
		done, total := t.progress()
		return errTooSlow(done, total, t.budget.MaxLoad)
	}
	return nil
}

// progress is how many offsets of the load are read, of how many; t.mu is held.
func (t *tail) progress() (loaded, total int64) {
	for _, p := range t.parts {
		total += p.target - p.start
		loaded += max(0, min(p.next, p.target)-p.start)
	}
	return loaded, total
}

// goLive switches to the state topic once all is loaded: first the names and the
// log ends, so that no row loses a value by the switch.
func (t *tail) goLive(ctx context.Context) error {
	t.mu.Lock()
	err := t.missesOne()
	ids := t.table.Topics()
	t.mu.Unlock()
	if err != nil {
		return err
	}
	ready, cancel := context.WithTimeout(ctx, switchWait)
	defer cancel()
	if unnamed := t.c.state.unnamed(ids); len(unnamed) > 0 {
		if err := t.c.askNames(ready, unnamed); err != nil {
			return err
		}
	}
	t.c.state.wantLogsOf(ids)
	if !t.c.demand.scope().Once { // a printout asks for them last of all
		t.c.schedule.await(ready, t.c.nodes.logJobs()...)
	}
	t.takeOver()
	return nil
}
