package model

import "time"

// thresholds are a group's effective configs, with Kafka's defaults for what is
// unknown.
type thresholds struct {
	lock, heartbeat, session time.Duration
	maxLocks, maxSize        int64
	latest                   bool // new share-partitions begin at the log end
}

// Kafka's defaults of the group configs that rules depend on (GroupConfig and
// GroupCoordinatorConfig, 4.1 to 4.4).
const (
	defaultLock      = 30 * time.Second
	defaultHeartbeat = 5 * time.Second
	defaultSession   = 45 * time.Second
	defaultMaxLocks  = 2000
	defaultMaxSize   = 200
	resetLatest      = "latest"
)

func thresholdsOf(s Settings) thresholds {
	return thresholds{
		lock:      positive(s.LockDuration, defaultLock),
		heartbeat: positive(s.HeartbeatInterval, defaultHeartbeat),
		session:   positive(s.SessionTimeout, defaultSession),
		maxLocks:  s.MaxRecordLocks.Or(defaultMaxLocks),
		maxSize:   s.GroupMaxSize.Or(defaultMaxSize),
		latest:    s.AutoOffsetReset == "" || s.AutoOffsetReset == resetLatest,
	}
}

func positive(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}

// partitionCase is one share-partition with all that its rules look at.
type partitionCase struct {
	in    *DiagnoseInput
	i     int
	p     *SharePartition
	f     *PartitionFacts
	limit thresholds
	lag   int64 // meaningful while known
	known bool  // whether the lag is known
}

func newCase(in *DiagnoseInput) *partitionCase {
	return &partitionCase{in: in, limit: thresholdsOf(in.Group.Effective())}
}

// look turns to another share-partition.
func (c *partitionCase) look(i int) {
	c.i, c.p = i, &c.in.Group.Partitions[i]
	if i < len(c.in.Partitions) {
		c.f = &c.in.Partitions[i]
	} else {
		c.f = &PartitionFacts{}
	}
	if c.p.Problem != nil {
		// What was told before the error is shown, but nothing follows from it.
		c.p = &SharePartition{Topic: c.p.Topic, TopicID: c.p.TopicID, Partition: c.p.Partition, Problem: c.p.Problem}
	}
	c.lag, c.known = c.p.Lag.Get()
}

// waits tells whether records wait that a member could be given.
func (c *partitionCase) waits() bool { return c.known && c.lag > 0 && hasMembers(c.in.Group) }

// sampled is the moment that what we know of this share-partition is true for:
// when it was last asked for or, where the source tells every change, now or as
// far as that source is known to have kept up.
func (c *partitionCase) sampled() time.Time {
	switch {
	case !c.in.Live:
		return c.in.Group.OffsetsAt
	case !c.in.Seen.IsZero() && c.in.Seen.Before(c.in.Now):
		return c.in.Seen
	}
	return c.in.Now
}

// partitionRule is one rule about a share-partition.
type partitionRule struct {
	finding  Finding
	severity Severity
	holds    func(*partitionCase) bool
	// text is the short form, tell adds evidence, next steps and times.
	text func(*partitionCase, hit) string
	tell func(*partitionCase, *Verdict, hit)
	// counts is the number of records that it is about, which is summed up over
	// the partitions; nil where the lag tells which partition is the worst.
	counts func(*partitionCase) int64
}

func (r partitionRule) hit(c *partitionCase) hit {
	h := hit{finding: r.finding, severity: r.severity, part: c.i, count: 1, weight: c.lag}
	if r.counts != nil {
		h.weight = r.counts(c)
	}
	return h
}

// partitionRules are the rules about a share-partition, worst first.
func partitionRules() [12]partitionRule {
	return [...]partitionRule{
		{FindingBlocked, SeverityStuck, isBlocked, textBlocked, tellBlocked, nil},
		{FindingWindowFull, SeverityStuck, isWindowFull, textWindow, tellWindow, nil},
		{FindingUnreadable, SeverityStuck, isUnreadable, textUnreadable, tellUnreadable, nil},
		{FindingNoLeader, SeverityStuck, isLeaderless, textLeaderless, tellLeaderless, nil},
		{FindingTopicGone, SeverityStuck, isTopicGone, textTopicGone, tellTopicGone, nil},
		{FindingHeldBack, SeverityWarn, isHeldBack, textHeldBack, tellHeldBack, nil},
		{FindingExpiring, SeverityWarn, isExpiring, textExpiring, tellExpiring, nil},
		{FindingNotMoving, SeverityWarn, isNotMoving, textNotMoving, tellNotMoving, nil},
		{FindingWillSkip, SeverityWarn, isSkipping, textSkipping, tellSkipping, skippedBy},
		{FindingPastEnd, SeverityWarn, isPastEnd, textPastEnd, tellPastEnd, nil},
		{FindingDeleted, SeverityWarn, isDeleted, textDeleted, tellDeleted, deletedFrom},
		{FindingWindowNear, SeverityWarn, isWindowNear, textWindowNear, tellWindow, nil},
	}
}

