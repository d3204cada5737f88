package model

import (
	"slices"
	"strings"
	"time"
)

// Board is a snapshot with all that is derived from it: what a screen or a
// printout shows. It is immutable, and shares unchanged rows with its
// predecessor.
type Board struct {
	Snapshot *Snapshot
	// Rows has one row per group, in the order of Snapshot.Groups.
	Rows   []*Row
	Totals Totals
	// Open is the detail of the group opened in depth; nil when none is.
	Open *OpenGroup
}

// Row is one group with what is derived for it.
type Row struct {
	Group *Group
	// Lag is the sum over the partitions whose lag is known; unknown when none
	// is. LagPartial is true when some partition's is missing or old ("+").
	Lag        Number
	LagPartial bool
	// Partitions counts share-partitions; unknown when they were not seen.
	Partitions Number
	// Members counts members; unknown when the group was not described.
	Members Number
	// Trend is the lag at even steps over the history, oldest first, unknown
	// where nothing was seen; the last is now. Shared, not to be changed.
	Trend []Number
	// In, Done and Net are records per second over RateWindow; unknown before
	// two samples. Net is Done - In: above zero the lag shrinks.
	In, Done, Net Rate
	// State are the rates that only the state topic tells.
	State StateRates
	// Retrying counts the records on their second or a later delivery, or free
	// for it; unknown while the state topic is not read.
	Retrying Number
	// Drain is the estimated time until the lag is 0.
	Drain Drain
	// Verdict is the diagnosis.
	Verdict Verdict
	// Fresh is true when this group's offsets were answered in this tick.
	Fresh bool
}

// Row returns the row of the group with that id, or nil.
func (b *Board) Row(id GroupID) *Row {
	if b == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(b.Rows, id.raw, func(r *Row, raw string) int {
		return strings.Compare(r.Group.ID.raw, raw)
	})
	if !found {
		return nil
	}
	return b.Rows[i]
}

// Rate is records per second; Known is false before there are two samples.
type Rate struct {
	PerSecond float64
	Known     bool
}

// DrainKind tells apart the answers to "when is it empty?".
type DrainKind uint8

// The answers. DrainStuck is used exactly when the verdict's severity is
// SeverityStuck.
const (
	DrainUnknown DrainKind = iota
	DrainDone
	DrainIn
	DrainNever
	DrainStuck
)

// Drain says when a group's lag will be 0 at its net rate.
type Drain struct {
	Kind DrainKind
	// In is the time left with DrainIn; an estimate.
	In time.Duration
}

// Totals sums up all groups. Partial is true when the lag of some group is
// missing or partial.
type Totals struct {
	Groups                      int
	Lag                         Number
	Partial                     bool
	Stuck, Warn, Fine, NotKnown int
}

// OpenGroup is what the page of one group shows beside its Row.
type OpenGroup struct {
	ID GroupID
	// Row is the group's row; nil when no such group is there.
	Row *Row
	// Partitions are in the order of Row.Group.Partitions.
	Partitions []PartitionRow
	// LagSeries is the group's lag, HistoryStep apart, oldest first.
	LagSeries []Number
	// Activity is what happened to its records since it was opened; nil while
	// the state topic does not tell.
	Activity *Activity
}

// PartitionRow is one share-partition with what is derived for it.
type PartitionRow struct {
	SharePartition
	Log PartitionLog
	// Head is the first unfinished offset, the log's end or above when there is
	// none; unknown while the state topic is not read. HeadTime is the timestamp
	// of the record there, zero where that is not known.
	Head     Number
	HeadTime time.Time
	// Ahead are the records finished at or above the start offset:
	// end - start - lag.
	Ahead Number
	// Window is a lower bound (shown "≥") of the number of offsets from the
	// start offset, or the head where it is known, to the highest offset known to
	// have been delivered.
	Window Number
	// Done is records finished per second.
	Done Rate
	// Drain is the estimate for this partition.
	Drain   Drain
	Verdict PartitionVerdict
}

// Bounds of the history: 4 minutes at one sample a second; rates are over 15 s.
const (
	HistoryLength = 4 * time.Minute
	HistoryStep   = time.Second
	RateWindow    = 15 * time.Second
)

// TrendPoints is the length of Row.Trend: one value per 30 s of the history.
const TrendPoints = 8
