package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"sharetop/kafka/statetopic"
	"sharetop/model"
)

// stage is a cluster in a bubble of fake time, so that what a client does in the
// minutes after its brokers went takes no time: two groups that read two topics,
// one with a member, and the state topic that has both.
type stage struct {
	t       *testing.T
	network *kfake.VirtualNetwork
	c       *kfake.Cluster
}

// stagePorts are where the brokers of a stage listen, by node id.
func stagePorts() []int { return []int{9092, 9093} }

// newStage makes a cluster of one or two brokers. Of two, node 0 leads orders and
// coordinates billing, node 1 leads refunds and coordinates packing, and both lead
// partitions of the state topic.
func newStage(t *testing.T, brokers int) *stage {
	t.Helper()
	s := &stage{t: t, network: new(kfake.VirtualNetwork)}
	s.c = fakeCluster(t, kfake.ListenFn(s.network.Listen), kfake.NumBrokers(brokers), kfake.Ports(stagePorts()[:brokers]...))
	cl := plainClient(t, s.c, kgo.Dialer(s.network.DialContext), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	k := &coordinator{
		t: t, c: s.c, cl: cl, parts: statePartitions, journal: statetopic.NewJournal(statetopic.UpdatesPerSnapshot),
		ids: make(map[string]model.TopicID),
	}
	k.create()
	for i := range statePartitions {
		s.lead(stateTopic, int32(i), int32(i%brokers))
	}
	var offsets kadm.Offsets
	for node, topic := range []string{"orders", "refunds"} {
		var records []*kgo.Record
		for p := range int32(3) {
			s.lead(topic, p, int32(node%brokers))
			offsets.AddOffset(topic, p, 2, -1)
			for range 10 {
				records = append(records, &kgo.Record{Topic: topic, Partition: p, Value: []byte("x")})
			}
		}
		if err := cl.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	for _, group := range stageGroups() {
		if _, err := kadm.NewClient(cl).AlterShareGroupOffsets(t.Context(), group, offsets); err != nil {
			t.Fatal(err)
		}
		k.begin(group, "orders", 2)
		k.begin(group, "refunds", 2)
	}
	s.join(stageGroups()[0])
	return s
}

func stageGroups() []string { return []string{"billing", "packing"} }

func (s *stage) lead(topic string, partition, node int32) {
	s.t.Helper()
	if err := s.c.MoveTopicPartition(topic, partition, node); err != nil {
		s.t.Fatal(err)
	}
}

// join gives a group a member that stays.
func (s *stage) join(group string) {
	s.t.Helper()
	cl := plainClient(s.t, s.c, kgo.Dialer(s.network.DialContext), kgo.ShareGroup(group), kgo.ConsumeTopics("orders"))
	if err := cl.PollRecords(s.t.Context(), 1).Err(); err != nil {
		s.t.Fatal(err)
	}
}

// How a broker goes.
type going uint8

const (
	byKill   going = iota // connections are cut, new ones refused
	byFreeze              // connections stay and open, and nothing is answered
)

// outage lets so many answers through to a client, and then has brokers go until
// heal.
type outage struct {
	network *kfake.VirtualNetwork
	how     going
	// addr is the broker that goes; empty for all.
	addr string
	wg   sync.WaitGroup // of what forwards

	mu      sync.Mutex
	left    int // answers before it begins; below zero: it does not
	passed  int // answers that came through before it began
	on      bool
	victims map[net.Conn]struct{}
	random  *rand.Rand
}

// outage makes an outage that does not begin yet.
func (s *stage) outage(how going, addr string) *outage {
	return &outage{
		network: s.network, how: how, addr: addr, left: -1,
		victims: make(map[net.Conn]struct{}), random: rand.New(rand.NewPCG(1, 2)),
	}
}

// after has it begin instead of the answer after so many from now on. The number
// also makes the answers come in another order.
func (o *outage) after(answers int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.left, o.passed, o.random = answers, 0, rand.New(rand.NewPCG(uint64(answers), 0))
}

func (o *outage) hits(addr string) bool { return o.addr == "" || o.addr == addr }

// dial implements Options.Dial.
func (o *outage) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	o.mu.Lock()
	refused := o.on && o.how == byKill && o.hits(addr)
	o.mu.Unlock()
	if refused {
		return nil, errors.New("connection refused")
	}
	server, err := o.network.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	near, far := net.Pipe()
	if o.hits(addr) {
		o.mu.Lock()
		o.victims[far] = struct{}{}
		o.mu.Unlock()
	}
	o.wg.Go(func() { o.forward(server, far, addr) })
	o.wg.Go(func() { o.answer(server, far, addr) })
	return near, nil
}

// forward hands on what the client sends; a byFreeze broker takes it and does
// nothing.
func (o *outage) forward(server, far net.Conn, addr string) {
	defer server.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := far.Read(buf)
		if err != nil {
			return
		}
		if o.isOn(addr) {
			continue
		}
		if _, err := server.Write(buf[:n]); err != nil {
			far.Close()
			return
		}
	}
}

// answer hands on whole answers, as long as they are let through.
func (o *outage) answer(server, far net.Conn, addr string) {
	defer func() {
		server.Close()
		o.mu.Lock()
		delete(o.victims, far)
		o.mu.Unlock()
	}()
	for {
		var size [4]byte
		if _, err := io.ReadFull(server, size[:]); err != nil {
			break
		}
		frame := make([]byte, 4+binary.BigEndian.Uint32(size[:]))
		copy(frame, size[:])
		if _, err := io.ReadFull(server, frame[4:]); err != nil {
			break
		}
		time.Sleep(o.delay())
		if !o.pass(addr) {
			continue
		}
		if _, err := far.Write(frame); err != nil {
			break
		}
	}
	if !o.isOn(addr) {
		far.Close()
	}
}

// delay is how long an answer is under way: fake time, and another for each, so
// that what belongs together comes in many orders.
func (o *outage) delay() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return time.Duration(o.random.Int64N(int64(slowest)))
}

// slowest bounds the time of an answer: more than the gap between two snapshots,
// so that there is one of nearly every step.
const slowest = 100 * time.Millisecond

// pass tells whether an answer comes through. The first that does not begins the
// outage.
func (o *outage) pass(addr string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.on:
		return !o.hits(addr)
	case o.left != 0:
		o.left--
		o.passed++
		return true
	}
	o.begin()
	return !o.hits(addr)
}

// begin has brokers go; o.mu is held.
func (o *outage) begin() {
	o.on = true
	if o.how == byKill {
		for conn := range o.victims {
			conn.Close()
		}
	}
}

func (o *outage) isOn(addr string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.on && o.hits(addr)
}

// heal ends the outage: connections that lived through it are cut, as by a
// restart.
func (o *outage) heal() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.on, o.left = false, -1
	for conn := range o.victims {
		conn.Close()
	}
}

// answers is how many came through before the outage, or since after was called.
func (o *outage) answers() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.passed
}
