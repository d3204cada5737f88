package model

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

// checkGolden compares with a file of testdata.
func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not as expected:\n%s", name, got)
	}
}

func exportTime() time.Time { return time.Date(2026, 11, 29, 14, 57, 3, 400e6, time.UTC) }

// exportBoard has a group with everything, one with nothing known, and one
// that is empty and whose topic may not be described.
func exportBoard() *Board {
	state := refunds()
	refunds, gone := NewTopicName("refunds"), NewTopicName("泳斗|x")
	denied := &Problem{
		Kind: ProblemDenied, Target: NewText("topic 泳斗|x"), Detail: "DESCRIBE on topic 泳斗|x is missing.",
		Advice: "grant DESCRIBE on the topic",
	}
	full := &Group{
		ID: NewGroupID("payments-retry"), State: GroupStable, Coordinator: 2, Described: exportTime(),
		Epoch: Known(7), AssignmentEpoch: Known(7), Assignor: NewText("simple"), OffsetsAt: exportTime(),
		OffsetsFrom: FromStateTopic,
		Members: []Member{{
			ID: NewText("m-1"), ClientID: NewText("refunder-2"), Host: NewText("10.0.3.7"), Epoch: 7,
			Subscribed: []TopicName{refunds}, Assignment: []Assignment{{Topic: refunds, Partitions: []int32{0, 1, 2, 5}}},
		}},
		Partitions: []SharePartition{
			{
				Topic: refunds, TopicID: TopicID{1}, Partition: 0, Start: Known(9120), Lag: Known(14), LeaderEpoch: Known(0),
				State: state, Head: &HeadRecord{Offset: 9120, Record: Known(9120), Timestamp: exportTime().Add(-14 * time.Minute)},
			},
			{Topic: refunds, TopicID: TopicID{1}, Partition: 1},
			{Topic: gone, Partition: 0, Start: Known(math.MaxInt64), Lag: Known(-980), Problem: denied},
		},
	}
	unseen := &Group{ID: NewGroupID("two\nlines\x1b\u009b"), Coordinator: -1}
	empty := &Group{
		ID: NewGroupID(`it's "q", |a`), State: GroupEmpty, Described: exportTime(), OffsetsAt: exportTime(),
		Problems: []Problem{*denied},
	}
	snapshot := &Snapshot{
		Taken: exportTime(), Answered: exportTime(), Listed: exportTime(), Groups: []*Group{full, unseen, empty},
		Cluster: Cluster{ID: NewText("abc-123"), Brokers: []Broker{{ID: 2}}},
		Topics: map[TopicName]*Topic{refunds: {Name: refunds, ID: TopicID{1}, Partitions: []PartitionLog{
			{Asked: true, Leader: 1, LogStart: Known(0), End: Known(9147)},
			{Asked: true, Leader: NoLeader, LogStart: Known(5), End: Known(5)},
		}}},
		Problems: []Problem{{Kind: ProblemUnreachable, Target: NewText("broker 3"), Detail: "Broker 3 refused the connection."}},
	}
	return &Board{Snapshot: snapshot, Rows: []*Row{
		{
			Group: full, Lag: Known(14), LagPartial: true, Partitions: Known(3), Members: Known(1),
			In: Rate{0, true}, Done: Rate{12.5, true}, Net: Rate{12.5, true}, Drain: Drain{Kind: DrainStuck},
			Retrying: Known(2), State: StateRates{Accepted: Rate{12.5, true}, Archived: Rate{0, true}, Released: Rate{0.2, true}, Deliveries: Rate{12.7, true}},
			Verdict: Verdict{
				Severity: SeverityStuck, Finding: FindingBlocked, Text: "blocked at refunds-0@9,120 ≥14m",
				Evidence: []Sentence{"13 records behind it are finished."}, Next: []string{"v look at it"},
				Since: exportTime().Add(-14 * time.Minute), AtLeast: true,
			},
		},
		{Group: unseen, Verdict: Verdict{Finding: FindingNotSeen, Text: "not seen yet"}},
		{
			Group: empty, Lag: Known(0), Partitions: Known(0), Members: Known(0), Drain: Drain{Kind: DrainIn, In: time.Minute},
			Net:     Rate{math.NaN(), true},
			Verdict: Verdict{Severity: SeverityFine, Finding: FindingCaughtUp, Text: "caught up"},
		},
	}, Totals: Totals{Groups: 3, Lag: Known(14), Partial: true, Stuck: 1, Fine: 1, NotKnown: 1}}
}

