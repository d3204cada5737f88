package demo

import (
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"sharetop/model"
)

// The group without start offsets begins where its config says once a member
// joins, as on Kafka, and the state topic says so too.
func TestNewGroupIsPlacedAtItsFirstMember(t *testing.T) {
	for reset, want := range map[string][]int64{"latest": {402, 402, 403}, "earliest": {0, 0, 0}} {
		t.Run(reset, func(t *testing.T) {
			noLeaks(t)
			c := withoutConsumers(t)
			c.fake.SetGroupConfigs(newGroup, map[string]string{resetConfig: reset})
			member, err := kgo.NewClient(
				kgo.SeedBrokers(c.Addrs()...), kgo.DisableClientMetrics(), kgo.ShareGroup(newGroup), kgo.ConsumeTopics(newTopic),
				kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.FetchMaxWait(fetchWait),
			)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(member.Close)
			admin := adminOf(t, c)
			eventually(t, "the group has start offsets", func() bool {
				var starts []int64
				for _, p := range partitionsOf(t, admin, newGroup) {
					starts = append(starts, p.StartOffset)
				}
				return slices.Equal(starts, want)
			})
			if err := member.ProduceSync(t.Context(), &kgo.Record{Topic: newTopic, Partition: 0}).FirstErr(); err != nil {
				t.Fatal(err)
			}
			first := member.PollRecords(t.Context(), 1).Records()[0]
			if first.Offset != want[first.Partition] {
				t.Errorf("the first record is %d of partition %d, want %d", first.Offset, first.Partition, want[first.Partition])
			}
			live := see(t, c, model.OffsetsByStateTopic)
			live.until("the start offset in the state topic", func(s *model.Snapshot) bool {
				g := s.Group(model.NewGroupID(newGroup))
				return g != nil && len(g.Partitions) == 3 && g.Partitions[1].Start == model.Known(want[1])
			})
		})
	}
}
