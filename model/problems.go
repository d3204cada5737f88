package model

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// AllProblems gathers what could not be seen anywhere in a snapshot: of the
// cluster, of topics, groups and share-partitions, in this order, each once.
func AllProblems(s *Snapshot) []Problem {
	if s == nil {
		return nil
	}
	all := collector{seen: map[problemKey]bool{}}
	for _, p := range s.Problems {
		all.add(p)
	}
	for _, t := range sortedTopics(s.Topics) {
		all.addIf(t.Problem)
	}
	for _, g := range s.Groups {
		for _, p := range g.Problems {
			all.add(p)
		}
		for i := range g.Partitions {
			all.addIf(g.Partitions[i].Problem)
		}
		if g.Configs != nil {
			all.addIf(g.Configs.Problem)
		}
	}
	return all.problems
}

// problemKey is what makes two problems the same: when they were seen does not.
type problemKey struct {
	kind           ProblemKind
	target, detail string
}

// collector keeps problems in order, each once.
type collector struct {
	seen     map[problemKey]bool
	problems []Problem
}

func (c *collector) add(p Problem) {
	key := problemKey{kind: p.Kind, target: p.Target.raw, detail: p.Detail}
	if !c.seen[key] {
		c.seen[key] = true
		c.problems = append(c.problems, p)
	}
}

func (c *collector) addIf(p *Problem) {
	if p != nil {
		c.add(*p)
	}
}

// sortedTopics lists topics by name.
func sortedTopics(topics map[TopicName]*Topic) []*Topic {
	return slices.SortedFunc(maps.Values(topics), func(a, b *Topic) int {
		return cmp.Compare(a.Name.raw, b.Name.raw)
	})
}

// AllSeen tells whether a snapshot misses nothing: no problem anywhere, and
// every group described and its offsets answered. A problem that this
// program's own read-only mode makes hides nothing.
func AllSeen(s *Snapshot) bool {
	if s == nil || s.Listed.IsZero() {
		return false
	}
	for _, g := range s.Groups {
		if g.Described.IsZero() || g.OffsetsAt.IsZero() {
			return false
		}
	}
	for _, p := range AllProblems(s) {
		if p.Kind != ProblemReadOnly {
			return false
		}
	}
	return true
}

// GroupSeen tells whether all of one group was seen: its description, its
// offsets, and both ends of the log of every partition it reads.
func GroupSeen(s *Snapshot, g *Group) bool {
	if g.Described.IsZero() || g.OffsetsAt.IsZero() || len(g.Problems) > 0 {
		return false
	}
	for i := range g.Partitions {
		p := &g.Partitions[i]
		log := s.Log(p.Topic, p.Partition)
		if p.Problem != nil || !log.End.IsKnown() || !log.LogStart.IsKnown() {
			return false
		}
	}
	return true
}

// Narrow leaves one group of a snapshot, with its topics and with the problems
// that concern it: its own, those of its topics, and those of the cluster. A
// broker that cannot be reached concerns a group only when something of it was
// not seen.
func Narrow(s *Snapshot, id GroupID) *Snapshot {
	out := *s
	out.Groups, out.Topics, out.Problems = nil, map[TopicName]*Topic{}, nil
	g := s.Group(id)
	seen := false
	if g != nil {
		out.Groups = []*Group{g}
		seen = GroupSeen(s, g)
		for i := range g.Partitions {
			if name := g.Partitions[i].Topic; s.Topics[name] != nil {
				out.Topics[name] = s.Topics[name]
			}
		}
	}
	for _, p := range s.Problems {
		if concerns(p, id, out.Topics, seen) {
			out.Problems = append(out.Problems, p)
		}
	}
	return &out
}

// concerns tells by a problem's target whether it is about one group.
func concerns(p Problem, id GroupID, topics map[TopicName]*Topic, seen bool) bool {
	kind, name, _ := strings.Cut(p.Target.raw, " ")
	switch kind {
	case "group":
		return name == id.raw
	case "topic":
		return !seen || topics[NewTopicName(name)] != nil
	case "broker":
		return !seen
	}
	return true
}
