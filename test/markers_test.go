//go:build unix

package test

import (
	"testing"
	"time"

	"sharetop/model"
)

// markersLock is the lock duration of the group in testMarkers, the shortest
// that there is: "blocked" takes two looks more than one lock apart.
const markersLock = time.Second

// testMarkers ends transactions whose records a group has finished already, so
// that the log ends in markers: offsets that are no records and that the broker
// counts as lag until a consumer passes them. That is never called blocked,
// with a consumer and without one.
func testMarkers(t *testing.T, c cluster) {
	const topic, group = "ledger", "bookkeepers"
	ctx := t.Context()
	must(t, c.work.CreateTopic(ctx, topic, 1))
	must(t, c.work.SetGroupConfig(ctx, group, "share.auto.offset.reset", "earliest"))
	must(t, c.work.SetGroupConfig(ctx, group, "share.record.lock.duration.ms", "1000"))
	open, err := c.work.BeginTransaction(ctx, topic, 0, 5)
	must(t, err)

	w := watch(t, c, group)
	w.onBoard = func(b *model.Board) {
		neverBlocked(t, b, group)
		neverLosing(t, b, group)
	}
	reading := accept(t, c, topic, group)
	reading.waitFor(t, 5)
	w.until("all five finished", func(b *model.Board) bool { return endIs(b, topic, 5) && hasLag(b, group, 0) })

	must(t, open.Commit(ctx))
	w.until("the marker in the log", func(b *model.Board) bool { return endIs(b, topic, 6) })
	w.watchFor(3 * markersLock)
	t.Logf("a marker with a consumer: lag %v", row(w.board, group).Lag)

	open, err = c.work.BeginTransaction(ctx, topic, 0, 3)
	must(t, err)
	w.until("all eight finished", func(b *model.Board) bool { return endIs(b, topic, 9) && hasLag(b, group, 0) })
	reading.close()
	must(t, open.Abort(ctx))
	w.until("the marker as lag of a group that nobody reads for", func(b *model.Board) bool {
		r := row(b, group)
		return endIs(b, topic, 10) && r.Lag == model.Known(1) && r.Group.State == model.GroupEmpty
	})
	w.watchFor(3 * markersLock)
	compareOffsets(t, c, w, group)
}

// endIs tells whether partition 0 of a topic ends at an offset.
func endIs(b *model.Board, topic string, end int64) bool {
	return b.Snapshot.Log(model.NewTopicName(topic), 0).End == model.Known(end)
}

// neverBlocked fails the test when a group that finishes everything is called
// blocked.
func neverBlocked(t *testing.T, b *model.Board, group string) {
	t.Helper()
	r := row(b, group)
	if r == nil {
		return
	}
	for _, v := range append([]model.Verdict{r.Verdict}, r.Verdict.Others...) {
		if v.Finding == model.FindingBlocked {
			t.Errorf("markers are called blocked: %s\n%s", v.Text, describe(b))
		}
	}
}
