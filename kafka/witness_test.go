package kafka

import (
	"cmp"
	"context"
	"encoding/binary"
	"net"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// witness sees every frame that leaves and every answer that comes, whatever
// the code above it believes.
type witness struct {
	mu sync.Mutex
	// sent counts frames by API key.
	sent map[int16]int
	// inFlight and most count unanswered offsets requests by address.
	inFlight, most map[string]int
	// groups has the number of groups of each offsets request.
	groups []int
	// two is closed when two offsets requests are in flight at one address.
	two  chan struct{}
	once sync.Once
	// redirect replaces addresses; open are the connections by address.
	redirect map[string]string
	open     map[string][]net.Conn
}

func newWitness() *witness {
	return &witness{
		sent: make(map[int16]int), inFlight: make(map[string]int), most: make(map[string]int),
		two: make(chan struct{}), redirect: make(map[string]string), open: make(map[string][]net.Conn),
	}
}

func (w *witness) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	to := w.wayTo(addr)
	conn, err := new(net.Dialer).DialContext(ctx, network, to)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.open[addr] = append(w.open[addr], conn)
	w.mu.Unlock()
	if w.wayTo(addr) != to { // killed in the meantime
		conn.Close()
	}
	return &witnessed{Conn: conn, witness: w, addr: addr, asked: make(map[int32]int16)}, nil
}

// wayTo is where an address leads to now.
func (w *witness) wayTo(addr string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return cmp.Or(w.redirect[addr], addr)
}

// kill makes an address refuse connections, and cuts those that are open.
func (w *witness) kill(addr string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.redirect[addr] = "127.0.0.1:1"
	for _, conn := range w.open[addr] {
		conn.Close()
	}
	w.open[addr] = nil
}

// revive undoes kill.
func (w *witness) revive(addr string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.redirect, addr)
}

// keys are the API keys of all frames that left.
func (w *witness) keys() map[int16]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := make(map[int16]bool, len(w.sent))
	for key := range w.sent {
		seen[key] = true
	}
	return seen
}

func (w *witness) wrote(addr string, frame []byte) {
	key := int16(binary.BigEndian.Uint16(frame))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent[key]++
	if key != kmsg.DescribeShareGroupOffsets.Int16() {
		return
	}
	w.inFlight[addr]++
	w.most[addr] = max(w.most[addr], w.inFlight[addr])
	if w.inFlight[addr] == maxInFlight {
		w.once.Do(func() { close(w.two) })
	}
	w.groups = append(w.groups, groupsIn(frame))
}

func (w *witness) read(addr string, key int16) {
	if key == kmsg.DescribeShareGroupOffsets.Int16() {
		w.mu.Lock()
		w.inFlight[addr]--
		w.mu.Unlock()
	}
}

// groupsIn is how many groups an offsets request names.
func groupsIn(frame []byte) int {
	version := int16(binary.BigEndian.Uint16(frame[2:]))
	clientID := int(int16(binary.BigEndian.Uint16(frame[8:])))
	body := frame[10+max(clientID, 0)+1:] // header version 2: one more byte of tags
	req := kmsg.NewPtrDescribeShareGroupOffsetsRequest()
	req.SetVersion(version)
	if err := req.ReadFrom(body); err != nil {
		return -1
	}
	return len(req.Groups)
}

// witnessed cuts both streams of a connection into frames.
type witnessed struct {
	net.Conn
	witness *witness
	addr    string

	mu      sync.Mutex
	out, in []byte
	asked   map[int32]int16 // key by correlation id
}

func (c *witnessed) Write(b []byte) (int, error) {
	c.mu.Lock()
	c.out = append(c.out, b...)
	for {
		frame, rest := cut(c.out)
		if frame == nil {
			break
		}
		c.out = rest
		c.asked[int32(binary.BigEndian.Uint32(frame[4:]))] = int16(binary.BigEndian.Uint16(frame))
		c.witness.wrote(c.addr, frame)
	}
	c.mu.Unlock()
	return c.Conn.Write(b)
}

func (c *witnessed) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.in = append(c.in, b[:n]...)
	for {
		frame, rest := cut(c.in)
		if frame == nil {
			break
		}
		c.in = rest
		c.witness.read(c.addr, c.asked[int32(binary.BigEndian.Uint32(frame))])
	}
	return n, err
}

// cut takes the first whole frame off a stream.
func cut(stream []byte) (frame, rest []byte) {
	if len(stream) < 4 {
		return nil, stream
	}
	size := int(binary.BigEndian.Uint32(stream))
	if len(stream) < 4+size {
		return nil, stream
	}
	return stream[4 : 4+size], stream[4+size:]
}
