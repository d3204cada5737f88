package kafka

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// largeState has n groups with five partitions each on shared topics.
func largeState(n int) *state {
	s := newState(time.Now)
	listed := make([]listedGroup, n)
	for i := range listed {
		listed[i] = listedGroup{fmt.Sprintf("group-%06d", i), "Empty"}
	}
	s.mergeList(1, listed, 0)
	for i := range listed {
		s.mergeOffsets(1, offsetsOf(listed[i].id, 10))
	}
	s.poll(snapshotGap)
	return s
}

func offsetsOf(group string, start int64) *GroupOffsets {
	o := &GroupOffsets{Group: group, At: time.Now()}
	for p := range int32(5) {
		o.partitions = append(o.partitions, partitionOffsets{
			topic: "orders", partition: p, start: start, lag: 5, lagTold: true,
		})
	}
	return o
}

// A snapshot of 10,000 groups of which ten changed.
func BenchmarkSnapshotTenOfTenThousandChanged(b *testing.B) {
	s := largeState(10_000)
	answers := make([]*GroupOffsets, 10)
	for i := range answers {
		answers[i] = offsetsOf(fmt.Sprintf("group-%06d", i*997), 11)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, o := range answers {
			s.mergeOffsets(1, o)
		}
		s.mu.Lock()
		s.build(time.Now())
		s.mu.Unlock()
	}
}

// A tick in which 10,000 groups were described again and nothing had changed.
func BenchmarkDescribeTenThousandUnchanged(b *testing.B) {
	s := largeState(10_000)
	answers := make([]kmsg.ShareGroupDescribeResponseGroup, 10_000)
	for i := range answers {
		g := kmsg.NewShareGroupDescribeResponseGroup()
		g.GroupID, g.GroupState, g.Assignor = fmt.Sprintf("group-%06d", i), "Empty", "simple"
		answers[i] = g
		s.mergeDescription(1, &answers[i])
	}
	b.ReportAllocs()
	for b.Loop() {
		for i := range answers {
			s.mergeDescription(1, &answers[i])
		}
	}
}

// A list of 10,000 groups that is the same as the last.
func BenchmarkListTenThousandUnchanged(b *testing.B) {
	s := largeState(10_000)
	listed := make([]listedGroup, 10_000)
	for i := range listed {
		listed[i] = listedGroup{fmt.Sprintf("group-%06d", i), "Empty"}
	}
	b.ReportAllocs()
	for b.Loop() {
		s.mergeList(1, listed, 0)
	}
}
