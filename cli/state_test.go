package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"sharetop/model"
)

// retried is a snapshot by the state topic: one record at the head has one
// delivery left, three were given up, two of them seen to be.
func retried(at time.Time) *model.Snapshot {
	g := seenGroup("a-packers", 100, 50, at)
	g.OffsetsFrom = model.FromStateTopic
	g.Settings = &model.Settings{DeliveryLimit: model.Known(5)}
	p := &g.Partitions[0]
	p.TopicID = model.TopicID{1, 2, 3}
	p.State = model.NewPartitionState(model.StateParts{Start: 50, Finished: 4, Highest: 62, Batches: model.Intervals{
		{First: 50, Last: 50, State: model.RecordReleased, Count: 4},
		{First: 51, Last: 51, State: model.RecordArchived, Count: 1},
		{First: 52, Last: 60, State: model.RecordReleased, Count: 1},
		{First: 61, Last: 61, State: model.RecordArchived, Count: 5},
		{First: 62, Last: 62, State: model.RecordArchiving, Count: 5},
	}})
	other := seenGroup(hostile, 100, 50, at)
	other.Partitions[0].State = model.NewPartitionState(model.StateParts{Start: 50, Finished: 0, Highest: 50, Batches: model.Intervals{
		{First: 50, Last: 50, State: model.RecordReleased, Count: 2},
	}})
	s := seenSnapshot(100, at, g, other)
	s.Offsets.Source, s.Offsets.Tail.Phase = model.FromStateTopic, model.TailLive
	s.State = &model.StateView{Since: at, Archived: []model.StateEvent{gaveUp(61, at), gaveUp(62, at.Add(time.Second))}}
	s.State.Archived[1].State = model.RecordArchiving
	return s
}

func gaveUp(offset int64, at time.Time) model.StateEvent {
	return model.StateEvent{
		Group: model.NewGroupID("a-packers"), Topic: model.NewTopicName("t"), TopicID: model.TopicID{1, 2, 3},
		RecordEvent: model.RecordEvent{
			Millis:     at.UnixMilli(),
			StateBatch: model.StateBatch{First: offset, Last: offset, State: model.RecordArchived, Count: 5},
			Before:     model.RecordReleased,
		},
	}
}

