package kafka

import (
	"slices"
	"testing"
	"time"

	"sharetop/model"
)

// A broker that left is named though nobody asks it any more, until it is back.
func TestDepartedBrokerIsNamed(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(3))
	w := watch(t, c)
	w.until("three brokers", func(s *model.Snapshot) bool { return len(s.Cluster.Brokers) == 3 })
	if err := c.RemoveNode(2); err != nil {
		t.Fatal(err)
	}
	w.until("the broker that left, named", func(s *model.Snapshot) bool {
		return len(s.Cluster.Brokers) == 2 && problem(s, model.ProblemUnreachable, "Broker 2") != nil
	})
	if _, _, err := c.AddNode(2, 0); err != nil {
		t.Fatal(err)
	}
	w.until("nothing missing", func(s *model.Snapshot) bool {
		return len(s.Cluster.Brokers) == 3 && problem(s, model.ProblemUnreachable, "Broker 2") == nil
	})
}

// An answer that was on its way when its broker left does not take the name away.
func TestDepartedBrokerStaysNamed(t *testing.T) {
	t.Parallel()
	c, err := Open(model.Connection{Bootstrap: []string{"127.0.0.1:1"}}, Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.syncNodes(brokersNamed(3))
	nd := c.nodes.all()[2]
	c.syncNodes(brokersNamed(2))
	c.reached(nd)
	if made := snapshotOf(c.state); problem(made, model.ProblemUnreachable, "Broker 2") == nil {
		t.Errorf("the broker that left is not named: %s", dump(made))
	}
}

func TestDepartures(t *testing.T) {
	var d departures
	at := func(minutes int) time.Time { return time.Unix(0, 0).Add(time.Duration(minutes) * time.Minute) }
	two, three := &node{id: 2}, &node{id: 3}
	steps := []struct {
		minute  int
		went    []*node
		present []int32
		gone    []*node
		over    []int32
	}{
		{0, nil, []int32{1, 2, 3}, nil, nil},
		{1, []*node{two, three}, []int32{1, 3}, []*node{two}, nil}, // 3 only moved
		{5, nil, []int32{1, 3}, nil, nil},
		{11, nil, []int32{1, 3}, nil, []int32{2}},
		{12, nil, []int32{1, 3}, nil, nil},
		{13, []*node{three}, []int32{1}, []*node{three}, nil},
		{14, nil, []int32{1, 3}, nil, nil}, // back
		{40, nil, []int32{1}, nil, nil},
	}
	for _, step := range steps {
		present := map[int32]bool{}
		for _, id := range step.present {
			present[id] = true
		}
		gone, over := d.update(step.went, present, at(step.minute))
		if !slices.Equal(gone, step.gone) || !slices.Equal(over, step.over) {
			t.Errorf("minute %d: gone %v, over %v", step.minute, gone, over)
		}
	}
}
