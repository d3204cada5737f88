// Package slowlink is a TCP proxy on loopback that delays every byte by a fixed
// time each way without narrowing the line: what a far-away cluster feels like.
package slowlink

import (
	"net"
	"sync"
	"time"
)

// Link is a running proxy.
type Link struct {
	listener net.Listener
	target   string
	delay    time.Duration

	mu    sync.Mutex
	conns []net.Conn
	wg    sync.WaitGroup
}

// New listens on listen ("127.0.0.1:0" for any free port) and passes every
// connection on to target, each byte delay late in both directions.
func New(listen, target string, delay time.Duration) (*Link, error) {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, err
	}
	link := &Link{listener: l, target: target, delay: delay}
	link.wg.Add(1)
	go link.accept()
	return link, nil
}

// Addr is where the proxy listens.
func (l *Link) Addr() string { return l.listener.Addr().String() }

// Close ends the proxy and all its connections.
func (l *Link) Close() {
	_ = l.listener.Close()
	l.mu.Lock()
	for _, c := range l.conns {
		_ = c.Close()
	}
	l.mu.Unlock()
	l.wg.Wait()
}

func (l *Link) accept() {
	defer l.wg.Done()
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", l.target)
		if err != nil {
			_ = near.Close()
			continue
		}
		l.mu.Lock()
		l.conns = append(l.conns, near, far)
		l.mu.Unlock()
		l.wg.Add(2)
		go l.pass(near, far)
		go l.pass(far, near)
	}
}

// piece is some bytes and when they are due on the other side.
type piece struct {
	data []byte
	due  time.Time
}

// queued bounds the pieces under way in one direction; reading stops at it.
const queued = 4096

// pass reads from one side and writes to the other when each piece is due, so
// that bytes sent close together arrive close together.
func (l *Link) pass(from, to net.Conn) {
	defer l.wg.Done()
	pieces := make(chan piece, queued)
	l.wg.Add(1)
	go func() {
		defer l.wg.Done()
		defer to.Close()
		for p := range pieces {
			time.Sleep(time.Until(p.due))
			if _, err := to.Write(p.data); err != nil {
				_ = from.Close()
			}
		}
	}()
	defer close(pieces)
	for {
		buf := make([]byte, 32<<10)
		n, err := from.Read(buf)
		if n > 0 {
			pieces <- piece{data: buf[:n], due: time.Now().Add(l.delay)}
		}
		if err != nil {
			return
		}
	}
}
