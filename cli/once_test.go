package cli

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sharetop/model"
)

// fakeSource gives out snapshots one after the other, each after a pause, and
// then nothing more.
type fakeSource struct {
	pause     time.Duration
	snapshots []*model.Snapshot
	err       error // instead of waiting for ever at the end
	scopes    []model.Scope
	closed    bool
}

func (f *fakeSource) Watch(ctx context.Context, scope model.Scope, after model.Version) (*model.Snapshot, error) {
	f.scopes = append(f.scopes, scope)
	next := int(after)
	if next >= len(f.snapshots) {
		if f.err != nil {
			return nil, f.err
		}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	select {
	case <-time.After(f.pause):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s := *f.snapshots[next]
	s.Version, s.Taken = after+1, time.Now()
	return &s, nil
}

func (f *fakeSource) Close() { f.closed = true }

var seenAt = time.Date(2026, 11, 29, 14, 57, 3, 0, time.UTC)

// seenGroup is a group of which all was seen, with a lag on topic t.
func seenGroup(id string, end, lag int64, at time.Time) *model.Group {
	return &model.Group{
		ID: model.NewGroupID(id), State: model.GroupStable, Coordinator: 1, Described: seenAt, OffsetsAt: at,
		Settings: &model.Settings{},
		Partitions: []model.SharePartition{{
			Topic: model.NewTopicName("t"), Start: model.Known(end - lag), Lag: model.Known(lag),
		}},
	}
}

// seenSnapshot has all of some groups; end is the log end of topic t.
func seenSnapshot(end int64, at time.Time, groups ...*model.Group) *model.Snapshot {
	name := model.NewTopicName("t")
	return &model.Snapshot{
		Listed: seenAt, Groups: groups,
		Offsets: model.OffsetsState{Sweep: model.Sweep{Round: 1, Done: len(groups), Total: len(groups), FirstDone: true}},
		Topics: map[model.TopicName]*model.Topic{name: {Name: name, Partitions: []model.PartitionLog{
			{Asked: true, Leader: 1, LogStart: model.Known(0), End: model.Known(end), StartAt: at, EndAt: at},
		}}},
	}
}

// running is a snapshot in the middle of the first sweep.
func running(done int) *model.Snapshot {
	return &model.Snapshot{
		Listed: seenAt, Groups: []*model.Group{seenGroup("a", 10, 5, seenAt)},
		Offsets: model.OffsetsState{Sweep: model.Sweep{Round: 1, Done: done, Total: 9}},
	}
}

func problemOf(kind model.ProblemKind, target, detail, advice string) model.Problem {
	return model.Problem{Kind: kind, Target: model.NewText(target), Detail: detail, Advice: advice}
}

// configsDenied is a problem of configs alone.
func configsDenied(target, detail string) model.Problem {
	p := problemOf(model.ProblemDenied, target, detail, "grant it")
	p.Configs = true
	return p
}

func TestOnceWaitsForTheFirstSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		whole := seenSnapshot(10, seenAt, seenGroup("a", 10, 5, seenAt), seenGroup("b\x1b", 10, 0, seenAt))
		w.source.snapshots = []*model.Snapshot{{}, running(0), running(1), whole, nil}
		w.source.pause = 3 * time.Second
		if code := w.main(t, "--once", "--bootstrap-server", "a:1", "-o", "json"); code != ExitOK {
			t.Fatalf("exit %d, %s", code, w.stderr.String())
		}
		var out struct{ Groups []struct{ GroupID string } }
		if err := json.Unmarshal(w.stdout.Bytes(), &out); err != nil {
			t.Fatal(err)
		}
		if len(out.Groups) != 2 || out.Groups[1].GroupID != "b\x1b" && out.Groups[0].GroupID != "b\x1b" {
			t.Errorf("the groups are %+v", out.Groups)
		}
		if strings.ContainsRune(w.stdout.String(), '\x1b') || w.stderr.Len() > 0 {
			t.Errorf("escape bytes or messages: %q, %q", w.stdout.String(), w.stderr.String())
		}
		if !w.source.scopes[0].Once || !w.opened[0].ReadOnly || !w.source.closed {
			t.Error("one look is not asked for as such, or its source was left open")
		}
	})
}

