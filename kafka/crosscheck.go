package kafka

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"sharetop/model"
)

const (
	// crossEvery is how many ticks lie between two checks of the state topic
	// against a request.
	crossEvery = 5
	// crossStrikes is how many checks of a group in a row must differ before it
	// is told: requests and the state topic are never of quite the same moment.
	crossStrikes = 2
	// crossPatience is how long an answer is waited for.
	crossPatience = 15 * time.Second
)

// crossCheck holds what the state topic says of one group at a time against
// DescribeShareGroupOffsets. A check counts only if the group's states were the
// same before the question and after the answer, and log ends that were sampled
// around it bound the lag.
type crossCheck struct {
	mu      sync.Mutex
	ticks   int
	last    string // the group checked last
	askedAt time.Time
	before  []model.SharePartition // nil while none is under way
	ends    []model.Number         // log ends, of samples before the question
	answer  *GroupOffsets
	strike  map[string]int
	// Counted is how many checks counted, Differed how many of them differed.
	counted, differed int
}

// answered keeps the answer for the group that is being checked.
func (x *crossCheck) answered(o *GroupOffsets) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.before != nil && o.Group == x.last {
		x.answer = o
	}
}

// crossCheck goes on with the check under way, or begins one.
func (c *Client) crossCheck() {
	if c.tail.forced() || c.demand.scope().Once {
		return
	}
	x := &c.cross
	x.mu.Lock()
	defer x.mu.Unlock()
	now := c.opts.Now()
	if x.before != nil {
		if x.answer == nil && now.Sub(x.askedAt) < crossPatience {
			return
		}
		if x.answer != nil && !c.judgeCross(x) {
			return
		}
		x.before, x.answer = nil, nil
	}
	if x.ticks++; x.ticks < crossEvery {
		return
	}
	x.ticks = 0
	c.beginCross(x, now)
}

// beginCross asks for the next group; x.mu is held.
func (c *Client) beginCross(x *crossCheck, now time.Time) {
	target, rows, ends := c.state.nextToCross(x.last)
	if rows == nil {
		return
	}
	x.last, x.before, x.ends, x.askedAt, x.answer = target.Group, rows, ends, now, nil
	c.requests.Follow(target.Coordinator, []string{target.Group})
}

// judgeCross compares once log ends were sampled after the answer; until then it
// returns false. x.mu is held.
func (c *Client) judgeCross(x *crossCheck) bool {
	rows, ends, sampled := c.state.rowsOf(x.last, x.answer.At)
	if rows != nil && !sampled && c.opts.Now().Sub(x.askedAt) < crossPatience {
		return false
	}
	if !sampled || x.answer.Problem != nil || !sameStates(x.before, rows) {
		return true
	}
	x.counted++
	difference := x.answer.differs(rows, x.ends, ends)
	key := problemKey{actionCross, x.last}
	if difference == "" {
		delete(x.strike, x.last)
		c.state.cureGroup(key)
		return true
	}
	x.differed++
	if x.strike == nil {
		x.strike = make(map[string]int)
	}
	if x.strike[x.last]++; x.strike[x.last] >= crossStrikes {
		c.state.reportGroup(key, crossProblem(x.last, difference))
	}
	return true
}

// sameStates tells whether two lists are of the same states.
func sameStates(a, b []model.SharePartition) bool {
	return slices.EqualFunc(a, b, func(x, y model.SharePartition) bool {
		return x.State != nil && x.State == y.State && x.TopicID == y.TopicID && x.Partition == y.Partition
	})
}

// differs says in which partition an answer is not what the state topic says;
// empty when in none. Log ends were sampled before the question and after the
// answer, and the broker reckons with one in between.
func (o *GroupOffsets) differs(rows []model.SharePartition, before, after []model.Number) string {
	for i := range o.partitions {
		p := &o.partitions[i]
		at := slices.IndexFunc(rows, func(r model.SharePartition) bool {
			return r.TopicID == model.TopicID(p.topicID) && r.Partition == p.partition
		})
		if p.errorCode != 0 || p.start < 0 {
			continue
		}
		place := fmt.Sprintf("%s-%d", safeText(p.topic), p.partition)
		if at < 0 {
			return fmt.Sprintf("%s has start offset %d by request, and is not in the state topic", place, p.start)
		}
		if text := p.differs(&rows[at], before[at], after[at]); text != "" {
			return place + " has " + text
		}
	}
	return ""
}

