package model

import (
	"fmt"
	"strconv"
	"strings"
)

// Bounds of a scope that is typed.
const (
	// maxScopeTopics is the most topics, maxScopePartitions the most partitions
	// that are named one by one.
	maxScopeTopics     = 100
	maxScopePartitions = 10_000
)

// ParseScope reads what a reset is about as a person types it: topics parted by
// commas or blanks, each with all its partitions, or with some of them as Kafka's
// own command takes them, "orders:0,1,2". Nothing stands for all that the group
// has. The error is a sentence.
func ParseScope(text string) (ResetScope, error) {
	var s ResetScope
	for word := range strings.FieldsSeq(text) {
		// A number after "topic:0," is a partition of that topic; elsewhere it is a
		// topic's name.
		topic := ""
		for piece := range strings.SplitSeq(word, ",") {
			number := piece
			if name, first, found := strings.Cut(piece, ":"); found {
				if name == "" {
					return ResetScope{}, fmt.Errorf("%q names no topic before the colon", Sanitize(piece))
				}
				topic, number = name, first
			}
			if err := addToScope(&s, topic, number); err != nil {
				return ResetScope{}, err
			}
		}
	}
	if len(s.Topics) > maxScopeTopics || len(s.Partitions) > maxScopePartitions {
		return ResetScope{}, fmt.Errorf("that is more than %d topics, or %d partitions", maxScopeTopics, maxScopePartitions)
	}
	return s, nil
}

// addToScope takes in a topic, or a partition of the topic that is named before it.
func addToScope(s *ResetScope, topic, text string) error {
	switch partition, err := strconv.ParseInt(text, 10, 32); {
	case topic == "" && text != "":
		s.Topics = append(s.Topics, NewTopicName(text))
	case topic == "":
	case err != nil || partition < 0:
		return fmt.Errorf("%q is no partition of %s: write %s:0,1,2", Sanitize(text), NewTopicName(topic), NewTopicName(topic))
	default:
		s.Partitions = append(s.Partitions, TopicPartition{NewTopicName(topic), int32(partition)})
	}
	return nil
}
