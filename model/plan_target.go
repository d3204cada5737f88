package model

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// TargetKind says how the new start offsets are told.
type TargetKind uint8

// The targets of a reset.
const (
	ToEarliest TargetKind = iota
	ToLatest
	ToOffset
	ToShift
	ToTime
	ToBack
	ToCurrent
	ToFile
)

// TargetKinds are all kinds, in the order in which they are offered.
func TargetKinds() []TargetKind {
	return []TargetKind{ToEarliest, ToLatest, ToOffset, ToShift, ToTime, ToBack, ToCurrent, ToFile}
}

// String is the target as Kafka's own command calls it, where it has it.
func (k TargetKind) String() string {
	words := [...]string{"to-earliest", "to-latest", "to-offset", "shift-by", "to-datetime", "by-duration", "to-current", "from-file"}
	if int(k) < len(words) {
		return words[k]
	}
	return "unknown"
}

// Takes says what a person has to add, e.g. "a number"; empty for nothing.
func (k TargetKind) Takes() string {
	switch k {
	case ToOffset:
		return "a number"
	case ToShift:
		return "+N or -N"
	case ToTime:
		return "a time such as 2026-11-28T00:00:00Z"
	case ToBack:
		return "how long ago: PT1H, 90m"
	case ToFile:
		return "the path of a CSV file"
	default:
		return ""
	}
}

// ResetTarget says where start offsets are to go. Once made it never changes: a
// duration has become a time.
type ResetTarget struct {
	Kind TargetKind
	// Offset is the number of ToOffset, or by how much ToShift moves.
	Offset int64
	// Time is for ToTime and ToBack.
	Time time.Time
	// File has the numbers of ToFile.
	File map[TopicPartition]int64
	// Name is the file's name, for showing.
	Name Text
	// Undo is true for a file that takes back an earlier reset.
	Undo bool
}

// HasTime tells whether offsets have to be looked up by time.
func (t ResetTarget) HasTime() bool { return t.Kind == ToTime || t.Kind == ToBack }

// String is the target in one line, safe for a terminal.
func (t ResetTarget) String() string {
	switch t.Kind {
	case ToOffset:
		return t.Kind.String() + " " + FormatInt(t.Offset)
	case ToShift:
		return fmt.Sprintf("%s %+d", t.Kind, t.Offset)
	case ToTime, ToBack:
		return t.Kind.String() + " " + t.Time.Format(time.RFC3339)
	case ToFile:
		if t.Undo {
			return "undo of " + t.Name.String()
		}
		return t.Kind.String() + " " + t.Name.String()
	default:
		return t.Kind.String()
	}
}

// ParseTarget reads what a person typed for a kind of target. Times without a
// zone are in loc; a duration is taken back from now. ToFile is read with
// ReadPlanCSV instead. The error is a sentence.
func ParseTarget(kind TargetKind, text string, now time.Time, loc *time.Location) (ResetTarget, error) {
	t, text := ResetTarget{Kind: kind}, strings.TrimSpace(text)
	var err error
	switch kind {
	case ToEarliest, ToLatest, ToCurrent: // nothing is typed for these
	case ToOffset:
		t.Offset, err = parseOffset(text)
	case ToShift:
		t.Offset, err = parseShift(text)
	case ToTime:
		t.Time, err = parseTime(text, loc)
	case ToBack:
		t.Time, err = timeBack(text, now, loc)
	case ToFile:
		err = fmt.Errorf("a file is needed, not the text %q", Sanitize(text))
	}
	return t, err
}

func parseOffset(text string) (int64, error) {
	n, err := strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is no offset: a whole number from 0", Sanitize(text))
	}
	return n, nil
}

func parseShift(text string) (int64, error) {
	n, err := strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%q is no shift: +100 skips 100, -100 goes back by 100", Sanitize(text))
	}
	return n, nil
}

// timeLayouts are the forms of ISO 8601 that are read; a zone may follow.
func timeLayouts() []string {
	return []string{"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02"}
}

