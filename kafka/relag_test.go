package kafka

import (
	"testing"
	"time"

	"sharetop/kafka/statetopic"
	"sharetop/model"
)

// A lag that was lifted to what its state has seen falls back with the first end
// that was sampled after the state, though that end has not moved; and only then
// are lags left alone.
func TestLagsAreReckonedUntilEndsAreNewerThanStates(t *testing.T) {
	s, c := stateAt(t)
	topic := model.TopicID{1}
	s.ids.learn(topic, "orders")
	s.mergeList(1, []listedGroup{{"billing", "Empty"}}, 0)
	sampled := func() {
		s.mergeLogs(logsOf([]logQuestion{{"orders", 0}}, 20), false, c.now())
		s.relag()
	}
	entry := s.wantTopic("orders")
	entry.wanted = c.now()
	entry.topic = &model.Topic{Name: entry.topic.Name, ID: topic, Partitions: []model.PartitionLog{{Asked: true, Leader: 1}}}
	sampled()
	c.advance(time.Second)
	state := model.NewPartitionState(model.StateParts{Start: 5, Finished: 0, Highest: 29, SeenMicros: c.now().UnixMicro()})
	s.mergeStates("billing", []statetopic.GroupPartition{{TopicID: topic, State: state}})
	lag := func() model.Number { return s.groups["billing"].group.Partitions[0].Lag }
	if lag() != model.Known(25) {
		t.Fatalf("the lag is %v before an end is sampled", lag().Or(-1))
	}
	c.advance(time.Second)
	sampled()
	if lag() != model.Known(15) || !s.relagged.After(s.statesAt) {
		t.Errorf("the lag is %v once it is, lags reckoned up to %s", lag().Or(-1), s.relagged)
	}
	before := s.groups["billing"].group
	c.advance(time.Second)
	sampled()
	if s.groups["billing"].group != before {
		t.Error("a group in which nothing changed lost its pointer")
	}
}

// The state topic takes over while no log end was sampled yet, and none may come:
// the lag that the broker told stays as long as the offsets are those it told it
// of, and gives way to the first that can be reckoned.
func TestToldLagStaysUntilAnEndIsSampled(t *testing.T) {
	topic := model.TopicID{1}
	state := func(start int64, finished int32) *model.PartitionState {
		return model.NewPartitionState(model.StateParts{Start: start, Finished: finished, Highest: -1})
	}
	tests := []struct {
		name   string
		states []*model.PartitionState
		want   model.Number
	}{
		{"nothing has moved", []*model.PartitionState{state(3, 0)}, model.Known(4)},
		{"read again", []*model.PartitionState{state(3, 1), state(3, 1)}, model.Known(4)},
		{"the start offset has moved", []*model.PartitionState{state(5, 0)}, model.Number{}},
		{"another is finished", []*model.PartitionState{state(3, 1), state(3, 2)}, model.Number{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, c := stateAt(t)
			s.ids.learn(topic, "orders")
			s.mergeList(1, []listedGroup{{"billing", "Empty"}}, 0)
			s.mergeOffsets(1, &GroupOffsets{Group: "billing", At: c.now(), partitions: []partitionOffsets{
				{topic: "orders", topicID: topic, start: 3, lag: 4, lagTold: true},
			}})
			row := func() model.SharePartition { return s.groups["billing"].group.Partitions[0] }
			for _, state := range tt.states {
				if !s.mergeStates("billing", []statetopic.GroupPartition{{TopicID: topic, State: state}}) {
					t.Fatal("nobody asks for the log end")
				}
			}
			s.relag()
			if got := row(); got.Lag != tt.want || got.LagEnd.IsKnown() || got.State == nil {
				t.Errorf("the lag is %v, reckoned from %v, want %v", got.Lag, got.LagEnd, tt.want)
			}
			entry := s.topics["orders"]
			entry.topic = &model.Topic{Name: entry.topic.Name, ID: topic, Partitions: []model.PartitionLog{{Asked: true, Leader: 1}}}
			c.advance(time.Second)
			s.mergeLogs(logsOf([]logQuestion{{"orders", 0}}, 20), false, c.now())
			s.relag()
			if got := row(); got.LagEnd != model.Known(20) {
				t.Errorf("once an end is sampled the lag is %v, reckoned from %v", got.Lag, got.LagEnd)
			}
		})
	}
}
