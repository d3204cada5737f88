package kafka

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// What was asked for only since a group was open, and comes when another is: it
// would stay for ever, since nothing drops it again.
func TestLateAnswersForAGroupThatWasLeftAreDropped(t *testing.T) {
	t.Parallel()
	s, _ := stateAt(t)
	s.mergeList(1, []listedGroup{{"billing", "Empty"}, {"shipping", "Empty"}}, 0)
	configs := kmsg.NewDescribeConfigsResponseResource()
	configs.ResourceType, configs.ResourceName = kmsg.ConfigResourceTypeGroupConfig, "billing"
	s.setOpen("", "billing")
	s.mergeConfigs(&kmsg.DescribeConfigsResponse{Resources: []kmsg.DescribeConfigsResponseResource{configs}})
	if snapshotOf(s).Group(id("billing")).Configs == nil {
		t.Error("the open group has no configs")
	}
	s.setOpen("billing", "shipping")
	s.mergeConfigs(&kmsg.DescribeConfigsResponse{Resources: []kmsg.DescribeConfigsResponseResource{configs}})
	if snapshotOf(s).Group(id("billing")).Configs != nil {
		t.Error("the group that was left has configs")
	}

	described := kmsg.NewShareGroupDescribeResponseGroup()
	described.GroupID, described.GroupState = "unlisted", "Empty"
	s.setOpen("shipping", "unlisted")
	s.mergeDescription(1, &described)
	if snapshotOf(s).Group(id("unlisted")) == nil {
		t.Error("the open group is not there, though it was described")
	}
	s.setOpen("unlisted", "")
	s.mergeDescription(1, &described)
	s.openGone("nope", "")
	s.openFailed("nope", kerr.GroupAuthorizationFailed.Code, "")
	if made := snapshotOf(s); made.Group(id("unlisted")) != nil || len(made.Problems) > 0 {
		t.Errorf("a late answer has left %s", dump(made))
	}
}
