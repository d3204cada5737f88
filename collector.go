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
	limitMemory()
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
// a third off its memory for some more collections a minute. A small heap gets
// leastRoom whatever it is: below that collections cost more than they save.
const (
	gcPercent = 20
	leastRoom = 2_500_000 // bytes
)

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
	started := time.AfterFunc(startFor, settle)
	settled := time.AfterFunc(settledFor, settle)
	return func() { started.Stop(); settled.Stop() }
}

// settle gives back what is free, and sets the collector for what is left.
func settle() {
	debug.FreeOSMemory() // collects, so that live is told as of now
	debug.SetGCPercent(percentFor(liveBytes()))
}

// percentFor is how much a heap of so many bytes in use may grow before it is
// collected, as a percentage of them.
func percentFor(live uint64) int {
	return int(min(max(leastRoom*100/max(live, 1), gcPercent), startPercent)) //nolint:gosec // within both bounds
}
