package demo

import (
	"context"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// placeAtJoin sees to it that the group without start offsets gets them when its
// first member comes, where Kafka would begin: kfake would hand out records from
// offset -1 on.
func (c *Cluster) placeAtJoin() {
	c.fake.ControlKey(kmsg.ShareGroupHeartbeat.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.fake.KeepControl()
		if h, ok := r.(*kmsg.ShareGroupHeartbeatRequest); ok && h.GroupID == newGroup && h.MemberEpoch == joinEpoch {
			// The brokers go on meanwhile, and this heartbeat waits.
			c.fake.SleepControl(c.placeNewGroup)
		}
		return nil, nil, false
	})
}

// placeNewGroup gives the new group the start offsets that it lacks. Where it has
// members, or is deleted, the brokers refuse, as they should.
func (c *Cluster) placeNewGroup() {
	ctx, cancel := context.WithTimeout(c.work, joinTimeout)
	defer cancel()
	client, err := c.client("demo-place")
	if err != nil {
		return
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	described, err := admin.DescribeShareGroupOffsets(ctx, newGroup)
	if err != nil {
		return
	}
	earliest, offsets := beginsEarliest(ctx, client, newGroup), kadm.Offsets{}
	for _, p := range described[newGroup].Offsets.Sorted() {
		log := c.fake.PartitionInfo(p.Topic, p.Partition)
		switch {
		case p.StartOffset >= 0 || log == nil:
		case earliest:
			offsets.AddOffset(p.Topic, p.Partition, log.LogStartOffset, -1)
		default:
			offsets.AddOffset(p.Topic, p.Partition, log.HighWatermark, -1)
		}
	}
	if len(offsets) > 0 {
		_, _ = admin.AlterShareGroupOffsets(ctx, newGroup, offsets)
	}
}

// beginsEarliest tells whether a group's config, which anybody may change, has it
// begin at the start of the log.
func beginsEarliest(ctx context.Context, client *kgo.Client, group string) bool {
	req := kmsg.NewPtrDescribeConfigsRequest()
	resource := kmsg.NewDescribeConfigsRequestResource()
	resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeGroupConfig, group
	resource.ConfigNames = []string{resetConfig}
	req.Resources = append(req.Resources, resource)
	resp, err := req.RequestWith(ctx, client)
	if err != nil || len(resp.Resources) != 1 || len(resp.Resources[0].Configs) != 1 {
		return false
	}
	value := resp.Resources[0].Configs[0].Value
	return value != nil && *value == "earliest"
}
