//go:build unix

package test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"sharetop/model"
	"sharetop/test/workload"
)

// fromStateTopic tells whether all offsets come from the state topic.
func fromStateTopic(b *model.Board) bool {
	s := b.Snapshot
	if s.Offsets.Source != model.FromStateTopic || s.Offsets.Tail.Phase != model.TailLive {
		return false
	}
	for _, g := range s.Groups {
		if g.OffsetsFrom != model.FromStateTopic || g.OffsetsAt.IsZero() {
			return false
		}
	}
	return len(s.Groups) > 0
}

// lagsReckoned tells whether the lag of every share-partition with a start offset is
// known. The state topic does not tell it: it takes log ends, which come later.
func lagsReckoned(b *model.Board) bool {
	for _, g := range b.Snapshot.Groups {
		for _, p := range g.Partitions {
			if p.Start.IsKnown() && !p.Lag.IsKnown() {
				return false
			}
		}
	}
	return true
}

// byRequests watches a cluster by requests only.
func byRequests(t *testing.T, c cluster, groups ...string) *watching {
	t.Helper()
	return watchFrom(t, c.Bootstrap(), nil, model.OffsetsByRequests, groups...)
}

// partitionRows are a group's offsets, one text for each share-partition.
func partitionRows(g *model.Group) []string {
	var rows []string
	for _, p := range g.Partitions {
		rows = append(rows, fmt.Sprintf("%s %s-%d start %v lag %v epoch %v",
			p.TopicID, p.Topic.Raw(), p.Partition, p.Start, p.Lag, p.LeaderEpoch))
	}
	return rows
}

// testStateTopic compares both sources on hundreds of groups in which nothing
// happens: placed everywhere, past the end, without start offset, altered.
func testStateTopic(t *testing.T, c cluster) {
	const topic, groups = "state.jobs", 300
	must(t, c.work.CreateTopic(t.Context(), topic, 3))
	for p := range int32(3) {
		must(t, c.work.Produce(t.Context(), topic, p, 50))
	}
	var names []string
	for i := range int64(groups) {
		name := fmt.Sprintf("state-%03d ü€ %d", i, i%7)
		starts := []int64{i % 60, -1, i % 51}
		must(t, c.work.PlaceGroup(t.Context(), name, topic, starts...))
		if i%10 == 0 {
			must(t, c.work.PlaceGroup(t.Context(), name, topic, 7))
		}
		names = append(names, name)
	}
	live := watch(t, c, names[:20]...)
	board := live.until("all from the state topic, with log ends", func(b *model.Board) bool { return fromStateTopic(b) && lagsReckoned(b) })
	t.Logf("loaded in %v, %d bytes", board.Snapshot.Offsets.Tail.Took, board.Snapshot.Offsets.Tail.Memory)
	asked := byRequests(t, c)
	want := asked.until("all by requests", func(b *model.Board) bool {
		for _, g := range b.Snapshot.Groups {
			for _, p := range g.Partitions {
				if !b.Snapshot.Log(p.Topic, p.Partition).EndAt.After(g.OffsetsAt.Add(-time.Minute)) {
					return false
				}
			}
		}
		return b.Snapshot.Offsets.Sweep.FirstDone
	})
	compared := sameOffsets(t, board.Snapshot, want.Snapshot)
	if compared < groups*3 {
		t.Errorf("only %d share-partitions were compared", compared)
	}
	t.Logf("%d share-partitions compared", compared)
}

// sameOffsets compares two snapshots group by group, and returns how many
// share-partitions there were.
func sameOffsets(t *testing.T, got, want *model.Snapshot) int {
	t.Helper()
	compared := 0
	for _, g := range want.Groups {
		ours := got.Group(g.ID)
		if ours == nil {
			t.Errorf("%q is missing", g.ID.Raw())
			continue
		}
		if a, b := partitionRows(ours), partitionRows(g); !slices.Equal(a, b) {
			t.Errorf("%q by the state topic %q, by requests %q", g.ID.Raw(), a, b)
		}
		compared += len(g.Partitions)
	}
	return compared
}

