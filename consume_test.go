//go:build unix

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sharetop/audit"
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

// holds takes so many records of a group without members.
func (p *program) holds(n int) {
	p.t.Helper()
	p.waitScreen("the groups of the demo", contains("nightly-audit"))
	p.press("/nightly\r")
	p.waitScreen("the group alone", func(screen string) bool {
		return contains("nightly-audit")(screen) && !strings.Contains(screen, "booknest-packers")
	})
	p.press("C")
	p.waitScreen("what joining means", contains("what joining means", "audit"))
	p.press(fmt.Sprintf("\x7f\x7f%d", n))
	p.press("j\r")
	p.waitScreen("the records", contains(fmt.Sprintf("%d held", n), "1 of 5"))
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

// Every 500th order is rejected, every 7th is released once, the rest is
// accepted: by keys, on the screen, until the lag is 0.
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
