//go:build unix

package bench

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// measuredFor is how long acknowledgements are timed, with sharetop beside and
// without.
const measuredFor = 20 * time.Second

// pace is how many records a second the live consumer gets.
const pace = 100

// BenchmarkAckBeside is the worst acknowledgement of a live share consumer
// while sharetop sweeps 5,000 groups on the same broker, and without it.
func BenchmarkAckBeside(b *testing.B) {
	k := startBench(b)
	k.topic(b, "jobs", 3)
	k.groups(b, 0, 5000, onJobs)
	k.topic(b, "live", 1)
	ackTimes(b, k) // warm up
	alone := ackTimes(b, k)
	t := startTerminal(b, width, height, k.sharetop, "--bootstrap-server", k.Bootstrap()[0])
	t.shown("the groups' names", hasNames)
	beside := ackTimes(b, k)
	t.quit()
	b.ReportMetric(ms(alone[len(alone)-1]), "worst-alone-ms")
	b.ReportMetric(ms(beside[len(beside)-1]), "worst-beside-ms")
	b.ReportMetric(ms(alone[len(alone)*99/100]), "p99-alone-ms")
	b.ReportMetric(ms(beside[len(beside)*99/100]), "p99-beside-ms")
	b.ReportMetric(float64(beside[len(beside)-1])/float64(alone[len(alone)-1]), "x-worst")
	for range b.N {
		continue
	}
	b.ReportMetric(0, "ns/op")
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// ackTimes produces at the pace, consumes as a share consumer record by record,
// and returns how long each acknowledgement took, sorted.
func ackTimes(b *testing.B, k *kafkaBench) []time.Duration {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), measuredFor)
	defer cancel()
	consumer, err := kgo.NewClient(
		kgo.SeedBrokers(k.Bootstrap()...), kgo.DisableClientMetrics(),
		kgo.ShareGroup("live-readers"), kgo.ConsumeTopics("live"),
	)
	if err != nil {
		b.Fatal(err)
	}
	defer consumer.Close()
	go produceAtPace(ctx, k)
	var times []time.Duration
	for ctx.Err() == nil {
		fetches := consumer.PollRecords(ctx, 10)
		fetches.EachRecord(func(r *kgo.Record) {
			began := time.Now()
			r.Ack(kgo.AckAccept)
			if err := consumer.FlushAcks(ctx); err == nil {
				times = append(times, time.Since(began))
			}
		})
	}
	if len(times) < pace {
		b.Fatalf("only %d acknowledgements in %v: nothing to compare", len(times), measuredFor)
	}
	slices.Sort(times)
	return times
}

func produceAtPace(ctx context.Context, k *kafkaBench) {
	tick := time.NewTicker(time.Second / pace)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = k.work.Produce(ctx, "live", 0, 1)
		case <-ctx.Done():
			return
		}
	}
}
