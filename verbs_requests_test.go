//go:build unix

package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/cli"
	"sharetop/model"
)

// groupsOnFake is a cluster of two brokers with share groups on one topic of three
// partitions, and the requests that it gets.
type groupsOnFake struct {
	addrs string
	ids   []string

	mu    sync.Mutex
	asked map[int16]int
	// crowded counts DescribeShareGroupOffsets of more than one group.
	crowded int
}

func newGroupsOnFake(t *testing.T, groups int) *groupsOnFake {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(2), kfake.SeedTopics(3, "jobs"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.DisableClientMetrics())
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	m := &groupsOnFake{addrs: strings.Join(c.ListenAddrs(), ","), asked: map[int16]int{}}
	offsets := make(kadm.Offsets)
	for p := range int32(3) {
		offsets.AddOffset("jobs", p, 0, -1)
	}
	for i := range groups {
		id := fmt.Sprintf("group-%03d", i)
		m.ids = append(m.ids, id)
		if _, err := kadm.NewClient(cl).AlterShareGroupOffsets(t.Context(), id, offsets); err != nil {
			t.Fatal(err)
		}
	}
	c.Control(func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		m.mu.Lock()
		defer m.mu.Unlock()
		m.asked[r.Key()]++
		if offsets, ok := r.(*kmsg.DescribeShareGroupOffsetsRequest); ok && len(offsets.Groups) > 1 {
			m.crowded++
		}
		return nil, nil, false
	})
	return m
}

// run runs a command that is to end well without a word, and returns its output
// and how many requests of each kind it took.
func (m *groupsOnFake) run(t *testing.T, args ...string) (out string, asked map[int16]int) {
	t.Helper()
	out, talk, asked := m.runTalking(t, args...)
	if talk != "" {
		t.Errorf("%q said %s", args, talk)
	}
	return out, asked
}

func (m *groupsOnFake) runTalking(t *testing.T, args ...string) (out, talk string, asked map[int16]int) {
	t.Helper()
	m.mu.Lock()
	m.asked = map[int16]int{}
	m.mu.Unlock()
	env := environment(t.Context(), &panicked{end: func() {}}, &pagers{})
	var stdout, stderr bytes.Buffer
	env.Stdout, env.Stderr, env.StdoutIsTerminal = &stdout, &stderr, false
	if code := cli.Main(t.Context(), append(args, "--bootstrap-server", m.addrs), env); code != cli.ExitOK {
		t.Fatalf("%q: exit code %d, %s", args, code, stderr.String())
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return stdout.String(), stderr.String(), m.asked
}

// TestVerbsOnAThousandGroups holds that nothing is missing or twice in what the
// commands print of 1,000 groups, and how many requests that takes.
func TestVerbsOnAThousandGroups(t *testing.T) {
	m := newGroupsOnFake(t, 1000)
	tests := []struct {
		args string
		// rows is how many there are of each group.
		rows int
		// described tells whether descriptions are asked for: one for each broker
		// and 500 groups. offsets are the requests for offsets: one for each group.
		described bool
		offsets   int
	}{
		{"list", 1, true, 0},
		{"list --lag", 1, true, 1000},
		{"describe --all-groups", 3, true, 1000},
		{"describe --all-groups --state", 1, true, 0},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			began := time.Now()
			lines, asked := m.run(t, append(strings.Fields(tt.args), "-o", "jsonl")...)
			// A command that takes long on a busy machine lists again every second, and
			// once more where it comes upon something on the way.
			ticks := 2 + int(time.Since(began)/model.DefaultInterval)
			var got []string
			for line := range strings.Lines(lines) {
				var row struct{ GroupID string }
				if err := json.Unmarshal([]byte(line), &row); err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				got = append(got, row.GroupID)
			}
			var want []string
			for _, id := range m.ids {
				want = append(want, slices.Repeat([]string{id}, tt.rows)...)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d rows, want %d, of each group as many and by name", len(got), len(want))
			}
			if n := asked[kmsg.ListGroups.Int16()]; n < 2 || n > 2*ticks {
				t.Errorf("%d lists were asked for in %d ticks, want 2 in each", n, ticks)
			}
			// How the groups are spread decides whether a broker has more than 500.
			if n := asked[kmsg.ShareGroupDescribe.Int16()]; n > 3*ticks || (n < 2) == tt.described {
				t.Errorf("%d descriptions in %d ticks, and they are wanted: %v", n, ticks, tt.described)
			}
			if n := asked[kmsg.DescribeShareGroupOffsets.Int16()]; n != tt.offsets || m.crowded > 0 {
				t.Errorf("%d requests for offsets, %d of them for several groups, want %d", n, m.crowded, tt.offsets)
			}
			text, _ := m.run(t, append(strings.Fields(tt.args), "-o", "csv", "--no-header")...)
			if rows, err := csv.NewReader(strings.NewReader(text)).ReadAll(); err != nil || len(rows) != len(want) {
				t.Errorf("%d lines of CSV, want %d: %v", len(rows), len(want), err)
			}
		})
	}
	for _, args := range []string{"describe --all-groups -o jsonl", "describe --all-groups -o wide", "list --lag -o json"} {
		t.Run("head "+args, func(t *testing.T) { m.head(t, args) })
	}
}

// head reads the beginning of a command's output, which a pipe does not hold all
// of, and closes it.
func (m *groupsOnFake) head(t *testing.T, args string) {
	cmd := childCommand(t, childProgram, append(strings.Fields(args), "--bootstrap-server", m.addrs)...)
	var talk bytes.Buffer
	cmd.Stderr = &talk
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	if _, err := io.ReadFull(in, make([]byte, 16)); err != nil {
		t.Error(err)
	}
	in.Close()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != cli.ExitPipe || talk.Len() > 0 {
		t.Errorf("exit code %d, %q", code, talk.String())
	}
}

// TestDryRunsOnlyRead holds that without --execute nothing but reads leaves, and
// that a connection that is read-only makes no difference to that.
func TestDryRunsOnlyRead(t *testing.T) {
	m := newGroupsOnFake(t, 1)
	reads := []kmsg.Key{
		kmsg.ApiVersions, kmsg.Metadata, kmsg.ListGroups, kmsg.ShareGroupDescribe, kmsg.DescribeShareGroupOffsets,
		kmsg.DescribeConfigs, kmsg.ListOffsets, kmsg.Fetch,
	}
	for _, args := range []string{
		"reset-offsets group-000 --all-topics --to-latest",
		"reset-offsets group-000 --topic jobs --by-duration PT1H --dry-run",
		"delete group-000",
		"delete-offsets group-000 --topic jobs",
		"config group-000 share.record.lock.duration.ms=20000",
		"config group-000 --unset share.record.lock.duration.ms --dry-run",
		"consume group-000",
	} {
		t.Run(args, func(t *testing.T) {
			free, _, asked := m.runTalking(t, strings.Fields(args)...)
			readOnly, _, askedToo := m.runTalking(t, append(strings.Fields(args), "--read-only")...)
			if free != readOnly || free == "" && !strings.HasPrefix(args, "consume") {
				t.Errorf("%q, and with --read-only %q", free, readOnly)
			}
			for _, all := range []map[int16]int{asked, askedToo} {
				for key := range all {
					if !slices.Contains(reads, kmsg.Key(key)) {
						t.Errorf("%s was sent", kmsg.NameForKey(key))
					}
				}
			}
		})
	}
}