func TestOnceExitCodes(t *testing.T) {
	whole := seenSnapshot(10, seenAt, seenGroup("a", 10, 5, seenAt))
	partial := seenSnapshot(10, seenAt, seenGroup("a", 10, 5, seenAt))
	partial.Problems = []model.Problem{problemOf(model.ProblemUnreachable, "broker 3", "Broker 3 refused.", "")}
	refused := &model.Snapshot{Problems: []model.Problem{
		problemOf(model.ProblemUnreachable, "broker 1", "Broker 1 refused.", ""),
		problemOf(model.ProblemUnreachable, "cluster", "No broker of a:1 can be asked: it refused.", "check the servers"),
	}}
	slow := &model.Snapshot{Problems: []model.Problem{
		problemOf(model.ProblemUnreachable, "broker 1", "Broker 1 did not answer.", ""),
	}}
	tests := []struct {
		name      string
		snapshots []*model.Snapshot
		err       error
		args      []string
		code      int
		stderr    string
		stdout    string
	}{
		{"all seen", []*model.Snapshot{whole}, nil, nil, ExitOK, "", "1 group"},
		{"one broker down", []*model.Snapshot{partial}, nil, nil, ExitPartial, "the output is partial: 1 problem", "Broker 3 refused."},
		{"all refused", []*model.Snapshot{refused}, nil, nil, ExitUnreachable, "sharetop: no broker of a:1 can be asked: it refused; check the servers\n", ""},
		{"nothing in time", []*model.Snapshot{slow}, nil, nil, ExitUnreachable, "broker 1 did not answer", ""},
		{"no snapshot at all", nil, nil, nil, ExitUnreachable, "no broker answered in time: check", ""},
		{"not everything in time", []*model.Snapshot{running(3)}, nil, nil, ExitPartial, "did not answer everything in time", "1 group"},
		{"the source fails", nil, errors.New("closed"), nil, ExitFailure, "watching the cluster failed: closed", ""},
		{"one group", []*model.Snapshot{whole}, nil, []string{"--group", "a"}, ExitOK, "", "PART  LEADER"},
		{"no such group", []*model.Snapshot{whole}, nil, []string{"--group", "x\n"}, ExitFailure, `there is no share group x\n on this cluster`, ""},
		{"the group and not the broken broker", []*model.Snapshot{partial}, nil, []string{"--group", "a"}, ExitOK, "", "lag 5"},
		{
			"a group of another type",
			[]*model.Snapshot{{Listed: seenAt, Problems: []model.Problem{
				problemOf(model.ProblemGone, "group c", "There is no share group c: Group c is not a share group.", ""),
			}}},
			nil,
			[]string{"--group", "c"},
			ExitFailure, "sharetop: there is no share group c: Group c is not a share group\n", "",
		},
		{
			"a group that may not be described",
			[]*model.Snapshot{{Listed: seenAt, Problems: []model.Problem{
				configsDenied("broker configs", "The ranges are not shown."),
				problemOf(model.ProblemDenied, "group c", "The state and members of c are not shown: DESCRIBE is missing.", "grant DESCRIBE"),
			}}},
			nil,
			[]string{"--group", "c"},
			ExitFailure, "sharetop: the state and members of c are not shown: DESCRIBE is missing; to fix it: grant DESCRIBE\n", "",
		},
		{
			"no such group, and configs that may not be read",
			[]*model.Snapshot{{Listed: seenAt, Offsets: model.OffsetsState{Sweep: model.Sweep{FirstDone: true}}, Problems: []model.Problem{
				configsDenied("broker configs", "The ranges are not shown."),
			}}},
			nil,
			[]string{"--group", "c"},
			ExitFailure, "sharetop: there is no share group c on this cluster, or this user may not describe it\n", "",
		},
		{
			"a group that a silent broker may have",
			[]*model.Snapshot{partial},
			nil,
			[]string{"--group", "x"},
			ExitFailure, "was not found in time, and not every broker has answered", "",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.source.snapshots, w.source.err = tt.snapshots, tt.err
				code := w.main(t, append(tt.args, "--once", "--bootstrap-server", "a:1")...)
				if code != tt.code || !strings.Contains(w.stderr.String(), tt.stderr) || tt.stderr == "" && w.stderr.Len() > 0 {
					t.Errorf("exit %d with %q, want %d with %q", code, w.stderr.String(), tt.code, tt.stderr)
				}
				if !strings.Contains(w.stdout.String(), tt.stdout) || tt.stdout == "" && w.stdout.Len() > 0 {
					t.Errorf("stdout is %q, want %q in it", w.stdout.String(), tt.stdout)
				}
			})
		})
	}
}

