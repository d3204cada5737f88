package kafka

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"net"
	"slices"
	"sync"
	"time"

	"sharetop/model"
)

// Options are what a Client needs besides the connection. The zero Options are
// good but for Now, which is required.
type Options struct {
	// Now is the clock that stamps all that is seen. Timers use the runtime's.
	Now func() time.Time
	// RequestRate is how many groups a second each coordinator is asked for
	// while a paced sweep runs; 0 means DefaultRequestRate.
	RequestRate int
	// Logf gets one line for each thing worth knowing when looking for a fault;
	// nil for none. It is called from any goroutine.
	Logf func(format string, args ...any)
	// Panicked gets a panic of one of the client's goroutines, from within the
	// deferred call that recovered it; the client is of no use then and is to be
	// closed. Nil lets a panic end the process.
	Panicked func(recovered any)
	// Dial opens connections; nil for plain TCP. It must honour its context.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// SoftwareName and SoftwareVersion are what brokers are told (KIP-511);
	// empty for "sharetop" and "dev".
	SoftwareName, SoftwareVersion string
}

// DefaultRequestRate is the pace of sweeps after the first, in requests a
// second for each coordinator.
const DefaultRequestRate = 100

// ErrClosed is what Watch returns once the client is closed.
var ErrClosed = errors.New("the connection to the cluster is closed")

// Client watches one cluster. All its methods are safe for concurrent use.
type Client struct {
	conn   model.Connection
	opts   Options
	ctx    context.Context
	cancel context.CancelFunc
	wg     workers

	demand   *demand
	state    *state
	schedule *scheduler
	nodes    *nodes
	departed departures
	sweeper  *sweeper
	source   OffsetSource
	both     *sources
	requests *requests
	tail     *tail
	cross    crossCheck

	cluster, topics, settings, configs, names *job
	// archived is nil where the state topic is not to be read.
	archived *job

	// listSeed is what answers to listRequest are summed with.
	listSeed maphash.Seed
	relisted throttle
	leaders  throttle
	features throttle
	limits   throttle
	// longestHold is how long a record was held before it was acknowledged.
	longestHold longest

	places peekPlaces
	peeks  *peekGate
	met    lastError
}

