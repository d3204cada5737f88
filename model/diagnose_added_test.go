package model

import (
	"testing"
	"time"
)

// Partitions that are added to a topic are told of, and the lag is partial, from
// the metadata that has them until the group has begun them: brokers say nothing
// of them while nobody reads.
func TestPartitionsAddedUnderAnEmptyGroup(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 100})
	s.group("packers", 0, part("jobs", 0, 100, 0))
	s.look(0)
	s.want("packers", FindingCaughtUp, "caught up")

	s.topics["jobs"].Partitions = append(s.topics["jobs"].Partitions, PartitionLog{Leader: 1}, PartitionLog{Leader: 1})
	s.look(time.Second)
	s.want("packers", FindingAdded, "latest may skip 2 new partitions of jobs")
	if r := s.row("packers"); r.Lag != Known(0) || !r.LagPartial {
		t.Errorf("lag %+v, partial %v", r.Lag, r.LagPartial)
	}

	s.groups["packers"].Settings = &Settings{AutoOffsetReset: "earliest"}
	s.look(time.Second)
	s.want("packers", FindingNoneSettled, "2 new partitions of jobs not begun yet")

	s.groups["packers"].Partitions = append(s.groups["packers"].Partitions, part("jobs", 1, 0, 0), part("jobs", 2, 0, 0))
	s.look(time.Second)
	s.want("packers", FindingCaughtUp, "caught up")
	if s.row("packers").LagPartial {
		t.Error("the lag of all partitions is partial")
	}
}

// What the rows of an open group are judged by is what the group itself is.
func TestAddedPartitionsArePartOfEveryDiagnosis(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 100}, [2]int64{0, 7})
	s.group("packers", 0, part("jobs", 0, 100, 0))
	s.look(0)
	h := s.tracker.groups[0]
	in := h.diagnoseInput(h.facts(nil), s.tracker.clock, h.row, h.slope())
	if want := (AddedPartitions{NewTopicName("jobs"), 1, 2}); len(in.Added) != 1 || in.Added[0] != want {
		t.Errorf("added are %+v, want %+v", in.Added, want)
	}
}

// With members the brokers make the share-partitions by themselves, within a few
// seconds; a topic that is gone has none.
func TestPartitionsAreAddedToEmptyGroupsOnly(t *testing.T) {
	s := newScene(t, Rules{})
	s.topic("jobs", [2]int64{0, 100}, [2]int64{0, 7})
	s.group("packers", 1, part("jobs", 0, 100, 0))
	s.group("idle", 0, part("gone", 0, 100, 0))
	s.topic("gone", [2]int64{0, 100}, [2]int64{0, 7})
	s.topics["gone"].Gone = true
	s.look(0)
	s.want("packers", FindingCaughtUp, "caught up")
	if v := s.row("idle").Verdict; v.Finding != FindingTopicGone {
		t.Errorf("of a topic that is gone: %q", v.Text)
	}
}
