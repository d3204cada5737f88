//go:build unix

package test

import (
	"strings"
	"testing"

	"sharetop/model"
	"sharetop/test/broker"
)

// TestShareGroupsDisabled watches a cluster whose finalized share.version is 0:
// its brokers know the requests and list no groups.
func TestShareGroupsDisabled(t *testing.T) {
	c := startKafka(t, broker.Options{Features: []string{"share.version=0"}})
	w := watch(t, c)
	board := w.until("that share groups are off", func(b *model.Board) bool {
		return b.Snapshot.Cluster.ShareGroups != model.ShareUnknown && problemOf(b, model.ProblemFeature, "") != nil
	})
	if got := board.Snapshot.Cluster.ShareGroups; got != model.ShareDisabled {
		t.Errorf("share groups are %d, want disabled (%d)", got, model.ShareDisabled)
	}
	if got := board.Snapshot.Cluster.ShareVersion; got != model.Known(0) {
		t.Errorf("share.version = %v, want 0", got)
	}
	letters := model.ConfigChange{
		Group: model.NewGroupID("g"), Key: model.NewText("errors.deadletterqueue.topic.name"), Value: model.NewText("dlq.x"),
	}
	facts, err := changer(t, c).LookConfig(t.Context(), letters)
	must(t, err)
	if got := strings.Join(model.ConfigWarnings(letters, *facts), " "); !strings.Contains(got, "share.version is 0: below 2 nothing is written") {
		t.Errorf("dead letters are set to be lost, and: %q", got)
	}
	if p := problemOf(board, model.ProblemFeature, ""); p.Advice == "" {
		t.Errorf("the problem has no advice: %+v", p)
	}
}
