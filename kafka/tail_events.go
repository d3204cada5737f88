package kafka

import (
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
	open          string
	cursor        statetopic.Cursor
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
	v.Archived = append(v.Archived, t.c.state.namedEvents(events)...)
	if over := len(v.Archived) - model.MaxArchivedEvents; over > 0 {
		v.Archived = v.Archived[over:]
		v.ArchivedDropped += uint64(over)
		return true
	}
	return lost > 0 || len(v.Archived) > before
}

// addOpen adds what happened to records of the opened group, all of it when
// another one is open now.
func (l *eventLog) addOpen(t *tail, v *model.StateView) bool {
	open := t.c.demand.scope().Open
	moved := open.Raw() != l.open
	if moved {
		l.open, l.cursor = open.Raw(), statetopic.Cursor{}
		v.Open, v.Events, v.EventsDropped = open, nil, false
	}
	if l.open == "" {
		return moved
	}
	events, next, lost := t.table.GroupEvents(l.open, l.cursor)
	l.cursor = next
	v.EventsDropped = v.EventsDropped || lost
	v.Events = append(v.Events, t.c.state.namedEvents(events)...)
	if over := len(v.Events) - model.MaxOpenEvents; over > 0 {
		v.Events, v.EventsDropped = v.Events[over:], true
	}
	return moved || len(events) > 0
}

// namedEvents are events with names for ids, of groups that some broker lists:
// the state topic also has those that this user may not see.
func (s *state) namedEvents(events []statetopic.Event) []model.StateEvent {
	if len(events) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	out := make([]model.StateEvent, 0, len(events))
	for i := range events {
		e := s.groups[events[i].Group]
		if e == nil {
			continue
		}
		named := model.StateEvent{
			Group: e.group.ID, TopicID: events[i].TopicID, Partition: events[i].Partition,
			RecordEvent: events[i].RecordEvent,
		}
		if t := s.topicByID(events[i].TopicID, now); t != nil {
			named.Topic = t.topic.Name
		}
		out = append(out, named)
	}
	return out
}
