package kafka

import (
	"slices"
	"testing"

	"sharetop/model"
)

func TestWatchShowsGroupsMembersAndOffsets(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(3))
	produce(t, c, "orders", 20)
	place(t, c, "orders", 5, "billing", "shipping")
	join(t, c, "shipping", "orders")

	w := watch(t, c)
	w.done()
	w.expectNoProblems()
	s := w.last
	if got := ids(s); !slices.Equal(got, []string{"billing", "shipping"}) {
		t.Fatalf("groups %q", got)
	}
	billing := s.Group(model.NewGroupID("billing"))
	if billing.State != model.GroupEmpty || len(billing.Members) != 0 || billing.Described.IsZero() {
		t.Errorf("billing is %+v", billing)
	}
	if len(billing.Partitions) != 3 {
		t.Fatalf("billing has %d partitions", len(billing.Partitions))
	}
	p := billing.Partitions[1]
	if p.Topic.Raw() != "orders" || p.Partition != 1 || p.Start != model.Known(5) || p.Lag != model.Known(15) {
		t.Errorf("partition is %+v", p)
	}
	log := s.Log(p.Topic, 1)
	if log.End != model.Known(20) || log.LogStart != model.Known(0) || !log.Asked || log.Leader < 0 {
		t.Errorf("log is %+v", log)
	}
	shipping := s.Group(model.NewGroupID("shipping"))
	if shipping.State != model.GroupStable || len(shipping.Members) != 1 {
		t.Fatalf("shipping is %+v", shipping)
	}
	m := shipping.Members[0]
	if m.ClientID.Raw() != "packer-1" || m.Host.Raw() == "" || m.Host.Raw()[0] == '/' ||
		len(m.Subscribed) != 1 || len(m.Assignment) != 1 || len(m.Assignment[0].Partitions) != 3 {
		t.Errorf("member is %+v", m)
	}
	if s.Cluster.ID.Empty() || len(s.Cluster.Brokers) != 3 || s.Cluster.ShareGroups != model.ShareFull ||
		s.Cluster.ShareVersion != model.Known(2) {
		t.Errorf("cluster is %+v", s.Cluster)
	}
	for _, b := range s.Cluster.Brokers {
		if !b.Reachable {
			t.Errorf("broker %d is not reachable", b.ID)
		}
	}
	if sweep := s.Offsets.Sweep; sweep.Round < 1 || sweep.Took <= 0 || sweep.Total != 2 {
		t.Errorf("sweep is %+v", sweep)
	}
}
