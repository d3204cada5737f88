//go:build unix

package test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sharetop/audit"
	"sharetop/kafka"
	"sharetop/model"
	"sharetop/test/broker"
)

// changer is what changes groups in a test, with its own audit file.
func changer(t *testing.T, c cluster) *kafka.Changer {
	t.Helper()
	client, err := kafka.Open(model.Connection{Bootstrap: c.Bootstrap()}, kafka.Options{Now: time.Now})
	must(t, err)
	t.Cleanup(client.Close)
	book := audit.New(filepath.Join(t.TempDir(), "audit.jsonl"))
	t.Cleanup(func() { _ = book.Close() })
	return client.Changes(kafka.ChangeOptions{
		Audit: book, Who: "test@here",
		SaveUndo: func(g model.GroupID, csv []byte) (string, error) { return book.SaveUndo(g, csv, time.Now()) },
	})
}

func planFor(t *testing.T, ch *kafka.Changer, group string, target model.ResetTarget) *model.Plan {
	t.Helper()
	r := model.LookRequest{Group: model.NewGroupID(group), Target: target}
	look, err := ch.Look(t.Context(), r)
	must(t, err)
	return model.MakePlan(look, r.Scope, target)
}

func writePlan(t *testing.T, ch *kafka.Changer, p *model.Plan) *model.ResetResult {
	t.Helper()
	r, err := ch.Reset(t.Context(), p)
	must(t, err)
	if r.Trouble != "" || len(r.Moved) > 0 || r.Written() != p.Totals().Written {
		t.Fatalf("the plan was not written: %+v", r)
	}
	return r
}

// drain accepts n records of a group and leaves it.
func drain(t *testing.T, c cluster, topic, group string, n int) {
	t.Helper()
	a := accept(t, c, topic, group)
	a.waitFor(t, n)
	a.close()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.accepted != n {
		t.Errorf("%s was given %d records, want %d", group, a.accepted, n)
	}
}

// testChanges resets by every target and sees what a consumer is given then.
func testChanges(t *testing.T, c cluster) {
	const topic, records = "change-targets", 40
	began := time.Now().Truncate(time.Millisecond)
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	must(t, c.work.Produce(t.Context(), topic, 0, records/2))
	time.Sleep(5 * time.Millisecond) // so that the two halves have different timestamps
	middle := time.Now()
	must(t, c.work.Produce(t.Context(), topic, 0, records/2))
	ch := changer(t, c)
	for i, test := range []struct {
		target model.ResetTarget
		want   int64
	}{
		{model.ResetTarget{Kind: model.ToEarliest}, 0},
		{model.ResetTarget{Kind: model.ToLatest}, records},
		{model.ResetTarget{Kind: model.ToOffset, Offset: 33}, 33},
		{model.ResetTarget{Kind: model.ToOffset, Offset: 1 << 40}, records},
		{model.ResetTarget{Kind: model.ToShift, Offset: 5}, 15},
		{model.ResetTarget{Kind: model.ToShift, Offset: -4}, 6},
		{model.ResetTarget{Kind: model.ToTime, Time: middle}, records / 2},
		{model.ResetTarget{Kind: model.ToBack, Time: time.Now().Add(time.Hour)}, records},
		{model.ResetTarget{Kind: model.ToFile, File: map[model.TopicPartition]int64{{Topic: model.NewTopicName(topic)}: 31}}, 31},
	} {
		t.Run(test.target.Kind.String(), func(t *testing.T) {
			group := fmt.Sprintf("change-target-%d", i)
			must(t, c.work.PlaceGroup(t.Context(), group, topic, 10))
			p := planFor(t, ch, group, test.target)
			if got := p.Rows[0].New; got != model.Known(test.want) {
				t.Fatalf("%s plans %v, want %d", test.target, got, test.want)
			}
			crossed := ch.Crossed(t.Context(), p)[p.Rows[0].TopicPartition]
			if !crossed.Known() || crossed.First.Before(began) || crossed.Last.After(time.Now()) || crossed.Last.Before(crossed.First) {
				t.Errorf("the plan crosses %+v", crossed)
			}
			writePlan(t, ch, p)
			if left := int(records - test.want); left > 0 {
				drain(t, c, topic, group, left)
			}
		})
	}
}

// testChangeDrained leaves out a partition whose number would not change: a
// write would deliver again all that is finished, as Kafka's own command does.
func testChangeDrained(t *testing.T, c cluster) {
	const topic, group, records = "change-drained", "change-drained", 60
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	must(t, c.work.Produce(t.Context(), topic, 0, records))
	must(t, c.work.PlaceGroup(t.Context(), group, topic, 3))
	drain(t, c, topic, group, records-3)
	ch := changer(t, c)
	p := planFor(t, ch, group, model.ResetTarget{Kind: model.ToCurrent})
	if got := p.Totals(); got.Written != 0 || !strings.Contains(p.Rows[0].Note, "number does not change") {
		t.Fatalf("the plan to current writes: %+v", p.Rows)
	}
	start := p.Rows[0].Now.Or(-1)
	if ahead := p.Rows[0].Ahead; ahead != (model.Span{Low: records - start, High: records - start}) {
		t.Errorf("%v are finished ahead of %d, want %d", ahead, start, records-start)
	}
	_, err := c.NewestTool(t.Context(), broker.ShareGroupCommand, append(c.BootstrapArgs(),
		"--reset-offsets", "--group", group, "--topic", topic, "--to-offset", strconv.FormatInt(start, 10), "--execute")...)
	must(t, err)
	drain(t, c, topic, group, int(records-start)) // Kafka's own command did this to them
}

