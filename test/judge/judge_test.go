package judge

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sharetop/model"
)

const packers, jobs = "booknest-packers", "booknest.packing-jobs"

// captured is what a version's command printed of one cluster: four packers
// that have drained their topic (667, 667 and 666 records), a group whose name
// has a space, one without start offsets, and one that starts past the end.
func captured(t *testing.T, version, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", version, name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func eachVersion(t *testing.T, test func(t *testing.T, version string)) {
	for _, version := range []string{"4.2.2", "4.3.1", "4.4.0"} {
		t.Run(version, func(t *testing.T) { test(t, version) })
	}
}

func TestParseList(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		got, err := ParseList(captured(t, version, "list-state"))
		slices.SortFunc(got, func(a, b ListRow) int { return strings.Compare(a.Group, b.Group) })
		want := []ListRow{{packers, "Stable"}, {"new-group", "Empty"}, {"past-end", "Empty"}, {"second look", "Empty"}}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
	})
}

func TestParseOffsets(t *testing.T) {
	var unknown model.Number
	zero := model.Known(0)
	eachVersion(t, func(t *testing.T, version string) {
		got, err := ParseOffsets(captured(t, version, "offsets-verbose"))
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 10 {
			t.Fatalf("%d rows, want 10", len(got))
		}
		for i, row := range got[:3] {
			start, known := row.Start.Get()
			if row.Group != packers || row.Topic != jobs || int(row.Partition) != i || row.Lag != zero || !known || start < 1 || start > 667 {
				t.Errorf("row %d is %+v", i, row)
			}
		}
		want := []OffsetRow{
			{"new-group", jobs, 0, unknown, unknown, unknown},
			{"new-group", jobs, 1, unknown, unknown, unknown},
			{"new-group", jobs, 2, unknown, unknown, unknown},
			{"past-end", jobs, 0, zero, model.Known(1000), unknown},
			{"second look", jobs, 0, zero, model.Known(100), model.Known(567)},
			{"second look", jobs, 1, zero, zero, model.Known(667)},
			{"second look", jobs, 2, zero, model.Known(666), zero},
		}
		if !reflect.DeepEqual(got[3:], want) {
			t.Errorf("got %v, want %v", got[3:], want)
		}
		sameButEpochs(t, got, captured(t, version, "offsets"))
	})
}

// sameButEpochs holds the table without --verbose against the one with it.
func sameButEpochs(t *testing.T, verbose []OffsetRow, plain string) {
	t.Helper()
	got, err := ParseOffsets(plain)
	want := slices.Clone(verbose)
	for i := range want {
		want[i].LeaderEpoch = model.Number{}
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("without --verbose: got %v, %v; want %v", got, err, want)
	}
}

func TestParseMembers(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for _, table := range []string{"members", "members-verbose"} {
			got, err := ParseMembers(captured(t, version, table))
			if err != nil || len(got) != 4 {
				t.Fatalf("%s: %d rows, %v; want 4", table, len(got), err)
			}
			assigned := map[string]bool{}
			clients := map[string]bool{}
			for _, m := range got {
				clients[m.ClientID] = true
				for _, p := range m.Assignment {
					assigned[p] = true
				}
				if m.Group != packers || m.Host != "/127.0.0.1" || len(m.Member) != 24 ||
					m.Partitions != len(m.Assignment) || m.Epoch.IsKnown() != (table == "members-verbose") {
					t.Errorf("%s: %+v", table, m)
				}
			}
			if len(clients) != 4 || !clients["packer-3"] || len(assigned) != 3 || !assigned[jobs+"-2"] {
				t.Errorf("%s: clients %v, partitions %v", table, clients, assigned)
			}
		}
	})
}

func TestParseStates(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for table, want := range map[string]StateRow{
			"state":               {State: "Stable", Members: 4},
			"state-verbose":       {State: "Stable", Members: 4, Epoch: model.Known(5), AssignmentEpoch: model.Known(5)},
			"state-verbose-empty": {State: "Empty", Members: 0, Epoch: model.Known(9), AssignmentEpoch: model.Known(emptiedAssignment(version))},
		} {
			got, err := ParseStates(captured(t, version, table))
			if err != nil || len(got) != 4 {
				t.Fatalf("%s: %d rows, %v; want 4", table, len(got), err)
			}
			want.Group, want.Address, want.Coordinator = packers, got[1].Address, 1
			if got[0] != want {
				t.Errorf("%s: got %+v, want %+v", table, got[0], want)
			}
			if !strings.HasPrefix(want.Address, "127.0.0.1:") || got[3].Group != "second look" || got[3].State != "Empty" {
				t.Errorf("%s: got %+v", table, got[1:])
			}
		}
	})
}

