package model

import (
	"errors"
	"fmt"
	"slices"
)

// JoinRequest asks to become a member of a share group.
type JoinRequest struct {
	Group  GroupID
	Topics []TopicName
	// Terms are the limits as the snapshot knows them; the session completes
	// them.
	Terms SessionTerms
}

// ErrMemberStays is in the error of joining that was given up where the group may
// have taken the member in and was not told that it goes.
var ErrMemberStays = errors.New("a member of it may be there until its session timeout")

// JoinCost is what joining a group means, as far as a snapshot tells.
type JoinCost struct {
	Topics []TopicName
	// Members and Partitions are those before joining; unknown where the group
	// may not be described.
	Members, Partitions Number
	// Moves is what that does to the other members; the zero value while there
	// are none, or not known.
	Moves JoinMoves
	// Last are records whose next delivery, which may be running, is the last:
	// getting them and leaving without a decision archives them. Known only from
	// the state topic; LastKnown says whether it was looked at.
	Last      []RecordID
	LastMore  int64
	LastKnown bool
	Terms     SessionTerms
}

// maxLast bounds how many records on their last delivery are listed.
const maxLast = 20

// CostOfJoining says what joining a group costs. The group may be nil: then
// nobody knows it yet.
func CostOfJoining(g *Group, topics []TopicName) JoinCost {
	c := JoinCost{Topics: topics}
	if g == nil {
		c.Terms.DeliveryLimit, c.Terms.LimitFrom = Known(DefaultDeliveryLimit), "Kafka's default"
		return c
	}
	if len(topics) == 0 {
		c.Topics = TopicsOf(g)
	}
	c.Terms = termsOf(g)
	if !g.Described.IsZero() {
		c.Members = Known(int64(len(g.Members)))
	}
	c.addPartitions(g)
	if partitions := c.Partitions.Or(0); partitions > 0 && c.Members.Or(0) > 0 {
		c.Moves = movesOfJoining(g, c.Topics, partitions)
	}
	return c
}

// TopicsOf are the topics that a group reads: those its members subscribe to,
// else those it has offsets of.
func TopicsOf(g *Group) []TopicName {
	var all []TopicName
	for i := range g.Members {
		all = append(all, g.Members[i].Subscribed...)
	}
	if len(all) == 0 {
		for i := range g.Partitions {
			all = append(all, g.Partitions[i].Topic)
		}
	}
	slices.SortFunc(all, func(a, b TopicName) int {
		switch {
		case a.raw < b.raw:
			return -1
		case a.raw > b.raw:
			return 1
		}
		return 0
	})
	return slices.Compact(all)
}

// termsOf reads the limits of a group.
func termsOf(g *Group) SessionTerms {
	t := SessionTerms{Group: g.ID, Heartbeat: g.Effective().HeartbeatInterval}
	t.DeadLetters = TopicName{g.Effective().DeadLetterTopic}
	t.DeliveryLimit, t.LimitFrom = g.Effective().DeliveryLimit, "the group's effective config"
	if !t.DeliveryLimit.IsKnown() {
		t.DeliveryLimit, t.LimitFrom = Known(DefaultDeliveryLimit), "Kafka's default; the configs are not known"
	}
	if g.Configs == nil {
		return t
	}
	for i := range g.Configs.Entries {
		switch e := &g.Configs.Entries[i]; e.Key.Raw() {
		case "share.delivery.count.limit":
			t.LimitFrom = limitFrom(e.Source)
		case "share.renew.acknowledge.enable":
			if e.Value.Raw() == "false" {
				t.NoRenew = "the group has share.renew.acknowledge.enable=false"
			}
		}
	}
	return t
}

func limitFrom(s ConfigSource) string {
	switch s {
	case ConfigFromGroup:
		return "set on the group"
	case ConfigFromBroker:
		return "the broker's default"
	default:
		return "Kafka's default"
	}
}

// addPartitions counts the partitions of the topics, and finds the records on
// their last delivery.
func (c *JoinCost) addPartitions(g *Group) {
	if g.OffsetsAt.IsZero() {
		return
	}
	n, limit := int64(0), c.Terms.limit()
	counted := make(map[TopicName]bool, len(c.Topics))
	for i := range g.Partitions {
		p := &g.Partitions[i]
		if !slices.Contains(c.Topics, p.Topic) {
			continue
		}
		n++
		counted[p.Topic] = true
		if p.State == nil {
			continue
		}
		c.LastKnown = true
		for b := range p.State.Released() {
			if int64(b.Count) >= limit-1 {
				c.addLast(p, b)
			}
		}
	}
	if len(counted) == len(c.Topics) { // else the group does not read some of them yet
		c.Partitions = Known(n)
	}
}

func (c *JoinCost) addLast(p *SharePartition, b StateBatch) {
	for offset := b.First; offset <= b.Last; offset++ {
		if len(c.Last) == maxLast {
			c.LastMore += b.Last - offset + 1
			return
		}
		c.Last = append(c.Last, RecordID{p.Topic, p.Partition, offset})
	}
}

// Lines say what joining costs, one sentence each, most important first.
func (c *JoinCost) Lines() []string {
	var out []string
	if len(c.Last) > 0 {
		out = append(out, fmt.Sprintf("%s on their last delivery, which may be running: if this session gets them and "+
			"ends without a decision they are archived: %s. share.delivery.count.limit gives more deliveries (Kafka 4.3 and later).",
			countRecords(len(c.Last)+int(c.LastMore)), nameRecords(c.Last)))
	} else if !c.LastKnown {
		out = append(out, "Which records are on their last delivery is not known: the state topic is not read.")
	}
	return append(out, c.moves(), fmt.Sprintf(
		"Each record taken uses one of its %s deliveries (%s), also when it is given back.",
		FormatNumber(c.Terms.DeliveryLimit), c.Terms.LimitFrom),
		"One cannot choose offsets: the group hands out what is next. The first record can take a heartbeat"+c.heartbeat()+".")
}

// heartbeat is how long one is, where that is known.
func (c *JoinCost) heartbeat() string {
	if c.Terms.Heartbeat <= 0 {
		return ""
	}
	return " (" + FormatDuration(c.Terms.Heartbeat) + ")"
}

// moves says what happens to the partitions of the others.
func (c *JoinCost) moves() string {
	members, known := c.Members.Get()
	partitions, counted := c.Partitions.Get()
	switch {
	case !known || !counted:
		return "The group gets a member; whether that takes partitions from others is not known."
	case members == 0:
		return "The group gets a member, its only one: it is given all partitions."
	case partitions == 0:
		return "The group gets a member; it has no partitions yet that one could be given."
	}
	text := fmt.Sprintf("The group then has %s for %s: ", countOf(int(members+1), "member"), countOf(int(partitions), "partition"))
	if c.Moves.Shared {
		return text + "members share partitions, and assignments still move."
	}
	return text + c.Moves.takes() + "."
}
