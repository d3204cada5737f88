package model

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// PeekStart says where a peek at a share-partition begins, and in a sentence
// what that place is: at the head where the state topic tells it; else at the
// start offset; before any is fixed where share.auto.offset.reset would put it.
func PeekStart(p *SharePartition, s Settings, now time.Time) (PeekRequest, string) {
	req := PeekRequest{Topic: p.Topic, Partition: p.Partition, Committed: s.IsolationLevel == "read_committed"}
	if head, ok := p.State.Head().Get(); ok {
		req.Offset = head
		return req, "from the head, " + FormatInt(head) + ": the first record that is not finished"
	}
	if start, ok := p.Start.Get(); ok && start >= 0 {
		req.Offset = start
		return req, "from the start offset, " + FormatInt(start) + ": records from here on may be finished already"
	}
	return peekReset(req, s.AutoOffsetReset, now)
}

// peekReset places a peek where nothing has been settled yet.
func peekReset(req PeekRequest, reset string, now time.Time) (PeekRequest, string) {
	const nothing = "nothing is settled yet; "
	if reset == "earliest" {
		req.From = PeekAtLogStart
		return req, nothing + "share.auto.offset.reset=earliest: the log's start"
	}
	if text, ok := strings.CutPrefix(reset, "by_duration:"); ok {
		if d, ok := parseISODuration(text); ok {
			req.From, req.Time = PeekAtTime, now.Add(-d)
			return req, nothing + "share.auto.offset.reset begins " + FormatDuration(d) + " ago"
		}
	}
	req.From, req.Backward = PeekAtEnd, true
	if reset == "" {
		return req, nothing + "by Kafka's default (latest) the group begins at the end, behind these records"
	}
	return req, nothing + "share.auto.offset.reset=" + Sanitize(reset) + " begins at the end, behind these records"
}

// maxISODays bounds a parsed duration: more overflows a time.Duration.
const maxISODays = 36_500

// parseISODuration reads PnDTnHnMn.nS, as share.auto.offset.reset has it.
func parseISODuration(text string) (time.Duration, bool) {
	rest, ok := strings.CutPrefix(text, "P")
	if !ok || rest == "" {
		return 0, false
	}
	days, clock, _ := strings.Cut(rest, "T")
	var sum time.Duration
	if days != "" {
		n, err := strconv.Atoi(strings.TrimSuffix(days, "D"))
		if err != nil || !strings.HasSuffix(days, "D") || n < 0 || n > maxISODays {
			return 0, false
		}
		sum = time.Duration(n) * 24 * time.Hour
	}
	if clock != "" {
		d, err := time.ParseDuration(strings.ToLower(clock))
		if err != nil || d < 0 || d > maxISODays*24*time.Hour {
			return 0, false
		}
		sum += d
	}
	return sum, true
}

// ParsePeekTime reads the time that a person typed: 2026-11-29T14:00:00Z and
// shorter, 14:00 or 14:00:30 of today, 10m for that long ago, or milliseconds
// since 1970. Without a zone it is UTC or local time, as the screen shows it.
func ParsePeekTime(text string, now time.Time, utc bool) (time.Time, error) {
	text = strings.TrimSpace(text)
	zone := time.Local
	if utc {
		zone = time.UTC
	}
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil && ms > 100_000_000 {
		return time.UnixMilli(ms), nil
	}
	if d, err := time.ParseDuration(strings.TrimPrefix(text, "-")); err == nil {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, nil
		}
	}
	today := now.In(zone).Format(time.DateOnly)
	for _, layout := range []string{"15:04:05", "15:04"} {
		if at, err := time.ParseInLocation(time.DateOnly+" "+layout, today+" "+text, zone); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time: 14:00, 2026-11-29T14:00:00Z, or 10m for that long ago", Sanitize(text))
}
