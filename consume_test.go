//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sharetop/audit"
	"sharetop/cli"
	"sharetop/model"
)

// Whatever ends the program while records are held: they are released, that is
// written down and told, and the terminal is as before.
func TestEveryEndReleasesWhatIsHeld(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(*program)
		// told is false where there is no terminal left to tell anything.
		told bool
	}{
		{"esc, then quit", func(p *program) {
			p.press("\x1b")
			p.waitScreen("the question", contains("release and leave"))
			p.press("y")
			p.waitScreen("what happened", contains("Released 4 records"))
			p.press("q")
		}, true},
		{"q", func(p *program) {
			p.press("q")
			p.waitScreen("the question", contains("release and quit"))
			p.press("y")
		}, true},
		{"ctrl-c", func(p *program) { p.press("\x03") }, true},
		{"SIGTERM", func(p *program) { p.signal(syscall.SIGTERM) }, true},
		{"SIGHUP", func(p *program) { p.signal(syscall.SIGHUP) }, true},
		{"two signals", func(p *program) { p.signal(syscall.SIGTERM); p.signal(syscall.SIGTERM) }, true},
		{"the terminal is gone", func(p *program) { p.hangUp() }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.jsonl")
			p := startProgram(t, 110, 30, "--demo", "--audit-file", path)
			p.holds(4)
			// A decision that was not sent, and t, change nothing about it.
			p.press("a")
			p.waitScreen("the decision", contains("1 decided"))
			p.press("t")
			p.waitScreen("that t says accept", contains("accepted when sent"))
			test.end(p)
			if code := p.exit(); code != 0 && test.told {
				t.Errorf("exit code %d", code)
			}
			if test.told {
				output := p.expectRestored()
				if !strings.Contains(output[strings.LastIndex(output, "\x1b[?1049l"):], "Released 4 records of nightly-audit") {
					t.Error("nothing tells what happened to what was held, once the screen is restored")
				}
			}
			expectAudit(t, path, map[string]int{"release done": 4, "leave done": 1})
		})
	}
}

// A panic while records are held ends like every other way out.
func TestAPanicReleasesWhatIsHeld(t *testing.T) {
	dir := t.TempDir()
	path, panics := filepath.Join(dir, "audit.jsonl"), filepath.Join(dir, "panic")
	p := newProgram(t, childPanics, 110, 30, "--demo", "--audit-file", path)
	p.start(panicEnv + "=" + panics)
	p.holds(4)
	p.press("a")
	p.waitScreen("the decision", contains("1 decided"))
	if err := os.WriteFile(panics, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := p.exit(); code == 0 {
		t.Error("the exit code tells nothing of a panic")
	}
	output := p.expectRestored()
	after := output[strings.LastIndex(output, "\x1b[?1049l"):]
	for _, want := range []string{"Released 4 records of nightly-audit", testPanic, "which is a bug"} {
		if !strings.Contains(after, want) {
			t.Errorf("%q is not told once the screen is restored:\n%s", want, after)
		}
	}
	expectAudit(t, path, map[string]int{"release done": 4, "leave done": 1})
}

// panicEnv names the file that makes a child panic, with testPanic.
const (
	panicEnv  = "SHARETOP_TEST_PANIC"
	testPanic = "a panic of the test"
)

// panickingChild is run with a source that panics.
func panickingChild(args []string) int {
	shown := &pagers{}
	ctx, release := signalContext(shown)
	defer release()
	ctx, end := context.WithCancel(ctx)
	defer end()
	failed := &panicked{end: end}
	env := environment(ctx, failed, shown)
	opened := env.Open
	env.Open = func(ctx context.Context, conn model.Connection, ask askFunc) (cli.Source, error) {
		s, err := opened(ctx, conn, ask)
		if err != nil {
			return nil, err
		}
		return panickingSource{s.(source)}, nil
	}
	code := cli.Main(ctx, args, env)
	if failed.tell(os.Stderr) {
		return cli.ExitFailure
	}
	return code
}

// panickingSource panics in a command of the screen.
type panickingSource struct{ source }

// Watch is the screen's, until the file is there.
func (s panickingSource) Watch(ctx context.Context, scope model.Scope, after model.Version) (*model.Snapshot, error) {
	if _, err := os.Stat(os.Getenv(panicEnv)); err == nil {
		panic(testPanic)
	}
	return s.source.Watch(ctx, scope, after)
}

// holds takes so many records of a group without members.
func (p *program) holds(n int) {
	p.t.Helper()
	p.waitScreen("the groups of the demo", contains("nightly-audit"))
	p.press("/nightly\r")
	p.waitScreen("the group alone", func(screen string) bool {
		return contains("nightly-audit")(screen) && !strings.Contains(screen, "booknest-packers") && knowsLag(screen, "nightly-audit")
	})
	p.press("C")
	p.waitScreen("what joining means", contains("what joining means", "audit"))
	p.press(fmt.Sprintf("\x7f\x7f%d", n))
	p.press("j\r")
	p.waitScreen("the records", contains(fmt.Sprintf("%d held", n), "1 of 5"))
}

// knowsLag tells whether a group's row has the lag, and so its topics: dialogs
// show what was known when they opened.
func knowsLag(screen, group string) bool {
	for line := range strings.Lines(screen) {
		if _, row, ok := strings.Cut(line, group); ok && strings.ContainsFunc(row, func(r rune) bool { return r == ',' }) {
			return true
		}
	}
	return false
}

// expectAudit checks what was written down about records and the session.
func expectAudit(t *testing.T, path string, want map[string]int) {
	t.Helper()
	entries, err := audit.New(path).Last(1000)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, e := range entries {
		got[e.Action+" "+e.Outcome]++
		if e.Action == "accept" {
			t.Errorf("accepted: %+v", e)
		}
		if !strings.Contains(e.Who, "@") {
			t.Errorf("nobody did it: %+v", e)
		}
	}
	for what, n := range want {
		if got[what] != n {
			t.Errorf("%q stands %d times in the audit file, want %d: %v", what, got[what], n, got)
		}
	}
}

// Records are accepted, rejected and released by keys; the screen and the audit
// file say what came of each.
func TestConsumeByKeysOnTheDemo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	p := startProgram(t, 110, 30, "--demo", "--audit-file", path)
	p.holds(6)
	p.press("*a")
	p.waitScreen("all decided", contains("6 decided"))
	p.press("gxjz")
	p.waitScreen("the three decisions", contains("accept", "reject", "release"))
	p.press("S")
	p.waitScreen("the plan", contains("accept 4, release 1, reject 1"))
	p.press("y")
	p.waitScreen("what came of it", contains("accept: done", "reject: done", "release: done", "0 held", "acknowledge 4", "reject 1"))
	p.press(":audit\r")
	p.waitScreen("the audit file", contains("Audit file", "accept         done", "reject         done"))
	p.press("\x1b")
	p.waitScreen("the session again", contains("0 held"))
	p.press("q")
	p.expectEnd(0)
}

// In read-only mode C says why it does nothing.
func TestConsumeIsRefusedReadOnly(t *testing.T) {
	p := startProgram(t, 110, 30, "--demo", "--read-only")
	p.waitScreen("the groups of the demo", contains("nightly-audit"))
	p.press("C")
	p.waitScreen("why not", contains("read-only"))
	p.press("q")
	p.expectEnd(0)
}
