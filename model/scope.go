package model

import "time"

// Scope says what a screen needs to be fresh. The list of groups is always
// refreshed at every tick, and so are their descriptions where a broker has no
// more than 500; the rest in turn.
type Scope struct {
	// Visible are the groups on screen, refreshed at every tick, topmost first.
	Visible []GroupID
	// Marked are refreshed at every tick too, MaxMarked of them at most.
	Marked []GroupID
	// Open is the group opened in depth: it is fetched even when no broker
	// lists it, and its Configs are read. Empty for none.
	Open GroupID
	// Archived asks for a look at what the groups above have archived at or above
	// their start offsets, also where nobody saw it happen.
	Archived bool
	// Interval is the time between two ticks; 0 means DefaultInterval.
	Interval time.Duration
	// Refresh counts the times a person asked for a refresh; a change makes the
	// next tick due at once.
	Refresh int
	// Once asks for one sweep as fast as possible instead of a paced one.
	Once bool
	// Only limits all to the groups named above: the others are in no snapshot,
	// and the first sweep is done once those named were answered.
	Only bool
	// NoOffsets asks for the list and descriptions alone: neither offsets nor
	// ends of logs, and no sweep ever begins. It is not to be changed between two
	// calls.
	NoOffsets bool
	// ListOnly, with NoOffsets, asks for the list alone: ids, states and
	// coordinators, and nothing is described.
	ListOnly bool
}

// Bounds of a tick and of what is refreshed at every tick.
const (
	DefaultInterval = time.Second
	MinInterval     = 500 * time.Millisecond
	MaxInterval     = time.Minute
	MaxMarked       = 100
)
