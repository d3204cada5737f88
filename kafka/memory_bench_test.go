package kafka

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"sharetop/kafka/statetopic"
	"sharetop/model"
)

// BenchmarkStateMemory is what the state topic's table and the snapshot take
// for 10,000 groups with five partitions each: the live heap, and the resident
// set of a process that has nothing else.
func BenchmarkStateMemory(b *testing.B) {
	for _, batches := range []int{0, 10} {
		b.Run(fmt.Sprintf("%d-batches", batches), func(b *testing.B) {
			for range b.N {
				heap, resident := usedMemory()
				table, s := tenThousand(b, batches)
				heapAfter, residentAfter := usedMemory()
				b.ReportMetric(float64(heapAfter-heap)/1e6, "heap-MB")
				b.ReportMetric(float64(residentAfter-resident)/1e6, "rss-MB")
				b.ReportMetric(float64(table.Memory())/1e6, "told-MB")
				runtime.KeepAlive(s)
			}
		})
	}
}

// tenThousand are the table and the state with all groups handed over once.
func tenThousand(b *testing.B, batches int) (*statetopic.Table, *state) {
	const groups, partitions = 10_000, 5
	table, s := statetopic.NewTable(0), newState(time.Now)
	topic := model.TopicID{1, 2, 3}
	s.ids.learn(topic, "orders")
	snapshot := statetopic.Snapshot{StateEpoch: 2}
	for i := range int64(batches) {
		snapshot.Batches = append(snapshot.Batches, statetopic.Batch{
			First: i, Last: i, State: statetopic.StateAvailable, Count: int16(1 + i%2),
		})
	}
	value := snapshot.Append(nil)
	listed := make([]listedGroup, groups)
	for i := range listed {
		listed[i] = listedGroup{fmt.Sprintf("connect-orders-sink-%06d", i), "Stable"}
		for p := range int32(partitions) {
			key := statetopic.Key{Type: statetopic.SnapshotKey, ShareKey: statetopic.ShareKey{Group: listed[i].id, TopicID: topic, Partition: p}}
			if _, err := table.Apply(statetopic.Record{Offset: int64(i*partitions) + int64(p), Key: statetopic.AppendKey(nil, key), Value: value}); err != nil {
				b.Fatal(err)
			}
		}
	}
	s.mergeList(1, listed, 0)
	for _, g := range listed {
		s.mergeStates(g.id, table.Group(g.id))
	}
	if snapshot, _, _ := s.poll(snapshotGap); len(snapshot.Groups) != groups || len(snapshot.Groups[0].Partitions) != partitions {
		b.Fatal("not all of it is in the snapshot")
	}
	return table, s
}

// usedMemory are the live heap and the resident set, in bytes; the latter is 0
// where the system does not tell.
func usedMemory() (heap, resident int64) {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if statm, err := os.ReadFile("/proc/self/statm"); err == nil {
		pages, _ := strconv.ParseInt(strings.Fields(string(statm))[1], 10, 64)
		resident = pages * int64(os.Getpagesize())
	}
	return int64(m.HeapAlloc), resident //nolint:gosec // far below what overflows
}
