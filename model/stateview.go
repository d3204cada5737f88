package model

import "time"

// TailPhase says what the reader of the state topic is doing.
type TailPhase uint8

// The phases of the tail.
const (
	// TailOff: the state topic is not read; OffsetsState.Why says why.
	TailOff TailPhase = iota
	// TailLoading: it is read from its log start for the first time.
	TailLoading
	// TailLive: all of it was read, and changes come in as they are written.
	TailLive
	// TailBehind: it was live, and is behind the ends of the state topic or
	// can't be compared with them: its values are as old as Tail.CheckedAt.
	TailBehind
)

// Tail says how the reader of the state topic does.
type Tail struct {
	Phase TailPhase
	// Loaded and Total count offsets of the state topic, from its log starts to
	// its ends at the time the load began; both 0 where it was empty.
	Loaded, Total int64
	// Partitions is how many partitions of the state topic are read, Of how many
	// it has.
	Partitions, Of int
	// Took is how long the last load took; 0 before one was over.
	Took time.Duration
	// CheckedAt is when every partition was last seen to be read up to its end:
	// all that comes from the state topic holds as of then. Zero before that.
	CheckedAt time.Time
	// Behind is how many offsets of the state topic were still to be read at the
	// last check that found any; 0 when none were.
	Behind int64
	// Memory is about how many bytes the state takes.
	Memory int64
	// BytesPerSecond is what the state topic brought, averaged over the last
	// minute, as keys and values.
	BytesPerSecond int64
	// MaxMemory, MaxBytesPerSecond and MaxLoad are the budget; above, requests
	// take over.
	MaxMemory, MaxBytesPerSecond int64
	MaxLoad                      time.Duration
	// RetryAt is when reading the state topic is tried again; zero while it is
	// read or is not to be.
	RetryAt time.Time
}

// StateView is what the state topic says beyond the state of each
// share-partition: what was seen to happen. It is immutable, and the same
// pointer as long as nothing was added.
type StateView struct {
	// Since is when watching began: what happened before is not in here, so that
	// an empty list means "nothing since then" and not "nothing ever".
	Since time.Time
	// Missed is when events were last missed, because part of the state topic
	// had to be loaded again; zero when none were.
	Missed time.Time
	// Archived are the runs of records of all groups that were given up (at the
	// delivery count limit, or rejected), oldest first: the last
	// MaxArchivedEvents.
	Archived []StateEvent
	// ArchivedDropped counts those before that are not held any more.
	ArchivedDropped uint64
	// Open is the group that Events are of: the one opened, or empty.
	Open GroupID
	// Events are what happened to records of the open group, oldest first:
	// given back, given up, accepted after having been given back. At most
	// MaxOpenEvents, the newest; EventsDropped tells that there were more.
	Events        []StateEvent
	EventsDropped bool
}

// Bounds of a StateView.
const (
	MaxArchivedEvents = 8192
	MaxOpenEvents     = 8192
)

// StateEvent is one change of a run of records of a share-partition.
type StateEvent struct {
	Group GroupID
	// Topic is empty where the topic's name may not be seen or it is gone.
	Topic     TopicName
	TopicID   TopicID
	Partition int32
	RecordEvent
}

// HistoryOf are the events of one record of the open group, oldest first.
func (v *StateView) HistoryOf(topic TopicName, partition int32, offset int64) []StateEvent {
	if v == nil {
		return nil
	}
	var found []StateEvent
	for _, e := range v.Events {
		if e.Partition == partition && e.Topic == topic && e.First <= offset && offset <= e.Last {
			found = append(found, e)
		}
	}
	return found
}

// ArchivedOf are the records of one group that were given up since the view's
// Since, oldest first.
func (v *StateView) ArchivedOf(group GroupID) []StateEvent {
	if v == nil {
		return nil
	}
	var found []StateEvent
	for _, e := range v.Archived {
		if e.Group == group {
			found = append(found, e)
		}
	}
	return found
}

// HeadRecord is what one Fetch found at the head of a share-partition, with the
// group's isolation level; it touches no group. It is immutable.
type HeadRecord struct {
	// Offset is the head that was asked for.
	Offset int64
	// Record is the offset of the first record at or above Offset; compaction
	// and control markers leave gaps. Unknown when there is none up to NoneUpTo.
	Record Number
	// Timestamp is the record's own; zero when there is no record, or it has
	// none.
	Timestamp time.Time
	// NoneUpTo is the offset below which no record is left at or above Offset:
	// nothing but control markers and gaps. Unknown when there is a record. When
	// it is the log's end, nothing is left to deliver; a read_committed group
	// gets nothing at or above the last stable offset.
	NoneUpTo Number
	// Problem is why nothing could be found, e.g. READ on the topic is missing;
	// Record and NoneUpTo are then unknown.
	Problem *Problem
	// At is when it was asked.
	At time.Time
}

// OnlyMarkers tells whether a share-partition's lag is nothing but control
// markers and gaps, as far as its log's end is the given one.
func (h *HeadRecord) OnlyMarkers(end Number) bool {
	if h == nil {
		return false
	}
	upTo, known := h.NoneUpTo.Get()
	e, ok := end.Get()
	return known && ok && upTo >= e
}

// OffsetsSeen is as of when the offsets of a group hold: when they were last
// answered or, while the state topic tells every change, when it was last seen
// to be read up to its end. Zero when they are unknown.
func (s *Snapshot) OffsetsSeen(g *Group) time.Time {
	if g.OffsetsAt.IsZero() || g.OffsetsFrom != FromStateTopic {
		return g.OffsetsAt
	}
	if at := s.Offsets.Tail.CheckedAt; at.After(g.OffsetsAt) {
		return at
	}
	return g.OffsetsAt
}
