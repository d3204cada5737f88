//go:build unix

package test

import (
	"slices"
	"testing"

	"sharetop/model"
)

// testSessionMoves: what is said before joining of the partitions that the
// others lose is what the broker's assignor then does.
func testSessionMoves(t *testing.T, c cluster) {
	const partitions = 5
	topic, group := "session-moves.jobs", "session-moves"
	must(t, c.work.CreateTopic(t.Context(), topic, partitions))
	must(t, c.work.PlaceGroup(t.Context(), group, topic, 0, 0, 0, 0, 0))
	w := watch(t, c, group)
	joinGroup(t, c, group, topic)
	before := allAssigned(w, group, 1, partitions)
	for members := 2; members <= 3; members++ {
		cost := model.CostOfJoining(before, nil)
		t.Logf("foreseen of %d members: %+v", members, cost.Moves)
		s := joinGroup(t, c, group, topic)
		after := allAssigned(w, group, members, partitions)
		lost := lostPartitions(before, after)
		t.Logf("lost: %v", lost)
		if n := int64(len(lost)); n < cost.Moves.Low || n > cost.Moves.High {
			t.Errorf("%d partitions moved, %d to %d foreseen", n, cost.Moves.Low, cost.Moves.High)
		}
		for _, p := range lost {
			if !slices.Contains(cost.Moves.Among, p) {
				t.Errorf("%v moved, foreseen were some of %v", p, cost.Moves.Among)
			}
		}
		if given := assignedTo(after, s.Terms().Member); !slices.Equal(given, lost) {
			t.Errorf("the new member has %v, the others lost %v", given, lost)
		}
		before = after
	}
}

// allAssigned waits until a group has so many members and each partition one.
func allAssigned(w *watching, group string, members, partitions int) *model.Group {
	w.t.Helper()
	b := w.until("all partitions assigned", func(b *model.Board) bool {
		r := row(b, group)
		if r == nil || len(r.Group.Members) != members {
			return false
		}
		n := 0
		for i := range r.Group.Members {
			mine := len(assignedTo(r.Group, r.Group.Members[i].ID))
			if mine == 0 {
				return false
			}
			n += mine
		}
		return n == partitions && len(r.Group.Partitions) == partitions
	})
	return row(b, group).Group
}

// assignedTo is what a member has, ascending.
func assignedTo(g *model.Group, member model.Text) (out []model.TopicPartition) {
	for i := range g.Members {
		if g.Members[i].ID != member {
			continue
		}
		for _, a := range g.Members[i].Assignment {
			for _, p := range a.Partitions {
				out = append(out, model.TopicPartition{Topic: a.Topic, Partition: p})
			}
		}
	}
	return out
}

// lostPartitions are what the members of before no longer have, ascending.
func lostPartitions(before, after *model.Group) (lost []model.TopicPartition) {
	for i := range before.Members {
		id := before.Members[i].ID
		kept := assignedTo(after, id)
		for _, p := range assignedTo(before, id) {
			if !slices.Contains(kept, p) {
				lost = append(lost, p)
			}
		}
	}
	slices.SortFunc(lost, func(a, b model.TopicPartition) int { return int(a.Partition - b.Partition) })
	return lost
}
