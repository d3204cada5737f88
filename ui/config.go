// Package ui is the screen of sharetop: a Bubble Tea program that shows boards
// and turns keys into intents. It knows no Kafka client; main hands it a
// Snapshotter.
package ui

import (
	"context"
	"os/exec"
	"time"

	"sharetop/model"
)

// Snapshotter is where the screen gets its data.
type Snapshotter interface {
	// Watch returns as soon as there is a snapshot newer than after, or ctx is
	// done. The screen keeps at most one call outstanding.
	Watch(ctx context.Context, scope model.Scope, after model.Version) (*model.Snapshot, error)
}

// Peeker reads records without touching any group.
type Peeker interface {
	// Peek reads records at explicit offsets. What could not be read stands in
	// the result's Problem; the error is ctx's, or that the source is closed.
	Peek(ctx context.Context, req model.PeekRequest) (*model.PeekResult, error)
}

// Config is what the screen is started with.
type Config struct {
	// Cluster is what is shown at first. Without a Source a person chooses one
	// of Clusters.
	Cluster
	// Clusters are the others that can be changed to; nil where there are none.
	Clusters Clusters
	Rules    model.Rules
	// Now is the clock.
	Now func() time.Time
	// Version is the program's own version.
	Version string
	// UTC shows times in UTC from the start.
	UTC bool
	// ASCII replaces every glyph that is not ASCII; NoColor leaves out colour.
	// Both are also read from Env (LC_ALL, LC_CTYPE, LANG; NO_COLOR).
	ASCII, NoColor bool
	// Interval is the time between two ticks; 0 means model.DefaultInterval.
	Interval time.Duration
	// OpenGroup is opened at the start; empty for none.
	OpenGroup string
	// Env looks up environment variables, as os.Getenv does; nil means none.
	Env func(string) string
	// RunPager runs a pager, whose standard input is set, on the terminal until it is
	// left; nil means on what the screen is drawn on.
	RunPager func(*exec.Cmd) error
	// SnapDir is where :snap writes; empty means the current directory.
	SnapDir string
}
