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

// signalContext is done when the program is told to end. Release gives the
// signals back to the system; until then further ones change nothing, so that
// they can't end the program in the middle of cleaning up.
func signalContext() (ctx context.Context, release context.CancelFunc) {
	// A pipe that nobody reads any more (| head) is an error of the write then, and
	// what is held or under way ends in good order. Nobody waits on the channel.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	calm := context.AfterFunc(ctx, func() {
		time.AfterFunc(exitTimeout, func() { os.Exit(exitHung) })
	})
	return ctx, func() {
		calm()
		stop()
	}
}
