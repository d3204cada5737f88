package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sharetop/model"
)

func TestSaveUndoNeverOverwrites(t *testing.T) {
	f := New(filepath.Join(t.TempDir(), "audit.jsonl"))
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	group := model.NewGroupID("../a/b $(reboot)\n")
	first, err1 := f.SaveUndo(group, []byte("orders,0,1\n"), at)
	second, err2 := f.SaveUndo(group, []byte("orders,0,2\n"), at)
	if err1 != nil || err2 != nil || first == second {
		t.Fatalf("%s, %v; %s, %v", first, err1, second, err2)
	}
	if name := filepath.Base(first); name != "20261129T120000Z-.._a_b___reboot__.csv" {
		t.Errorf("the file is called %q", name)
	}
	for path, want := range map[string]string{first: "orders,0,1\n", second: "orders,0,2\n"} {
		data, err := os.ReadFile(path)
		info, statErr := os.Stat(path)
		if err != nil || statErr != nil || string(data) != want || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has %q, %v, %v", path, data, info, err)
		}
		if !strings.HasPrefix(path, filepath.Join(filepath.Dir(f.Path()), "undo")+string(filepath.Separator)) {
			t.Errorf("%s is not in the directory undo", path)
		}
	}
}

func TestSaveUndoSaysWhyNot(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "undo"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if path, err := New(filepath.Join(dir, "audit.jsonl")).SaveUndo(model.NewGroupID("g"), nil, time.Now()); err == nil {
		t.Errorf("written to %s", path)
	}
}
