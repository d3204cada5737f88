package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sharetop/model"
)

func entry(offset int64) model.AuditEntry {
	value := model.NewText("secret")
	return model.AuditEntry{
		Time: time.Date(2026, 11, 29, 14, 57, 3, 0, time.UTC), Who: "ada@bastion1", Action: "accept",
		Group: model.NewGroupID("pay\x1bments"), Member: model.NewText("m1"), Outcome: "done",
		Record: &model.AuditRecord{Topic: model.NewTopicName("refunds"), Offset: offset, Delivery: 2, Value: &value},
	}
}

func TestEntriesAreKeptAsJSONLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "audit.jsonl")
	f := New(path)
	if err := f.Record(entry(1), entry(2)); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(raw), []byte("\n"))
	if len(lines) != 2 || bytes.ContainsRune(raw, 0x1b) {
		t.Fatalf("%q", raw)
	}
	var got map[string]any
	if err := json.Unmarshal(lines[0], &got); err != nil || got["group"] != "pay\x1bments" || got["who"] != "ada@bastion1" {
		t.Errorf("%v %v", got, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is for others too: %v", info.Mode())
	}
	last, err := New(path).Last(10)
	if err != nil || len(last) != 2 || last[0].Record.Offset != 2 || last[0].Group.String() != `pay\ements` {
		t.Errorf("read back %+v, %v", last, err)
	}
}

func TestLastWithoutAFile(t *testing.T) {
	if got, err := New(filepath.Join(t.TempDir(), "none")).Last(5); err != nil || len(got) != 0 {
		t.Errorf("%v %v", got, err)
	}
}

// What is broken in the file is left out and does not spoil the next entry.
func TestBrokenLinesAreLeftOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := os.WriteFile(path, []byte("{}\nnot json\n{\"action\":\"accept\",\"rec"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := New(path)
	if err := f.Record(entry(7)); err != nil {
		t.Fatal(err)
	}
	last, err := f.Last(10)
	if err != nil || len(last) != 1 || last[0].Record.Offset != 7 {
		t.Errorf("%+v %v", last, err)
	}
}

func TestRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	f := New(path)
	f.max = 1000
	for i := range int64(60) {
		if err := f.Record(entry(i)); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) != kept+1 {
		t.Errorf("%v", files)
	}
	for _, name := range files {
		if info, err := os.Stat(name); err != nil || info.Size() > 1000 {
			t.Errorf("%s has %d bytes", name, info.Size())
		}
	}
	if last, err := f.Last(1); err != nil || last[0].Record.Offset != 59 {
		t.Errorf("the newest entry is %+v", last)
	}
}

// What another program puts aside or takes away is not written to any more.
func TestEntriesGoToTheFileThatHasTheName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	f := New(path)
	for i, meanwhile := range []func() error{
		func() error { return nil },
		func() error { return os.Rename(path, path+".old") },
		func() error { return os.Remove(path) },
	} {
		if err := errors.Join(meanwhile(), f.Record(entry(int64(i)))); err != nil {
			t.Fatal(err)
		}
		if last, err := New(path).Last(1); err != nil || len(last) != 1 || last[0].Record.Offset != int64(i) {
			t.Errorf("%d: the file has %+v, %v", i, last, err)
		}
	}
}

// Two programs that write to one file put it aside when it is full, and not each
// for itself.
func TestTwoWritersPutTheFileAsideTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	one, two := New(path), New(path)
	one.max, two.max = 2000, 2000
	for i := range int64(20) {
		if err := errors.Join(one.Record(entry(i)), two.Record(entry(100+i))); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil || name != path && info.Size() < 1500 {
			t.Errorf("%s was put aside with %d of 2000 bytes", name, info.Size())
		}
	}
}

func TestUnwritable(t *testing.T) {
	blocker := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := New(filepath.Join(blocker, "audit.jsonl")).Record(entry(1)); err == nil {
		t.Error("nothing was kept, and nobody was told")
	}
}

func TestDefaultPath(t *testing.T) {
	home := func() (string, error) { return "/home/ada", nil }
	none := func() (string, error) { return "", errors.New("no home") }
	for _, test := range []struct {
		state string
		home  func() (string, error)
		want  string
	}{
		{"/state", none, "/state/sharetop/audit.jsonl"},
		{"", home, "/home/ada/.local/state/sharetop/audit.jsonl"},
		{"relative", home, "/home/ada/.local/state/sharetop/audit.jsonl"},
		{"", none, ""},
	} {
		got, err := DefaultPath(func(string) string { return test.state }, test.home)
		if got != test.want || (test.want == "") != (err != nil) {
			t.Errorf("%q: %q, %v", test.state, got, err)
		}
		if err != nil && !strings.Contains(err.Error(), "--audit-file") {
			t.Errorf("the error does not say what helps: %v", err)
		}
	}
}

func TestChangesAreReadBack(t *testing.T) {
	f := New(filepath.Join(t.TempDir(), "audit.jsonl"))
	topic, partition := model.NewTopicName("or\x1bders"), int32(2)
	config, eight, three := model.NewText("share.x"), model.NewText("8"), model.NewText("3")
	changes := []*model.AuditChange{
		{Topic: &topic, Partition: &partition, Old: &eight, New: &three},
		{Config: &config, Old: &eight},
		{},
		nil,
	}
	for _, c := range changes {
		e := model.AuditEntry{Action: "reset", Group: model.NewGroupID("g"), ClusterID: model.NewText("abc"), Change: c}
		if err := f.Record(e); err != nil {
			t.Fatal(err)
		}
	}
	last, err := f.Last(10)
	if err != nil || len(last) != len(changes) {
		t.Fatalf("%+v %v", last, err)
	}
	for i, want := range changes {
		got := last[len(last)-1-i]
		switch {
		case got.ClusterID.Raw() != "abc":
			t.Errorf("the cluster is %q", got.ClusterID.Raw())
		case (got.Change == nil) != (want == nil):
			t.Errorf("change %+v, want %+v", got.Change, want)
		case want != nil && got.Change.String() != want.String():
			t.Errorf("%q, want %q", got.Change, want)
		}
	}
}