// TestOnceOfOneGroupIsSoon holds that one group does not wait for the rest.
func TestOnceOfOneGroupIsSoon(t *testing.T) {
	w := newWorld()
	early := seenSnapshot(10, seenAt, seenGroup("a", 10, 5, seenAt), &model.Group{ID: model.NewGroupID("b")})
	early.Offsets.Sweep.FirstDone = false
	w.source.snapshots = []*model.Snapshot{early}
	if code := w.main(t, "--once", "--group", "a", "-o", "csv", "--bootstrap-server", "a:1"); code != ExitOK {
		t.Fatalf("exit %d, %s", code, w.stderr.String())
	}
	if lines := strings.Split(w.stdout.String(), "\r\n"); len(lines) != 3 || !strings.HasPrefix(lines[1], "a,Stable,") {
		t.Errorf("the output is %q", lines)
	}
	if got := w.source.scopes[0]; got.Open.Raw() != "a" || !got.Only {
		t.Errorf("more is asked for than the group: %+v", got)
	}
}

func TestOnceForWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		start := time.Now()
		for i := range int64(100) {
			at := start.Add(time.Duration(i) * time.Second)
			// 10 records a second come in and 15 are finished.
			w.source.snapshots = append(w.source.snapshots, seenSnapshot(1000+10*i, at, seenGroup("a", 1000+10*i, 900-5*i, at)))
		}
		w.source.pause = time.Second
		code := w.main(t, "--once", "--for", "20s", "-o", "json", "--bootstrap-server", "a:1")
		if code != ExitOK {
			t.Fatalf("exit %d, %s", code, w.stderr.String())
		}
		if took := time.Since(start); took < 20*time.Second || took > 22*time.Second {
			t.Errorf("it watched for %s", took)
		}
		var out struct {
			Groups []struct {
				Rates *struct{ InPerSecond, DonePerSecond *float64 }
			}
		}
		if err := json.Unmarshal(w.stdout.Bytes(), &out); err != nil {
			t.Fatal(err)
		}
		r := out.Groups[0].Rates
		if r == nil || r.InPerSecond == nil || *r.InPerSecond < 9 || *r.InPerSecond > 11 ||
			r.DonePerSecond == nil || *r.DonePerSecond < 14 || *r.DonePerSecond > 16 {
			t.Errorf("the rates are %+v in %s", r, w.stdout.String())
		}
		last := w.source.scopes[len(w.source.scopes)-1]
		if last.Once || !slices.Equal(last.Visible, []model.GroupID{model.NewGroupID("a")}) {
			t.Errorf("the watch goes on as fast as one look, or not for all groups: %+v", last)
		}
	})
}

func TestOnceWithoutWatchingHasNoRates(t *testing.T) {
	w := newWorld()
	w.source.snapshots = []*model.Snapshot{seenSnapshot(10, seenAt, seenGroup("a", 10, 5, seenAt))}
	w.main(t, "--once", "-o", "json", "--bootstrap-server", "a:1")
	if !strings.Contains(w.stdout.String(), `"rates":null,"ratesReason":"a rate needs at least two looks`) {
		t.Errorf("the output is %s", w.stdout.String())
	}
}

func TestOnceIsInterrupted(t *testing.T) {
	w := newWorld()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := Main(ctx, []string{"--once", "--bootstrap-server", "a:1"}, w.env); code != ExitInterrupted {
		t.Errorf("exit %d, %s", code, w.stderr.String())
	}
}

func TestOnceCSVOnATerminal(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		w := newWorld()
		w.env.StdoutIsTerminal = terminal
		w.source.snapshots = []*model.Snapshot{seenSnapshot(10, seenAt, seenGroup("a\x1b", 10, 5, seenAt))}
		w.main(t, "--once", "-o", "csv", "--bootstrap-server", "a:1")
		if got := strings.ContainsRune(w.stdout.String(), '\x1b'); got == terminal {
			t.Errorf("on a terminal %v: raw text %v", terminal, got)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestOnceCannotWrite(t *testing.T) {
	w := newWorld()
	w.env.Stdout = brokenPipe{}
	w.source.snapshots = []*model.Snapshot{seenSnapshot(10, seenAt, seenGroup("a", 10, 5, seenAt))}
	code := w.main(t, "--once", "--bootstrap-server", "a:1")
	if code != ExitFailure || !strings.Contains(w.stderr.String(), "could not be written: broken pipe") {
		t.Errorf("exit %d, %s", code, w.stderr.String())
	}
}
