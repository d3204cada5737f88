package model

import "time"

// TopicPartition names one partition of a topic.
type TopicPartition struct {
	Topic     TopicName
	Partition int32
}

// GroupLook is one look at a share group and the logs that a reset is about: what a
// Plan is made from, and what it is held against before it is written.
type GroupLook struct {
	Group GroupID
	// At is when the look was over, on the client's clock.
	At time.Time
	// Exists is false for a group that the coordinator does not know: writing
	// start offsets makes it.
	Exists bool
	State  GroupState
	// Members are those of the group, sorted by id; a reset is refused while
	// there are any.
	Members []Member
	// Partitions are those in the scope, sorted by topic and partition.
	Partitions []LookPartition
}

// LookPartition is what one look has seen of one partition.
type LookPartition struct {
	TopicPartition
	TopicID TopicID
	// Start is the persisted start offset; unknown when the coordinator says -1
	// or has nothing for this partition.
	Start Number
	// Read is false when the group has nothing for this partition, not even -1.
	Read bool
	// Lag is as the broker gave it; unknown when it did not.
	Lag Number
	// State is what the state topic has, only where it agrees with Start and Lag.
	State *PartitionState
	// LogStart and End are the earliest offset and the high watermark.
	LogStart, End Number
	// AtTime is the first offset at or after the target's time; unknown when the
	// log has none, or when the target has no time.
	AtTime Number
	// Trouble says why the partition can't be reset, e.g. "no leader"; empty when
	// it can.
	Trouble string
}

// ResetScope says which partitions a reset is about. Both empty stands for all that
// the group has.
type ResetScope struct {
	// Topics are taken with all their partitions, also where the group never
	// read them.
	Topics []TopicName
	// Partitions are taken one by one.
	Partitions []TopicPartition
}

// All tells whether the scope is all that the group has.
func (s ResetScope) All() bool { return len(s.Topics) == 0 && len(s.Partitions) == 0 }

// LookRequest asks for a GroupLook.
type LookRequest struct {
	Group  GroupID
	Scope  ResetScope
	Target ResetTarget
}

// Span is a count of records that is known, or bounded by Low and High.
type Span struct{ Low, High int64 }

// Exact tells whether the count is known.
func (s Span) Exact() bool { return s.Low == s.High }

// Zero tells whether there are surely none.
func (s Span) Zero() bool { return s.High == 0 }

// String is the count, or its bounds: "41", "12 to 41".
func (s Span) String() string {
	if s.Exact() {
		return FormatInt(s.Low)
	}
	return FormatInt(s.Low) + " to " + FormatInt(s.High)
}

func (s Span) plus(o Span) Span {
	return Span{addClamped(s.Low, o.Low), addClamped(s.High, o.High)}
}

// Plan says what a reset will do to each partition, before anything is written.
// All numbers are frozen: writing the plan sends these and no others. Records
// are counted by offsets: transaction markers and records that compaction took
// are among them.
type Plan struct {
	Group  GroupID
	Target ResetTarget
	// Scope is what the plan was asked for.
	Scope ResetScope
	// Look is what it was made from.
	Look *GroupLook
	// Rows are the partitions of the scope, sorted by topic and partition.
	Rows []PlanRow
}

// PlanRow is what a plan does to one partition.
type PlanRow struct {
	TopicPartition
	TopicID TopicID
	// Now is the start offset; unknown when there is none (-1).
	Now Number
	// New is what is written, within the log; unknown when no number can be told.
	New Number
	// Write is false for a row that is left out of the request.
	Write bool
	// Unseen tells that it is left out since its log can't be seen: there is no
	// such topic or partition, or it does not answer.
	Unseen bool
	// Back are the records from New up to Now, which are delivered again.
	Back Span
	// Ahead are finished records at or above both numbers: writing wipes that
	// they are finished, so they are delivered again. In a row that is left out
	// they stay finished.
	Ahead Span
	// Never are the records that are skipped without having been finished.
	Never Span
	// Note says what is worth knowing, as a clause; empty for nothing.
	Note string
}

// Move is how far the start offset moves; unknown when either number is.
func (r *PlanRow) Move() Number {
	from, ok1 := r.Now.Get()
	to, ok2 := r.New.Get()
	if !ok1 || !ok2 {
		return Number{}
	}
	return Known(subClamped(to, from))
}

// Again are all records of the row that are delivered again.
func (r *PlanRow) Again() Span {
	if !r.Write {
		return Span{}
	}
	return r.Back.plus(r.Ahead)
}

// PlanTotals are the sums of a plan over the rows that are written.
type PlanTotals struct {
	// Written and All count rows.
	Written, All int
	// Again, Ahead and Never are sums of the rows'; Ahead is part of Again.
	Again, Ahead, Never Span
	// NoUndo counts rows that are written and have no start offset now: no
	// number can bring that back.
	NoUndo int
}

// Totals sums the plan up.
func (p *Plan) Totals() PlanTotals {
	t := PlanTotals{All: len(p.Rows)}
	for i := range p.Rows {
		r := &p.Rows[i]
		if !r.Write {
			continue
		}
		t.Written++
		t.Again, t.Ahead, t.Never = t.Again.plus(r.Again()), t.Ahead.plus(r.Ahead), t.Never.plus(r.Never)
		if !r.Now.IsKnown() {
			t.NoUndo++
		}
	}
	return t
}

// Written are the rows that are written.
func (p *Plan) Written() []PlanRow {
	var out []PlanRow
	for i := range p.Rows {
		if p.Rows[i].Write {
			out = append(out, p.Rows[i])
		}
	}
	return out
}