// testStateTopicUnderLoad holds the state topic against requests while records
// are produced and consumed: a lag by request lies between what the state topic
// gives before and after. That is the client's own cross-check, every group of
// which must agree; when the traffic is over the two are equal.
func testStateTopicUnderLoad(t *testing.T, c cluster) {
	const topic, group = "load.jobs", "load"
	ctx, cancel := context.WithTimeout(t.Context(), 2*stepTimeout)
	defer cancel()
	must(t, c.work.CreateTopic(ctx, topic, 3))
	must(t, c.work.SetGroupConfig(ctx, group, "share.auto.offset.reset", "earliest"))
	w := watch(t, c, group)
	consumer := accept(t, c, topic, group)
	below := 0
	w.onBoard = func(b *model.Board) {
		if r := row(b, group); r != nil && b.Snapshot.Offsets.Source == model.FromStateTopic {
			for _, p := range r.Group.Partitions {
				if p.Lag.Or(0) < 0 {
					below++
				}
			}
		}
	}
	const rounds, perRound = 40, 50
	for range rounds {
		for p := range int32(3) {
			must(t, c.work.Produce(ctx, topic, p, perRound))
		}
		w.watchFor(50 * time.Millisecond)
	}
	consumer.waitFor(t, rounds*3*perRound)
	board := w.until("all consumed, by the state topic", func(b *model.Board) bool {
		return hasLag(b, group, 0) && row(b, group).Group.OffsetsFrom == model.FromStateTopic
	})
	if below > 0 {
		t.Errorf("%d lags were below zero", below)
	}
	w.watchFor(8 * model.MinInterval)
	if p := problemOf(w.board, model.ProblemOther, "differ by source"); p != nil {
		t.Errorf("the sources differ: %+v", p)
	}
	consumer.close()
	asked := byRequests(t, c, group)
	want := asked.until("the same by requests", func(b *model.Board) bool { return hasLag(b, group, 0) })
	if a, b := partitionRows(row(board, group).Group), partitionRows(row(want, group).Group); len(a) != 3 || len(b) != 3 {
		t.Errorf("by the state topic %q, by requests %q", a, b)
	}
}

func testStateTopicEvents(t *testing.T, c cluster) {
	var follow *following
	archived, complete := watchBookNest(t, c, "events.", func(group, topic string) {
		must(t, c.work.PlaceGroup(t.Context(), group, topic, 0, 0, 0))
		follow = followArchived(t, c, group)
	})
	if !complete {
		t.Fatal("part of the state topic is said to have been missed")
	}
	follow.writes(archived...)
}

// watchBookNest watches a BookNest run from before its start: what was given up
// and what was given back is there by offset. Topic and group have a prefix; ready
// is called before the run begins. It returns what was given up, and false when
// part of what happened is said to have been missed.
func watchBookNest(t *testing.T, c cluster, prefix string, ready func(group, topic string)) (givenUp []string, complete bool) {
	t.Helper()
	topic, group := prefix+workload.PackingTopic, prefix+workload.PackersGroup
	ctx, cancel := context.WithTimeout(t.Context(), 2*stepTimeout)
	defer cancel()
	must(t, c.work.CreateTopic(ctx, topic, workload.PackingPartitions))
	must(t, c.work.ProduceOrders(ctx, topic))
	must(t, c.work.SetGroupConfig(ctx, group, "share.auto.offset.reset", "earliest"))
	w := watch(t, c, group)
	w.scope.Open = model.NewGroupID(group)
	w.until("live", func(b *model.Board) bool { return b.Snapshot.Offsets.Source == model.FromStateTopic })
	ready(group, topic)
	packers, err := c.work.StartPackers(ctx, topic, group, 4)
	must(t, err)
	defer packers.Close()
	_, err = packers.Wait(ctx)
	must(t, err)
	missed := false
	board := w.until("all settled", func(b *model.Board) bool {
		missed = missed || (b.Snapshot.State != nil && !b.Snapshot.State.Missed.IsZero())
		return missed || hasLag(b, group, 0) && settled(row(b, group).Group) == workload.Orders
	})
	if missed {
		return nil, false
	}
	var archived, released []string
	for _, e := range board.Snapshot.State.ArchivedOf(w.scope.Open) {
		archived = append(archived, offsetsOf(e)...)
	}
	for _, e := range board.Snapshot.State.Events {
		if e.State == model.RecordReleased {
			released = append(released, offsetsOf(e)...)
		}
	}
	var wantArchived, wantReleased []string
	for i := range workload.Orders { // order i+1 is record i/3 of partition i%3
		place := fmt.Sprintf("%d@%d", i%workload.PackingPartitions, i/workload.PackingPartitions)
		switch id := i + 1; {
		case id%500 == 0:
			wantArchived = append(wantArchived, place)
		case id%7 == 0:
			wantReleased = append(wantReleased, place)
		}
	}
	sameSet(t, "archived", archived, wantArchived)
	sameSet(t, "released", released, wantReleased)
	return archived, true
}

