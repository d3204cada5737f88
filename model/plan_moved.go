package model

import "fmt"

// Moved says what is no longer as it was when the plan was made, one sentence
// for each; empty when the plan still holds. A newer log end does not count:
// the numbers of the plan are frozen.
func (p *Plan) Moved(now *GroupLook) []string {
	var out []string
	if n := len(now.Members); n > 0 {
		out = append(out, "The group has members now: "+NameMembers(now.Members)+".")
	}
	if p.Look.Exists && !now.Exists {
		out = append(out, "The group is gone.")
	}
	if !p.Look.Exists && now.Exists {
		out = append(out, "The group exists now.")
	}
	seen := make(map[TopicPartition]*LookPartition, len(now.Partitions))
	for i := range now.Partitions {
		seen[now.Partitions[i].TopicPartition] = &now.Partitions[i]
	}
	for i := range p.Rows {
		if r := &p.Rows[i]; r.Write {
			if text := r.moved(seen[r.TopicPartition]); text != "" {
				out = append(out, fmt.Sprintf("%s-%d: %s.", r.Topic, r.Partition, text))
			}
		}
	}
	return out
}

// moved says what is different about one row; empty for nothing.
func (r *PlanRow) moved(l *LookPartition) string {
	switch {
	case l == nil:
		return "the partition is gone"
	case l.Trouble != "":
		return l.Trouble
	case l.TopicID != r.TopicID:
		return "the topic was made anew"
	case l.Start != r.Now:
		return "its start offset was " + FormatNumber(r.Now) + " and is " + FormatNumber(l.Start)
	}
	to, first, end := r.New.Or(0), l.LogStart, l.End
	if !first.IsKnown() || !end.IsKnown() {
		return "the ends of its log are not known"
	}
	if to < first.Or(0) || to > end.Or(0) {
		return "its log no longer has offset " + FormatInt(to)
	}
	return ""
}

// maxNamedMembers bounds how many members are named in a sentence.
const maxNamedMembers = 5

// NameMembers names members with their hosts, for a sentence.
func NameMembers(members []Member) string {
	text := ""
	for i := range members {
		if i == maxNamedMembers {
			return text + fmt.Sprintf(" and %d more", len(members)-maxNamedMembers)
		}
		if i > 0 {
			text += ", "
		}
		m := &members[i]
		name := m.ClientID.String()
		if name == "" {
			name = m.ID.String()
		}
		text += name + " (" + m.Host.String() + ")"
	}
	return text
}
