package kafka

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// changing is a Changer on a fake cluster, with what it writes down.
type changing struct {
	t *testing.T
	*Changer
	cluster *kfake.Cluster
	book    *logbook
	dir     string
}

func changes(t *testing.T, c *kfake.Cluster) *changing {
	t.Helper()
	ch := &changing{t: t, cluster: c, book: &logbook{}, dir: t.TempDir()}
	ch.Changer = sessionClient(t, c, Options{}).Changes(ChangeOptions{
		Audit: ch.book, Who: "me@here",
		SaveUndo: func(_ model.GroupID, csv []byte) (string, error) {
			path := filepath.Join(ch.dir, "undo.csv")
			return path, os.WriteFile(path, csv, 0o600)
		},
	})
	return ch
}

// planned is a cluster of so many brokers with the plan of a reset on it: the group
// "billing" is at 8 of 10 records in each of the 3 partitions of "orders", and is to
// go back to 3.
func planned(t *testing.T, brokers int) (*changing, *model.Plan) {
	t.Helper()
	c := fakeCluster(t, kfakeBrokers(brokers))
	produce(t, c, "orders", 10)
	place(t, c, "orders", 8, "billing")
	ch := changes(t, c)
	return ch, ch.plan("billing", toOffset(3))
}

func (ch *changing) plan(group string, target model.ResetTarget, topics ...string) *model.Plan {
	ch.t.Helper()
	r := model.LookRequest{Group: model.NewGroupID(group), Target: target}
	for _, topic := range topics {
		r.Scope.Topics = append(r.Scope.Topics, model.NewTopicName(topic))
	}
	look, err := ch.Look(ch.t.Context(), r)
	if err != nil {
		ch.t.Fatal(err)
	}
	return model.MakePlan(look, r.Scope, target)
}

func (ch *changing) reset(p *model.Plan) *model.ResetResult {
	ch.t.Helper()
	r, err := ch.Reset(ch.t.Context(), p)
	if err != nil {
		ch.t.Fatal(err)
	}
	return r
}

func toOffset(n int64) model.ResetTarget { return model.ResetTarget{Kind: model.ToOffset, Offset: n} }

func TestResetWritesThePlanAndItsUndo(t *testing.T) {
	t.Parallel()
	ch, p := planned(t, 2)
	if got := p.Totals(); got.Written != 3 || got.Again.String() != "15" {
		t.Errorf("the plan's totals are %+v", got)
	}
	r := ch.reset(p)
	if r.Written() != 3 || r.Trouble != "" || len(r.Moved) > 0 {
		t.Errorf("result %+v", r)
	}
	if start, lag := startAndLag(t, ch.cluster, "billing"); start != 9 || lag != 21 {
		t.Errorf("start %d lag %d, want 9 and 21", start, lag)
	}
	undo, err := os.ReadFile(r.UndoPath.Raw())
	if err != nil || string(undo) != "orders,0,8\norders,1,8\norders,2,8\n" {
		t.Errorf("undo file %q, %v", undo, err)
	}
	if ch.book.of("reset", "sending") != 3 || ch.book.of("reset", "done") != 3 {
		t.Errorf("audit file: %+v", ch.book.entries)
	}
	if e := ch.book.entries[0]; e.Change.Old.Raw() != "8" || e.Change.New.Raw() != "3" {
		t.Errorf("audit entry %+v", e.Change)
	}
	if r = ch.reset(ch.plan("billing", p.UndoTarget(r.UndoPath))); r.Written() != 3 {
		t.Errorf("the undo: %+v", r)
	}
	if start, _ := startAndLag(t, ch.cluster, "billing"); start != 24 {
		t.Errorf("start %d after the undo, want 24", start)
	}
}

