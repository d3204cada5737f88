package model

import (
	"math"
	"time"
)

// PartitionState is what the state topic says about one share-partition: the
// start offset, and what has happened to the records at or above it. It is
// immutable. All methods work on nil, for which nothing is known.
type PartitionState struct{ p *StateParts }

// StateParts are the values a PartitionState is made of, as Kafka persists
// them: what is not known is -1.
type StateParts struct {
	// Start is the persisted start offset; -1 before anything is settled.
	Start int64
	// Finished is deliveryCompleteCount: the records at or above Start that are
	// finished or archived; -1 where it is not told (4.1, and with Start -1).
	Finished int32
	// LeaderEpoch, StateEpoch and SnapshotEpoch are Kafka's own; -1 when not
	// told.
	LeaderEpoch, StateEpoch, SnapshotEpoch int32
	// CreatedMillis and WrittenMillis are the timestamps inside the last
	// snapshot: they differ when it repeats an older state.
	CreatedMillis, WrittenMillis int64
	// LastWrite is when the coordinator last wrote something new.
	LastWrite Stamp
	// LastFinish is when a record was last finished.
	LastFinish Stamp
	// HeadSince is since when the head is where it is.
	HeadSince Stamp
	// SeenMicros is when the last record was read here, on the client's clock, in
	// microseconds since 1970: a log end is asked for within the same millisecond.
	SeenMicros int64
	// Version is the state topic's offset of the last record that this rests
	// on: the same version is the same state.
	Version int64
	// Batches hold the offsets at or above Start that something was settled
	// for. They must not be changed once a PartitionState has been made of them.
	Batches Intervals
	// Highest is the highest offset in any batch so far; -1 when there is none.
	Highest int64
	// Cut is the offset from which on batches were left out, because there were
	// too many; 0 when none were.
	Cut int64
	// Tally counts what happened while we watched; nil while nothing did, which
	// is so of most share-partitions.
	Tally *Tally
}

// Count is the tally to count in.
func (p *StateParts) Count() *Tally {
	if p.Tally == nil {
		p.Tally = &Tally{}
	}
	return p.Tally
}

// Stamp is the time of something on the brokers' clock. The zero Stamp is not
// known. It takes 8 bytes: each share-partition has three.
type Stamp struct{ packed int64 } // milliseconds, then a bit for AtLeast

// NewStamp makes a Stamp of milliseconds since 1970; 0 when the time is not
// known. AtLeast is true when it may have been earlier than that. Beyond some
// 146 million years from 1970 milliseconds are cut.
func NewStamp(millis int64, atLeast bool) Stamp {
	const limit = 1<<62 - 1
	s := Stamp{min(max(millis, -limit), limit) << 1}
	if atLeast {
		s.packed |= 1
	}
	return s
}

// Millis are milliseconds since 1970; 0 when the time is not known.
func (s Stamp) Millis() int64 { return s.packed >> 1 }

// AtLeast is true when it may have been earlier than that, because it was over
// before we looked: it was at least this long ago ("≥").
func (s Stamp) AtLeast() bool { return s.packed&1 != 0 }

// Time is the stamp as a time; the zero time when it is not known.
func (s Stamp) Time() time.Time { return timeOfMillis(s.Millis()) }

// timeOfMillis is the time of milliseconds since 1970; the zero time of 0.
func timeOfMillis(millis int64) time.Time {
	if millis == 0 {
		return time.Time{}
	}
	return time.UnixMilli(millis)
}

// Tally counts the records of a share-partition that something happened to,
// since its state topic partition had been loaded. It only grows, except that
// a new load begins at 0.
type Tally struct {
	// Accepted and Archived are records finished and given up.
	Accepted, Archived int64
	// Released counts how often a record was given back.
	Released int64
	// Skipped are records that the start offset passed unfinished: retention,
	// or DeleteRecords, took them.
	Skipped int64
	// Deliveries are deliveries that are over, whatever their outcome.
	Deliveries int64
	// Resets counts how often the start offset was set from outside.
	Resets int64
}

// NewPartitionState makes a PartitionState, which takes over the batches.
func NewPartitionState(p StateParts) *PartitionState { return SharePartitionState(&p) }

// SharePartitionState makes a PartitionState of parts that are not changed any
// more by who holds them.
func SharePartitionState(p *StateParts) *PartitionState { return &PartitionState{p: p} }

func (s *PartitionState) parts() *StateParts {
	if s == nil {
		return &StateParts{
			Start: -1, Finished: -1, Highest: -1,
			LeaderEpoch: -1, StateEpoch: -1, SnapshotEpoch: -1,
		}
	}
	return s.p
}

func numberOf[N int32 | int64](n N) Number {
	if n < 0 {
		return Number{}
	}
	return Known(int64(n))
}

// Start is the persisted start offset.
func (s *PartitionState) Start() Number { return numberOf(s.parts().Start) }

// FinishedCount is the number of records at or above the start offset that are
// finished or archived, as Kafka persisted it (deliveryCompleteCount, 4.2).
func (s *PartitionState) FinishedCount() Number { return numberOf(s.parts().Finished) }

// LeaderEpoch is the persisted epoch of the partition's leader.
func (s *PartitionState) LeaderEpoch() Number { return numberOf(s.parts().LeaderEpoch) }

// StateEpoch grows when the share-partition is initialised or altered anew, but
// not at a second alteration in a row: it is the epoch that the group had then.
func (s *PartitionState) StateEpoch() Number { return numberOf(s.parts().StateEpoch) }

// SnapshotEpoch counts the snapshots of this share-partition.
func (s *PartitionState) SnapshotEpoch() Number { return numberOf(s.parts().SnapshotEpoch) }

// SnapshotTimes are the timestamps inside the last snapshot: when its state was
// created, and when it was written; zero where there was no snapshot.
func (s *PartitionState) SnapshotTimes() (created, written time.Time) {
	p := s.parts()
	return timeOfMillis(p.CreatedMillis), timeOfMillis(p.WrittenMillis)
}

// LastWrite is when the coordinator last wrote something new. A snapshot of an
// idle share-partition, which comes every five minutes, is not a write.
func (s *PartitionState) LastWrite() Stamp { return s.parts().LastWrite }

// LastFinish is when a record was last finished or archived.
func (s *PartitionState) LastFinish() Stamp { return s.parts().LastFinish }

// HeadSince is since when everything below the head has been done. A head
// record that was produced later has been the head since then.
func (s *PartitionState) HeadSince() Stamp { return s.parts().HeadSince }

// Tally counts what has happened since the state topic was loaded.
func (s *PartitionState) Tally() Tally {
	if t := s.parts().Tally; t != nil {
		return *t
	}
	return Tally{}
}

// Version is the state topic's offset of the last record that this rests on.
func (s *PartitionState) Version() Number {
	if s == nil {
		return Number{}
	}
	return Known(s.p.Version)
}

// Batches are the batches at or above the start offset; not to be changed.
func (s *PartitionState) Batches() Intervals { return s.parts().Batches }

// Cut is the offset from which on nothing is known, because there were too many
// batches to hold; unknown when there were not.
func (s *PartitionState) Cut() Number {
	if cut := s.parts().Cut; cut > 0 {
		return Known(cut)
	}
	return Number{}
}

// cut is the first offset of which nothing is held.
func (p *StateParts) cut() int64 {
	if p.Cut > 0 {
		return p.Cut
	}
	return math.MaxInt64
}
