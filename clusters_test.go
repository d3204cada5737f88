package main

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"go.uber.org/goleak"

	"sharetop/cli"
	"sharetop/model"
	"sharetop/ui"
)

// counted is a small cluster that counts the connections to it.
type counted struct {
	*kfake.Cluster
	mu      sync.Mutex
	open    int
	changed chan struct{}
}

func countedCluster(t *testing.T, opts ...kfake.Opt) *counted {
	t.Helper()
	c := &counted{changed: make(chan struct{}, 1)}
	listen := func(network, address string) (net.Listener, error) {
		l, err := net.Listen(network, address)
		return countingListener{l, c}, err
	}
	fake, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(2), kfake.ListenFn(listen), kfake.SeedTopics(2, "orders")}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	c.Cluster = fake
	return c
}

func (c *counted) add(n int) {
	c.mu.Lock()
	c.open += n
	c.mu.Unlock()
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// waitFor waits until as many connections are open as good says.
func (c *counted) waitFor(t *testing.T, what string, good func(int) bool) {
	t.Helper()
	deadline := time.After(childTimeout)
	for {
		c.mu.Lock()
		n := c.open
		c.mu.Unlock()
		if good(n) {
			return
		}
		select {
		case <-c.changed:
		case <-deadline:
			t.Fatalf("%d connections are open, want %s", n, what)
		}
	}
}

func none(n int) bool { return n == 0 }
func some(n int) bool { return n > 0 }

type countingListener struct {
	net.Listener
	c *counted
}

func (l countingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.c.add(1)
	return &countedConn{Conn: conn, c: l.c}, nil
}

type countedConn struct {
	net.Conn
	c    *counted
	once sync.Once
}

// Read counts a connection out as soon as the other side has closed it.
func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil {
		c.once.Do(func() { c.c.add(-1) })
	}
	return n, err
}

// clustersOf are these clusters by their names.
func clustersOf(o cli.ScreenOptions, all map[string]*counted) *clusters {
	c := newClusters(o, &panicked{end: func() {}})
	c.resolve = func(r model.ConnectRequest) (model.Resolved, error) {
		return model.Resolved{Connection: model.Connection{Name: model.NewText(r.Context), Bootstrap: all[r.Context].ListenAddrs()}}, nil
	}
	c.list = func() []model.Profile { return []model.Profile{{Name: model.NewText("a")}, {Name: model.NewText("b")}} }
	return c
}

func openIt(t *testing.T, c *clusters, name string) *ui.Cluster {
	t.Helper()
	opened, err := c.Open(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), childTimeout)
	defer cancel()
	after := model.Version(0)
	for {
		s, err := opened.Source.Watch(ctx, model.Scope{}, after)
		if err != nil {
			t.Fatal(err)
		}
		if !s.Listed.IsZero() && s.Offsets.Sweep.FirstDone {
			return opened
		}
		after = s.Version
	}
}

// A cluster that is left leaves nothing behind: no connection and no goroutine,
// while the one after it goes on.
func TestClosedClusterLeavesNothing(t *testing.T) {
	all := map[string]*counted{"a": countedCluster(t), "b": countedCluster(t)}
	before := goleak.IgnoreCurrent()
	c := clustersOf(cli.ScreenOptions{AuditFile: t.TempDir() + "/audit.jsonl"}, all)
	first := openIt(t, c, "a")
	all["a"].waitFor(t, "some", some)
	second := openIt(t, c, "b")
	if lines := first.Close(); len(lines) > 0 {
		t.Errorf("closing says %q", lines)
	}
	all["a"].waitFor(t, "none", none)
	all["b"].waitFor(t, "some", some)
	if _, err := first.Source.Watch(t.Context(), model.Scope{}, 0); err == nil {
		t.Error("the closed cluster still answers")
	}
	if _, err := second.Source.Watch(t.Context(), model.Scope{}, 0); err != nil {
		t.Errorf("the other cluster: %v", err)
	}
	second.Close()
	second.Close()
	all["b"].waitFor(t, "none", none)
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

// Whatever is open at the end is closed, and nothing is opened after it.
func TestClustersEnd(t *testing.T) {
	all := map[string]*counted{"a": countedCluster(t)}
	before := goleak.IgnoreCurrent()
	c := clustersOf(cli.ScreenOptions{}, all)
	openIt(t, c, "a")
	c.close(t.Output())
	if _, err := c.Open(t.Context(), "a", nil); err == nil {
		t.Error("a cluster was opened at the end")
	}
	all["a"].waitFor(t, "none", none)
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

// Flags count for the cluster that the program was started with, and for no
// other; read-only holds for all.
func TestWhoseFlagsCount(t *testing.T) {
	conn := model.Connection{Bootstrap: []string{"a:1"}, Name: model.NewText("prod"), OffsetsFrom: model.OffsetsAuto}
	var asked []model.ConnectRequest
	open := func(o cli.ScreenOptions) *clusters {
		c := newClusters(o, &panicked{})
		c.resolve = func(r model.ConnectRequest) (model.Resolved, error) {
			asked = append(asked, r)
			return model.Resolved{Connection: model.Connection{Bootstrap: []string{"x:1"}, Name: model.NewText(r.Context)}}, nil
		}
		c.open = func(context.Context, model.Connection, askFunc) (cli.Source, error) { return noSource{}, nil }
		c.list = func() []model.Profile { return nil }
		return c
	}
	request := model.ConnectRequest{Overrides: []string{"sasl.password=x"}, NoCluster: true}
	c := open(cli.ScreenOptions{Source: noSource{}, Connection: conn, Request: request})
	for _, name := range []string{"prod", "dev"} {
		if _, err := c.Open(t.Context(), name, nil); err != nil {
			t.Fatal(err)
		}
	}
	// The first is as it was started, without asking again.
	if len(asked) != 1 || asked[0].Context != "dev" || !asked[0].ProfileOnly || asked[0].NoCluster {
		t.Errorf("asked for %+v", asked)
	}

	// Started without a cluster, they count for the one that is chosen first.
	asked = nil
	c = open(cli.ScreenOptions{Request: request, Connection: conn})
	for _, name := range []string{"one", "two", "one"} {
		if _, err := c.Open(t.Context(), name, nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(asked) != 2 || asked[0].ProfileOnly || !asked[1].ProfileOnly || asked[1].Context != "two" {
		t.Errorf("asked for %+v", asked)
	}

	// A cluster that is no profile is in the list too.
	conn.Name = model.Text{}
	c = open(cli.ScreenOptions{Source: noSource{}, Connection: conn})
	if list := c.List(); len(list) != 1 || list[0].Name.Raw() != startName || !list[0].Given || list[0].Bootstrap.Raw() != "a:1" || list[0].Security.Raw() != "PLAINTEXT" {
		t.Errorf("%+v", list)
	}
}

// noSource is a connection to nothing.
type noSource struct{}

func (noSource) Watch(context.Context, model.Scope, model.Version) (*model.Snapshot, error) {
	return nil, context.Canceled
}
func (noSource) Close() {}
