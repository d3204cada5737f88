package model

import (
	"strconv"
	"strings"
	"time"
)

// Markdown writes the rows of a board, or the opened group in depth, as a
// Markdown document for a ticket: GitHub's dialect, in which outside names are
// code spans, so that nothing in them is markup, a link or a mention.
func Markdown(b *Board, rows []*Row, now time.Time) string {
	var out strings.Builder
	if b.Open != nil && b.Open.Row != nil {
		out.WriteString("# Share group " + mdCode(b.Open.ID.String()) + "\n\n")
		out.WriteString(mdFacts(b, now))
		out.WriteString(mdGroup(b, b.Open))
	} else {
		out.WriteString("# Share groups\n\n")
		out.WriteString(mdFacts(b, now))
		out.WriteString(mdRows(rows))
	}
	if problems := AllProblems(b.Snapshot); len(problems) > 0 {
		out.WriteString("\n## Not seen, or not as it should be\n\n")
		for _, p := range problems {
			out.WriteString("- " + mdCode(p.Target.String()) + ": " + mdProse(p.Detail))
			if p.Advice != "" {
				out.WriteString(" *" + mdProse(p.Advice) + "*")
			}
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// mdFacts says where and when.
func mdFacts(b *Board, now time.Time) string {
	s := b.Snapshot
	if s == nil {
		return "Nothing was seen yet.\n\n"
	}
	lines := "- cluster " + mdText(s.Cluster.ID) + ", " + countOf(len(s.Cluster.Brokers), "broker") + "\n"
	if !s.Answered.IsZero() {
		lines += "- seen " + s.Answered.UTC().Format("2006-01-02 15:04:05Z") + ", " + FormatAge(s.Answered, now) + "\n"
	}
	if b.Open == nil {
		lines += "- " + countOf(b.Totals.Groups, "group") + ", lag " + FormatTotal(b.Totals.Lag, b.Totals.Partial) +
			", " + strconv.Itoa(b.Totals.Stuck) + " stuck, " + strconv.Itoa(b.Totals.Warn) + " warn\n"
	}
	return lines + "\n"
}

// mdRows is the table of groups.
func mdRows(rows []*Row) string {
	t := newMDTable("Group", "State", "Members>", "Partitions>", "Lag>", "In/s>", "Done/s>", "Drain>", "Why")
	for _, row := range rows {
		t.add(mdCode(row.Group.ID.String()), stateWord(row.Group.State), FormatNumber(row.Members),
			FormatNumber(row.Partitions), FormatTotal(row.Lag, row.LagPartial), mdProse(FormatRate(row.In)),
			mdProse(FormatRate(row.Done)), mdProse(FormatDrain(row.Drain)), mdProse(whyText(row.Verdict)))
	}
	return t.String()
}

// mdGroup is one group: facts, verdict, partitions, members.
func mdGroup(b *Board, open *OpenGroup) string {
	row, group := open.Row, open.Row.Group
	var out strings.Builder
	out.WriteString("- state " + stateWord(group.State) + ", epoch " + FormatNumber(group.Epoch) + "/" +
		FormatNumber(group.AssignmentEpoch) + ", assignor " + mdText(group.Assignor) +
		", coordinator " + brokerName(group.Coordinator) + "\n")
	out.WriteString("- lag " + FormatTotal(row.Lag, row.LagPartial) + ", in/s " + mdProse(FormatRate(row.In)) +
		", done/s " + mdProse(FormatRate(row.Done)) + ", drain " + mdProse(FormatDrain(row.Drain)) + "\n")
	out.WriteString("- verdict: **" + mdProse(whyText(row.Verdict)) + "**\n")
	for _, line := range row.Verdict.Evidence {
		out.WriteString("  - " + mdProse(line.String()) + "\n")
	}
	out.WriteString("\n## Partitions\n\n" + mdPartitions(b.Snapshot, open))
	if len(group.Members) > 0 {
		out.WriteString("\n## Members\n\n" + mdMembers(group))
	}
	return out.String()
}

func mdPartitions(s *Snapshot, open *OpenGroup) string {
	t := newMDTable("Topic", "Partition>", "Leader>", "Start>", "Log start>", "End>", "Lag>", "Ahead>", "Why")
	for i := range open.Partitions {
		p := &open.Partitions[i]
		t.add(mdCode(p.Topic.String()), strconv.Itoa(int(p.Partition)), leaderName(p.Log), FormatNumber(p.Start),
			FormatNumber(p.Log.LogStart), FormatNumber(p.Log.End), FormatNumber(p.Lag), FormatNumber(p.Ahead),
			mdProse(p.Verdict.Text))
	}
	if len(open.Partitions) > 0 || s == nil {
		return t.String()
	}
	for i := range open.Row.Group.Partitions {
		p := &open.Row.Group.Partitions[i]
		log := s.Log(p.Topic, p.Partition)
		t.add(mdCode(p.Topic.String()), strconv.Itoa(int(p.Partition)), leaderName(log), FormatNumber(p.Start),
			FormatNumber(log.LogStart), FormatNumber(log.End), FormatNumber(p.Lag), Unknown, "")
	}
	return t.String()
}

func mdMembers(group *Group) string {
	t := newMDTable("Member", "Client", "Host", "Epoch>", "Assignment")
	for i := range group.Members {
		m := &group.Members[i]
		t.add(mdText(m.ID), mdText(m.ClientID), mdText(m.Host), strconv.Itoa(int(m.Epoch)),
			mdProse(FormatAssignment(m.Assignment)))
	}
	return t.String()
}

// mdTable builds a table line by line.
type mdTable struct{ out strings.Builder }

// newMDTable takes the column titles; one that ends in ">" is aligned right.
func newMDTable(titles ...string) *mdTable {
	t := &mdTable{}
	rule := make([]string, len(titles))
	for i, title := range titles {
		name, right := strings.CutSuffix(title, ">")
		titles[i], rule[i] = name, "---"
		if right {
			rule[i] = "---:"
		}
	}
	t.add(titles...)
	t.add(rule...)
	return t
}

// add adds a line. A "|" in a cell is escaped here, in code spans too: a table
// is cut into cells before anything else is read.
func (t *mdTable) add(cells ...string) {
	t.out.WriteByte('|')
	for _, c := range cells {
		t.out.WriteString(" " + strings.ReplaceAll(c, "|", `\|`) + " |")
	}
	t.out.WriteByte('\n')
}

// String is the table so far.
func (t *mdTable) String() string { return t.out.String() }

// mdText is outside text as a code span, "–" when there is none.
func mdText(t Text) string {
	if t.Empty() {
		return Unknown
	}
	return mdCode(t.String())
}

// mdCode is a code span around safe text: as many backticks as it takes, and a
// space inside where the text begins or ends with one or with a space.
func mdCode(safe string) string {
	fence, run := 0, 0
	for _, c := range safe {
		if c != '`' {
			run = 0
			continue
		}
		run++
		fence = max(fence, run)
	}
	ticks := strings.Repeat("`", fence+1)
	if safe == "" || strings.HasPrefix(safe, "`") || strings.HasSuffix(safe, "`") ||
		strings.HasPrefix(safe, " ") || strings.HasSuffix(safe, " ") {
		safe = " " + safe + " "
	}
	return ticks + safe + ticks
}

// mdProse escapes what would be markup in a sentence. A "|" is left to the
// table.
func mdProse(s string) string {
	return strings.NewReplacer(
		`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
		"<", "&lt;", ">", "&gt;", "&", "&amp;", "~", `\~`, "#", `\#`, "@", "&#64;",
	).Replace(s)
}
