package model

import (
	"strconv"
	"strings"
	"time"
)

// Sentence is text in which moments are kept as such, so that whoever shows it
// decides whether they are in UTC or in local time. Safe for a terminal once it
// is written out.
type Sentence string

// A moment stands in a Sentence as milliseconds since 1970 between two marks,
// the first of which says how it is written. No other text has these
// characters: Text has none that control anything.
const (
	clockMark = '\x01' // by the time of day
	dayMark   = '\x02' // with its date
	endMark   = "\x03"
)

// clock is a moment in a Sentence that is written by the time of day.
func clock(t time.Time) string { return mark(clockMark, t) }

// day is a moment in a Sentence that is written with its date.
func day(t time.Time) string { return mark(dayMark, t) }

func mark(kind rune, t time.Time) string {
	if t.IsZero() {
		return Unknown
	}
	return string(kind) + strconv.FormatInt(t.UnixMilli(), 10) + endMark
}

// String writes the moments out in UTC, with a Z behind each.
func (s Sentence) String() string { return s.In(true) }

// In writes the moments out in UTC or in local time, as FormatClock does.
func (s Sentence) In(utc bool) string {
	rest := string(s)
	at := strings.IndexAny(rest, string(clockMark)+string(dayMark))
	if at < 0 {
		return rest
	}
	var b strings.Builder
	for ; at >= 0; at = strings.IndexAny(rest, string(clockMark)+string(dayMark)) {
		b.WriteString(rest[:at])
		kind := rune(rest[at])
		millis, after, _ := strings.Cut(rest[at+1:], endMark)
		b.WriteString(writeMoment(kind, millis, utc))
		rest = after
	}
	return b.String() + rest
}

func writeMoment(kind rune, millis string, utc bool) string {
	ms, err := strconv.ParseInt(millis, 10, 64)
	if err != nil {
		return Unknown
	}
	t := time.UnixMilli(ms)
	switch {
	case kind == clockMark:
		return FormatClock(t, utc)
	case utc:
		return t.UTC().Format("2006-01-02 15:04Z")
	}
	return t.Local().Format("2006-01-02 15:04")
}

// written writes sentences out, in UTC; never nil.
func written(sentences []Sentence) []string {
	out := make([]string, len(sentences))
	for i, s := range sentences {
		out[i] = s.String()
	}
	return out
}
