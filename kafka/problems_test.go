package kafka

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

func id(s string) model.GroupID { return model.NewGroupID(s) }

// forbid answers a group or topic with an error until it is removed.
func forbid(c *kfake.Cluster, f kfake.Fault) *kfake.FaultHandle {
	f.Count = -1
	return c.Fault(f)
}

func TestOneForbiddenGroupHidesNoOther(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	groups := []string{"a", "b", "c", "d", "e"}
	place(t, c, "orders", 0, groups...)
	fault := forbid(c, kfake.Fault{
		Keys:  []kmsg.Key{kmsg.ShareGroupDescribe, kmsg.DescribeShareGroupOffsets},
		Group: "c", Err: kerr.GroupAuthorizationFailed,
	})
	w := watch(t, c)
	s := w.done()
	if got := ids(s); !slices.Equal(got, groups) {
		t.Fatalf("groups %q", got)
	}
	for _, g := range s.Groups {
		forbidden := g.ID == id("c")
		if (g.OffsetsAt.IsZero() || g.Described.IsZero()) != forbidden || (len(g.Problems) > 0) != forbidden {
			t.Errorf("%s: %+v", g.ID, g)
		}
	}
	p := problem(s, model.ProblemDenied, "state and members of c")
	if p == nil || p.Target.Raw() != "group c" || !strings.Contains(p.Advice, "--operation DESCRIBE --group c") {
		t.Errorf("problem is %+v in %s", p, dump(s))
	}
	if problem(s, model.ProblemDenied, "offsets of c") == nil {
		t.Errorf("offsets are not told: %s", dump(s))
	}

	fault.Remove()
	w.scope.Visible = []model.GroupID{id("c")}
	w.until("the cure", func(s *model.Snapshot) bool {
		g := s.Group(id("c"))
		return len(s.Problems) == 0 && len(g.Problems) == 0 && !g.OffsetsAt.IsZero() && !g.Described.IsZero()
	})
}

// Where the broker hides a whole group it does not say which topic is the
// reason, and neither do we.
func TestHiddenGroupNamesNoTopic(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	produce(t, c, "orders", 1)
	place(t, c, "orders", 0, "billing", "shipping")
	join(t, c, "billing", "orders")
	forbid(c, kfake.Fault{
		Keys:  []kmsg.Key{kmsg.ShareGroupDescribe},
		Topic: "orders", Err: kerr.TopicAuthorizationFailed,
	})
	s := watch(t, c).done()
	g := s.Group(id("billing"))
	if len(g.Problems) != 1 || g.Problems[0].Kind != model.ProblemDenied || g.Described != (model.Group{}.Described) {
		t.Fatalf("billing is %+v", g)
	}
	if text := g.Problems[0].Detail + g.Problems[0].Advice; strings.Contains(text, "orders") {
		t.Errorf("a topic is named: %s", text)
	}
	if g := s.Group(id("shipping")); len(g.Problems) > 0 || g.Described.IsZero() {
		t.Errorf("shipping is %+v", g)
	}
}

