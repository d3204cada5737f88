package model

// RecordState says what a share group has done with one record, as far as the
// state topic tells.
//
// From RecordReleased to RecordArchived the order is that of Kafka's own ids
// (0, 1, 2, 3, 4): of two states with the same delivery count the higher wins.
type RecordState uint8

// The states of a record.
const (
	// RecordUnknown: there is no state to look at, or not this far.
	RecordUnknown RecordState = iota
	// RecordBelowStart: done. Below the start offset accepted, archived and
	// skipped records are not told apart.
	RecordBelowStart
	// RecordNew: nothing about it has been settled yet. It is new, or in its
	// first delivery: who has a record now is broker memory and has no API.
	RecordNew
	// RecordReleased: free again after Count deliveries, or being delivered
	// once more.
	RecordReleased
	// RecordAcquired: being delivered. Kafka never persists it.
	RecordAcquired
	// RecordFinished: accepted on delivery Count.
	RecordFinished
	// RecordArchiving: given up; being written to the dead-letter topic.
	RecordArchiving
	// RecordArchived: given up: rejected, or at the delivery count limit.
	RecordArchived
	// RecordOther: a state id that this program does not know.
	RecordOther
)

// Done tells whether nothing more will happen to a record in this state.
func (s RecordState) Done() bool {
	return s == RecordBelowStart || s == RecordFinished || s == RecordArchived
}

// String is the word for JSON output and filters.
func (s RecordState) String() string {
	words := [...]string{
		"unknown", "below-start", "new", "released", "acquired",
		"finished", "archiving", "archived", "other",
	}
	if int(s) < len(words) {
		return words[s]
	}
	return words[RecordUnknown]
}

// RecordSet is a set of record states.
type RecordSet uint16

// The sets that one can jump to.
const (
	// AnyReleased are records that were given back at least once.
	AnyReleased RecordSet = 1 << RecordReleased
	// AnyArchived are records given up, or about to be.
	AnyArchived RecordSet = 1<<RecordArchived | 1<<RecordArchiving
	// AnyUnfinished are records that something must still happen to.
	AnyUnfinished RecordSet = 1<<RecordNew | 1<<RecordReleased |
		1<<RecordAcquired | 1<<RecordArchiving | 1<<RecordOther
)

// Has tells whether the state is in the set.
func (set RecordSet) Has(s RecordState) bool { return set&(1<<s) != 0 }