// testChangeUndo takes a reset back, by this program and by Kafka's own command,
// and reads what that one exports.
func testChangeUndo(t *testing.T, c cluster) {
	const topic, group = "change-undo", "change undo: it's \"quoted\""
	must(t, c.work.CreateTopic(t.Context(), topic, 2))
	for p := range int32(2) {
		must(t, c.work.Produce(t.Context(), topic, p, 20))
	}
	must(t, c.work.PlaceGroup(t.Context(), group, topic, 5, 7))
	ch := changer(t, c)
	p := planFor(t, ch, group, model.ResetTarget{Kind: model.ToOffset, Offset: 12})
	r := writePlan(t, ch, p)
	writePlan(t, ch, planFor(t, ch, group, p.UndoTarget(r.UndoPath)))
	wantStarts(t, ch, group, 5, 7)

	r = writePlan(t, ch, planFor(t, ch, group, model.ResetTarget{Kind: model.ToLatest}))
	_, err := c.NewestTool(t.Context(), broker.ShareGroupCommand, append(c.BootstrapArgs(),
		"--reset-offsets", "--group", group, "--from-file", r.UndoPath.Raw(), "--execute")...)
	must(t, err)
	wantStarts(t, ch, group, 5, 7)

	exported, err := c.NewestTool(t.Context(), broker.ShareGroupCommand, append(c.BootstrapArgs(),
		"--reset-offsets", "--group", group, "--topic", topic, "--to-offset", "9", "--export", "--dry-run")...)
	must(t, err)
	rows, _, err := model.ReadPlanCSV([]byte(exported), model.NewGroupID(group))
	if err != nil || len(rows) != 2 || rows[model.TopicPartition{Topic: model.NewTopicName(topic), Partition: 1}] != 9 {
		t.Errorf("Kafka's export %q reads as %v, %v", exported, rows, err)
	}
}

func wantStarts(t *testing.T, ch *kafka.Changer, group string, want ...int64) {
	t.Helper()
	p := planFor(t, ch, group, model.ResetTarget{Kind: model.ToEarliest})
	for i, w := range want {
		if got := p.Rows[i].Now; got != model.Known(w) {
			t.Errorf("partition %d starts at %v, want %d", i, got, w)
		}
	}
}

// testChangeRefused is what keeps a group as it is: a member that joined after
// the plan, and a topic that was deleted.
func testChangeRefused(t *testing.T, c cluster) {
	const topic, group = "change-refused", "change-refused"
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	must(t, c.work.Produce(t.Context(), topic, 0, 20))
	must(t, c.work.PlaceGroup(t.Context(), group, topic, 10))
	ch := changer(t, c)
	p := planFor(t, ch, group, model.ResetTarget{Kind: model.ToEarliest})
	member := accept(t, c, topic, group)
	member.waitFor(t, 10)
	r, err := ch.Reset(t.Context(), p)
	must(t, err)
	if len(r.Moved) == 0 || !strings.Contains(r.Moved[0], "members now") || !r.UndoPath.Empty() {
		t.Errorf("a member joined, and: %+v", r)
	}
	results, err := ch.DeleteGroups(t.Context(), []model.GroupID{model.NewGroupID(group)})
	must(t, err)
	if !strings.Contains(results[0].Problem, "has members") {
		t.Errorf("delete with a member: %+v", results)
	}
	member.close()
	p = planFor(t, ch, group, model.ResetTarget{Kind: model.ToEarliest})
	must(t, c.work.DeleteTopic(t.Context(), topic))
	if r = resetRefused(t, ch, p); len(r.Moved) == 0 {
		t.Errorf("the topic was deleted, and: %+v", r)
	}
}

// resetRefused asks for a reset that changes nothing until the coordinator has an
// answer: it may need many seconds for a topic that was just deleted.
func resetRefused(t *testing.T, ch *kafka.Changer, p *model.Plan) (r *model.ResetResult) {
	t.Helper()
	waitFor(t, "an answer to the reset", func() bool {
		var err error
		if r, err = ch.Reset(t.Context(), p); err != nil {
			t.Logf("asking again: %v", err)
		}
		return err == nil
	})
	return r
}

// testChangeConfigAndDelete sets and unsets a config, and deletes a group.
func testChangeConfigAndDelete(t *testing.T, c cluster) {
	const topic = "change-delete"
	group := model.NewGroupID("change-delete")
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	must(t, c.work.PlaceGroup(t.Context(), group.Raw(), topic, 0))
	ch := changer(t, c)
	change := model.ConfigChange{Group: group, Key: model.NewText("share.record.lock.duration.ms"), Value: model.NewText("59000")}
	result, err := ch.ChangeConfig(t.Context(), change)
	if err != nil || result.Problem != "" || result.ReadBack.Raw() != "59000" {
		t.Errorf("set: %+v, %v", result, err)
	}
	low := change
	low.Value = model.NewText("5")
	if _, err = ch.ChangeConfig(t.Context(), low); err == nil || !strings.Contains(err.Error(), "at least 1000, which is the broker's bound") {
		t.Errorf("a value below the broker's bound: %v", err)
	}
	bad := model.ConfigChange{Group: group, Key: model.NewText("share.isolation.level"), Value: model.NewText("none")}
	if result, err = ch.ChangeConfig(t.Context(), bad); err != nil || !strings.Contains(result.Problem, "read_committed") {
		t.Errorf("the broker's own words: %+v, %v", result, err)
	}
	deleted, err := ch.DeleteGroups(t.Context(), []model.GroupID{group})
	must(t, err)
	if deleted[0].Problem != "" || len(deleted[0].Configs) != 1 {
		t.Errorf("deleted: %+v, want one config that stays", deleted)
	}
	change.Unset = true
	if result, err = ch.ChangeConfig(t.Context(), change); err != nil || result.Problem != "" || result.ReadBack.Raw() == "59000" {
		t.Errorf("unset: %+v, %v", result, err)
	}
}
