package model

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// TableOptions say how a table for people is written.
type TableOptions struct {
	// UTC shows times of day in UTC instead of local time.
	UTC bool
	// ASCII writes nothing else, for terminals and logs without UTF-8: "-" for
	// unknown, ">=" for "≥", and \u{…} for other characters of names.
	ASCII bool
	// Detail adds the partitions and members of each group.
	Detail bool
	// Now is the caller's clock, for ages.
	Now time.Time
}

// ExportTable writes rows as a table for a terminal or a pipe: all text is
// safe, and columns are aligned by terminal cells. Lines have no spaces at the
// end. Problems follow the table.
func ExportTable(b *Board, rows []*Row, o TableOptions) string {
	var out strings.Builder
	out.WriteString(o.Text(tableTitle(b, rows, o)) + "\n\n")
	if len(rows) > 0 {
		out.WriteString(groupsGrid(rows, o).Take())
	} else {
		out.WriteString("No share group was seen.\n")
	}
	if o.Detail {
		for _, row := range rows {
			out.WriteString(groupDetail(b.Snapshot, row, o))
		}
	}
	if problems := AllProblems(b.Snapshot); len(problems) > 0 {
		out.WriteString("\nNot seen, or not as it should be:\n")
		for _, p := range problems {
			out.WriteString("  " + o.Name(p.Target) + ": " + o.Text(ProblemSentence(p)) + "\n")
		}
	}
	return out.String()
}

// Text is a text of ours in the characters asked for; names in it are escaped
// where needed, but a sign of ours in a name is taken for ours.
func (o TableOptions) Text(s string) string {
	if o.ASCII {
		return escapeNonASCII(asciiSigns().Replace(s))
	}
	return s
}

// Name is outside text in the characters asked for; two names never become
// one.
func (o TableOptions) Name(t Text) string {
	switch {
	case t.Empty():
		return o.Text(Unknown)
	case o.ASCII:
		return escapeNonASCII(t.safe)
	}
	return t.safe
}

// tableTitle is one line: where, how many, how much is behind, and when.
func tableTitle(b *Board, rows []*Row, o TableOptions) string {
	cluster, taken := Unknown, Unknown
	if b.Snapshot != nil {
		if !b.Snapshot.Cluster.ID.Empty() {
			cluster = b.Snapshot.Cluster.ID.String()
		}
		taken = FormatClock(b.Snapshot.Taken, o.UTC)
	}
	return "cluster " + cluster + "  " + countOf(len(rows), "group") +
		"  lag " + FormatTotal(totalLag(rows)) + "  " + taken
}

// totalLag adds up the lags of rows; partial when one is missing or partial. The
// sum stays at the largest number rather than overflow.
func totalLag(rows []*Row) (sum Number, partial bool) {
	for _, row := range rows {
		lag, known := row.Lag.Get()
		partial = partial || !known || row.LagPartial
		if known {
			sum = sum.Plus(lag)
		}
	}
	if len(rows) == 0 {
		return Known(0), false
	}
	return sum, partial
}

// countOf writes a count with its noun: 1 group, 1,207 groups.
func countOf(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return FormatInt(int64(n)) + " " + noun
}

// groupsGrid has one line per group.
func groupsGrid(rows []*Row, o TableOptions) *Grid {
	g := NewGrid("GROUP", "STATE", "MEMB>", "PARTS>", "LAG>", "IN/s>", "DONE/s>", "DRAIN>", "WHY")
	for _, row := range rows {
		g.Add(
			o.Name(row.Group.ID.Text), stateWord(row.Group.State), o.Text(FormatNumber(row.Members)),
			o.Text(FormatNumber(row.Partitions)), o.Text(FormatTotal(row.Lag, row.LagPartial)),
			o.Text(FormatRate(row.In)), o.Text(FormatRate(row.Done)), o.Text(FormatDrain(row.Drain)),
			o.Text(whyText(row.Verdict)),
		)
	}
	return g
}

// whyText is a verdict's text with its severity where that asks for attention:
// a printout has neither sign nor colour.
func whyText(v Verdict) string {
	if v.Severity == SeverityStuck || v.Severity == SeverityWarn {
		return v.Severity.String() + ": " + v.Text
	}
	return v.Text
}

