package kafka

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/kafka/statetopic"
	"sharetop/model"
)

// transact writes one record to partition 0 of orders in a transaction of its own.
func transact(t *testing.T, c *kfake.Cluster, end kgo.TransactionEndTry) {
	t.Helper()
	tx := plainClient(t, c, kgo.TransactionalID("tx"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err := tx.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	r := &kgo.Record{Topic: "orders", Partition: 0, Value: []byte("x")}
	if err := tx.ProduceSync(t.Context(), r).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if err := tx.EndTransaction(t.Context(), end); err != nil {
		t.Fatal(err)
	}
}

// withMarkers makes a log with a record and a commit marker at 0 and 1, an aborted
// record and its marker at 2 and 3, and a record at 4. Groups begin at 0.
func withMarkers(t *testing.T, groups ...string) (*kfake.Cluster, *coordinator) {
	t.Helper()
	c := fakeCluster(t)
	transact(t, c, kgo.TryCommit)
	transact(t, c, kgo.TryAbort)
	produce(t, c, "orders", 1)
	place(t, c, "orders", 0, groups...)
	k := coordinate(t, c)
	for _, g := range groups {
		k.begin(g, "orders", 0)
	}
	return c, k
}

func archivedRange(first, last int64) statetopic.Batch {
	return statetopic.Batch{First: first, Last: last, State: statetopic.StateArchived, Count: 1}
}

// foundIn writes what was found of a group: "0 record, 1-3 none".
func foundIn(looks []model.ArchivedLook) string {
	words := map[model.ArchivedFound]string{
		model.FoundPending: "pending", model.FoundUnknown: "unknown", model.FoundNoRecord: "none", model.FoundRecord: "record",
	}
	parts := make([]string, len(looks))
	for i, l := range looks {
		parts[i] = fmt.Sprintf("%d-%d %s", l.First, l.Last, words[l.Found])
	}
	return strings.Join(parts, ", ")
}

func newestOf(s *model.Snapshot, group string) string {
	if g := s.Group(id(group)); g != nil && g.Archived != nil {
		return foundIn(g.Archived.Newest)
	}
	return ""
}

// Of offsets that are archived, those with a record are told from markers and, for a
// read_committed group, from aborted records; read-only too, and off the screen.
func TestArchivedOffsetsAreLookedAt(t *testing.T) {
	t.Parallel()
	c, k := withMarkers(t, "billing", "shipping")
	alterGroup(t, c, "shipping", keyIsolation, readCommitted)
	w := open(t, model.Connection{Bootstrap: c.ListenAddrs(), ReadOnly: true}, Options{})
	w.scope = model.Scope{Interval: model.MinInterval, Visible: []model.GroupID{id("shipping")}}
	w.until("the configs", func(s *model.Snapshot) bool {
		g := s.Group(id("shipping"))
		return isLive(s) && g != nil && g.Effective().IsolationLevel == readCommitted
	})
	k.settle("billing", "orders", archivedRange(0, 4))
	k.settle("shipping", "orders", archivedRange(0, 4))
	s := w.until("what is there", func(s *model.Snapshot) bool {
		return newestOf(s, "billing") == "0-0 record, 1-1 none, 2-2 record, 3-3 none, 4-4 record" &&
			newestOf(s, "shipping") == "0-0 record, 1-3 none, 4-4 record"
	})
	if g := s.Group(id("shipping")); g.Archived.RecordAt.IsZero() || g.Archived.Problem != nil || g.Archived.Standing != nil {
		t.Errorf("looks are %+v", g.Archived)
	}
	w.expectNoProblems()
}

// What nobody saw being archived is looked at while it is asked for; what the log
// does not have any more is not known.
func TestStandingArchivedOffsetsAreLookedAt(t *testing.T) {
	t.Parallel()
	c, k := withMarkers(t, "billing")
	k.settle("billing", "orders", archivedRange(0, 1), accepted(2, 2), archivedRange(3, 4))
	gone := kadm.Offsets{}
	gone.AddOffset("orders", 0, 1, -1)
	if _, err := kadm.NewClient(plainClient(t, c)).DeleteRecords(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	w := watch(t, c)
	w.live()
	if g := w.last.Group(id("billing")); g.Archived != nil {
		t.Errorf("looked at though nobody asked: %+v", g.Archived)
	}
	w.scope = model.Scope{Interval: model.MinInterval, Open: id("billing"), Archived: true}
	s := w.until("what is there", func(s *model.Snapshot) bool {
		g := s.Group(id("billing"))
		return g.Archived != nil && len(g.Archived.Standing) == 4
	})
	g := s.Group(id("billing"))
	if got := foundIn(g.Archived.Standing); got != "0-0 unknown, 1-1 none, 3-3 none, 4-4 record" {
		t.Errorf("found %s", got)
	}
	// What is archived while somebody looks at the list is never there without a word
	// of the look.
	produce(t, c, "orders", 1)
	k.settle("billing", "orders", archivedRange(5, 5))
	w.until("what was archived later", func(s *model.Snapshot) bool {
		newest := newestOf(s, "billing")
		if len(s.State.ArchivedOf(id("billing"))) > 0 && newest == "" {
			t.Error("an event is there without its look")
		}
		return newest == "5-5 record"
	})
	w.scope.Archived = false
	w.until("it forgotten", func(s *model.Snapshot) bool { return len(s.Group(id("billing")).Archived.Standing) == 0 })
}

// A single look at the cluster ends when what is archived has been looked at.
func TestArchivedOffsetsAreLookedAtOnce(t *testing.T) {
	t.Parallel()
	c, k := withMarkers(t, "billing")
	k.settle("billing", "orders", archivedRange(0, 1))
	w := watch(t, c)
	w.scope = model.Scope{Once: true, Open: id("billing"), Archived: true}
	s := w.until("the end", func(s *model.Snapshot) bool { return s.Offsets.Sweep.FirstDone })
	if g := s.Group(id("billing")); g.Archived == nil || foundIn(g.Archived.Standing) != "0-0 record, 1-1 none" {
		t.Errorf("looks are %+v, in %s", g.Archived, dump(s))
	}
}

// Without READ on the topic it is not known what is there, and that is said.
func TestArchivedOffsetsDenied(t *testing.T) {
	t.Parallel()
	c, k := withMarkers(t, "billing")
	forbid(c, kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: "orders", Err: kerr.TopicAuthorizationFailed})
	w := watch(t, c)
	w.live()
	k.settle("billing", "orders", archivedRange(1, 1))
	s := w.until("the refusal", func(s *model.Snapshot) bool { return newestOf(s, "billing") == "1-1 unknown" })
	if p := s.Group(id("billing")).Archived.Problem; p == nil || p.Kind != model.ProblemDenied || p.Advice == "" {
		t.Errorf("problem is %+v", p)
	}
	w.expectNoProblems()
}

func TestArchivedScanTells(t *testing.T) {
	t.Parallel()
	alternating := make([]int64, 0, archivedParts)
	for i := range int64(archivedParts) {
		alternating = append(alternating, 2*i+1)
	}
	for name, tt := range map[string]struct {
		scan        archivedScan
		first, last int64
		want        string
	}{
		"a marker":                 {archivedScan{at: 6}, 5, 5, "5-5 none"},
		"records":                  {archivedScan{at: 9, records: []int64{3, 5, 6, 7, 8}}, 5, 7, "5-7 record"},
		"a marker behind":          {archivedScan{at: 9, records: []int64{5, 6}}, 5, 7, "5-6 record, 7-7 none"},
		"a gap before":             {archivedScan{at: 9, records: []int64{7}}, 5, 7, "5-6 none, 7-7 record"},
		"partly deleted":           {archivedScan{at: 9, gone: 6, records: []int64{7}}, 5, 7, "5-5 unknown, 6-6 none, 7-7 record"},
		"all deleted":              {archivedScan{at: 9, gone: 9}, 5, 7, "5-7 unknown"},
		"longer than the look":     {archivedScan{at: 7, records: []int64{5}}, 5, 9, "5-5 record, 6-6 none, 7-9 unknown"},
		"up to the end of numbers": {archivedScan{at: 7, records: []int64{5, 6}}, 5, 1<<63 - 2, "5-6 record, 7-9223372036854775806 unknown"},
	} {
		if got := foundIn(tt.scan.tell(headKey{}, offsetRange{tt.first, tt.last})); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
	many := archivedScan{at: 1000, records: alternating}
	looks := many.tell(headKey{}, offsetRange{0, 500})
	if last := looks[len(looks)-1]; len(looks) > archivedParts || last.Last != 500 || last.Found != model.FoundUnknown {
		t.Errorf("%d parts: %s", len(looks), foundIn(looks))
	}
}
