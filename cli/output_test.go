package cli

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/x/exp/golden"

	"sharetop/model"
)

// hostile is a name that a terminal could act on, and that CSV has to quote.
const hostile = "b, \"\x1b[31m"

// shop is a cluster with what output has to get right: unknown numbers, outside
// text, members, configs, and something that was not seen.
func shop() *model.Snapshot {
	full := seenGroup("a-packers", 12840, 1200, seenAt)
	full.Epoch, full.AssignmentEpoch, full.Assignor = model.Known(7), model.Known(7), model.NewText("simple")
	full.Partitions[0].LeaderEpoch, full.Partitions[0].TopicID = model.Known(3), model.TopicID{1, 2, 3}
	full.Members = []model.Member{{
		ID: model.NewText("m1"), ClientID: model.NewText("packer;1"), Host: model.NewText("10.0.3.7"), Rack: model.NewText("r1"),
		Epoch: 7, Subscribed: []model.TopicName{model.NewTopicName("t")},
		Assignment: []model.Assignment{{Topic: model.NewTopicName("t"), Partitions: []int32{0, 1, 5}}},
	}}
	full.Configs = &model.Configs{At: seenAt, Entries: []model.ConfigEntry{
		{
			Key: model.NewText("share.record.lock.duration.ms"), Value: model.NewText("20000"), Source: model.ConfigFromGroup,
			Min: "15000", Max: "60000", Type: "INT", Meaning: "how long a record is held",
		},
		{Key: model.NewText("share.isolation.level"), IsNull: true},
	}}
	unsettled := &model.Group{
		ID: model.NewGroupID(hostile), State: model.GroupEmpty, Coordinator: -1, Described: seenAt, OffsetsAt: seenAt,
		Settings:   &model.Settings{},
		Partitions: []model.SharePartition{{Topic: model.NewTopicName("t\n")}},
	}
	unread := seenGroup("c-audit", 12840, 300, seenAt)
	unread.State = model.GroupEmpty
	s := seenSnapshot(12840, seenAt, full, unsettled, unread)
	s.Cluster.Brokers = []model.Broker{{ID: 1, Host: model.NewText("b1.shop"), Port: 9092}}
	s.Problems = []model.Problem{problemOf(model.ProblemDenied, "topic t2", "Topic t2 is not shown.", "grant DESCRIBE on it")}
	return s
}

// TestOutputGolden holds every format of every kind of output. `go test ./cli
// -update` writes the files anew.
func TestOutputGolden(t *testing.T) {
	verbs := map[string][]string{
		"list":            {"list"},
		"list-lag":        {"list", "--lag"},
		"describe":        {"describe", "--all-groups"},
		"describe-member": {"describe", "--all-groups", "--members"},
		"describe-state":  {"describe", "--all-groups", "--state"},
		"describe-config": {"describe", "a-packers", "--config"},
		"radar":           {"radar"},
		"archived":        {"archived", "a-packers"},
		"peek":            {"peek", "t:0@3"},
		"reset-offsets":   {"reset-offsets", "a-packers", "--all-topics", "--to-earliest", "--execute"},
		"delete":          {"delete", "a-packers", "c-audit", "--execute"},
		"delete-offsets":  {"delete-offsets", "c-audit", "--topic", "t", "--execute"},
		"config":          {"config", "a-packers", "share.record.lock.duration.ms=20000", "--unset", "share.none"},
	}
	for name, args := range verbs {
		t.Run(name, func(t *testing.T) {
			var all strings.Builder
			for _, form := range []string{"table", "wide", "json", "jsonl", "csv"} {
				w, _ := peekWorld()
				w.source.snapshots = []*model.Snapshot{shop()}
				if args[0] == "radar" || args[0] == "archived" {
					w.source.snapshots = []*model.Snapshot{retried(seenAt)}
				}
				code := w.main(t, append(args, "-o", form, "--bootstrap-server", "a:1", "--utc")...)
				fmt.Fprintf(&all, "-- %s, exit %d\n%s", form, code, w.stdout.String())
				if form == "table" {
					fmt.Fprintf(&all, "-- stderr\n%s", w.stderr.String())
				}
				if form != "csv" && strings.ContainsRune(w.stdout.String(), '\x1b') {
					t.Errorf("%s writes an escape byte", form)
				}
			}
			golden.RequireEqual(t, all.String())
		})
	}
}

