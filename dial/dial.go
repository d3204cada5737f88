// Package dial opens connections to brokers: directly, through a SOCKS5 proxy,
// through SSH hosts, or with addresses replaced. Names are handed to the far end
// of the way as they are, so that names count there which mean nothing here.
package dial

import (
	"context"
	"net"
	"strings"
	"time"

	"golang.org/x/net/proxy"

	"sharetop/model"
)

// Options is the world that a Dialer works in.
type Options struct {
	// Home is the person's home directory, User their name here; both for SSH.
	Home, User string
	// Getenv looks up an environment variable, as os.Getenv does.
	Getenv func(string) string
	// Now is the clock.
	Now func() time.Time
	// Ask reads a passphrase from the terminal; nil where nobody can be asked.
	Ask func(prompt string) (model.Secret, error)
	// KeepAlive is how often a quiet SSH tunnel is asked whether it lives; 0 for
	// keepAliveEvery. KeepAliveAnswer is how long the answer may take; 0 for as
	// long as KeepAlive.
	KeepAlive, KeepAliveAnswer time.Duration
	// Logf gets one line for each thing worth knowing; nil for none.
	Logf func(format string, args ...any)
}

// contextDialer is what every part of the way is.
type contextDialer interface {
	DialContext(ctx context.Context, network, addr string) (net.Conn, error)
}

// Dialer opens connections along one route. It is safe for concurrent use.
type Dialer struct {
	resolve map[string]string
	way     contextDialer
	tunnel  *tunnel // nil without SSH
}

// New reads what the route needs, such as ~/.ssh/config; it dials nothing. The
// error is one sentence.
func New(route model.Route, o Options) (*Dialer, error) {
	d := &Dialer{resolve: route.Resolve, way: &net.Dialer{}}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if route.SOCKS5 != "" {
		way, err := socks(route)
		if err != nil {
			return nil, err
		}
		d.way = way
	}
	if len(route.Jumps) > 0 {
		t, err := newTunnel(route.Jumps, d.way, o)
		if err != nil {
			return nil, err
		}
		d.tunnel, d.way = t, t
	}
	return d, nil
}

// Connect opens the SSH tunnel, if there is one, while a person can still be
// asked for a passphrase.
func (d *Dialer) Connect(ctx context.Context) error {
	if d.tunnel == nil {
		return nil
	}
	_, err := d.tunnel.client(ctx)
	return err
}

// DialContext opens a connection to the address that a broker advertises.
func (d *Dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if to, ok := d.resolve[strings.ToLower(addr)]; ok {
		addr = to
	}
	return d.way.DialContext(ctx, network, addr)
}

// Close ends the tunnel and with it all connections through it.
func (d *Dialer) Close() {
	if d.tunnel != nil {
		d.tunnel.close()
	}
}

// socks is the way through a SOCKS5 proxy, which also resolves the names.
func socks(route model.Route) (contextDialer, error) {
	var auth *proxy.Auth
	if route.SOCKS5User != "" {
		auth = &proxy.Auth{User: route.SOCKS5User, Password: route.SOCKS5Password.Reveal()}
	}
	way, err := proxy.SOCKS5("tcp", route.SOCKS5, auth, &net.Dialer{})
	if err != nil {
		return nil, err
	}
	return socksDialer{way.(contextDialer), route.SOCKS5}, nil
}
