//go:build unix

package test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"sharetop/model"
	"sharetop/test/broker"
)

// TestThreeBrokers takes one of three brokers away while groups of all three
// are watched: first it does not answer, then it is gone, then it is back.
func TestThreeBrokers(t *testing.T) {
	const topic = "three.jobs"
	c := startKafka(t, broker.Options{Nodes: 3, Props: map[string]string{
		"broker.session.timeout.ms": strconv.FormatInt(silence.Milliseconds(), 10),
	}})
	must(t, c.work.CreateTopic(t.Context(), topic, 3))
	var groups []string
	for i := range 12 {
		groups = append(groups, fmt.Sprintf("three-%02d", i))
		must(t, c.work.PlaceGroup(t.Context(), groups[i], topic, 0, 0, 0))
	}
	for partition := range int32(3) {
		must(t, c.work.Produce(t.Context(), topic, partition, 4))
	}
	const alone = "three.alone"
	_, err := c.work.Admin().CreateTopic(t.Context(), 3, 1, nil, alone)
	must(t, err)
	for partition := range int32(3) {
		must(t, c.work.Produce(t.Context(), alone, partition, 6))
	}
	must(t, c.work.PlaceGroup(t.Context(), alone, alone, 1, 1, 1))
	w := watch(t, c, groups...)
	board := w.until("the lag of all groups", func(b *model.Board) bool { return haveLag(b, groups, 12) })
	compareOffsets(t, c, w, groups...)
	const gone = 3 // not the controller
	if !coordinates(board, gone) || !coordinates(board, 1) {
		t.Fatalf("the groups are not spread over the brokers:\n%s", describe(board))
	}

	dead := stateLedBy(t, c, gone)
	must(t, c.Freeze(gone))
	t.Cleanup(func() { _ = c.Thaw(gone) })
	frozen := time.Now()
	behind := false // for as long as nobody else leads what the broker led
	w.onBoard = func(b *model.Board) {
		calmWhileSilent(t, c, b, gone, frozen, dead)
		behind = behind || b.Snapshot.Offsets.Tail.Phase == model.TailBehind
	}
	still := w.until("broker 3 named", brokerNamed)
	if !haveLag(still, groups, 12) {
		t.Errorf("what was last seen is gone while one broker is frozen:\n%s", describe(still))
	}
	w.until("the tail not known to be current", func(*model.Board) bool { return behind })
	w.until("the brokers that answer asked on", logsFresh(topic, time.Now()))
	must(t, c.Kill9(gone))
	w.until("its groups taken over by the others", func(b *model.Board) bool {
		return haveLag(b, groups, 12) && !coordinates(b, gone) && brokerNamed(b)
	})
	w.onBoard = nil
	w.untilFresh()
	leaderGone(t, changer(t, c), alone)
	must(t, c.Restart(t.Context(), gone))
	w.until("no problem any more", func(b *model.Board) bool {
		return haveLag(b, groups, 12) && len(b.Snapshot.Problems) == 0
	})
	silentStateLeader(t, c, w, groups)
}

// haveLag tells whether every group has this lag.
func haveLag(b *model.Board, groups []string, lag int64) bool {
	for _, group := range groups {
		if !hasLag(b, group, lag) {
			return false
		}
	}
	return true
}

// coordinates tells whether a broker is the coordinator of some group.
func coordinates(b *model.Board, id int32) bool {
	for _, g := range b.Snapshot.Groups {
		if g.Coordinator == id {
			return true
		}
	}
	return false
}

// brokerNamed tells whether broker 3 is named as not answering.
func brokerNamed(b *model.Board) bool {
	return problemOf(b, model.ProblemUnreachable, "broker 3") != nil
}

// logsFresh tells whether the log ends of all three partitions are younger than
// since, which they are once their leaders are brokers that answer. Offsets say
// nothing here: Kafka asks a partition's leader for its end to answer, and has
// waited more than 30 s for the frozen one.
func logsFresh(topic string, since time.Time) func(*model.Board) bool {
	return func(b *model.Board) bool {
		for partition := range int32(3) {
			if !b.Snapshot.Log(model.NewTopicName(topic), partition).EndAt.After(since) {
				return false
			}
		}
		return true
	}
}