func TestBrokersThatAreDownOrSilentDelayNobody(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfake.NumBrokers(3))
	var groups []string
	for _, r := range "abcdefghijklmnop" {
		groups = append(groups, "group-"+string(r))
	}
	place(t, c, "orders", 0, groups...)
	all := watch(t, c).done()
	at := make(map[int32]int)
	for _, g := range all.Groups {
		at[g.Coordinator]++
	}
	if len(at) != 3 {
		t.Fatalf("groups are at %v", at)
	}

	addrs := c.ListenAddrs()
	w := newWitness()
	w.redirect[addrs[1]] = "127.0.0.1:1" // refuses
	w.redirect[addrs[2]] = silentBroker(t)
	client := open(t, model.Connection{Bootstrap: []string{addrs[1], addrs[2], addrs[0]}}, Options{Dial: w.dial})
	s := client.until("the groups that can be seen and both gaps", func(s *model.Snapshot) bool {
		return len(s.Groups) == at[0] && problem(s, model.ProblemUnreachable, "refuses connections") != nil &&
			problem(s, model.ProblemUnreachable, "has not answered yet") != nil
	})
	// That the silent broker is named before its timeout shows that nothing
	// waited for it.
	for _, p := range s.Problems {
		if p.Kind == model.ProblemUnreachable && (p.Target.Raw() != "broker 1" && p.Target.Raw() != "broker 2") {
			t.Errorf("problem is %+v", p)
		}
	}
	for _, b := range s.Cluster.Brokers {
		if b.Reachable != (b.ID == 0) {
			t.Errorf("broker %d: reachable %t", b.ID, b.Reachable)
		}
	}
	client.until("the others' offsets", func(s *model.Snapshot) bool {
		return !slices.ContainsFunc(s.Groups, func(g *model.Group) bool { return g.OffsetsAt.IsZero() })
	})
	client.done()
}

// A broker that dies keeps what was last seen of its groups, dated and told;
// when it is back so are they, without any help.
func TestBrokerThatDiesAndComesBack(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfake.NumBrokers(2))
	var groups []string
	for _, r := range "abcdefghij" {
		groups = append(groups, "group-"+string(r))
	}
	place(t, c, "orders", 3, groups...)
	w := newWitness()
	client := open(t, model.Connection{Bootstrap: c.ListenAddrs()}, Options{Dial: w.dial})
	client.scope.Interval = model.MinInterval
	before := client.done()

	addr := c.ListenAddrs()[1]
	w.kill(addr)
	s := client.until("the problem", func(s *model.Snapshot) bool {
		p := problem(s, model.ProblemUnreachable, "refuses connections")
		return p != nil && p.Target.Raw() == "broker 1"
	})
	if !slices.Equal(ids(s), ids(before)) {
		t.Errorf("groups %q", ids(s))
	}
	for _, g := range s.Groups {
		if len(g.Partitions) != 3 || g.Described.IsZero() {
			t.Errorf("what was known of %s is lost: %+v", g.ID, g)
		}
	}
	w.revive(addr)
	client.until("the cure", func(s *model.Snapshot) bool {
		return len(s.Problems) == 0 && !slices.ContainsFunc(s.Cluster.Brokers, func(b model.Broker) bool { return !b.Reachable })
	})
}

// Partitions that are answered with an error are told once for their group.
func TestPartitionsWithoutOffsetsAreTold(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	place(t, c, "orders", 0, "billing")
	forbid(c, kfake.Fault{
		Keys:  []kmsg.Key{kmsg.DescribeShareGroupOffsets},
		Topic: "orders", Partitions: []int32{1, 2}, Err: kerr.UnknownServerError,
	})
	s := watch(t, c).done()
	g := s.Group(id("billing"))
	for i, p := range g.Partitions {
		if (p.Problem != nil) != (i > 0) || p.Start.IsKnown() != (i == 0) {
			t.Errorf("partition %d is %+v", i, p)
		}
	}
	if len(g.Problems) != 1 || !strings.Contains(g.Problems[0].Detail, "2 of 3 partitions") {
		t.Errorf("problems are %+v", g.Problems)
	}
}

