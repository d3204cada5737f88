package cli

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sharetop/model"
)

// fakeChanger knows one group, a-packers, whose members leave after some looks.
type fakeChanger struct {
	staysFor int // looks
	moved    bool
	broken   string // what the coordinator says of every write
	// unseen adds a topic that is not there, none takes the group away.
	unseen, none bool
	unreachable  error
	looks        int
	asked        []string
	waited       bool
}

func (f *fakeChanger) Look(_ context.Context, r model.LookRequest) (*model.GroupLook, error) {
	f.looks++
	if f.unreachable != nil {
		return nil, f.unreachable
	}
	if f.none {
		return &model.GroupLook{Group: r.Group}, nil
	}
	look := &model.GroupLook{Group: r.Group, Exists: true, State: model.GroupEmpty}
	if f.looks <= f.staysFor {
		look.State, look.Members = model.GroupStable, shop().Groups[0].Members
	}
	place := model.TopicPartition{Topic: model.NewTopicName("t")}
	look.Partitions = []model.LookPartition{{
		TopicPartition: place, Read: true, Start: model.Known(100), Lag: model.Known(50), LogStart: model.Known(0), End: model.Known(150),
	}}
	if f.unseen {
		gone := model.TopicPartition{Topic: model.NewTopicName("gone")}
		look.Partitions = append(look.Partitions, model.LookPartition{TopicPartition: gone, Trouble: "the topic does not exist"})
	}
	return look, nil
}

func (f *fakeChanger) Reset(_ context.Context, p *model.Plan) (*model.ResetResult, error) {
	f.asked = append(f.asked, "reset "+p.Group.String()+" "+p.Target.String())
	if f.moved {
		return &model.ResetResult{Moved: []string{"t-0 has moved."}}, nil
	}
	result := &model.ResetResult{UndoPath: model.NewText("/undo.csv")}
	for _, row := range p.Written() {
		result.Rows = append(result.Rows, model.ResetRow{
			TopicPartition: row.TopicPartition, Old: row.Now, New: row.New, ReadBack: row.New, Problem: f.broken,
		})
	}
	return result, nil
}

func (f *fakeChanger) DeleteGroups(_ context.Context, ids []model.GroupID) ([]model.DeleteResult, error) {
	var out []model.DeleteResult
	for _, id := range ids {
		f.asked = append(f.asked, "delete "+id.String())
		r := model.DeleteResult{Group: id, Problem: f.broken}
		if id.Raw() == "a-packers" {
			r.Problem, r.HasMembers = "not deleted: it has members: packer", true
		}
		out = append(out, r)
	}
	return out, nil
}

func (f *fakeChanger) DeleteOffsets(_ context.Context, id model.GroupID, topic model.TopicName) (model.DeleteResult, error) {
	f.asked = append(f.asked, "delete-offsets "+id.String()+" "+topic.String())
	return model.DeleteResult{Group: id, Topic: topic, Problem: f.broken}, nil
}

func (f *fakeChanger) LookConfig(_ context.Context, c model.ConfigChange) (*model.ConfigFacts, error) {
	if f.unreachable != nil {
		return nil, f.unreachable
	}
	if c.Key.Raw() == "share.none" {
		return nil, errors.New("this server does not tell it")
	}
	return &model.ConfigFacts{Entry: model.ConfigEntry{Key: c.Key, Value: model.NewText("30000"), Type: "INT", Min: "15000", Max: "60000"}}, nil
}

func (f *fakeChanger) ChangeConfig(_ context.Context, c model.ConfigChange) (*model.ConfigResult, error) {
	f.asked = append(f.asked, c.String())
	return &model.ConfigResult{Problem: f.broken, ReadBack: c.Value, ReadBackKnown: true}, nil
}

// changing is a world whose groups can be changed.
func changing(f *fakeChanger) *world {
	w, s := newWorld(), shop()
	s.Problems = nil
	w.source.snapshots = []*model.Snapshot{s}
	w.env.Changer = func(Source, string) (Changer, func(), error) {
		return f, func() { f.waited = true }, nil
	}
	return w
}

// keeper is a source that knows of configs of groups that are not there.
type keeper struct {
	*fakeSource
	kept model.Configs
	err  error
}

