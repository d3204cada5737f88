//go:build unix

package test

import (
	"testing"

	"sharetop/model"
)

// testSessionAdded: what is produced to a partition that is added while a session
// is a member is given to it, though it knew only the leaders of the others.
func testSessionAdded(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "session-added", 1)
	must(t, c.work.SetGroupConfig(t.Context(), group, "share.auto.offset.reset", "earliest"))
	s := joinGroup(t, c, group, topic)
	outcomes(t, sends(t, s, model.Accept, takes(t, s, 10)...), model.OutcomeDone)
	must(t, c.work.AddPartitions(t.Context(), topic, 2))
	must(t, c.work.Produce(t.Context(), topic, 1, 3))
	records := takes(t, s, 10)
	if len(records) != 3 || records[0].ID.Partition != 1 || records[0].ID.Offset != 0 {
		t.Errorf("took %v of the added partition", records)
	}
	outcomes(t, sends(t, s, model.Accept, records...), model.OutcomeDone)
	lagIs(t, c, group, 0)
}
