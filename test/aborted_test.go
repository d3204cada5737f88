//go:build unix

package test

import (
	"testing"
	"time"

	"sharetop/model"
)

// testAborted consumes a log with an aborted transaction as a read_committed group,
// whose records brokers finish without writing down which: the head is behind them,
// nothing waits, and what an open transaction holds back then is said to be held
// back by it.
func testAborted(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "aborted", 3)
	must(t, c.work.SetGroupConfig(t.Context(), group, "share.isolation.level", "read_committed"))
	must(t, c.work.SetGroupConfig(t.Context(), group, "share.record.lock.duration.ms", "10000"))
	w := watch(t, c, group)
	w.onBoard = func(b *model.Board) { neverLosing(t, b, group) }
	aborted, err := c.work.BeginTransaction(t.Context(), topic, 0, 3)
	must(t, err)
	must(t, aborted.Abort(t.Context()))
	w.until("the marker in the log", func(b *model.Board) bool { return endIs(b, topic, 7) })
	must(t, c.work.Produce(t.Context(), topic, 0, 2))

	s := joinGroup(t, c, group, topic)
	for n := 0; n < 5; {
		records := takes(t, s, 10)
		n += len(records)
		for _, r := range records {
			if at := r.ID.Offset; at >= 3 && at <= 6 {
				t.Errorf("%s was delivered: it is of an aborted transaction", r.ID)
			}
		}
		outcomes(t, sends(t, s, model.Accept, records...), model.OutcomeDone)
	}
	lagIs(t, c, group, 0)
	w.until("everything finished", func(b *model.Board) bool { return hasLag(b, group, 0) })

	open, err := c.work.BeginTransaction(t.Context(), topic, 0, 3)
	must(t, err)
	w.onBoard = func(b *model.Board) {
		neverBlocked(t, b, group)
		neverLosing(t, b, group)
	}
	b := w.until("the group held back by the open transaction", func(b *model.Board) bool {
		r := row(b, group)
		return r != nil && r.Verdict.Finding == model.FindingHeldBack
	})
	if got := row(b, group).Group.Partitions[0].State.Head(); got != model.Known(9) {
		t.Errorf("the head is at %v, want 9, behind all that is finished:\n%s", got, describe(b))
	}
	must(t, open.Commit(t.Context()))
	if records := takes(t, s, 10); records[0].ID.Offset != 9 || records[0].LockLeft(time.Now()) == 0 {
		t.Errorf("after its commit %s came", records[0].ID)
	}
}