func (k *keeper) KeptConfigs(context.Context, model.GroupID) (*model.Configs, error) {
	return &k.kept, k.err
}

// Configs can be set before there is such a group, and stay behind a deleted one:
// they are printed, and that the group is not there is said.
func TestConfigsOfAGroupThatIsNotThere(t *testing.T) {
	kept := model.Configs{Entries: []model.ConfigEntry{{Key: model.NewText("share.x.ms"), Value: model.NewText("20000"), Source: model.ConfigFromGroup}}}
	const gone = "there is no share group none"
	for name, tt := range map[string]struct {
		keeper keeper
		out    string
		says   []string
	}{
		"kept":      {keeper{kept: kept}, "share.x.ms", []string{gone, "are kept for none all the same"}},
		"none kept": {keeper{}, "", []string{gone}},
		"not known": {keeper{err: errors.New("no\x1b rights")}, "", []string{gone, "whether configs are kept for none is not known: no\\e rights"}},
	} {
		for _, args := range []string{"config none", "describe --config --group none"} {
			w := changing(&fakeChanger{})
			tt.keeper.fakeSource = w.source
			w.env.Open = func(context.Context, model.Connection, func(string) (model.Secret, error)) (Source, error) {
				return &tt.keeper, nil
			}
			code := w.main(t, append(strings.Fields(args), "--bootstrap-server", "a:1")...)
			if out := w.stdout.String(); code != ExitFailure || !strings.Contains(out, tt.out) || (out == "") != (tt.out == "") {
				t.Errorf("%s, %s: exit %d, printed %q", name, args, code, out)
			}
			for _, says := range tt.says {
				if !strings.Contains(w.stderr.String(), says) {
					t.Errorf("%s, %s: said %q, want %q", name, args, w.stderr.String(), says)
				}
			}
		}
	}
}

