package kafka

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// billsTwoTopics makes the group billing read orders and refunds.
func billsTwoTopics(t *testing.T, c *kfake.Cluster) {
	t.Helper()
	for _, topic := range []string{"orders", "refunds"} {
		produce(t, c, topic, 1)
		place(t, c, topic, 0, "billing")
	}
}

// Topics that may not be described are left out of an answer in silence. One
// that a visible member reads is noticed and named.
func TestSilentlyMissingTopicIsNamed(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	billsTwoTopics(t, c)
	join(t, c, "billing", "orders", "refunds")
	fault := forbid(c, kfake.Fault{
		Keys:  []kmsg.Key{kmsg.DescribeShareGroupOffsets},
		Topic: "refunds", Err: kerr.TopicAuthorizationFailed,
	})
	w := watch(t, c)
	w.scope.Visible = []model.GroupID{id("billing")}
	s := w.until("the hidden topic", func(s *model.Snapshot) bool { return problem(s, model.ProblemHidden, "refunds") != nil })
	g := s.Group(id("billing"))
	if len(g.Problems) != 1 || g.Problems[0].Target.Raw() != "topic refunds" ||
		!strings.Contains(g.Problems[0].Advice, "DESCRIBE on topic refunds") {
		t.Errorf("problems are %+v", g.Problems)
	}
	fault.Remove()
	w.until("the cure", func(s *model.Snapshot) bool {
		return len(s.Problems) == 0 && len(s.Group(id("billing")).Problems) == 0
	})
}

// A topic that may not be described any more goes from the answers as silently
// as one that never could, with no member to name it.
func TestTopicThatMayNotBeSeenAnyMoreIsNamed(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	billsTwoTopics(t, c)
	w := watch(t, c)
	w.scope.Visible = []model.GroupID{id("billing")}
	w.done()
	fault := forbid(c, kfake.Fault{
		Keys:  []kmsg.Key{kmsg.DescribeShareGroupOffsets, kmsg.Metadata},
		Topic: "refunds", Err: kerr.TopicAuthorizationFailed,
	})
	w.until("the topic that was taken away", func(s *model.Snapshot) bool {
		g := s.Group(id("billing"))
		return problem(s, model.ProblemHidden, "refunds") != nil && len(g.Problems) == 1
	})
	fault.Remove()
	w.until("the cure", func(s *model.Snapshot) bool { return len(s.Group(id("billing")).Problems) == 0 })
}

// With Once there is no second look: the first answer has to tell.
func TestOnceNamesAMissingTopic(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	produce(t, c, "orders", 1)
	produce(t, c, "refunds", 1)
	place(t, c, "orders", 0, "billing")
	place(t, c, "refunds", 0, "billing")
	join(t, c, "billing", "orders", "refunds")
	forbid(c, kfake.Fault{
		Keys:  []kmsg.Key{kmsg.DescribeShareGroupOffsets, kmsg.Metadata},
		Topic: "refunds", Err: kerr.TopicAuthorizationFailed,
	})
	w := watch(t, c)
	w.scope.Once = true
	s := w.done()
	if problem(s, model.ProblemHidden, "refunds") == nil {
		t.Errorf("not named: %s", dump(s))
	}
}

func TestTopicDeletedUnderAGroupIsGone(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	place(t, c, "orders", 0, "billing")
	place(t, c, "refunds", 0, "billing")
	w := watch(t, c)
	w.scope.Visible = []model.GroupID{id("billing")}
	w.done()
	adm := kadm.NewClient(plainClient(t, c))
	if _, err := adm.DeleteTopics(t.Context(), "refunds"); err != nil {
		t.Fatal(err)
	}
	s := w.until("the gone topic", func(s *model.Snapshot) bool {
		topic := s.Topics[model.NewTopicName("refunds")]
		return topic != nil && topic.Gone && problem(s, model.ProblemGone, "refunds") != nil
	})
	if topic := s.Topics[model.NewTopicName("orders")]; topic == nil || topic.Gone || topic.Problem != nil {
		t.Errorf("orders is %+v", topic)
	}
}

// What became of a topic is told of the group that lost by it, whichever source
// its offsets come from and whichever answer comes first.
func TestTopicDeletedOrMadeAgainUnderAGroup(t *testing.T) {
	for _, source := range []model.OffsetsChoice{model.OffsetsByRequests, model.OffsetsByStateTopic} {
		for _, again := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s again %v", source, again), func(t *testing.T) {
				t.Parallel()
				c, k := withState(t, "billing")
				w := open(t, model.Connection{Bootstrap: c.ListenAddrs(), OffsetsFrom: source}, Options{})
				w.scope.Visible = []model.GroupID{id("billing")}
				w.until("its offsets", func(s *model.Snapshot) bool {
					g := s.Group(id("billing"))
					return g != nil && len(g.Partitions) == 3
				})
				for p := range int32(3) {
					key, value := k.journal.Delete(k.key("billing", "orders", p))
					k.write(k.key("billing", "orders", p), key, value)
				}
				adm := kadm.NewClient(plainClient(t, c))
				if _, err := adm.DeleteTopics(t.Context(), "orders"); err != nil {
					t.Fatal(err)
				}
				want := "topic orders"
				if again {
					want = "old topic orders"
					if _, err := adm.CreateTopic(t.Context(), 3, 1, nil, "orders"); err != nil {
						t.Fatal(err)
					}
				}
				w.until("what became of it", func(s *model.Snapshot) bool {
					g := s.Group(id("billing"))
					return g != nil && len(g.Problems) == 1 && g.Problems[0].Kind == model.ProblemGone &&
						g.Problems[0].Target.Raw() == want
				})
			})
		}
	}
}
