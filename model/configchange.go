package model

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ConfigChange sets one config of a group, or unsets it.
type ConfigChange struct {
	Group GroupID
	Key   Text
	// Value is the new value; it means nothing with Unset.
	Value Text
	// Unset removes the group's own value, so that the broker's holds again.
	Unset bool
}

// String is the change in a few words.
func (c ConfigChange) String() string {
	if c.Unset {
		return "unset " + c.Key.String()
	}
	return "set " + c.Key.String() + " to " + c.Value.String()
}

// ConfigFacts are what a change of a group's configs is judged by.
type ConfigFacts struct {
	// Entry is the config as it is now.
	Entry ConfigEntry
	// Partitions are the group's, with their state where it is known.
	Partitions []SharePartition
	// LongestAck is the longest time that a session of this program took to
	// acknowledge a record, in milliseconds; unknown without one.
	LongestAck Number
	// DeadLetter is what is known of the topic that dead letters would go to;
	// nil when the change is not about it.
	DeadLetter *DeadLetterFacts
}

// DeadLetterFacts decide whether dead letters will arrive: the broker accepts
// any setting, and archives a record whose copy it can't write without a word.
type DeadLetterFacts struct {
	ShareVersion Number
	// Prefix is the cluster's errors.deadletterqueue.topic.name.prefix;
	// PrefixKnown is false where it could not be read.
	Prefix      string
	PrefixKnown bool
	// AutoCreate is errors.deadletterqueue.auto.create.topics.enable.
	AutoCreate, AutoCreateKnown bool
	// Exists and Enabled are of the topic: whether it is there, and its
	// errors.deadletterqueue.group.enable.
	Exists, ExistsKnown   bool
	Enabled, EnabledKnown bool
}

// The keys that a change is judged by.
const (
	configLock       = "share.record.lock.duration.ms"
	configDeliveries = "share.delivery.count.limit"
	configReset      = "share.auto.offset.reset"
	configDeadLetter = "errors.deadletterqueue.topic.name"
	configDeadCopy   = "errors.deadletterqueue.copy.record.enable"
)

// CheckConfig refuses what the broker would refuse for sure, as far as its own
// answers tell: a value of the wrong type, or outside the allowed range. The
// broker has the last word. The error is a sentence.
func CheckConfig(c ConfigChange, entry ConfigEntry) error {
	if c.Unset {
		return nil
	}
	value := strings.TrimSpace(c.Value.Raw())
	switch {
	case c.Key.Raw() == configReset:
		return checkReset(value)
	case entry.Type == "BOOLEAN" && value != "true" && value != "false":
		return fmt.Errorf("%s is true or false, not %q", c.Key, Sanitize(value))
	case entry.Type == "INT" || entry.Type == "LONG" || entry.Min != "" || entry.Max != "":
		return checkNumber(c.Key, value, entry)
	case c.Key.Raw() == configDeadLetter && strings.HasPrefix(value, "__"):
		return errors.New("the name of a dead-letter topic must not begin with __")
	}
	return nil
}

func checkReset(value string) error {
	if value == "earliest" || value == "latest" || strings.HasPrefix(value, "by_duration:P") {
		return nil
	}
	return fmt.Errorf("%s is earliest, latest or by_duration:PnDTnHnMnS, in these letters, not %q", configReset, Sanitize(value))
}

func checkNumber(key Text, value string, entry ConfigEntry) error {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return fmt.Errorf("%s is a whole number, not %q", key, Sanitize(value))
	}
	if low, err := strconv.ParseInt(entry.Min, 10, 64); err == nil && n < low {
		return fmt.Errorf("%s must be at least %s, which is the broker's bound", key, entry.Min)
	}
	if high, err := strconv.ParseInt(entry.Max, 10, 64); err == nil && n > high {
		return fmt.Errorf("%s must be at most %s, which is the broker's bound", key, entry.Max)
	}
	return nil
}

// ConfigTakesEffect says when a change of a config bites (Kafka 4.4): nothing
// needs a restart. Empty for keys that we do not know.
func ConfigTakesEffect(key string) string {
	return map[string]string{
		configLock:                         "at the next acquire or renew; locks that run keep their length",
		configDeliveries:                   "when a delivery ends; a lowered limit still lets one last delivery happen",
		"share.partition.max.record.locks": "at the next acquire",
		"share.isolation.level":            "at the next fetch",
		configReset:                        "only when a share-partition without a start offset is loaded",
		"share.renew.acknowledge.enable":   "at the next renew",
		"share.session.timeout.ms":         "at the next heartbeat",
		"share.heartbeat.interval.ms":      "at the next heartbeat",
		"share.assignment.interval.ms":     "at the next assignment",
		configDeadLetter:                   "at the next reject, or delivery that reaches the limit",
		configDeadCopy:                     "at the next dead letter",
	}[key]
}