func TestResetMakesAGroup(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	produce(t, c, "refunds", 4)
	ch := changes(t, c)
	p := ch.plan("brand-new", model.ResetTarget{Kind: model.ToLatest}, "refunds")
	if p.Look.Exists || p.Totals().NoUndo != 3 {
		t.Errorf("plan %+v", p.Totals())
	}
	if r := ch.reset(p); r.Written() != 3 || !r.UndoPath.Empty() {
		t.Errorf("result %+v", r)
	}
}

func TestResetWritesNothingWhenSomethingMoved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		move func(*testing.T, *kfake.Cluster)
		says string
	}{
		{"start offset", func(t *testing.T, c *kfake.Cluster) { place(t, c, "orders", 5, "billing") }, "was 8 and is 5"},
		{"member", func(t *testing.T, c *kfake.Cluster) { join(t, c, "billing", "orders") }, "packer-1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ch, p := planned(t, 3)
			c.move(t, ch.cluster)
			sent := count(ch.cluster)
			r := ch.reset(p)
			if !strings.Contains(strings.Join(r.Moved, " "), c.says) || r.Now == nil {
				t.Errorf("moved: %q", r.Moved)
			}
			if sent.of(kmsg.AlterShareGroupOffsets) != 0 || len(ch.book.entries) != 0 {
				t.Error("something was sent or written down")
			}
		})
	}
}

func TestResetIsReadOnly(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	place(t, c, "orders", 0, "billing")
	client, err := Open(model.Connection{Bootstrap: c.ListenAddrs(), ReadOnly: true}, Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	ch := client.Changes(ChangeOptions{Audit: &logbook{}})
	sent := count(c)
	id := model.NewGroupID("billing")
	_, resetErr := ch.Reset(t.Context(), &model.Plan{Group: id})
	_, deleteErr := ch.DeleteGroups(t.Context(), []model.GroupID{id})
	_, offsetsErr := ch.DeleteOffsets(t.Context(), id, model.NewTopicName("orders"))
	_, configErr := ch.ChangeConfig(t.Context(), model.ConfigChange{Group: id, Key: model.NewText(keyReset), Unset: true})
	for _, err := range []error{resetErr, deleteErr, offsetsErr, configErr} {
		var refused *ReadOnlyError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "read-only") {
			t.Errorf("%v is not refused as read-only", err)
		}
	}
	for _, k := range []kmsg.Key{
		kmsg.AlterShareGroupOffsets, kmsg.DeleteGroups, kmsg.DeleteShareGroupOffsets,
		kmsg.IncrementalAlterConfigs, kmsg.FindCoordinator,
	} {
		if sent.of(k) != 0 {
			t.Errorf("%s left in read-only mode", k.Name())
		}
	}
}

