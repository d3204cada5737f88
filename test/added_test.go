//go:build unix

package test

import (
	"context"
	"testing"
	"time"

	"sharetop/kafka"
	"sharetop/model"
	"sharetop/test/broker"
)

// testAddedPartitions: a partition is added to a topic while nobody reads it. The
// group is told to be short of it; and what the verdict says comes true: the first
// member begins it at the log end on 4.2 and 4.3, and at 0 on 4.4.
func testAddedPartitions(t *testing.T, c cluster) {
	topic, group := readyGroup(t, c, "added", 1)
	s := joinGroup(t, c, group, topic)
	outcomes(t, sends(t, s, model.Accept, takes(t, s, 1)...), model.OutcomeDone)
	s.Leave(t.Context())
	must(t, c.work.AddPartitions(t.Context(), topic, 2))
	must(t, c.work.Produce(t.Context(), topic, 1, 4))
	watch(t, c, group).until("the added partition", func(b *model.Board) bool {
		r := row(b, group)
		return r != nil && r.Verdict.Finding == model.FindingAdded && r.LagPartial && r.Lag == model.Known(0)
	})

	s = joinGroup(t, c, group, topic)
	begun := int64(0)
	if c.Version != broker.Kafka44 {
		begun = 4 // or later: more are produced until one is taken
	}
	first := takesProduced(t, c, topic, s)
	if got := first.ID.Offset; got < begun || begun == 0 && got != 0 {
		t.Errorf("the added partition was begun at %d, want %d", got, begun)
	}
}

// takesProduced is the first record that a session takes while others come into partition 1.
func takesProduced(t *testing.T, c cluster, topic string, s *kafka.Session) model.HeldRecord {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stepTimeout)
	defer cancel()
	taken := make(chan []model.HeldRecord, 1)
	var err error
	go func() {
		var records []model.HeldRecord
		records, err = s.Take(ctx, 1)
		taken <- records
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case records := <-taken:
			if len(records) != 1 || records[0].ID.Partition != 1 {
				t.Fatalf("took %v, %v", records, err)
			}
			return records[0]
		case <-tick.C:
			must(t, c.work.Produce(t.Context(), topic, 1, 1))
		}
	}
}
