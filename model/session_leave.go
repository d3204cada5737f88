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
	// Decided are those whose decision was on its way when leaving began and was
	// answered since, with what came of it.
	Decided []AckResult
	// NotHeld are those that were not the member's any more: with a connection that
	// was cut, or a partition that moved, they were given back before.
	NotHeld []RecordID
	// NotReleased are those that nobody confirmed.
	NotReleased []LockedRecord
	// Unanswered are those whose decision was sent before and never answered: it
	// happened, or they are free again.
	Unanswered []LockedRecord
	// FetchCut is true when records were being asked for and no answer was there in
	// time: the broker may have handed out some, which used up a delivery.
	FetchCut bool
	// Left is true when the coordinator confirmed that the member is gone.
	Left bool
	// Why says what went wrong, if something did; safe for a terminal.
	Why string
}

// LockedRecord is a record that could not be released, and when its lock ends
// by itself at the latest.
type LockedRecord struct {
	ID RecordID
	// Decision is what was sent about it; Undecided where that is a release.
	Decision Decision
	LockEnds time.Time
	// Last is true where it is on its last delivery: then it is archived when the
	// lock ends.
	Last bool
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
	if n := len(r.Decided); n > 0 {
		out = append(out, fmt.Sprintf("Sent before, about %s of %s: %s.",
			countRecords(n), r.Group, nameDecided(r.Decided)))
	}
	if n := len(r.NotHeld); n > 0 {
		out = append(out, fmt.Sprintf("Not held any more, since a connection was cut or the partition has moved or is gone, %s of %s: %s.",
			wasOrWere(n), r.Group, nameRecords(r.NotHeld)))
	}
	if n := len(r.NotReleased); n > 0 {
		out = append(out, fmt.Sprintf("Could not release %s of %s (%s): %s.", countRecords(n), r.Group, r.Why, nameLocked(r.NotReleased, utc)))
	}
	if n := len(r.Unanswered); n > 0 {
		out = append(out, fmt.Sprintf("It is not known what became of %s of %s, whose decisions were not answered; what did not "+
			"happen is free again when its lock ends, at the latest: %s.", countRecords(n), r.Group, nameLocked(r.Unanswered, utc)))
	}
	if r.FetchCut {
		out = append(out, fmt.Sprintf("Records of %s were still being asked for: what the broker may have handed out is given back "+
			"with the connection, and has used up a delivery.", r.Group))
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

func wasOrWere(n int) string {
	if n == 1 {
		return "was 1 record"
	}
	return "were " + countRecords(n)
}

// nameDecided names records with their decisions and what came of each.
func nameDecided(results []AckResult) string {
	names := make([]string, 0, maxNamed+1)
	for _, r := range results[:min(len(results), maxNamed)] {
		names = append(names, fmt.Sprintf("%s (%s: %s)", r.ID, r.Decision, r.Outcome))
	}
	return strings.Join(andMore(names, len(results)), ", ")
}

func nameRecords(ids []RecordID) string {
	names := make([]string, 0, maxNamed+1)
	for _, id := range ids[:min(len(ids), maxNamed)] {
		names = append(names, id.String())
	}
	return strings.Join(andMore(names, len(ids)), ", ")
}

func nameLocked(records []LockedRecord, utc bool) string {
	names := make([]string, 0, maxNamed+1)
	for _, l := range records[:min(len(records), maxNamed)] {
		name := l.ID.String()
		if l.Decision != Undecided {
			name += " (" + l.Decision.String() + ")"
		}
		name += ", lock ends " + FormatClock(l.LockEnds, utc)
		if l.Last {
			name += " and archives it, its last delivery"
		}
		names = append(names, name)
	}
	return strings.Join(andMore(names, len(records)), "; ")
}

func andMore(names []string, all int) []string {
	if more := all - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return names
}
