package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"

	"sharetop/cli"
)

// firstCollection stands for the start: it is garbage from its first moment on.
type firstCollection struct{ _ *firstCollection }

// collectLater puts off the first garbage collection until 16 MiB are in use
// instead of 4, and leaves those after it as they were: a printout of one group is
// over by then, and a collection takes a tenth of its processor time. The screen
// sets the collector itself.
func collectLater(env cli.Env) cli.Env {
	percent := debug.SetGCPercent(startPercent)
	first := runtime.AddCleanup(&firstCollection{}, func(percent int) { debug.SetGCPercent(percent) }, percent)
	screen := env.Screen
	env.Screen = func(ctx context.Context, o cli.ScreenOptions) error {
		first.Stop()
		return screen(ctx, o)
	}
	return env
}

// gcPercent makes the collector run earlier than by default: a screen is left
// running for hours on a host that others need, and at 10,000 groups this takes
// a third off its memory for some more collections a minute.
const gcPercent = 20

// startPercent holds for the first moments, in which everything is read once and
// next to nothing can be thrown away: a collection then only makes a person wait.
// After startFor what it left is given back; after settledFor once more, since
// thousands of groups on a busy machine take longer.
const (
	startPercent = 400
	startFor     = 3 * time.Second
	settledFor   = 20 * time.Second
)

// tuneCollector sets the collector for the start, and later for the hours after
// it. Stop ends the wait for them.
func tuneCollector() (stop func()) {
	debug.SetGCPercent(startPercent)
	started := time.AfterFunc(startFor, func() {
		debug.SetGCPercent(gcPercent)
		debug.FreeOSMemory()
	})
	settled := time.AfterFunc(settledFor, debug.FreeOSMemory)
	return func() { started.Stop(); settled.Stop() }
}
