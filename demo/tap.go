package demo

import (
	"context"
	"encoding/binary"
	"net"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// maxTapped bounds the share requests that are looked at, in bytes; sharetop's
// are below 1 kB.
const maxTapped = 1 << 20

// tap looks at the brokers' connections, because kfake shows a request before
// it is carried out and its answer never: whether an acknowledgement was
// accepted, and how often a record was delivered, is in the answers only.
type tap struct {
	// saw gets what others did, in the order of the answers and before anybody
	// has them. It must not block.
	saw func(told)

	mu sync.Mutex
	// own are the client ids that are not looked at.
	own map[string]bool
}

func newTap(saw func(told)) *tap { return &tap{saw: saw, own: map[string]bool{}} }

// spare has a client of the demo's own not looked at.
func (t *tap) spare(clientID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.own[clientID] = true
}

func (t *tap) spares(clientID string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.own[clientID]
}

// listen is what the brokers listen with.
func (t *tap) listen(network, address string) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(context.Background(), network, address)
	if err != nil {
		return nil, err
	}
	return &tappedListener{Listener: listener, tap: t}, nil
}

type tappedListener struct {
	net.Listener
	tap *tap
}

func (l *tappedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &tappedConn{
		Conn: conn, tap: l.tap, broker: l.Addr().String(), waiting: map[int32]kmsg.Request{},
	}, nil
}

// tappedConn is a broker's end of a connection.
type tappedConn struct {
	net.Conn
	tap    *tap
	broker string
	in     frames
	once   sync.Once

	mu sync.Mutex
	// waiting are the requests without an answer, by correlation id.
	waiting map[int32]kmsg.Request
}

func (c *tappedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.in.feed(p[:n], c.asked)
	return n, err
}

// Write is called with one whole answer, as kfake does.
func (c *tappedConn) Write(p []byte) (int, error) {
	c.answered(p)
	return c.Conn.Write(p)
}

func (c *tappedConn) Close() error {
	c.once.Do(c.ended)
	return c.Conn.Close()
}

// asked keeps a request, size left out, until its answer.
func (c *tappedConn) asked(frame []byte) {
	header := kbin.Reader{Src: frame}
	request := kmsg.RequestForKey(header.Int16())
	request.SetVersion(header.Int16())
	id := header.Int32()
	client := header.NullableString()
	if request.IsFlexible() {
		kmsg.SkipTags(&header)
	}
	if !header.Ok() || client != nil && c.tap.spares(*client) || request.ReadFrom(header.Src) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting[id] = request
}

// answered tells of a request and its answer: size, correlation id, no tags,
// and the response.
func (c *tappedConn) answered(frame []byte) {
	const header = 8
	if len(frame) <= header {
		return
	}
	id := int32(binary.BigEndian.Uint32(frame[4:])) //nolint:gosec // the id's bits
	c.mu.Lock()
	request := c.waiting[id]
	delete(c.waiting, id)
	c.mu.Unlock()
	if request == nil {
		return
	}
	response, body := request.ResponseKind(), frame[header:]
	if response.IsFlexible() {
		body = body[1:]
	}
	if response.ReadFrom(body) == nil {
		c.tap.saw(c.tell(request, response))
	}
}

// ended tells of the requests whose answer nobody waits for any more, for kfake
// has carried them out, and of the end.
func (c *tappedConn) ended() {
	c.mu.Lock()
	waiting := c.waiting
	c.waiting = map[int32]kmsg.Request{}
	c.mu.Unlock()
	for _, request := range waiting {
		c.tap.saw(c.tell(request, request.ResponseKind()))
	}
	c.tap.saw(told{conn: c, ended: true})
}

// frames cuts a stream into requests and keeps those of share consumers and those
// that alter a group.
type frames struct {
	buf  []byte
	skip int
}

// keyEnds is where the request's key ends, after its size.
const keyEnds = 6

// feed takes what was read and gives away whole requests, each to be kept.
func (f *frames) feed(p []byte, whole func([]byte)) {
	for len(p) > 0 {
		n := min(len(p), f.missing())
		if f.skip > 0 {
			f.skip -= n
		} else {
			f.buf = append(f.buf, p[:n]...)
		}
		p = p[n:]
		if f.missing() == 0 {
			whole(f.buf[4:])
			f.buf = nil
		}
	}
}

// missing is how many bytes come before the next decision; 0 when a request is
// whole.
func (f *frames) missing() int {
	if f.skip > 0 {
		return f.skip
	}
	if len(f.buf) < keyEnds {
		return keyEnds - len(f.buf)
	}
	size := int(binary.BigEndian.Uint32(f.buf))
	if key := int16(binary.BigEndian.Uint16(f.buf[4:])); size <= maxTapped && isTapped(key) { //nolint:gosec // the key's bits
		return 4 + size - len(f.buf)
	}
	f.buf, f.skip = f.buf[:0], max(size-(keyEnds-4), 0)
	return f.missing()
}

func isTapped(key int16) bool {
	return slices.Contains([]kmsg.Key{
		kmsg.ShareGroupHeartbeat, kmsg.ShareFetch, kmsg.ShareAcknowledge,
		kmsg.AlterShareGroupOffsets, kmsg.DeleteShareGroupOffsets, kmsg.DeleteGroups,
	}, kmsg.Key(key))
}
