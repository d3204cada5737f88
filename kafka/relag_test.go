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
