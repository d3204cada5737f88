//go:build unix

package test

import (
	"context"
	"testing"

	"sharetop/model"
	"sharetop/test/workload"
)

// Groups that read the packers' topic beside them: one placed somewhere else,
// one past the end of partition 0 (667 orders), one without start offsets.
const (
	auditors = "second look" // a space, so that tables are split with care
	pastEnd  = "past-end"
	unplaced = "new-group"
)

// testBookNest watches the BookNest run live and holds what is seen against
// the run's own count and against Kafka's command, with members and without.
func testBookNest(t *testing.T, c cluster) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*stepTimeout)
	defer cancel()
	must(t, c.work.CreateTopic(ctx, workload.PackingTopic, workload.PackingPartitions))
	must(t, c.work.ProduceOrders(ctx, workload.PackingTopic))
	must(t, c.work.SetGroupConfig(ctx, workload.PackersGroup, "share.auto.offset.reset", "earliest"))
	must(t, c.work.PlaceGroup(ctx, auditors, workload.PackingTopic, 100, 0, 666))
	must(t, c.work.PlaceGroup(ctx, pastEnd, workload.PackingTopic, 1000))
	must(t, c.work.PlaceGroup(ctx, unplaced, workload.PackingTopic, -1, -1, -1))
	groups := []string{workload.PackersGroup, auditors, pastEnd, unplaced}

	w := watch(t, c, groups...)
	packers, err := c.work.StartPackers(ctx, workload.PackingTopic, workload.PackersGroup, 4)
	must(t, err)
	defer packers.Close()
	tally, err := packers.Wait(ctx)
	must(t, err)
	want := workload.Tally{Accepted: workload.Accepted, Released: workload.Released, Rejected: workload.Rejected, MaxDelivery: 2}
	if tally != want {
		t.Errorf("the packers did %+v, want %+v", tally, want)
	}

	w.until("four packers, caught up", func(b *model.Board) bool {
		r := row(b, workload.PackersGroup)
		return hasLag(b, workload.PackersGroup, 0) && r.Group.State == model.GroupStable &&
			len(r.Group.Members) == 4 && r.Group.Epoch == r.Group.AssignmentEpoch
	})
	compare(t, c, w, groups...)
	wantLogs(t, w.board, workload.PackingTopic, 667, 667, 666)
	wantFinding(t, w.board, workload.PackersGroup, model.FindingCaughtUp)
	wantLags(t, w.board)

	packers.Close()
	w.until("the group empty", func(b *model.Board) bool {
		r := row(b, workload.PackersGroup)
		return r != nil && r.Group.State == model.GroupEmpty && len(r.Group.Members) == 0
	})
	compare(t, c, w, groups...)
	if !hasLag(w.board, workload.PackersGroup, 0) {
		t.Errorf("the emptied group's lag is not 0:\n%s", describe(w.board))
	}
	wantFinding(t, w.board, workload.PackersGroup, model.FindingCaughtUp)
}

// wantLags checks the lags of the groups beside the packers, which Kafka's
// command does not total, and hides below zero.
func wantLags(t *testing.T, b *model.Board) {
	t.Helper()
	if !hasLag(b, auditors, 567+667) {
		t.Errorf("the lag of %q is not the sum of its partitions:\n%s", auditors, describe(b))
	}
	if past := row(b, pastEnd); past == nil || past.Group.Partitions[0].Lag != model.Known(667-1000) {
		t.Errorf("a start past the end has no lag below zero:\n%s", describe(b))
	}
	if r := row(b, unplaced); r == nil || r.Lag.IsKnown() {
		t.Errorf("the lag of a group without start offsets is known:\n%s", describe(b))
	}
}

// wantLogs checks the log ends of a topic that begins at 0.
func wantLogs(t *testing.T, b *model.Board, topic string, ends ...int64) {
	t.Helper()
	for partition, end := range ends {
		log := b.Snapshot.Log(model.NewTopicName(topic), int32(partition)) //nolint:gosec // a few partitions
		if log.End != model.Known(end) || log.LogStart != model.Known(0) || log.Leader != 1 {
			t.Errorf("%s-%d: %+v, want offsets 0 to %d led by 1", topic, partition, log, end)
		}
	}
}

// wantFinding checks a group's verdict.
func wantFinding(t *testing.T, b *model.Board, group string, want model.Finding) {
	t.Helper()
	if r := row(b, group); r == nil || r.Verdict.Finding != want {
		t.Errorf("the verdict on %q is not %q:\n%s", group, want, describe(b))
	}
}