func parseTime(text string, loc *time.Location) (time.Time, error) {
	iso := strings.Replace(text, " ", "T", 1)
	for _, layout := range timeLayouts() {
		if at, err := time.ParseInLocation(layout, iso, loc); err == nil {
			return notBeforeKafka(at)
		}
		for _, zone := range []string{"Z07:00", "Z0700", "Z07"} {
			if at, err := time.Parse(layout+zone, iso); err == nil {
				return notBeforeKafka(at)
			}
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time: write 2026-11-28T00:00:00Z, 2026-11-28T01:00+01:00 or 2026-11-28", Sanitize(text))
}

// notBeforeKafka refuses times whose milliseconds are below zero: brokers take
// -1 and -2 for "latest" and "earliest".
func notBeforeKafka(at time.Time) (time.Time, error) {
	if at.UnixMilli() < 0 {
		return time.Time{}, fmt.Errorf("%s is before 1970, which no record has: use earliest", at.Format(time.RFC3339))
	}
	return at, nil
}

func timeBack(text string, now time.Time, loc *time.Location) (time.Time, error) {
	d, err := parseBack(text)
	if err != nil {
		return time.Time{}, err
	}
	return notBeforeKafka(now.Add(-d).In(loc))
}

// parseBack reads "90m", "1h30m", "2d" or ISO 8601's "P1DT2H30M10S".
func parseBack(text string) (time.Duration, error) {
	no := fmt.Errorf("%q is no duration: write PT1H, P1DT12H or 90m", Sanitize(text))
	rest, iso := strings.CutPrefix(strings.ToUpper(text), "P")
	if !iso {
		rest = strings.ToUpper(text)
	}
	day, clock, timed := strings.Cut(rest, "D")
	if !timed {
		day, clock = "", rest
	}
	if iso {
		if clock != "" && !strings.HasPrefix(clock, "T") || clock == "T" {
			return 0, no
		}
		clock = strings.TrimPrefix(clock, "T")
	}
	d, err := daysAndClock(day, strings.ToLower(clock))
	if err != nil || d <= 0 {
		return 0, no
	}
	return d, nil
}

// maxBackDays bounds a duration: time.Duration holds 292 years.
const maxBackDays = 100 * 366

func daysAndClock(day, clock string) (d time.Duration, err error) {
	if day != "" {
		n, err := strconv.ParseInt(day, 10, 64)
		if err != nil || n < 0 || n > maxBackDays {
			return 0, strconv.ErrRange
		}
		d = time.Duration(n) * 24 * time.Hour
	}
	if clock == "" {
		return d, nil
	}
	c, err := time.ParseDuration(clock)
	if err != nil || c < 0 || c > maxBackDays*24*time.Hour {
		return 0, strconv.ErrRange
	}
	return d + c, nil
}

// offsetFor is where a partition is to go before it is kept within its log;
// false with the reason where that can't be told.
func (t ResetTarget) offsetFor(l *LookPartition) (to int64, note string, ok bool) {
	first, end := l.LogStart.Or(0), l.End.Or(0)
	now, known := l.Start.Get()
	switch t.Kind {
	case ToEarliest:
		return first, "", true
	case ToLatest:
		return end, "", true
	case ToOffset:
		return t.Offset, "", true
	case ToShift:
		if !known {
			return 0, "there is no start offset to shift", false
		}
		return shifted(now, t.Offset), "", true
	case ToTime, ToBack:
		if at, found := l.AtTime.Get(); found {
			return at, "", true
		}
		return end, "nothing after that time: log end", true
	case ToCurrent:
		if known {
			return now, "", true
		}
		return end, "no start offset so far: log end", true
	case ToFile:
		if n, listed := t.File[l.TopicPartition]; listed {
			return n, "", true
		}
		return 0, "the file does not name it", false
	}
	return 0, "this target is not known", false
}

// shifted adds without going round.
func shifted(n, by int64) int64 { return Known(n).Plus(by).Or(n) }
