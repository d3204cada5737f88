package dial

import (
	"context"
	"fmt"
	"net"
	"strings"
)

// socksDialer puts the proxy's name into errors.
type socksDialer struct {
	way   contextDialer
	proxy string
}

// DialContext asks the proxy to connect.
func (s socksDialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := s.way.DialContext(ctx, network, addr)
	if err == nil {
		return conn, nil
	}
	// The library's error begins with the proxy's address and its own name.
	text := err.Error()
	if at := strings.LastIndex(text, "socks connect"); at >= 0 {
		if _, why, ok := strings.Cut(text[at:], ": "); ok {
			text = why
		}
	}
	return nil, &wayError{fmt.Sprintf("through the SOCKS proxy %s: %s", s.proxy, text), socksRemedy(text), err}
}

// socksRemedy says what to check by what the library says of the proxy.
func socksRemedy(text string) string {
	switch {
	case strings.Contains(text, "authentication"), strings.Contains(text, "username/password"):
		return "check user and password of the SOCKS proxy: --socks5 USER@HOST:PORT and SHARETOP_SOCKS5_PASSWORD"
	case strings.Contains(text, "host unreachable"), strings.Contains(text, "network unreachable"),
		strings.Contains(text, "not allowed"), strings.Contains(text, "connection refused"), strings.Contains(text, "general SOCKS"):
		return "check that the SOCKS proxy runs, and that it may and can reach the address that the broker advertises"
	default:
		return "check the address of the SOCKS proxy"
	}
}

// wayError says on which part of the way a connection failed.
type wayError struct {
	text, remedy string
	err          error
}

// Remedy says what would help.
func (e *wayError) Remedy() string { return e.remedy }

// Error is a part of a sentence.
func (e *wayError) Error() string { return e.text }

// Unwrap gives the cause.
func (e *wayError) Unwrap() error { return e.err }
