//go:build unix

package test

import (
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sharetop/kafka/statetopic"
	"sharetop/test/broker"
	"sharetop/test/judge"
)

// testStateDecoded compares all that the tests before wrote. State 3, archiving,
// is written while a record is on its way to a dead-letter topic, which 4.4 has.
func testStateDecoded(t *testing.T, c cluster) {
	kinds := []string{"snapshot", "update", "tombstone", "delivery state 0", "delivery state 2", "delivery state 4"}
	if c.Version == broker.Kafka44 {
		kinds = append(kinds, "delivery state 3")
	}
	compareStateTopic(t, c, math.MaxInt64, kinds...)
}

// compareStateTopic holds the records of the state topic, as this program decodes
// them, against what Kafka's own formatter prints: field by field, and in order
// within each share-partition. It reads on while Kafka's command runs, so that
// nothing is missed that is written or deleted meanwhile. At most so many records
// are compared; these kinds must be among them.
func compareStateTopic(t *testing.T, c cluster, most int64, kinds ...string) {
	t.Helper()
	reader := readState(t, c)
	reader.toEnd()
	n := min(most, int64(len(reader.records)))
	var printed []judge.StateRecord
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		printed, err = c.judge.StateRecords(t.Context(), n)
	}()
	for running := true; running; {
		reader.poll()
		select {
		case <-done:
			running = false
		default:
		}
	}
	must(t, err)
	reader.toEnd()
	if int64(len(printed)) < n/2 {
		t.Errorf("Kafka's formatter printed only %d of %d records", len(printed), n)
	}
	compareState(t, decodeState(t, reader.records), printed, kinds)
}

// compareState compares record by record within each share-partition, which is
// always in one partition of the state topic. Of ours there may be more in front
// and behind.
func compareState(t *testing.T, ours, printed []judge.StateRecord, kinds []string) {
	t.Helper()
	got, want := byShare(ours), byShare(printed)
	seen := map[string]int{}
	for key, records := range want {
		if !contains(got[key], records) {
			t.Errorf("%s: we read\n%q, and Kafka's formatter prints\n%q", key, got[key], records)
		}
	}
	for _, r := range printed {
		seen[kindOf(r)]++
		for _, b := range r.Batches {
			seen[fmt.Sprintf("delivery state %d", b.State)]++
		}
	}
	for _, kind := range kinds {
		if seen[kind] == 0 {
			t.Errorf("there was no %s to compare: %v", kind, seen)
		}
	}
	t.Logf("%d records of %d share-partitions compared: %v", len(printed), len(want), seen)
}

