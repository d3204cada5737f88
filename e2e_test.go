//go:build unix

package main

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

	p.press("v")
	p.waitScreen("records, with the group's state of each", contains("PEEK: the group is not touched", "from the head", "refunds-0@", `"refund"`))
	p.press("2")
	p.waitScreen("the members again", contains("refunder-1", "refunder-2"))

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
			p.waitScreen("the groups of the demo", contains("booknest-packers", "6 groups"))
			p.signal(s)
			p.expectEnd(0)
		})
	}
}

// With a network that swallows everything the screen still answers: nothing
// that waits for a broker is in its way.
func TestProgramWithoutAnyAnswer(t *testing.T) {
	for _, leave := range []string{"q", "\x03"} {
		t.Run(strconv.Quote(leave), func(t *testing.T) {
			p := startProgram(t, 90, 24, "--bootstrap-server", silentServer(t))
			p.waitScreen("that nothing was seen", contains("Connecting to", "nothing seen yet"))
			p.press(":")
			p.waitScreen("the command line", contains("Command", "open a group, listed or not"))
			p.press("\x1b")
			p.waitScreen("the page again", func(screen string) bool { return !contains("open a group, listed or not")(screen) })
			p.press(leave)
			p.expectEnd(0)
		})
	}
}

// silentServer takes connections and never says a word.
func silentServer(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open []net.Conn
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			open = append(open, conn)
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
		for _, conn := range open {
			_ = conn.Close()
		}
	})
	return listener.Addr().String()
}

// A person's mute list and thresholds reach what the screen says.
func TestProgramKeepsToTheRules(t *testing.T) {
	config := t.TempDir()
	if err := os.Mkdir(filepath.Join(config, "sharetop"), 0o700); err != nil {
		t.Fatal(err)
	}
	rules := "[[mute]]\ngroup = \"nightly-*\"\nfinding = \"nobody-reading\"\n"
	if err := os.WriteFile(filepath.Join(config, "sharetop", "config.toml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, childProgram, 180, 24, "--demo")
	p.start("XDG_CONFIG_HOME=" + config)
	p.waitScreen("the muted group without its finding", contains("nobody is reading (below the threshold or muted)"))
	p.press("q")
	p.expectEnd(0)

	once := newChild(t, childProgram, 80, 24, "--demo", "--once", "-o", "json", "--group", "nightly-audit")
	once.start("XDG_CONFIG_HOME=" + config)
	if code := once.exit(); code != 0 || !strings.Contains(once.written(), "below the threshold or muted") {
		t.Errorf("exit %d: %s", code, once.written())
	}
}

// Stopped and continued, the terminal is the shell's in between, and the screen
// is drawn and fresh again.
func TestProgramIsSuspended(t *testing.T) {
	p := startProgram(t, 100, 24, "--demo")
	p.waitScreen("the groups of the demo", contains("booknest-packers", "6 groups"))
	p.press("\x1a")
	p.waitStopped()
	if !p.isCooked() {
		t.Error("the terminal is raw while the program is stopped")
	}
	p.signal(syscall.SIGCONT)
	p.press("/")
	p.press("payments")
	p.waitScreen("what was typed after it went on", contains("/payments", "1 of 6"))
	p.press("\x03")
	p.expectEnd(0)
}

// Pasted text is text: in a filter and in a command line its lines confirm
// nothing, and elsewhere it is nobody's.
func TestProgramTakesPastes(t *testing.T) {
	const begin, end = "\x1b[200~", "\x1b[201~"
	p := startProgram(t, 100, 24, "--demo")
	p.waitScreen("the groups of the demo", contains("booknest-packers", "6 groups"))
	p.press(begin + "q\r" + end)
	p.press("/")
	p.press(begin + "pay\rments\n" + end)
	p.waitScreen("the paste in the filter, not accepted", contains("enter accept", "/payments", "1 of 6"))
	p.press("\x1b")
	p.waitScreen("the page", contains("enter open"))
	p.press(":")
	p.press(begin + "q\r" + end)
	p.waitScreen("the paste in the command line", contains(":q"))
	p.press("\x1b")
	p.waitScreen("the page", contains("enter open"))
	p.press("q")
	p.expectEnd(0)
}

// In the C locale nothing but ASCII is written, wide names too.
func TestProgramInTheCLocale(t *testing.T) {
	p := newProgram(t, childProgram, 150, 24, "--demo")
	p.start("LC_ALL=C")
	p.waitScreen("the group with the awkward name", contains(`late "books"`, "booknest-packers"))
	p.press("q")
	p.expectEnd(0)
	for _, b := range []byte(p.written()) {
		if b >= 0x80 {
			t.Fatalf("byte %#x was written", b)
		}
	}
}

// With NO_COLOR a state is told by signs, words and weight, and by no colour.
func TestProgramWithoutColours(t *testing.T) {
	p := newProgram(t, childProgram, 110, 24, "--demo")
	p.start("NO_COLOR=1", "COLORTERM=truecolor")
	p.waitScreen("the groups of the demo", contains("booknest-packers", "▲ "))
	p.press("R")
	p.waitScreen("the radar", contains("Poison radar"))
	p.press("q")
	p.expectEnd(0)
	weights := []string{"", "0", "1", "2", "7", "22", "27"} // none, bold, dim and reverse, and their ends
	for _, style := range regexp.MustCompile("\x1b\\[([0-9;:]*)m").FindAllStringSubmatch(p.written(), -1) {
		for _, part := range strings.Split(style[1], ";") {
			if !slices.Contains(weights, part) {
				t.Fatalf("the style %q was written", style[0])
			}
		}
	}
}

// A terminal that moves no cursor can't show a screen: it is told so, and gets no
// escape sequence; what is printed works there.
func TestProgramOnADumbTerminal(t *testing.T) {
	p := newChild(t, childProgram, 80, 24, "--demo")
	p.start("TERM=dumb")
	if code := p.exit(); code != 1 || !strings.Contains(p.written(), "TERM is dumb") || !strings.Contains(p.written(), "--once") {
		t.Errorf("exit %d: %q", code, p.written())
	}
	once := newChild(t, childProgram, 80, 24, "--demo", "--once")
	once.start("TERM=dumb")
	if code := once.exit(); code != 0 || !strings.Contains(once.written(), "booknest-packers") {
		t.Errorf("exit %d: %q", code, once.written())
	}
	for _, c := range []*child{p, once} {
		if strings.Contains(c.written(), "\x1b") {
			t.Errorf("an escape sequence was written: %q", c.written())
		}
		if !c.isCooked() {
			t.Error("the terminal is not as it was")
		}
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
	p := newProgram(t, childProgram, width, height, args...)
	p.start()
	return p
}

// newProgram makes ready what startProgram starts, or a variant of it.
func newProgram(t *testing.T, what string, width, height int, args ...string) *program {
	t.Helper()
	p := &program{screen: vt.NewEmulator(width, height)}
	p.child = newChild(t, what, width, height, args...)
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
