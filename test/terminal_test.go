//go:build unix

package test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// scratch is a directory for the whole run, gone at its end.
var scratch string

// program is the program under test, built once per run.
var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "sharetop")
	out, err := exec.Command("go", "build", "-o", path, "sharetop").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("sharetop can't be built: %w\n%s", err, out)
	}
	return path, nil
})

// panicking is the test binary of the program, which can be told to run the
// program and to panic in it.
var panicking = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "sharetop.test")
	out, err := exec.Command("go", "test", "-c", "-o", path, "sharetop").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("the program's tests can't be built: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "sharetop-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

// endMark is written to the terminal after the program's end: once the screen
// has it, it has all that came before.
const endMark = "<end>"

// terminal is the real program on a pseudo terminal, and what a person sees
// there. The test holds the terminal's own side open, so that its modes can be
// looked at after the program's end.
type terminal struct {
	t           *testing.T
	cmd         *exec.Cmd
	master, tty *os.File
	before      *term.State
	ended       chan error

	mu     sync.Mutex
	screen *vt.Emulator
	// output is all that was ever written to the terminal.
	output bytes.Buffer
	// alternate and hidden are the modes that must be off again at the end.
	alternate, hidden bool
	// noted are texts that were, or were not yet, on the screen at some time.
	noted map[string]bool
	// changed has one element when the screen was written to.
	changed chan struct{}
}

// startTerminal runs the program on a terminal of the given size.
func startTerminal(t *testing.T, columns, rows int, args ...string) *terminal {
	t.Helper()
	return startTerminalWith(t, columns, rows, nil, args...)
}

// startTerminalWith runs the program by way of another one, to which the
// program and its arguments are added.
func startTerminalWith(t *testing.T, columns, rows int, by []string, args ...string) *terminal {
	t.Helper()
	return startTerminalAt(t, t.TempDir(), columns, rows, by, args...)
}

// startTerminalAt is startTerminalWith in a home directory that is there.
func startTerminalAt(t *testing.T, home string, columns, rows int, by []string, args ...string) *terminal {
	t.Helper()
	path, err := program()
	must(t, err)
	return startCommand(t, home, columns, rows, append(append(by[:len(by):len(by)], path), args...))
}

// startCommand runs a command on a terminal, and what it writes is drawn.
func startCommand(t *testing.T, home string, columns, rows int, argv []string, env ...string) *terminal {
	t.Helper()
	master, tty, err := pty.Open()
	must(t, err)
	must(t, pty.Setsize(tty, size(columns, rows)))
	before, err := term.GetState(tty.Fd())
	must(t, err)
	s := &terminal{
		t: t, master: master, tty: tty, before: before, ended: make(chan error, 1),
		screen: vt.NewEmulator(columns, rows), changed: make(chan struct{}, 1),
	}
	s.screen.SetCallbacks(vt.Callbacks{
		AltScreen:        func(on bool) { s.alternate = on },
		CursorVisibility: func(visible bool) { s.hidden = !visible },
	})
	var serving sync.WaitGroup
	serving.Go(s.draw)
	serving.Go(func() { _, _ = io.Copy(master, s.screen) }) // the terminal's answers to queries

	s.cmd = exec.Command(argv[0], argv[1:]...)
	s.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "HOME="+home, "XDG_CONFIG_HOME="+home, "TZ=UTC")
	s.cmd.Env = append(s.cmd.Env, env...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = tty, tty, tty
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(t, s.cmd.Start())
	go func() { s.ended <- s.cmd.Wait() }()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = tty.Close()
		_ = master.Close()
		_ = s.screen.InputPipe().(io.Closer).Close()
		serving.Wait()
	})
	return s
}

func size(columns, rows int) *pty.Winsize {
	return &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)} //nolint:gosec // screens are small
}

// draw puts what the program writes on the screen, until there is no terminal.
func (s *terminal) draw() {
	buffer := make([]byte, 64<<10)
	for {
		n, err := s.master.Read(buffer)
		s.mu.Lock()
		_, _ = s.screen.Write(buffer[:n])
		s.output.Write(buffer[:n])
		for text, seen := range s.noted {
			s.noted[text] = seen || strings.Contains(s.screen.String(), text)
		}
		s.mu.Unlock()
		select {
		case s.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// text is what the screen shows now.
func (s *terminal) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.String()
}

// shows waits until the screen has all of some texts, and returns it.
func (s *terminal) shows(texts ...string) string {
	s.t.Helper()
	return s.until(strings.Join(texts, ", "), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// notes has a text noted that may be on the screen for a while only; awaited waits
// until it has been there.
func (s *terminal) notes(text string) (awaited func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.noted == nil {
		s.noted = make(map[string]bool)
	}
	s.noted[text] = strings.Contains(s.screen.String(), text)
	return func() {
		s.t.Helper()
		s.until(text+", at some time", func(string) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.noted[text]
		})
	}
}

// until waits until the screen is as wanted, and returns it.
func (s *terminal) until(what string, wanted func(screen string) bool) string {
	s.t.Helper()
	deadline := time.After(stepTimeout)
	for {
		if screen := s.text(); wanted(screen) {
			return screen
		}
		select {
		case <-s.changed:
		case <-deadline:
			s.t.Fatalf("the screen never shows: %s\n%s", what, s.text())
		}
	}
}

// press types keys.
func (s *terminal) press(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.master, keys); err != nil {
		s.t.Fatal(err)
	}
}

// exit waits for the program's end and returns its exit code.
func (s *terminal) exit() int {
	s.t.Helper()
	select {
	case err := <-s.ended:
		if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
			s.t.Fatal(err)
		}
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(stepTimeout):
		s.t.Fatalf("the program does not end\n%s", s.text())
		return -1
	}
}

// taken checks, while the program runs, that it has taken the terminal, so that
// there is something to restore.
func (s *terminal) taken() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := term.GetState(s.tty.Fd())
	must(s.t, err)
	if !s.alternate || !s.hidden || *now == *s.before {
		s.t.Errorf("alternate screen %t, cursor hidden %t, modes %+v: the program has not taken the terminal", s.alternate, s.hidden, now)
	}
}

// restored checks, after the program's end, that the terminal is as before.
func (s *terminal) restored() {
	s.t.Helper()
	if _, err := io.WriteString(s.tty, endMark); err != nil {
		s.t.Fatal(err)
	}
	s.shows(endMark)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alternate {
		s.t.Error("the alternate screen was left on")
	}
	if s.hidden {
		s.t.Error("the cursor was left hidden")
	}
	after, err := term.GetState(s.tty.Fd())
	must(s.t, err)
	if *after != *s.before {
		s.t.Errorf("the terminal's modes are not as before: %+v, were %+v", after, s.before)
	}
}
