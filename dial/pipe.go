package dial

import (
	"io"
	"net"
)

// withDeadlines gives an SSH channel the deadlines that it lacks: Kafka's client
// and TLS bound every read and write by them. Closing either end closes both.
func withDeadlines(channel net.Conn) net.Conn {
	near, far := net.Pipe()
	closeBoth := func() {
		_ = far.Close()
		_ = channel.Close()
	}
	go func() {
		defer closeBoth()
		_, _ = io.Copy(far, channel)
	}()
	go func() {
		defer closeBoth()
		_, _ = io.Copy(channel, far)
	}()
	return &pipe{Conn: near, remote: channel.RemoteAddr()}
}

// pipe is our end, with the address of the other one.
type pipe struct {
	net.Conn
	remote net.Addr
}

// RemoteAddr is the channel's far end.
func (p *pipe) RemoteAddr() net.Addr { return p.remote }