// On a terminal there are colours and thousands separators, and even CSV is safe.
func TestOutputOnATerminal(t *testing.T) {
	tests := []struct {
		vars       map[string]string
		args       []string
		has, lacks string
	}{
		{nil, []string{"list", "--lag"}, "1,200", "1200"},
		{nil, []string{"list", "--lag"}, "\x1b[33mwarn", "\x1b[1;31m"},
		{map[string]string{"NO_COLOR": "1"}, []string{"list", "--lag"}, "warn", "\x1b"},
		{map[string]string{"TERM": "dumb"}, []string{"list", "--lag"}, "warn", "\x1b"},
		{nil, []string{"list", "-o", "csv"}, `\e[31m`, "\x1b"},
		{nil, []string{"list", "--no-header"}, "a-packers", "GROUP"},
		{map[string]string{"LANG": "C"}, []string{"list", "-o", "wide"}, " -", "–"},
	}
	for _, tt := range tests {
		w := newWorld()
		w.env.StdoutIsTerminal, w.vars = true, tt.vars
		w.source.snapshots = []*model.Snapshot{shop()}
		w.main(t, append(tt.args, "--bootstrap-server", "a:1")...)
		if out := w.stdout.String(); !strings.Contains(out, tt.has) || strings.Contains(out, tt.lacks) {
			t.Errorf("%v %v: %q has not %q, or has %q", tt.vars, tt.args, out, tt.has, tt.lacks)
		}
	}
}

// sheets are all kinds of output.
func sheets() []sheet {
	return []sheet{
		settingsSheet(), listSheet(true), offsetsSheet(true), membersSheet(), statesSheet(), configsSheet(), problemSheet(),
		radarSheet(), archivedSheet(),
		recordsSheet(), planSheet(), deletionsSheet(true), configChangesSheet(),
	}
}

// TestSheetsAreDocumented holds that docs/output.md has every column of every
// sheet under the sheet's name.
func TestSheetsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/output.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sheets() {
		_, section, found := strings.Cut(string(doc), "\n### `"+s.name+"`")
		section, _, _ = strings.Cut(section, "\n### ")
		if !found {
			t.Errorf("there is no section on %s", s.name)
		}
		for _, c := range s.columns {
			if !regexp.MustCompile("`" + c.name + "`").MatchString(section) {
				t.Errorf("%s: the column %s is not documented", s.name, c.name)
			}
		}
	}
}

func TestExitCodesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/output.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []int{
		ExitOK, ExitFailure, ExitUnreachable, ExitPartial, ExitTimeout, ExitRefused, ExitInterrupted, ExitPipe,
	} {
		if !strings.Contains(string(doc), fmt.Sprintf("\n| %d |", code)) {
			t.Errorf("exit code %d is not documented", code)
		}
	}
}

func TestKafkasVerbsAreFound(t *testing.T) {
	tests := []struct{ args, want string }{
		{"--bootstrap-server a:1 --describe --group g", "describe --bootstrap-server a:1 --group g"},
		{"--list --state", "list --state"},
		{"--reset-offsets --group g --dry-run", "reset-offsets --group g --dry-run"},
		{"list -- --list", "list -- --list"},
		{"--once", "--once"},
	}
	for _, tt := range tests {
		if got := strings.Join(asVerb(strings.Fields(tt.args)), " "); got != tt.want {
			t.Errorf("%q became %q, want %q", tt.args, got, tt.want)
		}
	}
}

func TestListStates(t *testing.T) {
	tests := []struct{ args, want string }{
		{"--state Empty", "b c-audit"},
		{"--state=stable", "a-packers"},
		{"--state", "a-packers b c-audit"},
		{"--state stable,DEAD --timeout 5000", "a-packers"},
		{"--state Dead", ""},
		{"--lag --filter lag>1000", "a-packers"},
		{"--lag --filter /^[ac]/ --state Empty", "c-audit"},
	}
	for _, tt := range tests {
		w := newWorld()
		w.source.snapshots = []*model.Snapshot{shop()}
		w.main(t, append([]string{"list", "--no-header", "--bootstrap-server", "a:1"}, strings.Fields(tt.args)...)...)
		var ids []string
		for line := range strings.Lines(w.stdout.String()) {
			id, _, _ := strings.Cut(line, " ")
			ids = append(ids, strings.TrimSuffix(id, ","))
		}
		if got := strings.Join(ids, " "); got != tt.want {
			t.Errorf("%s printed %q, want %q", tt.args, got, tt.want)
		}
	}
}

