//go:build linux

package test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"sharetop/dial"
	"sharetop/kafka"
	"sharetop/model"
	"sharetop/test/broker"
)

// servers starts programs in a world of their own, in which the names that the
// brokers advertise mean something: elsewhere they resolve nowhere.
type servers struct {
	t     *testing.T
	dir   string
	hosts string
	names []string
	// accounts stand for the files of the same names in /etc.
	accounts []string
}

// newServers skips the test where it can't be: it takes root to hide a file.
func newServers(t *testing.T) *servers {
	t.Helper()
	for _, program := range []string{"sshd", "danted", "unshare"} {
		if _, err := exec.LookPath(program); err != nil || os.Getuid() != 0 {
			t.Skipf("this test was not run: it needs root, OpenSSH's and Dante's servers " +
				"(Debian: apt-get install openssh-server dante-server)")
		}
	}
	s := &servers{t: t, dir: t.TempDir()}
	s.hosts = s.write("hosts", "127.0.0.1 localhost\n")
	return s
}

func (s *servers) write(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	must(s.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// advertise gives a listener a name that only the servers know.
func (s *servers) advertise(target string) (string, error) {
	_, port, err := net.SplitHostPort(target)
	name := fmt.Sprintf("kafka-%d.sharetop.invalid", len(s.names)+1)
	s.names = append(s.names, net.JoinHostPort(name, port))
	s.write("hosts", "127.0.0.1 localhost "+strings.Join(hostsOf(s.names), " ")+"\n")
	return s.names[len(s.names)-1], err
}

func hostsOf(addrs []string) []string {
	var hosts []string
	for _, a := range addrs {
		host, _, _ := net.SplitHostPort(a)
		hosts = append(hosts, host)
	}
	return hosts
}

// start runs a server until the end of the test, and returns when it listens.
func (s *servers) start(addr, program string, args ...string) {
	s.t.Helper()
	must(s.t, os.Chmod(s.hosts, 0o644))
	path, err := exec.LookPath(program)
	must(s.t, err)
	script := `while [ "$1" != -- ]; do mount --bind "$1" "$2" && shift 2 || exit; done; shift; exec "$@"`
	instead := []string{s.hosts, "/etc/hosts"}
	for _, file := range s.accounts {
		instead = append(instead, file, filepath.Join("/etc", filepath.Base(file)))
	}
	before := append([]string{"--mount", "--kill-child", "sh", "-c", script, "sh"}, append(instead, "--", path)...)
	cmd := exec.Command("unshare", append(before, args...)...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	must(s.t, cmd.Start())
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		if s.t.Failed() {
			s.t.Logf("%s: %s", program, said.String())
		}
	})
	awaitListener(s.t, program, addr, ended, said.String)
}

// awaitListener returns when a program listens; said is what it wrote, once it has
// ended.
func awaitListener(t *testing.T, program, addr string, ended <-chan struct{}, said func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stepTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if conn, err := net.Dial("tcp", addr); err == nil {
			_ = conn.Close()
			return
		}
		select {
		case <-tick.C:
		case <-ended:
			t.Fatalf("%s ended: %s", program, said())
		case <-ctx.Done():
			t.Fatalf("%s does not listen on %s", program, addr)
		}
	}
}

// freeAddress is one that nobody listens on now.
func freeAddress(t *testing.T) (addr, port string) {
	t.Helper()
	addr, err := broker.FreeAddress(t.Context())
	must(t, err)
	_, port, err = net.SplitHostPort(addr)
	must(t, err)
	return addr, port
}

