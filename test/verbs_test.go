//go:build unix

package test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"sharetop/cli"
	"sharetop/model"
	"sharetop/test/judge"
)

// shareGroups is kafka-share-groups.sh.
const shareGroups = "org.apache.kafka.tools.consumer.group.ShareGroupCommand"

// testVerbs holds the commands for scripts against Kafka's own command: what
// they print, and what it sees of what they changed.
func testVerbs(t *testing.T, c cluster) {
	const topic, idle, read = "verbs.jobs", "verbs, idle", "verbs.read"
	must(t, c.work.CreateTopic(t.Context(), topic, 2))
	must(t, c.work.Produce(t.Context(), topic, 1, 9))
	must(t, c.work.PlaceGroup(t.Context(), idle, topic, 0, 4))
	must(t, c.work.PlaceGroup(t.Context(), read, topic, 0, 0))
	reader := accept(t, c, topic, read)
	reader.waitFor(t, 9)
	v := verbs{t, c, filepath.Join(t.TempDir(), "audit.jsonl")}

	v.compareDescriptions(idle, read)
	v.compareReset(idle, topic)
	v.refuse(read, topic)
	v.consume(idle, topic)
	v.listState(idle, topic)
	v.configure(idle)
	v.delete(idle, topic)
}

// verbs runs the program's commands on a cluster.
type verbs struct {
	t *testing.T
	cluster
	audit string
}

// printed is one row of JSON lines.
type printed map[string]any

func (r printed) text(name string) string {
	if s, ok := r[name].(string); ok {
		return s
	}
	return ""
}

func (r printed) number(name string) model.Number {
	if n, ok := r[name].(json.Number); ok {
		if v, err := n.Int64(); err == nil {
			return model.Known(v)
		}
	}
	return model.Number{}
}

// run runs a command; its exit code must be the one that is wanted.
func (v verbs) run(code int, args ...string) (stdout, stderr string) {
	v.t.Helper()
	stdout, stderr, got := v.try(args...)
	if got != code {
		v.t.Errorf("%q: exit code %d, want %d\n%s%s", args, got, code, stdout, stderr)
	}
	return stdout, stderr
}

// try runs a command, however it ends.
func (v verbs) try(args ...string) (stdout, stderr string, code int) {
	v.t.Helper()
	path, err := program()
	must(v.t, err)
	args = append(args, "--bootstrap-server", strings.Join(v.Bootstrap(), ","), "--audit-file", v.audit)
	cmd := exec.CommandContext(v.t.Context(), path, args...)
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	if failed := new(exec.ExitError); !errors.As(cmd.Run(), &failed) && cmd.ProcessState == nil {
		v.t.Fatalf("%s %q can't be run", path, args)
	}
	return out.String(), talk.String(), cmd.ProcessState.ExitCode()
}

// rows are a command's rows.
func (v verbs) rows(code int, args ...string) []printed {
	v.t.Helper()
	out, _ := v.run(code, append(args, "-o", "jsonl")...)
	var rows []printed
	for line := range strings.Lines(out) {
		rows = append(rows, parsePrinted(v.t, line))
	}
	return rows
}

func parsePrinted(t *testing.T, line string) printed {
	t.Helper()
	var r printed
	decoder := json.NewDecoder(strings.NewReader(line))
	decoder.UseNumber()
	if err := decoder.Decode(&r); err != nil {
		t.Fatalf("printed was %q: %v", line, err)
	}
	return r
}

