package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// exitTimeout is how long the program may take to end after it was told to by
// a signal, whatever hangs: a frozen terminal can keep a write waiting for
// ever. It is longer than every bounded step of a normal end taken together.
const exitTimeout = 15 * time.Second

// exitHung is the exit code after exitTimeout.
const exitHung = 1

// signalContext is done when the program is told to end; while a pager is open an
// interrupt does not tell it so. Release gives the
// signals back to the system; until then further ones change nothing, so that
// they can't end the program in the middle of cleaning up.
func signalContext(shown *pagers) (ctx context.Context, release context.CancelFunc) {
	// A pipe that nobody reads any more (| head) is an error of the write then, and
	// what is held or under way ends in good order. Nobody waits on the channel.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, interrupt := context.WithCancel(context.Background())
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	go obeyInterrupts(interrupts, shown, interrupt)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
	calm := context.AfterFunc(ctx, func() {
		time.AfterFunc(exitTimeout, func() { os.Exit(exitHung) })
	})
	return ctx, func() {
		calm()
		stop()
		signal.Stop(interrupts)
		close(interrupts)
		interrupt()
	}
}

// obeyInterrupts calls interrupt for each that is not for a pager, until there are
// no more.
func obeyInterrupts(interrupts <-chan os.Signal, shown *pagers, interrupt func()) {
	for range interrupts {
		if shown.open.Load() == 0 {
			interrupt()
		}
	}
}
