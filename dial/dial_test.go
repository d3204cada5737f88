package dial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh/agent"

	"sharetop/model"
)

// patienceOfTests bounds every wait of a test; nothing waits that long, however
// slow the machine is.
const patienceOfTests = time.Minute

// talk sends a word through a dialer and wants it back.
func talk(t *testing.T, d *Dialer, addr string) {
	t.Helper()
	conn, err := d.DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Errorf("%s: %v", addr, err)
		return
	}
	defer conn.Close()
	must(t, conn.SetDeadline(time.Now().Add(patienceOfTests)))
	if _, err := io.WriteString(conn, "hello"); err != nil {
		t.Error(err)
	}
	got := make([]byte, 5)
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != "hello" {
		t.Errorf("%s answers %q, %v", addr, got, err)
	}
}

func dialError(t *testing.T, d *Dialer, addr string, wants ...string) {
	t.Helper()
	conn, err := d.DialContext(t.Context(), "tcp", addr)
	if err == nil {
		_ = conn.Close()
		t.Fatalf("%s was reached", addr)
	}
	for _, want := range wants {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %q, want %q in it", err, want)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has several lines: %q", err)
	}
}

func TestResolve(t *testing.T) {
	to := echo(t)
	p := newPerson(t)
	d := p.dialer(model.Route{Resolve: map[string]string{"b1.internal:9092": to}})
	talk(t, d, "B1.Internal:9092")
	talk(t, d, to)
}

// The names that brokers advertise mean nothing here: they are handed to the
// far end.
func TestSSHJump(t *testing.T) {
	to := echo(t)
	p := newPerson(t)
	names := map[string]string{"b1.internal:9092": to, "b2.internal:9092": to}
	second := startSSH(t, p.key.PublicKey(), names)
	first := startSSH(t, p.key.PublicKey(), map[string]string{"inner:22": second.addr})
	p.knows(first, second)
	p.write("config", "Host outer\n  HostName 127.0.0.1\n  Port "+port(first.addr)+"\n  User other\n"+
		"Host deep\n  ProxyJump outer\n  HostName "+host(second.addr)+"\n  Port "+port(second.addr)+"\n")
	for name, jumps := range map[string][]string{
		"one": {"me@" + second.addr}, "two": {first.addr, second.addr}, "ProxyJump": {"deep"},
	} {
		t.Run(name, func(t *testing.T) {
			d := p.dialer(model.Route{Jumps: jumps})
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() { talk(t, d, fmt.Sprintf("b%d.internal:9092", 1+i%2)) })
			}
			wg.Wait()
			d.Close()
			dialError(t, d, "b1.internal:9092", "closed")
		})
	}
	second.mu.Lock()
	defer second.mu.Unlock()
	for _, asked := range second.asked {
		if !strings.HasSuffix(asked, ".internal:9092") {
			t.Errorf("the far end was asked for %s", asked)
		}
	}
}

func port(addr string) string { _, p, _ := net.SplitHostPort(addr); return p }
func host(addr string) string { h, _, _ := net.SplitHostPort(addr); return h }

func TestSSHRefusals(t *testing.T) {
	p := newPerson(t)
	server := startSSH(t, p.key.PublicKey(), nil)
	stranger := startSSH(t, p.key.PublicKey(), nil)
	deaf := "127.0.0.1:1"

	p.knows(stranger)
	d := p.dialer(model.Route{Jumps: []string{server.addr}})
	dialError(t, d, deaf, "is unknown: its ssh-ed25519 key is SHA256:", "connect once with ssh")

	p.knows(&sshServer{addr: server.addr, hostKey: stranger.hostKey})
	d = p.dialer(model.Route{Jumps: []string{server.addr}})
	dialError(t, d, deaf, "ANOTHER KEY", "SHA256:", "known_hosts:1")

	p.knows(server)
	d = p.dialer(model.Route{Jumps: []string{server.addr}})
	dialError(t, d, deaf, "the SSH host 127.0.0.1 can't reach 127.0.0.1:1: Connection refused")

	other := newPerson(t)
	other.knows(server)
	d = other.dialer(model.Route{Jumps: []string{server.addr}})
	dialError(t, d, deaf, "lets me not in", "ssh-add")

	d = other.dialer(model.Route{Jumps: []string{deaf}})
	dialError(t, d, deaf, "the SSH host 127.0.0.1 (127.0.0.1:1) can't be used", "refused")

	for _, bad := range []string{"", "a b", "user@", "x/y"} {
		if _, err := New(model.Route{Jumps: []string{bad}}, p.options()); err == nil {
			t.Errorf("--ssh-jump %q was taken", bad)
		}
	}
	p.write("config", "Host a\n ProxyJump b\nHost b\n ProxyJump a\n")
	if _, err := New(model.Route{Jumps: []string{"a"}}, p.options()); err == nil || !strings.Contains(err.Error(), "circles") {
		t.Errorf("a circle: %v", err)
	}
}

