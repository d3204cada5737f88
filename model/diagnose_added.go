package model

import "fmt"

// AddedPartitions tells of a topic that has more partitions than a group without
// members has begun: partitions that were added to it, or left out when the group
// was placed. Brokers tell of them when a member joins, and not before.
type AddedPartitions struct {
	Topic TopicName
	// Begun is how many of All have a share-partition.
	Begun, All int
}

// added are the topics of an empty group with partitions that it has not begun.
func (h *groupHistory) added() []AddedPartitions {
	if !isEmpty(h.group) {
		return nil
	}
	var out []AddedPartitions
	parts := h.group.Partitions // sorted by topic
	for i := 0; i < len(parts); {
		from, topic := i, parts[i].Topic
		for i < len(parts) && parts[i].Topic == topic {
			i++
		}
		if all := h.partitionsOf(topic); i-from < all {
			out = append(out, AddedPartitions{topic, i - from, all})
		}
	}
	return out
}

// partitionsOf is how many partitions a topic has; 0 when that is not known.
func (h *groupHistory) partitionsOf(name TopicName) int {
	if t := h.topic(name); t != nil && t.topic != nil && !t.topic.Gone {
		return len(t.topic.Partitions)
	}
	return 0
}

// isAdding: whoever comes first begins added partitions at their end.
func isAdding(in *DiagnoseInput) bool {
	return len(in.Added) > 0 && isEmpty(in.Group) && thresholdsOf(in.Group.Effective()).latest
}

// tellAdded: what Kafka 4.2 and 4.3 skip and 4.4 does not was tried on each.
func tellAdded(in *DiagnoseInput, v *Verdict) {
	first := in.Added[0]
	v.Text = fmt.Sprintf("latest may skip %s of %s", notBegun(first), first.Topic)
	in.tellBegun(v)
	v.tell("share.auto.offset.reset is latest: before Kafka 4.4 the first member begins them at the log end and skips what is there; 4.4 begins at 0.")
	v.Next = append(v.Next, "3 set share.auto.offset.reset to earliest before the first member joins", fmt.Sprintf("O give them a start offset: type %s under topics, since a reset of all is about what is begun", first.Topic))
}

// tellBegun says which topics have partitions that are not begun.
func (in *DiagnoseInput) tellBegun(v *Verdict) {
	for _, a := range in.Added {
		v.tell(fmt.Sprintf("Topic %s has %s, the group has begun %s; what waits in the others is not in the lag.",
			a.Topic, count(int64(a.All), "partition"), FormatInt(int64(a.Begun))))
	}
}

// notBegun counts: "2 new partitions".
func notBegun(a AddedPartitions) string { return count(int64(a.All-a.Begun), "new partition") }
