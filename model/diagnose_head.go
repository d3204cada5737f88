package model

import (
	"fmt"
	"math"
	"time"
)

// This file is about the record at a head that the state topic tells: since
// when it has been in the way, and what one Fetch found there.

// head is the first unfinished offset, where it is known: the state topic tells
// it (SharePartition.State). By requests it never is; the start offset is a
// lower bound of it.
func (c *partitionCase) head() Number { return c.p.State.Head() }

// atHead is what one Fetch found at the head; nil when it was not asked for, or
// is about another offset by now.
func (c *partitionCase) atHead() *HeadRecord {
	if head, known := c.head().Get(); known && c.p.Head != nil && c.p.Head.Offset == head {
		return c.p.Head
	}
	return nil
}

// inWay is that record, where it is in the way: one that is finished shows that
// what the head is at are aborted records, which brokers finish without writing
// it down.
func (c *partitionCase) inWay() *HeadRecord {
	h := c.atHead()
	if h == nil || !h.Record.IsKnown() {
		return nil
	}
	if state, _ := c.p.State.StateAt(h.Record.Or(0)); state.Done() {
		return nil
	}
	return h
}

// culprit is the offset of the record that is in the way: the first one that is
// there at or above the head and is not finished, since compaction leaves gaps.
func (c *partitionCase) culprit() Number {
	if h := c.inWay(); h != nil {
		return h.Record
	}
	if at, found := c.foundAt(); found {
		if next, ok := c.p.State.Next(at, math.MaxInt64, AnyUnfinished); ok {
			return Known(next)
		}
	}
	return c.head()
}

// foundAt is where a Fetch at the head found the first record.
func (c *partitionCase) foundAt() (int64, bool) {
	if h := c.atHead(); h != nil {
		return h.Record.Get()
	}
	return 0, false
}

// headTime is the timestamp of that record; zero where it is not known, or says
// that it is from the future.
func (c *partitionCase) headTime() time.Time {
	if h := c.inWay(); h != nil && !h.Timestamp.After(c.in.Now) {
		return h.Timestamp
	}
	return time.Time{}
}

// headSince is since when the record that is in the way has been in the way;
// zero where nothing is known of that.
//
// Everything below the head has been done since the state's HeadSince, but the
// record there may have been produced later. Its own timestamp tells; without
// it, it has been there at least since records were first seen to wait, and
// since a later record was finished.
func (c *partitionCase) headSince() (since time.Time, atLeast bool) {
	below, stayed := c.p.State.HeadSince(), c.f.StayedSince
	from := below.Time()
	switch made := c.headTime(); {
	case from.IsZero():
		return stayed, c.f.StayedAtLeast
	case made.After(from):
		return made, false
	case !made.IsZero(), !stayed.IsZero() && !stayed.After(from):
		return from, below.AtLeast()
	}
	if last := c.p.State.LastFinish().Time(); c.overtaken() && last.After(from) && (stayed.IsZero() || last.Before(stayed)) {
		return last, true
	}
	if !stayed.IsZero() {
		return stayed, true
	}
	return from, below.AtLeast()
}

// overtaken tells whether records after a known head are finished: only then is
// the head passed over, and not just the next to be handed out, or a marker at
// the end of the log.
func (c *partitionCase) overtaken() bool {
	n, known := c.behind().Get()
	return known && n > 0
}

// behind is how many records after the head are finished.
func (c *partitionCase) behind() Number {
	head, ok1 := c.head().Get()
	start, ok2 := c.p.State.Start().Get()
	ahead, ok3 := c.p.State.FinishedAhead().Get()
	if !ok1 || !ok2 || !ok3 {
		return Number{}
	}
	return Known(max(0, ahead-(head-start)))
}

// isHeadBlocked: a known head has been in the way for longer than one lock
// duration, and has been tried: records after it are finished, or it was given
// back before. A record that nothing was settled for may as well wait for a
// member that is busy elsewhere: "not moving" says so.
func isHeadBlocked(c *partitionCase) bool {
	if c.onlyMarkers() || c.heldBack() {
		return false
	}
	since, _ := c.headSince()
	return (c.tried() || c.overtaken()) && !since.IsZero() && c.staffed() && c.sampled().Sub(since) > c.limit.lock
}

// tried tells whether a delivery of the record at the head is over.
func (c *partitionCase) tried() bool {
	at, known := c.culprit().Get()
	state, deliveries := c.p.State.StateAt(at)
	return known && deliveries > 0 && AnyUnfinished.Has(state)
}

// found tells whether a Fetch found the record that is in the way.
func (c *partitionCase) found() bool { return c.inWay() != nil }

// staffed tells whether the group has had members for a lock duration: what had
// waited for long when the first one came has not been in its way for long.
func (c *partitionCase) staffed() bool {
	return c.in.StaffedSince.IsZero() || c.sampled().Sub(c.in.StaffedSince) > c.limit.lock
}

// onlyMarkers tells whether all that waits is known to be control markers and
// gaps: nothing that could be delivered is left.
func (c *partitionCase) onlyMarkers() bool {
	end := c.p.LagEnd
	if !end.IsKnown() {
		end = c.f.Log.End
	}
	return c.known && c.lag > 0 && c.atHead().OnlyMarkers(end)
}

// tellHead is the evidence that is there once the head is known.
func (c *partitionCase) tellHead(v *Verdict) {
	at, _ := c.culprit().Get()
	state, deliveries := c.p.State.StateAt(at)
	v.Offset = Known(at)
	v.tell(fmt.Sprintf("%s@%s has been in the way %s: %s.",
		c.place(), FormatInt(at), since(v.Since, v.AtLeast), RecordWords(state, deliveries, c.in.Group.DeliveryLimit())))
	if n := c.behind().Or(0); n > 0 {
		text := count(n, "record") + " behind it finished"
		if last := c.p.State.LastFinish(); last.Millis() != 0 {
			text += ", the last at " + clock(last.Time())
		}
		v.tell(text + ".")
	}
	c.tellAge(v)
}

// tellAge says how old the record is, and until when it is safe.
func (c *partitionCase) tellAge(v *Verdict) {
	made := c.headTime()
	switch h := c.atHead(); {
	case h != nil && h.Problem != nil:
		v.tell("How old it is can't be seen: " + h.Problem.Detail)
		return
	case made.IsZero():
		return
	}
	age := c.in.Now.Sub(made)
	text := "It is " + FormatDuration(age.Truncate(textStep(age))) + " old"
	if deleted := c.deletedAt(); !deleted.IsZero() {
		text += "; retention deletes it from " + moment(deleted, c.in.Now) + " on"
	}
	v.tell(text + ".")
}

// deletedAt is when the topic's retention may delete the record at the head;
// zero where nothing is known of that, or it never does. Whole segments are
// deleted, so it may be later.
func (c *partitionCase) deletedAt() time.Time {
	ms, known := c.f.Retention.Get()
	made := c.headTime()
	if !known || ms < 0 || ms > maxRetention || made.IsZero() {
		return time.Time{}
	}
	return made.Add(time.Duration(ms) * time.Millisecond)
}

// maxRetention is the longest retention.ms that is reckoned with: 100 years.
const maxRetention = 100 * 365 * 24 * 3600 * 1000

// moment is a time of day, with its date when it is not near.
func moment(t, now time.Time) string {
	if d := t.Sub(now); d > 20*time.Hour || d < -20*time.Hour {
		return day(t)
	}
	return clock(t)
}
