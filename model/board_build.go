package model

import (
	"slices"
	"time"
)

// rowClock is what all rows of one board have in common.
type rowClock struct {
	now        time.Time
	freshSince time.Time
	// live: the values hold until something else is told (the state topic), so
	// that an old answer is no old value.
	live bool
	// seen is up to when that was last known to be so; zero when not told.
	seen    time.Time
	hold    int64 // seconds that a sampled lag is drawn on
	support ShareSupport
	minLag  int64
}

// newRowClock reads a snapshot's and the caller's clock. A row is fresh for two
// ticks, so that it does not flicker while a tick is under way. A sampled lag
// is drawn on for RateWindow and a tick, across jitter and slow ticks, and
// without an end while the source is live.
func newRowClock(s *Snapshot, now time.Time, interval time.Duration, rules Rules) rowClock {
	c := rowClock{
		now: now, freshSince: now.Add(-2 * interval),
		live:    isLive(s),
		hold:    int64((RateWindow + interval) / HistoryStep),
		support: s.Cluster.ShareGroups, minLag: rules.MinLag,
	}
	if c.live {
		c.seen = s.Offsets.Tail.CheckedAt
		c.hold = 1 << 40
	}
	return c
}

// isLive tells whether silence means that nothing happened: the state topic is
// the source, and known to be read up to its end. A dead reader looks idle.
func isLive(s *Snapshot) bool {
	return s.Offsets.Source == FromStateTopic && s.Offsets.Tail.Phase != TailBehind
}

// heldUntil is up to when a live source is known to have told every change: until
// now where it does not say. Brokers that are silent look idle.
func (c rowClock) heldUntil() time.Time {
	if c.seen.IsZero() || c.seen.After(c.now) {
		return c.now
	}
	return c.seen
}

// alike tells whether two clocks differ in nothing but what time it is.
func (c rowClock) alike(other rowClock) bool {
	return c.live == other.live && c.hold == other.hold && c.support == other.support &&
		c.now.Sub(c.freshSince) == other.now.Sub(other.freshSince)
}

func (c rowClock) fresh(g *Group) bool {
	return !g.OffsetsAt.IsZero() && (c.live || !g.OffsetsAt.Before(c.freshSince))
}

// due is when the clock alone may change the row next, in unix nanoseconds.
func (h *groupHistory) due(clock rowClock) int64 {
	due := min(h.verdictDue, h.trendDue)
	if !clock.live && h.row.Fresh {
		return min(due, nanos(h.group.OffsetsAt.Add(clock.now.Sub(clock.freshSince)))+1)
	}
	if clock.live && h.unsettled(nanos(clock.now)) {
		return min(due, max(h.sampledAt, h.idleAt)+int64(HistoryStep))
	}
	return due
}

// freshen brings up to date what changes by the clock alone in a row that is
// right otherwise: its freshness, and its trend when that is due.
func (h *groupHistory) freshen(clock rowClock, fresh, trendDue bool) {
	trend := h.row.Trend
	if trendDue {
		trend = h.nextTrend(clock)
	}
	if h.row.Fresh == fresh && sameTrend(h.row.Trend, trend) {
		return
	}
	row := *h.row
	row.Fresh, row.Trend = fresh, trend
	h.row = &row
}

// nextTrend is the trend as of now; the very slice of the row where that says
// the same.
func (h *groupHistory) nextTrend(clock rowClock) []Number {
	points, until := h.trend(clock)
	h.trendDue = until
	if h.row != nil && sameTrend(h.row.Trend, points[:]) {
		return h.row.Trend
	}
	return slices.Clone(points[:])
}

// rebuild derives the row anew; it stays the same pointer when nothing in it
// has changed.
func (h *groupHistory) rebuild(facts []PartitionFacts, clock rowClock, fresh bool) {
	h.topicsRev, h.support = h.revision(), clock.support
	lag, partial := sumLag(h.group, h.logOf)
	partial = partial || len(h.added()) > 0
	in, done, net := h.rates.rates()
	s := h.slope()
	row := &Row{
		Group: h.group, Lag: lag, LagPartial: partial, In: in, Done: done, Net: net, Fresh: fresh,
		State: h.tally.rates(), Retrying: retrying(h.group),
	}
	if !h.group.OffsetsAt.IsZero() {
		row.Partitions = Known(int64(len(h.group.Partitions)))
	}
	if !h.group.Described.IsZero() {
		row.Members = Known(int64(len(h.group.Members)))
	}
	input := h.diagnoseInput(facts, clock, row, s)
	row.Verdict = Diagnose(input)
	row.Drain = drainOf(row.Verdict.Severity, lag, partial, s).beside(row.Verdict.Finding, hasMembers(h.group))
	row.Trend = h.nextTrend(clock)
	h.verdictDue = min(textDue(row.Verdict, clock.now), h.retentionDue(&input))
	if clock.live {
		h.verdictDue = min(h.verdictDue, h.lockDue(clock))
	}
	if h.row == nil || !sameRow(h.row, row) {
		h.row = row
	}
}

