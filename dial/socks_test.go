package dial

import (
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sharetop/model"
)

// socksServer is a SOCKS5 proxy with names of its own.
func socksServer(t *testing.T, user, password string, names map[string]string) string {
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
			wg.Go(func() { defer conn.Close(); serveSOCKS(conn, user, password, names) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	return l.Addr().String()
}

// serveSOCKS speaks RFC 1928 and 1929 with one client.
func serveSOCKS(conn net.Conn, user, password string, names map[string]string) {
	take := func(n int) []byte {
		b := make([]byte, n)
		_, _ = io.ReadFull(conn, b)
		return b
	}
	methods := take(int(take(2)[1]))
	if user == "" {
		_, _ = conn.Write([]byte{5, 0})
	} else {
		if !strings.Contains(string(methods), "\x02") {
			_, _ = conn.Write([]byte{5, 0xff})
			return
		}
		_, _ = conn.Write([]byte{5, 2})
		gotUser := string(take(int(take(2)[1])))
		if gotUser != user || string(take(int(take(1)[0]))) != password {
			_, _ = conn.Write([]byte{1, 1})
			return
		}
		_, _ = conn.Write([]byte{1, 0})
	}
	head := take(4)
	name := ""
	if head[3] == 3 {
		name = string(take(int(take(1)[0])))
	} else {
		name = net.IP(take(4)).String()
	}
	addr := net.JoinHostPort(name, strconv.Itoa(int(binary.BigEndian.Uint16(take(2)))))
	if to, ok := names[addr]; ok {
		addr = to
	}
	target, err := net.Dial("tcp", addr)
	if err != nil {
		_, _ = conn.Write([]byte{5, 5, 0, 1, 0, 0, 0, 0, 0, 0})
		return
	}
	defer target.Close()
	_, _ = conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	go func() { _, _ = io.Copy(target, conn); _ = target.Close() }()
	_, _ = io.Copy(conn, target)
}

func TestSOCKS5(t *testing.T) {
	to := echo(t)
	p := newPerson(t)
	names := map[string]string{"b1.internal:9092": to}
	open, closed := socksServer(t, "", "", names), socksServer(t, "u", "pl4nted", names)
	talk(t, p.dialer(model.Route{SOCKS5: open}), "b1.internal:9092")
	talk(t, p.dialer(model.Route{SOCKS5: closed, SOCKS5User: "u", SOCKS5Password: model.NewSecret("pl4nted")}), "b1.internal:9092")
	dialError(t, p.dialer(model.Route{SOCKS5: closed, SOCKS5User: "u", SOCKS5Password: model.NewSecret("wrong")}), "b1.internal:9092",
		"through the SOCKS proxy "+closed, "username/password authentication failed")
	dialError(t, p.dialer(model.Route{SOCKS5: closed}), "b1.internal:9092", "through the SOCKS proxy", "no acceptable authentication")
	dialError(t, p.dialer(model.Route{SOCKS5: open}), "127.0.0.1:1", "connection refused")
	dialError(t, p.dialer(model.Route{SOCKS5: "127.0.0.1:1"}), to, "through the SOCKS proxy 127.0.0.1:1")

	// SSH through the proxy.
	server := startSSH(t, p.key.PublicKey(), names)
	p.knows(server)
	talk(t, p.dialer(model.Route{SOCKS5: open, Jumps: []string{server.addr}}), "b1.internal:9092")
}