// compareDescriptions compares list and describe with what Kafka prints.
func (v verbs) compareDescriptions(groups ...string) {
	listed, err := v.judge.List(v.t.Context())
	must(v.t, err)
	var list []judge.ListRow
	for _, r := range v.rows(0, "list") {
		list = append(list, judge.ListRow{Group: r.text("groupId"), State: model.GroupState(r.text("groupState"))})
	}
	sameRows(v.t, "groups of list", list, listed)

	offsets, err := v.judge.Offsets(v.t.Context(), groups...)
	must(v.t, err)
	sameRows(v.t, "offsets of describe", v.offsets(groups...), offsets)

	members, err := v.judge.Members(v.t.Context(), groups...)
	must(v.t, err)
	var ours []judge.MemberRow
	for _, r := range v.rows(0, append([]string{"describe", "--members"}, groups...)...) {
		ours = append(ours, memberOf(r))
	}
	sameRows(v.t, "members of describe", ours, members)

	states, err := v.judge.States(v.t.Context(), groups...)
	must(v.t, err)
	var state []judge.StateRow
	for _, r := range v.rows(0, append([]string{"describe", "--state"}, groups...)...) {
		state = append(state, judge.StateRow{
			Group: r.text("groupId"), Address: r.text("coordinatorAddress"), Coordinator: int32(r.number("coordinator").Or(-1)), //nolint:gosec // a broker's id
			State: model.GroupState(r.text("groupState")), Epoch: r.number("groupEpoch"), AssignmentEpoch: r.number("assignmentEpoch"),
			Members: int(r.number("memberCount").Or(-1)),
		})
	}
	sameRows(v.t, "states of describe", state, states)
	if code := v.rows(1, "describe", "not there"); len(code) > 0 {
		v.t.Errorf("a group that is not there was described: %v", code)
	}
}

// offsets are what describe prints, without what Kafka's command does not.
func (v verbs) offsets(groups ...string) []judge.OffsetRow {
	var out []judge.OffsetRow
	for _, r := range v.rows(0, append([]string{"describe"}, groups...)...) {
		out = append(out, asPrinted(judge.OffsetRow{
			Group: r.text("groupId"), Topic: r.text("topicName"), Partition: int32(r.number("partitionIndex").Or(-1)), //nolint:gosec // a partition
			LeaderEpoch: r.number("leaderEpoch"), Start: r.number("startOffset"), Lag: r.number("lag"),
		}))
	}
	return out
}

func memberOf(r printed) judge.MemberRow {
	m := judge.MemberRow{
		Group: r.text("groupId"), Member: r.text("memberId"), Host: "/" + r.text("clientHost"), ClientID: r.text("clientId"),
		Partitions: int(r.number("partitionCount").Or(-1)), Epoch: r.number("memberEpoch"),
	}
	topics, _ := r["assignment"].([]any)
	for _, topic := range topics {
		t, _ := topic.(map[string]any)
		partitions, _ := t["partitions"].([]any)
		for _, p := range partitions {
			m.Assignment = append(m.Assignment, fmt.Sprintf("%s-%v", t["topicName"], p))
		}
	}
	return m
}

// compareReset compares a plan with Kafka's own dry run, and writes it.
func (v verbs) compareReset(group, topic string) {
	args := []string{"--group", group, "--topic", topic, "--to-latest"}
	out, err := v.Tool(v.t.Context(), shareGroups, append(append(v.BootstrapArgs(), "--reset-offsets", "--dry-run"), args...)...)
	must(v.t, err)
	plan := v.rows(0, append([]string{"reset-offsets"}, args...)...)
	if len(plan) != 2 {
		v.t.Fatalf("the plan is %v, want 2 partitions", plan)
	}
	for _, r := range plan {
		fields := []string{topic, digits(r.number("partitionIndex")), digits(r.number("newOffset"))}
		if !strings.Contains(strings.Join(strings.Fields(out), " "), strings.Join(fields, " ")) {
			v.t.Errorf("Kafka's own dry run has not %q:\n%s", fields, out)
		}
	}
	if readOnly := v.rows(0, append([]string{"reset-offsets", "--read-only"}, args...)...); !reflect.DeepEqual(readOnly, plan) {
		v.t.Errorf("in read-only mode the plan is %v, else %v", readOnly, plan)
	}
	if _, talk := v.run(1, "reset-offsets", group, "--topic", topic+".none", "--to-latest", "--execute"); !strings.Contains(talk, "nothing was changed") {
		v.t.Errorf("a reset of a topic that is not there said %q", talk)
	}
	v.run(3, "reset-offsets", group, "--topic", topic+":0,9", "--to-latest")
	before := v.offsets(group)
	v.rows(0, append([]string{"reset-offsets", "--execute"}, args...)...)
	after, err := v.judge.Offsets(v.t.Context(), group)
	must(v.t, err)
	if len(after) != 2 || after[1].Start != model.Known(9) {
		v.t.Errorf("after the reset Kafka's own command shows %v", after)
	}
	undo, err := filepath.Glob(filepath.Join(filepath.Dir(v.audit), "undo", "*.csv"))
	if err != nil || len(undo) != 1 {
		v.t.Fatalf("the undo files are %v, %v", undo, err)
	}
	v.rows(0, "reset-offsets", group, "--from-file", undo[0], "--execute")
	sameRows(v.t, "offsets after the undo", v.offsets(group), before)
}

