package statetopic

import (
	"slices"

	"sharetop/model"
)

// applyUpdate merges an update into the entry. Fresh is true when nothing was
// known of it before, which Kafka's pruning rules out.
func (t *Table) applyUpdate(e *entry, u *Update, r *Record, fresh, watched bool) error {
	batches, err := t.merger.convert(u.Batches)
	if err != nil {
		return err
	}
	p := e.parts
	if fresh {
		p.SnapshotEpoch = u.SnapshotEpoch
	}
	before := t.moveStart(e, u.StartOffset, watched)
	if u.LeaderEpoch != NotTold {
		p.LeaderEpoch = u.LeaderEpoch
	}
	if len(batches) > 0 {
		e.own()
	}
	for _, b := range batches {
		t.overlay(e, b, r, watched)
	}
	limit(p)
	p.Finished = u.DeliveryCompleteCount
	e.stamp(before, model.NewStamp(r.Timestamp, fresh))
	return nil
}

// progress is how far a share-partition was, as far as times depend on it.
type progress struct{ head, done int64 }

// stamp sets the times of what a write changed.
func (e *entry) stamp(before progress, now model.Stamp) {
	p := e.parts
	e.head = headOf(p)
	p.LastWrite = now
	if e.head != before.head {
		p.HeadSince = now
	}
	if done(p) > before.done {
		p.LastFinish = now
	}
}

// moveStart sets the start offset, where it is told. Batches below it are done
// with; what was not finished there is skipped. It returns the progress before,
// with what was skipped taken as done.
func (t *Table) moveStart(e *entry, start int64, watched bool) progress {
	p := e.parts
	before := progress{head: e.head, done: done(p)}
	switch {
	case start == NotTold:
		return before
	case p.Start < 0:
		before.done = start
	case start > p.Start:
		n := skipped(p, start)
		before.done += n
		if watched {
			p.Count().Skipped += n
		}
	}
	p.Start = start
	if len(p.Batches) > 0 && p.Batches[0].First < start {
		e.own()
		p.Batches = clip(p.Batches, start)
	}
	return before
}

// skipped counts the records from the start to a new start that were neither
// finished nor given up; 0 where too little is held to tell.
func skipped(p *model.StateParts, start int64) int64 {
	if p.Cut > 0 && start > p.Cut {
		return 0
	}
	n := start - p.Start
	for _, b := range p.Batches {
		if b.First >= start {
			break
		}
		if b.State.Done() || b.State == model.RecordArchiving {
			n -= b.Clip(b.First, start-1).Len()
		}
	}
	return n
}

// overlay merges one batch of an update, except what is below the start or
// where batches were left out.
func (t *Table) overlay(e *entry, b model.StateBatch, r *Record, watched bool) {
	p := e.parts
	if b.Last < p.Start {
		return
	}
	p.Highest = max(p.Highest, b.Last)
	if p.Cut > 0 {
		if b.First >= p.Cut {
			return
		}
		b.Last = min(b.Last, p.Cut-1)
	}
	b.First = max(b.First, p.Start)
	if watched {
		t.compare(e, p.Batches, b, r)
	}
	p.Batches = t.merger.overlay(p.Batches, b)
}

// applySnapshot replaces the entry's state. Fresh is true when nothing was
// known of it before. It reports whether anything but the snapshot's own epoch
// and times is different.
func (t *Table) applySnapshot(e *entry, s *Snapshot, r *Record, fresh, watched bool) (bool, error) {
	batches, err := t.merger.convert(s.Batches)
	if err != nil {
		return false, err
	}
	next := snapshotParts(s, e.parts)
	next.Batches = t.merger.normalize(batches, s.StartOffset)
	limit(&next)
	// A repeated snapshot is written for a share-partition that is idle. When it
	// differs all the same, the write before it was not seen.
	repeated := s.CreateTimestamp != s.WriteTimestamp
	now := model.NewStamp(r.Timestamp, repeated)
	switch {
	case fresh:
		e.replace(next)
		e.stampFirst(s, now)
	case e.parts.StateEpoch != next.StateEpoch || isReset(s, e.parts, &next):
		if watched {
			next.Count().Resets++
		}
		e.replace(next)
		e.parts.LastWrite, e.parts.HeadSince = now, now
	case repeated && sameRecords(e.parts, &next):
		next.Batches, next.Highest, next.Cut = e.parts.Batches, e.parts.Highest, e.parts.Cut
		*e.parts = next
		return false, nil
	default:
		before := t.compareAll(e, &next, r, watched && !repeated)
		e.replace(next)
		e.stamp(before, now)
	}
	return true, nil
}

// isReset tells whether a snapshot sets the start offset anew where the state
// epoch does not tell, since it is the group's own: two resets in a row have the
// same one. Such a snapshot has no batches, while one that an acknowledgement
// makes has at least those that were acknowledged. A repeated one, or one that a
// new leader makes, says of every record what was known.
func isReset(s *Snapshot, before, next *model.StateParts) bool {
	return len(s.Batches) == 0 && s.CreateTimestamp == s.WriteTimestamp && !sameRecords(before, next)
}

// replace puts new parts in place of the old; their batches are in a buffer.
func (e *entry) replace(next model.StateParts) {
	batches := next.Batches
	next.Batches = nil
	if !e.shared {
		next.Batches = e.parts.Batches[:0]
	}
	next.Batches = append(next.Batches, batches...)
	*e.parts, e.shared = next, false
	e.head = headOf(e.parts)
}

// snapshotParts are the parts that a snapshot gives, with what it does not say
// taken from those before.
func snapshotParts(s *Snapshot, before *model.StateParts) model.StateParts {
	p := *before
	p.Start, p.Finished = s.StartOffset, s.DeliveryCompleteCount
	p.LeaderEpoch, p.StateEpoch, p.SnapshotEpoch = s.LeaderEpoch, s.StateEpoch, s.SnapshotEpoch
	p.CreatedMillis, p.WrittenMillis = s.CreateTimestamp, s.WriteTimestamp
	p.Highest, p.Cut = NotTold, 0
	return p
}

// sameRecords tells whether two states of one state epoch say the same of every
// record. The leader epoch has nothing to do with records.
func sameRecords(a, b *model.StateParts) bool {
	return a.Start == b.Start && a.Finished == b.Finished && a.Cut == b.Cut &&
		slices.Equal(a.Batches, b.Batches)
}

// stampFirst sets the times of a share-partition seen for the first time. Only
// its very first snapshot tells when something was; what a later one shows had
// come about by then.
func (e *entry) stampFirst(s *Snapshot, now model.Stamp) {
	p := e.parts
	p.LastWrite, p.HeadSince = now, now
	if s.SnapshotEpoch == 0 && len(s.Batches) == 0 && !now.AtLeast() {
		return
	}
	p.HeadSince = model.NewStamp(now.Millis(), true)
	if p.Start >= 0 {
		p.LastFinish = p.HeadSince
	}
}