// TestChanges holds of every command that changes something: its exit code, what
// it asks for, and what it says.
func TestChanges(t *testing.T) {
	const reset = "reset-offsets a-packers --all-topics --to-earliest"
	unreachable := &model.UnreachableError{Err: errors.New("no broker could be asked")}
	tests := []struct {
		args    string
		changer fakeChanger
		code    int
		asked   string
		says    string
	}{
		{reset, fakeChanger{}, ExitOK, "", "100"},
		{reset + " --dry-run", fakeChanger{staysFor: 1}, ExitOK, "", "--execute would be refused now: it has 1 member: packer;1"},
		{reset, fakeChanger{unseen: true}, ExitPartial, "", "left out: the topic does not exist"},
		{reset + " --execute", fakeChanger{unseen: true}, ExitPartial, "reset a-packers to-earliest", "1 of 2 were not changed"},
		{reset + " --export", fakeChanger{unseen: true}, ExitPartial, "", "t,0,0\n"},
		{reset, fakeChanger{none: true}, ExitFailure, "", "there is no share group a-packers on this cluster, and so no topic of it"},
		{reset, fakeChanger{unreachable: unreachable}, ExitUnreachable, "", "no broker could be asked"},
		{reset + " --execute", fakeChanger{}, ExitOK, "reset a-packers to-earliest", "undo file: /undo.csv"},
		{reset + " --execute", fakeChanger{staysFor: 1}, ExitRefused, "", "refused: it has 1 member: packer;1"},
		{reset + " --execute --wait-empty 5s", fakeChanger{staysFor: 2}, ExitOK, "reset a-packers to-earliest", "waiting for"},
		{reset + " --execute --wait-empty 5s", fakeChanger{staysFor: 99}, ExitTimeout, "", "still has members after 5s"},
		{reset + " --execute", fakeChanger{moved: true}, ExitRefused, "reset a-packers to-earliest", "t-0 has moved"},
		{reset + " --execute", fakeChanger{broken: "not written"}, ExitFailure, "reset a-packers to-earliest", "not written"},
		{reset + " --execute --read-only", fakeChanger{}, ExitRefused, "", "the connection is read-only"},
		{reset + " --read-only", fakeChanger{}, ExitOK, "", "planned"},
		{reset + " --export", fakeChanger{}, ExitOK, "", "t,0,0\n"},
		{"reset-offsets a-packers --all-topics --to-offset 100 --execute", fakeChanger{}, ExitOK, "", "no start offset changes"},
		{"delete c-audit", fakeChanger{}, ExitOK, "", "planned"},
		{"delete a-packers", fakeChanger{}, ExitRefused, "", "it has members: packer;1"},
		{"delete none", fakeChanger{}, ExitFailure, "", "there is no share group none"},
		{"delete c-audit a-packers", fakeChanger{}, ExitPartial, "", "1 of 2 were not changed"},
		{"delete c-audit --execute", fakeChanger{}, ExitOK, "delete c-audit", "done"},
		{"delete a-packers --execute", fakeChanger{}, ExitRefused, "delete a-packers", "refused"},
		{"delete a-packers c-audit --execute", fakeChanger{}, ExitPartial, "delete a-packers delete c-audit", "done"},
		{"delete c-audit --execute", fakeChanger{broken: "not authorised"}, ExitFailure, "delete c-audit", "not authorised"},
		{"delete c-audit --execute --read-only", fakeChanger{}, ExitRefused, "", "read-only"},
		{"delete c-audit --read-only", fakeChanger{}, ExitOK, "", "planned"},
		{"delete-offsets c-audit --topic t --read-only", fakeChanger{}, ExitOK, "", "1 partition"},
		{"config a-packers share.x.ms=20000 --read-only --dry-run", fakeChanger{}, ExitOK, "", "planned"},
		{"--delete --group c-audit --execute", fakeChanger{}, ExitOK, "delete c-audit", "done"},
		{"delete-offsets c-audit --topic t", fakeChanger{}, ExitOK, "", "1 partition"},
		{"delete-offsets c-audit --topic none", fakeChanger{}, ExitFailure, "", "no offsets of this topic"},
		{"delete-offsets c-audit --topic t --execute", fakeChanger{}, ExitOK, "delete-offsets c-audit t", "done"},
		{"config a-packers", fakeChanger{}, ExitOK, "", "share.isolation.level"},
		{"config none", fakeChanger{}, ExitFailure, "", "there is no share group none"},
		{"config a-packers share.x.ms=20000", fakeChanger{}, ExitOK, "", "planned"},
		{"config a-packers share.x.ms=1", fakeChanger{}, ExitRefused, "", "must be at least 15000"},
		{"config a-packers share.none=1", fakeChanger{}, ExitFailure, "", "does not tell it"},
		{"config a-packers share.x.ms=20000", fakeChanger{unreachable: unreachable}, ExitUnreachable, "", "no broker could be asked"},
		{"config a-packers share.x.ms=20000 --unset share.y.ms --execute", fakeChanger{}, ExitOK, "set share.x.ms to 20000 unset share.y.ms", "done"},
		{"config a-packers share.x.ms=20000 --execute", fakeChanger{broken: "INVALID_CONFIG"}, ExitFailure, "set share.x.ms to 20000", "INVALID_CONFIG"},
		{"config a-packers share.x.ms=20000 --execute --read-only", fakeChanger{}, ExitRefused, "", "read-only"},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := changing(&tt.changer)
				code := w.main(t, append(strings.Fields(tt.args), "--bootstrap-server", "a:1")...)
				all := w.stdout.String() + w.stderr.String()
				if got := strings.Join(tt.changer.asked, " "); code != tt.code || got != tt.asked || !strings.Contains(all, tt.says) {
					t.Errorf("exit %d, asked for %q, want %d, %q and %q in\n%s", code, got, tt.code, tt.asked, tt.says, all)
				}
				if len(tt.changer.asked) > 0 && (!tt.changer.waited || w.opened[0].ReadOnly) {
					t.Error("the change was not waited for, or the connection could not make it")
				}
				execute := strings.Contains(tt.args, "--execute")
				if !execute && !w.opened[0].ReadOnly {
					t.Error("without --execute the connection can change something")
				}
			})
		})
	}
}

