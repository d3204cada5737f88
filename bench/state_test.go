//go:build unix

package bench

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// BenchmarkStateTopic is 6,000 groups with 18,000 share-partitions: the time
// until all of them are on screen, and one printout, by the state topic, by
// requests and by Kafka's own command.
func BenchmarkStateTopic(b *testing.B) {
	k := startBench(b)
	k.topic(b, "jobs", 3)
	k.groups(b, 0, 6000, onJobs)
	b.Run("once", func(b *testing.B) {
		compete(b,
			contender{"statetopic", k.sharetopOnce("--offsets-from", "state-topic"), rounds},
			contender{"requests", k.sharetopOnce("--offsets-from", "requests"), kafkaRounds},
			contender{"kafka", k.kafkaDescribe("--describe", "--all-groups"), 1},
		)
	})
	live := func(lines []string) bool { return isAllLive(lines, "6,000 groups") }
	b.Run("screen", func(b *testing.B) { k.allOnScreen(b, k.Bootstrap()[0], live) })
	b.Run("screen-50ms-each-way", func(b *testing.B) { k.allOnScreen(b, k.slow, live) })
	b.Run("change", k.changeOnScreen)
}

// allOnScreen is the time until the header says that every group is there and
// nothing is partial.
func (k *kafkaBench) allOnScreen(b *testing.B, bootstrap string, live func([]string) bool) {
	var all []time.Duration
	for range rounds {
		t := startTerminal(b, width, height, k.sharetop, "--bootstrap-server", bootstrap)
		all = append(all, t.shown("every group by the state topic", live))
		t.quit()
	}
	slices.Sort(all)
	report(b, "all", all[len(all)/2])
	nothing(b)
}

func isAllLive(lines []string, groups string) bool {
	head := strings.Join(lines[:min(2, len(lines))], " ")
	return strings.Contains(head, "state topic, live") && strings.Contains(head, groups) &&
		!strings.Contains(head, "+") && len(rowsOf(lines)) >= rowsShown
}

// changes is how many acknowledgements are followed to the screen.
const changes = 40

// changeOnScreen is the time from an acknowledgement's answer to its effect on
// the screen.
func (k *kafkaBench) changeOnScreen(b *testing.B) {
	k.topic(b, "live", 1)
	if err := k.work.PlaceGroup(b.Context(), "live-group", "live", 0); err != nil {
		b.Fatal(err)
	}
	consumer, err := kgo.NewClient(
		kgo.SeedBrokers(k.Bootstrap()...), kgo.DisableClientMetrics(),
		kgo.ShareGroup("live-group"), kgo.ConsumeTopics("live"),
		kgo.ShareMaxRecords(records), kgo.ShareMaxRecordsStrict(),
	)
	if err != nil {
		b.Fatal(err)
	}
	defer consumer.Close()
	held := poll(b, consumer)
	t := startTerminal(b, width, height, k.sharetop, "--bootstrap-server", k.Bootstrap()[0], "--group", "live-group")
	defer t.quit()
	t.shown("the group's lag", showsLag(records))
	var took []time.Duration
	for i, r := range held[:changes] {
		r.Ack(kgo.AckAccept)
		if err := consumer.FlushAcks(b.Context()); err != nil {
			b.Fatal(err)
		}
		answered := time.Since(t.began)
		took = append(took, max(0, t.shown("the acknowledgement", showsLag(records-i-1))-answered))
		time.Sleep(120 * time.Millisecond) // single changes, not a stream of them
	}
	slices.Sort(took)
	b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
	b.ReportMetric(ms(took[len(took)*99/100]), "p99-ms")
	nothing(b)
}

// poll acquires all records of the topic.
func poll(b *testing.B, consumer *kgo.Client) []*kgo.Record {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), shownTimeout)
	defer cancel()
	fetches := consumer.PollRecords(ctx, records)
	if got := fetches.NumRecords(); got != records {
		b.Fatalf("acquired %d of %d records: %v", got, records, fetches.Err())
	}
	return fetches.Records()
}

// showsLag finds the lag as a word of its own in the row of the partition.
func showsLag(lag int) func(lines []string) bool {
	return func(lines []string) bool {
		for _, line := range lines {
			fields := strings.Fields(line)
			if i := slices.Index(fields, "live"); i >= 0 && slices.Contains(fields[i+1:], "0") &&
				slices.Contains(fields[i+5:], strconv.Itoa(lag)) {
				return true
			}
		}
		return false
	}
}