func TestGroupProblemsSayWhatToDo(t *testing.T) {
	tests := []struct {
		code   int16
		kind   model.ProblemKind
		detail string
		advice string
	}{
		{kerr.GroupAuthorizationFailed.Code, model.ProblemDenied, "DESCRIBE on the group", "--group 'it'\\''s'"},
		{kerr.TopicAuthorizationFailed.Code, model.ProblemDenied, "does not say on which", "every topic"},
		{kerr.CoordinatorLoadInProgress.Code, model.ProblemLoading, "is loading", ""},
		{kerr.CoordinatorNotAvailable.Code, model.ProblemLoading, "not available", ""},
		{kerr.NotCoordinator.Code, model.ProblemLoading, "moving", ""},
		{kerr.GroupIDNotFound.Code, model.ProblemGone, "no share group", ""},
		{kerr.UnsupportedVersion.Code, model.ProblemFeature, "disabled", "share.version=1"},
		{kerr.UnknownServerError.Code, model.ProblemOther, "UNKNOWN_SERVER_ERROR (a\\e[31mb)", ""},
		{9999, model.ProblemOther, "error 9999", ""},
	}
	for _, test := range tests {
		p := groupProblem("it's", "offsets", test.code, "a\x1b[31mb")
		if p.Kind != test.kind || !strings.Contains(p.Detail, test.detail) || !strings.Contains(p.Advice, test.advice) ||
			(test.advice == "") != (p.Advice == "") {
			t.Errorf("%d: %+v", test.code, p)
		}
		if strings.ContainsRune(p.Detail+p.Advice, 0x1b) {
			t.Errorf("%d lets an escape through", test.code)
		}
		if !strings.HasSuffix(p.Detail, ".") {
			t.Errorf("%d is no sentence: %q", test.code, p.Detail)
		}
	}
}

// Servers that never answer are told long before that counts as a failure.
func TestSilentServersAreToldAtOnceAndFailLater(t *testing.T) {
	t.Parallel()
	client := open(t, model.Connection{Bootstrap: []string{silentBroker(t)}}, Options{})
	s := client.until("the silence", func(s *model.Snapshot) bool { return len(s.Problems) > 0 })
	if p := s.Problems[0]; p.Target.Raw() != "bootstrap servers" || !strings.Contains(p.Detail, "has answered yet") {
		t.Errorf("problem is %+v", p)
	}
	client.until("the failure", func(s *model.Snapshot) bool {
		p := problem(s, model.ProblemUnreachable, "did not answer in time")
		return p != nil && p.Target.Raw() == "cluster" && len(s.Problems) == 1
	})
}

func TestNoBrokerAtAllIsOneProblem(t *testing.T) {
	t.Parallel()
	client := open(t, model.Connection{Bootstrap: []string{"127.0.0.1:1"}}, Options{})
	s := client.until("the problem", func(s *model.Snapshot) bool { return len(s.Problems) > 0 })
	p := s.Problems[0]
	if p.Kind != model.ProblemUnreachable || !strings.Contains(p.Detail, "127.0.0.1:1") || p.Advice == "" {
		t.Errorf("problem is %+v", p)
	}
	if !s.Answered.IsZero() {
		t.Errorf("nobody answered, but at %v", s.Answered)
	}
}

// A snapshot that tells of a new problem is no newer than the last answer.
func TestProblemsMakeNothingFresher(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfake.NumBrokers(1))
	place(t, c, "orders", 0, "billing")
	w := newWitness()
	client := open(t, model.Connection{Bootstrap: c.ListenAddrs()}, Options{Dial: w.dial})
	client.scope.Interval = model.MinInterval
	if s := client.done(); s.Answered.IsZero() || s.Answered.After(s.Taken) {
		t.Errorf("answered at %v, taken at %v", s.Answered, s.Taken)
	}
	w.kill(c.ListenAddrs()[0])
	last := client.until("the problem", func(s *model.Snapshot) bool {
		return problem(s, model.ProblemUnreachable, "refuses connections") != nil
	})
	// Answers that had come before the kill may be noted a moment after it.
	for n := range 100 {
		sentence := fmt.Sprintf("problem %d", n)
		client.client.state.report(problemKey{actionLimits, ""}, model.Problem{Kind: model.ProblemOther, Detail: sentence})
		next := client.until(sentence, func(s *model.Snapshot) bool { return problem(s, model.ProblemOther, sentence) != nil })
		if next.Taken.After(last.Taken) && next.Answered.Equal(last.Answered) {
			return
		}
		last = next
	}
	t.Errorf("nobody answers, and it is answered at %v in what was taken at %v", last.Answered, last.Taken)
}

