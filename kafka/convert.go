package kafka

import (
	"cmp"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// This file is the boundary: the only place where text from outside becomes
// model.Text (and so safe for a terminal), and where wire values become model
// values.

// maxInterned bounds the names kept; at the bound all are forgotten and made
// anew as they are met.
const maxInterned = 1 << 16

// names makes topic names once, since the same few come with every answer. It
// is not safe for concurrent use.
type names struct{ topics map[string]model.TopicName }

func newNames() *names { return &names{topics: make(map[string]model.TopicName)} }

func (n *names) topic(raw string) model.TopicName {
	if t, ok := n.topics[raw]; ok {
		return t
	}
	if len(n.topics) >= maxInterned {
		clear(n.topics)
	}
	t := model.NewTopicName(raw)
	n.topics[raw] = t
	return t
}

// groupID is the id a broker listed.
func groupID(raw string) model.GroupID { return model.NewGroupID(raw) }

// topicName is a topic's name that a broker gave.
func topicName(raw string) model.TopicName { return model.NewTopicName(raw) }

// safeText is outside text as it may stand in a sentence.
func safeText(raw string) string { return model.NewText(raw).String() }

// target names what a problem is about, e.g. "group orders".
func target(kind, name string) model.Text {
	if name == "" {
		return model.NewText(kind)
	}
	return model.NewText(kind + " " + name)
}

// clusterID is the id of a cluster, if it told one.
func clusterID(raw *string) model.Text { return model.NewText(deref(raw)) }

// broker is one broker as metadata names it.
func broker(b kmsg.MetadataResponseBroker, reachable bool) model.Broker {
	return model.Broker{
		ID: b.NodeID, Host: model.NewText(b.Host), Port: b.Port,
		Rack: model.NewText(deref(b.Rack)), Reachable: reachable,
	}
}

// groupState is the state as the broker names it.
func groupState(raw string) model.GroupState {
	for _, known := range []model.GroupState{model.GroupEmpty, model.GroupStable, model.GroupDead} {
		if strings.EqualFold(raw, string(known)) {
			return known
		}
	}
	return model.GroupState(safeText(raw))
}

// applyDescription fills in what ShareGroupDescribe says.
func (n *names) applyDescription(g *model.Group, d *kmsg.ShareGroupDescribeResponseGroup) {
	g.State = groupState(d.GroupState)
	g.Epoch = model.Known(int64(d.GroupEpoch))
	g.AssignmentEpoch = model.Known(int64(d.AssignmentEpoch))
	g.Assignor = model.NewText(d.Assignor)
	g.Members = make([]model.Member, 0, len(d.Members))
	for i := range d.Members {
		g.Members = append(g.Members, n.member(&d.Members[i]))
	}
	slices.SortFunc(g.Members, func(a, b model.Member) int { return cmp.Compare(a.ID.Raw(), b.ID.Raw()) })
}

func (n *names) member(m *kmsg.ShareGroupDescribeResponseGroupMember) model.Member {
	member := model.Member{
		ID:       model.NewText(m.MemberID),
		ClientID: model.NewText(m.ClientID),
		Host:     model.NewText(memberHost(m.ClientHost)),
		Rack:     model.NewText(deref(m.RackID)),
		Epoch:    m.MemberEpoch,
	}
	for _, t := range m.SubscribedTopicNames {
		member.Subscribed = append(member.Subscribed, n.topic(t))
	}
	slices.SortFunc(member.Subscribed, compareTopics)
	for _, a := range m.Assignment.TopicPartitions {
		parts := slices.Clone(a.Partitions)
		slices.Sort(parts)
		member.Assignment = append(member.Assignment, model.Assignment{Topic: n.topic(a.Topic), Partitions: parts})
	}
	slices.SortFunc(member.Assignment, func(a, b model.Assignment) int { return compareTopics(a.Topic, b.Topic) })
	return member
}

// memberHost is an address without the leading slash that brokers put there.
func memberHost(raw string) string { return strings.TrimPrefix(raw, "/") }

func compareTopics(a, b model.TopicName) int { return cmp.Compare(a.Raw(), b.Raw()) }

// partitionOffsets is one share-partition as one answer has it.
type partitionOffsets struct {
	topic     string
	topicID   [16]byte
	partition int32
	start     int64 // -1: none fixed yet
	lag       int64 // -1: not told, see sharePartition
	lagTold   bool  // false: the answer has no lag (version 0, Kafka 4.1)
	epoch     int32
	errorCode int16
	errorText string
}

// sharePartition is the share-partition that p describes. LogEnd settles what a
// lag of -1 means: unknown, unless the start is exactly one past the end.
func (n *names) sharePartition(p *partitionOffsets, logEnd model.Number) model.SharePartition {
	sp := model.SharePartition{Topic: n.topic(p.topic), TopicID: p.topicID, Partition: p.partition}
	if p.errorCode != 0 {
		problem := partitionProblem(p)
		sp.Problem = &problem
		return sp
	}
	if p.start == -1 {
		return sp
	}
	sp.Start = model.Known(p.start)
	if p.epoch >= 0 {
		sp.LeaderEpoch = model.Known(int64(p.epoch))
	}
	end, endKnown := logEnd.Get()
	if p.lagTold && (p.lag != -1 || (endKnown && end-p.start == -1)) {
		sp.Lag = model.Known(p.lag)
	}
	return sp
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// configSource says who set a config's value.
func configSource(s kmsg.ConfigSource) model.ConfigSource {
	switch s {
	case kmsg.ConfigSourceGroupConfig:
		return model.ConfigFromGroup
	case kmsg.ConfigSourceDynamicBrokerConfig, kmsg.ConfigSourceDynamicDefaultBrokerConfig,
		kmsg.ConfigSourceStaticBrokerConfig:
		return model.ConfigFromBroker
	case kmsg.ConfigSourceDefaultConfig:
		return model.ConfigFromDefault
	default:
		return model.ConfigSourceUnknown
	}
}

// configEntry is one config of a group, with the range that the broker's limits
// give it.
func configEntry(c *kmsg.DescribeConfigsResponseResourceConfig, limits map[string]string) model.ConfigEntry {
	known := groupConfigs()[c.Name]
	entry := model.ConfigEntry{
		Key: model.NewText(c.Name), Value: model.NewText(deref(c.Value)), IsNull: c.Value == nil,
		Source: configSource(c.Source), Meaning: known.meaning,
		Min: safeText(limits[known.minKey()]), Max: safeText(limits[known.maxKey()]),
	}
	if c.ConfigType != 0 {
		entry.Type = c.ConfigType.String()
	}
	for _, s := range c.ConfigSynonyms {
		if s.Name != c.Name {
			entry.BrokerKey = model.NewText(s.Name)
			break
		}
	}
	for _, s := range c.ConfigSynonyms {
		if configSource(s.Source) != model.ConfigFromGroup && s.Value != nil {
			entry.Default = outside(*s.Value)
			break
		}
	}
	if entry.BrokerKey.Empty() {
		entry.BrokerKey = model.NewText(known.brokerKey)
	}
	return entry
}

// outside is outside text of no particular kind.
func outside(raw string) model.Text { return model.NewText(raw) }
