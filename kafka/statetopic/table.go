package statetopic

import (
	"errors"
	"fmt"
)

// Record is one record of the state topic. Nothing of it is kept.
type Record struct {
	// Partition and Offset say where in the state topic it is.
	Partition int32
	Offset    int64
	// Timestamp is the record's own, in milliseconds since 1970 on the brokers'
	// clock; Seen is when it was read here, in microseconds since 1970 on ours.
	Timestamp, Seen int64
	// Key and Value are its bytes; the value is nil for a tombstone.
	Key, Value []byte
}

// Applied says what a record did.
type Applied struct {
	// ShareKey is the share-partition it is about; the zero value when the
	// record is of an unknown kind.
	ShareKey
	// Changed is true when that share-partition's state is another one now.
	Changed bool
}

// Table holds the state of every share-partition in the state topic. It is not
// safe for concurrent use: whoever reads the topic owns it, and hands out what
// Group returns, which is immutable.
//
// Feed it each partition's records from the log start, in order; call Watch when
// a partition's end is reached; from then on changes are counted and kept as
// events. When records were missed, Drop the partition and load it again.
type Table struct {
	// partitions is the state topic's number of partitions, 0 when not known.
	partitions int32
	// only is the one group that is held; empty for all.
	only    string
	parts   map[int32]*part
	groups  map[string]*group
	entries int // of all groups
	// broken says of entries that are what could not be read.
	broken   map[*entry]error
	changed  []*group
	merger   merger
	snapshot Snapshot
	update   Update
	archived ring
	history  ring
	stats    Stats
	memory   int64
}

// part is one partition of the state topic.
type part struct {
	// next is the offset behind the last record applied.
	next    int64
	watched bool
}

// NewTable makes an empty table for a state topic of that many partitions. The
// number decides which of two copies of a key counts when partitions were added
// to the topic; with 0 all do.
func NewTable(partitions int32) *Table {
	return &Table{
		partitions: partitions,
		parts:      map[int32]*part{},
		groups:     map[string]*group{},
		broken:     map[*entry]error{},
		archived:   ring{max: MaxArchivedEvents},
		history:    ring{max: MaxHistoryEvents},
	}
}

// Only limits the table to one group, by its raw id: records about others are
// counted and passed over.
func (t *Table) Only(group string) { t.only = group }

// Apply takes in one record. Records of an unknown kind, and ones below what
// was already applied of the partition, are counted and passed over.
//
// An error is a *FormatError or a *VersionError behind a sentence that says
// which record it was. The share-partition's state is then not to be trusted,
// and Group gives none, until a snapshot of it can be read.
func (t *Table) Apply(r Record) (Applied, error) {
	p := t.part(r.Partition)
	if r.Offset < p.next {
		t.stats.Repeated++
		return Applied{}, nil
	}
	p.next = r.Offset + 1
	t.stats.Records++
	t.stats.Bytes += int64(len(r.Key) + len(r.Value))
	kind, body, err := splitKey(r.Key)
	if err != nil {
		return Applied{}, t.badKey(err, &r)
	}
	if t.only != "" && string(groupIn(body)) != t.only {
		return Applied{}, nil
	}
	if r.Value == nil {
		return t.remove(r.Partition, kind, body), nil
	}
	e, fresh := t.entry(r.Partition, body)
	if e == nil {
		t.stats.Misplaced++
		return Applied{}, nil
	}
	return t.applyValue(e, kind, &r, fresh, p.watched && !e.broken)
}

// applyValue decodes a value and merges it into the entry.
func (t *Table) applyValue(e *entry, kind KeyType, r *Record, fresh, watched bool) (Applied, error) {
	e.ownParts()
	before := cap(e.parts.Batches)
	changed, err := t.mergeValue(e, kind, r, fresh, watched)
	t.memory += int64(cap(e.parts.Batches)-before) * batchMemory
	if err != nil {
		changed, err = true, t.badValue(e, err, r)
	} else {
		e.parts.Version, e.parts.SeenMicros = r.Offset, r.Seen
	}
	if changed {
		e.state = nil
		t.touch(e.group)
	}
	return Applied{ShareKey: e.share(), Changed: changed}, err
}

