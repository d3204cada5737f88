//go:build unix

package test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"sharetop/model"
	"sharetop/test/judge"
)

// compare holds a snapshot against what Kafka's own command says of groups in
// which nothing happens. Both must have been taken while that held.
func compare(t *testing.T, c cluster, w *watching, groups ...string) {
	t.Helper()
	offsets, err := c.judge.Offsets(t.Context(), groups...)
	must(t, err)
	members, err := c.judge.Members(t.Context(), groups...)
	must(t, err)
	states, err := c.judge.States(t.Context(), groups...)
	must(t, err)
	seen := w.untilFresh().Snapshot
	sameRows(t, "offsets", ours(seen, groups, offsetRows), offsets)
	sameRows(t, "members", ours(seen, groups, memberRows), members)
	sameRows(t, "state", ours(seen, groups, stateRow), states)
}

// compareOffsets is compare for offsets alone, which takes a third of the time.
func compareOffsets(t *testing.T, c cluster, w *watching, groups ...string) {
	t.Helper()
	offsets, err := c.judge.Offsets(t.Context(), groups...)
	must(t, err)
	sameRows(t, "offsets", ours(w.untilFresh().Snapshot, groups, offsetRows), offsets)
}

// sameRows compares two tables without regard to their order.
func sameRows[Row any](t *testing.T, what string, got, want []Row) {
	t.Helper()
	lines := func(rows []Row) []string {
		var all []string
		for _, r := range rows {
			all = append(all, fmt.Sprintf("%+v", r))
		}
		slices.Sort(all)
		return all
	}
	if g, w := lines(got), lines(want); !slices.Equal(g, w) {
		t.Errorf("%s differ from Kafka's own command:\nsharetop %q\nKafka    %q", what, g, w)
	}
	if len(want) == 0 && what != "members" {
		t.Errorf("Kafka's own command shows no %s: nothing was compared", what)
	}
}

func ours[Row any](s *model.Snapshot, groups []string, rows func(*model.Snapshot, *model.Group) []Row) []Row {
	var all []Row
	for _, group := range groups {
		if g := s.Group(model.NewGroupID(group)); g != nil {
			all = append(all, rows(s, g)...)
		}
	}
	return all
}

func offsetRows(_ *model.Snapshot, g *model.Group) []judge.OffsetRow {
	var rows []judge.OffsetRow
	for _, p := range g.Partitions {
		rows = append(rows, asPrinted(judge.OffsetRow{
			Group: g.ID.Raw(), Topic: p.Topic.Raw(), Partition: p.Partition,
			LeaderEpoch: p.LeaderEpoch, Start: p.Start, Lag: p.Lag,
		}))
	}
	return rows
}

// asPrinted takes out what Kafka's command does not print: a lag below zero, and
// the leader epoch of a partition without a start offset.
func asPrinted(r judge.OffsetRow) judge.OffsetRow {
	if r.Lag.Or(0) < 0 {
		r.Lag = model.Number{}
	}
	if !r.Start.IsKnown() {
		r.LeaderEpoch = model.Number{}
	}
	return r
}

func memberRows(_ *model.Snapshot, g *model.Group) []judge.MemberRow {
	var rows []judge.MemberRow
	for _, m := range g.Members {
		r := judge.MemberRow{
			Group: g.ID.Raw(), Member: m.ID.Raw(), Host: "/" + m.Host.Raw(), ClientID: m.ClientID.Raw(),
			Epoch: model.Known(int64(m.Epoch)),
		}
		for _, a := range m.Assignment {
			for _, p := range a.Partitions {
				r.Assignment = append(r.Assignment, fmt.Sprintf("%s-%d", a.Topic.Raw(), p))
			}
		}
		slices.Sort(r.Assignment)
		r.Partitions = len(r.Assignment)
		rows = append(rows, r)
	}
	return rows
}

func stateRow(s *model.Snapshot, g *model.Group) []judge.StateRow {
	r := judge.StateRow{
		Group: g.ID.Raw(), Coordinator: g.Coordinator, State: g.State,
		Epoch: g.Epoch, AssignmentEpoch: g.AssignmentEpoch, Members: len(g.Members),
	}
	at, found := slices.BinarySearchFunc(s.Cluster.Brokers, g.Coordinator, func(b model.Broker, id int32) int { return cmp.Compare(b.ID, id) })
	if found {
		r.Address = fmt.Sprintf("%s:%d", s.Cluster.Brokers[at].Host.Raw(), s.Cluster.Brokers[at].Port)
	}
	return []judge.StateRow{r}
}
