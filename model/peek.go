package model

import "time"

// PeekFrom says what a PeekRequest begins at.
type PeekFrom uint8

// The places where a peek can begin.
const (
	// PeekAtOffset is the request's Offset, clamped to what the log has.
	PeekAtOffset PeekFrom = iota
	// PeekAtLogStart is the first offset that the log has.
	PeekAtLogStart
	// PeekAtEnd is the end of the log: the high watermark, or the last stable
	// offset for a committed peek.
	PeekAtEnd
	// PeekAtTime is the first record with the request's Time or a later one; the
	// end where there is none.
	PeekAtTime
)

// PeekRequest asks for records of one partition by an ordinary Fetch at
// explicit offsets: no group is touched, nothing is acquired or committed.
type PeekRequest struct {
	Topic     TopicName
	Partition int32
	From      PeekFrom
	Offset    int64
	Time      time.Time
	// Backward asks for the records just before that place, instead of those at
	// and after it.
	Backward bool
	// Committed leaves out what a group with share.isolation.level
	// read_committed is not given.
	Committed bool
	// Max is the most records; 0 means DefaultPeekRecords, and MaxPeekRecords is
	// the most.
	Max int
}

// Bounds of one peek.
const (
	DefaultPeekRecords = 500
	MaxPeekRecords     = 1000
	// MaxPeekBytes ends a peek early: what is over is for the next one. A first
	// record that is larger comes all the same.
	MaxPeekBytes = 8 << 20
)

// PeekResult is what one peek found.
type PeekResult struct {
	Topic     TopicName
	Partition int32
	// ID is the topic's; zero where it was not told. Another one than before is
	// another topic of the same name.
	ID TopicID
	// Records are in ascending order.
	Records []*Record
	// From and Next bound the offsets that were looked at: From is the first,
	// Next the one to go on at.
	From, Next int64
	// LogStart and End are the log's at that time; Stable is its last stable
	// offset. Unknown where the broker did not come to tell.
	LogStart, End, Stable Number
	// Clamped is true when the offset asked for was not in the log: From is the
	// nearest that is.
	Clamped bool
	// Gaps are the offsets in between that are not shown as records.
	Gaps PeekGaps
	// Problem is why something could not be read; there can be records too.
	Problem *Problem
	// Partitions is how many partitions the topic has; unknown where that was not
	// told.
	Partitions Number
	// At is when it was asked.
	At time.Time
}

// PeekGaps count the offsets of a peek that are no records to show.
type PeekGaps struct {
	// Control are transaction markers.
	Control int64
	// Aborted are records of transactions that were aborted; only a committed
	// peek leaves them out.
	Aborted int64
	// Missing are not in the log: compaction took them.
	Missing int64
}

// Total is the number of all of them.
func (g PeekGaps) Total() int64 { return g.Control + g.Aborted + g.Missing }

// Add sums up the gaps of two peeks.
func (g PeekGaps) Add(o PeekGaps) PeekGaps {
	return PeekGaps{g.Control + o.Control, g.Aborted + o.Aborted, g.Missing + o.Missing}
}

// AtEnd tells whether nothing is left behind what was looked at.
func (r *PeekResult) AtEnd(committed bool) bool { return r.Ends(r.Next, committed) }

// Ends tells whether nothing is left at and behind an offset.
func (r *PeekResult) Ends(at int64, committed bool) bool {
	end, known := r.End.Get()
	if stable, ok := r.Stable.Get(); committed && ok {
		end = min(end, stable)
	}
	return known && at >= end
}
