//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	tea "charm.land/bubbletea/v2"

	"sharetop/cli"
)

// screenChild runs a small screen as main runs the real one.
func screenChild() int {
	ctx, release := signalContext(&pagers{})
	defer release()
	ctx, end := context.WithCancel(ctx)
	defer end()
	failed := &panicked{end: end}
	err := runScreen(ctx, childModel{failed: failed}, failed)
	switch {
	case failed.tell(os.Stderr):
		return cli.ExitFailure
	case errors.Is(err, tea.ErrInterrupted):
		return cli.ExitInterrupted
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// childModel does what the key says that it is pressed with.
type childModel struct {
	// fail makes the next View panic.
	fail   bool
	failed *panicked
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
	case "g":
		go func() {
			defer func() { m.failed.note(recover()) }()
			panic("on purpose, in a goroutine of the client")
		}()
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
		{"panic of the client", key("g"), 1, "on purpose, in a goroutine of the client"},
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
			screen := p.expectRestored()
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
	cmd := childCommand(t, childScreen)
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