func (t *Table) mergeValue(e *entry, kind KeyType, r *Record, fresh, watched bool) (changed bool, err error) {
	wasCut := e.parts.Cut > 0
	if kind == SnapshotKey {
		changed, err = t.mergeSnapshot(e, r, fresh, watched)
	} else {
		changed, err = true, t.mergeUpdate(e, r, fresh, watched)
	}
	if e.parts.Cut > 0 && !wasCut {
		t.stats.Cut++
	}
	return changed, err
}

// mergeSnapshot also heals a share-partition of which a record was unreadable.
func (t *Table) mergeSnapshot(e *entry, r *Record, fresh, watched bool) (changed bool, err error) {
	t.stats.Snapshots++
	if err := t.snapshot.Decode(r.Value); err != nil {
		return false, err
	}
	t.stats.noteUnknown(t.snapshot.UnknownTags, t.snapshot.Batches)
	changed, err = t.applySnapshot(e, &t.snapshot, r, fresh || e.broken, watched)
	if err == nil && e.broken {
		e.broken = false
		delete(t.broken, e)
	}
	return changed, err
}

func (t *Table) mergeUpdate(e *entry, r *Record, fresh, watched bool) error {
	t.stats.Updates++
	if err := t.update.Decode(r.Value); err != nil {
		return err
	}
	t.stats.noteUnknown(t.update.UnknownTags, t.update.Batches)
	if fresh {
		t.stats.Orphans++
	}
	return t.applyUpdate(e, &t.update, r, fresh, watched)
}

// badKey counts a key that can't be read. A newer kind of record is no error:
// it says nothing about the kinds that are known.
func (t *Table) badKey(err error, r *Record) error {
	var version *VersionError
	if errors.As(err, &version) {
		t.stats.UnknownTypes.add(version.Version)
		return nil
	}
	t.stats.Bad++
	return at(r, err)
}

func (t *Table) badValue(e *entry, err error, r *Record) error {
	var version *VersionError
	if errors.As(err, &version) {
		t.stats.NewerVersions.add(version.Version)
	} else {
		t.stats.Bad++
	}
	e.broken, t.broken[e] = true, at(r, err)
	return t.broken[e]
}

func at(r *Record, err error) error {
	return fmt.Errorf("partition %d of the state topic, offset %d: %w", r.Partition, r.Offset, err)
}

func (t *Table) part(partition int32) *part {
	p := t.parts[partition]
	if p == nil {
		p = &part{}
		t.parts[partition] = p
	}
	return p
}

// entry returns the share-partition's entry, a fresh one when there is none; nil
// when its key belongs into another partition of the state topic.
func (t *Table) entry(partition int32, body []byte) (e *entry, fresh bool) {
	g, p := t.groups[string(groupIn(body))], placeIn(body, partition)
	if at, found := g.find(p); found {
		return g.entries[at], false
	}
	if g == nil {
		g = &group{id: string(groupIn(body))}
	}
	share := ShareKey{Group: g.id, TopicID: p.topic, Partition: p.partition}
	if t.partitions > 0 && PartitionFor(share, t.partitions) != partition {
		return nil, false
	}
	return t.join(g, p), true
}

// remove forgets a share-partition, which a null value says was deleted.
func (t *Table) remove(partition int32, kind KeyType, body []byte) Applied {
	t.stats.Tombstones++
	g, p := t.groups[string(groupIn(body))], placeIn(body, partition)
	at, found := g.find(p)
	if !found || kind != SnapshotKey {
		return Applied{ShareKey: shareKey(body)}
	}
	e := g.entries[at]
	t.leave(e)
	return Applied{ShareKey: e.share(), Changed: true}
}

// Watch says that a partition has been read to its end: from now on what
// happens there is counted and kept as events.
func (t *Table) Watch(partition int32) { t.part(partition).watched = true }

// Watched tells whether Watch was called for the partition.
func (t *Table) Watched(partition int32) bool {
	p := t.parts[partition]
	return p != nil && p.watched
}

// Position is the offset behind the last record applied of a partition of the
// state topic; 0 when there was none.
func (t *Table) Position(partition int32) int64 {
	if p := t.parts[partition]; p != nil {
		return p.next
	}
	return 0
}

// Drop forgets all that a partition of the state topic said, so that it can be
// loaded again from its log start.
func (t *Table) Drop(partition int32) {
	var gone []*entry
	for _, g := range t.groups {
		for _, e := range g.entries {
			if e.from == partition {
				gone = append(gone, e)
			}
		}
	}
	for _, e := range gone {
		t.leave(e)
	}
	delete(t.parts, partition)
}
