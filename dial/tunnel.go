package dial

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// Bounds of a tunnel.
const (
	// hopTimeout bounds one SSH host's handshake and login.
	hopTimeout = 10 * time.Second
	// keepAliveEvery is how often a quiet tunnel is asked whether it lives; an
	// answer may take as long.
	keepAliveEvery = 15 * time.Second
	// minBackoff and maxBackoff bound the pause after a failed attempt; it
	// doubles each time.
	minBackoff = 500 * time.Millisecond
	maxBackoff = 15 * time.Second
)

// errClosed is what dialling through a closed tunnel gives.
var errClosed = errors.New("the SSH tunnel is closed")

// tunnel is a chain of SSH connections, made when it is first needed and again
// when it broke. All connections to brokers go through the one.
type tunnel struct {
	hops []hop
	base contextDialer
	keys *keyring
	o    Options

	// connecting is held by whoever makes the chain.
	connecting chan struct{}

	mu     sync.Mutex
	closed bool
	chain  []*ssh.Client // the last one reaches the brokers
	// failed is the last error; until retry it is the answer.
	failed  error
	retry   time.Time
	backoff time.Duration
	done    chan struct{}
	wg      sync.WaitGroup
}

func newTunnel(jumps []string, base contextDialer, o Options) (*tunnel, error) {
	list, err := hops(jumps, o)
	if err != nil {
		return nil, err
	}
	if o.KeepAlive <= 0 {
		o.KeepAlive = keepAliveEvery
	}
	if o.KeepAliveAnswer <= 0 {
		o.KeepAliveAnswer = o.KeepAlive
	}
	return &tunnel{
		hops: list, base: base, o: o, connecting: make(chan struct{}, 1), done: make(chan struct{}),
		keys: &keyring{home: o.Home, agent: o.Getenv("SSH_AUTH_SOCK"), ask: o.Ask, opened: map[string]ssh.Signer{}},
	}, nil
}

// DialContext opens a connection from the last SSH host.
func (t *tunnel) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	client, err := t.client(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := client.DialContext(ctx, network, addr)
	if err == nil {
		return withDeadlines(conn), nil
	}
	last := t.hops[len(t.hops)-1].name
	if refused, ok := errors.AsType[*ssh.OpenChannelError](err); ok {
		return nil, &wayError{
			fmt.Sprintf("the SSH host %s can't reach %s: %s", last, addr, firstOf(refused.Message, refused.Reason.String())),
			"check that the SSH host lets connections through (AllowTcpForwarding), and that it can reach and resolve the address that the broker advertises", err,
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	t.drop(client)
	return nil, &wayError{fmt.Sprintf("the SSH connection to %s broke: %s", last, err), "it is made again by itself: check the SSH host when it stays so", err}
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// client gives the last host of the chain, which is made where there is none.
func (t *tunnel) client(ctx context.Context) (*ssh.Client, error) {
	select {
	case t.connecting <- struct{}{}:
		defer func() { <-t.connecting }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if client, err := t.current(); client != nil || err != nil {
		return client, err
	}
	chain, err := t.connect(ctx)
	return t.connected(ctx, chain, err)
}

// current is the chain there is, or why there is none yet.
func (t *tunnel) current() (*ssh.Client, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
		return nil, errClosed
	case len(t.chain) > 0:
		return t.chain[len(t.chain)-1], nil
	case t.failed != nil && t.o.Now().Before(t.retry):
		return nil, t.failed
	}
	return nil, nil
}

// connected takes in the outcome of an attempt.
func (t *tunnel) connected(ctx context.Context, chain []*ssh.Client, err error) (*ssh.Client, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err == nil && t.closed:
		closeChain(chain)
		return nil, errClosed
	case err == nil:
		t.chain, t.failed, t.backoff = chain, nil, 0
		last := chain[len(chain)-1]
		t.wg.Go(func() { t.keepAlive(last) })
		return last, nil
	case ctx.Err() == nil:
		t.backoff = min(max(2*t.backoff, minBackoff), maxBackoff)
		t.failed, t.retry = err, t.o.Now().Add(t.backoff)
	}
	t.o.Logf("SSH: %v", err)
	return nil, err
}

// connect logs in to one host after the other.
func (t *tunnel) connect(ctx context.Context) ([]*ssh.Client, error) {
	var chain []*ssh.Client
	way := t.base
	for _, h := range t.hops {
		client, err := t.login(ctx, h, way)
		if err != nil {
			closeChain(chain)
			return nil, err
		}
		chain = append(chain, client)
		way = channels{client}
	}
	return chain, nil
}

// channels dials through one SSH host.
type channels struct{ client *ssh.Client }

// DialContext opens a connection whose deadlines work.
func (c channels) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := c.client.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return withDeadlines(conn), nil
}

// login logs in to one host: with the keys that are at hand, and only when
// these fail with those that need a passphrase.
func (t *tunnel) login(ctx context.Context, h hop, way contextDialer) (*ssh.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, hopTimeout)
	defer cancel()
	client, err := t.loginWith(ctx, h, way, false)
	if err != nil && isLoginFailure(err) && t.o.Ask != nil {
		// A person types: that takes longer than a host may.
		client, err = t.loginWith(context.WithoutCancel(ctx), h, way, true)
	}
	if err == nil {
		return client, nil
	}
	if isLoginFailure(err) {
		return nil, &wayError{fmt.Sprintf("the SSH host %s lets %s not in: none of the agent's keys and key files fits; "+
			"add the key to the agent (ssh-add)", h.name, h.user), "try ssh " + h.user + "@" + h.name + " from here", err}
	}
	return nil, &wayError{fmt.Sprintf("the SSH host %s (%s) can't be used: %s", h.name, h.addr, cause(err)), "try ssh " + h.user + "@" + h.name + " from here", err}
}

