package model

import "time"

// Version counts snapshots of one client, from 1. 0 means "none seen yet".
type Version uint64

// Snapshot is one look at the cluster. It is immutable once it is handed over,
// and shares with its predecessor all that did not change: a Group, Topic or
// Configs pointer that is the same as before means nothing in it changed.
//
// Partial success is the normal case. What could not be seen stands in
// Problems, and the values that are missing for it are unknown.
type Snapshot struct {
	Version Version
	// Taken is when this snapshot was put together (the client's clock).
	Taken time.Time
	// Answered is when a broker last answered anything; zero before the first
	// answer. While the network is gone new snapshots still tell of new problems,
	// and what they show is as old as this.
	Answered time.Time
	Cluster  Cluster
	Offsets  OffsetsState
	// Listed is when the list of groups was last answered by every reachable
	// broker; zero until the first list is there, and while no broker is reachable.
	Listed time.Time
	// Groups are the share groups of the cluster, sorted by raw id.
	Groups []*Group
	// Topics has the log offsets of every topic that a group reads, by name:
	// once per topic-partition, however many groups read it.
	Topics map[TopicName]*Topic
	// Problems are all problems, those of single groups too.
	Problems []Problem
	// State is what was seen to happen in the state topic; nil while it is not
	// read.
	State *StateView
}

