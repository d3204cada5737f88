package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// leastLimit is what the program may take before the collector runs early, where
// it does not hold more than that: unpacking one record of 30 MiB can leave 150 MiB
// of garbage, which the percentage alone would let lie.
const leastLimit = 96 << 20

// limitMemory keeps the collector's limit above what is in use, looking after each
// collection: a limit below it would have the collector run all the time. A limit
// that the environment sets (GOMEMLIMIT) stays.
func limitMemory() {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		limitAfterCollection(leastLimit)
	}
}

func limitAfterCollection(limit int64) {
	debug.SetMemoryLimit(limit)
	runtime.AddCleanup(&firstCollection{}, func(int) { limitAfterCollection(limitFor(liveBytes())) }, 0)
}

// liveBytes is what the last collection found in use.
func liveBytes() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64()
}

// limitFor is the limit while so many bytes are in use.
func limitFor(live uint64) int64 {
	return int64(max(min(live, 1<<60)*3/2, leastLimit)) //nolint:gosec // far below the largest number
}
