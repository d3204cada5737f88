//go:build unix

package bench

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// The data set of BenchmarkStateLive: every group has read all records of its
// two topics and acknowledged each by itself, so that the state topic is full of
// updates.
const (
	liveGroups = 500
	liveTopics = 2 * liveGroups
	// liveRecords is how many each topic has: so many updates follow a snapshot.
	liveRecords = 20
	// atOnce is how many groups work at the same time.
	atOnce = 32
)

// BenchmarkStateLive is 500 groups on 1,000 topics with full update logs: the
// time until all of them are on screen, what one acknowledgement by itself costs
// in the state topic, and what sharetop takes while 100,000 records a second are
// consumed beside it.
func BenchmarkStateLive(b *testing.B) {
	k := startBench(b)
	names := make([]string, liveTopics)
	for i := range names {
		names[i] = topicOf(i)
	}
	if _, err := k.work.Admin().CreateTopics(b.Context(), 1, 1, nil, names...); err != nil {
		b.Fatal(err)
	}
	for _, name := range names {
		if err := k.work.Produce(b.Context(), name, 0, liveRecords); err != nil {
			b.Fatal(err)
		}
	}
	size := k.stateSize(b)
	began := time.Now()
	acks := k.workOff(b)
	took := time.Since(began)
	perAck := float64(k.stateSize(b)-size) / float64(acks)
	b.Run("cost", func(b *testing.B) {
		b.ReportMetric(float64(acks), "acks")
		b.ReportMetric(float64(acks)/took.Seconds(), "acks/s")
		b.ReportMetric(perAck, "B/ack")
		b.ReportMetric(perAck*10_000/1e6, "MB/s-at-10000-acks/s")
		nothing(b)
	})
	live := func(lines []string) bool { return isAllLive(lines, "500 groups") }
	b.Run("once", func(b *testing.B) {
		compete(b,
			contender{"statetopic", k.sharetopOnce("--offsets-from", "state-topic"), rounds},
			contender{"requests", k.sharetopOnce("--offsets-from", "requests"), kafkaRounds},
		)
	})
	b.Run("screen", func(b *testing.B) { k.allOnScreen(b, k.Bootstrap()[0], live) })
	b.Run("screen-50ms-each-way", func(b *testing.B) { k.allOnScreen(b, k.slow, live) })
	b.Run("beside", k.beside)
}

func nothing(b *testing.B) {
	for range b.N {
		continue
	}
	b.ReportMetric(0, "ns/op")
}

func topicOf(i int) string { return fmt.Sprintf("topic-%04d", i) }

// workOff has every group acknowledge all records of its topics one by one, and
// returns how many that were.
func (k *kafkaBench) workOff(b *testing.B) int64 {
	var acks atomic.Int64
	var wg sync.WaitGroup
	next := make(chan int)
	for range atOnce {
		wg.Go(func() {
			for i := range next {
				n, err := k.acknowledge(b.Context(), i)
				if err != nil {
					b.Error(err)
				}
				acks.Add(n)
			}
		})
	}
	for i := range liveGroups {
		next <- i
	}
	close(next)
	wg.Wait()
	return acks.Load()
}

func (k *kafkaBench) acknowledge(ctx context.Context, i int) (acks int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, shownTimeout)
	defer cancel()
	topics := []string{topicOf(2 * i), topicOf(2*i + 1)}
	for _, t := range topics {
		if err := k.work.PlaceGroup(ctx, groupName(i), t, 0); err != nil {
			return 0, err
		}
	}
	consumer, err := kgo.NewClient(
		kgo.SeedBrokers(k.Bootstrap()...), kgo.DisableClientMetrics(),
		kgo.ShareGroup(groupName(i)), kgo.ConsumeTopics(topics...),
		// Strict: else each flush waits for a fetch that is on its way.
		kgo.ShareMaxRecords(2*liveRecords), kgo.ShareMaxRecordsStrict(),
	)
	if err != nil {
		return 0, err
	}
	defer consumer.Close()
	for acks < 2*liveRecords {
		fetches := consumer.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return acks, fmt.Errorf("group %d after %d acknowledgements: %w", i, acks, err)
		}
		for _, r := range fetches.Records() {
			r.Ack(kgo.AckAccept)
			if err := consumer.FlushAcks(ctx); err != nil {
				return acks, err
			}
			acks++
		}
	}
	return acks, nil
}

// stateSize is how many bytes the state topic's log has.
func (k *kafkaBench) stateSize(b *testing.B) int64 {
	b.Helper()
	dirs, err := k.work.Admin().DescribeAllLogDirs(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	var size int64
	for _, broker := range dirs {
		broker.EachPartition(func(p kadm.DescribedLogDirPartition) {
			if p.Topic == "__share_group_state" {
				size += p.Size
			}
		})
	}
	return size
}

const (
	flood = 100_000 // records a second
	// floodFor is how long it lasts.
	floodFor = 15 * time.Second
)

// beside is the processor time that the screen takes while a share group
// consumes records at a steady rate.
func (k *kafkaBench) beside(b *testing.B) {
	const partitions = 4
	if err := k.work.CreateTopic(b.Context(), "flood", partitions); err != nil {
		b.Fatal(err)
	}
	for range int(floodFor.Seconds()) {
		for p := range int32(partitions) {
			if err := k.work.Produce(b.Context(), "flood", p, flood/partitions); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := k.work.PlaceGroup(b.Context(), "flooded", "flood", make([]int64, partitions)...); err != nil {
		b.Fatal(err)
	}
	t := startTerminal(b, width, height, k.sharetop, "--bootstrap-server", k.Bootstrap()[0])
	defer t.quit()
	t.shown("the groups", func(lines []string) bool { return isAllLive(lines, "501 groups") })
	consumer, err := kgo.NewClient(
		kgo.SeedBrokers(k.Bootstrap()...), kgo.DisableClientMetrics(),
		kgo.ShareGroup("flooded"), kgo.ConsumeTopics("flood"), kgo.ShareMaxRecords(2000),
	)
	if err != nil {
		b.Fatal(err)
	}
	defer consumer.Close()
	consumer.PollFetches(b.Context())
	before, began, n := processorTime(b, t.cmd.Process.Pid), time.Now(), 0
	for time.Since(began) < floodFor && n < flood*int(floodFor.Seconds())*9/10 {
		n += consumer.PollFetches(b.Context()).NumRecords()
		ahead := time.Duration(n)*time.Second/flood - time.Since(began)
		time.Sleep(max(0, ahead))
	}
	took := time.Since(began)
	b.ReportMetric(float64(n)/took.Seconds(), "records/s")
	b.ReportMetric(100*(processorTime(b, t.cmd.Process.Pid)-before).Seconds()/took.Seconds(), "%-of-a-core")
	nothing(b)
}

// processorTime is what a process has used of the processors, in ticks of 10 ms.
func processorTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip("there is no /proc here: ", err)
	}
	// The name in brackets may have anything in it; utime and stime are the 12th
	// and 13th field behind it.
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	var ticks time.Duration
	for _, f := range fields[11:13] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		ticks += time.Duration(n)
	}
	return ticks * 10 * time.Millisecond
}
