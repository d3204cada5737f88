//go:build unix

package bench

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// BenchmarkInFlight is the offsets of 1,000 groups by bare requests of one group
// each on one connection, with more and more of them in flight, in turn.
func BenchmarkInFlight(b *testing.B) {
	k := startBench(b)
	k.topic(b, "jobs", 3)
	k.groups(b, 0, 1000, onJobs)
	depths := []int{1, 2, 4, 8, 16}
	walls := make(map[int][]figure)
	for range rounds {
		for _, depth := range depths {
			walls[depth] = append(walls[depth], figure{wall: k.askAll(b, depth)})
		}
	}
	for range b.N { // the rounds above are the measurement; b.N is 1
		continue
	}
	for _, depth := range depths {
		b.ReportMetric(float64(medianWall(walls[depth]).Milliseconds()), fmt.Sprintf("%d-in-flight-ms", depth))
	}
	b.ReportMetric(0, "ns/op")
}

// askAll asks for all groups on one connection, and says how long that takes.
func (k *kafkaBench) askAll(b *testing.B, inFlight int) time.Duration {
	b.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(k.Bootstrap()[0]), kgo.DisableClientMetrics())
	if err != nil {
		b.Fatal(err)
	}
	defer cl.Close()
	if _, err := cl.SeedBrokers()[0].Request(b.Context(), kmsg.NewPtrApiVersionsRequest()); err != nil {
		b.Fatal(err)
	}
	left := make(chan string, 1000)
	for i := range 1000 {
		left <- groupName(i)
	}
	close(left)
	began := time.Now()
	var wg sync.WaitGroup
	for range inFlight {
		wg.Go(func() {
			for id := range left {
				g := kmsg.NewDescribeShareGroupOffsetsRequestGroup()
				g.GroupID = id
				req := kmsg.NewPtrDescribeShareGroupOffsetsRequest()
				req.Groups = append(req.Groups, g)
				if _, err := cl.SeedBrokers()[0].Request(b.Context(), req); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return time.Since(began)
}
