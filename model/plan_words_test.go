package model

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// wordsPlan has a row of every kind: back with finished ones ahead, left out, and
// one without a start offset.
func wordsPlan(exists bool) *Plan {
	unread := auditPart(2, 0, 0, 0, 100)
	unread.Start, unread.Read = Number{}, false
	p := planOf(ResetTarget{Kind: ToOffset, Offset: 20}, auditPart(0, 50, 9, 0, 100), auditPart(1, 20, 9, 0, 100), unread)
	p.Look.Exists = exists
	return p
}

func TestConsequences(t *testing.T) {
	for _, c := range []struct {
		name string
		plan *Plan
		want []string
	}{
		{"of a group that is there", wordsPlan(true), []string{
			"2 start offsets of g will be written: 71 delivered again, 20 never delivered.",
			"Undo restores start offsets only: 41 finished ahead are lost for good.",
			"No undo for 1 partition without a start offset before (audit-2): deleting the topic's offsets takes them back.",
			"An undo file is written first.",
		}},
		{"of one that is not", planOf(ResetTarget{Kind: ToLatest}, wordsPlan(true).Look.Partitions[2]), []string{
			"1 start offset of g will be written: 0 delivered again, 100 never delivered.",
			"There is no such group yet: this makes it.",
			"No undo for 1 partition without a start offset before (audit-2): as this makes the group, deleting the group takes it back.",
		}},
	} {
		if c.name == "of one that is not" {
			c.plan.Look.Exists = false
		}
		if got := c.plan.Consequences(); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestMembersText(t *testing.T) {
	p := wordsPlan(true)
	if got := p.MembersText(); got != "" {
		t.Errorf("an empty group: %q", got)
	}
	p.Look.Members = []Member{{ClientID: NewText("app\x1b[2J"), Host: NewText("10.0.3.7")}}
	want := `It has 1 member: app\e[2J (10.0.3.7). Nothing is written while it has any, and one that was killed stays for up to 45 s.`
	if got := p.MembersText(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestResetSentences(t *testing.T) {
	p := wordsPlan(true)
	row := func(i int, back int64, problem, advice string) ResetRow {
		return ResetRow{TopicPartition: p.Rows[i].TopicPartition, New: p.Rows[i].New, ReadBack: Known(back), Problem: problem, Advice: advice}
	}
	for _, c := range []struct {
		name   string
		result ResetResult
		want   []string
	}{
		{"moved", ResetResult{Moved: []string{"audit-0: x."}}, []string{"Nothing was written. What moved since the plan:", "audit-0: x."}},
		{"written", ResetResult{UndoPath: NewText("/u.csv"), Rows: []ResetRow{row(0, 20, "", ""), row(2, 20, "", "")}}, []string{
			"2 of 2 partitions written and read back.", "Undo file: /u.csv",
			"No undo for 1 partition without a start offset before (audit-2): deleting the topic's offsets takes them back.",
		}},
		{"in part", ResetResult{Trouble: "It went wrong.", Rows: []ResetRow{row(0, 20, "", ""), row(2, 0, "refused", "try again")}}, []string{
			"1 of 2 partitions written and read back.", "It went wrong.",
			"No undo for 1 partition without a start offset before (audit-2): deleting the topic's offsets takes them back.",
			"next: try again",
		}},
	} {
		if got := c.result.Sentences(p); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestCrosses(t *testing.T) {
	for _, c := range []struct {
		name       string
		part       LookPartition
		to         int64
		first, end int64
		ok         bool
	}{
		{"back", auditPart(0, 50, 9, 0, 100), 20, 20, 50, true},
		{"on", auditPart(0, 50, 9, 0, 100), 60, 50, 60, true},
		{"from before the log", auditPart(0, 5, 95, 40, 100), 60, 40, 60, true},
		{"all of it deleted", auditPart(0, 5, 95, 40, 100), 0, 0, 0, false},
		{"from past its end", auditPart(0, 150, -50, 0, 100), 90, 90, 100, true},
		{"left out", auditPart(0, 50, 9, 0, 100), 50, 0, 0, false},
	} {
		p := planOf(ResetTarget{Kind: ToOffset, Offset: c.to}, c.part)
		first, end, ok := p.Crosses(&p.Rows[0])
		if ok != c.ok || ok && (first != c.first || end != c.end) {
			t.Errorf("%s: [%d, %d) %t, want [%d, %d) %t", c.name, first, end, ok, c.first, c.end, c.ok)
		}
	}
	at := time.Unix(1000, 0)
	if d, ok := (Crossed{First: at.Add(time.Hour), Last: at}).Length(); !ok || d != time.Hour {
		t.Errorf("%s %t", d, ok)
	}
	if _, ok := (Crossed{First: at}).Length(); ok {
		t.Error("a length with one end unknown")
	}
}

func TestAuditChangeString(t *testing.T) {
	topic, config, eight, three, part := NewTopicName("orders"), NewText("share.x"), NewText("8"), NewText("3"), int32(1)
	for want, c := range map[string]AuditChange{
		"orders-1: 8 to 3":      {Topic: &topic, Partition: &part, Old: &eight, New: &three},
		"orders-1: – to 3":      {Topic: &topic, Partition: &part, New: &three},
		"share.x: 8 to 3":       {Config: &config, Old: &eight, New: &three},
		"share.x: 8 to (unset)": {Config: &config, Old: &eight},
		"orders":                {Topic: &topic},
		"":                      {},
	} {
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What a person types or a file holds makes no panic, no number outside of what
// Kafka takes, and no sentence that acts on a terminal.
func FuzzWhatAResetReads(f *testing.F) {
	for _, s := range []string{"", "orders:0,1 refunds", "audit,0,5\ng,audit,1,6\n", "PT1H", "2026-11-28T00:00Z", "\"\x1b[2J", "a,1,-2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		safe := func(err error) {
			if err != nil && Sanitize(err.Error()) != err.Error() {
				t.Errorf("the error is not safe to show: %q", err)
			}
		}
		scope, err := ParseScope(text)
		safe(err)
		for _, p := range scope.Partitions {
			if p.Partition < 0 {
				t.Errorf("partition %d", p.Partition)
			}
		}
		rows, _, err := ReadPlanCSV([]byte(text), NewGroupID("g"))
		safe(err)
		for p, offset := range rows {
			if p.Partition < 0 || offset < 0 {
				t.Errorf("%v to %d", p, offset)
			}
		}
		for _, kind := range TargetKinds() {
			target, err := ParseTarget(kind, text, planNow, time.UTC)
			safe(err)
			if err == nil && (kind == ToOffset && target.Offset < 0 || target.HasTime() && target.Time.UnixMilli() < 0) {
				t.Errorf("%s: %+v", kind, target)
			}
		}
	})
}