// keyFile writes a new key pair, and returns its path and public key.
func (s *servers) keyFile(name string) (string, ssh.PublicKey) {
	s.t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	must(s.t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	must(s.t, err)
	signer, err := ssh.NewSignerFromKey(private)
	must(s.t, err)
	return s.write(name, string(pem.EncodeToMemory(block))), signer.PublicKey()
}

// openSSH starts OpenSSH's server and makes a home directory that may log in.
func (s *servers) openSSH() (addr, home string) {
	s.t.Helper()
	addr, port := freeAddress(s.t)
	hostKey, hostPublic := s.keyFile("host_key")
	must(s.t, os.MkdirAll(filepath.Join(s.dir, ".ssh"), 0o700))
	_, public := s.keyFile(".ssh/id_ed25519")
	authorized := s.write("authorized_keys", string(ssh.MarshalAuthorizedKey(public)))
	s.write(".ssh/known_hosts", knownhosts.Line([]string{addr}, hostPublic)+"\n")
	config := s.write("sshd_config", "Port "+port+"\nListenAddress 127.0.0.1\nHostKey "+hostKey+"\nAuthorizedKeysFile "+authorized+
		"\nUsePAM no\nStrictModes no\nPidFile none\nPermitRootLogin prohibit-password\nPasswordAuthentication no\n")
	must(s.t, os.MkdirAll("/run/sshd", 0o755))
	s.start(addr, "sshd", "-D", "-e", "-f", config)
	return addr, s.dir
}

// dante starts Dante's SOCKS server; method is none or username.
func (s *servers) dante(method string) string {
	s.t.Helper()
	addr, port := freeAddress(s.t)
	config := s.write("danted-"+method+".conf", "logoutput: stderr\ninternal: 127.0.0.1 port = "+port+"\nexternal: lo\nclientmethod: none\nsocksmethod: "+
		method+"\nuser.privileged: root\nuser.unprivileged: root\nclient pass { from: 0.0.0.0/0 to: 0.0.0.0/0 }\nsocks pass { from: 0.0.0.0/0 to: 0.0.0.0/0 }\n")
	s.start(addr, "danted", "-f", config)
	return addr
}

// socksUser is known to the servers only, with plantedSocks.
const socksUser = "mallory"

// addAccount makes socksUser an account in the servers' world. Dante knows only
// the users of its machine.
func (s *servers) addAccount() {
	s.t.Helper()
	hash, err := exec.CommandContext(s.t.Context(), "perl", "-e", `print crypt($ARGV[0], '$6$sharetop$')`, plantedSocks).Output()
	must(s.t, err)
	passwd, err := os.ReadFile("/etc/passwd")
	must(s.t, err)
	s.accounts = []string{
		s.write("passwd", string(passwd)+socksUser+":x:65533:65533::/nonexistent:/bin/false\n"),
		s.write("shadow", "root:*:20000:0:99999:7:::\n"+socksUser+":"+string(hash)+":20000:0:99999:7:::\n"),
	}
	must(s.t, os.Chmod(s.accounts[0], 0o644))
}

// TestWays reaches three real brokers whose advertised names resolve nowhere,
// through a real OpenSSH and a real Dante.
func TestWays(t *testing.T) {
	s := newServers(t)
	c := startKafka(t, broker.Options{Nodes: 3, Behind: s.advertise})
	must(t, c.work.CreateTopic(t.Context(), "ways", 3))
	for _, name := range s.names {
		if conn, err := net.DialTimeout("tcp", name, stepTimeout); err == nil {
			_ = conn.Close()
			t.Fatalf("%s can be reached without a way", name)
		}
	}
	me, err := user.Current()
	must(t, err)
	sshAddr, home := s.openSSH()
	const group = "ways-through"
	must(t, c.work.PlaceGroup(t.Context(), group, "ways", 0, 0, 0))
	dante := s.dante("none")
	s.addAccount()
	guarded := s.dante("username")
	t.Setenv("SHARETOP_SOCKS5_PASSWORD", plantedSocks)
	s.write(".ssh/config", "Host bastion\n  HostName 127.0.0.1\n  Port "+portOf(sshAddr)+"\nHost inner\n  HostName 127.0.0.1\n  Port "+
		portOf(sshAddr)+"\n  ProxyJump bastion\n")
	for name, route := range map[string]model.Route{
		"OpenSSH":                 {Jumps: []string{sshAddr}},
		"Dante":                   {SOCKS5: dante},
		"Dante with a password":   {SOCKS5: guarded, SOCKS5User: socksUser, SOCKS5Password: model.NewSecret(plantedSocks)},
		"replaced addresses":      {Resolve: replaced(s.names)},
		"OpenSSH twice":           {Jumps: []string{sshAddr, sshAddr}},
		"OpenSSH by ProxyJump":    {Jumps: []string{"inner"}},
		"OpenSSH through a proxy": {SOCKS5: dante, Jumps: []string{sshAddr}},
	} {
		t.Run(name, func(t *testing.T) {
			way, err := dial.New(route, dial.Options{Home: home, User: me.Username, Getenv: func(string) string { return "" }, Now: time.Now})
			must(t, err)
			t.Cleanup(way.Close)
			seen := &seenAddresses{way: way, reached: map[string]bool{}}
			client, err := kafka.Open(model.Connection{Bootstrap: s.names[:1]}, kafka.Options{Now: time.Now, Dial: seen.dial})
			must(t, err)
			t.Cleanup(client.Close)
			a := &attempt{t: t, client: client}
			a.logf("%+v", route)
			a.until("the groups of all brokers", func(s *model.Snapshot) bool {
				return !s.Listed.IsZero() && len(s.Cluster.Brokers) == 3 && s.Offsets.Sweep.FirstDone && len(s.Problems) == 0
			})
			for _, broker := range s.names {
				if !seen.has(broker) {
					t.Errorf("%s was not reached", broker)
				}
			}
			a.expectNoSecret()
			startsScreen(t, home, group, append(flagsOf(route), "--bootstrap-server", s.names[0])...)
		})
	}
	t.Run("key with a passphrase", func(t *testing.T) {
		s.lockKey(".ssh/id_ed25519")
		p := startTerminalAt(t, home, 100, 30, nil, "--ssh-jump", sshAddr, "--bootstrap-server", s.names[0])
		p.shows("passphrase of")
		p.press(plantedPhrase + "\r")
		p.shows(group)
		p.press("q")
		if code := p.exit(); code != 0 {
			t.Errorf("exit code %d after q, want 0", code)
		}
		p.restored()
		p.expectNoSecret()
	})
	t.Run("wrong password of the proxy", func(t *testing.T) {
		t.Setenv("SHARETOP_SOCKS5_PASSWORD", plantedWrong)
		failsOnScreen(t, "through the SOCKS proxy "+guarded, "", "--socks5", socksUser+"@"+guarded, "--bootstrap-server", s.names[0])
	})
}

// lockKey puts a passphrase on a key file.
func (s *servers) lockKey(name string) {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	must(s.t, err)
	key, err := ssh.ParseRawPrivateKey(text)
	must(s.t, err)
	block, err := ssh.MarshalPrivateKeyWithPassphrase(*key.(*ed25519.PrivateKey), "", []byte(plantedPhrase))
	must(s.t, err)
	s.write(name, string(pem.EncodeToMemory(block)))
}

func portOf(addr string) string { _, port, _ := net.SplitHostPort(addr); return port }

// flagsOf are the flags that stand for a route.
func flagsOf(route model.Route) []string {
	var flags []string
	if len(route.Jumps) > 0 {
		flags = append(flags, "--ssh-jump", strings.Join(route.Jumps, ","))
	}
	if route.SOCKS5 != "" {
		flags = append(flags, "--socks5", strings.TrimPrefix(route.SOCKS5User+"@"+route.SOCKS5, "@"))
	}
	for from, to := range route.Resolve {
		flags = append(flags, "--resolve", from+"="+to)
	}
	return flags
}

// replaced stands for --resolve.
func replaced(names []string) map[string]string {
	out := map[string]string{}
	for _, name := range names {
		_, port, _ := net.SplitHostPort(name)
		out[name] = "127.0.0.1:" + port
	}
	return out
}

// seenAddresses notes what was dialled and reached.
type seenAddresses struct {
	way     *dial.Dialer
	mu      sync.Mutex
	reached map[string]bool
}

func (s *seenAddresses) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := s.way.DialContext(ctx, network, addr)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.reached[addr] = true
	}
	return conn, err
}

func (s *seenAddresses) has(addr string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reached[addr]
}