func TestStateTopicIsForced(t *testing.T) {
	for _, args := range [][]string{{"radar"}, {"archived", "a-packers"}} {
		w := newWorld()
		w.source.snapshots = []*model.Snapshot{retried(seenAt)}
		if code := w.main(t, append(args, "--bootstrap-server", "a:1")...); code != ExitOK {
			t.Fatalf("%v: exit %d, %s", args, code, w.stderr.String())
		}
		if got := w.opened[0]; got.OffsetsFrom != model.OffsetsByStateTopic || !got.ReadOnly {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

func TestStateVerbsFail(t *testing.T) {
	unread := retried(seenAt)
	unread.State = nil
	unread.Offsets.Tail.Phase = model.TailOff
	unread.Offsets.Why, unread.Offsets.Advice = "READ on the topic __share_group_state is missing", "grant READ on it"
	tests := []struct {
		name     string
		args     []string
		snapshot *model.Snapshot
		want     string
	}{
		{"not read", []string{"radar"}, unread, "which is not read: READ on the topic __share_group_state is missing; to fix it: grant READ"},
		{"by requests", []string{"radar", "--offsets-from", "requests"}, nil, "radar needs the state topic"},
		{"no group", []string{"archived"}, nil, "no share group was named"},
		{"two groups", []string{"archived", "a", "b"}, nil, "about one share group; 2 were named"},
		{"another group", []string{"archived", "x"}, retried(seenAt), "there is no share group x on this cluster"},
		{"an argument", []string{"radar", "a"}, nil, `radar takes flags only, not "a"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld()
			if tt.snapshot != nil {
				w.source.snapshots = []*model.Snapshot{tt.snapshot}
			}
			code := w.main(t, append(tt.args, "--bootstrap-server", "a:1")...)
			if code != ExitFailure || !strings.Contains(w.stderr.String(), tt.want) || w.stdout.Len() > 0 {
				t.Errorf("exit %d, %q, %q; want %q", code, w.stdout.String(), w.stderr.String(), tt.want)
			}
		})
	}
}

func TestNothingArchivedIsNotNothingLost(t *testing.T) {
	w := newWorld()
	s := retried(seenAt)
	s.State, s.Groups[0].Partitions[0].State = &model.StateView{Since: seenAt}, model.NewPartitionState(model.StateParts{Start: 50})
	w.source.snapshots = []*model.Snapshot{s}
	if code := w.main(t, "archived", "a-packers", "--bootstrap-server", "a:1"); code != ExitOK || w.stdout.Len() > 0 {
		t.Errorf("exit %d, %q", code, w.stdout.String())
	}
	if !strings.Contains(w.stderr.String(), "can't be told from accepted ones") {
		t.Errorf("stderr is %q", w.stderr.String())
	}
}

// What was looked at says whether a record is there; a run without one has none.
func TestArchivedSaysWhetherRecordsAreThere(t *testing.T) {
	w := newWorld()
	s := retried(seenAt)
	s.Groups[0].Archived = &model.ArchivedLooks{Standing: []model.ArchivedLook{
		{TopicID: model.TopicID{1, 2, 3}, First: 51, Last: 51, Found: model.FoundRecord},
		{TopicID: model.TopicID{1, 2, 3}, First: 61, Last: 61, Found: model.FoundNoRecord},
	}}
	s.State = &model.StateView{Since: seenAt}
	w.source.snapshots = []*model.Snapshot{s}
	if code := w.main(t, "archived", "a-packers", "--bootstrap-server", "a:1"); code != ExitOK {
		t.Fatalf("exit %d, %s", code, w.stderr.String())
	}
	for _, want := range []string{
		`"firstOffset":51,"lastOffset":51,"recordCount":1,"deliveryCount":1,"deliveryCountLimit":5,"state":"archived","reason":"rejected"`,
		`"firstOffset":61,"lastOffset":61,"recordCount":0,"deliveryCount":5,"deliveryCountLimit":5,"state":"archived","reason":"no-record"`,
	} {
		if !strings.Contains(w.stdout.String(), want) {
			t.Errorf("%s is not in\n%s", want, w.stdout.String())
		}
	}
	if !w.source.scopes[0].Archived {
		t.Error("nobody was asked to look")
	}
}

// What waits for a look when following ends is written all the same.
func TestFollowingLeavesNothingOut(t *testing.T) {
	w := newWorld()
	first, second := retried(seenAt), retried(seenAt)
	e := gaveUp(90, seenAt.Add(time.Minute))
	second.State = &model.StateView{Since: seenAt, Archived: append(slices.Clone(first.State.Archived), e)}
	second.Groups[0].Archived = &model.ArchivedLooks{Newest: []model.ArchivedLook{{TopicID: e.TopicID, First: 90, Last: 90}}}
	w.source.snapshots = []*model.Snapshot{first, first, second}
	w.source.err = errors.New("the end of the test")
	w.main(t, "archived", "a-packers", "--follow", "--bootstrap-server", "a:1")
	if strings.Count(w.stdout.String(), `"firstOffset":90,`) != 1 {
		t.Errorf("written is %s, %s", w.stdout.String(), w.stderr.String())
	}
}

// Following ends when its reader has gone, though nothing is written then.
func TestFollowingEndsWithItsReader(t *testing.T) {
	w := newWorld()
	w.source.snapshots = []*model.Snapshot{retried(seenAt)} // and no other one
	w.env.ReaderGone = func(context.Context) bool { return true }
	if code := w.main(t, "archived", "a-packers", "--follow", "--bootstrap-server", "a:1"); code != ExitPipe {
		t.Errorf("exit %d, %s", code, w.stderr.String())
	}
	w.env.ReaderGone = func(ctx context.Context) bool { <-ctx.Done(); return false }
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(0, cancel)
	if code := Main(ctx, []string{"archived", "a-packers", "--follow", "--bootstrap-server", "a:1"}, w.env); code != ExitInterrupted {
		t.Errorf("exit %d, %s", code, w.stderr.String())
	}
}

// Each record is written once, as JSON lines, when it is given up.
func TestArchivedIsFollowed(t *testing.T) {
	first, second, gone, back := retried(seenAt), retried(seenAt), retried(seenAt), retried(seenAt)
	second.State = &model.StateView{Since: seenAt, Archived: append(slices.Clone(first.State.Archived), gaveUp(90, seenAt.Add(time.Minute)))}
	gone.State, gone.Offsets.Why = nil, "the network is down"
	back.State = &model.StateView{Since: seenAt.Add(time.Hour)}
	w := newWorld()
	w.source.snapshots = []*model.Snapshot{first, first, second, gone, back}
	w.source.err = errors.New("the end of the test")
	code := w.main(t, "archived", "a-packers", "--follow", "--utc", "--bootstrap-server", "a:1")
	lines := strings.Split(strings.TrimSuffix(w.stdout.String(), "\n"), "\n")
	if code != ExitFailure || len(lines) != 4 {
		t.Fatalf("exit %d with %d lines: %s%s", code, len(lines), w.stdout.String(), w.stderr.String())
	}
	for i, want := range []string{
		`{"archivedAt":null,"groupId":"a-packers","topicName":"t",`, `"firstOffset":61,"lastOffset":61,`,
		`"state":"archiving","reason":"limit","belowStart":false}`, `{"archivedAt":"2026-11-29T14:58:03Z",`,
	} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %s, want %s in it", i, lines[i], want)
		}
	}
	for _, want := range []string{"archived since 14:57:03Z is written", "nothing is followed now: the network is down", "some events were missed"} {
		if strings.Count(w.stderr.String(), want) != 1 {
			t.Errorf("%q is not once in %q", want, w.stderr.String())
		}
	}
	if last := w.source.scopes[len(w.source.scopes)-1]; last.Once || last.Open.Raw() != "a-packers" {
		t.Errorf("the last scope is %+v", last)
	}
}