// A look is possible in read-only mode, whichever broker coordinates the group,
// and it is what it is without; nothing but reads leaves for it.
func TestLookIsReadOnly(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	produce(t, c, "orders", 10)
	groups := []string{"a", "b", "c", "d", "e"}
	place(t, c, "orders", 4, groups...)
	w := newWitness()
	client, err := Open(model.Connection{Bootstrap: c.ListenAddrs(), ReadOnly: true}, Options{Now: time.Now, Dial: w.dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	readOnly, free := client.Changes(ChangeOptions{}), changes(t, c)
	for _, group := range append(groups, "not-there") {
		r := model.LookRequest{Group: id(group), Target: toOffset(3)}
		got, err := readOnly.Look(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		want, err := free.Look(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got.At = want.At; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: in read-only mode\n%+v, else\n%+v", group, got, want)
		}
	}
	for key := range w.keys() {
		if _, read := readOnlyKeys()[key]; !read {
			t.Errorf("%s left in read-only mode", kmsg.NameForKey(key))
		}
	}
}

// Every broker refuses to describe a group that may not be seen, so none is known
// to be its coordinator.
func TestLookAtAForbiddenGroup(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	refuseDescriptions(c, kerr.GroupAuthorizationFailed.Code)
	client, err := Open(model.Connection{Bootstrap: c.ListenAddrs(), ReadOnly: true}, Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	_, err = client.Changes(ChangeOptions{}).Look(t.Context(), model.LookRequest{Group: id("billing")})
	if err == nil || !strings.Contains(err.Error(), "the coordinator of billing can't be found: DESCRIBE on the group is missing") {
		t.Errorf("%v", err)
	}
}

func TestNothingIsChangedWithoutAuditOrUndo(t *testing.T) {
	t.Parallel()
	ch, p := planned(t, 3)
	sent := count(ch.cluster)
	ch.options.SaveUndo = func(model.GroupID, []byte) (string, error) { return "", errors.New("disk full") }
	if _, err := ch.Reset(t.Context(), p); err == nil || !strings.Contains(err.Error(), "undo file can't be kept: disk full") {
		t.Errorf("without an undo file: %v", err)
	}
	ch.options.SaveUndo = func(model.GroupID, []byte) (string, error) { return "x", nil }
	ch.book.fail(errors.New("disk full"))
	if _, err := ch.Reset(t.Context(), p); err == nil || !strings.Contains(err.Error(), "audit file can't be written") {
		t.Errorf("without an audit file: %v", err)
	}
	results, err := ch.DeleteGroups(t.Context(), []model.GroupID{model.NewGroupID("billing")})
	if err != nil || !strings.Contains(results[0].Problem, "audit file") {
		t.Errorf("delete: %v, %v", results, err)
	}
	if sent.of(kmsg.AlterShareGroupOffsets)+sent.of(kmsg.DeleteGroups) != 0 {
		t.Error("something was sent")
	}
}

// A member that joins between the last look and the write is the broker's to
// refuse.
func TestResetErrorsOfTheWholeGroup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    *kerr.Error
		detail string
		advice string
	}{
		{kerr.NonEmptyGroup, "got a member in the meantime", "stop its members"},
		{kerr.GroupAuthorizationFailed, "READ on the group is missing", "--operation READ --group billing"},
		{kerr.NotCoordinator, "loading or moving", "try again"},
		{kerr.CoordinatorLoadInProgress, "loading or moving", "try again"},
		{kerr.CoordinatorNotAvailable, "loading or moving", "try again"},
		{kerr.GroupIDNotFound, "billing was not reset", "another type"},
		{kerr.InvalidGroupID, "broker says so", ""},
		{kerr.UnsupportedVersion, "billing was not reset", "share.version=1"},
		{kerr.TopicAuthorizationFailed, "billing was not reset", "READ on the topics"},
	} {
		t.Run(c.err.Message, func(t *testing.T) {
			t.Parallel()
			ch, p := planned(t, 1)
			n := 0
			control(ch.cluster, kmsg.AlterShareGroupOffsets, func(r kmsg.Request) kmsg.Response {
				n++
				resp := r.ResponseKind().(*kmsg.AlterShareGroupOffsetsResponse)
				resp.ErrorCode, resp.ErrorMessage = c.err.Code, kmsg.StringPtr("broker says so \x1b[2J")
				return resp
			})
			r := ch.reset(p)
			if !strings.Contains(r.Trouble, c.detail) || strings.ContainsRune(r.Trouble, 0x1b) {
				t.Errorf("trouble %q, want %q", r.Trouble, c.detail)
			}
			if r.Written() != 0 || r.Rows[0].Problem == "" || !strings.Contains(r.Rows[0].Advice, c.advice) {
				t.Errorf("row %+v, want advice %q", r.Rows[0], c.advice)
			}
			if n != 1 || ch.book.of("reset", "refused") != 3 {
				t.Errorf("sent %d times; audit file %+v", n, ch.book.entries)
			}
		})
	}
}

func TestResetErrorsOfOnePartition(t *testing.T) {
	t.Parallel()
	ch, p := planned(t, 1)
	control(ch.cluster, kmsg.AlterShareGroupOffsets, func(r kmsg.Request) kmsg.Response {
		resp := r.ResponseKind().(*kmsg.AlterShareGroupOffsetsResponse)
		topic := kmsg.NewAlterShareGroupOffsetsResponseTopic()
		topic.Topic = "orders"
		for n, code := range []int16{0, kerr.UnknownTopicOrPartition.Code} { // and nothing about partition 2
			part := kmsg.NewAlterShareGroupOffsetsResponseTopicPartition()
			part.Partition, part.ErrorCode, part.ErrorMessage = int32(n), code, kmsg.StringPtr("does not host")
			topic.Partitions = append(topic.Partitions, part)
		}
		resp.Topics = append(resp.Topics, topic)
		return resp
	})
	r := ch.reset(p)
	want := []string{"written, but reads back as 8", "does not host", "does not name it"}
	for i, w := range want {
		if got := r.Rows[i].Outcome(); !strings.Contains(got, w) {
			t.Errorf("partition %d: %q, want %q", i, got, w)
		}
	}
	if !strings.Contains(r.Rows[1].Advice, "new plan") || ch.book.of("reset", "unknown") != 1 || ch.book.of("reset", "refused") != 2 {
		t.Errorf("advice %q; audit %+v", r.Rows[1].Advice, ch.book.entries)
	}
}

// Kafka 4.1 takes the request, and its answer names nothing.
func TestResetThatABrokerDoesNotKnow(t *testing.T) {
	t.Parallel()
	ch, p := planned(t, 1)
	control(ch.cluster, kmsg.AlterShareGroupOffsets, func(r kmsg.Request) kmsg.Response { return r.ResponseKind() })
	for i, row := range ch.reset(p).Rows {
		if got := row.Outcome(); !strings.Contains(got, "Kafka 4.1 answers so and moves nothing") {
			t.Errorf("partition %d: %q", i, got)
		}
	}
}

// A change whose answer is lost is not sent again, and read back.
func TestResetWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	ch, p := planned(t, 1)
	n := 0
	ch.cluster.ControlKey(kmsg.AlterShareGroupOffsets.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		ch.cluster.KeepControl()
		n++
		return nil, net.ErrClosed, true // kfake closes the connection
	})
	r := ch.reset(p)
	if !strings.Contains(r.Trouble, "may have been made or not") || !strings.Contains(r.Rows[0].Problem, "no answer; reads back as 8") {
		t.Errorf("result %+v", r)
	}
	if n != 1 {
		t.Errorf("sent %d times", n)
	}
}

