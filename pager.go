package main

import (
	"context"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"
)

// pagers runs pagers on the terminal. While one has it, an interrupt is for that
// one: a terminal sends ctrl-c to all that run on it.
type pagers struct{ open atomic.Int32 }

// pagerLeaves is how long a pager has to end by itself once this program is told
// to end: the screen, and with it what is held, waits for the pager.
const pagerLeaves = time.Second

// run returns when the pager has ended. It gets the terminal's own files: what the
// screen is drawn on is a pipe to it, and no terminal.
func (p *pagers) run(ctx context.Context, pager *exec.Cmd) error {
	p.open.Add(1)
	defer p.open.Add(-1)
	pager.Stdout, pager.Stderr = os.Stdout, os.Stderr
	if err := pager.Start(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() {
		_ = pager.Process.Signal(syscall.SIGTERM)
		time.AfterFunc(pagerLeaves, func() { _ = pager.Process.Kill() })
	})
	defer stop()
	return pager.Wait()
}