func TestExportJSON(t *testing.T) {
	b := exportBoard()
	out, err := ExportJSON(b, b.Rows)
	if err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "export.json", string(out))
	for _, told := range []string{
		`"offsetsFrom":"state-topic","retrying":2`, `"releasedPerSecond":0.200`,
		`"headOffset":9120,"headState":"released","headDeliveryCount":3`, `"headTimestamp":"2026-11-29T14:43:03.4Z"`,
		`"finishedAhead":13,"windowAtLeast":15`,
	} {
		if n := strings.Count(string(out), told); n != 1 {
			t.Errorf("%s is %d times in it", told, n)
		}
	}
	var back struct {
		Cluster string
		Taken   time.Time
		Groups  []struct {
			GroupID string
			Lag     *int64
			Topics  []struct {
				Partitions []struct{ StartOffset *int64 }
			}
		}
		Problems []struct{ Kind, Detail string }
	}
	if err := json.Unmarshal(out, &back); err != nil {
		t.Fatal(err)
	}
	if got := back.Groups[1].GroupID; got != "two\nlines\x1b\u009b" {
		t.Errorf("the raw id reads back as %q", got)
	}
	if back.Groups[1].Lag != nil || back.Groups[0].Topics[0].Partitions[1].StartOffset != nil {
		t.Error("an unknown number is not null")
	}
	if got := back.Groups[0].Topics[1].Partitions[0].StartOffset; got == nil || *got != math.MaxInt64 {
		t.Errorf("the largest offset reads back as %v", got)
	}
	if len(back.Problems) != 2 {
		t.Errorf("%d problems, want each once: 2", len(back.Problems))
	}
}

// TestExportJSONOfOddStrings holds that every string reads back as it was and
// that the text is safe for a terminal.
func TestExportJSONOfOddStrings(t *testing.T) {
	for _, odd := range oddStrings(t) {
		row := testRow(odd.Raw, Number{})
		b := sweptBoard(row)
		whole, err := ExportJSON(b, b.Rows)
		if err != nil {
			t.Fatal(err)
		}
		one, err := RowJSON(b, row)
		if err != nil {
			t.Fatal(err)
		}
		var back struct{ Groups []struct{ GroupID string } }
		var group struct{ GroupID string }
		if err := json.Unmarshal(whole, &back); err != nil {
			t.Fatalf("%s: %v in %s", odd.ID, err, whole)
		}
		if err := json.Unmarshal(one, &group); err != nil {
			t.Fatalf("%s: %v in %s", odd.ID, err, one)
		}
		want := strings.ToValidUTF8(odd.Raw, "\ufffd")
		if !bytes.Equal([]byte(odd.Raw), []byte(want)) {
			continue // JSON has no way to say it
		}
		if back.Groups[0].GroupID != want || group.GroupID != want {
			t.Errorf("%s: reads back as %q and %q, want %q", odd.ID, back.Groups[0].GroupID, group.GroupID, want)
		}
		for _, line := range strings.Split(string(whole)+string(one), "\n") {
			if Sanitize(line) != line {
				t.Errorf("%s: %q is not safe to show", odd.ID, line)
			}
		}
	}
}

func TestExportOfNothing(t *testing.T) {
	for _, b := range []*Board{{}, {Snapshot: &Snapshot{}}} {
		out, err := ExportJSON(b, nil)
		if want := "{\"cluster\":null,\"taken\":null,\"groups\":[\n],\"problems\":[\n]}\n"; string(out) != want || err != nil {
			t.Errorf("ExportJSON gives %q, %v", out, err)
		}
		if out := ExportTable(b, nil, TableOptions{}); !strings.HasPrefix(out, "cluster –  0 groups  lag 0  –\n\nNo share group was seen.\n") {
			t.Errorf("ExportTable gives %q", out)
		}
		if out := string(ExportCSV(b, nil, TextRaw)); strings.Count(out, "\r\n") != 1 {
			t.Errorf("ExportCSV gives %q", out)
		}
		Markdown(b, nil, exportTime())
	}
}