// isBlocked: records went on being finished more than one lock duration after
// the start offset was first seen where it still is, and the last of them not
// longer than a lock duration ago.
//
// Why this is a proof by requests: a write persists the start offset as it was
// before that write. So a write that leaves it at S proves that the record at S
// was not finished until then; longer than one lock means that it was renewed,
// delivered again, or never handed out. The time of the write is taken as the
// sample before the one that shows it. Two such writes are asked for, since one
// alone may be all that a slow member does, and finish everything.
//
// Why it ends: the last write may have finished the head without showing it. While anything is held, the next write follows within one lock duration
// (acknowledged, or the lock expires), unless it is renewed. Without one, only
// markers and gaps may be left, which look the same: "not moving" says so.
func isBlocked(c *partitionCase) bool {
	if !c.waits() {
		return false
	}
	if c.head().IsKnown() {
		return isHeadBlocked(c)
	}
	return c.heldUp() && c.sampled().Sub(c.f.FinishedAt) <= c.limit.lock
}

// heldUp tells whether the start offset was once shown to be held up for longer
// than a lock, and has not moved since.
func (c *partitionCase) heldUp() bool {
	f := c.f
	return !f.StayedSince.IsZero() && f.FinishedTwice &&
		f.FinishedAfter.Sub(f.StayedSince) > c.limit.lock
}

// stayed is how long the start offset, or the head where it is known, has been
// seen in its place while records waited, up to the last sample.
func (c *partitionCase) stayed() time.Duration {
	if c.head().IsKnown() {
		if since, _ := c.headSince(); !since.IsZero() {
			return c.sampled().Sub(since)
		}
		return 0
	}
	if c.f.StayedSince.IsZero() {
		return 0
	}
	return c.sampled().Sub(c.f.StayedSince)
}

// isWindowFull: the records finished ahead of the start offset, and the one that
// holds it up, fill share.partition.max.record.locks, and have done so for
// longer than one lock duration.
//
// Without the time it would be wrong: the persisted start offset trails by one
// write, and one write may finish a whole window.
func isWindowFull(c *partitionCase) bool {
	window, limit, ok := c.window()
	return ok && window >= limit
}

// isWindowNear is the same from windowNear percent of the limit on.
func isWindowNear(c *partitionCase) bool {
	window, limit, ok := c.window()
	return ok && window < limit && window >= limit-limit*(100-windowNear)/100
}

const windowNear = 80

func (c *partitionCase) window() (window, limit int64, ok bool) {
	if !c.waits() || c.stayed() <= c.limit.lock {
		return 0, 0, false
	}
	window, ok = windowOf(c.p, c.f.Log).Get()
	return window, c.limit.maxLocks, ok
}

// isUnreadable: a start offset that was known is told as -1 now. The broker
// hides an error of its persister that way. In a group without members someone
// may as well have set it to -1, so nothing is claimed there.
func isUnreadable(c *partitionCase) bool {
	return !c.p.Start.IsKnown() && !c.f.LostAt.IsZero() && c.p.Problem == nil &&
		!isEmpty(c.in.Group) && !c.f.TopicGone
}

func isLeaderless(c *partitionCase) bool {
	return c.f.Log.Asked && c.f.Log.Leader == NoLeader && !c.f.TopicGone
}

func isTopicGone(c *partitionCase) bool { return c.f.TopicGone }

// isNotMoving: records wait, there are members, and nothing was seen to be
// finished for longer than one lock duration.
func isNotMoving(c *partitionCase) bool {
	return c.waits() && !c.f.FinishedAt.IsZero() && !isBlocked(c) && !isWindowFull(c) &&
		!c.onlyMarkers() && !c.heldBack() && c.staffed() &&
		c.sampled().Sub(c.f.FinishedAt) > c.limit.lock
}

// isSkipping: nothing was ever settled, nobody is there, the log has records,
// and whoever comes first starts at its end.
func isSkipping(c *partitionCase) bool {
	return skippedBy(c) > 0 && isEmpty(c.in.Group) && c.limit.latest && !c.p.Start.IsKnown() &&
		c.p.Problem == nil
}

// skippedBy counts the records of the log, all of which would be skipped.
func skippedBy(c *partitionCase) int64 { return recordsIn(c.f.Log).Or(0) }

