package kafka

import (
	"cmp"
	"slices"
	"time"

	"sharetop/model"
)

// Bounds of what is looked at and kept of archived offsets.
const (
	// archivedPerTick is how many share-partitions are looked at in one tick.
	archivedPerTick = 16
	// archivedWait is how long a group waits for a look before it is told that
	// there will be none: too many others are before it, or the log's leader does
	// not answer. It may still come.
	archivedWait = 5 * time.Second
	// maxStanding bounds what is kept of runs that nobody saw being archived; at the
	// bound no more are looked at.
	maxStanding = 4096
	// maxDeniedTopics bounds the topics that are known to be denied; at the bound
	// all are forgotten.
	maxDeniedTopics = 1024
)

// archivedState is what is known of archived offsets. All of it is guarded by
// state.mu.
type archivedState struct {
	// found has what was found of events of the view, by their number over all
	// that were dropped: not more than the view has. Since is that view's.
	found map[uint64][]model.ArchivedLook
	since time.Time
	// standing has what was found of runs that nobody saw being archived, by
	// group, and tried those runs. Both are forgotten when nobody wants them.
	standing      map[string][]model.ArchivedLook
	standingLooks int
	tried         map[standingKey]struct{}
	denied        map[model.TopicID]deniedTopic
	groups        map[string]*archivedGroup
	// asked is when a question that is still open was last asked.
	asked map[questionKey]time.Time
	// scope is the one of the last look.
	scope model.Scope
	// settled is the view of which nothing is left to ask; nil for none.
	settled *model.StateView
}

// archivedGroup is a group with archived offsets.
type archivedGroup struct {
	// waits is since when something is left to ask and nothing came of it; zero
	// when nothing is.
	waits    time.Time
	recordAt time.Time
}

type deniedTopic struct {
	problem *model.Problem
	at      time.Time
}

// questionKey is a group in one log.
type questionKey struct {
	group     string
	topic     model.TopicID
	partition int32
}

type standingKey struct {
	questionKey
	offsetRange
}

func newArchivedState() archivedState {
	return archivedState{
		found: make(map[uint64][]model.ArchivedLook), standing: make(map[string][]model.ArchivedLook),
		tried: make(map[standingKey]struct{}), denied: make(map[model.TopicID]deniedTopic),
		groups: make(map[string]*archivedGroup),
	}
}

// beginArchived brings what is known in line with the view and a scope. It tells
// whether there is anything to do. s.mu is held.
func (s *state) beginArchived(scope model.Scope) bool {
	a, v := &s.archived, s.view
	if v == nil || v == a.settled && !scope.Archived && len(a.tried) == 0 {
		return false
	}
	if !v.Since.Equal(a.since) {
		a.since = v.Since
		clear(a.found)
		for id := range a.groups {
			s.forgetArchived(id)
		}
	}
	if len(a.found) > len(v.Archived) {
		for n := range a.found {
			if n < v.ArchivedDropped {
				delete(a.found, n)
			}
		}
	}
	if !scope.Archived {
		clear(a.standing)
		clear(a.tried)
		a.standingLooks = 0
	}
	return true
}

// forgetArchived takes from a group what was known of offsets that nobody tells of
// any more; s.mu is held.
func (s *state) forgetArchived(id string) {
	delete(s.archived.groups, id)
	if e := s.groups[id]; e != nil && e.group.Archived != nil {
		s.change(e, func(g *model.Group) { g.Archived = nil })
	}
}

// archivedDue are the share-partitions to look at, archivedPerTick at most: those
// of groups on screen, then others, always those first that were not asked for the
// longest time. It also gives groups what is known.
func (s *state) archivedDue(scope model.Scope) []archivedQuestion {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.archived.scope = scope
	if p := s.passArchived(true); p != nil {
		return p.first(wanted(scope))
	}
	return nil
}

