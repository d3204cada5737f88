package dial

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"sharetop/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sshServer is an SSH host that forwards connections for one key.
type sshServer struct {
	addr    string
	hostKey ssh.Signer
	// names replaces addresses that are asked for: names that only this host
	// knows.
	names map[string]string

	listener net.Listener
	mu       sync.Mutex
	conns    []net.Conn
	asked    []string
	// alive counts keep-alive requests; once frozen none is answered.
	alive    int
	frozen   bool
	loggedIn int
	wg       sync.WaitGroup
}

func newSigner(t *testing.T) (ssh.Signer, ed25519.PrivateKey) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	signer, err := ssh.NewSignerFromKey(private)
	must(t, err)
	return signer, private
}

func startSSH(t *testing.T, allowed ssh.PublicKey, names map[string]string) *sshServer {
	t.Helper()
	s := &sshServer{names: names}
	s.hostKey, _ = newSigner(t)
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if string(key.Marshal()) == string(allowed.Marshal()) {
			return nil, nil
		}
		return nil, errors.New("unknown key")
	}}
	config.AddHostKey(s.hostKey)
	var err error
	s.listener, err = net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s.addr = s.listener.Addr().String()
	s.wg.Go(func() { s.accept(config) })
	t.Cleanup(func() {
		_ = s.listener.Close()
		s.cut()
		s.wg.Wait()
	})
	return s
}

func (s *sshServer) accept(config *ssh.ServerConfig) {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.keep(conn)
		s.wg.Go(func() {
			defer conn.Close()
			server, channels, requests, err := ssh.NewServerConn(conn, config)
			if err != nil {
				return
			}
			s.mu.Lock()
			s.loggedIn++
			s.mu.Unlock()
			s.wg.Go(func() { s.answer(requests) })
			for channel := range channels {
				s.wg.Go(func() { s.forward(channel) })
			}
			_ = server.Wait()
		})
	}
}

// answer answers what a client asks of the connection as a whole.
func (s *sshServer) answer(requests <-chan *ssh.Request) {
	for r := range requests {
		s.mu.Lock()
		frozen := s.frozen
		if r.Type == "keepalive@openssh.com" {
			s.alive++
		}
		s.mu.Unlock()
		if r.WantReply && !frozen {
			_ = r.Reply(false, nil)
		}
	}
}

func (s *sshServer) keep(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns = append(s.conns, conn)
}

// cut ends all connections, as a host does that goes down.
func (s *sshServer) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		_ = c.Close()
	}
	s.conns = nil
}

func (s *sshServer) forward(channel ssh.NewChannel) {
	var want struct {
		Host       string
		Port       uint32
		Origin     string
		OriginPort uint32
	}
	if channel.ChannelType() != "direct-tcpip" || ssh.Unmarshal(channel.ExtraData(), &want) != nil {
		_ = channel.Reject(ssh.UnknownChannelType, "only forwarding")
		return
	}
	addr := net.JoinHostPort(want.Host, strconv.Itoa(int(want.Port)))
	s.mu.Lock()
	s.asked = append(s.asked, addr)
	if to, ok := s.names[addr]; ok {
		addr = to
	}
	s.mu.Unlock()
	target, err := net.Dial("tcp", addr)
	if err != nil {
		_ = channel.Reject(ssh.ConnectionFailed, "Connection refused")
		return
	}
	s.keep(target)
	near, requests, err := channel.Accept()
	if err != nil {
		_ = target.Close()
		return
	}
	s.wg.Go(func() { ssh.DiscardRequests(requests) })
	s.wg.Go(func() { _, _ = io.Copy(near, target); _ = near.Close(); _ = target.Close() })
	_, _ = io.Copy(target, near)
	_ = near.Close()
	_ = target.Close()
}

// echo is a server that sends back what it gets.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { _, _ = io.Copy(conn, conn); _ = conn.Close() })
		}
	})
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	return l.Addr().String()
}

// person is a home directory with a key and known hosts.
type person struct {
	t    *testing.T
	home string
	key  ssh.Signer
	raw  ed25519.PrivateKey
	now  time.Time
	ask  func(string) (model.Secret, error)
	vars map[string]string
	// keepAlive and its answer's bound are 0 for the usual.
	keepAlive, keepAliveAnswer time.Duration
}

func newPerson(t *testing.T) *person {
	t.Helper()
	p := &person{t: t, home: t.TempDir(), now: time.Unix(1000, 0), vars: map[string]string{}}
	p.key, p.raw = newSigner(t)
	must(t, os.Mkdir(filepath.Join(p.home, ".ssh"), 0o700))
	p.writeKey("id_ed25519", "")
	return p
}

// writeKey writes the person's key, with a passphrase if there is one.
func (p *person) writeKey(name, passphrase string) {
	p.t.Helper()
	block, err := ssh.MarshalPrivateKey(p.raw, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(p.raw, "", []byte(passphrase))
	}
	must(p.t, err)
	p.write(name, string(pem.EncodeToMemory(block)))
}

func (p *person) write(name, text string) {
	p.t.Helper()
	must(p.t, os.WriteFile(filepath.Join(p.home, ".ssh", name), []byte(text), 0o600))
}

// knows writes known_hosts.
func (p *person) knows(servers ...*sshServer) {
	p.t.Helper()
	var text strings.Builder
	for _, s := range servers {
		text.WriteString(knownhosts.Line([]string{s.addr}, s.hostKey.PublicKey()) + "\n")
	}
	p.write("known_hosts", text.String())
}

func (p *person) options() Options {
	return Options{
		Home: p.home, User: "me", Now: func() time.Time { return p.now }, Ask: p.ask,
		Getenv: func(k string) string { return p.vars[k] }, KeepAlive: p.keepAlive, KeepAliveAnswer: p.keepAliveAnswer,
	}
}

func (p *person) dialer(route model.Route) *Dialer {
	p.t.Helper()
	d, err := New(route, p.options())
	must(p.t, err)
	p.t.Cleanup(d.Close)
	return d
}
