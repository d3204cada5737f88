//go:build unix

// Package test has the tests that need a real Kafka, in one package so that
// never more than one version runs at a time.
package test

import (
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"sharetop/test/broker"
	"sharetop/test/judge"
	"sharetop/test/workload"
)

// stepTimeout bounds one step of a test: waiting for a snapshot that shows
// something, or for a workload. Most take a second or two.
const stepTimeout = 75 * time.Second

// cluster is a running cluster with all that a test needs to work on it.
type cluster struct {
	*broker.Cluster
	work  *workload.Client
	judge judge.Judge
}

// kafkaTest is one test that runs on every version's cluster. They share the
// cluster and keep apart by their topics and groups.
type kafkaTest struct {
	name string
	run  func(t *testing.T, c cluster)
}

// besideAll are the tests that do next to nothing but wait: they run while the
// others do, however many that are.
func besideAll() []kafkaTest {
	return []kafkaTest{{"StateWaits", testStateWaits}, {"SessionWaits", testSessionWaits}}
}

// besideEachOther are the tests that mind no other: most of their time they wait
// for locks, heartbeats and Kafka's own commands.
func besideEachOther() []kafkaTest {
	return []kafkaTest{
		{"BookNest", testBookNest},
		{"StateTopicEvents", testStateTopicEvents},
		{"StateTopicForbidden", testStateTopicForbidden},
		{"Forbidden", testForbidden},
		{"LeastRights", testLeastRights},
		{"Markers", testMarkers},
		{"ArchivedMarkers", testArchivedMarkers},
		{"PeekRecords", testPeekRecords},
		{"DeadLetters", testDeadLetters},
		{"Changes", testChanges},
		{"ChangeDrained", testChangeDrained},
		{"ChangeUndo", testChangeUndo},
		{"ChangeRefused", testChangeRefused},
		{"ChangeConfigAndDelete", testChangeConfigAndDelete},
		{"ChangeDryRun", testChangeDryRun},
		{"ChangesByKeys", testChangesByKeys},
		{"DeletedTopic", testDeletedTopic},
		{"AddedPartitions", testAddedPartitions},
		{"Session", testSession},
		{"Aborted", testAborted},
		{"BookNestByKeys", testBookNestByKeys},
	}
}

// oneByOne are the tests that look at the whole cluster or change how its brokers
// are configured, count what it is asked, or need its speed, in the order they run
// in; those that take the broker away come last.
func oneByOne() []kafkaTest {
	return []kafkaTest{
		{"StateTopic", testStateTopic},
		{"StateTopicUnderLoad", testStateTopicUnderLoad},
		{"BookNestOnScreen", testBookNestOnScreen},
		{"Once", testOnce},
		{"Metrics", testMetrics},
		{"Verbs", testVerbs},
		{"ChangeDeadLetters", testChangeDeadLetters},
		{"Requests", testRequests},
		{"ReadOnly", testReadOnly},
		{"Peek", testPeek},
		{"StateDecoded", testStateDecoded},
		{"SessionFrozen", testSessionFrozen},
		{"FrozenBroker", testFrozenBroker},
		{"KilledBroker", testKilledBroker},
		{"StateRestarted", testStateRestarted},
		{"SessionKilled", testSessionKilled},
	}
}

// width is how many tests run at a time where they mind no other.
const width = 3

// runBeside runs tests side by side, and those that only wait beside them. It
// returns when all are over.
func runBeside(t *testing.T, c cluster, waiting, tests []kafkaTest) {
	var workers sync.WaitGroup
	for _, test := range waiting {
		workers.Go(func() { t.Run(test.name, func(t *testing.T) { test.run(t, c) }) })
	}
	next := make(chan kafkaTest)
	for range width {
		workers.Go(func() {
			for test := range next {
				t.Run(test.name, func(t *testing.T) { test.run(t, c) })
			}
		})
	}
	for _, test := range tests {
		next <- test
	}
	close(next)
	workers.Wait()
}

// TestKafka runs every test on one broker per version, one version after the
// other: all of them in CI, else the newest.
func TestKafka(t *testing.T) {
	versions := []string{broker.Kafka44}
	if inCI() {
		versions = []string{broker.Kafka42, broker.Kafka43, broker.Kafka44}
	}
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			c := startKafka(t, broker.Options{Version: version, Users: users(), Props: map[string]string{
				"errors.deadletterqueue.auto.create.topics.enable": "true",
			}})
			runBeside(t, c, besideAll(), besideEachOther())
			for _, test := range oneByOne() {
				t.Run(test.name, func(t *testing.T) { test.run(t, c) })
			}
		})
	}
}

// startKafka starts a cluster that ends with the test. Where the machine can't,
// the test is skipped with what is missing; in CI it fails.
func startKafka(t *testing.T, options broker.Options) cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: no real Kafka is started; this test was not run")
	}
	started, err := broker.Start(t.Context(), options)
	if missing := new(broker.MissingError); errors.As(err, &missing) && !inCI() {
		t.Skipf("this test was not run: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeKafka(t, started) })
	work, err := workload.Open(started.Bootstrap())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(work.Close)
	return cluster{Cluster: started, work: work, judge: judge.New(started)}
}

// closeKafka ends a cluster; after a failure its logs stay and are named.
func closeKafka(t *testing.T, started *broker.Cluster) {
	if err := started.Close(t.Failed()); err != nil {
		t.Error(err)
	}
	if t.Failed() {
		t.Logf("Kafka's logs: %s", started.LogDir())
	}
}

// inCI is true where all versions are to be tested and nothing may be skipped.
func inCI() bool { return os.Getenv("CI") == "true" }

// must fails the test when a step of its set-up failed.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
