package kafka

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// Bounds of what one connection may take.
const (
	// answerTimeout bounds every request but DescribeShareGroupOffsets; when it
	// is over the connection is given up.
	answerTimeout = 5 * time.Second
	// offsetsTimeout bounds DescribeShareGroupOffsets: another tool can stall
	// the broker for 8 s, and such a request is never cancelled on the wire.
	offsetsTimeout = 12 * time.Second
	// changeTimeout bounds a request that changes something. The first one on a
	// fresh cluster makes internal topics, which takes seconds.
	changeTimeout = 30 * time.Second
	// maxAnswerBytes bounds one answer; a larger one fails its request.
	maxAnswerBytes = 64 << 20
	// maxBatchBytes bounds one decompressed record batch.
	maxBatchBytes = 64 << 20
	// metadataMaxAge keeps kgo's own metadata loop quiet: leaders and brokers
	// come from requests of ours.
	metadataMaxAge = time.Hour
	// idleConnection is how long an unused connection is kept: longer than the
	// longest interval between two ticks.
	idleConnection = 3 * time.Minute
)

// role tells the clients of one broker apart. A stalled answer blocks the one
// ordinary connection that kgo has per broker, so what can stall has its own.
type role uint8

const (
	// roleControl lists, describes, asks for log offsets and configs.
	roleControl role = iota
	// roleOffsets sends DescribeShareGroupOffsets and nothing else.
	roleOffsets
	// roleSession sends ShareFetch and ShareAcknowledge of one consume session:
	// the broker ties what is held to this connection.
	roleSession
	// roleChange sends what changes a group or a config. Such a request is never
	// cancelled, and may take long: nothing else waits behind it.
	roleChange
	// roleTail loads the state topic, in answers of megabytes.
	roleTail
)

// clients is the factory for all kgo clients: what holds for one holds for all.
type clients struct {
	dial        func(ctx context.Context, network, addr string) (net.Conn, error)
	dialTimeout time.Duration
	readOnly    bool
	software    string
	version     string
	// clientID is what brokers show for our members; empty for software.
	clientID string
	ctx      context.Context
	// security and login are how connections begin.
	security security
	login    *login
	// heard is told of every answer; nil for nobody.
	heard func()
}

func newClients(ctx context.Context, conn model.Connection, opts Options) clients {
	timeout := conn.DialTimeout
	if timeout <= 0 {
		timeout = model.DefaultDialTimeout
	}
	dial := opts.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	return clients{
		dial: dial, dialTimeout: timeout, readOnly: conn.ReadOnly,
		software: opts.SoftwareName, version: opts.SoftwareVersion, ctx: ctx,
		security: newSecurity(conn), login: newLogin(conn, opts.Now),
	}
}

// options are those of one client for the broker at addr. The client never
// dials before it is used.
func (f clients) options(addr string, r role) []kgo.Opt {
	timeout, idle := answerTimeout, idleConnection
	switch r {
	case roleOffsets:
		timeout = offsetsTimeout
	case roleSession:
		timeout, idle = fetchTimeout, idleSession
	case roleChange:
		timeout = changeTimeout
	case roleControl, roleTail:
	}
	return append(f.common(timeout), kgo.ConnIdleTimeout(idle), kgo.SeedBrokers(addr))
}

// common are the options of every client.
func (f clients) common(timeout time.Duration) []kgo.Opt {
	opts := []kgo.Opt{
		kgo.ClientID(cmp.Or(f.clientID, f.software)),
		kgo.SoftwareNameAndVersion(f.software, f.version),
		kgo.WithContext(f.ctx),
		kgo.Dialer(f.dialWithin),
		kgo.DisableClientMetrics(),
		kgo.RequestTimeoutOverhead(timeout),
		kgo.ConnIdleTimeout(idleConnection),
		kgo.MetadataMaxAge(metadataMaxAge),
		kgo.BrokerMaxReadBytes(maxAnswerBytes),
		kgo.FetchMaxBytes(maxAnswerBytes / 2),
		kgo.MaxDecompressBatchBytes(maxBatchBytes),
	}
	if f.readOnly {
		opts = append(opts, kgo.MaxVersions(readOnlyVersions()))
	}
	if f.login != nil {
		opts = append(opts, kgo.SASL(f.login.mechanism()))
	}
	return opts
}