// ConfigWarnings says what a change leads to that the broker does not say, one
// sentence each.
func ConfigWarnings(c ConfigChange, f ConfigFacts) []string {
	switch c.Key.Raw() {
	case configLock:
		return warnLock(c, f)
	case configDeliveries:
		return warnDeliveries(c, f)
	case configReset:
		return warnReset(f)
	case configDeadLetter:
		if f.DeadLetter != nil && !c.Unset && c.Value.Raw() != "" {
			return f.DeadLetter.warnings(c.Value)
		}
	}
	return nil
}

// ConfigConsequences says what a change of a config leads to, one sentence each.
func ConfigConsequences(c ConfigChange, f ConfigFacts) []string {
	lines := []string{"Now it is " + f.Entry.ValueText() + ", from the " + f.Entry.Source.String() + "."}
	if effect := ConfigTakesEffect(c.Key.Raw()); effect != "" {
		lines = append(lines, "It takes effect "+effect+".")
	}
	return append(lines, ConfigWarnings(c, f)...)
}

func warnLock(c ConfigChange, f ConfigFacts) []string {
	n, err := strconv.ParseInt(strings.TrimSpace(c.Value.Raw()), 10, 64)
	if ack, known := f.LongestAck.Get(); err == nil && !c.Unset && known && n < ack {
		return []string{fmt.Sprintf("Sessions of this program took up to %s ms to acknowledge: with %s ms such records are delivered again.",
			FormatInt(ack), FormatInt(n))}
	}
	return nil
}

// warnDeliveries counts records that have had as many deliveries as the new
// limit allows: their next delivery is the last.
func warnDeliveries(c ConfigChange, f ConfigFacts) []string {
	limit, err := strconv.ParseInt(strings.TrimSpace(c.Value.Raw()), 10, 16)
	if err != nil || c.Unset {
		return nil
	}
	var n int64
	for i := range f.Partitions {
		for b := range f.Partitions[i].State.Released() {
			if int64(b.Count) >= limit-1 {
				n += b.Len()
			}
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s waiting records have had %d deliveries or more: their next one is the last, and a release archives them.",
		FormatInt(n), limit-1)}
}

func warnReset(f ConfigFacts) []string {
	begun := 0
	for i := range f.Partitions {
		if f.Partitions[i].Start.IsKnown() {
			begun++
		}
	}
	if begun == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d share-partitions have a start offset: for them this changes nothing. O resets start offsets.",
		begun, len(f.Partitions))}
}

// warnings are the reasons why dead letters would be lost, each with its remedy.
func (d *DeadLetterFacts) warnings(topic Text) []string {
	var out []string
	if v, known := d.ShareVersion.Get(); known && v < 2 {
		out = append(out, fmt.Sprintf("share.version is %d: below 2 nothing is written to dead-letter topics. "+
			"Raise it: kafka-features.sh upgrade --feature share.version=2.", v))
	}
	if d.PrefixKnown && !strings.HasPrefix(topic.Raw(), d.Prefix) {
		out = append(out, fmt.Sprintf("The name lacks the cluster's prefix %q: dead letters would be lost. Name it %s%s.",
			Sanitize(d.Prefix), Sanitize(d.Prefix), topic))
	}
	switch {
	case d.ExistsKnown && !d.Exists && d.AutoCreateKnown && !d.AutoCreate:
		out = append(out, fmt.Sprintf("Topic %s does not exist and brokers may not create it: dead letters would be lost. "+
			"Create it with errors.deadletterqueue.group.enable=true.", topic))
	case d.ExistsKnown && d.Exists && d.EnabledKnown && !d.Enabled:
		out = append(out, fmt.Sprintf("Topic %s is no dead-letter topic: dead letters would be lost. "+
			"Set errors.deadletterqueue.group.enable=true on it.", topic))
	}
	return append(out, d.notChecked()...)
}

// notChecked says what could not be looked at.
func (d *DeadLetterFacts) notChecked() []string {
	if d.ShareVersion.IsKnown() && d.PrefixKnown && d.ExistsKnown && (!d.Exists || d.EnabledKnown) && (d.Exists || d.AutoCreateKnown) {
		return nil
	}
	return []string{"Not all of what dead letters need could be checked: DESCRIBE_CONFIGS on the cluster or the topic may be missing."}
}
