package model

import (
	"fmt"
	"strings"
	"time"
)

// LeaveResult is what came of leaving: every record that was held is in one of
// the lists.
type LeaveResult struct {
	Group GroupID
	// Released are confirmed to be free again.
	Released []RecordID
	// Archived are confirmed too, but they were on their last delivery.
	Archived []RecordID
	// NotReleased are those that nobody confirmed.
	NotReleased []LockedRecord
	// Left is true when the coordinator confirmed that the member is gone.
	Left bool
	// Why says what went wrong, if something did; safe for a terminal.
	Why string
}

// LockedRecord is a record that could not be released, and when its lock ends
// by itself at the latest.
type LockedRecord struct {
	ID       RecordID
	LockEnds time.Time
}

// maxNamed bounds how many records a sentence names; the rest is counted.
const maxNamed = 10

// Lines say what happened to what was held, one sentence each. There are none
// when nothing was held and the group was left.
func (r *LeaveResult) Lines(utc bool) []string {
	var out []string
	if n := len(r.Released); n > 0 {
		out = append(out, fmt.Sprintf("Released %s of %s: %s.", countRecords(n), r.Group, nameRecords(r.Released)))
	}
	if n := len(r.Archived); n > 0 {
		out = append(out, fmt.Sprintf("Released on the last delivery, and so archived, %s of %s: %s.",
			countRecords(n), r.Group, nameRecords(r.Archived)))
	}
	if n := len(r.NotReleased); n > 0 {
		out = append(out, fmt.Sprintf("Could not release %s of %s (%s): %s.", countRecords(n), r.Group, r.Why, r.nameLocked(utc)))
	}
	if !r.Left {
		out = append(out, fmt.Sprintf("%s did not confirm that the member left (%s): it is removed at its session timeout.",
			r.Group, r.Why))
	}
	return out
}

func countRecords(n int) string {
	if n == 1 {
		return "1 record"
	}
	return FormatInt(int64(n)) + " records"
}

func nameRecords(ids []RecordID) string {
	names := make([]string, 0, maxNamed+1)
	for _, id := range ids[:min(len(ids), maxNamed)] {
		names = append(names, id.String())
	}
	return strings.Join(andMore(names, len(ids)), ", ")
}

func (r *LeaveResult) nameLocked(utc bool) string {
	names := make([]string, 0, maxNamed+1)
	for _, l := range r.NotReleased[:min(len(r.NotReleased), maxNamed)] {
		names = append(names, fmt.Sprintf("%s, lock ends %s", l.ID, FormatClock(l.LockEnds, utc)))
	}
	return strings.Join(andMore(names, len(r.NotReleased)), "; ")
}

func andMore(names []string, all int) []string {
	if more := all - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return names
}
