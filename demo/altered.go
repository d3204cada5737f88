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
	// sure tells that the brokers said so.
	sure bool
}

// alteredBy reads an exchange: what it asked for and was not refused. It is sure
// where the answer names it; who went away without one has it carried out unless
// the group has members.
func alteredBy(request kmsg.Request, response kmsg.Response) []alteration {
	switch q := request.(type) {
	case *kmsg.AlterShareGroupOffsetsRequest:
		r, ok := response.(*kmsg.AlterShareGroupOffsetsResponse)
		if ok && r.ErrorCode == 0 {
			return []alteration{startsAltered(q, r)}
		}
	case *kmsg.DeleteShareGroupOffsetsRequest:
		r, ok := response.(*kmsg.DeleteShareGroupOffsetsResponse)
		if ok && r.ErrorCode == 0 {
			return []alteration{offsetsDeleted(q, r)}
		}
	case *kmsg.DeleteGroupsRequest:
		if r, ok := response.(*kmsg.DeleteGroupsResponse); ok {
			return groupsDeleted(q, r)
		}
	}
	return nil
}

func startsAltered(q *kmsg.AlterShareGroupOffsetsRequest, r *kmsg.AlterShareGroupOffsetsResponse) alteration {
	a := alteration{group: q.GroupID, sure: len(r.Topics) > 0, starts: map[topicPartition]int64{}}
	for _, topic := range q.Topics {
		for _, p := range topic.Partitions {
			a.starts[topicPartition{topic.Topic, p.Partition}] = p.StartOffset
		}
	}
	for _, topic := range r.Topics {
		for _, p := range topic.Partitions {
			if p.ErrorCode != 0 {
				delete(a.starts, topicPartition{topic.Topic, p.Partition})
			}
		}
	}
	return a
}

func offsetsDeleted(q *kmsg.DeleteShareGroupOffsetsRequest, r *kmsg.DeleteShareGroupOffsetsResponse) alteration {
	a := alteration{group: q.GroupID, sure: len(r.Topics) > 0}
	refused := map[string]bool{}
	for _, topic := range r.Topics {
		refused[topic.Topic] = topic.ErrorCode != 0
	}
	for _, topic := range q.Topics {
		if !refused[topic.Topic] {
			a.deleted = append(a.deleted, topic.Topic)
		}
	}
	return a
}

func groupsDeleted(q *kmsg.DeleteGroupsRequest, r *kmsg.DeleteGroupsResponse) []alteration {
	refused := map[string]bool{}
	for _, group := range r.Groups {
		refused[group.Group] = group.ErrorCode != 0
	}
	var all []alteration
	for _, group := range q.Groups {
		if _, answered := refused[group]; !refused[group] {
			all = append(all, alteration{group: group, sure: answered, all: true})
		}
	}
	return all
}

// follow makes the records of an alteration that the brokers have carried out.
// They do so for groups without members only, which those of an answer may have
// by now.
func (c *Cluster) follow(a alteration) []*kgo.Record {
	if info := c.fake.GroupInfo(a.group); !a.sure && info != nil && len(info.Members) > 0 {
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
