//go:build unix

package bench

import (
	"fmt"
	"testing"
	"time"

	"sharetop/bench/slowlink"
	"sharetop/test/broker"
	"sharetop/test/workload"
)

// oneWay is the delay of the slow link in each direction.
const oneWay = 50 * time.Millisecond

// bench is a running Kafka with what a benchmark needs to work on it.
type kafkaBench struct {
	*broker.Cluster
	programs
	work *workload.Client
	// slow is the address at which every byte takes longer, by oneWay unless the
	// benchmark asked for another delay.
	slow string
}

// startBench starts a real 4.4.0 with a slow link in front of its second
// listener. Its state topic has as many partitions as Kafka makes by itself: what
// is read for a single group depends on that.
func startBench(b *testing.B) *kafkaBench {
	b.Helper()
	return startBehind(b, oneWay)
}

// startBehind is startBench with another delay of the slow link.
func startBehind(b *testing.B, delay time.Duration) *kafkaBench {
	b.Helper()
	k := &kafkaBench{programs: buildPrograms(b)}
	var err error
	k.Cluster, err = broker.Start(b.Context(), broker.Options{
		Props: map[string]string{"share.coordinator.state.topic.num.partitions": "50"},
		Behind: func(target string) (string, error) {
			link, err := slowlink.New("127.0.0.1:0", target, delay)
			if err != nil {
				return "", err
			}
			b.Cleanup(link.Close)
			k.slow = link.Addr()
			return k.slow, nil
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := k.Close(b.Failed()); err != nil {
			b.Error(err)
		}
	})
	if k.work, err = workload.Open(k.Bootstrap()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(k.work.Close)
	return k
}

// records is how many records each partition of a benchmark's topic has.
const records = 50

// topic makes a topic with some records in each partition.
func (k *kafkaBench) topic(b *testing.B, name string, partitions int32) {
	b.Helper()
	if err := k.work.CreateTopic(b.Context(), name, partitions); err != nil {
		b.Fatal(err)
	}
	for p := range partitions {
		if err := k.work.Produce(b.Context(), name, p, records); err != nil {
			b.Fatal(err)
		}
	}
}

// groups places groups from..to-1 on a topic with three partitions, each at its
// own start offset.
func (k *kafkaBench) groups(b *testing.B, from, to int, topic func(int) string) {
	b.Helper()
	for i := from; i < to; i++ {
		start := int64(i % records)
		if err := k.work.PlaceGroup(b.Context(), groupName(i), topic(i), start, 0, records); err != nil {
			b.Fatal(err)
		}
	}
}

func groupName(i int) string { return fmt.Sprintf("group-%05d", i) }

// onJobs is the data set with all groups on one topic.
func onJobs(int) string { return "jobs" }

// sharetopOnce is the command line of one printout.
func (k *kafkaBench) sharetopOnce(args ...string) []string {
	return append([]string{k.sharetop, "--once", "-o", "json", "--bootstrap-server", k.Bootstrap()[0]}, args...)
}

// kafkaDescribe is Kafka's own command, started as its script starts it.
func (k *kafkaBench) kafkaDescribe(args ...string) []string {
	return k.ToolCommand(broker.ShareGroupCommand, append(k.BootstrapArgs(), args...)...)
}