func (h *groupHistory) diagnoseInput(facts []PartitionFacts, clock rowClock, row *Row, s slope) DiagnoseInput {
	return DiagnoseInput{
		Group: h.group, Support: clock.support, Now: clock.now, Partitions: facts,
		GoneTopics: h.goneTopics(), Added: h.added(), Live: clock.live, Seen: clock.seen,
		State: row.State, Archived: h.tally.archived(), Retrying: row.Retrying, StaffedSince: h.staffedSince(),
		Lag: row.Lag, LagPartial: row.LagPartial,
		In: row.In, Done: row.Done, Net: row.Net, Slope: s.exported(), LagFloor: s.floor,
		EmptySince: timeOf(h.empty.since), EmptyAtLeast: h.empty.atLeast,
		UnassignedSince: timeOf(h.unassigned.since), UnassignedAtLeast: h.unassigned.atLeast,
		MinLag: clock.minLag, Muted: h.muted,
	}
}

// staffedSince is when the group was seen to get its first member; zero when it
// had members from the beginning.
func (h *groupHistory) staffedSince() time.Time {
	if h.staffed.atLeast {
		return time.Time{}
	}
	return timeOf(h.staffed.since)
}

func (s slope) exported() Rate {
	if !s.known {
		return Rate{}
	}
	return knownRate(s.perSecond)
}

// slope is how the group's lag has moved up to its last sample, as far back as
// the sums can be compared.
func (h *groupHistory) slope() slope {
	return slopeOf(&h.lag, h.steadySince, max(h.sampledAt, h.idleAt)/secondsFor)
}

// trend returns the lag at even steps and when the next step begins. Steps
// begin at whole multiples of their length, so that a trend does not shimmer;
// each group is a little out of step with the others, so that not all of them
// are due in the same instant.
func (h *groupHistory) trend(clock rowClock) (points [TrendPoints]Number, until int64) {
	const width = int64(HistoryLength/HistoryStep) / TrendPoints
	now := nanos(clock.now) / secondsFor
	phase := int64(h.phase) % width
	end := (now+phase)/width*width - phase // where the running step began
	for i := range points {
		to := min(now, end+int64(i+2-TrendPoints)*width-1)
		points[i], _ = h.lag.latest(min(to-clock.hold, end+int64(i+1-TrendPoints)*width-1), to)
	}
	return points, (end + width) * secondsFor
}

// lockDue is when the next of the group's share-partitions has stood still for
// a whole lock duration, in unix nanoseconds: with a live source no new sample
// says so. What that source has not kept up to yet is looked at again a second
// later.
func (h *groupHistory) lockDue(clock rowClock) int64 {
	const never = 1<<63 - 1
	due, now, until := int64(never), nanos(clock.now), nanos(clock.heldUntil())
	lock := int64(thresholdsOf(h.group.Effective()).lock)
	for i := range h.parts {
		p, sp := &h.parts[i], &h.group.Partitions[i]
		for _, began := range [...]int64{
			p.finishedAt, p.stayedSince, h.staffed.since, nanos(headTime(sp)),
			nanos(sp.State.HeadSince().Time()), nanos(sp.State.LastFinish().Time()),
		} {
			at := began + lock + 1
			if began == 0 || !p.has(hasLag) || p.lag <= 0 || at <= until {
				continue
			}
			if at <= now {
				at = now + secondsFor
			}
			due = min(due, at)
		}
	}
	return due
}

func sameTrend(a, b []Number) bool { return slices.Equal(a, b) }

// sameRow compares all that a row says. Rates and trend of a group that was not
// asked again are the same by construction.
func sameRow(a, b *Row) bool {
	return a.Group == b.Group && a.Lag == b.Lag && a.LagPartial == b.LagPartial &&
		a.Partitions == b.Partitions && a.Members == b.Members && a.Fresh == b.Fresh &&
		a.In == b.In && a.Done == b.Done && a.Net == b.Net && a.Drain == b.Drain &&
		a.State == b.State && a.Retrying == b.Retrying &&
		sameTrend(a.Trend, b.Trend) && sameVerdict(&a.Verdict, &b.Verdict)
}

func sameVerdict(a, b *Verdict) bool {
	return a.Finding == b.Finding && a.Severity == b.Severity && a.Text == b.Text &&
		a.HasPlace == b.HasPlace && a.Topic == b.Topic && a.Partition == b.Partition &&
		a.Offset == b.Offset && a.Since.Equal(b.Since) && a.AtLeast == b.AtLeast &&
		slices.Equal(a.Evidence, b.Evidence) && slices.Equal(a.Next, b.Next) &&
		slices.EqualFunc(a.Others, b.Others, func(x, y Verdict) bool { return sameVerdict(&x, &y) })
}

// sumRows adds up all groups. Groups whose lag is missing make it partial.
func sumRows(rows []*Row) Totals {
	t := Totals{Groups: len(rows)}
	sum, known := int64(0), false
	for _, r := range rows {
		if v, ok := r.Lag.Get(); ok {
			sum, known = addClamped(sum, v), true
		}
		t.Partial = t.Partial || r.LagPartial
		t.count(r.Verdict.Severity)
	}
	if known || len(rows) == 0 {
		t.Lag = Known(sum)
	}
	return t
}

func (t *Totals) count(s Severity) {
	switch s {
	case SeverityStuck:
		t.Stuck++
	case SeverityWarn:
		t.Warn++
	case SeverityFine:
		t.Fine++
	default:
		t.NotKnown++
	}
}