// Open makes a client. It neither dials nor blocks: connections are opened once
// somebody watches. The error says what is wrong with the settings.
func Open(conn model.Connection, opts Options) (*Client, error) {
	if len(conn.Bootstrap) == 0 {
		return nil, errors.New("no bootstrap server was given; name at least one as HOST:PORT")
	}
	for _, addr := range conn.Bootstrap {
		if _, _, err := net.SplitHostPort(addr); err != nil {
			return nil, fmt.Errorf("bootstrap server %q is not HOST:PORT: %w", safeText(addr), err)
		}
	}
	if opts.Now == nil {
		return nil, errors.New("kafka.Options.Now is not set")
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &Client{conn: conn, opts: opts.withDefaults(), ctx: ctx, cancel: cancel, listSeed: maphash.MakeSeed(), peeks: newPeekGate()}
	c.start()
	return c, nil
}

func (o Options) withDefaults() Options {
	if o.RequestRate <= 0 {
		o.RequestRate = DefaultRequestRate
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if o.SoftwareName == "" {
		o.SoftwareName = "sharetop"
	}
	if o.SoftwareVersion == "" {
		o.SoftwareVersion = "dev"
	}
	return o
}

func (c *Client) start() {
	now := c.opts.Now
	c.wg.panicked = c.opts.Panicked
	c.demand = newDemand(now)
	c.state = newState(now)
	c.sweeper = newSweeper(now)
	c.schedule = newScheduler(now, c.demand.active, &c.wg)
	factory := newClients(c.ctx, c.conn, c.opts)
	factory.heard = func() { c.state.answered.note(now()) }
	c.nodes = newNodes(factory, c.conn.Bootstrap)
	c.tail = newTail(c)
	c.both = &sources{tail: c.tail, sink: sink{c}}
	c.requests = newRequests(c.ctx, now, c.both, c.nodes.link, c.opts.RequestRate, &c.wg)
	c.both.requests, c.source = c.requests, c.both
	c.tail.mu.Lock()
	c.tail.tell()
	c.tail.mu.Unlock()
	c.cluster = c.schedule.add(c.ctx, fixed(clusterEvery), c.runCluster)
	c.topics = c.schedule.add(c.ctx, fixed(time.Hour), c.runNewTopics)
	c.settings = c.schedule.add(c.ctx, fixed(settingsCheck), c.runSettings)
	c.configs = c.schedule.add(c.ctx, fixed(configsEvery), c.runConfigs)
	c.names = c.schedule.add(c.ctx, fixed(time.Hour), c.runNames)
	if !c.tail.off() {
		every := func() time.Duration { return interval(c.demand.scope()) }
		c.schedule.add(c.ctx, every, c.runTail)
		c.schedule.add(c.ctx, every, c.runHeads)
		c.archived = c.schedule.add(c.ctx, every, c.runArchived)
		c.schedule.add(c.ctx, fixed(settingsCheck), c.runRetention)
		c.wg.Go(c.tail.run)
	}
	c.wg.Go(func() { c.schedule.loop(c.ctx) })
}

// fixed is an interval that does not depend on the scope.
func fixed(d time.Duration) func() time.Duration { return func() time.Duration { return d } }

// Watch returns the first snapshot that is newer than after: at once where one
// is there, else as soon as something changes. There are at most 20 snapshots a
// second, and the first change after a quiet 50 ms is returned at once.
//
// The scope says what to keep fresh; it holds until the next call. The cluster
// is asked only while somebody is inside Watch, or was a moment ago. When ctx
// ends, so does the wait, and nothing else. Partial success is the normal case:
// what could not be seen stands in the snapshot's Problems. The error is ctx's,
// or ErrClosed.
func (c *Client) Watch(ctx context.Context, scope model.Scope, after model.Version) (*model.Snapshot, error) {
	if c.ctx.Err() != nil {
		return nil, ErrClosed
	}
	before, woke := c.demand.enter(scope)
	defer c.demand.leave()
	if woke {
		c.schedule.poke()
		c.source.Wake()
	}
	c.rescope(before, scope)

	return c.state.next(ctx, c.ctx.Done(), after, gapFor(scope))
}

// rescope does at once what a change of scope asks for.
func (c *Client) rescope(before, scope model.Scope) {
	if before.Refresh != scope.Refresh {
		c.schedule.force(append(c.nodes.jobs(), c.cluster, c.topics, c.settings, c.configs)...)
		c.tail.retry()
	}
	if before.Once && !scope.Once {
		c.tail.poke()
	}
	if before.Interval != scope.Interval {
		c.schedule.kick(c.nodes.jobs()...)
	}
	if before.Open != scope.Open {
		c.state.setOpen(before.Open.Raw(), scope.Open.Raw())
		c.schedule.kick(c.configs)
		if id := scope.Open.Raw(); id != "" && !c.state.knows(id) {
			c.schedule.kick(c.nodes.censuses()...)
		}
	}
	if before.Open != scope.Open || !slices.Equal(before.Visible, scope.Visible) ||
		!slices.Equal(before.Marked, scope.Marked) {
		c.followStale(scope)
	}
}

// followStale asks for those groups of the scope that were not answered in this
// tick: scrolling back and forth does not ask twice.
func (c *Client) followStale(scope model.Scope) {
	stale := c.state.unanswered(wanted(scope), c.opts.Now().Add(-interval(scope)))
	for coordinator, groups := range byCoordinator(c.state.targets(stale)) {
		c.source.Follow(coordinator, groups)
	}
}

// closeTimeout bounds Close.
const closeTimeout = 3 * time.Second

// Close ends all waits, connections and goroutines. It returns within
// closeTimeout even when a connection does not close.
func (c *Client) Close() {
	c.cancel()
	c.source.Close()
	done := make(chan struct{})
	go func() {
		c.nodes.close()
		c.wg.Wait()
		close(done)
	}()
	timer := time.NewTimer(closeTimeout)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		c.opts.Logf("closing took longer than %s; left behind", closeTimeout)
	}
}

// sink takes in offsets for a Client.
type sink struct{ *Client }

// Answered implements OffsetSink.
func (k sink) Answered(coordinator int32, o *GroupOffsets) {
	k.state.mergeOffsets(coordinator, o)
	k.state.cure(problemKey{actionOffsets, brokerKey(coordinator)})
	if o.Moved {
		k.relist()
	}
	switch {
	case !k.hurried():
		k.metTopics()
		k.schedule.kickSoon(k.nodes.logJobs()...)
	case k.demand.scope().Only && k.state.newTopics():
		k.schedule.kick(k.topics) // there are few, and all will be needed
	}
	k.swept(o.Group)
}

// Unreachable implements OffsetSink.
func (k sink) Unreachable(coordinator int32, groups []string, err error) {
	if k.ctx.Err() != nil {
		return
	}
	if len(groups) > 0 && !errors.Is(err, errNoAnswerYet) {
		k.opts.Logf("offsets of %d groups at broker %d: %v", len(groups), coordinator, err)
		k.state.report(problemKey{actionOffsets, brokerKey(coordinator)},
			offsetsReachProblem(coordinator, k.nodes.addr(coordinator), err))
	}
	k.swept(groups...)
}

// Pending implements OffsetSink.
func (k sink) Pending(group string) bool { return k.sweeper.isPending(group) }

// Watched implements OffsetSink.
func (k sink) Watched() bool { return k.demand.active(k.opts.Now()) }

// hurried tells whether only the end of the first sweep counts: then topics and
// log ends are asked for once, when it is over.
func (c *Client) hurried() bool { return c.demand.scope().Once && !c.sweeper.isFirstOver() }

// metTopics asks for topics that were just met.
func (c *Client) metTopics() {
	if c.state.newTopics() {
		c.schedule.kickSoon(c.topics)
	}
}

// swept notes progress of the sweep, and what follows from its end.
func (c *Client) swept(groups ...string) {
	c.sweeper.done(groups...)
	settled := c.tail.settled.Load() || !c.demand.scope().Once
	if c.sweeper.endFirst(c.state.allTried() && settled) {
		c.wg.Go(c.finishFirst)
	}
	c.state.setSweep(c.sweeper.progress())
}

// finishFirst sees to what goes with the first sweep: the topics it found,
// their log offsets, and the configs of the groups.
func (c *Client) finishFirst() {
	c.schedule.settle(c.ctx, c.nodes.censuses()...)
	if c.state.wantsNames() {
		c.schedule.await(c.ctx, c.names)
	}
	if c.state.newTopics() {
		c.schedule.await(c.ctx, c.topics)
	}
	c.schedule.await(c.ctx, append(c.nodes.logJobs(), c.settings)...)
	if scope := c.demand.scope(); scope.Once && scope.Archived && c.archived != nil {
		c.schedule.await(c.ctx, c.archived)
	}
	if c.demand.scope().Once {
		c.state.tellMissing()
	}
	c.sweeper.setFirstDone()
	c.state.setSweep(c.sweeper.progress())
}

// relist asks all brokers for their groups at once, since a coordinator moved;
// at most once in relistGap.
func (c *Client) relist() {
	if c.relisted.allow(c.opts.Now(), relistGap) {
		c.schedule.kick(c.nodes.censuses()...)
	}
}

// relistGap bounds how often a moved coordinator makes all brokers be asked.
const relistGap = 500 * time.Millisecond

// releaders asks for leaders at once, since one moved; at most once in
// relistGap.
func (c *Client) releaders() {
	if c.leaders.allow(c.opts.Now(), relistGap) {
		c.schedule.kick(c.cluster)
	}
}

// throttle lets one through in a given time.
type throttle struct {
	mu   sync.Mutex
	last time.Time
}

func (t *throttle) allow(now time.Time, gap time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.last.IsZero() && now.Sub(t.last) < gap {
		return false
	}
	t.last = now
	return true
}

// reset lets the next one through.
func (t *throttle) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = time.Time{}
}
