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
	return &countedConn{Conn: conn, wire: w}, err
}

// countedConn relies on a request being one Write, as it is on a connection
// without TLS; what can't be read that way fails the test.
type countedConn struct {
	net.Conn
	wire *wire
}

func (c *countedConn) Write(frame []byte) (int, error) {
	c.wire.count(frame)
	return c.Conn.Write(frame)
}

func (w *wire) count(frame []byte) {
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
// FindCoordinator, and one group per request for offsets.
func testRequests(t *testing.T, c cluster) {
	const topic = "requests.jobs"
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	var groups []string
	for i := range 30 {
		groups = append(groups, fmt.Sprintf("requests-%02d", i))
		must(t, c.work.PlaceGroup(t.Context(), groups[i], topic, 0))
	}
	w := &wire{sent: make(map[kmsg.Key]int)}
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
		kmsg.ListOffsets, kmsg.Metadata, kmsg.ListGroups, kmsg.ApiVersions, kmsg.DescribeConfigs,
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
	if len(w.groups) < 3*len(groups) {
		t.Errorf("%d requests for offsets in three rounds of %d groups", len(w.groups), len(groups))
	}
	t.Logf("requests sent: %v", w.sent)
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
