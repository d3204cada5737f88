package kafka

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/kafka/statetopic"
	"sharetop/model"
)

// A topic that the cluster does not name is no topic without records: what the
// state topic has of it is told to be missing.
func TestStateOfATopicThatMayNotBeSeen(t *testing.T) {
	t.Parallel()
	c, k := withState(t, "billing")
	k.ids["secret"] = model.TopicID{1, 2, 3}
	k.begin("billing", "secret", 0)
	w := watch(t, c)
	s := w.until("the hidden topic", func(s *model.Snapshot) bool {
		return isLive(s) && problem(s, model.ProblemHidden, "3 partitions in 1 topic") != nil
	})
	g := s.Group(id("billing"))
	if len(g.Partitions) != 3 || len(g.Problems) != 1 || !strings.Contains(g.Problems[0].Advice, "DESCRIBE") {
		t.Errorf("billing is %+v", g)
	}
	for p := range int32(3) {
		share := k.key("billing", "secret", p)
		key, value := k.journal.Delete(share)
		k.write(share, key, value)
	}
	w.until("the cure", func(s *model.Snapshot) bool { return len(s.Group(id("billing")).Problems) == 0 })
}

// A topic that the state topic names for the first time is not left out of a group
// without a word: its lag is a part of the whole until the name is there.
func TestStateOfATopicWithoutANameIsPartial(t *testing.T) {
	t.Parallel()
	s, _ := stateAt(t)
	s.mergeList(1, []listedGroup{{"billing", "Empty"}}, 0)
	refunds := model.TopicID{7}
	parts := []statetopic.GroupPartition{{TopicID: refunds, Partition: 0, Err: errNoAnswerYet}}
	s.mergeStates("billing", parts)
	if g := snapshotOf(s).Group(id("billing")); g.Unnamed != 1 || len(g.Partitions) != 0 {
		t.Errorf("before its topic has a name, billing is %+v", g)
	}
	if !s.wantsNames() {
		t.Error("nobody asks for the topic")
	}
	meta := kmsg.NewMetadataResponseTopic()
	meta.Topic, meta.TopicID = kmsg.StringPtr("refunds"), refunds
	answer := kmsg.NewPtrMetadataResponse()
	answer.Topics = append(answer.Topics, meta)
	s.mergeNames([]model.TopicID{refunds}, answer)
	s.mergeStates("billing", parts)
	if g := snapshotOf(s).Group(id("billing")); g.Unnamed != 0 || len(g.Partitions) != 1 {
		t.Errorf("billing is %+v", g)
	}
}