func TestLookSaysWhatCannotBeReset(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1))
	produce(t, c, "orders", 2)
	ch := changes(t, c)
	file := model.ResetTarget{Kind: model.ToFile, File: map[model.TopicPartition]int64{
		{Topic: model.NewTopicName("orders"), Partition: 0}:  1,
		{Topic: model.NewTopicName("orders"), Partition: 77}: 1,
		{Topic: model.NewTopicName("nowhere")}:               1,
	}}
	p := ch.plan("billing", file)
	var notes []string
	for _, r := range p.Rows {
		notes = append(notes, r.Topic.String()+": "+r.Note)
	}
	want := "nowhere: left out: the topic does not exist|orders: not read by the group so far|orders: left out: the topic has no such partition"
	if got := strings.Join(notes, "|"); got != want {
		t.Errorf("notes %s\nwant  %s", got, want)
	}
}

func TestLookAsksEachLeaderOnceForEachKind(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(3), kfake.SeedTopics(500, "wide"))
	ch := changes(t, c)
	sent := count(c)
	target := model.ResetTarget{Kind: model.ToTime, Time: time.Now()}
	p := ch.plan("billing", target, "wide")
	if len(p.Rows) != 500 || p.Totals().Written != 500 {
		t.Errorf("%d rows", len(p.Rows))
	}
	if n := sent.of(kmsg.ListOffsets); n != 9 {
		t.Errorf("%d ListOffsets requests for three leaders and three kinds", n)
	}
}
