package model

import "time"

// RecordEvent is one change of a run of records: what the state topic said had
// become of them.
type RecordEvent struct {
	// Millis is when it was written, on the brokers' clock.
	Millis int64
	// StateBatch is the run and what it became.
	StateBatch
	// Before is what it was.
	Before RecordState
}

// Time is when it was written; zero where that is not known.
func (e RecordEvent) Time() time.Time { return timeOfMillis(e.Millis) }
