//go:build unix

package test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"sharetop/kafka"
	"sharetop/model"
	"sharetop/test/broker"
)

// testChangeDryRun holds plans against what Kafka's own 4.4 command would write:
// the same number for each partition, by every target that both have.
func testChangeDryRun(t *testing.T, c cluster) {
	const topic, group = "change-dry", "change-dry"
	must(t, c.work.CreateTopic(t.Context(), topic, 3))
	must(t, c.work.Produce(t.Context(), topic, 0, 12))
	must(t, c.work.Produce(t.Context(), topic, 1, 4))
	time.Sleep(5 * time.Millisecond) // so that what follows has later timestamps
	middle := time.Now().UTC()
	must(t, c.work.Produce(t.Context(), topic, 0, 8))
	must(t, c.work.PlaceGroup(t.Context(), group, topic, 5, 2)) // and nothing on the third
	ch := changer(t, c)
	for _, test := range []struct {
		target model.ResetTarget
		kafka  []string
	}{
		{model.ResetTarget{Kind: model.ToOffset, Offset: 7}, []string{"--to-offset", "7"}},
		{model.ResetTarget{Kind: model.ToLatest}, []string{"--to-latest"}},
		{model.ResetTarget{Kind: model.ToCurrent}, []string{"--to-current"}},
		{model.ResetTarget{Kind: model.ToTime, Time: middle.Truncate(time.Millisecond)}, []string{"--to-datetime", middle.Format("2006-01-02T15:04:05.000")}},
	} {
		t.Run(test.target.Kind.String(), func(t *testing.T) {
			args := append(c.BootstrapArgs(), "--reset-offsets", "--group", group, "--topic", topic, "--dry-run", "--export")
			out, err := c.NewestTool(t.Context(), broker.ShareGroupCommand, append(args, test.kafka...)...)
			must(t, err)
			want, _, err := model.ReadPlanCSV([]byte(csvLines(out)), model.NewGroupID(group))
			must(t, err)
			r := model.LookRequest{Group: model.NewGroupID(group), Target: test.target, Scope: model.ResetScope{Topics: []model.TopicName{model.NewTopicName(topic)}}}
			look, err := ch.Look(t.Context(), r)
			must(t, err)
			for _, row := range model.MakePlan(look, r.Scope, test.target).Rows {
				if to, ok := want[row.TopicPartition]; !ok || row.New != model.Known(to) {
					t.Errorf("%s-%d: %v is planned, and Kafka's command would write %d (%t)", row.Topic, row.Partition, row.New, to, ok)
				}
			}
			if len(want) != 3 {
				t.Errorf("Kafka's command says %q", out)
			}
		})
	}
}

// csvLines leaves out the warnings that Kafka's command mixes in.
func csvLines(out string) string {
	var lines []string
	for line := range strings.Lines(out) {
		if strings.Count(line, ",") >= 2 && !strings.Contains(line, " ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// testChangeDeadLetters checks the settings that brokers accept and that lose
// dead letters: each is named, with what would help.
func testChangeDeadLetters(t *testing.T, c cluster) {
	const key = "errors.deadletterqueue.topic.name"
	ch := changer(t, c)
	warnings := func(topic string) (string, error) {
		change := model.ConfigChange{Group: model.NewGroupID("change-letters"), Key: model.NewText(key), Value: model.NewText(topic)}
		facts, err := ch.LookConfig(t.Context(), change)
		if err != nil {
			return "", err
		}
		return strings.Join(model.ConfigWarnings(change, *facts), " "), nil
	}
	if c.Version != broker.Kafka44 {
		if _, err := warnings("dlq.none"); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("this version has no dead letters, and: %v", err)
		}
		return
	}
	yes := "true"
	_, err := c.work.Admin().CreateTopic(t.Context(), 1, 1, map[string]*string{"errors.deadletterqueue.group.enable": &yes}, "dlq.change-good")
	must(t, err)
	must(t, c.work.CreateTopic(t.Context(), "dlq.change-plain", 1))
	autoCreate(t, c, "false")
	defer autoCreate(t, c, "true")
	for topic, want := range map[string]string{
		"dlq.change-good":  "",
		"dlq.change-plain": "Set errors.deadletterqueue.group.enable=true on it.",
		"change-unnamed":   `The name lacks the cluster's prefix "dlq."`,
		"dlq.change-none":  "does not exist and brokers may not create it",
	} {
		got, err := warnings(topic)
		if err != nil || (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, %v, want %q", topic, got, err, want)
		}
	}
}

// autoCreate sets whether brokers make dead-letter topics, and waits until they
// say so.
func autoCreate(t *testing.T, c cluster, value string) {
	t.Helper()
	const key = "errors.deadletterqueue.auto.create.topics.enable"
	alter := kadm.AlterConfig{Op: kadm.SetConfig, Name: key, Value: &value}
	if _, err := c.work.Admin().AlterBrokerConfigs(t.Context(), []kadm.AlterConfig{alter}); err != nil {
		t.Fatal(err)
	}
	until(t, key+" is "+value, func() bool {
		all, err := c.work.Admin().DescribeBrokerConfigs(t.Context(), 1)
		for _, r := range all {
			for _, config := range r.Configs {
				if config.Key == key {
					return err == nil && config.MaybeValue() == value
				}
			}
		}
		return false
	})
}

// until asks again and again, for a bounded time.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(stepTimeout)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}

// leaderGone plans for a topic with one replica each, of which one is on a broker
// that is gone: that partition is named and left out, the others are written.
func leaderGone(t *testing.T, ch *kafka.Changer, group string) {
	t.Helper()
	p := planFor(t, ch, group, model.ResetTarget{Kind: model.ToOffset, Offset: 3})
	left := 0
	for _, r := range p.Rows {
		if !r.Write && strings.Contains(r.Note, "no leader") {
			left++
		}
	}
	if left != 1 || p.Totals().Written != 2 || len(p.Rows) != 3 {
		t.Fatalf("the plan is %+v", p.Rows)
	}
	r := writePlan(t, ch, p)
	if undo, _, err := model.ReadPlanCSV(p.UndoCSV(), p.Group); err != nil || len(undo) != 2 || r.UndoPath.Empty() {
		t.Errorf("the undo is %v, %v", undo, err)
	}
	for _, row := range r.Rows {
		if row.ReadBack != model.Known(3) {
			t.Errorf("%s", fmt.Sprintf("%s-%d reads back as %v", row.Topic, row.Partition, row.ReadBack))
		}
	}
}
