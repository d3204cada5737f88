//go:build unix

package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"sharetop/model"
	"sharetop/test/judge"
)

// onceJSON is what is compared of `--once -o json`.
type onceJSON struct {
	Groups []struct {
		GroupID string `json:"groupId"`
		Lag     *int64 `json:"lag"`
		Topics  []struct {
			TopicName  string `json:"topicName"`
			Partitions []struct {
				PartitionIndex int32  `json:"partitionIndex"`
				LeaderEpoch    *int64 `json:"leaderEpoch"`
				StartOffset    *int64 `json:"startOffset"`
				Lag            *int64 `json:"lag"`
			} `json:"partitions"`
		} `json:"topics"`
	} `json:"groups"`
	Problems []struct{ Detail string } `json:"problems"`
}

// testOnce holds what `--once` prints of all groups of the cluster against
// Kafka's own command.
func testOnce(t *testing.T, c cluster) {
	const topic, group, past = "once.jobs", "once", "once, past the end"
	must(t, c.work.CreateTopic(t.Context(), topic, 2))
	must(t, c.work.Produce(t.Context(), topic, 1, 9))
	must(t, c.work.PlaceGroup(t.Context(), group, topic, -1, 4))
	must(t, c.work.PlaceGroup(t.Context(), past, topic, 0, 12))
	want, err := c.judge.Offsets(t.Context())
	must(t, err)

	all, code := once(t, c)
	if code != 0 || len(all.Problems) > 0 {
		t.Errorf("exit code %d and problems %v, want 0 and none", code, all.Problems)
	}
	sameRows(t, "offsets printed by --once", all.rows(), want)

	one, code := once(t, c, "--group", past)
	if len(one.Groups) != 1 || one.Groups[0].GroupID != past || code != 0 {
		t.Fatalf("--group printed %+v, exit code %d", one.Groups, code)
	}
	if below := number(one.Groups[0].Topics[0].Partitions[1].Lag); below != model.Known(9-12) {
		t.Errorf("the lag of a start past the end is %v, want -3", below)
	}
	if _, code := once(t, c, "--group", "not there"); code != 1 {
		t.Errorf("exit code %d for a group that is not there, want 1", code)
	}
}

// once runs the program and reads what it prints.
func once(t *testing.T, c cluster, args ...string) (printed onceJSON, code int) {
	t.Helper()
	path, err := program()
	must(t, err)
	args = append([]string{"--once", "-o", "json", "--bootstrap-server", strings.Join(c.Bootstrap(), ",")}, args...)
	cmd := exec.CommandContext(t.Context(), path, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if failed := new(exec.ExitError); !errors.As(cmd.Run(), &failed) && cmd.ProcessState == nil {
		t.Fatalf("%s %q can't be run", path, args)
	}
	if stdout.Len() > 0 {
		if err := json.Unmarshal(stdout.Bytes(), &printed); err != nil {
			t.Fatalf("%q printed no JSON: %v\n%s\n%s", args, err, stdout.String(), stderr.String())
		}
	}
	return printed, cmd.ProcessState.ExitCode()
}

// rows are the offsets, without what Kafka's command does not print.
func (o onceJSON) rows() []judge.OffsetRow {
	var rows []judge.OffsetRow
	for _, g := range o.Groups {
		for _, topic := range g.Topics {
			for _, p := range topic.Partitions {
				rows = append(rows, asPrinted(judge.OffsetRow{
					Group: g.GroupID, Topic: topic.TopicName, Partition: p.PartitionIndex,
					LeaderEpoch: number(p.LeaderEpoch), Start: number(p.StartOffset), Lag: number(p.Lag),
				}))
			}
		}
	}
	return rows
}

// number is unknown for null.
func number(n *int64) model.Number {
	if n == nil {
		return model.Number{}
	}
	return model.Known(*n)
}
