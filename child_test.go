//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// childEnv makes this test binary run something else than the tests.
const childEnv = "SHARETOP_TEST_CHILD"

// What a child runs: a small screen, or all of sharetop.
const (
	childScreen  = "screen"
	childProgram = "program"
	// childPanics is childProgram that panics, outside of what draws, once the
	// file exists that panicEnv names.
	childPanics = "program that panics"
)

// childTimeout bounds the wait for anything that a child does; nothing takes that
// long, however slow the machine is.
const childTimeout = time.Minute

// childLife bounds a child's whole life.
const childLife = 5 * time.Minute

// endMark is written to the terminal after the child's end: once it is read,
// so is everything before it.
const endMark = "<end of output>"

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case childScreen:
		os.Exit(screenChild())
	case childProgram:
		os.Exit(run(os.Args[1:]))
	case childPanics:
		os.Exit(panickingChild(os.Args[1:]))
	}
	os.Exit(m.Run())
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
	// shows, if not nil, gets all that is written to the terminal.
	shows func([]byte)
}

// childCommand runs a child in a home of its own: whatever settings, colours and
// language whoever runs the tests has are not for it.
func childCommand(t *testing.T, what string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), childLife)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	// A stop by ctrl-z is for a whole process group: this one is the child's own.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = newHome(t).env(childEnv + "=" + what)
	return cmd
}

// startChild starts a small screen and waits for nothing.
func startChild(t *testing.T) *child {
	t.Helper()
	c := newChild(t, childScreen, 80, 24)
	c.start()
	return c
}

// newChild makes a child and its terminal; start starts it.
func newChild(t *testing.T, what string, width, height int, args ...string) *child {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		t.Fatal(err)
	}
	c := &child{t: t, cmd: childCommand(t, what, args...), master: pollable(t, master), tty: tty, more: make(chan struct{}, 1)}
	t.Cleanup(func() { _ = c.tty.Close(); _ = c.master.Close() })
	c.cooked = c.termios()
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = tty, tty, tty
	return c
}

// start starts it with further variables.
func (c *child) start(env ...string) {
	c.t.Helper()
	c.cmd.Env = append(c.cmd.Env, env...)
	if err := c.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	go c.read()
}

// pollable is the same file in a form whose Close takes effect at once, even
// while somebody reads; a blocking one would stay open until that read is over.
func pollable(t *testing.T, f *os.File) *os.File {
	t.Helper()
	syscall.ForkLock.RLock() // no child of another test gets it
	fd, err := syscall.Dup(int(f.Fd()))
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
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
		if c.shows != nil {
			c.shows(buffer[:n])
		}
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

// waitStopped waits until the child is stopped, as ctrl-z does.
func (c *child) waitStopped() {
	c.t.Helper()
	var status syscall.WaitStatus
	pid := c.cmd.Process.Pid
	for deadline := time.Now().Add(childTimeout); !status.Stopped(); {
		got, err := syscall.Wait4(pid, &status, syscall.WUNTRACED|syscall.WNOHANG, nil)
		if err != nil || got == pid && !status.Stopped() || time.Now().After(deadline) {
			c.t.Fatalf("it was not stopped: %v, %v", status, err)
		}
		time.Sleep(time.Millisecond) // nothing tells when another process stops
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
	c.expectNoRace()
	return c.cmd.ProcessState.ExitCode()
}

// expectRestored checks that the terminal is as before the child, and returns
// all that was written to it.
func (c *child) expectRestored() string {
	c.t.Helper()
	if !c.isCooked() {
		c.t.Error("the terminal was left raw")
	}
	output := c.written()
	for name, sequence := range map[string]string{"the alternate screen": "\x1b[?1049l", "a hidden cursor": "\x1b[?25h"} {
		if !strings.Contains(output, sequence) {
			c.t.Errorf("%s was left on", name)
		}
	}
	return output
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

// expectNoRace fails for what the race detector said of the child, but for one
// that is not ours: the library that reads the terminal closes its reader while
// a wait on it may still be under way (cancelreader's Close beside its wait).
func (c *child) expectNoRace() {
	c.t.Helper()
	reports := strings.Split(c.written(), "WARNING: DATA RACE")
	for _, report := range reports[1:] {
		if !strings.Contains(report, "epollCancelReader).Close") {
			c.t.Errorf("a data race in the program: %s", report)
		}
	}
}
