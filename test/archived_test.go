//go:build unix

package test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sharetop/model"
)

// testArchivedMarkers commits transactions that two groups read. Clients
// acknowledge each marker as a gap, which Kafka archives like a rejected record. A
// group that accepts everything loses nothing, and is never said to; one that
// rejects a record does, beside the same markers.
func testArchivedMarkers(t *testing.T, c cluster) {
	const topic, good, bad = "invoices", "bookings", "refusals"
	ctx := t.Context()
	must(t, c.work.CreateTopic(ctx, topic, 1))
	for _, group := range []string{good, bad} {
		must(t, c.work.SetGroupConfig(ctx, group, "share.auto.offset.reset", "earliest"))
	}
	w := watch(t, c, good, bad)
	w.scope.Archived = true
	w.onBoard = func(b *model.Board) { neverLosing(t, b, good) }
	commit := func() {
		open, err := c.work.BeginTransaction(ctx, topic, 0, 2)
		must(t, err)
		must(t, open.Commit(ctx))
	}
	reading := accept(t, c, topic, good)
	refusing := joinGroup(t, c, bad, topic)
	commit() // 0 and 1, and a marker at 2
	w.until("the state of both groups", func(b *model.Board) bool { return hasState(b, good) && hasState(b, bad) })
	for n := 1; n < 3; n++ {
		commit()
		reading.waitFor(t, 2*(n+1))
	}
	for n := 0; n < 6; {
		records := takes(t, refusing, 10)
		n += len(records)
		for _, r := range records {
			decision := model.Accept
			if r.ID.Offset == 4 { // just before the marker at 5
				decision = model.Reject
			}
			outcomes(t, sends(t, refusing, decision, r), model.OutcomeDone)
		}
	}
	w.until("markers archived, and nothing lost", func(b *model.Board) bool {
		r := row(b, good)
		return r.State.Archived.PerSecond > 0 && slices.ContainsFunc(r.Verdict.Evidence, func(s model.Sentence) bool {
			return strings.Contains(s.String(), "looked at, and no record is there")
		})
	})
	want := map[string]string{
		good: "2-2 no-record, 5-5 no-record, 8-8 no-record", bad: "2-2 no-record, 4-4 record, 5-5 no-record, 8-8 no-record",
	}
	t.Cleanup(func() {
		for group := range want {
			t.Logf("%s: %s; archived %s", group, row(w.board, group).Verdict.Text, archivedBy(w.board, group))
		}
	})
	w.until("a rejected record", func(b *model.Board) bool {
		return slices.Contains(found(b, bad), model.FindingLosing) && archivedBy(b, good) == want[good] && archivedBy(b, bad) == want[bad]
	})
}

// archivedBy lists what a group has archived, and whether records are there. That
// they were rejected is known where the delivery limit is: from Kafka 4.3 on.
func archivedBy(b *model.Board, group string) string {
	var out []string
	for _, r := range model.ArchivedIn(b.Snapshot, model.NewGroupID(group)).Rows {
		what := r.Reason().String()
		if r.Found == model.FoundRecord && (what == "rejected" || r.Limit.Assumed) {
			what = "record"
		}
		out = append(out, fmt.Sprintf("%d-%d %s", r.First, r.Last, what))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// hasState tells whether the state topic has told of a group that reads one topic
// with one partition: what is archived from then on is seen to happen.
func hasState(b *model.Board, group string) bool {
	r := row(b, group)
	return r != nil && len(r.Group.Partitions) == 1 && r.Group.Partitions[0].State != nil
}

// found are all findings on a group.
func found(b *model.Board, group string) []model.Finding {
	r := row(b, group)
	if r == nil {
		return nil
	}
	out := []model.Finding{r.Verdict.Finding}
	for _, v := range r.Verdict.Others {
		out = append(out, v.Finding)
	}
	return out
}

// neverLosing fails the test when a group that accepts everything is said to lose
// records.
func neverLosing(t *testing.T, b *model.Board, group string) {
	t.Helper()
	if slices.Contains(found(b, group), model.FindingLosing) {
		t.Errorf("markers are called lost records\n%s", describe(b))
	}
}
