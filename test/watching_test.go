//go:build unix

package test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"sharetop/kafka"
	"sharetop/model"
)

// watching is sharetop's own look at a cluster: its client, and the tracker
// that makes boards of the snapshots.
type watching struct {
	t       *testing.T
	client  *kafka.Client
	tracker *model.Tracker
	scope   model.Scope
	after   model.Version
	board   *model.Board
	// onBoard sees every board; nil for none.
	onBoard func(*model.Board)
}

// watch begins to watch groups of a cluster, read-only, as often as allowed.
func watch(t *testing.T, c cluster, groups ...string) *watching {
	t.Helper()
	return watchThrough(t, c.Bootstrap(), nil, groups...)
}

// watchThrough is watch with a dialer of the test's own.
func watchThrough(t *testing.T, bootstrap []string, dial func(context.Context, string, string) (net.Conn, error), groups ...string) *watching {
	t.Helper()
	return watchFrom(t, bootstrap, dial, model.OffsetsAuto, groups...)
}

// watchFrom is watchThrough with a choice of where offsets come from.
func watchFrom(t *testing.T, bootstrap []string, dial func(context.Context, string, string) (net.Conn, error),
	from model.OffsetsChoice, groups ...string,
) *watching {
	t.Helper()
	conn := model.Connection{Bootstrap: bootstrap, ReadOnly: true, OffsetsFrom: from}
	client, err := kafka.Open(conn, kafka.Options{Now: time.Now, Dial: dial})
	must(t, err)
	t.Cleanup(func() { client.Close() })
	w := &watching{
		t: t, client: client, tracker: model.NewTracker(model.Rules{}),
		scope: model.Scope{Interval: model.MinInterval},
	}
	for _, group := range groups {
		w.scope.Visible = append(w.scope.Visible, model.NewGroupID(group))
	}
	return w
}

// until reads boards until one shows what is asked for, and returns it. The
// test fails when none does within stepTimeout.
func (w *watching) until(what string, shows func(*model.Board) bool) *model.Board {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), stepTimeout)
	defer cancel()
	begun := time.Now()
	for {
		snapshot, err := w.client.Watch(ctx, w.scope, w.after)
		if err != nil {
			w.t.Fatalf("never seen: %s (%v)\nlast seen: %s", what, err, describe(w.board))
		}
		w.after = snapshot.Version
		w.board = w.tracker.Apply(snapshot, w.scope.Open, time.Now())
		if w.onBoard != nil {
			w.onBoard(w.board)
		}
		if shows(w.board) {
			w.t.Logf("seen after %v: %s", time.Since(begun).Round(time.Millisecond), what)
			return w.board
		}
	}
}

// untilFresh reads boards until the list, and the offsets and log offsets of all
// watched groups, are younger than now. A description that is answered with
// nothing new keeps its time, so it is not asked for its age.
func (w *watching) untilFresh() *model.Board {
	w.t.Helper()
	now := time.Now()
	return w.until("everything asked for again", func(b *model.Board) bool {
		if !b.Snapshot.Listed.After(now) {
			return false
		}
		for _, id := range w.scope.Visible {
			g := b.Snapshot.Group(id)
			if g == nil || !b.Snapshot.OffsetsSeen(g).After(now) {
				return false
			}
			for _, p := range g.Partitions {
				if !b.Snapshot.Log(p.Topic, p.Partition).EndAt.After(now) {
					return false
				}
			}
		}
		return true
	})
}

// watchFor reads boards for a while: what takes time to be claimed (blocked
// takes more than one lock duration) has the time to be.
func (w *watching) watchFor(d time.Duration) {
	w.t.Helper()
	begun := time.Now()
	w.until("time passing", func(*model.Board) bool { return time.Since(begun) > d })
}

// row is the row of a group; nil while it is not seen.
func row(b *model.Board, group string) *model.Row {
	for _, r := range b.Rows {
		if r.Group.ID.Raw() == group {
			return r
		}
	}
	return nil
}

// hasLag tells whether a group's whole lag is known and is this.
func hasLag(b *model.Board, group string, lag int64) bool {
	r := row(b, group)
	return r != nil && r.Lag == model.Known(lag) && !r.LagPartial
}

// problemOf finds a problem of a kind that names something.
func problemOf(b *model.Board, kind model.ProblemKind, name string) *model.Problem {
	problems := b.Snapshot.Problems
	for _, g := range b.Snapshot.Groups {
		problems = append(problems[:len(problems):len(problems)], g.Problems...)
	}
	for i, p := range problems {
		if p.Kind == kind && strings.Contains(p.Target.Raw()+": "+p.Detail+" "+p.Advice, name) {
			return &problems[i]
		}
	}
	return nil
}

// describeGroups bounds how many groups and problems of a board are described.
const describeGroups = 12

// describe is a board in a few lines, for a failed test.
func describe(b *model.Board) string {
	if b == nil {
		return "nothing"
	}
	var text strings.Builder
	s := b.Snapshot
	fmt.Fprintf(&text, "%s: version %d, listed %v, share groups %d, %d brokers\n", clock(s.Taken), s.Version, !s.Listed.IsZero(), s.Cluster.ShareGroups, len(s.Cluster.Brokers))
	for _, r := range b.Rows[:min(len(b.Rows), describeGroups)] {
		g := r.Group
		fmt.Fprintf(&text, "%q %s described %s offsets %s epochs %v/%v members %d lag %v partial %t %s %q\n",
			g.ID.Raw(), g.State, clock(g.Described), clock(g.OffsetsAt), g.Epoch, g.AssignmentEpoch, len(g.Members), r.Lag, r.LagPartial, r.Verdict.Finding, r.Verdict.Text)
		for _, p := range g.Partitions {
			fmt.Fprintf(&text, "   %s-%d start %v lag %v end %v at %s\n",
				p.Topic.Raw(), p.Partition, p.Start, p.Lag, s.Log(p.Topic, p.Partition).End, clock(s.Log(p.Topic, p.Partition).EndAt))
		}
	}
	for _, p := range s.Problems[:min(len(s.Problems), describeGroups)] {
		fmt.Fprintf(&text, "problem %s of %s: %s; %s\n", p.Kind, p.Target, p.Detail, p.Advice)
	}
	return text.String()
}

// clock is a time of day to the millisecond; "never" for the zero time.
func clock(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	return at.Format("05.000")
}
