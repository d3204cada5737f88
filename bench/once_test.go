//go:build unix

package bench

import (
	"fmt"
	"testing"
)

// rounds is how often each command runs. Those of some ten milliseconds run more
// often, and Kafka's, which takes seconds, less.
const (
	rounds      = 9
	shortRounds = 41
	kafkaRounds = 3
)

// BenchmarkOnce is one printout of 1,000 groups, in two data sets, against the
// floor and Kafka's own command.
func BenchmarkOnce(b *testing.B) {
	b.Run("1000-groups-1-topic", func(b *testing.B) {
		k := startBench(b)
		k.topic(b, "jobs", 3)
		k.groups(b, 0, 1000, onJobs)
		b.Run("all", k.allGroups)
		b.Run("one", k.oneGroup)
	})
	b.Run("1000-groups-1000-topics", func(b *testing.B) {
		k := startBench(b)
		topic := func(i int) string { return fmt.Sprintf("topic-%04d", i) }
		for i := range 1000 {
			k.topic(b, topic(i), 3)
		}
		k.groups(b, 0, 1000, topic)
		b.Run("all", k.allGroups)
		b.Run("one", k.oneGroup)
	})
}

func (k *kafkaBench) allGroups(b *testing.B) {
	compete(b,
		contender{"requests", k.sharetopOnce("--offsets-from", "requests"), rounds},
		contender{"floor", []string{k.floor, k.Bootstrap()[0]}, rounds},
		contender{"statetopic", k.sharetopOnce("--offsets-from", "state-topic"), rounds},
		contender{"kafka", k.kafkaDescribe("--describe", "--all-groups"), kafkaRounds},
	)
}

func (k *kafkaBench) oneGroup(b *testing.B) {
	compete(b,
		contender{"requests", k.sharetopOnce("--group", groupName(7), "--offsets-from", "requests"), shortRounds},
		contender{"floor", []string{k.floor, k.Bootstrap()[0], groupName(7)}, shortRounds},
		contender{"auto", k.sharetopOnce("--group", groupName(7)), shortRounds},
		contender{"statetopic", k.sharetopOnce("--group", groupName(7), "--offsets-from", "state-topic"), shortRounds},
		contender{"kafka", k.kafkaDescribe("--describe", "--group", groupName(7)), kafkaRounds},
	)
}

// BenchmarkVersion is the program's start alone.
func BenchmarkVersion(b *testing.B) {
	compete(b, contender{"sharetop", []string{buildPrograms(b).sharetop, "--version"}, shortRounds})
}