// refuse tries what may not be done.
func (v verbs) refuse(read, topic string) {
	for _, args := range [][]string{
		{"reset-offsets", read, "--all-topics", "--to-latest", "--execute"},
		{"delete", read, "--execute"},
		{"delete-offsets", read, "--topic", topic, "--execute"},
		{"delete", read, "--execute", "--read-only"},
		{"consume", read, "--execute", "--read-only"},
	} {
		if _, talk := v.run(5, args...); !strings.Contains(talk, "refused") {
			v.t.Errorf("%q said %q", args, talk)
		}
	}
	v.runsOut("wait", read, "--empty")
	v.run(0, "wait", read, "--lag", "0", "--stable")
}

// runsOut runs a command whose time is to run out with the cluster in sight: a
// moment is enough for that, if not on a busy machine.
func (v verbs) runsOut(args ...string) {
	v.t.Helper()
	for timeout := 500 * time.Millisecond; ; timeout *= 4 {
		_, _, code := v.try(append(args[:len(args):len(args)], "--timeout", strconv.FormatInt(timeout.Milliseconds(), 10))...)
		if code == cli.ExitTimeout {
			return
		}
		if code != cli.ExitUnreachable || timeout > stepTimeout {
			v.t.Errorf("%q: exit code %d after %v, want %d", args, code, timeout, cli.ExitTimeout)
			return
		}
	}
}

// consume peeks, and acquires the same records.
func (v verbs) consume(group, topic string) {
	peeked := v.rows(0, "peek", group, "-n", "2")
	if len(peeked) != 2 || peeked[0].number("offset") != model.Known(4) {
		v.t.Fatalf("the records at the head are %v", peeked)
	}
	taken := v.rows(0, "consume", group, "-n", "2", "--ack", "accept", "--execute", "--timeout", "60s")
	if len(taken) != 2 || taken[0].number("offset") != model.Known(4) || taken[0].text("value") != peeked[0].text("value") ||
		taken[0].number("deliveryCount") != model.Known(1) {
		v.t.Errorf("acquired were %v, peeked at %v", taken, peeked)
	}
	v.run(0, "wait", group, "--lag", "3", "--timeout", "60s")
	if dry := v.rows(0, "consume", group, "--topic", topic); len(dry) == 0 {
		v.t.Error("a dry run shows no record")
	}
}

// configure sets a config, and takes it back.
func (v verbs) configure(group string) {
	const key = "share.record.lock.duration.ms"
	source := func() string {
		for _, r := range v.rows(0, "config", group) {
			if r.text("configName") == key {
				return r.text("configSource") + " " + r.text("configValue")
			}
		}
		return "not there"
	}
	before := source()
	v.run(0, "config", group, key+"=20000")
	if source() != before {
		v.t.Error("a config was changed without --execute")
	}
	v.run(0, "config", group, key+"=20000", "--execute")
	if got := source(); got != "group 20000" {
		v.t.Errorf("the config is %q", got)
	}
	v.run(0, "config", group, "--unset", key, "--execute")
	if got := source(); got != before {
		v.t.Errorf("the config is %q, and was %q", got, before)
	}
	v.run(5, "config", group, key+"=1", "--execute")
}

// delete deletes a topic's offsets, then the group, as Kafka's own command sees.
func (v verbs) delete(group, topic string) {
	v.run(0, "delete-offsets", group, "--topic", topic)
	v.run(0, "delete-offsets", group, "--topic", topic, "--execute")
	v.run(0, "delete", group)
	out, _ := v.run(0, "delete", group, "--execute", "-o", "csv", "--no-header")
	if fields, err := csv.NewReader(strings.NewReader(out)).Read(); err != nil || fields[0] != group || fields[2] != "done" {
		v.t.Errorf("delete printed %q: %v", out, err)
	}
	listed, err := v.judge.List(v.t.Context())
	must(v.t, err)
	for _, r := range listed {
		if r.Group == group {
			v.t.Errorf("%s is still there", group)
		}
	}
	v.run(1, "delete", group, "--execute")
}

func digits(n model.Number) string { return strconv.FormatInt(n.Or(-1), 10) }
