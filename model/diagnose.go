package model

import "time"

// DiagnoseInput is all that a diagnosis rests on. Nothing in it is changed.
type DiagnoseInput struct {
	Group   *Group
	Support ShareSupport
	Now     time.Time
	// Live is true while the source of offsets tells every change, so that what
	// it told last holds now.
	Live bool
	// Seen is up to when that source was last seen to have kept up; zero when
	// that was not told.
	Seen time.Time
	// Partitions belong to Group.Partitions, one each; missing ones are taken
	// as zero: nothing is known of them.
	Partitions []PartitionFacts
	// GoneTopics are topics of the group's partitions or subscriptions that the
	// cluster says do not exist.
	GoneTopics []TopicName
	// Added are the topics with partitions that the group, which has no member,
	// has not begun.
	Added []AddedPartitions
	// Lag is the group's sum, as in Row.
	Lag        Number
	LagPartial bool
	// In, Done and Net are over RateWindow, as in Row.
	In, Done, Net Rate
	// Slope is how fast the lag grows, robustly, over the last minute; LagFloor
	// how far its lowest point has risen in that time.
	Slope    Rate
	LagFloor int64
	// EmptySince is when the group was first seen without a member; zero while
	// it has one. EmptyAtLeast: it was like that when we first looked.
	EmptySince   time.Time
	EmptyAtLeast bool
	// UnassignedSince is when the group was first seen with members of whom
	// none had a partition; zero otherwise.
	UnassignedSince   time.Time
	UnassignedAtLeast bool
	// StaffedSince is when the group was seen to get its first member; zero when
	// it had members as long as we looked, or has none.
	StaffedSince time.Time
	// State and Retrying are as in Row; Archived is how many offsets
	// State.Archived is about.
	State    StateRates
	Archived int64
	Retrying Number
	// MinLag is Rules.MinLag, Muted are the findings that do not count here.
	MinLag int64
	Muted  Muted
}

// Diagnose says what is the matter with a group: its worst finding, with the
// others after it; where nothing asks for attention, the one fine finding that
// fits. It is a pure function of its input; the thresholds are the
// group's own effective configs, Kafka's defaults where they are unknown.
//
// It works in two steps: every rule is asked whether it holds (cheap, for every
// partition), then only what holds is put into words.
func Diagnose(in DiagnoseInput) Verdict {
	if f, ok := notKnown(&in); ok {
		return describe(&in, hit{finding: f})
	}
	var hits hitSet
	collect(&in, &hits)
	found := hits.worstFirst()
	if len(found) == 0 {
		finding, severity := baseline(&in)
		verdict := describe(&in, hit{finding: finding, severity: severity})
		tellHarmless(&in, &verdict)
		return verdict
	}
	verdict := describe(&in, found[0])
	for _, h := range found[1:] {
		verdict.Others = append(verdict.Others, describe(&in, h))
	}
	tellHarmless(&in, &verdict)
	return verdict
}

// DiagnosePartition says what is the matter with one share-partition: its worst
// finding, or the zero value where there is nothing to say.
func DiagnosePartition(in DiagnoseInput, i int) PartitionVerdict {
	if i < 0 || i >= len(in.Group.Partitions) {
		return PartitionVerdict{}
	}
	c := newCase(&in)
	c.look(i)
	for _, rule := range partitionRules() {
		if rule.holds(c) && !in.Muted.has(rule.finding) {
			h := rule.hit(c)
			h.count = 1
			return PartitionVerdict{h.severity, h.finding, rule.text(c, h)}
		}
	}
	return finePartition(c)
}

// findings lists every finding, worst first: the order in which a group's
// findings are shown, and the bit that each has in a set. The last place is for
// words that are no finding.
func findings() [31]Finding {
	return [...]Finding{
		FindingBlocked, FindingWindowFull, FindingUnreadable, FindingNoLeader, FindingTopicGone,
		FindingNobody, FindingHeldBack, FindingLosing, FindingExpiring, FindingLoop, FindingNotMoving, FindingBehind, FindingWillSkip, FindingAdded, FindingNoAssignment,
		FindingPastEnd, FindingDeleted, FindingGroupFull, FindingWindowNear,
		FindingMarkers, FindingDraining, FindingQuiet, FindingCaughtUp, FindingEmptyTopic, FindingNoneSettled, FindingNoLag,
		FindingNoOffsets, FindingDenied, FindingFeatureOff, FindingNotSeen, "",
	}
}

// AllFindings lists the findings, worst first.
func AllFindings() []Finding {
	all := findings()
	return all[:len(all)-1]
}

// rank is a finding's place in findings; the last one for an unknown word, which
// no group has.
func (f Finding) rank() int {
	all := findings()
	for i := range all {
		if all[i] == f {
			return i
		}
	}
	return len(all) - 1
}

// hit is a rule that holds: for one share-partition, the one where it is worst,
// or for the group as a whole.
type hit struct {
	finding  Finding
	severity Severity
	// part is the index of the share-partition, count on how many it holds; 0
	// when it is about the whole group.
	part, count int
	// weight tells which partition is the worst; total sums it over all.
	weight, total int64
}

// hitSet has at most one hit per finding.
type hitSet [31]hit

// add takes a hit in, keeping the worst partition of each finding.
func (s *hitSet) add(h hit) {
	slot := &s[h.finding.rank()]
	count, total := slot.count+h.count, addClamped(slot.total, h.weight)
	if slot.finding == "" || h.weight > slot.weight {
		*slot = h
	}
	slot.count, slot.total = count, total
}

// worstFirst lists the hits by severity, then by the order of findings.
func (s *hitSet) worstFirst() []hit {
	var found []hit
	for _, severity := range [...]Severity{SeverityStuck, SeverityWarn, SeverityFine, SeverityUnknown} {
		for _, h := range s {
			if h.finding != "" && h.severity == severity {
				found = append(found, h)
			}
		}
	}
	return found
}

// collect asks every rule.
func collect(in *DiagnoseInput, hits *hitSet) {
	rules := partitionRules()
	c := newCase(in)
	for i := range in.Group.Partitions {
		c.look(i)
		for _, rule := range rules {
			if rule.holds(c) && !in.Muted.has(rule.finding) {
				hits.add(rule.hit(c))
			}
		}
	}
	for _, rule := range groupRules() {
		if rule.holds(in) && !in.Muted.has(rule.finding) {
			hits.add(hit{finding: rule.finding, severity: rule.severity})
		}
	}
}

// notKnown tells why nothing can be said of a group at all.
func notKnown(in *DiagnoseInput) (Finding, bool) {
	g := in.Group
	if in.Support == ShareDisabled || in.Support == ShareTooOld {
		return FindingFeatureOff, true
	}
	if !g.OffsetsAt.IsZero() {
		return "", false
	}
	if problemOf(g, ProblemDenied) != nil {
		return FindingDenied, true
	}
	if problemOf(g, ProblemFeature) != nil {
		return FindingFeatureOff, true
	}
	return FindingNotSeen, true
}

// problemOf is a group's first problem of a kind, its own or one of its
// partitions'; nil when there is none.
func problemOf(g *Group, kind ProblemKind) *Problem {
	if p := ownProblem(g, kind); p != nil {
		return p
	}
	for i := range g.Partitions {
		if p := g.Partitions[i].Problem; p != nil && p.Kind == kind {
			return p
		}
	}
	return nil
}

// ownProblem is the first problem of a kind that a group has as a whole.
func ownProblem(g *Group, kind ProblemKind) *Problem {
	for i := range g.Problems {
		if g.Problems[i].Kind == kind {
			return &g.Problems[i]
		}
	}
	return nil
}