func TestLoadingCoordinatorIsToldAndPasses(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfake.NumBrokers(1))
	place(t, c, "orders", 0, "billing")
	control(c, kmsg.ListGroups, loadingOnce())
	w := watch(t, c)
	s := w.until("the problem", func(s *model.Snapshot) bool { return problem(s, model.ProblemLoading, "loading") != nil })
	if p := problem(s, model.ProblemLoading, "loading"); p.Advice != "" {
		t.Errorf("only waiting helps, not %q", p.Advice)
	}
	w.until("the cure", func(s *model.Snapshot) bool { return len(s.Problems) == 0 && len(s.Groups) == 1 })
}

// loadingOnce answers the first list with COORDINATOR_LOAD_IN_PROGRESS.
func loadingOnce() func(kmsg.Request) kmsg.Response {
	first := true
	return func(r kmsg.Request) kmsg.Response {
		if !first {
			return nil
		}
		first = false
		resp := r.ResponseKind().(*kmsg.ListGroupsResponse)
		resp.ErrorCode = kerr.CoordinatorLoadInProgress.Code
		return resp
	}
}

func TestMovedCoordinatorIsFoundByListingAgain(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfake.NumBrokers(3))
	groups := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	place(t, c, "orders", 0, groups...)
	w := watch(t, c)
	before := w.done()
	c.RehashCoordinators()
	w.scope.Refresh++
	w.until("the new coordinators", func(s *model.Snapshot) bool {
		moved := false
		for i, g := range s.Groups {
			moved = moved || g.Coordinator != before.Groups[i].Coordinator
		}
		return moved && len(s.Problems) == 0 && len(s.Groups) == len(groups)
	})
}

// A group that two brokers list while its coordinator moves is there once.
func TestGroupListedTwiceIsThereOnce(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfake.NumBrokers(3))
	place(t, c, "orders", 0, "billing")
	control(c, kmsg.ListGroups, func(r kmsg.Request) kmsg.Response {
		resp := r.ResponseKind().(*kmsg.ListGroupsResponse)
		g := kmsg.NewListGroupsResponseGroup()
		g.Group, g.GroupType, g.GroupState = "billing", "share", "Empty"
		resp.Groups = append(resp.Groups, g)
		return resp
	})
	w := watch(t, c)
	s := w.until("offsets from the real coordinator", func(s *model.Snapshot) bool {
		g := s.Group(id("billing"))
		return g != nil && len(g.Partitions) == 3
	})
	if len(s.Groups) != 1 {
		t.Errorf("groups %q", ids(s))
	}
}

func TestUnreadableConfigsAreOneProblem(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	place(t, c, "orders", 0, "a", "b", "c")
	control(c, kmsg.DescribeConfigs, func(r kmsg.Request) kmsg.Response {
		resp := r.ResponseKind().(*kmsg.DescribeConfigsResponse)
		for _, asked := range r.(*kmsg.DescribeConfigsRequest).Resources {
			answer := kmsg.NewDescribeConfigsResponseResource()
			answer.ResourceType, answer.ResourceName = asked.ResourceType, asked.ResourceName
			if asked.ResourceName != "c" {
				answer.ErrorCode = kerr.GroupAuthorizationFailed.Code
			}
			resp.Resources = append(resp.Resources, answer)
		}
		return resp
	})
	s := watch(t, c).until("the problem", func(s *model.Snapshot) bool {
		return problem(s, model.ProblemDenied, "configs of 2 groups") != nil
	})
	p := problem(s, model.ProblemDenied, "configs of 2")
	if !p.Configs || !strings.Contains(p.Advice, "DESCRIBE_CONFIGS") || !strings.Contains(p.Detail, "defaults are assumed") {
		t.Errorf("problem is %+v", p)
	}
	if limits := problem(s, model.ProblemDenied, "allowed ranges"); limits == nil || !limits.Configs {
		t.Errorf("the broker's limits are not told: %s", dump(s))
	}
}