func TestBadFlagsOfChanges(t *testing.T) {
	tests := []struct{ args, want string }{
		{"reset-offsets g", "say where the start offsets go"},
		{"reset-offsets g --to-latest", "say which start offsets: one of"},
		{"reset-offsets g --all-topics --topic t --to-latest", "say which start offsets: one of"},
		{"reset-offsets g --all-topics --to-latest --to-earliest", "--to-earliest and --to-latest exclude each other"},
		{"reset-offsets g --all-topics --to-offset x", `--to-offset: "x" is no offset`},
		{"reset-offsets g --all-topics --to-datetime noon", `"noon" is no time`},
		{"reset-offsets g --topic t:x --to-latest", `--topic: "x" is no partition of t`},
		{"reset-offsets g --all-topics --to-latest --execute --dry-run", "exclude each other"},
		{"reset-offsets g --all-topics --to-latest --wait-empty 3s", "--wait-empty does nothing without --execute"},
		{"reset-offsets g h --all-topics --to-latest", "one share group at a time: 2 were named"},
		{"delete", "no share group was named"},
		{"delete-offsets g", "no topic was named"},
		{"config g x", `"x" is not KEY=VALUE`},
		{"config g x=1 --unset x", "x is to be changed twice"},
		{"config g --execute", "there is nothing to execute"},
		{"wait g", "say what to wait for"},
		{"wait g --empty --stable", "never both"},
		{"wait g --lag -1", "--lag -1 can't be"},
		{"peek", "name a group or a topic"},
		{"peek t -n 0", "-n 0 is out of bounds"},
		{"peek --topic t:x", `"x" is no partition of t`},
		{"consume g --ack renew", `"renew" is no decision`},
		{"consume g --decide file", "only -, which is stdin"},
		{"consume g --decide - --ack accept", "exclude each other"},
		{"consume g -n 0", "-n 0 is out of bounds"},
		{"completion", "completion is for one shell"},
		{"completion csh", `not "csh"`},
	}
	for _, tt := range tests {
		w := changing(&fakeChanger{})
		code := w.main(t, append(strings.Fields(tt.args), "--bootstrap-server", "a:1")...)
		if code != ExitFailure || !strings.Contains(w.stderr.String(), tt.want) || len(w.opened) > 0 {
			t.Errorf("%s: exit %d, %q, opened %d", tt.args, code, w.stderr.String(), len(w.opened))
		}
	}
}

func TestResetFromStdin(t *testing.T) {
	f := &fakeChanger{}
	w := changing(f)
	w.env.Stdin = strings.NewReader("a-packers,t,0,40\nother,t,0,1\n")
	code := w.main(t, "reset-offsets", "a-packers", "--from-file", "-", "--execute", "--bootstrap-server", "a:1")
	if code != ExitOK || len(f.asked) != 1 || !strings.Contains(w.stdout.String(), "40") ||
		!strings.Contains(w.stderr.String(), "lines of other groups are left out: 1") {
		t.Errorf("exit %d, %v, %s%s", code, f.asked, w.stdout.String(), w.stderr.String())
	}
}

func TestWait(t *testing.T) {
	tests := []struct {
		args string
		code int
		says string
	}{
		{"a-packers --lag 1200", ExitOK, "a-packers"},
		{"a-packers --lag 9 --timeout 2000", ExitTimeout, "a-packers after 2s: its lag is 1,200"},
		{"c-audit --empty", ExitOK, "c-audit"},
		{"a-packers --empty --timeout 1s", ExitTimeout, "its members are packer;1"},
		{"a-packers --stable", ExitOK, "a-packers"},
		{"c-audit --stable --timeout 1s", ExitTimeout, "it is Empty"},
		{"none --empty", ExitFailure, "there is no share group none"},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			w := changing(&fakeChanger{})
			code := w.main(t, strings.Fields("wait --bootstrap-server a:1 "+tt.args)...)
			if all := w.stdout.String() + w.stderr.String(); code != tt.code || !strings.Contains(all, tt.says) {
				t.Errorf("%s: exit %d, %q", tt.args, code, all)
			}
		})
	}
}

// The wait ends as soon as the lag is gone, however long it may last.
func TestWaitEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, start := newWorld(), time.Now()
		w.source.pause = time.Second
		for lag := int64(5); lag >= 0; lag-- {
			w.source.snapshots = append(w.source.snapshots, seenSnapshot(10, seenAt, seenGroup("a", 10, lag, seenAt.Add(time.Duration(10-lag)*time.Second))))
		}
		if code := w.main(t, "wait", "a", "--lag", "0", "--bootstrap-server", "a:1"); code != ExitOK || time.Since(start) > 7*time.Second {
			t.Errorf("exit %d after %s: %s", code, time.Since(start), w.stderr.String())
		}
	})
}