// passArchived gives groups what is known of what they have archived, and collects
// what to ask: with asking also of what nobody saw being archived, which costs more.
// It is nil where there is nothing to do. s.mu is held.
func (s *state) passArchived(asking bool) *archivedPass {
	a := &s.archived
	if !s.beginArchived(a.scope) {
		return nil
	}
	p := &archivedPass{state: s, now: s.now(), questions: make(map[questionKey]*archivedQuestion)}
	events, standing := newestArchived(s.view), map[string]bool{}
	if a.scope.Archived {
		for _, id := range wanted(a.scope) {
			standing[id] = asking
			if _, there := events[id]; !there {
				events[id] = nil
			}
		}
	}
	for id := range a.groups {
		if _, there := events[id]; !there {
			s.forgetArchived(id)
		}
	}
	for id, of := range events {
		p.group(id, of, standing[id])
	}
	if a.settled = nil; !p.open {
		a.settled = s.view
	}
	return p
}

// numbered is an event with its number.
type numbered struct {
	*model.StateEvent
	number uint64
}

// newestArchived are the newest events of each group, newest first.
func newestArchived(v *model.StateView) map[string][]numbered {
	all := make(map[string][]numbered)
	for i := len(v.Archived) - 1; i >= 0; i-- {
		e := &v.Archived[i]
		if e.Before == model.RecordArchiving {
			continue // that it is given up was told before
		}
		if id := e.Group.Raw(); len(all[id]) < model.MaxArchivedLooks {
			all[id] = append(all[id], numbered{e, v.ArchivedDropped + uint64(i)})
		}
	}
	return all
}

// archivedPass goes through the groups once; state.mu is held.
type archivedPass struct {
	*state
	now       time.Time
	questions map[questionKey]*archivedQuestion
	// open is true while there is something left to ask, now or later.
	open bool
}

// group asks about one group's archived offsets, and gives it what is known.
func (p *archivedPass) group(id string, events []numbered, standing bool) {
	e := p.groups[id]
	if e == nil {
		return
	}
	g := p.archived.groups[id]
	if g == nil {
		g = &archivedGroup{}
		p.archived.groups[id] = g
	}
	next := model.ArchivedLooks{RecordAt: g.recordAt}
	for _, event := range events {
		p.event(e, event, &next)
	}
	if standing {
		p.standing(e)
	}
	next.Newest, next.Standing = next.Newest[:min(len(next.Newest), model.MaxArchivedLooks)], p.archived.standing[id]
	g.wait(&next, p.now)
	looks := &next
	if len(next.Newest)+len(next.Standing) == 0 {
		looks = nil
	}
	if !e.group.Archived.Equal(looks) {
		p.change(e, func(g *model.Group) { g.Archived = looks })
	}
}

// event adds what is known of an event's offsets, or asks.
func (p *archivedPass) event(e *groupEntry, event numbered, next *model.ArchivedLooks) {
	if len(next.Newest) >= model.MaxArchivedLooks {
		return
	}
	if found, known := p.archived.found[event.number]; known {
		next.Newest = append(next.Newest, found...)
		return
	}
	key := questionKey{e.group.ID.Raw(), event.TopicID, event.Partition}
	run := archivedRun{offsetRange: offsetRange{event.First, event.Last}, event: event.number}
	found, problem := p.ask(e, key, run)
	if problem != nil {
		next.Problem = problem
	}
	next.Newest = append(next.Newest, model.ArchivedLook{
		TopicID: event.TopicID, Partition: event.Partition, First: event.First, Last: event.Last, Found: found,
	})
}

// standing asks about what a group has archived and nobody saw.
func (p *archivedPass) standing(e *groupEntry) {
	if p.archived.standingLooks >= maxStanding {
		return
	}
	now := &model.Snapshot{Groups: []*model.Group{e.group}, State: p.view}
	for _, r := range model.ArchivedIn(now, e.group.ID).Rows {
		if !r.At.IsZero() || r.Found != model.FoundPending {
			continue
		}
		key := questionKey{e.group.ID.Raw(), r.TopicID, r.Partition}
		run := archivedRun{offsetRange: offsetRange{r.First, r.Last}, standing: true}
		if _, tried := p.archived.tried[standingKey{key, run.offsetRange}]; !tried {
			p.ask(e, key, run)
		}
	}
}