// settled is how many records of a group were finished or given up since its
// state topic was loaded.
func settled(g *model.Group) int64 {
	var n int64
	for _, p := range g.Partitions {
		tally := p.State.Tally()
		n += tally.Accepted + tally.Archived
	}
	return n
}

// offsetsOf are the records of an event, as partition@offset.
func offsetsOf(e model.StateEvent) []string {
	var all []string
	for offset := e.First; offset <= e.Last; offset++ {
		all = append(all, fmt.Sprintf("%d@%d", e.Partition, offset))
	}
	return all
}

func sameSet(t *testing.T, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: %d records, want %d; missing %q, too many %q", what, len(got), len(want), without(want, got), without(got, want))
	}
}

// without are the elements of a that are not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// testStateTopicForbidden watches as a user who may describe groups and their
// topic, but not read the state topic; then READ is granted, and taken again. On
// the screen the cursor stays where it is. The state topic also gives the lag of
// a group that may not be described, and of who reads it nothing is claimed.
func testStateTopicForbidden(t *testing.T, c cluster) {
	const topic, group, unseen = "state-acl.jobs", "state-acl", "unseen-acl"
	groups := []string{group, group + "-2", group + "-3"}
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	must(t, c.work.Produce(t.Context(), topic, 0, 10))
	grantDescribe(t, c, stateAuditor, kadm.NewACLs().Clusters())
	grantDescribe(t, c, stateAuditor, kadm.NewACLs().Topics(topic))
	for _, id := range groups {
		must(t, c.work.PlaceGroup(t.Context(), id, topic, 4))
		grantDescribe(t, c, stateAuditor, kadm.NewACLs().Groups(id))
	}
	must(t, c.work.PlaceGroup(t.Context(), unseen, topic, 4))
	w := watchThrough(t, c.SaslBootstrap(), dialAs(stateAuditor, auditorPassword), group)
	screen := startAuditor(t, c)
	screen.shows(group)
	screen.press("/" + group)
	screen.shows("3 of ")
	screen.press("\r")
	screen.press("j")
	screen.until("the cursor on the second group", func(screen string) bool { return cursorOn(screen).id == groups[1] })
	onRow := func(source string) cursorPlace {
		t.Helper()
		return cursorOn(screen.until("the groups by "+source, func(screen string) bool {
			return strings.Contains(screen, source) && strings.Count(screen, group) > len(groups) && cursorOn(screen).id != ""
		}))
	}
	denied := w.until("requests, and what to grant", func(b *model.Board) bool {
		return hasLag(b, group, 6) && b.Snapshot.Offsets.Advice != ""
	})
	if o := denied.Snapshot.Offsets; o.Source != model.FromRequests {
		t.Errorf("offsets are %+v", o)
	}
	t.Logf("why: %s; advice: %s", denied.Snapshot.Offsets.Why, denied.Snapshot.Offsets.Advice)
	before := onRow("requests")

	take := grantStateTopic(t, c)
	w.scope.Refresh++
	screen.press("r")
	board := w.until("the state topic", func(b *model.Board) bool {
		return hasLag(b, group, 6) && row(b, group).Group.OffsetsFrom == model.FromStateTopic &&
			row(b, unseen) != nil && row(b, unseen).Lag == model.Known(6)
	})
	wantFinding(t, board, unseen, model.FindingDenied)
	if h := row(board, group).Group.Partitions[0]; h.State.Head() != model.Known(4) {
		t.Errorf("row is %+v", h)
	}
	w.until("that the head record may not be read", func(b *model.Board) bool {
		h := row(b, group).Group.Partitions[0].Head
		return h != nil && h.Problem != nil && h.Problem.Kind == model.ProblemDenied
	})
	live := onRow("state topic, live")
	take()
	w.until("requests again", func(b *model.Board) bool {
		return hasLag(b, group, 6) && row(b, group).Group.OffsetsFrom == model.FromRequests
	})
	if after := onRow("requests"); before != live || live != after {
		t.Errorf("the cursor was on %v, went to %v at the switch to the state topic, and to %v at the switch back", before, live, after)
	}
}

