//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pager writes to a terminal, not into a pipe: into one it would write all at
// once and be gone. The screen waits until it is left.
func TestPagerHasTheTerminal(t *testing.T) {
	p := pagerOpen(t)
	p.press("\r")
	p.waitScreen("the screen again", contains("PEEK"))
	p.press("q")
	p.expectEnd(0)
}

// Nothing that ends the program waits for a pager that stays open.
func TestPagerEndsWithTheProgram(t *testing.T) {
	p := pagerOpen(t)
	p.signal(syscall.SIGTERM)
	p.expectEnd(0)
}

// pagerOpen is the program with a pager open that shows a record until enter.
func pagerOpen(t *testing.T) *program {
	t.Helper()
	p := newProgram(t, childProgram, 110, 30, "--demo", "--group", "nightly-audit")
	script := filepath.Join(t.TempDir(), "pager")
	text := "#!/bin/sh\nhead -n 1\ncat >/dev/null\n[ -t 1 ] && [ -t 2 ] && echo 'the pager has the terminal'\nread key <\"$1\"\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	p.start("PAGER=" + script + " " + p.tty.Name())
	p.waitScreen("the group", contains("nightly-audit", "audit"))
	p.press("v")
	p.waitScreen("a record", contains("PEEK", "audit-0@"))
	p.press("e")
	p.waitScreen("the pager", contains("audit-0@", "the pager has the terminal"))
	return p
}

// While a pager is open an interrupt is for the pager alone.
func TestInterruptsAreForThePager(t *testing.T) {
	for open, want := range map[int32]int{0: 2, 1: 0} {
		interrupts, shown, obeyed := make(chan os.Signal, 2), &pagers{}, 0
		shown.open.Store(open)
		interrupts <- os.Interrupt
		interrupts <- os.Interrupt
		close(interrupts)
		obeyInterrupts(interrupts, shown, func() { obeyed++ })
		if obeyed != want {
			t.Errorf("%d pagers open: %d of 2 interrupts were obeyed, want %d", open, obeyed, want)
		}
	}
}
