package model

import "time"

// Severity ranks verdicts. A higher Severity is worse, except SeverityUnknown,
// which is shown last and dim.
type Severity uint8

// The severities.
const (
	SeverityUnknown Severity = iota
	SeverityFine
	SeverityWarn
	SeverityStuck
)

// String is the word that JSON output, filters (why:stuck) and metrics use:
// unknown, fine, warn, stuck.
func (s Severity) String() string {
	return [...]string{"unknown", "fine", "warn", "stuck"}[s&3]
}

// Finding names a rule of the diagnosis. Its text is stable: filters, mute
// lists and JSON output use it.
type Finding string

// The findings, worst first.
const (
	FindingBlocked      Finding = "blocked"
	FindingWindowFull   Finding = "window-full"
	FindingUnreadable   Finding = "state-unreadable"
	FindingNoLeader     Finding = "no-leader"
	FindingTopicGone    Finding = "topic-gone"
	FindingNobody       Finding = "nobody-reading"
	FindingLosing       Finding = "losing-records"
	FindingHeldBack     Finding = "open-transaction"
	FindingExpiring     Finding = "retention-near"
	FindingLoop         Finding = "redelivery-loop"
	FindingNotMoving    Finding = "not-moving"
	FindingBehind       Finding = "falling-behind"
	FindingWillSkip     Finding = "latest-will-skip"
	FindingAdded        Finding = "partitions-added"
	FindingNoAssignment Finding = "no-assignment"
	FindingPastEnd      Finding = "start-past-end"
	FindingDeleted      Finding = "deleted-unfinished"
	FindingGroupFull    Finding = "group-full"
	FindingWindowNear   Finding = "window-nearly-full"
	FindingMarkers      Finding = "only-markers"
	FindingDraining     Finding = "draining"
	FindingQuiet        Finding = "quiet"
	FindingCaughtUp     Finding = "caught-up"
	FindingEmptyTopic   Finding = "empty-topic"
	FindingNoneSettled  Finding = "none-settled"
	FindingNoLag        Finding = "lag-unknown"
	FindingNoOffsets    Finding = "no-offsets"
	FindingDenied       Finding = "not-allowed"
	FindingFeatureOff   Finding = "share-groups-off"
	FindingNotSeen      Finding = "not-seen-yet"
)

// Verdict is what the diagnosis says of one group: its worst finding, what it
// rests on, and what to look at or do next.
type Verdict struct {
	Severity Severity
	Finding  Finding
	// Text is the short form for the WHY column, e.g.
	// "blocked at refunds-0@9,120 ≥14m". Safe for a terminal.
	Text string
	// Evidence are full sentences that back the text up, most telling first.
	Evidence []Sentence
	// Next are things to look at or do, each with its key where there is one,
	// e.g. "v look at it".
	Next []string
	// Topic, Partition and Offset say where, when HasPlace is true; Offset may
	// be unknown all the same.
	HasPlace  bool
	Topic     TopicName
	Partition int32
	Offset    Number
	// Since is when it began; AtLeast is true when it had begun before we
	// looked ("≥"). Zero when that means nothing for this finding.
	Since   time.Time
	AtLeast bool
	// Others are further findings of this group, worst first, for its page.
	Others []Verdict
}

// tell adds sentences to the evidence.
func (v *Verdict) tell(sentences ...string) {
	for _, s := range sentences {
		v.Evidence = append(v.Evidence, Sentence(s))
	}
}

// PartitionVerdict is the verdict on one share-partition, for the partitions
// table: the same findings, or the zero value where nothing is to be said.
type PartitionVerdict struct {
	Severity Severity
	Finding  Finding
	Text     string
}
