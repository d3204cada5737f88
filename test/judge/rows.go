package judge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sharetop/model"
)

// ListRow is one group of --list --state.
type ListRow struct {
	Group string
	State model.GroupState
}

// OffsetRow is one share-partition of --describe --offsets.
type OffsetRow struct {
	Group     string
	Topic     string
	Partition int32
	// LeaderEpoch is unknown without --verbose.
	LeaderEpoch model.Number
	Start, Lag  model.Number
}

// MemberRow is one member of --describe --members.
type MemberRow struct {
	Group, Member string
	// Host has the leading slash that brokers put there.
	Host, ClientID string
	// Partitions is the number of assigned partitions.
	Partitions int
	// Epoch is unknown without --verbose.
	Epoch model.Number
	// Assignment is sorted by topic and partition: "topic-0", "topic-1".
	Assignment []string
}

// StateRow is one group of --describe --state.
type StateRow struct {
	Group string
	// Address is host:port of the coordinator, Coordinator its id.
	Address     string
	Coordinator int32
	State       model.GroupState
	// Epoch and AssignmentEpoch are unknown without --verbose.
	Epoch, AssignmentEpoch model.Number
	Members                int
}

// ParseList reads --list --state.
func ParseList(text string) ([]ListRow, error) {
	return parseTable(text, []string{"GROUP", "STATE"}, func(l line) (ListRow, error) {
		group, rest := l.split("STATE")
		return ListRow{Group: group, State: model.GroupState(rest)}, nil
	})
}

// ParseOffsets reads --describe --offsets, with or without --verbose.
func ParseOffsets(text string) ([]OffsetRow, error) {
	return parseTable(text, []string{"GROUP", "TOPIC", "PARTITION"}, func(l line) (OffsetRow, error) {
		group, _ := l.split("TOPIC")
		_, rest := l.split("PARTITION")
		fields := strings.Fields(rest)
		if !l.has("LEADER-EPOCH") && len(fields) == 3 {
			fields = slices.Insert(fields, 1, "-")
		}
		if len(fields) != 4 {
			return OffsetRow{}, fmt.Errorf("%d fields after the topic, want 4", len(fields))
		}
		var n numbers
		row := OffsetRow{
			Group: group, Topic: l.between("TOPIC", "PARTITION"), Partition: int32(n.whole(fields[0])), //nolint:gosec // a partition
			LeaderEpoch: n.orUnknown(fields[1]), Start: n.orUnknown(fields[2]), Lag: n.orUnknown(fields[3]),
		}
		return row, n.err
	})
}

// ParseStates reads --describe --state, with or without --verbose.
func ParseStates(text string) ([]StateRow, error) {
	return parseTable(text, []string{"GROUP", "COORDINATOR (ID)"}, func(l line) (StateRow, error) {
		group, rest := l.split("COORDINATOR (ID)")
		fields := strings.Fields(rest)
		if !l.has("GROUP-EPOCH") && len(fields) == 4 {
			fields = slices.Insert(fields, 3, "-", "-")
		}
		if len(fields) != 6 {
			return StateRow{}, fmt.Errorf("%d fields after the group, want 6", len(fields))
		}
		var n numbers
		row := StateRow{
			Group: group, Address: fields[0], Coordinator: int32(n.whole(strings.Trim(fields[1], "()"))), //nolint:gosec // a broker id
			State: model.GroupState(fields[2]), Epoch: n.orUnknown(fields[3]), AssignmentEpoch: n.orUnknown(fields[4]),
			Members: int(n.whole(fields[5])),
		}
		return row, n.err
	})
}

// ParseMembers reads --describe --members, with or without --verbose.
func ParseMembers(text string) ([]MemberRow, error) {
	return parseTable(text, []string{"GROUP", "CONSUMER-ID", "HOST", "CLIENT-ID"}, func(l line) (MemberRow, error) {
		group, _ := l.split("CONSUMER-ID")
		_, rest := l.split("HOST")
		row := MemberRow{Group: group, Member: l.between("CONSUMER-ID", "HOST")}
		fields := strings.Fields(rest)
		var n numbers
		if last := len(fields) - 1; last >= 0 && isAssignment(fields[last]) {
			row.Assignment = n.assignment(fields[last])
			fields = fields[:last]
		}
		if l.has("MEMBER-EPOCH") && len(fields) > 0 {
			row.Epoch = n.orUnknown(fields[len(fields)-1])
			fields = fields[:len(fields)-1]
		}
		if len(fields) < 2 {
			return row, fmt.Errorf("%d fields for host, client id and number of partitions", len(fields))
		}
		row.Host, row.Partitions = fields[0], int(n.whole(fields[len(fields)-1]))
		row.ClientID = strings.Join(fields[1:len(fields)-1], " ")
		return row, n.err
	})
}

// isAssignment tells an assignment (or the dash for none) from a number.
func isAssignment(field string) bool { return field == "-" || strings.Contains(field, ":") }

// numbers parses fields and keeps the first error.
type numbers struct{ err error }

func (n *numbers) whole(field string) int64 {
	value, err := strconv.ParseInt(field, 10, 64)
	if err != nil && n.err == nil {
		n.err = err
	}
	return value
}

func (n *numbers) orUnknown(field string) model.Number {
	if field == "-" {
		return model.Number{}
	}
	return model.Known(n.whole(field))
}

// assignment reads topicA:0,1;topicB:2.
func (n *numbers) assignment(field string) []string {
	if field == "-" {
		return nil
	}
	var all []string
	for topic := range strings.SplitSeq(field, ";") {
		name, partitions, _ := strings.Cut(topic, ":")
		for partition := range strings.SplitSeq(partitions, ",") {
			all = append(all, fmt.Sprintf("%s-%d", name, n.whole(partition)))
		}
	}
	slices.Sort(all)
	return all
}
