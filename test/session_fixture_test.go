//go:build unix

package test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"sharetop/kafka"
	"sharetop/model"
)

// logbook is an audit file in memory.
type logbook struct {
	mu      sync.Mutex
	entries []model.AuditEntry
}

func (l *logbook) Record(entries ...model.AuditEntry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, entries...)
	return nil
}

// joinGroup makes a session of a group that is left at the end of the test.
func joinGroup(t *testing.T, c cluster, group string, topics ...string) *kafka.Session {
	t.Helper()
	client, err := kafka.Open(model.Connection{Bootstrap: c.Bootstrap()}, kafka.Options{Now: time.Now})
	must(t, err)
	t.Cleanup(client.Close)
	r := model.JoinRequest{Group: model.NewGroupID(group)}
	for _, topic := range topics {
		r.Topics = append(r.Topics, model.NewTopicName(topic))
	}
	s, err := client.Join(t.Context(), r, kafka.JoinOptions{Audit: &logbook{}, Who: "test"})
	must(t, err)
	t.Cleanup(func() { s.Leave(context.Background()) })
	return s
}

// takes waits for records of a session.
func takes(t *testing.T, s *kafka.Session, most int) []model.HeldRecord {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stepTimeout)
	defer cancel()
	records, err := s.Take(ctx, most)
	must(t, err)
	return records
}

// sends sends one decision about some records.
func sends(t *testing.T, s *kafka.Session, d model.Decision, records ...model.HeldRecord) []model.AckResult {
	t.Helper()
	acks := make([]model.Acknowledgement, len(records))
	for i, r := range records {
		acks[i] = model.Acknowledgement{ID: r.ID, Decision: d}
	}
	results, err := s.Acknowledge(t.Context(), acks)
	must(t, err)
	results = slices.DeleteFunc(results, model.AckResult.Beside)
	if len(results) != len(records) {
		t.Errorf("%d results for %d records", len(results), len(records))
	}
	return results
}

func outcomes(t *testing.T, results []model.AckResult, want model.Outcome) {
	t.Helper()
	for _, r := range results {
		if r.Outcome != want {
			t.Errorf("%s %s: %v (%s), want %v", r.Decision, r.ID, r.Outcome, r.Detail, want)
		}
	}
}

// lagIs checks a group's lag from outside.
func lagIs(t *testing.T, c cluster, group string, want int64) {
	t.Helper()
	if lag := lagOf(t, c, group); lag != want {
		t.Errorf("the lag of %s is %d, want %d", group, lag, want)
	}
}

// lagOf is a group's lag, by a request of its own.
func lagOf(t *testing.T, c cluster, group string) (lag int64) {
	t.Helper()
	answers, err := c.work.Admin().DescribeShareGroupOffsets(t.Context(), group)
	must(t, err)
	for _, p := range answers[group].Offsets.Sorted() {
		lag += p.Lag
	}
	return lag
}

// endOf is where partition 0 of a topic ends.
func endOf(t *testing.T, c cluster, topic string) int64 {
	t.Helper()
	ends, err := c.work.Admin().ListEndOffsets(t.Context(), topic)
	must(t, err)
	end, _ := ends.Lookup(topic, 0)
	return end.Offset
}

// startIs checks a group's start offset from outside. Kafka writes it with the
// next set of decisions after those that moved it.
func startIs(t *testing.T, c cluster, group, topic string, want int64) {
	t.Helper()
	answers, err := c.work.Admin().DescribeShareGroupOffsets(t.Context(), group)
	must(t, err)
	if at, _ := answers[group].Offsets.Lookup(topic, 0); at.StartOffset != want {
		t.Errorf("%s starts at %d, want %d", group, at.StartOffset, want)
	}
}

// readyGroup is a topic with so many records on one partition and a group that
// is at its beginning.
func readyGroup(t *testing.T, c cluster, name string, records int) (topic, group string) {
	t.Helper()
	topic, group = name+".jobs", name
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	must(t, c.work.Produce(t.Context(), topic, 0, records))
	must(t, c.work.PlaceGroup(t.Context(), group, topic, 0))
	return topic, group
}

// waitUntil waits for a moment that a lock depends on.
func waitUntil(t *testing.T, at time.Time) {
	t.Helper()
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}
