package kafka

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// Where a broker has more groups than one request takes, those that count are
// described at every tick and the others in turn.
func TestManyGroupsAreDescribedInTurn(t *testing.T) {
	t.Parallel()
	c, err := Open(model.Connection{Bootstrap: []string{"127.0.0.1:1"}}, Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	listed := make([]listedGroup, 3*describeChunk-100)
	for i := range listed {
		listed[i] = listedGroup{fmt.Sprintf("group-%04d", i), "Empty"}
	}
	c.state.mergeList(1, listed, 0)
	nd := &node{id: 1}
	if got := c.dueDescriptions(nd); len(got) != len(listed) {
		t.Fatalf("%d of %d groups are described at first", len(got), len(listed))
	}
	for _, g := range listed {
		c.state.mergeDescription(1, &kmsg.ShareGroupDescribeResponseGroup{GroupID: g.id, GroupState: "Empty"})
	}
	nd.describedTo = ""
	visible, restated := listed[7].id, listed[9].id
	c.demand.wanted = model.Scope{Visible: []model.GroupID{model.NewGroupID(visible)}}
	seen := make(map[string]int)
	for tick := range 3 {
		if tick == 2 {
			listed[9].state = "Stable"
			c.state.mergeList(1, listed, 0)
		}
		got := c.dueDescriptions(nd)
		if len(got) > describeChunk+2 || !slices.Contains(got, visible) || slices.Contains(got, restated) == (tick == 1) {
			t.Errorf("tick %d: %d groups, visible %v, restated %v", tick, len(got),
				slices.Contains(got, visible), slices.Contains(got, restated))
		}
		for _, id := range got {
			seen[id]++
		}
	}
	if len(seen) != len(listed) {
		t.Errorf("%d of %d groups were described in three ticks", len(seen), len(listed))
	}
}

// However fast the first broker answers and however slow we are, the first sweep
// is over only when all brokers were asked, and waits for all their log ends: so
// all are known before anything can be asked.
func TestAllBrokersAreExpectedBeforeOneIsAsked(t *testing.T) {
	t.Parallel()
	c, err := Open(model.Connection{Bootstrap: []string{"127.0.0.1:1"}}, Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	resp := brokersNamed(3)
	synced := make(chan struct{})
	c.schedule.mu.Lock() // nothing can start
	go func() {
		defer close(synced)
		c.syncNodes(resp)
	}()
	known := func() bool {
		c.state.mu.Lock()
		defer c.state.mu.Unlock()
		return len(c.state.listings) == 3 && len(c.nodes.censuses()) == 3 && len(c.nodes.logJobs()) == 3
	}
	for deadline := time.Now().Add(patienceOfTests); !known(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Error("a broker may be asked before all are expected")
			break
		}
	}
	c.schedule.mu.Unlock()
	<-synced
}

// brokersNamed is metadata of so many brokers.
func brokersNamed(n int32) *kmsg.MetadataResponse {
	resp := kmsg.NewPtrMetadataResponse()
	for id := range n {
		b := kmsg.NewMetadataResponseBroker()
		b.NodeID, b.Host, b.Port = id, "127.0.0.1", 1
		resp.Brokers = append(resp.Brokers, b)
	}
	return resp
}