func TestPassphrase(t *testing.T) {
	to := echo(t)
	p := newPerson(t)
	server := startSSH(t, p.key.PublicKey(), nil)
	p.knows(server)
	p.writeKey("id_ed25519", "pl4nted")
	d := p.dialer(model.Route{Jumps: []string{server.addr}})
	dialError(t, d, to, "lets me not in")

	asked := 0
	p.ask = func(string) (model.Secret, error) { asked++; return model.NewSecret("pl4nted"), nil }
	d = p.dialer(model.Route{Jumps: []string{server.addr}})
	must(t, d.Connect(t.Context()))
	talk(t, d, to)
	// After a break nobody is asked again.
	server.cut()
	eventually(t, func() bool { return reached(t, d, to) })
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	p.ask = func(string) (model.Secret, error) { return model.NewSecret("wrong"), nil }
	d = p.dialer(model.Route{Jumps: []string{server.addr}})
	dialError(t, d, to, "lets me not in")
}

// reached tries once.
func reached(t *testing.T, d *Dialer, addr string) bool {
	conn, err := d.DialContext(t.Context(), "tcp", addr)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// eventually tries until it works: what it waits for is another goroutine's
// notice of a broken connection.
func eventually(t *testing.T, works func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patienceOfTests)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !works() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("it never works again")
		}
	}
}

// A host that is down is not asked at every turn.
func TestBackoff(t *testing.T) {
	to := echo(t)
	p := newPerson(t)
	server := startSSH(t, p.key.PublicKey(), nil)
	p.knows(server)
	other := newPerson(t) // has no key that fits
	other.knows(server)
	d := other.dialer(model.Route{Jumps: []string{server.addr}})
	dialError(t, d, to, "lets me not in")
	attempts := server.attempts()
	dialError(t, d, to, "lets me not in")
	if server.attempts() != attempts {
		t.Error("the host was asked again at once")
	}
	other.now = other.now.Add(minBackoff)
	dialError(t, d, to, "lets me not in")
	if server.attempts() == attempts {
		t.Error("the host was not asked again after the pause")
	}
}

func (s *sshServer) attempts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// A quiet tunnel is asked whether it lives. While it answers it stays; when it
// does not, as a host behind a dropped line, the next connection makes another.
func TestKeepAlive(t *testing.T) {
	to := echo(t)
	p := newPerson(t)
	p.keepAlive, p.keepAliveAnswer = 20*time.Millisecond, patienceOfTests
	server := startSSH(t, p.key.PublicKey(), nil)
	p.knows(server)
	d := p.dialer(model.Route{Jumps: []string{server.addr}})
	must(t, d.Connect(t.Context()))
	eventually(t, func() bool { return server.asksAlive() >= 3 })
	if logins := server.logins(); logins != 1 {
		t.Errorf("%d logins to a host that answers", logins)
	}

	p.keepAliveAnswer = p.keepAlive // which a busy machine may not keep to either
	d = p.dialer(model.Route{Jumps: []string{server.addr}})
	must(t, d.Connect(t.Context()))
	server.freeze(true)
	eventually(t, func() bool {
		d.tunnel.mu.Lock()
		defer d.tunnel.mu.Unlock()
		return len(d.tunnel.chain) == 0
	})
	server.freeze(false)
	before := server.logins()
	eventually(t, func() bool { return reached(t, d, to) })
	if server.logins() == before {
		t.Error("after the host was silent nobody logged in again")
	}
}

// Connections through a tunnel that broke end at once; the next one makes a new
// tunnel by itself, for as many as ask.
func TestReconnect(t *testing.T) {
	to := echo(t)
	p := newPerson(t)
	server := startSSH(t, p.key.PublicKey(), nil)
	p.knows(server)
	d := p.dialer(model.Route{Jumps: []string{server.addr}})
	conn, err := d.DialContext(t.Context(), "tcp", to)
	must(t, err)
	defer conn.Close()
	server.cut()
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("a connection outlived its tunnel")
	}
	eventually(t, func() bool { return reached(t, d, to) })
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { talk(t, d, to) })
	}
	wg.Wait()
	if logins := server.logins(); logins != 2 {
		t.Errorf("%d logins, want 2: one tunnel serves all", logins)
	}
}

func (s *sshServer) asksAlive() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alive
}

func (s *sshServer) freeze(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frozen = on
}

// logins is how many connections were logged in to.
func (s *sshServer) logins() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loggedIn
}

func TestAgent(t *testing.T) {
	to := echo(t)
	p := newPerson(t)
	server := startSSH(t, p.key.PublicKey(), nil)
	p.knows(server)
	must(t, os.Remove(p.home+"/.ssh/id_ed25519"))
	ring := agent.NewKeyring()
	must(t, ring.Add(agent.AddedKey{PrivateKey: p.raw}))
	socket := t.TempDir() + "/a"
	l, err := net.Listen("unix", socket)
	must(t, err)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { _ = agent.ServeAgent(ring, conn); _ = conn.Close() })
		}
	})
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	p.vars["SSH_AUTH_SOCK"] = socket
	talk(t, p.dialer(model.Route{Jumps: []string{server.addr}}), to)
}

// Kafka's client bounds reads by deadlines, which SSH channels do not have.
func TestDeadlines(t *testing.T) {
	to := echo(t)
	p := newPerson(t)
	server := startSSH(t, p.key.PublicKey(), nil)
	p.knows(server)
	conn, err := p.dialer(model.Route{Jumps: []string{server.addr}}).DialContext(t.Context(), "tcp", to)
	must(t, err)
	defer conn.Close()
	must(t, conn.SetReadDeadline(time.Now().Add(-time.Second)))
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a read after its deadline: %v", err)
	}
}
