//go:build unix

package main

import (
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// The whole program, from its command line to its end, on the demo cluster and
// a terminal that answers.
func TestProgramOnTheDemo(t *testing.T) {
	p := startProgram(t, 110, 30, "--demo")
	p.waitScreen("the groups of the demo", contains("DEMO", "booknest-packers", "connect-orders-sink", "payments-retry"))

	p.press("/")
	p.press("payments")
	p.press("\r")
	p.waitScreen("only the group that was filtered for", func(screen string) bool {
		return contains("payments-retry")(screen) && !strings.Contains(screen, "booknest-packers")
	})

	p.press("\r")
	p.waitScreen("the partitions of the open group", contains("1 Partitions", "refunds"))
	p.press("2")
	p.waitScreen("its members", contains("refunder-1", "refunder-2"))

	p.resize(60, 15)
	p.waitScreen("the same in a smaller window", func(screen string) bool {
		return contains("refunder-2")(screen) && strings.Count(screen, "\n") == 14
	})
	p.resize(30, 5)
	p.waitScreen("that the window is too small", contains("too small"))
	p.resize(110, 30)
	p.waitScreen("the members again", contains("refunder-1", "refunder-2"))

	p.press("q")
	p.expectEnd(0)
}

// Told to end, it closes the screen, then its connections and its brokers.
func TestProgramEndsOnSignals(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			p := startProgram(t, 80, 24, "--demo")
			p.waitScreen("the groups of the demo", contains("booknest-packers"))
			p.signal(s)
			p.expectEnd(0)
		})
	}
}

// program is sharetop itself on a terminal that understands what is drawn.
type program struct {
	*child
	drawing sync.Mutex
	screen  *vt.Emulator
}

// startProgram runs this test binary as sharetop.
func startProgram(t *testing.T, width, height int, args ...string) *program {
	t.Helper()
	p := &program{screen: vt.NewEmulator(width, height)}
	p.child = newChild(t, childProgram, width, height, args...)
	p.shows = func(output []byte) {
		p.drawing.Lock()
		defer p.drawing.Unlock()
		_, _ = p.screen.Write(output)
	}
	// The terminal's answers are typed into the program, as a real one does;
	// an answer that nobody takes would hold up all that is drawn after it.
	go func() { _, _ = io.Copy(p.master, p.screen) }()
	t.Cleanup(func() {
		if replies, ok := p.screen.InputPipe().(io.Closer); ok {
			_ = replies.Close()
		}
	})
	p.start()
	return p
}

func (p *program) text() string {
	p.drawing.Lock()
	defer p.drawing.Unlock()
	return p.screen.String()
}

func (p *program) resize(width, height int) {
	p.t.Helper()
	p.drawing.Lock()
	p.screen.Resize(width, height)
	p.drawing.Unlock()
	if err := pty.Setsize(p.master, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		p.t.Fatal(err)
	}
	// The terminal is not the program's controlling one, so that the kernel
	// tells nobody.
	p.signal(syscall.SIGWINCH)
}

// waitScreen waits until the screen shows what is expected.
func (p *program) waitScreen(what string, shown func(string) bool) {
	p.t.Helper()
	deadline := time.After(childTimeout)
	for !shown(p.text()) {
		select {
		case <-p.more:
		case <-deadline:
			p.t.Fatalf("the screen never showed %s, but\n%s", what, p.text())
		}
	}
}

// expectEnd waits for the end and checks that the terminal is as before.
func (p *program) expectEnd(code int) {
	p.t.Helper()
	if got := p.exit(); got != code {
		p.t.Errorf("exit code %d, want %d: %s", got, code, p.written())
	}
	p.expectRestored()
}

func contains(words ...string) func(string) bool {
	return func(screen string) bool {
		for _, w := range words {
			if !strings.Contains(screen, w) {
				return false
			}
		}
		return true
	}
}