func isLoginFailure(err error) bool { return strings.Contains(err.Error(), "unable to authenticate") }

// cause drops the library's words before the reason.
func cause(err error) string {
	return strings.TrimPrefix(err.Error(), "ssh: handshake failed: ")
}

func (t *tunnel) loginWith(ctx context.Context, h hop, way contextDialer, withPassphrase bool) (*ssh.Client, error) {
	known, err := newHostKeys(h.knownHosts)
	if err != nil {
		return nil, err
	}
	signers, closeAgent := t.keys.signers(h, withPassphrase)
	defer closeAgent()
	ctx, cancel := context.WithTimeout(ctx, hopTimeout)
	defer cancel()
	conn, err := way.DialContext(ctx, "tcp", h.addr)
	if err != nil {
		return nil, err
	}
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	client, channel, requests, err := ssh.NewClientConn(conn, h.addr, &ssh.ClientConfig{
		User: h.user, Auth: []ssh.AuthMethod{ssh.PublicKeys(signers...)},
		HostKeyCallback: known.verify, HostKeyAlgorithms: known.algorithms(h.addr, conn.RemoteAddr()),
	})
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	_ = conn.SetDeadline(time.Time{})
	return ssh.NewClient(client, channel, requests), nil
}

// keepAlive asks the far end now and then, and drops the chain when there is no
// answer.
func (t *tunnel) keepAlive(client *ssh.Client) {
	ended := make(chan struct{})
	t.wg.Go(func() {
		_ = client.Wait()
		close(ended)
	})
	ticker := time.NewTicker(t.o.KeepAlive)
	defer ticker.Stop()
	for {
		select {
		case <-t.done:
			return
		case <-ended:
			t.drop(client)
			return
		case <-ticker.C:
			if !t.isAlive(client) {
				t.o.Logf("SSH: %s does not answer", t.hops[len(t.hops)-1].name)
				t.drop(client)
				return
			}
		}
	}
}

// isAlive waits for an answer to a request that means nothing.
func (t *tunnel) isAlive(client *ssh.Client) bool {
	answered := make(chan error, 1)
	t.wg.Go(func() {
		_, _, err := client.SendRequest("keepalive@openssh.com", true, nil)
		answered <- err
	})
	timer := time.NewTimer(t.o.KeepAliveAnswer)
	defer timer.Stop()
	select {
	case err := <-answered:
		return err == nil
	case <-timer.C:
	case <-t.done:
	}
	return false
}

// drop gives up a chain, if it still is the one in use; the next dial makes
// another.
func (t *tunnel) drop(client *ssh.Client) {
	t.mu.Lock()
	var chain []*ssh.Client
	if n := len(t.chain); n > 0 && t.chain[n-1] == client {
		chain, t.chain = t.chain, nil
	}
	t.mu.Unlock()
	closeChain(chain)
}

// closeChain closes from the far end on.
func closeChain(chain []*ssh.Client) {
	for i := len(chain) - 1; i >= 0; i-- {
		_ = chain[i].Close()
	}
}

// close ends the tunnel for good, and waits for its goroutines.
func (t *tunnel) close() {
	t.mu.Lock()
	chain, was := t.chain, t.closed
	t.chain, t.closed = nil, true
	t.mu.Unlock()
	if !was {
		close(t.done)
	}
	closeChain(chain)
	t.wg.Wait()
}
