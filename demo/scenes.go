package demo

import (
	"fmt"
	"strconv"
	"time"
)

// The groups beside the BookNest packers.
const (
	sinkGroup, sinkTopic       = "connect-orders-sink", "orders"
	retryGroup, retryTopic     = "payments-retry", "refunds"
	auditGroup, auditTopic     = "nightly-audit", "audit"
	newGroup, newTopic         = "new-group", "shipments"
	awkwardGroup, awkwardTopic = "late \"books\" & 'returns' 📚 \x1b[31mred\x1b[0m", "returns"
)

// scene is one topic and the group that reads it, as they are at the start.
type scene struct {
	group, topic string
	// seeded are the records there at the start, per partition.
	seeded []int
	// start are the group's start offsets, per partition; nil is the beginning
	// of each.
	start []int64
	// members is how many join.
	members int
	// configs are the group's own.
	configs map[string]string
	// record makes the topic's n-th record, n from 1; the caller sets topic
	// and partition.
	record func(n int) (key, value []byte)
	// every and count say how many records come in from the start on; count 0
	// for none.
	every time.Duration
	count int
}

// scenes are all groups but the packers.
func scenes() []scene {
	earliest, latest := groupConfigs("earliest"), groupConfigs("latest")
	return []scene{
		{
			group: sinkGroup, topic: sinkTopic, members: 2, configs: earliest, record: numbered("order"),
			seeded: []int{200, 200, 200, 200, 200, 200}, every: 500 * time.Millisecond, count: 20,
		},
		{
			group: retryGroup, topic: retryTopic, members: 2, configs: earliest, record: numbered("refund"),
			seeded: []int{134}, start: []int64{120}, every: 2 * time.Second, count: 1,
		},
		{
			group: auditGroup, topic: auditTopic, configs: earliest, record: numbered("entry"),
			seeded: []int{1620, 1500, 1474, 1300}, start: []int64{400, 400, 400, 400}, every: time.Second, count: 2,
		},
		{
			group: newGroup, topic: newTopic, configs: latest, record: numbered("shipment"),
			seeded: []int{402, 402, 403}, start: []int64{-1, -1, -1}, every: time.Second, count: 4,
		},
		{
			group: awkwardGroup, topic: awkwardTopic, members: 1, configs: earliest, record: numbered("return"),
			seeded: []int{12}, every: 3 * time.Second, count: 1,
		},
	}
}

// resetConfig says where a group begins that has no start offsets.
const resetConfig = "share.auto.offset.reset"

// groupConfigs are a group's own. kfake shows the lock duration and the limit,
// and does by the brokers' settings, which are the same.
func groupConfigs(reset string) map[string]string {
	return map[string]string{
		resetConfig:                     reset,
		"share.record.lock.duration.ms": lockMillis(),
		"share.delivery.count.limit":    strconv.Itoa(deliveryLimit),
	}
}

// packers is the BookNest scene. Its records are made by order, and none come
// in before all seeded ones are settled.
func packers() scene {
	s := scene{
		group: PackersGroup, topic: PackersTopic, members: 4, seeded: make([]int, packersPartitions),
		configs: groupConfigs("earliest"), every: 2 * time.Second, count: 1,
	}
	for n := 1; n <= Orders; n++ {
		s.seeded[n%packersPartitions]++
	}
	return s
}

// numbered makes records that carry nothing but their number.
func numbered(what string) func(n int) (key, value []byte) {
	return func(n int) (key, value []byte) {
		return fmt.Appendf(nil, "%s-%d", what, n), fmt.Appendf(nil, `{"%s":%d}`, what, n)
	}
}

// employ sets all producers and consumers to work.
func (c *Cluster) employ(opts Options) error {
	client, err := c.client("demo-coordinator")
	if err != nil {
		return err
	}
	c.goWork(client, func() { c.coordinate(client) })
	if opts.Fast {
		return c.hirePackers(100, 0)
	}
	if err := c.hirePackers(10, 100*time.Millisecond); err != nil {
		return err
	}
	if err := c.feedAll(); err != nil {
		return err
	}
	if err := c.hireSinks(14, time.Second/14); err != nil {
		return err
	}
	returns := worker{group: awkwardGroup, topic: awkwardTopic, clientID: "returns-1", batch: 5, decide: accept}
	if err := c.hire(returns, nil); err != nil {
		return err
	}
	return c.hireRefunders(250*time.Millisecond, 3*time.Second)
}

// hirePackers starts the four packers. At 100 ms an order they drain the
// seeded orders in about a minute.
func (c *Cluster) hirePackers(batch int, each time.Duration) error {
	for i := 1; i <= 4; i++ {
		packer := worker{
			group: PackersGroup, topic: PackersTopic, clientID: fmt.Sprintf("packer-%d", i),
			batch: batch, each: each, decide: packOrder, settled: c.packed.settled,
		}
		if err := c.hire(packer, nil); err != nil {
			return err
		}
	}
	return nil
}

// hireSinks starts two tasks of a sink that is too slow for what comes in.
func (c *Cluster) hireSinks(batch int, each time.Duration) error {
	for i := range 2 {
		sink := worker{
			group: sinkGroup, topic: sinkTopic, clientID: fmt.Sprintf("orders-sink-task-%d", i),
			batch: batch, each: each, decide: accept,
		}
		if err := c.hire(sink, nil); err != nil {
			return err
		}
	}
	return nil
}

// hireRefunders lets one member hang on the first record before the other
// begins, so that the head is the record that hangs.
func (c *Cluster) hireRefunders(each, again time.Duration) error {
	held, err := c.holdOne(worker{group: retryGroup, topic: retryTopic, clientID: "refunder-2"})
	if err != nil {
		return err
	}
	w := worker{
		group: retryGroup, topic: retryTopic, clientID: "refunder-1",
		batch: 8, each: each, decide: refund, states: c.coordinator,
	}
	return c.start(w, retrier{worker: w, again: again}, held)
}
