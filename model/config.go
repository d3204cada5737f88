package model

import "time"

// Settings are the effective group configs that diagnosis uses. Any of them
// may be unknown (not allowed, or not yet asked); DefaultSettings then holds.
type Settings struct {
	// LockDuration is share.record.lock.duration.ms; 0 when unknown.
	LockDuration time.Duration
	// HeartbeatInterval is share.heartbeat.interval.ms; 0 when unknown.
	HeartbeatInterval time.Duration
	// SessionTimeout is share.session.timeout.ms; 0 when unknown.
	SessionTimeout time.Duration
	// MaxRecordLocks is share.partition.max.record.locks.
	MaxRecordLocks Number
	// DeliveryLimit is share.delivery.count.limit.
	DeliveryLimit Number
	// GroupMaxSize is the broker's group.share.max.size.
	GroupMaxSize Number
	// AutoOffsetReset is share.auto.offset.reset: "latest", "earliest" or
	// "by_duration:…"; empty when unknown.
	AutoOffsetReset string
	// IsolationLevel is share.isolation.level; empty when unknown.
	IsolationLevel string
	// DeadLetterTopic is errors.deadletterqueue.topic.name; empty when there is
	// none or it is unknown.
	DeadLetterTopic Text
}

// Effective are the group's Settings, all unknown where they were not answered:
// then Kafka's defaults are assumed.
func (g *Group) Effective() Settings {
	if g.Settings == nil {
		return Settings{}
	}
	return *g.Settings
}

// Configs are all configs of one group, as DescribeConfigs of the group
// resource (type 32) gave them.
type Configs struct {
	// At is when they were answered.
	At time.Time
	// Entries are sorted by key, share.* and errors.* first.
	Entries []ConfigEntry
	// Missing are the keys of Kafka's newest version that the server did not
	// tell, sorted: an older version, or not Kafka. Kafka's defaults are assumed.
	Missing []string
	// Problem is set when they could not be read.
	Problem *Problem
}

// ConfigEntry is one config of a group.
type ConfigEntry struct {
	Key   Text
	Value Text
	// IsNull is true when the broker gave no value at all.
	IsNull bool
	Source ConfigSource
	// BrokerKey is the broker config that gives the default; empty when none.
	BrokerKey Text
	// Default is what holds without a value of the group's own; empty when that is
	// not known, or is the empty text.
	Default Text
	// Min and Max are the allowed range from group.share.min/max.*; empty when
	// there is none or it is not known.
	Min, Max string
	// Type is the broker's word for the type, e.g. "INT"; empty when not told.
	Type string
	// Meaning is one line in our own words; empty for keys we do not know.
	Meaning string
}

// ConfigSource says who set a config's value.
type ConfigSource uint8

// Who set a value (DescribeConfigs source codes 8, 2 to 4 and 5).
const (
	ConfigSourceUnknown ConfigSource = iota
	ConfigFromGroup
	ConfigFromBroker
	ConfigFromDefault
)

// ValueText is the value as it is shown; null and empty are told apart by words.
func (e *ConfigEntry) ValueText() string {
	switch {
	case e.IsNull:
		return Unknown
	case e.Value.Empty():
		return "(empty)"
	default:
		return e.Value.String()
	}
}

// String says who set a value, in a word.
func (s ConfigSource) String() string {
	switch s {
	case ConfigFromGroup:
		return "group"
	case ConfigFromBroker:
		return "broker"
	case ConfigFromDefault:
		return "default"
	default:
		return Unknown
	}
}
