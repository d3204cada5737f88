package statetopic

import "maps"

// Stats counts what a table has read, since it was made.
type Stats struct {
	// Records and Bytes (of keys and values) are all that was applied.
	Records, Bytes int64
	// Snapshots, Updates and Tombstones are the records of each kind.
	Snapshots, Updates, Tombstones int64
	// Repeated are records passed over because they had been applied before.
	Repeated int64
	// Orphans are updates of a share-partition that had no snapshot before.
	Orphans int64
	// Misplaced are records whose key belongs into another partition of the
	// state topic, which had fewer partitions when they were written.
	Misplaced int64
	// Bad are records that could not be read.
	Bad int64
	// Cut counts how often a share-partition had more than MaxBatches batches.
	Cut int64
	// UnknownTags and UnknownStates count fields that were skipped and batches
	// whose delivery state has no name here: Kafka is newer than this program.
	UnknownTags, UnknownStates int64
	// UnknownTypes counts records by a key type that is not known, and
	// NewerVersions by a value version that is not.
	UnknownTypes, NewerVersions Versions
}

// maxVersions bounds how many different numbers Versions counts by themselves.
const maxVersions = 16

// Versions counts records by a number that is not known.
type Versions struct {
	// By has at most 16 different numbers; the rest are in Others.
	By     map[int16]int64
	Others int64
}

func (v *Versions) add(n int16) {
	if _, ok := v.By[n]; !ok && len(v.By) >= maxVersions {
		v.Others++
		return
	}
	if v.By == nil {
		v.By = map[int16]int64{}
	}
	v.By[n]++
}

// Stats returns what was read so far.
func (t *Table) Stats() Stats {
	s := t.stats
	s.UnknownTypes.By = maps.Clone(s.UnknownTypes.By)
	s.NewerVersions.By = maps.Clone(s.NewerVersions.By)
	return s
}

func (s *Stats) noteUnknown(tags int, batches []Batch) {
	s.UnknownTags += int64(tags)
	for _, b := range batches {
		if b.State < StateAvailable || b.State == StateAcquired || b.State > StateArchived {
			s.UnknownStates++
		}
	}
}
