package kafka

import (
	"time"

	"sharetop/model"
)

// takeOver makes the state topic the source of offsets for all that it covers.
func (t *tail) takeOver() {
	t.mu.Lock()
	now := t.c.opts.Now()
	t.phase, t.setbacks = model.TailLive, 0
	t.took, t.checked = now.Sub(t.began), t.endsAt
	t.meter = meter{}
	t.events.since = now
	t.table.Changed()
	t.moved = t.c.state.identities()
	t.c.state.together(func() {
		t.publishEach(t.c.state.allGroups())
		t.tell()
	})
	t.mu.Unlock()
	t.settled.Store(true)
	t.c.opts.Logf("the state topic is read: %d share-partitions, after %s", t.size(), t.took)
	t.sweepCovered()
	t.c.both.release()
}

// size is how many share-partitions the table has.
func (t *tail) size() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.table == nil {
		return 0
	}
	return t.table.Len()
}

// sweepCovered takes the groups that are covered out of the sweep.
func (t *tail) sweepCovered() {
	covered, _ := t.split(t.c.state.allGroups())
	t.c.swept(covered...)
}

// complete tells whether all that is held is read up to where it was loaded to:
// while part of it is loaded again nothing of it is shown. t.mu is held.
func (t *tail) complete() bool {
	if !t.live() {
		return false
	}
	for id := range t.parts {
		if !t.table.Watched(id) {
			return false
		}
	}
	return true
}

// publishChanged hands on the groups that changed. It returns true when there
// were any.
func (t *tail) publishChanged() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.complete() {
		return false
	}
	changed := t.table.Changed()
	if len(changed) == 0 && t.events.open == t.c.demand.scope().Open.Raw() {
		return false
	}
	t.c.state.together(func() {
		t.publishEach(changed)
		t.tell()
	})
	return true
}

// publishAll hands on every group; those in which nothing changed keep their
// pointer.
func (t *tail) publishAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.complete() {
		t.c.state.together(func() {
			t.publishEach(t.c.state.allGroups())
			t.tell()
		})
	}
}

// publish hands on these groups, of which all are covered.
func (t *tail) publish(groups []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.complete() {
		t.publishEach(groups)
	}
}

// publishEach hands on groups as far as they are covered; t.mu is held.
func (t *tail) publishEach(groups []string) {
	endsMissing := false
	for _, id := range groups {
		if t.covers(id) || (t.forced() && t.live()) {
			endsMissing = t.c.state.mergeStates(id, t.table.Group(id)) || endsMissing
		}
	}
	if endsMissing {
		t.c.schedule.kickSoon(t.c.nodes.logJobs()...)
	}
	if t.c.state.wantsNames() {
		t.c.schedule.kickSoon(t.c.names)
	}
	if t.c.state.newTopics() {
		t.c.schedule.kickSoon(t.c.topics)
	}
}

// toldTail is what the state was last told, so that nothing is told twice.
type toldTail struct{ problem string }

// tell hands on how the tail does; t.mu is held.
func (t *tail) tell() {
	now := t.c.opts.Now()
	o := model.OffsetsState{Tail: model.Tail{
		Phase: t.phase, Took: t.took, CheckedAt: t.checked, Behind: t.behind,
		MaxMemory: t.budget.MaxMemory, MaxLoad: t.budget.MaxLoad, MaxBytesPerSecond: t.budget.MaxBytesPerSecond,
		RetryAt: t.retryAt, Partitions: len(t.parts),
	}}
	if t.table != nil {
		o.Tail.Of = int(t.topic.count())
		o.Tail.Loaded, o.Tail.Total = t.progress()
		o.Tail.Memory, o.Tail.BytesPerSecond = t.table.Memory(), t.meter.perSecond(now)
	}
	o.Source, o.Why, o.Advice = t.kind(), t.whyNot(), ""
	if t.why != nil {
		o.Advice = t.why.advice
	}
	t.tellProblem()
	t.c.state.setSource(o, t.events.view(t))
}

// kind is where most offsets come from; t.mu is held.
func (t *tail) kind() model.OffsetsSource {
	if t.forced() || (t.live() && !t.allGiven()) {
		return model.FromStateTopic
	}
	return model.FromRequests
}

// whyNot says why the state topic is not in use; t.mu is held.
func (t *tail) whyNot() string {
	switch {
	case t.off():
		return "requests were asked for"
	case t.why != nil:
		return t.why.why
	case t.phase == model.TailLoading:
		return "the state topic is being loaded"
	case t.phase == model.TailOff:
		return "the state topic is not read yet"
	case t.allGiven():
		return "the state topic can't be followed: what is read of it is behind its ends"
	default:
		return ""
	}
}

// tellProblem tells what no other source makes up for: with the state topic
// forced, that it can't be read; else nothing. t.mu is held.
func (t *tail) tellProblem() {
	text := ""
	if t.forced() && t.why != nil {
		text = t.why.why
	}
	if text == t.told.problem {
		return
	}
	t.told.problem = text
	key := problemKey{actionStateTopic, ""}
	if text == "" {
		t.c.state.cure(key)
		return
	}
	t.c.state.report(key, model.Problem{
		Kind: model.ProblemOther, Target: target("topic", stateTopic),
		Detail: "Offsets are missing or old, since only the state topic is to be asked: " + text + ".",
		Advice: t.why.advice,
	})
}

// tellBehind says that partitions of the state topic are behind, or that they
// are not any more; t.mu is held.
func (t *tail) tellBehind(late int, oldest time.Time, err error) {
	key := problemKey{actionTail, ""}
	if late == 0 {
		t.c.state.cure(key)
		return
	}
	t.c.state.report(key, behindProblem(late, len(t.parts), oldest, err))
}