func TestExportCSV(t *testing.T) {
	b := exportBoard()
	out := ExportCSV(b, b.Rows, TextRaw)
	if bytes.Count(out, []byte("\n")) != bytes.Count(out, []byte("\r\n"))+1 {
		t.Errorf("only the id may have a bare line feed: %q", out)
	}
	lines, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 6 {
		t.Fatalf("%d lines, want the names, three partitions, and one for each group without", len(lines))
	}
	if got := lines[4][0]; got != "two\nlines\x1b\u009b" {
		t.Errorf("the raw id reads back as %q", got)
	}
	if got := lines[5][0]; got != `it's "q", |a` {
		t.Errorf("quotes and commas read back as %q", got)
	}
	want := []string{
		"payments-retry", "Stable", "2", "1", "14", "true", "stuck", "blocked", "blocked at refunds-0@9,120 ≥14m",
		"refunds", "AQAAAAAAAAAAAAAAAAAAAA", "0", "9120", "0", "9147", "14", "0",
	}
	for i := range want {
		if lines[1][i] != want[i] {
			t.Errorf("column %s is %q, want %q", lines[0][i], lines[1][i], want[i])
		}
	}
	if got := lines[2][12]; got != "" {
		t.Errorf("an unknown start offset is %q", got)
	}
	for line := range strings.Lines(string(ExportCSV(b, b.Rows, TextSafe))) {
		if line = strings.TrimSuffix(line, "\r\n"); Sanitize(line) != line {
			t.Errorf("%q is not safe to show", line)
		}
	}
}

func TestExportTable(t *testing.T) {
	b := exportBoard()
	checkGolden(t, "table.txt", ExportTable(b, b.Rows, TableOptions{UTC: true, Now: exportTime()}))
	detail := ExportTable(b, b.Rows[:1], TableOptions{UTC: true, Detail: true, ASCII: true})
	checkGolden(t, "table-detail.txt", detail)
	for line := range strings.Lines(detail) {
		if line = strings.TrimSuffix(line, "\n"); plainPrefix(line) != len(line) {
			t.Errorf("%q is not ASCII", line)
		}
	}
}

// TestExportTableAlignsOddStrings holds that a column begins in the same cell
// on every line, whatever stands before it.
func TestExportTableAlignsOddStrings(t *testing.T) {
	b := sweptBoard()
	for _, odd := range oddStrings(t) {
		b.Rows = append(b.Rows, testRow(odd.Raw, Known(1)))
	}
	lines := strings.Split(groupsGrid(b.Rows, TableOptions{}).Take(), "\n")
	at := strings.Index(lines[0], "STATE")
	for _, line := range lines[1 : len(lines)-1] {
		before, _, found := strings.Cut(line, "Stable")
		if !found || Width(before) != at || Sanitize(line) != line {
			t.Errorf("the state begins in cell %d, not %d, or the line is not safe: %q", Width(before), at, line)
		}
	}
}

func TestMarkdown(t *testing.T) {
	b := exportBoard()
	now := exportTime().Add(400 * time.Millisecond)
	checkGolden(t, "groups.md", Markdown(b, b.Rows, now))
	b.Open = &OpenGroup{ID: b.Rows[0].Group.ID, Row: b.Rows[0]}
	for i := range b.Rows[0].Group.Partitions {
		p := b.Rows[0].Group.Partitions[i]
		b.Open.Partitions = append(b.Open.Partitions, PartitionRow{
			SharePartition: p, Log: b.Snapshot.Log(p.Topic, p.Partition), Ahead: Known(13),
		})
	}
	checkGolden(t, "group.md", Markdown(b, nil, now))
}

