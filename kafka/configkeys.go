package kafka

import "strings"

// groupConfig is what we know of one config of a share group.
type groupConfig struct {
	// meaning is one line in our own words.
	meaning string
	// brokerKey is the broker config that gives the default; empty when none.
	brokerKey string
	// ranged is true when group.share.min.* and max.* bound the value.
	ranged bool
}

// brokerPrefix is what the broker's configs for share groups begin with.
const brokerPrefix = "group.share."

func (c groupConfig) minKey() string { return c.limitKey("min.") }
func (c groupConfig) maxKey() string { return c.limitKey("max.") }

func (c groupConfig) limitKey(which string) string {
	if !c.ranged {
		return ""
	}
	return brokerPrefix + which + strings.TrimPrefix(c.brokerKey, brokerPrefix)
}

// The group configs that diagnosis uses.
const (
	keyLockDuration = "share.record.lock.duration.ms"
	keyHeartbeat    = "share.heartbeat.interval.ms"
	keySession      = "share.session.timeout.ms"
	keyMaxLocks     = "share.partition.max.record.locks"
	keyDeliveries   = "share.delivery.count.limit"
	keyReset        = "share.auto.offset.reset"
	keyIsolation    = "share.isolation.level"
	keyDeadLetter   = "errors.deadletterqueue.topic.name"
	// keyMaxSize is a broker config: no group can change it.
	keyMaxSize = "group.share.max.size"
)

// diagnosisKeys are asked for every group.
func diagnosisKeys() []string {
	return []string{
		keyLockDuration, keyHeartbeat, keySession, keyMaxLocks,
		keyDeliveries, keyReset, keyIsolation, keyDeadLetter,
	}
}

// limitKeys are the broker configs that bound group configs, and the bound on
// a group's size.
func limitKeys() []string {
	keys := []string{keyMaxSize}
	for _, c := range groupConfigs() {
		if c.ranged {
			keys = append(keys, c.minKey(), c.maxKey())
		}
	}
	return keys
}

// groupConfigs are the configs of share groups that we know (Kafka 4.4).
func groupConfigs() map[string]groupConfig {
	return map[string]groupConfig{
		keyLockDuration: {
			"how long a member may hold an acquired record before it is given to another",
			"group.share.record.lock.duration.ms", true,
		},
		keyHeartbeat: {
			"how often a member tells the coordinator that it is alive",
			"group.share.heartbeat.interval.ms", true,
		},
		keySession: {
			"how long a silent member keeps its place in the group",
			"group.share.session.timeout.ms", true,
		},
		keyMaxLocks: {
			"how far past the start offset a share-partition hands out records",
			"group.share.partition.max.record.locks", true,
		},
		keyDeliveries: {
			"how many deliveries a record gets before it is archived",
			"group.share.delivery.count.limit", true,
		},
		"share.assignment.interval.ms": {
			"the shortest time between two assignments of partitions to members",
			"group.share.assignment.interval.ms", true,
		},
		"share.renew.acknowledge.enable": {
			"whether a member may renew the lock of a record it holds", "", false,
		},
		keyReset: {
			"where a partition starts that has no start offset yet: latest skips what is there", "", false,
		},
		keyIsolation: {
			"whether records of open and aborted transactions are delivered", "", false,
		},
		keyDeadLetter: {
			"the topic that records go to when they are rejected or run out of deliveries; empty for none", "", false,
		},
		"errors.deadletterqueue.copy.record.enable": {
			"whether dead letters carry the record's key and value, or only where it was", "", false,
		},
	}
}
