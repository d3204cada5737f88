package kafka

import (
	"strings"
	"testing"

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