// groupDetail is what a single group has beside its line.
func groupDetail(s *Snapshot, row *Row, o TableOptions) string {
	var out strings.Builder
	group := row.Group
	out.WriteString("\n" + o.Name(group.ID.Text) + o.Text("  epoch "+FormatNumber(group.Epoch)+"/"+
		FormatNumber(group.AssignmentEpoch)+"  assignor ") + o.Name(group.Assignor) +
		o.Text("  coordinator "+brokerName(group.Coordinator)) + "\n")
	for _, line := range row.Verdict.Evidence {
		out.WriteString("  " + o.Text(line.In(o.UTC)) + "\n")
	}
	if len(group.Partitions) > 0 {
		out.WriteString("\n" + partitionsGrid(s, group, o).Take())
	}
	if len(group.Members) > 0 {
		out.WriteString("\n" + membersGrid(group, o).Take())
	}
	return out.String()
}

// partitionsGrid has one line per share-partition.
func partitionsGrid(s *Snapshot, group *Group, o TableOptions) *Grid {
	g := NewGrid("TOPIC", "PART>", "LEADER>", "START>", "LOG-START>", "END>", "LAG>")
	for i := range group.Partitions {
		p := &group.Partitions[i]
		log := s.Log(p.Topic, p.Partition)
		g.Add(o.Name(p.Topic.Text), strconv.Itoa(int(p.Partition)), o.Text(leaderName(log)), o.Text(FormatNumber(p.Start)),
			o.Text(FormatNumber(log.LogStart)), o.Text(FormatNumber(log.End)), o.Text(FormatNumber(p.Lag)))
	}
	return g
}

// membersGrid has one line per member.
func membersGrid(group *Group, o TableOptions) *Grid {
	g := NewGrid("MEMBER", "CLIENT", "HOST", "EPOCH>", "ASSIGNMENT")
	for i := range group.Members {
		m := &group.Members[i]
		g.Add(o.Name(m.ID), o.Name(m.ClientID), o.Name(m.Host), strconv.Itoa(int(m.Epoch)),
			o.Text(FormatAssignment(m.Assignment)))
	}
	return g
}

// FormatAssignment writes a member's partitions: "orders 0-2,5  refunds 0";
// "–" when it has none.
func FormatAssignment(assigned []Assignment) string {
	if len(assigned) == 0 {
		return Unknown
	}
	topics := make([]string, len(assigned))
	for i, a := range assigned {
		topics[i] = a.Topic.String() + " " + formatPartitions(a.Partitions)
	}
	return strings.Join(topics, "  ")
}

// formatPartitions writes ascending numbers, runs as from-to.
func formatPartitions(partitions []int32) string {
	var out strings.Builder
	for i := 0; i < len(partitions); {
		end := i
		for end+1 < len(partitions) && partitions[end+1] == partitions[end]+1 {
			end++
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(strconv.Itoa(int(partitions[i])))
		if end > i {
			out.WriteString("-" + strconv.Itoa(int(partitions[end])))
		}
		i = end + 1
	}
	return out.String()
}

// ProblemSentence is what is missing and what would fix it.
func ProblemSentence(p Problem) string {
	if p.Advice == "" {
		return p.Detail
	}
	return p.Detail + " To fix it: " + p.Advice
}

func stateWord(s GroupState) string {
	if s == GroupUnknown {
		return "?"
	}
	return Sanitize(string(s))
}

// brokerName writes a broker's id as the screen does: b2.
func brokerName(id int32) string {
	if id < 0 {
		return Unknown
	}
	return "b" + strconv.Itoa(int(id))
}

func leaderName(log PartitionLog) string {
	switch {
	case !log.Asked:
		return Unknown
	case log.Leader == NoLeader:
		return "none"
	}
	return brokerName(log.Leader)
}

// asciiSigns writes our own signs in ASCII.
func asciiSigns() *strings.Replacer {
	return strings.NewReplacer("–", "-", "≥", ">=", "…", "...", "−", "-", "·", "*", "■", "#", "▲", "!", "●", "o")
}

// escapeNonASCII writes what is not ASCII as Sanitize writes what is not safe.
func escapeNonASCII(safe string) string {
	if plainPrefix(safe) == len(safe) {
		return safe
	}
	var b strings.Builder
	for _, r := range safe {
		if r < utf8.RuneSelf {
			b.WriteByte(byte(r))
		} else {
			escapeRune(&b, r)
		}
	}
	return b.String()
}
