//go:build unix

package bench

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// terminal is sharetop on a terminal that understands what is drawn.
type terminal struct {
	b      *testing.B
	cmd    *exec.Cmd
	master *os.File
	began  time.Time

	mu     sync.Mutex
	screen *vt.Emulator
	// drawn is signalled after every piece of output.
	drawn chan struct{}
}

// shownTimeout bounds waiting for something on the screen.
const shownTimeout = 30 * time.Second

func startTerminal(b *testing.B, width, height int, argv ...string) *terminal {
	b.Helper()
	t := &terminal{b: b, screen: vt.NewEmulator(width, height), drawn: make(chan struct{}, 1)}
	t.cmd = exec.CommandContext(b.Context(), argv[0], argv[1:]...)
	t.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8")
	t.began = time.Now()
	master, err := pty.StartWithSize(t.cmd, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)})
	if err != nil {
		b.Fatal(err)
	}
	t.master = master
	go t.draw()
	// The emulator's answers to queries are typed back, as a terminal does.
	go func() { _, _ = io.Copy(master, t.screen) }()
	return t
}

func (t *terminal) draw() {
	buf := make([]byte, 64<<10)
	for {
		n, err := t.master.Read(buf)
		t.mu.Lock()
		_, _ = t.screen.Write(buf[:n])
		t.mu.Unlock()
		select {
		case t.drawn <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (t *terminal) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Split(t.screen.String(), "\n")
}

// shown waits until the screen is as wanted, and returns how long after the
// start of the program that was.
func (t *terminal) shown(what string, wanted func(lines []string) bool) time.Duration {
	t.b.Helper()
	deadline := time.After(shownTimeout)
	for !wanted(t.lines()) {
		select {
		case <-t.drawn:
		case <-deadline:
			t.b.Fatalf("the screen never showed %s, but\n%s", what, strings.Join(t.lines(), "\n"))
		}
	}
	return time.Since(t.began)
}

// quit leaves the program and waits for its end.
func (t *terminal) quit() {
	t.b.Helper()
	_, _ = t.master.WriteString("\x03")
	_ = t.cmd.Wait()
	_ = t.master.Close()
	if replies, ok := t.screen.InputPipe().(io.Closer); ok {
		_ = replies.Close()
	}
}
