//go:build unix

package bench

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The size of the terminal in these benchmarks.
const (
	width, height = 120, 40
	// rowsShown is how many groups fit at least.
	rowsShown = 30
)

// BenchmarkScreen is the time from the start of the process to the groups'
// names, and to complete rows, on a terminal; also over a link that adds 50 ms
// each way, where it is given in round trips too.
func BenchmarkScreen(b *testing.B) {
	k := startBench(b)
	k.topic(b, "jobs", 3)
	k.groups(b, 0, 1000, onJobs)
	for _, source := range []string{"requests", "state-topic"} {
		b.Run(source, func(b *testing.B) { k.screen(b, source, k.Bootstrap()[0]) })
		b.Run(source+"-50ms-each-way", func(b *testing.B) { k.screen(b, source, k.slow) })
	}
	k.memories(b, "1000-groups")
	k.groups(b, 1000, 10000, onJobs)
	k.memories(b, "10000-groups")
}

func (k *kafkaBench) screen(b *testing.B, source, bootstrap string) {
	var names, complete []time.Duration
	for range rounds {
		t := startTerminal(b, width, height, k.sharetop, "--bootstrap-server", bootstrap, "--offsets-from", source)
		names = append(names, t.shown("the groups' names", hasNames))
		complete = append(complete, t.shown("complete rows", hasLags))
		t.quit()
	}
	slices.Sort(names)
	slices.Sort(complete)
	report(b, "names", names[len(names)/2])
	report(b, "complete", complete[len(complete)/2])
	for range b.N {
		continue
	}
	b.ReportMetric(0, "ns/op")
}

// report gives a time in milliseconds and in round trips of the slow link.
func report(b *testing.B, what string, d time.Duration) {
	b.ReportMetric(float64(d.Microseconds())/1000, what+"-ms")
	b.ReportMetric(d.Seconds()/(2*oneWay).Seconds(), what+"-roundtrips")
}

// rowsOf are the lines that show a group.
func rowsOf(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !strings.Contains(l, "group-") })
}

func hasNames(lines []string) bool { return len(rowsOf(lines)) >= rowsShown }

// hasLags tells whether every group on screen shows its lag: the last number
// before the trend.
func hasLags(lines []string) bool {
	rows := rowsOf(lines)
	for _, row := range rows {
		fields := strings.Fields(row)
		known := slices.IndexFunc(fields, func(f string) bool { return f == "Empty" })
		if known < 0 || len(fields) < known+4 {
			return false
		}
		if _, err := strconv.Atoi(strings.ReplaceAll(fields[known+3], ",", "")); err != nil {
			return false
		}
	}
	return len(rows) >= rowsShown
}

// settled is how long the program runs before its memory is read: all groups
// have been seen, and some history is there.
const settled = 30 * time.Second

func (k *kafkaBench) memories(b *testing.B, groups string) {
	for _, source := range []string{"requests", "state-topic"} {
		b.Run("memory-"+groups+"-"+source, func(b *testing.B) { k.memory(b, source) })
	}
}

// memory is the resident set of the running screen.
func (k *kafkaBench) memory(b *testing.B, source string) {
	t := startTerminal(b, width, height, k.sharetop, "--bootstrap-server", k.Bootstrap()[0], "--offsets-from", source)
	defer t.quit()
	t.shown("complete rows", hasLags)
	time.Sleep(settled)
	b.ReportMetric(t.memory("VmRSS:"), "rss-MiB")
	b.ReportMetric(t.memory("VmHWM:"), "peak-MiB")
	for range b.N {
		continue
	}
	b.ReportMetric(0, "ns/op")
}
