package model

import (
	"strconv"
	"strings"
)

// TextForm says in which form outside text is written.
type TextForm uint8

const (
	// TextRaw is the text as it came: for files and pipes.
	TextRaw TextForm = iota
	// TextSafe is the form that is safe for a terminal.
	TextSafe
)

// Of returns a text in that form.
func (f TextForm) Of(t Text) string {
	if f == TextSafe {
		return t.safe
	}
	return t.raw
}

// csvHeader names the columns of CSV output.
func csvHeader() []string {
	return []string{
		"groupId", "groupState", "coordinator", "memberCount", "groupLag", "groupLagPartial",
		"severity", "finding", "verdict",
		"topicName", "topicId", "partitionIndex", "startOffset", "logStartOffset", "endOffset", "lag", "leaderEpoch",
	}
}

// ExportCSV writes one line per share-partition after a line of column names;
// a group without any, or whose partitions are unknown, has one line with
// those columns empty. Unknown is an empty field. The format is RFC 4180:
// lines end in CR LF, and a field with a comma, quote or line end is quoted.
func ExportCSV(b *Board, rows []*Row, form TextForm) []byte {
	out := AppendCSV(nil, csvHeader())
	for _, row := range rows {
		group := groupFields(row, form)
		if len(row.Group.Partitions) == 0 {
			out = AppendCSV(out, append(group, make([]string, len(csvHeader())-len(group))...))
		}
		for i := range row.Group.Partitions {
			out = AppendCSV(out, append(group, partitionFields(b.Snapshot, &row.Group.Partitions[i], form)...))
		}
	}
	return out
}

// groupFields are the columns that all lines of a group share. The slice has
// no spare capacity, so that lines can be appended to it independently.
func groupFields(row *Row, form TextForm) []string {
	coordinator := ""
	if row.Group.Coordinator >= 0 {
		coordinator = strconv.Itoa(int(row.Group.Coordinator))
	}
	fields := []string{
		form.Of(row.Group.ID.Text), string(row.Group.State), coordinator, csvNumber(row.Members),
		csvNumber(row.Lag), strconv.FormatBool(row.LagPartial),
		row.Verdict.Severity.String(), string(row.Verdict.Finding), row.Verdict.Text,
	}
	return fields[:len(fields):len(fields)]
}

// partitionFields are the columns of one share-partition.
func partitionFields(s *Snapshot, p *SharePartition, form TextForm) []string {
	log, id := s.Log(p.Topic, p.Partition), s.TopicIDOf(p).String()
	return []string{
		form.Of(p.Topic.Text), id, strconv.Itoa(int(p.Partition)), csvNumber(p.Start),
		csvNumber(log.LogStart), csvNumber(log.End), csvNumber(p.Lag), csvNumber(p.LeaderEpoch),
	}
}

// csvNumber is a number in plain digits, empty where it is unknown.
func csvNumber(n Number) string {
	if v, ok := n.Get(); ok {
		return strconv.FormatInt(v, 10)
	}
	return ""
}

// AppendCSV adds one line of RFC 4180 to out. encoding/csv is not used because it changes line
// ends inside fields when lines end in CR LF.
func AppendCSV(out []byte, fields []string) []byte {
	for i, f := range fields {
		if i > 0 {
			out = append(out, ',')
		}
		if strings.ContainsAny(f, ",\"\r\n") {
			f = `"` + strings.ReplaceAll(f, `"`, `""`) + `"`
		}
		out = append(out, f...)
	}
	return append(out, "\r\n"...)
}
