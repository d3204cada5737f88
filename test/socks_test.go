//go:build linux

package test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"sharetop/dial"
	"sharetop/kafka"
	"sharetop/model"
)

// hashedSocks is plantedSocks as a shadow file has it (openssl passwd -6).
const hashedSocks = "$6$sharetop$M9aBrsmJRjTz0aACfFG6mtAdfwu2Sh6Vx82Pw3efz1ZjCLYOg1.VEGgkUDfXD/UG4kNs2nqjukYjNX6qZIcWz."

// danteWithLogin starts Dante's SOCKS server with a user of its own: it sees
// other files of users than this machine has.
func (s *servers) danteWithLogin() string {
	s.t.Helper()
	addr, port := freeAddress(s.t)
	known, err := os.ReadFile("/etc/passwd")
	must(s.t, err)
	passwd := s.write("passwd", string(known)+"tunnel:x:65533:65534::/:/bin/false\n")
	must(s.t, os.Chmod(passwd, 0o644))
	shadow := s.write("shadow", "root:*:1::::::\ntunnel:"+hashedSocks+":1::::::\n")
	config := s.write("danted-login.conf", "logoutput: stderr\ninternal: 127.0.0.1 port = "+port+"\nexternal: lo\nclientmethod: none\nsocksmethod: username\n"+
		"user.privileged: root\nuser.unprivileged: root\nclient pass { from: 0.0.0.0/0 to: 0.0.0.0/0 }\nsocks pass { from: 0.0.0.0/0 to: 0.0.0.0/0 }\n")
	s.start(addr, "sh", "-c", `mount --bind "$0" /etc/passwd && mount --bind "$1" /etc/shadow && exec danted -f "$2"`, passwd, shadow, config)
	return addr
}

// TestSOCKSLogin goes through a real Dante that wants user and password; what it
// refuses is named with what to do, and without the password.
func TestSOCKSLogin(t *testing.T) {
	s := newServers(t)
	fake, err := kfake.NewCluster(kfake.NumBrokers(2))
	must(t, err)
	t.Cleanup(fake.Close)
	proxy := s.danteWithLogin()
	connect := func(t *testing.T, route model.Route) *attempt {
		way, err := dial.New(route, dial.Options{Getenv: func(string) string { return "" }, Now: time.Now})
		must(t, err)
		t.Cleanup(way.Close)
		a := &attempt{t: t}
		a.client, err = kafka.Open(model.Connection{Bootstrap: fake.ListenAddrs(), Route: route},
			kafka.Options{Now: time.Now, Dial: way.DialContext, Logf: a.logf})
		must(t, err)
		t.Cleanup(a.client.Close)
		a.logf("%+v", route)
		return a
	}
	login := func(password string) model.Route {
		return model.Route{SOCKS5: proxy, SOCKS5User: "tunnel", SOCKS5Password: model.NewSecret(password)}
	}
	a := connect(t, login(plantedSocks))
	a.until("the groups of both brokers", func(s *model.Snapshot) bool {
		return !s.Listed.IsZero() && len(s.Cluster.Brokers) == 2 && len(s.Problems) == 0
	})
	a.expectNoSecret()
	for name, route := range map[string]model.Route{"wrong password": login(plantedWrong), "no password": {SOCKS5: proxy}} {
		a := connect(t, route)
		p := clusterProblem(a.until("why there is no connection", func(s *model.Snapshot) bool { return clusterProblem(s) != nil }))
		if !strings.Contains(p.Detail, "through the SOCKS proxy "+proxy) || !strings.Contains(p.Advice, "check user and password of the SOCKS proxy") {
			t.Errorf("%s: %s → %s", name, p.Detail, p.Advice)
		}
		a.expectNoSecret()
	}
}
