package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"sharetop/cli"
	"sharetop/kafka"
	"sharetop/model"
	"sharetop/profile"
	"sharetop/ui"
)

// startName stands in the list of clusters for the one of the command line,
// where that is no profile.
const startName = "@start"

// clusters are those of one screen: the one that it starts with, and those that a
// person changes to. They outlive the screen: what is held is released, and
// connections are closed, after the terminal is back.
type clusters struct {
	options cli.ScreenOptions
	// open makes a connection, resolve finds out how, list says what there is.
	open    func(ctx context.Context, conn model.Connection, ask askFunc) (cli.Source, error)
	resolve func(model.ConnectRequest) (model.Resolved, error)
	list    func() []model.Profile

	mu     sync.Mutex
	opened []*cluster
	closed bool
	// start is the name of the cluster that flags and variables belong to, and
	// started what has come of them; empty before one was chosen.
	start   string
	started model.Resolved
}

// cluster is one open connection with its sessions and changes.
type cluster struct {
	source   cli.Source
	sessions *sessions
	changer  *kafka.Changer
	once     sync.Once
}

func newClusters(o cli.ScreenOptions, failed *panicked) *clusters {
	c := &clusters{
		options: o,
		open: func(ctx context.Context, conn model.Connection, ask askFunc) (cli.Source, error) {
			return openCluster(ctx, conn, ask, failed)
		},
		resolve: func(r model.ConnectRequest) (model.Resolved, error) { return profile.Resolve(profileEnv(), r) },
		list:    func() []model.Profile { return profile.List(profileEnv()) },
	}
	if o.Source == nil {
		return c
	}
	c.start = startName
	if name := o.Connection.Name.Raw(); name != "" && !o.Demo {
		c.start = name
	}
	c.started = model.Resolved{Connection: o.Connection, Settings: o.Settings, Warnings: o.Warnings}
	return c
}

// first is the cluster that the screen starts with; without a Source when a
// person is to choose one.
func (c *clusters) first() (ui.Cluster, error) {
	if c.options.Source == nil {
		return ui.Cluster{}, nil
	}
	out, err := c.keep(c.options.Source, c.started, c.start)
	if err != nil {
		return ui.Cluster{}, err
	}
	// cli has said the warnings already.
	return *out, nil
}

// List is what was found on this machine, and before it the cluster of the
// command line.
func (c *clusters) List() []model.Profile {
	found := c.list()
	if c.start != startName {
		return found
	}
	conn := c.started.Connection
	return append([]model.Profile{{
		Name: model.NewText(startName), Source: model.NewText("the command line"), Given: true,
		Bootstrap: model.NewText(strings.Join(conn.Bootstrap, ", ")), Security: model.NewText(conn.SecurityText()),
		Way: model.NewText(conn.Route.Way()), ReadOnly: conn.ReadOnly,
	}}, found...)
}

// Open connects to a cluster by its name in the list.
func (c *clusters) Open(ctx context.Context, name string, ask askFunc) (*ui.Cluster, error) {
	resolved, err := c.resolved(name, ask)
	if err != nil {
		return nil, err
	}
	source, err := c.open(ctx, resolved.Connection, ask)
	if err != nil {
		return nil, err
	}
	out, err := c.keep(source, resolved, name) //nolint:contextcheck // it lives until it is closed, not as long as a call
	if err != nil {
		source.Close()
		return nil, err
	}
	return out, nil
}

// resolved finds out how to connect to a cluster. Flags and variables count for
// the one that the program was started with, or that was chosen first: what they
// hold, such as a password, must not be sent to another one.
func (c *clusters) resolved(name string, ask askFunc) (model.Resolved, error) {
	c.mu.Lock()
	start, started := c.start, c.started
	c.mu.Unlock()
	if name == start {
		return started, nil
	}
	req := c.options.Request
	req.Context, req.Ask, req.ProfileOnly, req.NoCluster = name, ask, start != "", false
	resolved, err := c.resolve(req)
	if err != nil {
		return resolved, err
	}
	from := &c.options.Connection
	resolved.Connection.OffsetsFrom, resolved.Connection.DialTimeout = from.OffsetsFrom, from.DialTimeout
	resolved.Connection.StateBudget = from.StateBudget
	return resolved, nil
}

var errEnding = errors.New("the program is ending")

// keep makes a cluster of an open connection and keeps it until it is closed.
func (c *clusters) keep(source cli.Source, resolved model.Resolved, name string) (*ui.Cluster, error) {
	kept := &cluster{source: source}
	conn := &resolved.Connection
	out := &ui.Cluster{
		Source: source, Profile: name, ClusterName: conn.Name.Raw(), Color: conn.Color, Bootstrap: conn.Bootstrap,
		ReadOnly: conn.ReadOnly, Insecure: conn.Insecure() != "", Demo: c.options.Demo && name == startName,
		Settings: resolved.Settings, Warnings: resolved.Warnings, Close: func() []string { return c.forget(kept) },
	}
	out.Peeker, _ = source.(ui.Peeker)
	if client, ok := source.(joiner); ok && !conn.ReadOnly {
		open, err := newSessions(client, c.options.AuditFile, c.options.LogValues)
		if err != nil {
			return nil, err
		}
		kept.sessions, kept.changer = open, newChanges(client, open.audit)
		out.Consumer, out.Audit, out.Changer = open, open.audit, kept.changer
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errEnding
	}
	if c.start == "" {
		c.start, c.started = name, resolved
	}
	c.opened = append(c.opened, kept)
	return out, nil
}

// forget closes a cluster that is not shown any more, and returns what a person
// has to know of that.
func (c *clusters) forget(k *cluster) []string {
	var said bytes.Buffer
	k.close(&said)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, open := range c.opened {
		if open == k {
			c.opened = append(c.opened[:i:i], c.opened[i+1:]...)
			break
		}
	}
	var lines []string
	for line := range strings.Lines(said.String()) {
		lines = append(lines, strings.TrimSpace(strings.TrimPrefix(line, "sharetop: ")))
	}
	return lines
}

// close closes all that is still open, side by side, and says what happened to
// what was held: the screen that would have said it is gone.
func (c *clusters) close(w io.Writer) {
	c.mu.Lock()
	open := c.opened
	c.opened, c.closed = nil, true
	c.mu.Unlock()
	lines := &lockedWriter{w: w} // as they come: a change may be waited for long
	var wg sync.WaitGroup
	for _, k := range open {
		wg.Go(func() { k.close(lines) })
	}
	wg.Wait()
}

// close ends changes and sessions side by side, and then the connections: what is
// on its way is waited for, and what is held is not held longer for that. A second
// call waits for the first.
func (k *cluster) close(w io.Writer) {
	k.once.Do(func() {
		if k.sessions != nil {
			lines := &lockedWriter{w: w}
			var wg sync.WaitGroup
			wg.Go(func() { k.sessions.close(lines) })
			k.changer.Wait(lines)
			wg.Wait()
			_ = k.sessions.audit.Close()
		}
		k.source.Close()
	})
}

// lockedWriter lets several write whole lines side by side.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write writes one line.
func (l *lockedWriter) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(line)
}

// config is what the screen is started with.
func (c *clusters) config(first ui.Cluster) ui.Config {
	o := &c.options
	return ui.Config{
		Cluster:   first,
		Clusters:  c,
		Rules:     o.Rules,
		Now:       time.Now,
		Version:   version(),
		UTC:       o.UTC,
		ASCII:     o.ASCII,
		Interval:  o.Interval,
		OpenGroup: o.Group,
		Env:       os.Getenv,
	}
}
