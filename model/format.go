package model

import "time"

// Unknown is how an unknown value is shown.
const Unknown = "–"

// FormatNumber writes a number with thousands separators: 12,840; "–" when it
// is not known.
func FormatNumber(n Number) string { return Unknown }

// FormatInt writes a whole number with thousands separators.
func FormatInt(n int64) string { return "" }

// FormatRate writes records per second in at most 6 cells: 0, 0.4, 310, 12.4k.
func FormatRate(r Rate) string { return Unknown }

// FormatDuration writes a duration in its largest one or two units, at most 6
// cells: 0.4s, 18s, 4m10s, 3h, 12d.
func FormatDuration(d time.Duration) string { return "" }

// FormatDrain writes a drain estimate: "–", "done", "~26s", "never", "stuck".
func FormatDrain(d Drain) string { return Unknown }

// FormatAge writes how long before now something was: "0.4s ago", "in 1d" for
// the future, "–" for the zero time.
func FormatAge(at, now time.Time) string { return Unknown }

// FormatClock writes the time of day: 14:57:03Z in UTC, 15:57:03 in local time.
func FormatClock(t time.Time, utc bool) string { return "" }

// FormatSize writes a byte count: 812 B, 1.2 KiB, 20 MiB.
func FormatSize(n int64) string { return "" }