func TestMarkdownCode(t *testing.T) {
	tests := []struct{ in, want string }{
		{"orders", "`orders`"},
		{"", "`  `"},
		{"a`b", "``a`b``"},
		{"`a``", "``` `a`` ```"},
		{" a", "`  a `"},
		{"a|b<c>", "`a|b<c>`"},
	}
	for _, tt := range tests {
		if got := mdCode(tt.in); got != tt.want {
			t.Errorf("mdCode(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestFormatAssignment(t *testing.T) {
	a, b := NewTopicName("a"), NewTopicName("b\n")
	tests := []struct {
		in   []Assignment
		want string
	}{
		{nil, "–"},
		{[]Assignment{{a, []int32{0}}}, "a 0"},
		{[]Assignment{{a, []int32{0, 1, 2, 5, 7, 8}}, {b, []int32{3}}}, `a 0-2,5,7-8  b\n 3`},
	}
	for _, tt := range tests {
		if got := FormatAssignment(tt.in); got != tt.want {
			t.Errorf("FormatAssignment(%v) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestAllSeen(t *testing.T) {
	at := exportTime()
	seen := func() *Group { return &Group{Described: at, OffsetsAt: at} }
	problem := Problem{Kind: ProblemDenied}
	tests := []struct {
		name string
		in   *Snapshot
		want bool
	}{
		{"nothing", nil, false},
		{"not listed yet", &Snapshot{}, false},
		{"no groups", &Snapshot{Listed: at}, true},
		{"all of a group", &Snapshot{Listed: at, Groups: []*Group{seen()}}, true},
		{"no offsets", &Snapshot{Listed: at, Groups: []*Group{{Described: at}}}, false},
		{"no description", &Snapshot{Listed: at, Groups: []*Group{{OffsetsAt: at}}}, false},
		{"a problem", &Snapshot{Listed: at, Problems: []Problem{problem}}, false},
		{"our own read-only mode", &Snapshot{Listed: at, Problems: []Problem{{Kind: ProblemReadOnly}}}, true},
		{"a topic's problem", &Snapshot{Listed: at, Topics: map[TopicName]*Topic{{}: {Problem: &problem}}}, false},
		{"a partition's problem", &Snapshot{Listed: at, Groups: []*Group{
			{Described: at, OffsetsAt: at, Partitions: []SharePartition{{Problem: &problem}}},
		}}, false},
	}
	for _, tt := range tests {
		if got := AllSeen(tt.in); got != tt.want {
			t.Errorf("%s: AllSeen is %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestNumberPlus(t *testing.T) {
	tests := []struct {
		a    Number
		b    int64
		want Number
	}{
		{Number{}, 5, Known(5)},
		{Known(2), -5, Known(-3)},
		{Known(math.MaxInt64), 1, Known(math.MaxInt64)},
		{Known(math.MinInt64), -1, Known(math.MinInt64)},
		{Known(math.MinInt64 + 1), math.MaxInt64, Known(0)},
	}
	for _, tt := range tests {
		if got := tt.a.Plus(tt.b); got != tt.want {
			t.Errorf("%v plus %d is %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func BenchmarkExportJSON(b *testing.B) {
	board := exportBoard()
	for range 1000 {
		board.Rows = append(board.Rows, board.Rows[0])
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ExportJSON(board, board.Rows); err != nil {
			b.Fatal(err)
		}
	}
}

func TestNarrow(t *testing.T) {
	b := exportBoard()
	s := b.Snapshot
	full := s.Groups[0]
	s.Problems = append(s.Problems,
		Problem{Kind: ProblemDenied, Target: NewText("group other")},
		Problem{Kind: ProblemDenied, Target: NewText("group payments-retry")},
		Problem{Kind: ProblemDenied, Target: NewText("topic other")},
		Problem{Kind: ProblemFeature, Target: NewText("cluster")},
	)
	targets := func(s *Snapshot) string {
		var all []string
		for _, p := range s.Problems {
			all = append(all, p.Target.Raw())
		}
		return strings.Join(all, ", ")
	}
	// A partition was not seen, so that any broker or topic may be why.
	if got, want := targets(Narrow(s, full.ID)), "broker 3, group payments-retry, topic other, cluster"; got != want {
		t.Errorf("the problems are %s, want %s", got, want)
	}
	whole := *full
	whole.Partitions = full.Partitions[:2]
	s.Groups = []*Group{&whole}
	narrowed := Narrow(s, full.ID)
	if got, want := targets(narrowed), "group payments-retry, cluster"; got != want {
		t.Errorf("with all of it seen the problems are %s, want %s", got, want)
	}
	if len(narrowed.Groups) != 1 || len(narrowed.Topics) != 1 || len(s.Problems) != 5 {
		t.Errorf("the snapshot is %+v", narrowed)
	}
	if got := Narrow(s, NewGroupID("none")); len(got.Groups) != 0 {
		t.Errorf("a group that is not there: %+v", got)
	}
}