// startAuditor runs the program as the state topic's auditor.
func startAuditor(t *testing.T, c cluster) *terminal {
	t.Helper()
	return startTerminal(t, 120, 40, "--bootstrap-server", strings.Join(c.SaslBootstrap(), ","), "--command-config", propertiesFile(t,
		"security.protocol=SASL_PLAINTEXT", "sasl.mechanism=PLAIN",
		fmt.Sprintf("sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username=%q password=%q;", stateAuditor, auditorPassword)))
}

// cursorPlace is where the cursor is on the list of groups.
type cursorPlace struct {
	line int
	id   string
}

// cursorOn finds the line that the cursor's sign begins.
func cursorOn(screen string) cursorPlace {
	for i, line := range strings.Split(screen, "\n") {
		if rest, found := strings.CutPrefix(strings.TrimLeft(line, " "), "▌"); found && strings.TrimSpace(rest) != "" {
			return cursorPlace{i, strings.Fields(rest)[0]}
		}
	}
	return cursorPlace{}
}

// grantStateTopic lets its auditor read the state topic until it is taken again,
// at the end of the test at the latest.
func grantStateTopic(t *testing.T, c cluster) (take func()) {
	t.Helper()
	acl := kadm.NewACLs().Topics(stateTopic).Allow("User:" + stateAuditor).AllowHosts().
		Operations(kadm.OpRead).ResourcePatternType(kadm.ACLPatternLiteral)
	must(t, c.work.Grant(t.Context(), acl))
	take = func() {
		_, err := c.work.Admin().DeleteACLs(context.Background(), acl)
		must(t, err)
	}
	t.Cleanup(take)
	return take
}

// testKilledUnderTail kills the only broker while its state topic is tailed, and
// starts it again with a busyCoordinator: its silence is told, and nothing is
// missed.
func testKilledUnderTail(t *testing.T, c cluster) {
	const topic, group = "tail.jobs", "tail"
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	must(t, c.work.Produce(t.Context(), topic, 0, 7))
	must(t, c.work.SetGroupConfig(t.Context(), group, "share.auto.offset.reset", "earliest"))
	must(t, c.work.PlaceGroup(t.Context(), group, topic, 3))
	w := watch(t, c, group)
	w.until("live", func(b *model.Board) bool { return fromStateTopic(b) && hasLag(b, group, 4) })

	must(t, c.Kill9(1))
	gone := w.until("the tail not known to be current", func(b *model.Board) bool {
		return b.Snapshot.Offsets.Tail.Phase == model.TailBehind
	})
	if !hasLag(gone, group, 4) {
		t.Errorf("what was last seen is gone with the broker:\n%s", describe(gone))
	}
	must(t, c.Reconfigure(busyCoordinator()))
	must(t, c.Restart(t.Context(), 1))
	must(t, c.work.Produce(t.Context(), topic, 0, 1))
	consumer := accept(t, c, topic, group)
	consumer.waitFor(t, 5)
	w.until("what was consumed, from the state topic, and no problem any more", func(b *model.Board) bool {
		return hasLag(b, group, 0) && row(b, group).Group.OffsetsFrom == model.FromStateTopic && len(b.Snapshot.Problems) == 0
	})
	consumer.close()
}
