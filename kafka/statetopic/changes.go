package statetopic

import "sharetop/model"

// compareAll says how far things were before a snapshot, as moveStart does for
// an update, and counts what it changed when it is watched.
func (t *Table) compareAll(e *entry, next *model.StateParts, r *Record, watched bool) progress {
	old := e.parts
	before := progress{head: e.head, done: done(old)}
	var passed int64
	switch {
	case old.Start < 0:
		before.done = next.Start
	case next.Start > old.Start:
		passed = skipped(old, next.Start)
		before.done += passed
	}
	if !watched {
		return before
	}
	for _, b := range next.Batches {
		if old.Cut > 0 && b.Last >= old.Cut {
			break
		}
		t.compare(e, old.Batches, b, r)
	}
	if next.Tally = old.Tally; passed > 0 {
		next.Count().Skipped += passed
	}
	return before
}

// compare counts what a batch changes in the intervals that it is about to be
// merged into.
func (t *Table) compare(e *entry, iv model.Intervals, b model.StateBatch, r *Record) {
	at := b.First
	for i := iv.Find(b.First); i < len(iv) && iv[i].First <= b.Last; i++ {
		old := iv[i]
		if at < old.First {
			t.became(e, model.StateBatch{State: model.RecordNew}, b.Clip(at, old.First-1), r)
		}
		if b.Beats(old) {
			t.became(e, old, b.Clip(old.First, old.Last), r)
		}
		at = old.Last + 1
	}
	if at <= b.Last {
		t.became(e, model.StateBatch{State: model.RecordNew}, b.Clip(at, b.Last), r)
	}
}

// became counts a run of records that had one state and count and now has
// another, and keeps it as an event when it is more than a first delivery that
// went well.
func (t *Table) became(e *entry, old, now model.StateBatch, r *Record) {
	n, tally := now.Len(), e.parts.Count()
	tally.Deliveries += n * max(0, int64(now.Count)-int64(old.Count))
	event := eventOf(e, old, now, r)
	switch now.State {
	case model.RecordFinished:
		tally.Accepted += n
		if old.State == model.RecordReleased {
			t.history.add(event)
		}
	case model.RecordReleased:
		tally.Released += n
		t.history.add(event)
	case model.RecordArchiving, model.RecordArchived:
		if old.State != model.RecordArchiving {
			tally.Archived += n
		}
		t.archived.add(event)
	default:
	}
}

func eventOf(e *entry, old, now model.StateBatch, r *Record) Event {
	return Event{ShareKey: e.share(), RecordEvent: model.RecordEvent{
		Millis: r.Timestamp, StateBatch: now, Before: old.State,
	}}
}
