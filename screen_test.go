//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// childEnv makes this test binary run a screen instead of the tests.
const childEnv = "SHARETOP_TEST_SCREEN"

// childTimeout bounds the wait for anything that a child does.
const childTimeout = 20 * time.Second

// endMark is written to the terminal after the child's end: once it is read,
// so is everything before it.
const endMark = "<end of output>"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		os.Exit(screenChild())
	}
	os.Exit(m.Run())
}

// screenChild runs a small screen as main runs the real one.
func screenChild() int {
	ctx, release := signalContext()
	defer release()
	err := runScreen(ctx, childModel{})
	switch {
	case errors.Is(err, tea.ErrInterrupted):
		return 130
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// childModel does what the key says that it is pressed with.
type childModel struct {
	// fail makes the next View panic.
	fail bool
}

func (childModel) Init() tea.Cmd { return nil }

func (m childModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return m, nil
	}
	switch key.String() {
	case "q":
		return m, tea.Quit
	case "i":
		return m, tea.Interrupt
	case "u":
		panic("on purpose, in Update")
	case "c":
		return m, func() tea.Msg { panic("on purpose, in a command") }
	case "b":
		fail := func() tea.Msg { panic("on purpose, in a batch") }
		return m, tea.Sequence(nil, tea.Batch(fail, fail))
	case "v":
		return childModel{fail: true}, nil
	}
	return m, nil
}

func (m childModel) View() tea.View {
	if m.fail {
		panic("on purpose, in View")
	}
	v := tea.NewView("ready")
	v.AltScreen = true
	return v
}

// Whatever ends the screen, the terminal is as before.
func TestTerminalIsRestored(t *testing.T) {
	key := func(k string) func(*child) { return func(c *child) { c.press(k) } }
	signalled := func(s syscall.Signal) func(*child) { return func(c *child) { c.signal(s) } }
	cases := []struct {
		name string
		end  func(*child)
		exit int
		says string
	}{
		{"quit", key("q"), 0, ""},
		{"interrupted", key("i"), 130, ""},
		{"panic in Update", key("u"), 1, "on purpose, in Update"},
		{"panic in View", key("v"), 1, "on purpose, in View"},
		{"panic in a command", key("c"), 1, "on purpose, in a command"},
		{"panic in a batch inside a sequence", key("b"), 1, "on purpose, in a batch"},
		{"SIGTERM", signalled(syscall.SIGTERM), 0, ""},
		{"SIGHUP", signalled(syscall.SIGHUP), 0, ""},
		{"SIGINT", signalled(syscall.SIGINT), 0, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := startChild(t)
			p.waitFor("ready")
			if cooked := p.isCooked(); cooked {
				t.Fatal("the terminal is cooked while the screen is up: the test sees nothing")
			}
			c.end(p)
			if got := p.exit(); got != c.exit {
				t.Errorf("exit code %d, want %d", got, c.exit)
			}
			if !p.isCooked() {
				t.Error("the terminal was left raw")
			}
			screen := p.written()
			for name, sequence := range map[string]string{"the alternate screen": "\x1b[?1049l", "a hidden cursor": "\x1b[?25h"} {
				if !strings.Contains(screen, sequence) {
					t.Errorf("%s was left on", name)
				}
			}
			restored := screen[strings.LastIndex(screen, "\x1b[?1049l")+1:]
			if !strings.Contains(restored, c.says) {
				t.Errorf("nothing says %q once the screen is restored, but %q", c.says, restored)
			}
		})
	}
}

// A terminal that goes away ends the program, even if no SIGHUP ever comes.
func TestTerminalGone(t *testing.T) {
	p := startChild(t)
	p.waitFor("ready")
	p.hangUp()
	p.exit()
}

func TestNoTerminal(t *testing.T) {
	out, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	cmd := childCommand(t)
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != 1 {
		t.Errorf("exit code %d, want 1", got)
	}
	if !strings.Contains(stderr.String(), "--once") {
		t.Errorf("the message does not point to --once: %q", stderr.String())
	}
	if info, err := out.Stat(); err != nil || info.Size() != 0 {
		t.Errorf("%d bytes were written to what is no terminal", info.Size())
	}
}

// child is a process with a terminal of its own. The terminal is not its
// controlling terminal, so that no signal comes by itself.
type child struct {
	t           *testing.T
	cmd         *exec.Cmd
	master, tty *os.File
	cooked      string
	mu          sync.Mutex
	output      bytes.Buffer
	more        chan struct{}
}

func childCommand(t *testing.T) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), childTimeout)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=1", "TERM=xterm-256color")
	return cmd
}

func startChild(t *testing.T) *child {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	c := &child{t: t, cmd: childCommand(t), master: pollable(t, master), tty: tty, more: make(chan struct{}, 1)}
	t.Cleanup(func() { _ = c.tty.Close(); _ = c.master.Close() })
	c.cooked = c.termios()
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = tty, tty, tty
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go c.read()
	return c
}

// pollable is the same file in a form whose Close takes effect at once, even
// while somebody reads; a blocking one would stay open until that read is over.
func pollable(t *testing.T, f *os.File) *os.File {
	t.Helper()
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	syscall.CloseOnExec(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), f.Name())
}

// read collects what is written to the terminal until it is closed.
func (c *child) read() {
	buffer := make([]byte, 4096)
	for {
		n, err := c.master.Read(buffer)
		c.mu.Lock()
		c.output.Write(buffer[:n])
		c.mu.Unlock()
		select {
		case c.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (c *child) written() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.output.String()
}

func (c *child) waitFor(text string) {
	c.t.Helper()
	deadline := time.After(childTimeout)
	for !strings.Contains(c.written(), text) {
		select {
		case <-c.more:
		case <-deadline:
			c.t.Fatalf("%q never appeared in %q", text, c.written())
		}
	}
}

func (c *child) press(key string) {
	if _, err := io.WriteString(c.master, key); err != nil {
		c.t.Error(err)
	}
}

func (c *child) signal(s syscall.Signal) {
	if err := c.cmd.Process.Signal(s); err != nil {
		c.t.Error(err)
	}
}

// hangUp takes the terminal away from the child.
func (c *child) hangUp() {
	_ = c.tty.Close()
	_ = c.master.Close()
}

// exit waits for the end of the child and of its output.
func (c *child) exit() int {
	c.t.Helper()
	_ = c.cmd.Wait()
	if !c.cmd.ProcessState.Exited() {
		c.t.Fatalf("the program did not end by itself: %s", c.cmd.ProcessState)
	}
	if _, err := io.WriteString(c.tty, endMark); err == nil {
		c.waitFor(endMark)
	}
	return c.cmd.ProcessState.ExitCode()
}

func (c *child) isCooked() bool { return c.termios() == c.cooked }

// termios is the state of the terminal, in a form to compare.
func (c *child) termios() string {
	c.t.Helper()
	state, err := term.GetState(c.tty.Fd())
	if err != nil {
		c.t.Fatal(err)
	}
	return fmt.Sprintf("%+v", *state)
}
