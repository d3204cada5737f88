package kafka

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sharetop/model"
)

// viewer keeps a Watch outstanding, as a screen does, and holds every snapshot
// against all that were shown before it.
type viewer struct {
	t      *testing.T
	what   string
	client *Client
	outage *outage
	scope  model.Scope
	last   *model.Snapshot
	seen   known
	// tracker makes the boards of what was seen.
	tracker *model.Tracker
	// mayGo begins what may be known no more.
	mayGo []string
}

func (s *stage) viewer(what string, conn model.Connection, o *outage) *viewer {
	s.t.Helper()
	conn.Bootstrap = s.c.ListenAddrs()
	client, err := Open(conn, Options{Now: time.Now, Dial: o.dial})
	if err != nil {
		s.t.Fatal(err)
	}
	scope := model.Scope{Visible: []model.GroupID{id("billing"), id("packing")}, Open: id("billing")}
	return &viewer{t: s.t, what: what, client: client, outage: o, scope: scope, tracker: model.NewTracker(model.Rules{})}
}

// until watches until a snapshot is as wanted; false when none was within the
// time, which is fake.
func (v *viewer) until(d time.Duration, good func(*model.Snapshot) bool) bool {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.t.Context(), d)
	defer cancel()
	for {
		var after model.Version
		if v.last != nil {
			after = v.last.Version
		}
		s, err := v.client.Watch(ctx, v.scope, after)
		if err != nil {
			return false
		}
		for _, lost := range v.seen.update(s, v.mayGo) {
			v.t.Errorf("%s: %s in %s", v.what, lost, dump(s))
		}
		v.last = s
		v.tracker.Apply(s, v.scope.Open, s.Taken)
		if good(s) {
			return true
		}
	}
}

// pass watches for a time, which is fake.
func (v *viewer) pass(d time.Duration) {
	v.t.Helper()
	v.until(d, func(*model.Snapshot) bool { return false })
}

func (v *viewer) close() {
	v.client.Close()
	v.outage.wg.Wait()
}

// known is what was shown, by a name for it, with when it was seen where a time
// is shown: zero where none is.
type known map[string]time.Time

// update takes in a snapshot, and returns what was known before it and is not in
// it, or is older in it; each is told once.
func (k *known) update(s *model.Snapshot, mayGo []string) (lost []string) {
	now := facts(s)
	for name, at := range *k {
		is, there := now[name]
		switch {
		case slices.ContainsFunc(mayGo, func(p string) bool { return strings.HasPrefix(name, p) }):
		case !there:
			lost = append(lost, name+" is not known any more")
		case is.Before(at):
			lost = append(lost, name+" went back")
		}
	}
	*k = now
	return lost
}

// byStateTopic begins what only the state topic tells: it goes when requests take
// over.
const byStateTopic = "by the state topic, "

// facts names all that a snapshot knows.
func facts(s *model.Snapshot) known {
	k := known{}
	note := func(is bool, at time.Time, format string, args ...any) {
		if is {
			k[fmt.Sprintf(format, args...)] = at
		}
	}
	note(s.Cluster.ID.Raw() != "", time.Time{}, "the cluster's id")
	note(s.Cluster.ShareGroups != model.ShareUnknown, time.Time{}, "what the cluster can do")
	note(s.State != nil, time.Time{}, byStateTopic+"what happened")
	note(s.Offsets.Sweep.FirstDone, time.Time{}, "that all was asked for")
	for _, b := range s.Cluster.Brokers {
		note(true, time.Time{}, "broker %d", b.ID)
	}
	read := make(map[model.TopicName]bool)
	for _, g := range s.Groups {
		noteGroup(note, g)
		for i := range g.Partitions {
			read[g.Partitions[i].Topic] = true
		}
	}
	for name, t := range s.Topics {
		if !read[name] {
			continue // no group is shown that reads it
		}
		for p := range t.Partitions {
			log := &t.Partitions[p]
			note(log.End.IsKnown(), log.EndAt, "the end of %s-%d", name, p)
			note(log.LogStart.IsKnown(), log.StartAt, "the log start of %s-%d", name, p)
		}
		note(t.Retention.IsKnown(), time.Time{}, "the retention of %s", name)
	}
	return k
}

func noteGroup(note func(bool, time.Time, string, ...any), g *model.Group) {
	none := time.Time{}
	note(true, none, "group %s", g.ID)
	note(g.State != model.GroupUnknown, none, "the state of %s", g.ID)
	note(!g.Described.IsZero(), g.Described, "the description of %s", g.ID)
	note(len(g.Members) > 0, none, "the members of %s", g.ID)
	note(g.Epoch.IsKnown(), none, "the epoch of %s", g.ID)
	note(g.Settings != nil, none, "the settings of %s", g.ID)
	note(g.Configs != nil, none, "the configs of %s", g.ID)
	note(!g.OffsetsAt.IsZero(), g.OffsetsAt, "the offsets of %s", g.ID)
	for i := range g.Partitions {
		p := &g.Partitions[i]
		place := fmt.Sprintf("%s-%d of %s", p.Topic, p.Partition, g.ID)
		note(true, none, "%s", place)
		note(p.Start.IsKnown(), none, "the start offset of %s", place)
		note(p.Lag.IsKnown(), none, "the lag of %s", place)
		note(p.State != nil, none, byStateTopic+"the records of %s", place)
		note(p.Head != nil && p.Head.Problem == nil, none, byStateTopic+"the head of %s", place)
	}
}

// complete tells whether a snapshot has all that there is to see of a stage, and
// nothing is wrong.
func complete(s *model.Snapshot) bool {
	if len(s.Problems) > 0 || len(s.Groups) != len(stageGroups()) || !s.Offsets.Sweep.FirstDone {
		return false
	}
	for _, g := range s.Groups {
		if g.Described.IsZero() || g.Settings == nil || len(g.Partitions) != 6 {
			return false
		}
		for i := range g.Partitions {
			if p := &g.Partitions[i]; p.Lag != model.Known(8) || p.Problem != nil {
				return false
			}
		}
	}
	return len(s.Group(id("billing")).Members) == 1 && s.Group(id("billing")).Configs != nil
}

func completeLive(s *model.Snapshot) bool {
	if !isLive(s) || !complete(s) {
		return false
	}
	for _, g := range s.Groups {
		for i := range g.Partitions {
			if g.Partitions[i].State == nil || !g.Partitions[i].LagEnd.IsKnown() {
				return false
			}
		}
	}
	return true
}
