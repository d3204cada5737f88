package model

import (
	"fmt"
	"slices"
	"strings"
)

// JoinMoves is what the broker's simple assignor (KIP-932) will do when one more
// member joins a group, as far as that can be foreseen: it gives every member
// about as many partitions as the others and leaves with each what it may keep.
// Which partitions a member loses depends on the order of hashes, and so on an
// id that the new member does not have yet: they are among Among.
type JoinMoves struct {
	// Low and High bound how many partitions are taken away from the others.
	Low, High int64
	// Shared is true where the members are more than the partitions then: each
	// partition has several members, and nobody has to lose one.
	Shared bool
	// Among are the partitions of the members that have more than their share
	// then, by topic and number.
	Among []TopicPartition
	// Foreseen is false where another rule applies: an assignor that is not the
	// simple one, or members that subscribe to unlike topics. Then Low is 0, and
	// Among is all that the others have of the topics.
	Foreseen bool
}

// simpleAssignor is the name of the one assignor that Kafka has for share groups
// (group.share.assignors).
const simpleAssignor = "simple"

// movesOfJoining foresees what joining a group with members does to them. The
// partitions are those of the topics, which the group reads already.
func movesOfJoining(g *Group, topics []TopicName, partitions int64) JoinMoves {
	members := int64(len(g.Members)) + 1
	foreseen := (g.Assignor.Empty() || g.Assignor.Raw() == simpleAssignor) && subscribeAlike(g, topics)
	// Each partition has as many members as it takes to give all members work.
	each := (members + partitions - 1) / max(1, partitions)
	least, most := each*partitions/members, (each*partitions+members-1)/members
	m := JoinMoves{High: most, Shared: each > 1, Foreseen: foreseen}
	have := int64(0)
	for i := range g.Members {
		held := partitionsOf(&g.Members[i], topics)
		have += int64(len(held))
		if !foreseen || int64(len(held)) > least {
			m.Among = append(m.Among, held...)
		}
	}
	if foreseen {
		m.Low = max(0, least-max(0, partitions-have)) // what nobody has is given first
	}
	slices.SortFunc(m.Among, comparePartitions)
	m.Among = slices.Compact(m.Among)
	m.High = min(m.High, int64(len(m.Among)))
	m.Low = min(m.Low, m.High)
	return m
}

// subscribeAlike tells whether every member subscribes to just these topics.
func subscribeAlike(g *Group, topics []TopicName) bool {
	for i := range g.Members {
		subscribed := g.Members[i].Subscribed
		if len(subscribed) != len(topics) {
			return false
		}
		for _, t := range subscribed {
			if !slices.Contains(topics, t) {
				return false
			}
		}
	}
	return true
}

// partitionsOf are the partitions of some topics that a member is assigned.
func partitionsOf(m *Member, topics []TopicName) []TopicPartition {
	var out []TopicPartition
	for _, a := range m.Assignment {
		if !slices.Contains(topics, a.Topic) {
			continue
		}
		for _, p := range a.Partitions {
			out = append(out, TopicPartition{a.Topic, p})
		}
	}
	return out
}

func comparePartitions(a, b TopicPartition) int {
	if c := strings.Compare(a.Topic.raw, b.Topic.raw); c != 0 {
		return c
	}
	return int(a.Partition) - int(b.Partition)
}

// takes says what is taken away from the others: "this one takes ~1 or 2 away
// from the others, of orders-0, orders-1".
func (m JoinMoves) takes() string {
	count := "~" + FormatInt(m.High)
	switch {
	case m.High == 0:
		return "no other member loses any"
	case !m.Foreseen:
		count = "up to " + count
	case m.Low < m.High:
		count = "~" + FormatInt(m.Low) + " or " + FormatInt(m.High)
	}
	names := make([]string, 0, maxNamed+1)
	for _, p := range m.Among[:min(len(m.Among), maxNamed)] {
		names = append(names, fmt.Sprintf("%s-%d", p.Topic, p.Partition))
	}
	of := ", of "
	if m.Low == int64(len(m.Among)) {
		of = ": "
	}
	return "this one takes " + count + " away from the others" + of + strings.Join(andMore(names, len(m.Among)), ", ")
}