// isPastEnd: the start offset lies past the end of the log. Believed only when
// the end was sampled after this start offset was first seen, since an older
// end proves nothing.
func isPastEnd(c *partitionCase) bool {
	start, ok := c.p.Start.Get()
	if !ok || !c.known || c.lag >= 0 {
		return false
	}
	if end, told := c.p.LagEnd.Get(); told {
		return start > end
	}
	end, ok := c.f.Log.End.Get()
	return ok && start > end && !c.f.StartSince.IsZero() && c.f.Log.EndAt.After(c.f.StartSince)
}

// isDeleted: records that were not finished are no longer in the log.
func isDeleted(c *partitionCase) bool { return deletedFrom(c) > 0 }

// deletedFrom is an upper bound of the unfinished records that the log no longer
// has:
//
//	min(log start - start, lag)
//
// An upper bound, since those between the two may have been finished. A start
// offset below 0 (a broker takes any number) counts as 0. A log start sampled
// long after the start offset proves nothing: it may have moved on.
func deletedFrom(c *partitionCase) int64 {
	start, ok1 := c.p.Start.Get()
	logStart, ok2 := c.f.Log.LogStart.Get()
	if !ok1 || !ok2 || !c.known || c.f.Log.StartAt.Sub(c.sampled()) > RateWindow {
		return 0
	}
	return max(0, min(logStart-max(0, start), c.lag))
}

// groupRule is one rule about a group as a whole.
type groupRule struct {
	finding  Finding
	severity Severity
	holds    func(*DiagnoseInput) bool
	tell     func(*DiagnoseInput, *Verdict)
}

// groupRules are the rules about a group as a whole, worst first.
func groupRules() [8]groupRule {
	return [...]groupRule{
		{FindingTopicGone, SeverityStuck, subscribesToGone, tellSubscribedGone},
		{FindingNobody, SeverityWarn, isNobodyReading, tellNobody},
		{FindingLosing, SeverityWarn, isLosing, tellLosing},
		{FindingLoop, SeverityWarn, isLoop, tellLoop},
		{FindingBehind, SeverityWarn, isFallingBehind, tellBehind},
		{FindingAdded, SeverityWarn, isAdding, tellAdded},
		{FindingNoAssignment, SeverityWarn, isWithoutAssignment, tellUnassigned},
		{FindingGroupFull, SeverityWarn, isFull, tellFull},
	}
}

// subscribesToGone: a topic that only the members name does not exist, or one
// was deleted under the group and its partitions went with it.
func subscribesToGone(in *DiagnoseInput) bool {
	for _, name := range in.GoneTopics {
		if !readsTopic(in.Group, name) {
			return true
		}
	}
	return ownProblem(in.Group, ProblemGone) != nil
}

func readsTopic(g *Group, name TopicName) bool {
	for i := range g.Partitions {
		if g.Partitions[i].Topic == name {
			return true
		}
	}
	return false
}

func isNobodyReading(in *DiagnoseInput) bool {
	return isEmpty(in.Group) && in.Lag.Or(0) >= max(1, in.MinLag) && !markersOnly(in)
}

// A lag that grows slowly, by few records, or only until the next large
// acknowledgement is no falling behind.
const (
	behindRecords = 10   // its lowest point must have risen by so many
	behindShare   = 0.05 // and by this share of what comes in
)

// isFallingBehind: the lag grows over the last minute by its median slope and by
// its lowest points, and is not shrinking just now.
func isFallingBehind(in *DiagnoseInput) bool {
	switch {
	case !hasMembers(in.Group), in.Lag.Or(0) < max(1, in.MinLag):
		return false
	case !in.Slope.Known, in.LagFloor < behindRecords:
		return false
	case in.Net.Known && in.Net.PerSecond >= 0:
		return false
	}
	return in.Slope.PerSecond > 0 && in.Slope.PerSecond >= behindShare*in.In.PerSecond
}

// isWithoutAssignment: members, none of whom was given a partition within two
// heartbeats (the first heartbeat only makes the member known).
func isWithoutAssignment(in *DiagnoseInput) bool {
	limit := thresholdsOf(in.Group.Effective())
	seen := in.Group.Described // does not move while nothing changes; answers do
	if in.Group.OffsetsAt.After(seen) {
		seen = in.Group.OffsetsAt
	}
	return !in.UnassignedSince.IsZero() && seen.Sub(in.UnassignedSince) > 2*limit.heartbeat
}

func isFull(in *DiagnoseInput) bool {
	return int64(len(in.Group.Members)) >= thresholdsOf(in.Group.Effective()).maxSize
}
