package kafka

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"sharetop/model"
)

// The cluster's own loop can stay behind when a cluster is closed in the moment
// in which a request begins to be held back: kfake waits there for a lock that
// the request ends with.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/twmb/franz-go/pkg/kfake.(*Cluster).beginSleptControl"))
}

// patienceOfTests bounds every wait of a test; nothing waits that long, however
// slow the machine is.
const patienceOfTests = time.Minute

func fakeCluster(t *testing.T, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.SeedTopics(3, "orders", "refunds")}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func plainClient(t *testing.T, c *kfake.Cluster, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...), kgo.DisableClientMetrics()}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return cl
}

func produce(t *testing.T, c *kfake.Cluster, topic string, perPartition int) {
	t.Helper()
	cl := plainClient(t, c, kgo.RecordPartitioner(kgo.ManualPartitioner()))
	for i := range perPartition * 3 {
		r := &kgo.Record{Topic: topic, Partition: int32(i % 3), Value: []byte("x")}
		if err := cl.ProduceSync(context.Background(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

// place makes a group with these start offsets on all three partitions.
func place(t *testing.T, c *kfake.Cluster, topic string, start int64, groups ...string) {
	t.Helper()
	adm := kadm.NewClient(plainClient(t, c))
	for _, g := range groups {
		offsets := make(kadm.Offsets)
		for p := range int32(3) {
			offsets.AddOffset(topic, p, start, -1)
		}
		if _, err := adm.AlterShareGroupOffsets(context.Background(), g, offsets); err != nil {
			t.Fatalf("placing %q: %v", g, err)
		}
	}
}

// join makes a share consumer that takes one record and holds it.
func join(t *testing.T, c *kfake.Cluster, group string, topics ...string) {
	t.Helper()
	cl := plainClient(t, c, kgo.ShareGroup(group), kgo.ConsumeTopics(topics...), kgo.ClientID("packer-1"))
	ctx, cancel := context.WithTimeout(context.Background(), patienceOfTests)
	defer cancel()
	if err := cl.PollRecords(ctx, 1).Err(); err != nil {
		t.Fatal(err)
	}
}

// watched is a client under test with the snapshots it gives.
type watched struct {
	t      *testing.T
	client *Client
	scope  model.Scope
	last   *model.Snapshot
}

func open(t *testing.T, conn model.Connection, opts Options) *watched {
	t.Helper()
	opts.Now = time.Now
	client, err := Open(conn, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &watched{t: t, client: client}
}

func watch(t *testing.T, c *kfake.Cluster) *watched {
	t.Helper()
	return open(t, model.Connection{Bootstrap: c.ListenAddrs()}, Options{})
}

// until reads snapshots until one is as wanted, and returns it.
func (w *watched) until(what string, good func(*model.Snapshot) bool) *model.Snapshot {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patienceOfTests)
	defer cancel()
	for {
		var after model.Version
		if w.last != nil {
			after = w.last.Version
		}
		s, err := w.client.Watch(ctx, w.scope, after)
		if err != nil {
			w.t.Fatalf("waiting for %s: %v; last seen:\n%s", what, err, dump(w.last))
		}
		w.last = s
		if good(s) {
			return s
		}
	}
}

func (w *watched) done() *model.Snapshot {
	w.t.Helper()
	return w.until("the first sweep", func(s *model.Snapshot) bool { return s.Offsets.Sweep.FirstDone })
}

// expectNoProblems waits until nothing is wrong: a broker that a busy machine keeps
// waiting is told as silent for a moment.
func (w *watched) expectNoProblems() {
	w.t.Helper()
	if w.last == nil || len(w.last.Problems) > 0 {
		w.until("no problem", func(s *model.Snapshot) bool { return len(s.Problems) == 0 })
	}
}

func dump(s *model.Snapshot) string {
	if s == nil {
		return "nothing"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "version %d sweep %+v\n", s.Version, s.Offsets.Sweep)
	for _, g := range s.Groups {
		fmt.Fprintf(&b, "group %s at %d state %q parts %d members %d\n",
			g.ID, g.Coordinator, g.State, len(g.Partitions), len(g.Members))
	}
	for _, p := range s.Problems {
		fmt.Fprintf(&b, "problem %s %s: %s\n", p.Kind, p.Target, p.Detail)
	}
	return b.String()
}

func ids(s *model.Snapshot) []string {
	out := make([]string, len(s.Groups))
	for i, g := range s.Groups {
		out[i] = g.ID.Raw()
	}
	return out
}

// problem returns the first problem of a kind whose detail has a text.
func problem(s *model.Snapshot, kind model.ProblemKind, text string) *model.Problem {
	for i := range s.Problems {
		if p := &s.Problems[i]; p.Kind == kind && strings.Contains(p.Detail, text) {
			return p
		}
	}
	return nil
}

// control answers requests of one key until the test is over; a nil answer
// leaves the request to the cluster.
func control(c *kfake.Cluster, key kmsg.Key, fn func(kmsg.Request) kmsg.Response) {
	c.ControlKey(key.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := fn(r)
		return resp, nil, resp != nil
	})
}

// tally counts requests by key, as the cluster sees them.
type tally struct {
	mu sync.Mutex
	n  map[int16]int
}

func count(c *kfake.Cluster) *tally {
	t := &tally{n: make(map[int16]int)}
	c.Control(func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		t.mu.Lock()
		t.n[r.Key()]++
		t.mu.Unlock()
		return nil, nil, false
	})
	return t
}

func (t *tally) of(key kmsg.Key) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n[key.Int16()]
}

// silentBroker accepts connections and never answers.
func silentBroker(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var conns []net.Conn
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
		}
	})
	t.Cleanup(func() {
		l.Close()
		wg.Wait()
		for _, conn := range conns {
			conn.Close()
		}
	})
	return l.Addr().String()
}

func kfakeBrokers(n int) kfake.Opt { return kfake.NumBrokers(n) }

func contextCancelled() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx, cancel
}

// refuseDescriptions answers each description of a group with a code.
func refuseDescriptions(c *kfake.Cluster, code int16) {
	control(c, kmsg.ShareGroupDescribe, func(r kmsg.Request) kmsg.Response {
		resp := r.ResponseKind().(*kmsg.ShareGroupDescribeResponse)
		for _, group := range r.(*kmsg.ShareGroupDescribeRequest).GroupIDs {
			g := kmsg.NewShareGroupDescribeResponseGroup()
			g.GroupID, g.ErrorCode = group, code
			resp.Groups = append(resp.Groups, g)
		}
		return resp
	})
}
