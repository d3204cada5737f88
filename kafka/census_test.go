package kafka

import (
	"fmt"
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
	c.state.mergeList(1, listed)
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
			c.state.mergeList(1, listed)
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
