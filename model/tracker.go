package model

import "time"

// Tracker turns a stream of snapshots into boards: it keeps the history that
// rates, trends and "since" need, and asks Diagnose for the verdicts. It is
// not safe for concurrent use: whoever reads the snapshots owns it.
type Tracker struct{}

// NewTracker makes a Tracker with an empty history.
func NewTracker(rules Rules) *Tracker { return &Tracker{} }

// Apply adds a snapshot to the history and derives the board. Open is the
// group whose partitions get a row each; empty for none. Now is the caller's
// clock.
func (t *Tracker) Apply(s *Snapshot, open GroupID, now time.Time) *Board {
	return &Board{Snapshot: s}
}

// Rules are a person's own thresholds and what they do not want to hear of.
// The zero Rules are the defaults.
type Rules struct {
	// Mute lists findings that do not count, for groups that match.
	Mute []Mute
	// MinLag is the lag below which nobody-reading and falling-behind are fine.
	MinLag int64
}

// Mute silences one finding, or all, of the groups whose id matches.
type Mute struct {
	// Group is a pattern as path.Match has it; empty or "*" means every group.
	Group string
	// Finding is silenced; empty means all of them.
	Finding Finding
}
