package kafka

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// A group that a person opens by id is asked of every broker.
func TestOpenedGroupThatIsNotListed(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfake.NumBrokers(3))
	place(t, c, "orders", 0, "billing", "secret")
	control(c, kmsg.ListGroups, func(r kmsg.Request) kmsg.Response { return r.ResponseKind() }) // lists nothing
	w := watch(t, c)
	w.scope.Open = id("secret")
	s := w.until("the group", func(s *model.Snapshot) bool {
		g := s.Group(id("secret"))
		return g != nil && !g.Described.IsZero() && len(g.Partitions) == 3
	})
	if len(s.Groups) != 1 {
		t.Errorf("groups %q", ids(s))
	}

	w.scope.Open = id("nope")
	s = w.until("the answer", func(s *model.Snapshot) bool { return problem(s, model.ProblemGone, "nope") != nil })
	if len(s.Groups) != 0 {
		t.Errorf("groups %q", ids(s))
	}
	w.scope.Open = model.GroupID{}
	w.until("no problem", func(s *model.Snapshot) bool { return len(s.Problems) == 0 })
}

func TestDeletedGroupGoes(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	place(t, c, "orders", 0, "billing", "shipping")
	w := watch(t, c)
	w.done()
	if _, err := kadm.NewClient(plainClient(t, c)).DeleteGroups(t.Context(), "billing"); err != nil {
		t.Fatal(err)
	}
	w.until("the list without it", func(s *model.Snapshot) bool { return slices.Equal(ids(s), []string{"shipping"}) })
}

// Whatever bytes a group id has, it is listed, described and answered as it is.
func TestOddGroupIDsStayWhatTheyAre(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfake.NumBrokers(3))
	odd := oddStrings(t)
	place(t, c, "orders", 2, odd...)
	s := watch(t, c).done()
	slices.Sort(odd)
	if got := ids(s); !slices.Equal(got, odd) {
		t.Fatalf("groups %q", got)
	}
	for _, raw := range odd {
		g := s.Group(id(raw))
		if len(g.Partitions) != 3 || g.Described.IsZero() || g.Partitions[0].Start != model.Known(2) {
			t.Errorf("%q is %+v", raw, g)
		}
	}
}

// oddStrings are the strings that broke other tools, as group ids.
func oddStrings(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/inputs_strings.json")
	if err != nil {
		t.Fatal(err)
	}
	var inputs []struct{ Kind, Base64 string }
	if err := json.Unmarshal(data, &inputs); err != nil {
		t.Fatal(err)
	}
	var odd []string
	for _, in := range inputs {
		raw, err := base64.StdEncoding.DecodeString(in.Base64)
		if err != nil {
			t.Fatal(err)
		}
		if in.Kind != "value" && len(raw) > 0 {
			odd = append(odd, string(raw))
		}
	}
	if len(odd) < 25 {
		t.Fatalf("only %d strings", len(odd))
	}
	return odd
}

func TestOnlyAsksForTheNamedGroups(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	produce(t, c, "orders", 3)
	place(t, c, "orders", 1, "a", "b", "c", "d")
	w := newWitness()
	client := open(t, model.Connection{Bootstrap: c.ListenAddrs()}, Options{Dial: w.dial})
	client.scope = model.Scope{Once: true, Only: true, Open: id("c")}
	s := client.done()
	if got := ids(s); !slices.Equal(got, []string{"c"}) {
		t.Fatalf("groups %q", got)
	}
	g := s.Group(id("c"))
	if g.Described.IsZero() || g.OffsetsAt.IsZero() || g.Settings == nil {
		t.Errorf("c is %+v", g)
	}
	if log := s.Log(g.Partitions[0].Topic, 0); log.End != model.Known(3) || log.LogStart != model.Known(0) {
		t.Errorf("log is %+v", log)
	}
}
