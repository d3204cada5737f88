package model

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// The shapes of JSON output. Names are the wire's names in lowerCamelCase (KIP-932,
// KIP-1226) where the wire has one; what is unknown is null, never 0 or -1.
// docs/output.md says what each field means.
type (
	jsonGroup struct {
		GroupID         GroupID       `json:"groupId"`
		GroupState      *GroupState   `json:"groupState"`
		GroupEpoch      Number        `json:"groupEpoch"`
		AssignmentEpoch Number        `json:"assignmentEpoch"`
		AssignorName    *Text         `json:"assignorName"`
		Coordinator     *int32        `json:"coordinator"`
		Lag             Number        `json:"lag"`
		LagPartial      bool          `json:"lagPartial"`
		OffsetsFrom     *string       `json:"offsetsFrom"`
		Retrying        Number        `json:"retrying"`
		Rates           *jsonRates    `json:"rates"`
		RatesReason     *string       `json:"ratesReason"`
		Verdict         jsonVerdict   `json:"verdict"`
		Members         *[]jsonMember `json:"members"`
		Topics          *[]jsonTopic  `json:"topics"`
	}
	jsonRates struct {
		In           Rate     `json:"inPerSecond"`
		Done         Rate     `json:"donePerSecond"`
		Net          Rate     `json:"netPerSecond"`
		Drain        string   `json:"drain"`
		DrainSeconds *float64 `json:"drainSeconds"`
		jsonStateRates
	}
	jsonVerdict struct {
		Severity     string     `json:"severity"`
		Finding      Finding    `json:"finding"`
		Text         string     `json:"text"`
		Since        *time.Time `json:"since"`
		SinceAtLeast bool       `json:"sinceAtLeast"`
		Evidence     []string   `json:"evidence"`
		Next         []string   `json:"next"`
	}
	jsonMember struct {
		MemberID   Text           `json:"memberId"`
		ClientID   Text           `json:"clientId"`
		ClientHost Text           `json:"clientHost"`
		RackID     *Text          `json:"rackId"`
		Epoch      int32          `json:"memberEpoch"`
		Subscribed []TopicName    `json:"subscribedTopicNames"`
		Assignment jsonAssignment `json:"assignment"`
	}
	jsonAssignment struct {
		TopicPartitions []jsonAssigned `json:"topicPartitions"`
	}
	jsonAssigned struct {
		TopicName  TopicName `json:"topicName"`
		Partitions []int32   `json:"partitions"`
	}
	jsonTopic struct {
		TopicName  TopicName       `json:"topicName"`
		TopicID    *string         `json:"topicId"`
		Partitions []jsonPartition `json:"partitions"`
	}
	jsonPartition struct {
		PartitionIndex int32  `json:"partitionIndex"`
		StartOffset    Number `json:"startOffset"`
		LogStartOffset Number `json:"logStartOffset"`
		EndOffset      Number `json:"endOffset"`
		Lag            Number `json:"lag"`
		LeaderEpoch    Number `json:"leaderEpoch"`
		jsonState
	}
	jsonProblem struct {
		Kind   ProblemKind `json:"kind"`
		Target Text        `json:"target"`
		Detail string      `json:"detail"`
		Advice *string     `json:"advice"`
	}
)

// ExportJSON writes a board's snapshot as one JSON object, with the given rows
// as its groups, one group a line. The text is safe for a terminal, and its
// strings read back as the raw text.
func ExportJSON(b *Board, rows []*Row) ([]byte, error) {
	s := b.Snapshot
	if s == nil {
		s = &Snapshot{}
	}
	var out bytes.Buffer
	out.WriteString(`{"cluster":`)
	if err := encodeJSON(&out, unlessEmpty(s.Cluster.ID)); err != nil {
		return nil, err
	}
	out.WriteString(`,"taken":`)
	if err := encodeJSON(&out, unlessZero(s.Taken)); err != nil {
		return nil, err
	}
	out.WriteString(`,"groups":[`)
	for i, row := range rows {
		out.WriteString(separator(i))
		if err := encodeJSON(&out, groupJSON(s, row)); err != nil {
			return nil, err
		}
	}
	out.WriteString("\n],\"problems\":[")
	for i, p := range AllProblems(s) {
		out.WriteString(separator(i))
		if err := encodeJSON(&out, problemJSON(p)); err != nil {
			return nil, err
		}
	}
	out.WriteString("\n]}\n")
	return out.Bytes(), nil
}

