package demo

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/kafka/statetopic"
)

// alteration is a request to set or delete start offsets of a group, which any
// client may send: the state topic follows it.
type alteration struct {
	group string
	// starts are the start offsets that are set.
	starts map[topicPartition]int64
	// deleted are the topics whose offsets are deleted; all when the group is.
	deleted []string
	all     bool
}

// watchAlterations looks at requests before the brokers carry them out.
func (c *Cluster) watchAlterations() {
	for _, request := range []kmsg.Request{
		&kmsg.AlterShareGroupOffsetsRequest{}, &kmsg.DeleteShareGroupOffsetsRequest{}, &kmsg.DeleteGroupsRequest{},
	} {
		c.fake.ControlKey(request.Key(), func(r kmsg.Request) (kmsg.Response, error, bool) {
			c.fake.KeepControl()
			for _, a := range alterationsOf(r) {
				c.coordinator.events.add(func() []*kgo.Record { return c.follow(a) })
			}
			return nil, nil, false
		})
	}
}

func alterationsOf(request kmsg.Request) []alteration {
	switch r := request.(type) {
	case *kmsg.AlterShareGroupOffsetsRequest:
		starts := map[topicPartition]int64{}
		for _, topic := range r.Topics {
			for _, p := range topic.Partitions {
				starts[topicPartition{topic.Topic, p.Partition}] = p.StartOffset
			}
		}
		return []alteration{{group: r.GroupID, starts: starts}}
	case *kmsg.DeleteShareGroupOffsetsRequest:
		a := alteration{group: r.GroupID}
		for _, topic := range r.Topics {
			a.deleted = append(a.deleted, topic.Topic)
		}
		return []alteration{a}
	case *kmsg.DeleteGroupsRequest:
		var all []alteration
		for _, group := range r.Groups {
			all = append(all, alteration{group: group, all: true})
		}
		return all
	}
	return nil
}

// follow makes the records of an alteration that the brokers have carried out
// by now. They do so for groups without members only.
func (c *Cluster) follow(a alteration) []*kgo.Record {
	info := c.fake.GroupInfo(a.group)
	if info != nil && len(info.Members) > 0 {
		return nil
	}
	co := c.coordinator
	co.others.forget(a.group)
	var records []*kgo.Record
	for at, start := range a.starts {
		topic := c.fake.TopicInfo(at.topic)
		if topic == nil || c.fake.PartitionInfo(at.topic, at.partition) == nil {
			continue
		}
		share := statetopic.ShareKey{Group: a.group, TopicID: topic.TopicID, Partition: at.partition}
		key, value := co.journal.Initialize(share, start, co.now().UnixMilli())
		records = append(records, stateRecord(share, key, value))
		co.begun[share] = at.topic
	}
	for share, topic := range co.begun {
		if share.Group == a.group && a.deletes(topic) {
			key, value := co.journal.Delete(share)
			records = append(records, stateRecord(share, key, value))
			delete(co.begun, share)
		}
	}
	return records
}

func (a *alteration) deletes(topic string) bool { return a.all || slices.Contains(a.deleted, topic) }
