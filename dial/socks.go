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
	return nil, &wayError{fmt.Sprintf("through the SOCKS proxy %s: %s", s.proxy, text), err}
}

// wayError says on which part of the way a connection failed.
type wayError struct {
	text string
	err  error
}

// Error is a part of a sentence.
func (e *wayError) Error() string { return e.text }

// Unwrap gives the cause.
func (e *wayError) Unwrap() error { return e.err }
