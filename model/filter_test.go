package model

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func filterRow() *Row {
	return &Row{
		Group: &Group{
			ID:    NewGroupID("Night Shift\x1b/b:c"),
			State: GroupEmpty,
			Members: []Member{{
				ID: NewText("m-1"), ClientID: NewText("refunder-2"), Host: NewText("10.0.3.7"),
				Subscribed: []TopicName{NewTopicName("hidden.topic")},
			}},
			Partitions: []SharePartition{
				{Topic: NewTopicName("Refunds")},
				{Topic: NewTopicName("Refunds"), Partition: 1},
				{Topic: NewTopicName("other")},
			},
		},
		Lag: Known(1000),
		Verdict: Verdict{
			Severity: SeverityStuck, Finding: FindingBlocked,
			Others: []Verdict{{Severity: SeverityWarn, Finding: FindingWindowNear}},
		},
	}
}

func TestFilterMatch(t *testing.T) {
	tests := []struct {
		line string
		want bool
	}{
		{"", true},
		{"   ", true},
		{"night", true},
		{"NIGHT", true},
		{"day", false},
		{"!day", true},
		{"!night", false},
		{"!!night", true},
		{"night shift", true},
		{"night day", false},
		{`"night shift"`, true},
		{`"shift night"`, false},
		{`!"night shift"`, false},
		{`\e/b`, true}, // as it is shown
		{"\x1b/b", true},
		{"b:c", true}, // an unknown key is text
		{`"/b:c"`, true},
		{"/^Night/", true},
		{"/^night/", false},
		{"/(?i)^night shift/", true},
		{`/\/b/`, true},
		{"!/^Day/", true},
		{"state:empty", true},
		{"state:EMPTY", true},
		{"STATE:empty", true},
		{"state:stable", false},
		{"state:unknown", false},
		{"!state:stable", true},
		{"lag>999", true},
		{"lag>1000", false},
		{"lag>=1,000", true},
		{"lag=1k", true},
		{"lag<=1k", true},
		{"lag<1M", true},
		{"lag<-5", false},
		{"!lag>2000", true},
		{"LAG>1", true},
		{"lag", false}, // text without a comparison
		{"topic:refunds", true},
		{"topic:other", true},
		{"topic:hidden", true},
		{"topic:orders", false},
		{`topic:"refunds"`, true},
		{"member:refunder", true},
		{"member:10.0.3", true},
		{"member:m-1", true},
		{"member:m-2", false},
		{"why:stuck", true},
		{"why:warn", false},
		{"why:blocked", true},
		{"why:window", true}, // a finding beside the verdict
		{"why:caught-up", false},
		{"topic:refunds lag>5 !member:x why:stuck", true},
	}
	for _, tt := range tests {
		f, err := ParseFilter(tt.line)
		if err != nil {
			t.Errorf("%q: %v", tt.line, err)
			continue
		}
		if got := f.Match(filterRow()); got != tt.want {
			t.Errorf("%q: match is %v, want %v", tt.line, got, tt.want)
		}
	}
}

func TestFilterUnknownLag(t *testing.T) {
	row := filterRow()
	row.Lag = Number{}
	for line, want := range map[string]bool{"lag=0": false, "lag<5": false, "lag>=0": false, "!lag>5": true} {
		f, err := ParseFilter(line)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Match(row); got != want {
			t.Errorf("%q with an unknown lag: match is %v, want %v", line, got, want)
		}
	}
}

func TestFilterErrors(t *testing.T) {
	tests := []struct{ line, want string }{
		{"!", `there is no term after "!"`},
		{"a ! b", `there is no term after "!"`},
		{"state:", "nothing after state:"},
		{"topic: orders", "nothing after topic:"},
		{"state:stale", "state:stale is not a state"},
		{"why:sad", "why:sad is neither a severity"},
		{"lag>", "lag> has no whole number"},
		{"lag>=many", "lag>=many has no whole number"},
		{"lag>1.5", "lag>1.5 has no whole number"},
		{"lag>9223372036854775808", "has no whole number"},
		{"lag>9223372036854775807k", "has no whole number"},
		{"/abc", "/abc has no closing slash"},
		{"/a(/", "/a(/ is not a regular expression: missing closing )"},
		{"/(x{100}){100}/", "not a regular expression: invalid repeat count"},
		{"/(abcdefghijkl){1000}/", "repeats too much"},
		{"/a/b", "right after the end of a term"},
		{`"ab`, "has no closing quote"},
		{`"ab"c`, "right after the end of a term"},
		{strings.Repeat("x", MaxFilterLine+1), "longer than 1000 bytes"},
		{strings.Repeat("x ", MaxFilterTerms+1), "more than 32 terms"},
		{"state:\x1b[2J", `state:\e[2J is not`},
	}
	for _, tt := range tests {
		_, err := ParseFilter(tt.line)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error is %v, want one with %q", tt.line, err, tt.want)
		}
	}
}

// TestFilterFindsOddGroups holds that each odd group id can be found by what
// is shown of it, and as it is.
func TestFilterFindsOddGroups(t *testing.T) {
	for _, odd := range oddStrings(t) {
		if odd.Kind != "group id" {
			continue
		}
		row := testRow(odd.Raw, Known(0))
		for _, text := range []string{odd.Raw, Sanitize(odd.Raw)} {
			quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
			f, err := ParseFilter(quoted)
			if err != nil {
				t.Errorf("%s: %v", odd.ID, err)
				continue
			}
			if !f.Match(row) || f.Match(testRow("another", Known(0))) {
				t.Errorf("%s: %s does not pick this group alone", odd.ID, f)
			}
		}
	}
}

// TestAllFindings holds that the list has each constant of the type, so that
// every finding can be filtered by and muted.
func TestAllFindings(t *testing.T) {
	source, err := os.ReadFile("verdict.go")
	if err != nil {
		t.Fatal(err)
	}
	constants := regexp.MustCompile(`(?m)^\tFinding\w+ +Finding += "(.+)"$`).FindAllSubmatch(source, -1)
	if len(constants) < 20 {
		t.Fatalf("only %d constants found: the pattern no longer fits the source", len(constants))
	}
	for _, c := range constants {
		if !slices.Contains(AllFindings(), Finding(c[1])) {
			t.Errorf("%s is missing", c[1])
		}
	}
}

func TestFilterString(t *testing.T) {
	f, err := ParseFilter("  topic:a\x1bb  !c ")
	if err != nil {
		t.Fatal(err)
	}
	if got := f.String(); got != `topic:a\eb  !c` {
		t.Errorf("String is %q", got)
	}
	if f.IsZero() || !(Filter{}).IsZero() {
		t.Error("IsZero does not tell a filter from none")
	}
}

func FuzzParseFilter(f *testing.F) {
	for _, s := range []string{`!topic:"a b" /x+/ lag>=1k`, `"\"`, "!", "/\\", "why:", "lag>", "state:\xff"} {
		f.Add(s)
	}
	row := filterRow()
	f.Fuzz(func(t *testing.T, line string) {
		filter, err := ParseFilter(line)
		if err != nil {
			if Sanitize(err.Error()) != err.Error() {
				t.Errorf("the error for %q is not safe to show: %q", line, err)
			}
			return
		}
		filter.Match(row)
		filter.Match(&Row{Group: &Group{}})
	})
}
