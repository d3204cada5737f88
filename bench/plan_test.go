//go:build unix

package bench

import (
	"slices"
	"testing"
	"time"
)

// planned is how many partitions are planned for.
const planned = 1000

// BenchmarkPlan is the time from the key that asks for a plan of 1,000 partitions
// on one broker to the plan on the screen. The target is under a second.
func BenchmarkPlan(b *testing.B) {
	k := startBench(b)
	if err := k.work.CreateTopic(b.Context(), "wide", planned); err != nil {
		b.Fatal(err)
	}
	if err := k.work.Produce(b.Context(), "wide", planned-1, records); err != nil {
		b.Fatal(err)
	}
	starts := make([]int64, planned)
	for i := range starts {
		starts[i] = 1
	}
	if err := k.work.PlaceGroup(b.Context(), "group-wide", "wide", starts...); err != nil {
		b.Fatal(err)
	}
	var drawn []time.Duration
	t := startTerminal(b, width, height, k.sharetop, "--bootstrap-server", k.Bootstrap()[0], "--group", "group-wide")
	defer t.quit()
	t.shown("the partitions", hasText("of 1,000"))
	const targets = "Where the start offsets are to go"
	for range rounds {
		t.after("O", "the targets", hasText(targets))
		drawn = append(drawn, t.after("\r", "the plan", hasText("1,000 of 1,000 partitions change")))
		t.after("\x1b", "the targets", hasText(targets))
		t.after("\x1b", "the partitions", hasText("START"))
	}
	slices.Sort(drawn)
	b.ReportMetric(ms(drawn[len(drawn)/2]), "plan-ms")
	b.ReportMetric(ms(drawn[len(drawn)-1]), "slowest-ms")
	for range b.N {
		continue
	}
	b.ReportMetric(0, "ns/op")
}