// contains tells whether all has part in it, without a gap.
func contains(all, part []string) bool {
	for i := 0; i+len(part) <= len(all); i++ {
		if slices.Equal(all[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

func kindOf(r judge.StateRecord) string {
	switch {
	case r.Deleted:
		return "tombstone"
	case r.Type == judge.StateSnapshot && r.CreateTimestamp != r.WriteTimestamp:
		return "repeated snapshot"
	case r.Type == judge.StateSnapshot:
		return "snapshot"
	}
	return "update"
}

// byShare are the records of each share-partition, with every field.
func byShare(records []judge.StateRecord) map[string][]string {
	by := make(map[string][]string)
	for _, r := range records {
		key := fmt.Sprintf("%s:%s:%d", r.Group, r.TopicID, r.Partition)
		by[key] = append(by[key], fmt.Sprintf("%+v", r))
	}
	return by
}

// stateReader reads the state topic on and on, from its log starts.
type stateReader struct {
	t       *testing.T
	c       cluster
	client  *kgo.Client
	next    map[int32]int64
	records []*kgo.Record
}

// statePoll is how long one turn of a stateReader waits for records.
const statePoll = 100 * time.Millisecond

func readState(t *testing.T, c cluster) *stateReader {
	t.Helper()
	r := &stateReader{t: t, c: c, next: map[int32]int64{}}
	offsets := map[int32]kgo.Offset{}
	for p, start := range stateLogStarts(t, c) {
		offsets[p] = kgo.NewOffset().At(start)
		r.next[p] = start
	}
	var err error
	r.client, err = kgo.NewClient(kgo.SeedBrokers(c.Bootstrap()...), kgo.DisableClientMetrics(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{stateTopic: offsets}))
	must(t, err)
	t.Cleanup(r.client.Close)
	return r
}

// poll takes in what comes within a moment.
func (r *stateReader) poll() {
	ctx, cancel := context.WithTimeout(r.t.Context(), statePoll)
	defer cancel()
	r.client.PollFetches(ctx).EachRecord(func(record *kgo.Record) {
		r.records = append(r.records, record)
		r.next[record.Partition] = record.Offset + 1
	})
}

// toEnd reads on to where the state topic ends now, as far as it is not deleted
// before it is read.
func (r *stateReader) toEnd() {
	r.t.Helper()
	ends, err := r.c.work.Admin().ListEndOffsets(r.t.Context(), stateTopic)
	must(r.t, err)
	for deadline := time.Now().Add(stepTimeout); ; r.poll() {
		starts := stateLogStarts(r.t, r.c)
		reached := true
		for p, end := range ends[stateTopic] {
			reached = reached && max(r.next[p], starts[p]) >= end.Offset
		}
		if reached {
			return
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("the state topic is not read to its ends %v, only to %v", ends[stateTopic], r.next)
		}
	}
}

// stateLogStarts are where the logs of the state topic begin.
func stateLogStarts(t *testing.T, c cluster) map[int32]int64 {
	t.Helper()
	listed, err := c.work.Admin().ListStartOffsets(t.Context(), stateTopic)
	must(t, err)
	starts := make(map[int32]int64)
	for _, o := range listed[stateTopic] {
		must(t, o.Err)
		starts[o.Partition] = o.Offset
	}
	return starts
}

// decodeState decodes records as this program does.
func decodeState(t *testing.T, records []*kgo.Record) []judge.StateRecord {
	t.Helper()
	all := make([]judge.StateRecord, len(records))
	for i, r := range records {
		var err error
		if all[i], err = decodeRecord(r); err != nil {
			t.Errorf("partition %d, offset %d: %v", r.Partition, r.Offset, err)
		}
	}
	return all
}

func decodeRecord(r *kgo.Record) (judge.StateRecord, error) {
	key, err := statetopic.ParseKey(r.Key)
	out := judge.StateRecord{
		Type: int16(key.Type), Group: key.Group, Partition: key.Partition, Deleted: r.Value == nil,
		TopicID: base64.RawURLEncoding.EncodeToString(key.TopicID[:]),
	}
	switch {
	case err != nil || out.Deleted:
		return out, err
	case key.Type == statetopic.SnapshotKey:
		var s statetopic.Snapshot
		err := s.Decode(r.Value)
		out.StateValue = judge.StateValue{
			SnapshotEpoch: s.SnapshotEpoch, StateEpoch: s.StateEpoch, LeaderEpoch: s.LeaderEpoch, StartOffset: s.StartOffset,
			CreateTimestamp: s.CreateTimestamp, WriteTimestamp: s.WriteTimestamp,
			DeliveryCompleteCount: s.DeliveryCompleteCount, Batches: printedBatches(s.Batches),
		}
		return out, err
	}
	var u statetopic.Update
	err = u.Decode(r.Value)
	out.StateValue = judge.StateValue{
		SnapshotEpoch: u.SnapshotEpoch, LeaderEpoch: u.LeaderEpoch, StartOffset: u.StartOffset,
		DeliveryCompleteCount: u.DeliveryCompleteCount, Batches: printedBatches(u.Batches),
	}
	return out, err
}

func printedBatches(batches []statetopic.Batch) []judge.StateBatch {
	all := make([]judge.StateBatch, len(batches))
	for i, b := range batches {
		all[i] = judge.StateBatch{First: b.First, Last: b.Last, State: b.State, Count: b.Count}
	}
	return all
}
