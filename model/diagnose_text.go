package model

import (
	"fmt"
	"time"
)

// describe puts one hit into words.
func describe(in *DiagnoseInput, h hit) Verdict {
	v := Verdict{Severity: h.severity, Finding: h.finding}
	switch {
	case h.count > 0:
		describePartition(in, h, &v)
	case h.severity == SeverityFine:
		tellFine(in, &v)
	case h.severity == SeverityUnknown:
		tellUnknown(in, &v)
	default:
		for _, rule := range groupRules() {
			if rule.finding == h.finding {
				rule.tell(in, &v)
			}
		}
	}
	return v
}

func describePartition(in *DiagnoseInput, h hit, v *Verdict) {
	c := newCase(in)
	c.look(h.part)
	v.HasPlace, v.Topic, v.Partition, v.Offset = true, c.p.Topic, c.p.Partition, c.p.Start
	for _, rule := range partitionRules() {
		if rule.finding != h.finding {
			continue
		}
		v.Text = rule.text(c, h)
		rule.tell(c, v, h)
		if h.count > 1 && rule.counts == nil {
			v.Text += fmt.Sprintf(" (%s partitions)", FormatInt(int64(h.count)))
		}
	}
	if h.count > 1 {
		v.tell(fmt.Sprintf("The same holds for %s of the group's %s partitions; this is the worst of them.",
			FormatInt(int64(h.count)), FormatInt(int64(len(in.Group.Partitions)))))
	}
}

func textBlocked(c *partitionCase, _ hit) string {
	from, atLeast := c.headSince()
	return "blocked at " + c.inTheWay() + " " + lasted(from, c.in.Now, atLeast)
}

func textWindow(c *partitionCase, _ hit) string     { return "window full: " + c.fill() }
func textWindowNear(c *partitionCase, _ hit) string { return "window nearly full: " + c.fill() }

// fill is how full a partition's window is, as a lower bound.
func (c *partitionCase) fill() string {
	window, _ := windowOf(c.p, c.f.Log).Get()
	return fmt.Sprintf("%s ≥%s of %s", c.place(), FormatInt(window), FormatInt(c.limit.maxLocks))
}

func textUnreadable(c *partitionCase, _ hit) string {
	return "share state of " + c.place() + " can't be read"
}

func textLeaderless(c *partitionCase, _ hit) string { return c.place() + " has no leader" }

func textTopicGone(c *partitionCase, _ hit) string { return "topic " + c.p.Topic.String() + " is gone" }

func textNotMoving(c *partitionCase, _ hit) string {
	lasts := lasted(c.f.FinishedAt, c.in.Now, c.f.FinishedAtLeast)
	if c.found() {
		return fmt.Sprintf("not moving %s at %s: %s", lasts, c.inTheWay(), waits(c.lag))
	}
	what := "not moving"
	if len(c.in.Group.Partitions) > 1 { // the others may well move
		what = c.place() + " " + what
	}
	return fmt.Sprintf("%s %s: %s; may be markers or gaps", what, lasts, waits(c.lag))
}

func textSkipping(_ *partitionCase, h hit) string {
	return "latest will skip " + count(h.all(), "record")
}

func textPastEnd(c *partitionCase, _ hit) string {
	return "start past the end: " + c.place() + " waits until the log reaches " + FormatNumber(c.p.Start)
}

func textDeleted(_ *partitionCase, h hit) string {
	return "up to " + count(h.all(), "record") + " deleted unfinished"
}

// all is the sum over the partitions of a hit, or its one partition's number.
func (h hit) all() int64 {
	if h.count > 1 {
		return h.total
	}
	return h.weight
}

// place is topic-partition.
func (c *partitionCase) place() string {
	return fmt.Sprintf("%s-%d", c.p.Topic, c.p.Partition)
}

// inTheWay is place and the offset that is in the way; "≥" when only a lower
// bound of it is known.
func (c *partitionCase) inTheWay() string {
	if at := c.culprit(); at.IsKnown() {
		return c.place() + "@" + FormatNumber(at)
	}
	return c.place() + "@≥" + FormatNumber(c.p.Start)
}

// count writes a number with its noun: "1 record", "1,207 records".
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return FormatInt(n) + " " + noun + "s"
}

// waits writes how many offsets wait: "1 offset waits", "14 offsets wait".
func waits(n int64) string {
	if n == 1 {
		return "1 offset waits"
	}
	return FormatInt(n) + " offsets wait"
}

// textStep is how fine a duration in a verdict's text is: seconds below a
// minute, then minutes, so that a calm screen is not drawn anew every second.
func textStep(d time.Duration) time.Duration {
	if d < time.Minute {
		return time.Second
	}
	return time.Minute
}

// lasted writes for how long something has lasted, "≥" when it had begun before
// we looked.
func lasted(since, now time.Time, atLeast bool) string {
	d := max(0, now.Sub(since))
	text := FormatDuration(d.Truncate(textStep(d)))
	if atLeast {
		return "≥" + text
	}
	return text
}

// since writes a moment: "since 14:43:07Z", "since 14:43:07Z or before".
func since(t time.Time, atLeast bool) string {
	if atLeast {
		return "since " + clock(t) + " or before"
	}
	return "since " + clock(t)
}

// textDue is when the text of a verdict changes by the clock alone, in unix
// nanoseconds: the next step of its duration; never for one without.
func textDue(v Verdict, now time.Time) int64 {
	const never = 1<<63 - 1
	due := int64(never)
	if v.Finding == FindingBlocked || v.Finding == FindingNotMoving {
		d := max(0, now.Sub(v.Since))
		step := textStep(d)
		due = nanos(now.Add(step - d%step))
	}
	for i := range v.Others {
		due = min(due, textDue(v.Others[i], now))
	}
	return due
}