// emptiedAssignment is the assignment epoch of the emptied group as captured:
// before 4.4 it stays behind the group epoch.
func emptiedAssignment(version string) int64 {
	return map[string]int64{"4.2.2": 7, "4.3.1": 6, "4.4.0": 9}[version]
}

func TestParsersRefuseWhatIsNoTable(t *testing.T) {
	const failed = "\nError: Executing share group command failed due to org.apache.kafka.common.errors.GroupIdNotFoundException: Group nope not found.\n"
	offsets := "\nGROUP TOPIC PARTITION START-OFFSET LAG\n"
	tests := map[string]string{
		"an error":                  failed,
		"an error after a table":    offsets + "g     t     0         1            2\n" + failed,
		"another table":             "GROUP STATE\ng     Empty\n",
		"a word for a number":       offsets + "g     t     0         many         2\n",
		"a column less":             offsets + "g     t     0         1\n",
		"a word instead of a table": "nothing\n",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			if rows, err := ParseOffsets(text); err == nil {
				t.Errorf("read as %v", rows)
			}
		})
	}
}

func TestParsersOfOddLines(t *testing.T) {
	rows, err := ParseOffsets("\nShare group 'idle' has no offset information.\n\nGROUP  TOPIC PARTITION START-OFFSET LAG\n📦 box t     0         9            -1\n")
	if err != nil || len(rows) != 1 || rows[0].Group != "📦 box" || rows[0].Topic != "t" || rows[0].Lag != model.Known(-1) {
		t.Errorf("got %+v, %v", rows, err)
	}
	members, err := ParseMembers("GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS MEMBER-EPOCH ASSIGNMENT\n" +
		"g     m           /10.0.0.1 a long client id 3 5 b:2;a:0,1\n" +
		"g     n           /10.0.0.1 idle 0 5 \n" +
		"g     o           /10.0.0.1 idle 0 5 -\n")
	if err != nil || len(members) != 3 {
		t.Fatalf("got %+v, %v", members, err)
	}
	if m := members[0]; m.ClientID != "a long client id" || !slices.Equal(m.Assignment, []string{"a-0", "a-1", "b-2"}) || m.Partitions != 3 {
		t.Errorf("got %+v", m)
	}
	for _, m := range members[1:] {
		if m.ClientID != "idle" || m.Assignment != nil || m.Epoch != model.Known(5) {
			t.Errorf("got %+v", m)
		}
	}
}

// runner notes what it is asked for and answers with a captured text.
type runner struct {
	args []string
	text string
}

func (r *runner) Tool(_ context.Context, class string, args ...string) (string, error) {
	r.args = append([]string{class}, args...)
	return r.text, nil
}

func (r *runner) BootstrapArgs() []string { return []string{"--bootstrap-server", "b:1"} }

func TestJudgeAsksVerbosely(t *testing.T) {
	r := &runner{text: captured(t, "4.4.0", "offsets-verbose")}
	if rows, err := New(r).Offsets(t.Context()); err != nil || len(rows) != 10 {
		t.Errorf("all groups: %d rows, %v", len(rows), err)
	}
	if want := class + " --bootstrap-server b:1 --describe --offsets --verbose --all-groups"; strings.Join(r.args, " ") != want {
		t.Errorf("asked %q, want %q", r.args, want)
	}
	r.text = captured(t, "4.4.0", "members-verbose")
	if rows, err := New(r).Members(t.Context(), "a", "b c"); err != nil || len(rows) != 4 {
		t.Errorf("two groups: %d rows, %v", len(rows), err)
	}
	if want := []string{"--group", "a", "--group", "b c"}; !slices.Equal(r.args[len(r.args)-4:], want) {
		t.Errorf("asked %q, want them to end in %q", r.args, want)
	}
}