// dialWithin opens a connection, with TLS where that is asked for. TLS is made
// here and not by kgo, so that it also goes over a tunnel, and checks the name
// that the broker advertises.
func (f clients) dialWithin(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, f.dialTimeout)
	defer cancel()
	conn, err := f.dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return f.security.handshake(ctx, conn, addr)
}

// link is our way to one broker address. kgo reaches brokers by id only after
// its own metadata requests, which ask one broker after another and so hang on
// one that never answers; a client with the one address as its seed does not.
type link struct {
	addr    string
	factory clients
	guard   guard

	// warmed is set once the connection for offsets is being opened.
	warmed atomic.Bool
	// unpack is what decompressor found; nil before its first use.
	unpack atomic.Pointer[kgo.Decompressor]

	mu     sync.Mutex
	closed bool
	byRole map[role]*kgo.Client
}

func newLink(addr string, factory clients) *link {
	return &link{
		addr: addr, factory: factory, guard: newGuard(factory.readOnly),
		byRole: make(map[role]*kgo.Client, 2),
	}
}

// client returns the client for a role, made at its first use.
func (l *link) client(r role) (*kgo.Client, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, kgo.ErrClientClosed
	}
	if cl := l.byRole[r]; cl != nil {
		return cl, nil
	}
	cl, err := kgo.NewClient(l.factory.options(l.addr, r)...)
	if err != nil {
		return nil, fmt.Errorf("no client could be made for %s: %w", l.addr, err)
	}
	l.byRole[r] = cl
	return cl, nil
}

// cutSession closes the session's connection, so that the broker ends what it
// had on it; the next request opens another.
func (l *link) cutSession() {
	l.mu.Lock()
	cl := l.byRole[roleSession]
	delete(l.byRole, roleSession)
	l.mu.Unlock()
	if cl != nil {
		cl.Close()
	}
}

// close ends all connections; requests on the wire fail.
func (l *link) close() {
	l.mu.Lock()
	l.closed = true
	open := l.byRole
	l.byRole = nil
	l.mu.Unlock()
	for _, cl := range open {
		cl.Close()
	}
}

// ask sends one request to the link's broker and waits for the answer, at most
// as long as the role allows. A request that read-only mode refuses returns a
// ReadOnlyError and is not sent.
func ask[R kmsg.Response](ctx context.Context, l *link, r role, req kmsg.Request) (R, error) {
	var none R
	if err := l.guard.check(req); err != nil {
		return none, err
	}
	cl, err := l.client(r)
	if err != nil {
		return none, err
	}
	if r == roleControl || r == roleTail {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, answerTimeout)
		defer cancel()
	}
	resp, err := cl.SeedBrokers()[0].Request(ctx, req)
	if diedBeside(err) && (r == roleControl || r == roleOffsets || r == roleTail) {
		resp, err = cl.SeedBrokers()[0].Request(ctx, req)
	}
	if err != nil {
		return none, l.factory.security.explain(err)
	}
	if l.factory.heard != nil {
		l.factory.heard()
	}
	typed, ok := resp.(R)
	if !ok {
		return none, fmt.Errorf("%s answered a %T", l.addr, resp)
	}
	return typed, nil
}

// diedBeside tells that a connection ended by what another request on it met:
// that one learns the cause. This one is only to be sent again, which a request
// that reads may be; kgo says so in words only.
func diedBeside(err error) bool {
	return err != nil && strings.Contains(err.Error(), "the broker connection has died")
}
