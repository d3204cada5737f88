package demo

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// heartbeatMillis is shorter than a real broker allows by default, so that
// members which join one after the other have their partitions within a second.
const heartbeatMillis = "1000"

// deliveryLimit is how often a record is delivered at most: Kafka's default.
const deliveryLimit = 5

// brokers is how many there are, with node ids from 0.
const brokers = 3

// Bounds in time.
const (
	// lockDuration is the acquisition lock of every group here: the shortest
	// that a real broker allows by default, so that a blocked group can be
	// told from a slow one soon.
	lockDuration = 15 * time.Second
	// seedTimeout bounds the making of topics, records and groups in Start.
	seedTimeout = 10 * time.Second
	// joinTimeout bounds the wait for the members in Start; they take 50 ms.
	joinTimeout = 2 * time.Second
	// joinPoll is how often it is looked for them.
	joinPoll = 5 * time.Millisecond
	// leaveTimeout bounds how long Close lets the consumers leave their groups
	// in good order; after it their connections are cut. It is short, since the
	// brokers go away with them and a person waits for the prompt.
	leaveTimeout = 300 * time.Millisecond
	// fetchWait is how long an idle consumer's fetch may wait at the broker.
	fetchWait = time.Second
)

// Options say how the demo runs. The zero Options are for a person watching.
type Options struct {
	// Fast takes all pauses out of the BookNest packers and stops after the
	// seeded orders: for tests of the totals. The other groups do not join.
	Fast bool
}

// Cluster is the running demo.
type Cluster struct {
	fake *kfake.Cluster
	// packed counts what the packers did with the seeded orders.
	packed      *packing
	coordinator *coordinator
	tap         *tap
	// work lasts until stop: after it nobody takes another record. The clients'
	// connections live as long as wire, until cut. Both belong to the cluster
	// rather than to a call, since its goroutines outlive Start.
	work, wire context.Context
	stop, cut  context.CancelFunc
	working    sync.WaitGroup
}

// Start starts the brokers, fills the topics, places the groups and sets the
// consumers to work. It returns when all data is there and all members have
// joined, or joinTimeout is over. The error says which of these failed; nothing is left running then.
func Start(opts Options) (*Cluster, error) {
	c, err := open()
	if err != nil {
		return nil, err
	}
	if err := c.employ(opts); err != nil {
		c.Close()
		return nil, fmt.Errorf("the demo's consumers could not be made: %w", err)
	}
	if !opts.Fast {
		c.awaitMembers()
	}
	return c, nil
}

// open starts the brokers and seeds them; nobody works yet.
func open() (*Cluster, error) {
	c := &Cluster{packed: newPacking(), coordinator: newCoordinator(time.Now)}
	c.tap = newTap(func(t told) {
		c.coordinator.events.add(func() []*kgo.Record { return c.followOthers(t) })
	})
	fake, err := kfake.NewCluster(
		kfake.ListenFn(c.tap.listen),
		kfake.NumBrokers(brokers),
		kfake.ClusterID("sharetop-demo"),
		kfake.BrokerConfigs(map[string]string{
			"group.share.record.lock.duration.ms": lockMillis(),
			"share.record.lock.sweep.interval.ms": "1000",
			"group.share.heartbeat.interval.ms":   heartbeatMillis,
			"group.share.delivery.count.limit":    strconv.Itoa(deliveryLimit),
		}),
	)
	if err != nil {
		return nil, fmt.Errorf("the demo's brokers did not start on this machine's loopback address: %w", err)
	}
	c.fake = fake
	c.work, c.stop = context.WithCancel(context.Background())
	c.wire, c.cut = context.WithCancel(context.Background())
	if err := c.seed(); err != nil {
		c.Close()
		return nil, fmt.Errorf("the demo's records and groups could not be made: %w", err)
	}
	return c, nil
}

// awaitMembers waits until every group has its members, so that the very first
// look at the demo shows it as it is meant. Who is late joins all the same.
func (c *Cluster) awaitMembers() {
	ctx, cancel := context.WithTimeout(c.work, joinTimeout)
	defer cancel()
	client, err := c.client("demo-look")
	if err != nil {
		return
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	for _, s := range append(scenes(), packers()) {
		for {
			described, err := admin.DescribeShareGroups(ctx, s.group)
			if err == nil && len(described[s.group].Members) >= s.members || !pause(ctx, joinPoll) {
				break
			}
		}
	}
}

// Addrs are the host:port pairs of the brokers, all on the loopback address.
func (c *Cluster) Addrs() []string { return c.fake.ListenAddrs() }

// Drained is closed once every seeded order has been accepted or rejected and
// the brokers have answered for it: the lag of the packers is 0 then, until
// the next order comes in. The state topic says so a moment later.
func (c *Cluster) Drained() <-chan struct{} { return c.packed.drained }

// Packed is what the packers have done so far with the seeded orders.
func (c *Cluster) Packed() Tally { return c.packed.tally() }

// Close ends all work and the brokers. Consumers get leaveTimeout
// for it. Calling it again does nothing.
func (c *Cluster) Close() {
	c.stop()
	cutter := time.AfterFunc(leaveTimeout, c.cut)
	c.working.Wait()
	cutter.Stop()
	c.cut()
	c.fake.Close()
}

// client makes a client of the demo's own. Its connections are cut with wire,
// whatever a Close of it is waiting for.
func (c *Cluster) client(id string, opts ...kgo.Opt) (*kgo.Client, error) {
	client, err := kgo.NewClient(append([]kgo.Opt{
		kgo.WithContext(c.wire),
		kgo.ClientID(id),
		kgo.SeedBrokers(c.Addrs()...),
		kgo.DisableClientMetrics(),
		kgo.ProducerBatchCompression(kgo.NoCompression()),
		kgo.ProducerLinger(0),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.FetchMaxWait(fetchWait),
	}, opts...)...)
	if err != nil {
		return nil, fmt.Errorf("client %s: %w", id, err)
	}
	return client, nil
}

// goWork runs work until it returns and closes its client after it; Close
// waits for both.
func (c *Cluster) goWork(client *kgo.Client, work func()) {
	c.working.Go(func() {
		defer client.Close()
		work()
	})
}

func lockMillis() string { return strconv.FormatInt(lockDuration.Milliseconds(), 10) }
