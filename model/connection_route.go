package model

import (
	"fmt"
	"net"
	"strings"
)

// Route is the way to the brokers: through SSH hosts in their order, or through
// a SOCKS5 proxy, or directly. Names are resolved at its far end.
type Route struct {
	// Jumps are SSH hosts, [user@]host[:port] or a Host of ~/.ssh/config; the
	// first is dialled from here, each other through the one before.
	Jumps []string
	// SOCKS5 is host:port of a proxy; empty for none.
	SOCKS5         string
	SOCKS5User     string
	SOCKS5Password Secret
	// Resolve replaces addresses: host:port as brokers advertise it, to
	// host:port to dial. TLS still checks the advertised name.
	Resolve map[string]string
}

// String is the way in words.
func (r Route) String() string {
	if way := r.Way(); way != "" {
		return way
	}
	return "direct"
}

// Way is the way in words; empty where it is direct.
func (r Route) Way() string {
	var parts []string
	if r.SOCKS5 != "" {
		parts = append(parts, "SOCKS5 "+r.SOCKS5)
	}
	if len(r.Jumps) > 0 {
		parts = append(parts, "SSH "+strings.Join(r.Jumps, ", "))
	}
	if len(r.Resolve) > 0 {
		parts = append(parts, fmt.Sprintf("%d addresses replaced", len(r.Resolve)))
	}
	return strings.Join(parts, "; ")
}

// ParseResolve reads NAME:PORT=ADDRESS:PORT.
func ParseResolve(text string) (from, to string, err error) {
	from, to, ok := strings.Cut(text, "=")
	from, to = strings.TrimSpace(from), strings.TrimSpace(to)
	if !ok || CheckAddress(from) != nil || CheckAddress(to) != nil {
		return "", "", fmt.Errorf("%q is not NAME:PORT=ADDRESS:PORT", text)
	}
	return strings.ToLower(from), to, nil
}

// CheckAddress tells whether text is HOST:PORT; the error is one sentence.
func CheckAddress(text string) error {
	host, port, err := net.SplitHostPort(text)
	if err != nil || host == "" {
		return fmt.Errorf("%q is not HOST:PORT, e.g. localhost:9092", text)
	}
	if n, ok := parsePort(port); !ok || n == 0 {
		return fmt.Errorf("the port of %q is not a number from 1 to 65535", text)
	}
	return nil
}

func parsePort(s string) (int, bool) {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > 65535 {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, s != "" && n <= 65535
}
