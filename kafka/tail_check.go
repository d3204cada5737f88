package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sharetop/model"
)

const (
	// givenAfter is how long a partition of the state topic may be behind before
	// requests take over what belongs there, in ticks, but at least givenAtLeast.
	givenAfter   = 3
	givenAtLeast = 2 * time.Second
	// rereadAfter is how long it may be behind before a new client reads on.
	rereadAfter = 10 * time.Second
)

// runTail compares, at every tick, how far the state topic is read with its
// ends: a reader that is dead looks like a state topic in which nothing happens.
func (c *Client) runTail(ctx context.Context) error {
	parts := c.tail.reading()
	if len(parts) == 0 {
		return nil
	}
	facts, err := c.lookAtStateTopic(ctx)
	if err != nil {
		c.tail.unchecked(err)
		return nil
	}
	if !c.tail.isOf(facts) {
		return nil
	}
	c.tail.check(c.askStateOffsets(ctx, facts, parts, latest))
	c.tail.refreshNames()
	c.cureOffsets()
	c.crossCheck()
	return nil
}

// cureOffsets forgets that brokers were silent about offsets once nobody has to
// ask them any more.
func (c *Client) cureOffsets() {
	var told []problemKey
	for _, nd := range c.nodes.all() {
		if key := (problemKey{actionOffsets, brokerKey(nd.id)}); c.state.tells(key) {
			told = append(told, key)
		}
	}
	if len(told) > 0 && len(c.state.notLive(c.state.allGroups())) == 0 {
		c.state.cure(told...)
	}
}

// reading are the partitions that are read now; nil while nothing is live.
func (t *tail) reading() []int32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.live() {
		return nil
	}
	return slices.Sorted(maps.Keys(t.parts))
}

// isOf tells whether the table is of this state topic. If it was deleted and
// made again, or got more partitions, all is loaded anew.
func (t *tail) isOf(f *stateTopicFacts) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.topic == nil || !t.live() {
		return false
	}
	if t.topic.same(f) && t.only == t.oneWanted() {
		return true
	}
	t.c.opts.Logf("the state topic is another one now, or other parts of it are wanted: loading it again")
	t.stop(errReload)
	return false
}

// check holds the positions against ends that were just sampled. A partition is
// behind when an end sampled at an earlier check is not reached yet.
func (t *tail) check(ends stateOffsets) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.live() {
		return
	}
	var late int
	var oldest time.Time
	var behind int64
	for id, p := range t.parts {
		end, answered := ends.of[id]
		if answered && p.next >= p.end && p.next <= end {
			p.late = time.Time{}
		} else if p.late.IsZero() {
			p.late = ends.at
		}
		if answered {
			p.end = end
			behind += max(0, end-p.next)
		}
		if !p.late.IsZero() {
			late++
			if oldest.IsZero() || p.late.Before(oldest) {
				oldest = p.late
			}
		}
	}
	t.judge(ends.at, behind, late, oldest, ends.err)
}

// judge follows from a check; t.mu is held.
func (t *tail) judge(at time.Time, behind int64, late int, oldest time.Time, err error) {
	t.behind = behind
	switch {
	case late > 0:
		t.phase = model.TailBehind
	case behind == 0:
		t.phase, t.checked = model.TailLive, at
	default:
		// Read up to the ends of the check before.
		t.phase, t.checked = model.TailLive, t.sampled
	}
	t.sampled = at
	t.tellBehind(late, t.checked, err)
	t.giveAndTakeBack(at)
	t.tell()
	if since := later(oldest, t.reread); late > 0 && at.Sub(since) >= rereadAfter {
		t.c.opts.Logf("the state topic's reader is behind for %s: a new one reads on", at.Sub(oldest))
		t.reread = at
		t.stop(errReload)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// unchecked notes that the ends could not be asked for.
func (t *tail) unchecked(err error) {
	if s, ok := errors.AsType[*setback](err); ok {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.live() {
			t.stop(s)
		}
		return
	}
	t.check(stateOffsets{at: t.c.opts.Now(), err: err})
}

// giveAndTakeBack has requests take over what has been behind for long, and
// takes back what is not any more; t.mu is held. With the state topic forced
// nothing is given.
func (t *tail) giveAndTakeBack(now time.Time) {
	limit := max(givenAfter*interval(t.c.demand.scope()), givenAtLeast)
	changed := false
	for _, p := range t.parts {
		give := !t.forced() && !p.late.IsZero() && now.Sub(p.late) >= limit
		changed = changed || give != p.given
		p.given = give
	}
	if changed {
		if t.complete() { // else when it is
			t.publishEach(t.c.state.allGroups())
		}
		t.c.schedule.kick(t.c.nodes.censuses()...)
	}
}

// refreshNames hands on all groups when a topic was deleted, or made again under
// its name.
func (t *tail) refreshNames() {
	now := t.c.state.identities()
	t.mu.Lock()
	moved := now != t.moved
	t.moved = now
	t.mu.Unlock()
	if moved {
		t.publishAll()
	}
}

// behindProblem says that the state topic is not read up to its end.
func behindProblem(late, all int, checked time.Time, err error) model.Problem {
	p := model.Problem{
		Kind: model.ProblemUnreachable, Target: target("topic", stateTopic),
		Detail: fmt.Sprintf("What is read of %s is behind its end in %d of %d partitions, or can't be compared with it: "+
			"what is shown from there may be as old as %s.", stateTopic, late, all, checked.UTC().Format("15:04:05Z")),
		Advice: "check that the leaders of its partitions can be reached from here",
	}
	if err != nil {
		p.Detail += " The last try failed: " + safeText(err.Error()) + "."
	}
	return p
}
