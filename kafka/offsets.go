package kafka

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// OffsetSource brings the start offsets and lag of share groups into an
// OffsetSink. A source that is told of changes by itself (the state topic) may
// ignore Follow and Sweep; one that has to ask (requests) does what they say.
type OffsetSource interface {
	// Kind is what a snapshot calls the source.
	Kind() model.OffsetsSource
	// Follow asks for these groups of a coordinator now, the first one first. It
	// is called once a tick and whenever the screen shows others; groups that
	// an earlier call named and that were not asked for yet go before them, so
	// that none waits for ever.
	Follow(coordinator int32, groups []string)
	// Sweep asks for each of these groups of a coordinator once, after all that
	// Follow named: as fast as may be, or paced.
	Sweep(coordinator int32, groups []string, fast bool)
	// Forget drops a coordinator that left, and all that was to be asked there.
	Forget(coordinator int32)
	// Wake tells that somebody watches again.
	Wake()
	// Close ends the source; it may not be used afterwards.
	Close()
}

// OffsetSink takes in what an OffsetSource finds. Its methods are called from
// any goroutine.
type OffsetSink interface {
	// Answered is called for each group that was answered, also with an error.
	Answered(coordinator int32, o *GroupOffsets)
	// Unreachable is called when a coordinator could not be asked for groups.
	Unreachable(coordinator int32, groups []string, err error)
	// Pending tells whether the sweep still waits for a group.
	Pending(group string) bool
	// Watched tells whether somebody looks: a sweep rests while nobody does.
	Watched() bool
}

// GroupOffsets is one answer about one group.
type GroupOffsets struct {
	Group string
	// At is when the answer came.
	At time.Time
	// Problem is set when there are no offsets; Transient tells that what was
	// known before is still worth showing.
	Problem   *model.Problem
	Transient bool
	// Followed tells that Follow asked for it: somebody looks at the group.
	Followed bool
	// Moved tells that the broker is no longer the group's coordinator.
	Moved bool

	partitions []partitionOffsets
}

// maxInFlight is how many DescribeShareGroupOffsets requests a coordinator gets
// at a time. More are no faster, and several groups in one request stall the
// broker for seconds.
const maxInFlight = 2

// requests is the OffsetSource that asks with DescribeShareGroupOffsets: one
// group a request, maxInFlight requests at a time for each coordinator.
type requests struct {
	ctx     context.Context
	now     func() time.Time
	sink    OffsetSink
	link    func(coordinator int32) *link
	spacing time.Duration
	wg      *workers

	mu    sync.Mutex
	pumps map[int32]*pump
}

// newRequests makes the source. Rate is in requests a second for each
// coordinator, for paced sweeps.
func newRequests(ctx context.Context, now func() time.Time, sink OffsetSink,
	link func(int32) *link, rate int, wg *workers,
) *requests {
	return &requests{
		ctx: ctx, now: now, sink: sink, link: link, wg: wg,
		spacing: time.Second / time.Duration(max(rate, 1)),
		pumps:   make(map[int32]*pump),
	}
}

// Kind is model.FromRequests.
func (r *requests) Kind() model.OffsetsSource { return model.FromRequests }

// Follow implements OffsetSource.
func (r *requests) Follow(coordinator int32, groups []string) {
	if p := r.pump(coordinator); p != nil {
		p.follow(groups)
	}
}

// Sweep implements OffsetSource.
func (r *requests) Sweep(coordinator int32, groups []string, fast bool) {
	if p := r.pump(coordinator); p != nil {
		p.addSweep(groups, fast)
		return
	}
	r.sink.Unreachable(coordinator, groups, errNoAnswerYet)
}

// pump returns the pump of a coordinator; nil where no such broker is known.
func (r *requests) pump(coordinator int32) *pump {
	l := r.link(coordinator)
	if l == nil || r.ctx.Err() != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.pumps[coordinator]
	if p != nil && p.link == l {
		return p
	}
	if p != nil {
		p.cancel()
	}
	p = newPump(r, coordinator, l)
	r.pumps[coordinator] = p
	r.wg.Go(p.run)
	return p
}

// Forget implements OffsetSource.
func (r *requests) Forget(coordinator int32) {
	r.mu.Lock()
	p := r.pumps[coordinator]
	delete(r.pumps, coordinator)
	r.mu.Unlock()
	if p != nil {
		p.cancel()
		r.sink.Unreachable(coordinator, p.takeAll(), errNoAnswerYet)
	}
}

// Wake implements OffsetSource.
func (r *requests) Wake() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.pumps {
		p.poke()
	}
}

// Close implements OffsetSource.
func (r *requests) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.pumps {
		p.cancel()
	}
}

// describeOffsets asks a coordinator for one group. It is the only place that
// makes this request, so that no request ever names two groups.
func describeOffsets(ctx context.Context, l *link, group string) (*kmsg.DescribeShareGroupOffsetsResponse, error) {
	g := kmsg.NewDescribeShareGroupOffsetsRequestGroup()
	g.GroupID = group // Topics stays nil: all topics
	req := kmsg.NewPtrDescribeShareGroupOffsetsRequest()
	req.Groups = []kmsg.DescribeShareGroupOffsetsRequestGroup{g}
	return ask[*kmsg.DescribeShareGroupOffsetsResponse](ctx, l, roleOffsets, req)
}

// groupOffsets reads an answer about one group.
func groupOffsets(group string, r *kmsg.DescribeShareGroupOffsetsResponse, at time.Time) *GroupOffsets {
	o := &GroupOffsets{Group: group, At: at}
	for i := range r.Groups {
		if r.Groups[i].GroupID == group {
			o.read(&r.Groups[i], r.Version >= 1)
			return o
		}
	}
	o.fail(model.Problem{
		Kind: model.ProblemOther, Target: target("group", group),
		Detail: fmt.Sprintf("The offsets of %s are missing or old: the broker's answer does not name the group.", safeText(group)),
	}, true)
	return o
}

func (o *GroupOffsets) fail(p model.Problem, transient bool) { o.Problem, o.Transient = &p, transient }

func (o *GroupOffsets) read(g *kmsg.DescribeShareGroupOffsetsResponseGroup, lagTold bool) {
	if g.ErrorCode != 0 {
		o.fail(groupProblem(o.Group, "offsets", g.ErrorCode, deref(g.ErrorMessage)), !takesAway(g.ErrorCode))
		o.Moved = g.ErrorCode == kerr.NotCoordinator.Code
		return
	}
	for i := range g.Topics {
		t := &g.Topics[i]
		for j := range t.Partitions {
			p := &t.Partitions[j]
			o.partitions = append(o.partitions, partitionOffsets{
				topic: t.Topic, topicID: t.TopicID, partition: p.Partition,
				start: p.StartOffset, lag: p.Lag, lagTold: lagTold, epoch: p.LeaderEpoch,
				errorCode: p.ErrorCode, errorText: deref(p.ErrorMessage),
			})
		}
	}
}
