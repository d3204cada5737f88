package model

import (
	"fmt"
	"strings"
)

// Consequences says what writing the plan does, one sentence each: for the
// question before it.
func (p *Plan) Consequences() []string {
	t := p.Totals()
	lines := []string{fmt.Sprintf("%s of %s will be written: %s delivered again, %s never delivered.",
		countOf(t.Written, "start offset"), p.Group, t.Again, t.Never)}
	if !t.Ahead.Zero() {
		lines = append(lines, fmt.Sprintf("Undo restores start offsets only: %s finished ahead are lost for good.", t.Ahead))
	}
	if !p.Look.Exists {
		lines = append(lines, "There is no such group yet: this makes it.")
	}
	if t.NoUndo > 0 {
		lines = append(lines, p.noUndoText())
	}
	if t.NoUndo < t.Written {
		lines = append(lines, "An undo file is written first.")
	}
	return lines
}

// MembersText says who is in the group and what that means for writing; empty
// for an empty group.
func (p *Plan) MembersText() string {
	members := p.Look.Members
	if len(members) == 0 {
		return ""
	}
	return "It has " + countOf(len(members), "member") + ": " + NameMembers(members) +
		". Nothing is written while it has any, and one that was killed stays for up to 45 s."
}

// maxNamedPartitions bounds how many partitions are named in a sentence.
const maxNamedPartitions = 5

// noUndoText names what the undo can't bring back, and what does.
func (p *Plan) noUndoText() string {
	none := p.NotUndone()
	names := make([]string, 0, maxNamedPartitions)
	for _, n := range none[:min(len(none), maxNamedPartitions)] {
		names = append(names, fmt.Sprintf("%s-%d", n.Topic, n.Partition))
	}
	if more := len(none) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	remedy := "deleting the topic's offsets takes them back"
	if !p.Look.Exists {
		remedy = "as this makes the group, deleting the group takes it back"
	}
	return fmt.Sprintf("No undo for %s without a start offset before (%s): %s.",
		countOf(len(none), "partition"), strings.Join(names, ", "), remedy)
}

// Sentences says what was written, where the way back is, and what it is not.
func (r *ResetResult) Sentences(p *Plan) []string {
	if len(r.Moved) > 0 {
		return append([]string{"Nothing was written. What moved since the plan:"}, r.Moved...)
	}
	out := []string{fmt.Sprintf("%d of %s written and read back.", r.Written(), countOf(len(r.Rows), "partition"))}
	if r.Trouble != "" {
		out = append(out, r.Trouble)
	}
	if !r.UndoPath.Empty() {
		out = append(out, "Undo file: "+r.UndoPath.String())
	}
	if p.Totals().NoUndo > 0 {
		out = append(out, p.noUndoText())
	}
	for i := range r.Rows {
		if advice := r.Rows[i].Advice; advice != "" {
			return append(out, "next: "+advice)
		}
	}
	return out
}

// DeleteConsequences says what deleting groups, or with a topic what one group
// has of it, leads to, one sentence each.
func DeleteConsequences(groups int, topic *TopicName) []string {
	if topic != nil {
		return []string{
			"What the group has of this topic is lost for good; the group stays. The next member starts where share.auto.offset.reset says.",
			"A group with members is refused.",
		}
	}
	refused := "A group with members is refused."
	if groups > 1 {
		refused = "Groups with members are refused, one by one."
	}
	return []string{
		"Start offsets and all that is finished ahead of them are lost for good: there is no undo.",
		"Configs that are set on a group stay in the cluster, and a group made again under the name gets them; unsetting them is offered afterwards.",
		refused,
	}
}
