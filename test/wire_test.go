//go:build unix

package test

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// wire counts the requests that leave on its connections.
type wire struct {
	mu sync.Mutex
	// waiting are requests for offsets that are not answered yet, by broker;
	// most is the highest number that any broker had.
	waiting map[string]int
	most    int
	// sent counts requests by key.
	sent map[kmsg.Key]int
	// groups are the sizes of the DescribeShareGroupOffsets requests.
	groups []int
	// odd are requests that could not be read.
	odd []string
}

// dial connects and counts what is written.
func (w *wire) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, addr)
	return &countedConn{Conn: conn, wire: w, addr: addr, asked: make(map[uint32]bool)}, err
}

// countedConn relies on a request being one Write, as it is on a connection
// without TLS; what can't be read that way fails the test.
type countedConn struct {
	net.Conn
	wire *wire
	addr string
	// asked are the requests for offsets that wait for their answer, by
	// correlation id; wire.mu guards it.
	asked map[uint32]bool
	// answers finds the correlation ids in what is read. One goroutine reads.
	answers answerReader
}

func (c *countedConn) Write(frame []byte) (int, error) {
	c.count(frame)
	return c.Conn.Write(frame)
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.answers.read(p[:n], c.answered)
	return n, err
}

// count notes a request that leaves.
func (c *countedConn) count(frame []byte) {
	w := c.wire
	w.mu.Lock()
	defer w.mu.Unlock()
	req, err := readRequest(frame)
	if err != nil {
		w.odd = append(w.odd, err.Error())
		return
	}
	w.sent[kmsg.Key(req.Key())]++
	if r, ok := req.(*kmsg.DescribeShareGroupOffsetsRequest); ok {
		w.groups = append(w.groups, len(r.Groups))
		c.asked[binary.BigEndian.Uint32(frame[8:])] = true
		w.waiting[c.addr]++
		w.most = max(w.most, w.waiting[c.addr])
	}
}

// answered notes an answer.
func (c *countedConn) answered(correlation uint32) {
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	if c.asked[correlation] {
		delete(c.asked, correlation)
		c.wire.waiting[c.addr]--
	}
}

// answerReader follows the frames of a stream however it is cut, and tells the
// correlation id at the beginning of each.
type answerReader struct {
	head []byte // of the frame that begins
	rest int    // bytes of the frame that are still to come after its head
}

func (r *answerReader) read(p []byte, tell func(correlation uint32)) {
	const head = 8 // size, correlation id
	for len(p) > 0 {
		if r.rest > 0 {
			n := min(r.rest, len(p))
			r.rest, p = r.rest-n, p[n:]
			continue
		}
		n := min(head-len(r.head), len(p))
		r.head, p = append(r.head, p[:n]...), p[n:]
		if len(r.head) == head {
			r.rest = int(binary.BigEndian.Uint32(r.head)) - 4
			tell(binary.BigEndian.Uint32(r.head[4:]))
			r.head = r.head[:0]
		}
	}
}

// readRequest reads one request with its header.
func readRequest(frame []byte) (kmsg.Request, error) {
	const header = 14 // size, key, version, correlation id, length of the client id
	if len(frame) < header || int(binary.BigEndian.Uint32(frame)) != len(frame)-4 {
		return nil, fmt.Errorf("a write of %d bytes is not one request", len(frame))
	}
	req := kmsg.RequestForKey(int16(binary.BigEndian.Uint16(frame[4:]))) //nolint:gosec // a key
	if req == nil {
		return nil, fmt.Errorf("request key %d is unknown", binary.BigEndian.Uint16(frame[4:]))
	}
	req.SetVersion(int16(binary.BigEndian.Uint16(frame[6:]))) //nolint:gosec // a version
	body := header + int(binary.BigEndian.Uint16(frame[12:]))
	if req.IsFlexible() {
		body++ // no tags in the header
	}
	if body > len(frame) {
		return nil, fmt.Errorf("a request of %d bytes ends in its header", len(frame))
	}
	return req, req.ReadFrom(frame[body:])
}