// RowJSON writes one group as ExportJSON does, indented for reading.
func RowJSON(b *Board, row *Row) ([]byte, error) {
	var line, out bytes.Buffer
	if err := encodeJSON(&line, groupJSON(b.Snapshot, row)); err != nil {
		return nil, err
	}
	if err := json.Indent(&out, line.Bytes(), "", "  "); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// separator stands before the i-th element of a list with one element a line.
func separator(i int) string {
	if i == 0 {
		return "\n"
	}
	return ",\n"
}

// encodeJSON appends a value without the line end that the encoder adds, and
// without the escapes that only matter inside HTML.
func encodeJSON(out *bytes.Buffer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	out.Truncate(out.Len() - 1)
	return nil
}

// groupJSON is one row in the shape of the output.
func groupJSON(s *Snapshot, row *Row) jsonGroup {
	g := row.Group
	out := jsonGroup{
		GroupID: g.ID, GroupEpoch: g.Epoch, AssignmentEpoch: g.AssignmentEpoch,
		AssignorName: unlessEmpty(g.Assignor), Lag: row.Lag, LagPartial: row.LagPartial,
		OffsetsFrom: sourceJSON(g), Retrying: row.Retrying, Verdict: verdictJSON(row.Verdict),
	}
	if g.State != GroupUnknown {
		out.GroupState = &g.State
	}
	if g.Coordinator >= 0 {
		out.Coordinator = &g.Coordinator
	}
	if !g.Described.IsZero() {
		members := make([]jsonMember, len(g.Members))
		for i := range g.Members {
			members[i] = memberJSON(&g.Members[i])
		}
		out.Members = &members
	}
	if !g.OffsetsAt.IsZero() {
		topics := topicsJSON(s, g)
		out.Topics = &topics
	}
	out.Rates, out.RatesReason = ratesJSON(row)
	return out
}

// ratesJSON is what is known of a row's rates, or why nothing is.
func ratesJSON(row *Row) (rates *jsonRates, reason *string) {
	if reason := RatesReason(row); reason != "" {
		return nil, &reason
	}
	rates = &jsonRates{In: row.In, Done: row.Done, Net: row.Net, Drain: drainWord(row.Drain), jsonStateRates: jsonStateRates(row.State)}
	if row.Drain.Kind == DrainIn {
		seconds := row.Drain.In.Seconds()
		rates.DrainSeconds = &seconds
	}
	return rates, nil
}

// RatesReason says why a row has no rates at all; empty when it has some.
func RatesReason(row *Row) string {
	switch {
	case row.In.Known || row.Done.Known || row.Net.Known:
		return ""
	case row.Group.OffsetsAt.IsZero():
		return "the offsets of this group were not seen"
	}
	return "a rate needs at least two looks: watch longer, e.g. --for 10s"
}

// drainWord names the kinds of drain for JSON.
func drainWord(d Drain) string {
	switch d.Kind {
	case DrainDone:
		return "done"
	case DrainIn:
		return "in"
	case DrainNever:
		return "never"
	case DrainStuck:
		return "stuck"
	case DrainUnknown:
	}
	return "unknown"
}

// verdictJSON is a verdict; its lists are empty rather than null.
func verdictJSON(v Verdict) jsonVerdict {
	return jsonVerdict{
		Severity: v.Severity.String(), Finding: v.Finding, Text: v.Text,
		Since: unlessZero(v.Since), SinceAtLeast: v.AtLeast,
		Evidence: written(v.Evidence), Next: append([]string{}, v.Next...),
	}
}

func memberJSON(m *Member) jsonMember {
	out := jsonMember{
		MemberID: m.ID, ClientID: m.ClientID, ClientHost: m.Host, RackID: unlessEmpty(m.Rack),
		Epoch: m.Epoch, Subscribed: append([]TopicName{}, m.Subscribed...),
		Assignment: jsonAssignment{TopicPartitions: make([]jsonAssigned, len(m.Assignment))},
	}
	for i, a := range m.Assignment {
		out.Assignment.TopicPartitions[i] = jsonAssigned{TopicName: a.Topic, Partitions: append([]int32{}, a.Partitions...)}
	}
	return out
}

// topicsJSON gathers a group's share-partitions, which are sorted by topic.
func topicsJSON(s *Snapshot, g *Group) []jsonTopic {
	topics := []jsonTopic{}
	for i := range g.Partitions {
		p := &g.Partitions[i]
		if len(topics) == 0 || topics[len(topics)-1].TopicName != p.Topic {
			topics = append(topics, jsonTopic{TopicName: p.Topic, TopicID: topicIDJSON(s.TopicIDOf(p))})
		}
		log := s.Log(p.Topic, p.Partition)
		last := &topics[len(topics)-1]
		last.Partitions = append(last.Partitions, jsonPartition{
			PartitionIndex: p.Partition, StartOffset: p.Start, LogStartOffset: log.LogStart,
			EndOffset: log.End, Lag: p.Lag, LeaderEpoch: p.LeaderEpoch, jsonState: stateJSON(p, log),
		})
	}
	return topics
}

// TopicIDOf is the topic id that a share-partition's state belongs to, else the
// topic's; zero when neither is known.
func (s *Snapshot) TopicIDOf(p *SharePartition) TopicID {
	id := p.TopicID
	if id == (TopicID{}) && s != nil && s.Topics[p.Topic] != nil {
		id = s.Topics[p.Topic].ID
	}
	return id
}

// topicIDJSON is a topic id, nil when it is not known.
func topicIDJSON(id TopicID) *string {
	if id == (TopicID{}) {
		return nil
	}
	text := id.String()
	return &text
}

func problemJSON(p Problem) jsonProblem {
	out := jsonProblem{Kind: p.Kind, Target: p.Target, Detail: p.Detail}
	if p.Advice != "" {
		out.Advice = &p.Advice
	}
	return out
}

// unlessEmpty is nil for an empty text, which JSON shows as null.
func unlessEmpty(t Text) *Text {
	if t.Empty() {
		return nil
	}
	return &t
}

// unlessZero is a time in UTC, nil for the zero time.
func unlessZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	utc := t.UTC().Truncate(time.Millisecond)
	return &utc
}

// MarshalJSON writes the rate, or null where it is unknown or not a number.
func (r Rate) MarshalJSON() ([]byte, error) {
	if !r.Known || math.IsNaN(r.PerSecond) || math.IsInf(r.PerSecond, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, r.PerSecond, 'f', 3, 64), nil
}