// ask adds a run to the questions, where it can be asked; else it says what is
// known without.
func (p *archivedPass) ask(e *groupEntry, key questionKey, run archivedRun) (model.ArchivedFound, *model.Problem) {
	if d, denied := p.archived.denied[key.topic]; denied && p.now.Sub(d.at) < headRetry {
		p.open = true
		return model.FoundUnknown, d.problem
	}
	t := p.topicByID(key.topic, p.now)
	if t == nil || key.partition < 0 || int(key.partition) >= len(t.topic.Partitions) {
		p.open = true
		return model.FoundPending, nil
	}
	log := &t.topic.Partitions[key.partition]
	if start, known := log.LogStart.Get(); known && run.last < start {
		return model.FoundUnknown, nil
	}
	p.open = true
	q := p.questions[key]
	if q == nil {
		q = &archivedQuestion{
			headKey: headKey{topic: key.topic, partition: key.partition, committed: e.group.Effective().IsolationLevel == readCommitted},
			group:   key.group, name: t.topic.Name.Raw(), leader: log.Leader, since: p.archived.since,
		}
		p.questions[key] = q
	}
	if len(q.runs) < archivedRuns {
		q.runs = append(q.runs, run)
	}
	return model.FoundPending, nil
}

// first are the questions that have their turn.
func (p *archivedPass) first(shown []string) []archivedQuestion {
	asked := make(map[questionKey]time.Time, len(p.questions))
	keys := make([]questionKey, 0, len(p.questions))
	for key := range p.questions {
		keys = append(keys, key)
		asked[key] = p.archived.asked[key]
	}
	later := func(k questionKey) int {
		if slices.Contains(shown, k.group) {
			return 0
		}
		return 1
	}
	slices.SortFunc(keys, func(a, b questionKey) int {
		return cmp.Or(cmp.Compare(later(a), later(b)), asked[a].Compare(asked[b]))
	})
	var due []archivedQuestion
	for _, key := range keys[:min(len(keys), archivedPerTick)] {
		asked[key] = p.now
		due = append(due, *p.questions[key])
	}
	p.archived.asked = asked
	return due
}

// wait notes that a group waits for looks. What has waited too long is unknown.
func (g *archivedGroup) wait(next *model.ArchivedLooks, now time.Time) {
	pending := slices.ContainsFunc(next.Newest, func(l model.ArchivedLook) bool { return l.Found == model.FoundPending })
	switch {
	case !pending:
		g.waits = time.Time{}
	case g.waits.IsZero():
		g.waits = now
	case now.Sub(g.waits) >= archivedWait:
		for i := range next.Newest {
			if next.Newest[i].Found == model.FoundPending {
				next.Newest[i].Found = model.FoundUnknown
			}
		}
	}
}

// keepArchived keeps what was found.
func (s *state) keepArchived(q *archivedQuestion, answers []archivedAnswer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &s.archived
	g := a.groups[q.group]
	if g == nil || !q.since.Equal(a.since) {
		return // it is gone, or watching has begun anew
	}
	for _, answer := range answers {
		if answer.standing {
			a.tried[standingKey{questionKey{q.group, q.topic, q.partition}, answer.offsetRange}] = struct{}{}
			a.standing[q.group] = append(a.standing[q.group], answer.looks...)
			a.standingLooks += len(answer.looks)
			continue
		}
		a.found[answer.event] = answer.looks
		if slices.ContainsFunc(answer.looks, func(l model.ArchivedLook) bool { return l.Found == model.FoundRecord }) {
			g.recordAt = s.now()
		}
	}
	if len(answers) > 0 {
		g.waits = time.Time{}
	}
}

// denyArchived notes that the logs of a topic may not be looked at.
func (s *state) denyArchived(topic model.TopicID, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.archived.denied) >= maxDeniedTopics {
		clear(s.archived.denied)
	}
	p := archivedProblem(name)
	s.archived.denied[topic] = deniedTopic{&p, s.now()}
}