// differs says how an answer about one share-partition is not what its row says;
// empty when it is. Lags are compared where the answer has one: what counts as
// start offset is up to the last write.
func (p *partitionOffsets) differs(r *model.SharePartition, before, after model.Number) string {
	finished, ok := r.State.FinishedAhead().Get()
	start, started := r.Start.Get()
	low, ok1 := before.Get()
	high, ok2 := after.Get()
	if started && p.lagTold && p.lag != -1 && ok && ok1 && ok2 {
		low, high = low-start-finished, high-start-finished
		if p.lag < low || p.lag > high {
			return fmt.Sprintf("start offset %d and lag %d by request, %d and %d to %d by the state topic",
				p.start, p.lag, start, low, high)
		}
		return ""
	}
	if r.Start != model.Known(p.start) {
		return fmt.Sprintf("start offset %d by request, %s by the state topic", p.start, numberText(r.Start))
	}
	return ""
}

func numberText(n model.Number) string {
	if v, ok := n.Get(); ok {
		return strconv.FormatInt(v, 10)
	}
	return "none"
}

func crossProblem(group, difference string) model.Problem {
	return model.Problem{
		Kind: model.ProblemDiffers, Target: target("group", group),
		Detail: fmt.Sprintf("The offsets of %s differ by source: %s.", safeText(group), difference),
		Advice: "compare with kafka-share-groups.sh --describe --offsets, and use --offsets-from requests",
	}
}

// nextToCross is the next group after the given one, in the order of ids, whose
// offsets come from the state topic, with its rows and the log ends behind them.
func (s *state) nextToCross(after string) (Target, []model.SharePartition, []model.Number) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pub.last == nil {
		return Target{}, nil, nil
	}
	groups := s.pub.last.Groups
	at, _ := slices.BinarySearchFunc(groups, after+"\x00", func(g *model.Group, id string) int {
		return compareRaw(g.ID.Raw(), id)
	})
	for i := range groups {
		e := s.groups[groups[(at+i)%len(groups)].ID.Raw()]
		if e == nil || e.group.OffsetsFrom != model.FromStateTopic || len(e.group.Partitions) == 0 || e.group.Coordinator < 0 {
			continue
		}
		ends, _ := s.endsOf(e.group.Partitions, time.Time{})
		return Target{e.group.ID.Raw(), e.group.Coordinator}, e.group.Partitions, ends
	}
	return Target{}, nil, nil
}

// rowsOf are a group's rows and the log ends behind them; sampled tells whether
// all of those were sampled after a time.
func (s *state) rowsOf(id string, after time.Time) (rows []model.SharePartition, ends []model.Number, sampled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.groups[id]
	if e == nil {
		return nil, nil, false
	}
	ends, sampled = s.endsOf(e.group.Partitions, after)
	return e.group.Partitions, ends, sampled
}

// endsOf are the log ends behind rows; s.mu is held.
func (s *state) endsOf(rows []model.SharePartition, after time.Time) (ends []model.Number, sampled bool) {
	sampled = true
	ends = make([]model.Number, len(rows))
	for i := range rows {
		t := s.topics[rows[i].Topic.Raw()]
		if t == nil || rows[i].Partition < 0 || int(rows[i].Partition) >= len(t.topic.Partitions) {
			return ends, false
		}
		log := &t.topic.Partitions[rows[i].Partition]
		ends[i] = log.End
		sampled = sampled && log.EndAt.After(after)
	}
	return ends, sampled
}

// reportGroup records a problem of a group, and puts it there.
func (s *state) reportGroup(key problemKey, p model.Problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.groups[key.name]; e != nil && s.reportLocked(key, p) {
		s.refreshProblems(e)
	}
}

// cureGroup takes a problem of a group away.
func (s *state) cureGroup(key problemKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.groups[key.name]; e != nil && s.cureLocked(key) {
		s.refreshProblems(e)
	}
}