// Group returns the group with that id, or nil.
func (s *Snapshot) Group(id GroupID) *Group {
	if s == nil {
		return nil
	}
	lo, hi := 0, len(s.Groups)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if s.Groups[mid].ID.raw < id.raw {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(s.Groups) && s.Groups[lo].ID.raw == id.raw {
		return s.Groups[lo]
	}
	return nil
}

// Log returns what is known of one partition's log; the zero PartitionLog when
// nothing is.
func (s *Snapshot) Log(topic TopicName, partition int32) PartitionLog {
	if s == nil {
		return PartitionLog{}
	}
	t := s.Topics[topic]
	if t == nil || partition < 0 || int(partition) >= len(t.Partitions) {
		return PartitionLog{}
	}
	return t.Partitions[partition]
}

// Cluster is what is known about the cluster as a whole.
type Cluster struct {
	// ID is the cluster id; empty until known.
	ID Text
	// Brokers are the known brokers, sorted by id.
	Brokers []Broker
	// ShareVersion is the finalized level of the feature share.version (0 when
	// it is absent from the finalized list); unknown until asked.
	ShareVersion Number
	// ShareGroups says whether share groups can be used here.
	ShareGroups ShareSupport
	// BrokerLimits are the broker's group.share.* settings by key (DescribeConfigs
	// of one BROKER); nil when not known or not allowed.
	BrokerLimits map[string]string
}

// Broker is one broker of the cluster.
type Broker struct {
	ID   int32
	Host Text
	Port int32
	Rack Text
	// Reachable is false while the broker refuses or does not answer.
	Reachable bool
}

// ShareSupport tells apart what a cluster can do with share groups.
type ShareSupport uint8

// What a cluster can do with share groups, by its API keys and the finalized
// feature share.version (KIP-932).
const (
	// ShareUnknown: not asked, or no broker has answered yet.
	ShareUnknown ShareSupport = iota
	// ShareTooOld: the brokers do not know the share group requests.
	ShareTooOld
	// ShareDisabled: the requests are known, share.version is absent or 0.
	ShareDisabled
	// SharePreview: Kafka 4.1, share groups as a preview (no lag on the wire).
	SharePreview
	// ShareFull: share.version 1 (share groups) or 2 (and dead-letter queues).
	ShareFull
)

// OffsetsSource names where start offsets and lag come from.
type OffsetsSource uint8

// The sources of offsets.
const (
	// FromRequests: DescribeShareGroupOffsets, one group a request.
	FromRequests OffsetsSource = iota
	// FromStateTopic: tailing __share_group_state.
	FromStateTopic
)

// OffsetsState says which source of offsets is in use and how it does.
type OffsetsState struct {
	Source OffsetsSource
	// Why says why the better source is not in use; empty when it is.
	Why string
	// Advice says what would bring the better source, e.g. the ACL to grant;
	// empty when nothing but waiting helps.
	Advice string
	// Sweep is the current or, between two, the last round through all groups.
	Sweep Sweep
	// Tail says how the reader of the state topic does, also while the source
	// in use is another.
	Tail Tail
}

// Sweep is one round of asking for the offsets of every group.
type Sweep struct {
	// Round counts sweeps from 1; 0 means that none has begun.
	Round int
	// Done and Total count groups of the current round.
	Done, Total int
	// FirstDone is true once every group has been asked for once: until then
	// an order by lag would be an order by accident.
	FirstDone bool
	// Took is the length of the last complete round; 0 when none is over.
	Took time.Duration
}

// GroupState is a share group's state as the broker names it.
type GroupState string

// The states a share group can be in; GroupUnknown when it was not told.
const (
	GroupUnknown GroupState = ""
	GroupEmpty   GroupState = "Empty"
	GroupStable  GroupState = "Stable"
	GroupDead    GroupState = "Dead"
)

// Group is one share group as last seen.
type Group struct {
	ID GroupID
	// State comes from the list, then from the description.
	State GroupState
	// Coordinator is the broker that listed the group; -1 when not known.
	Coordinator int32
	// Described is when ShareGroupDescribe first gave the values below: an equal
	// answer does not move it, so that a quiet group keeps its pointer. Zero
	// when it never answered, and then they are unknown.
	Described time.Time
	// Epoch and AssignmentEpoch differ while an assignment is being computed,
	// and on 4.2 and 4.3 also after a group has emptied.
	Epoch, AssignmentEpoch Number
	Assignor               Text
	// Members are sorted by member id.
	Members []Member
	// OffsetsAt is when this group's offsets were last answered, also with the
	// same values; zero when they never were, and then Partitions is unknown
	// rather than empty. From the state topic they come when something changes,
	// and hold until something else does: see Snapshot.OffsetsSeen.
	OffsetsAt time.Time
	// OffsetsFrom is where this group's offsets come from: a group whose state
	// can't be read is asked for by requests while all others are live.
	OffsetsFrom OffsetsSource
	// Partitions are the group's share-partitions, sorted by topic and partition.
	Partitions []SharePartition
	// Unnamed is how many share-partitions the state topic has of topics whose
	// name is still being asked for; they are not in Partitions yet.
	Unnamed int
	// Settings are the group's effective configs, as far as diagnosis needs them;
	// nil until they were answered. Groups with the same share one value: it must
	// not be changed. See Effective.
	Settings *Settings
	// Configs has every config of the group for its Config tab; nil unless the
	// group is opened and they were answered.
	Configs *Configs
	// Archived is what was found where the group archived offsets; nil where
	// nothing is known of that.
	Archived *ArchivedLooks
	// Problems are what could not be seen of this group.
	Problems []Problem
}

// Member is one member of a share group.
type Member struct {
	ID       Text
	ClientID Text
	// Host is the address without the leading slash that brokers put there.
	Host  Text
	Rack  Text
	Epoch int32
	// Subscribed are the topic names the member subscribes to, sorted.
	Subscribed []TopicName
	// Assignment is sorted by topic.
	Assignment []Assignment
}

// Assignment is a member's partitions of one topic, ascending.
type Assignment struct {
	Topic      TopicName
	Partitions []int32
}

// SharePartition is one topic-partition as one share group sees it.
type SharePartition struct {
	Topic     TopicName
	TopicID   TopicID
	Partition int32
	// Start is the persisted start offset (SPSO); unknown when the broker says
	// -1: registered, but nothing has been settled yet. It trails progress by
	// one write, which can be the whole backlog.
	Start Number
	// Lag is end - start - finished records at or above start, as the broker
	// (KIP-1226) or the state topic gives it. Unknown when Start is, or when the
	// broker does not tell (4.1). Negative when the start is past the end.
	Lag Number
	// LeaderEpoch is the one persisted with the state; unknown when not told.
	LeaderEpoch Number
	// LagEnd is the log end offset that belongs to Lag's moment as far as known;
	// unknown by requests, where the broker used its own.
	LagEnd Number
	// Problem is set when the broker answered an error for this partition. What
	// was told of it before is then as old as that answer, and judged no more.
	Problem *Problem
	// State is what the state topic says about the records of this partition;
	// nil when that is not known.
	State *PartitionState
	// Head is what is at the head, the first unfinished offset; nil when it was
	// not asked for, or is about another offset than State's head by now. Only
	// groups on screen are asked for.
	Head *HeadRecord
}

// Topic has the logs of one topic that some share group reads.
type Topic struct {
	Name TopicName
	// ID is zero until known.
	ID TopicID
	// Gone is true when the cluster says that the topic does not exist (any
	// more).
	Gone bool
	// Partitions are indexed by partition number.
	Partitions []PartitionLog
	// Problem is set when the topic may not be described or asked.
	Problem *Problem
	// Retention is the topic's retention.ms, -1 where retention deletes nothing
	// by time (also where cleanup.policy has no delete). Unknown until asked,
	// which happens for topics of groups on screen, and where DESCRIBE_CONFIGS is
	// missing.
	Retention Number
}

// PartitionLog is what is known of one partition's log.
type PartitionLog struct {
	// Asked is false while nothing is known about this partition; Leader then
	// means nothing.
	Asked bool
	// Leader is the leading broker's id, or NoLeader.
	Leader int32
	// LogStart and End are the earliest offset and the high watermark.
	LogStart, End Number
	// StartAt and EndAt are when those two were sampled; zero when never.
	StartAt, EndAt time.Time
	// Stable is the last stable offset: below End while a transaction is open,
	// and the end of what a read_committed group is given. It is asked only for
	// topics that such a group on screen reads; unknown otherwise.
	Stable Number
	// StableAt is when it was sampled; zero when never.
	StableAt time.Time
}

// NoLeader is the Leader of a partition that has none now.
const NoLeader int32 = -1
