package statetopic

import (
	"bytes"
	"cmp"
	"slices"

	"sharetop/model"
)

// entry is what is held of one share-partition. The batches are changed in
// place until a PartitionState has been made of them, and then copied once
// before the next change.
type entry struct {
	group *group
	place
	parts *model.StateParts
	// head is the first unfinished offset; -1 with an unknown start.
	head int64
	// state is the last one handed out, nil when something changed since.
	state *model.PartitionState
	// shared is true while state's batches are these, lent while all its parts
	// are: most share-partitions are quiet, and their parts are held once.
	shared, lent bool
	// broken is true while the state is not to be trusted, because a record could
	// not be read: until the next snapshot. Table.broken says which.
	broken bool
}

// place says which share-partition of a group an entry is, and in which
// partition of the state topic it was read.
type place struct {
	topic           model.TopicID
	partition, from int32
}

// compare puts places in order: by topic id, then by partition.
func (p place) compare(o place) int {
	if c := bytes.Compare(p.topic[:], o.topic[:]); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(p.partition, o.partition), cmp.Compare(p.from, o.from))
}

// share names the share-partition.
func (e *entry) share() ShareKey {
	return ShareKey{Group: e.group.id, TopicID: e.topic, Partition: e.partition}
}

// newParts are those of a share-partition of which nothing was read yet.
func newParts() *model.StateParts {
	return &model.StateParts{
		Start: NotTold, Finished: NotTold, Highest: NotTold,
		LeaderEpoch: NotTold, StateEpoch: NotTold, SnapshotEpoch: NotTold,
	}
}

// publish returns the state as an immutable value.
func (e *entry) publish() *model.PartitionState {
	if e.broken {
		return nil
	}
	if e.state == nil {
		e.ownParts()
		if spare := cap(e.parts.Batches) - len(e.parts.Batches); spare > len(e.parts.Batches)+8 {
			e.parts.Batches = slices.Clone(e.parts.Batches)
		}
		e.state = model.SharePartitionState(e.parts)
		e.shared, e.lent = true, true
	}
	return e.state
}

// ownParts makes the parts ones that may be changed. The batches in them are
// still those that were handed out; see own.
func (e *entry) ownParts() {
	if e.lent {
		own := *e.parts
		if own.Tally != nil {
			tally := *own.Tally
			own.Tally = &tally
		}
		e.parts, e.lent = &own, false
	}
}

// own makes the batches ones that may be changed.
func (e *entry) own() {
	if !e.shared {
		return
	}
	const room = 4
	old := e.parts.Batches
	e.parts.Batches = append(make(model.Intervals, 0, len(old)+room), old...)
	e.shared = false
}

// limit leaves out batches above MaxBatches, and says from where.
func limit(p *model.StateParts) {
	if n := len(p.Batches); n > 0 {
		p.Highest = max(p.Highest, p.Batches[n-1].Last)
	}
	if len(p.Batches) > MaxBatches {
		p.Cut = p.Batches[MaxBatches].First
		p.Batches = p.Batches[:MaxBatches]
	}
}

// done is the offset below which as many records are done as there are done in
// all: it grows by one with every record finished.
func done(p *model.StateParts) int64 {
	if p.Finished >= 0 {
		return p.Start + int64(p.Finished)
	}
	return p.Start + p.Batches.Done()
}

func headOf(p *model.StateParts) int64 {
	if p.Start < 0 {
		return NotTold
	}
	return p.Batches.FirstUnfinished(p.Start)
}
