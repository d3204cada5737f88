package kafka

import (
	"slices"
	"time"

	"sharetop/kafka/statetopic"
	"sharetop/model"
)

// eventLog makes the snapshot's view of what was seen to happen. It appends to
// slices that were handed out: nobody looks behind the length they were given.
type eventLog struct {
	since, missed time.Time
	last          *model.StateView
	archived      uint64 // number of the next archived event to take
	// early are events that have no names yet, from earlySince on.
	early      []statetopic.Event
	earlySince time.Time
	open       string
	cursor     statetopic.Cursor
	// openSince is since when events of the open group have no names yet.
	openSince time.Time
}

// view is what was seen to happen up to now; the same pointer when nothing was
// added, nil while the state topic is not read. t.mu is held.
func (l *eventLog) view(t *tail) *model.StateView {
	if !t.live() {
		return nil
	}
	next := model.StateView{Since: l.since, Missed: l.missed}
	changed := l.last == nil
	if l.last != nil {
		next = *l.last
		next.Missed = l.missed
		changed = l.last.Missed != l.missed
	}
	changed = l.addArchived(t, &next) || changed
	changed = l.addOpen(t, &next) || changed
	if changed {
		l.last = &next
	}
	return l.last
}

// addArchived adds the records given up since the last view.
func (l *eventLog) addArchived(t *tail, v *model.StateView) bool {
	events, next, lost := t.table.Archived(l.archived)
	l.archived = next
	v.ArchivedDropped += lost
	before := len(v.Archived)
	events = slices.Concat(l.early, events)
	now := t.c.opts.Now()
	named, early := t.c.state.namedEvents(events, len(events) <= maxEarly && !l.waited(l.earlySince, now))
	v.Archived = append(v.Archived, named...)
	l.keepEarly(early, now)
	if over := len(v.Archived) - model.MaxArchivedEvents; over > 0 {
		v.Archived = v.Archived[over:]
		v.ArchivedDropped += uint64(over)
		return true
	}
	return lost > 0 || len(v.Archived) > before
}

// Bounds of what is kept of groups that are not listed and topics whose name is
// not told: a new one is, by the next tick; one that may not be seen never is.
const (
	maxEarly = 256
	earlyFor = 5 * time.Second
)

// waited tells whether names were waited for long enough; since is zero where
// nothing waits.
func (l *eventLog) waited(since, now time.Time) bool {
	return !since.IsZero() && now.Sub(since) > earlyFor
}

// keepEarly keeps events that may have names soon.
func (l *eventLog) keepEarly(events []statetopic.Event, now time.Time) {
	switch {
	case len(events) == 0 || len(events) > maxEarly:
		l.early, l.earlySince = nil, time.Time{}
	case l.earlySince.IsZero():
		l.early, l.earlySince = events, now
	case l.waited(l.earlySince, now):
		l.early, l.earlySince = nil, time.Time{}
	default:
		l.early = events
	}
}

// addOpen adds what happened to records of the opened group, all of it when
// another one is open now. It waits until a broker lists the group, and for the
// names of its topics.
func (l *eventLog) addOpen(t *tail, v *model.StateView) bool {
	open := t.c.demand.scope().Open
	moved := open.Raw() != l.open
	if moved {
		l.open, l.cursor = open.Raw(), statetopic.Cursor{}
		l.openSince = time.Time{}
		v.Open, v.Events, v.EventsDropped = open, nil, false
	}
	if !t.c.state.has(l.open) {
		return moved
	}
	events, next, lost := t.table.GroupEvents(l.open, l.cursor)
	now := t.c.opts.Now()
	named, early := t.c.state.namedEvents(events, !l.waited(l.openSince, now))
	if len(early) > 0 {
		if l.openSince.IsZero() {
			l.openSince = now
		}
		return moved
	}
	l.cursor, l.openSince = next, time.Time{}
	v.EventsDropped = v.EventsDropped || lost
	v.Events = append(v.Events, named...)
	if over := len(v.Events) - model.MaxOpenEvents; over > 0 {
		v.Events, v.EventsDropped = v.Events[over:], true
	}
	return moved || len(events) > 0
}

// namedEvents are events with names for ids, and those of groups that no broker
// lists: the state topic also has what this user may not see. While it waits,
// those whose topic is still asked for have no names either.
func (s *state) namedEvents(events []statetopic.Event, wait bool) (named []model.StateEvent, early []statetopic.Event) {
	if len(events) == 0 {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for i := range events {
		e := s.groups[events[i].Group]
		if e == nil {
			early = append(early, events[i])
			continue
		}
		event := model.StateEvent{
			Group: e.group.ID, TopicID: events[i].TopicID, Partition: events[i].Partition,
			RecordEvent: events[i].RecordEvent,
		}
		if t := s.topicByID(events[i].TopicID, now); t != nil {
			event.Topic = t.topic.Name
		} else if _, asked := s.ids.wanted[events[i].TopicID]; asked && wait {
			early = append(early, events[i])
			continue
		}
		named = append(named, event)
	}
	return named, early
}
