//go:build unix

package bench

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sharetop/kafka"
	"sharetop/model"
)

// nowhere is an audit file of which nothing is kept.
type nowhere struct{}

func (nowhere) Record(...model.AuditEntry) error { return nil }

// BenchmarkDecisions is how long 500 decisions take over a link that adds 50 ms
// each way: a third accepted, released and rejected each, by turns, so that no
// two neighbours are in one run. Taking them is timed beside it.
func BenchmarkDecisions(b *testing.B) {
	k := startBench(b)
	const topic, decisions = "decided", 500
	k.orders(b, topic, kgo.NoCompression(), decisions, 1)
	if err := k.work.PlaceGroup(b.Context(), topic, topic, 0); err != nil {
		b.Fatal(err)
	}
	client, err := kafka.Open(model.Connection{Bootstrap: []string{k.slow}}, kafka.Options{Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	s, err := client.Join(b.Context(), model.JoinRequest{
		Group: model.NewGroupID(topic), Topics: []model.TopicName{model.NewTopicName(topic)},
	}, kafka.JoinOptions{Audit: nowhere{}, Who: "bench"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Leave(context.Background())
	var held []model.HeldRecord
	took := timed(func() { held, err = s.Take(b.Context(), decisions) })
	if err != nil || len(held) != decisions {
		b.Fatalf("%d of %d records: %v", len(held), decisions, err)
	}
	acks := make([]model.Acknowledgement, len(held))
	for i, r := range held {
		acks[i] = model.Acknowledgement{ID: r.ID, Decision: []model.Decision{model.Accept, model.Release, model.Reject}[i%3]}
	}
	var results []model.AckResult
	sent := timed(func() { results, err = s.Acknowledge(b.Context(), acks) })
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range results {
		if r.Outcome != model.OutcomeDone {
			b.Fatalf("%s: %s %s", r.ID, r.Outcome, r.Detail)
		}
	}
	for range b.N {
		continue
	}
	b.ReportMetric(ms(took), "take-ms")
	b.ReportMetric(ms(sent), "send-ms")
	b.ReportMetric(0, "ns/op")
}
