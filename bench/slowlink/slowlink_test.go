package slowlink

import (
	"io"
	"net"
	"testing"
	"time"
)

// The link must carry bytes unchanged, and not before their time: a floor that
// holds on any machine, however slow.
func TestLinkDelaysBothWays(t *testing.T) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer echo.Close()
	go func() {
		c, err := echo.Accept()
		if err == nil {
			_, _ = io.Copy(c, c)
		}
	}()
	const delay = 20 * time.Millisecond
	link, err := New("127.0.0.1:0", echo.Addr().String(), delay)
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	c, err := net.Dial("tcp", link.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	began := time.Now()
	if _, err := c.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 5)
	if _, err := io.ReadFull(c, got); err != nil || string(got) != "hello" {
		t.Fatalf("got %q, %v", got, err)
	}
	if took := time.Since(began); took < 2*delay {
		t.Errorf("came back after %v, before the link's %v each way", took, delay)
	}
}