// A list asks for neither offsets nor logs, and can change nothing.
func TestVerbsAskForNoMoreThanTheyPrint(t *testing.T) {
	tests := []struct {
		args            string
		noOffsets, only bool
	}{
		{"list", true, false},
		{"list --state Empty", true, false},
		{"list --lag", false, false},
		{"describe a-packers", false, true},
		{"describe a-packers --members", true, true},
		{"describe a-packers b --state", true, true},
		{"describe --all-groups", false, false},
	}
	for _, tt := range tests {
		w, s := newWorld(), shop()
		s.Problems = nil
		w.source.snapshots = []*model.Snapshot{s}
		w.main(t, append(strings.Fields(tt.args), "--bootstrap-server", "a:1")...)
		got := w.source.scopes[0]
		if got.ListOnly || got.NoOffsets != tt.noOffsets || got.Only != tt.only || !got.Once || !w.opened[0].ReadOnly || !w.source.closed {
			t.Errorf("%s asked for %+v, read-only %v", tt.args, got, w.opened[0].ReadOnly)
		}
	}
}

// One group is described by one request, unless a person wants it otherwise.
func TestDescribeOneByRequests(t *testing.T) {
	tests := []struct {
		args string
		want model.OffsetsChoice
	}{
		{"describe a-packers", model.OffsetsByRequests},
		{"describe a-packers --for 1s", model.OffsetsByRequests},
		{"describe a-packers --offsets-from auto", model.OffsetsAuto},
		{"describe a-packers --offsets-from state-topic", model.OffsetsByStateTopic},
		{"describe a-packers b", model.OffsetsAuto},
		{"describe --all-groups", model.OffsetsAuto},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld()
			w.source.snapshots = []*model.Snapshot{shop()}
			w.main(t, append(strings.Fields(tt.args), "--bootstrap-server", "a:1")...)
			if got := w.opened[0].OffsetsFrom; got != tt.want {
				t.Errorf("%s reads offsets from %q, want %q", tt.args, got, tt.want)
			}
		})
	}
}

func TestDescribeOfWhatIsNotThere(t *testing.T) {
	tests := []struct {
		args, stdout, stderr string
		code                 int
	}{
		{"describe none", "", "there is no share group none on this cluster", ExitFailure},
		{"describe none --state", "", "there is no share group none on this cluster", ExitFailure},
		{"describe a-packers none", "a-packers", "there is no share group none on this cluster", ExitFailure},
		{"describe a-packers", "a-packers", "", ExitOK},
	}
	for _, tt := range tests {
		w := newWorld()
		s := shop()
		s.Problems = nil
		w.source.snapshots = []*model.Snapshot{s}
		code := w.main(t, append(strings.Fields(tt.args), "--bootstrap-server", "a:1")...)
		if code != tt.code || !strings.Contains(w.stdout.String(), tt.stdout) || tt.stdout == "" && w.stdout.Len() > 0 ||
			!strings.Contains(w.stderr.String(), tt.stderr) || tt.stderr == "" && w.stderr.Len() > 0 {
			t.Errorf("%s: exit %d, %q, %q", tt.args, code, w.stdout.String(), w.stderr.String())
		}
	}
}

// Configs that may not be read take nothing from what describe prints, but from
// what it prints of configs.
func TestDescribeIsWholeWithoutConfigs(t *testing.T) {
	for args, want := range map[string]int{
		"describe --all-groups": ExitOK, "describe --all-groups --members": ExitOK, "describe --all-groups --state": ExitOK,
		"list --lag": ExitPartial,
	} {
		w := newWorld()
		s := shop()
		s.Problems = []model.Problem{
			configsDenied("broker configs", "The ranges are not shown."),
			configsDenied("group configs", "The configs of 2 groups cannot be read."),
		}
		w.source.snapshots = []*model.Snapshot{s}
		if code := w.main(t, append(strings.Fields(args), "--bootstrap-server", "a:1")...); code != want {
			t.Errorf("%s: exit %d, want %d, with %q", args, code, want, w.stderr.String())
		}
	}
}