// testRequests watches thirty groups for a few ticks and looks at what was
// sent: reading requests only, coordinators from the list instead of
// FindCoordinator, and one group per request for offsets, at most two of them
// in flight at once.
func testRequests(t *testing.T, c cluster) {
	const topic = "requests.jobs"
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	var groups []string
	for i := range 30 {
		groups = append(groups, fmt.Sprintf("requests-%02d", i))
		must(t, c.work.PlaceGroup(t.Context(), groups[i], topic, 0))
	}
	w := &wire{sent: make(map[kmsg.Key]int), waiting: make(map[string]int)}
	watched := watchFrom(t, c.Bootstrap(), w.dial, model.OffsetsByRequests, groups...)
	for range 3 {
		watched.untilFresh()
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.odd) > 0 {
		t.Errorf("writes that are no request: %q", w.odd)
	}
	reading := []kmsg.Key{
		kmsg.ListOffsets, kmsg.Metadata, kmsg.ListGroups, kmsg.ApiVersions, kmsg.DescribeConfigs, kmsg.ListConfigResources,
		kmsg.ShareGroupDescribe, kmsg.DescribeShareGroupOffsets,
	}
	for key, n := range w.sent {
		if !slices.Contains(reading, key) {
			t.Errorf("%d %s requests were sent", n, key.Name())
		}
	}
	for _, n := range w.groups {
		if n != 1 {
			t.Errorf("a request asked for the offsets of %d groups, want 1", n)
		}
	}
	if w.most < 1 || w.most > 2 {
		t.Errorf("%d requests for offsets waited at one coordinator at a time, want 1 or 2", w.most)
	}
	if len(w.groups) < 3*len(groups) {
		t.Errorf("%d requests for offsets in three rounds of %d groups", len(w.groups), len(groups))
	}
	t.Logf("requests sent: %v; at most %d for offsets in flight", w.sent, w.most)
}

// testReadOnly looks for traces on the broker: what is watched stays as it was,
// and no group appears.
func testReadOnly(t *testing.T, c cluster) {
	const topic, group = "readonly.jobs", "readonly"
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	must(t, c.work.Produce(t.Context(), topic, 0, 10))
	must(t, c.work.PlaceGroup(t.Context(), group, topic, 4))
	before := traces(t, c, group)
	w := watch(t, c, group)
	w.scope.Open = model.NewGroupID("not-there") // asked of every broker
	w.until("the group", func(b *model.Board) bool { return hasLag(b, group, 6) })
	w.untilFresh()
	if after := traces(t, c, group); after != before {
		t.Errorf("watching left traces: %s, before %s", after, before)
	}
}

// traces is what watching could change: the groups of all types, and the
// offsets and epochs of one.
func traces(t *testing.T, c cluster, group string) string {
	t.Helper()
	admin := c.work.Admin()
	listed, err := admin.ListGroups(t.Context())
	must(t, err)
	described, err := admin.DescribeShareGroups(t.Context(), group)
	must(t, err)
	offsets, err := admin.DescribeShareGroupOffsets(t.Context(), group)
	must(t, err)
	names := listed.Groups()
	slices.Sort(names)
	d := described[group]
	return fmt.Sprintf("groups %q, epochs %d/%d, members %d, offsets %v", names, d.GroupEpoch, d.AssignmentEpoch, len(d.Members), offsets[group].Offsets)
}

func TestAnswerReader(t *testing.T) {
	frame := func(correlation uint32, body int) []byte {
		f := binary.BigEndian.AppendUint32(nil, uint32(4+body)) //nolint:gosec // small
		return append(binary.BigEndian.AppendUint32(f, correlation), make([]byte, body)...)
	}
	stream := slices.Concat(frame(7, 0), frame(8, 30), frame(9, 3))
	for cut := 1; cut <= len(stream); cut++ {
		var r answerReader
		var got []uint32
		for part := range slices.Chunk(stream, cut) {
			r.read(part, func(correlation uint32) { got = append(got, correlation) })
		}
		if !slices.Equal(got, []uint32{7, 8, 9}) {
			t.Errorf("cut every %d bytes: %v", cut, got)
		}
	}
}
