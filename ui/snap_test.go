package ui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// snapInto writes a snapshot of the open group and returns what was said.
func snapInto(t *testing.T, dir string) statusMsg {
	t.Helper()
	b := openRefunds()
	v := snapView{name: b.Open.ID.Raw(), board: *b, rows: b.Rows[:1]}
	msg, ok := writeSnap(v, dir, fixtureTime())().(statusMsg)
	if !ok {
		t.Fatal("nothing was said")
	}
	return msg
}

func TestSnapWritesMarkdownAndJSON(t *testing.T) {
	dir := t.TempDir()
	said := snapInto(t, dir)
	if said.level != levelInfo || !strings.Contains(said.text, dir) {
		t.Errorf("said %v", said)
	}
	stem := filepath.Join(dir, "sharetop-payments-retry-20261129T145703Z")
	text := readPrivate(t, stem+".md")
	if !strings.Contains(text, "payments-retry") || !strings.Contains(text, "refunds") {
		t.Errorf("the Markdown is\n%s", text)
	}
	var parsed struct {
		Groups []struct{ GroupID string }
	}
	if err := json.Unmarshal([]byte(readPrivate(t, stem+".json")), &parsed); err != nil {
		t.Fatal(err)
	}
	if len(parsed.Groups) != 1 || parsed.Groups[0].GroupID != "payments-retry" {
		t.Errorf("the JSON has %v", parsed.Groups)
	}
}

// readPrivate reads a file and checks that only the person can.
func readPrivate(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); os.PathSeparator == '/' && mode != 0o600 {
		t.Errorf("%s has mode %o", path, mode)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestSnapNeverOverwrites(t *testing.T) {
	dir := t.TempDir()
	// Only the second of the two names is taken, and by a link that leads
	// elsewhere: neither is touched.
	stem := filepath.Join(dir, "sharetop-payments-retry-20261129T145703Z")
	elsewhere := filepath.Join(dir, "precious")
	if err := os.WriteFile(elsewhere, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, stem+".json"); err != nil {
		t.Skip("no links here: ", err)
	}
	if said := snapInto(t, dir); !strings.Contains(said.text, "-2.md") {
		t.Errorf("said %v", said)
	}
	if _, err := os.Stat(stem + ".md"); err == nil {
		t.Error("a Markdown file without its JSON was left behind")
	}
	if got, err := os.ReadFile(elsewhere); err != nil || string(got) != "kept" {
		t.Errorf("the file behind the link is %q, %v", got, err)
	}
}

func TestSnapSaysWhyNothingIsWritten(t *testing.T) {
	said := snapInto(t, filepath.Join(t.TempDir(), "missing"))
	if said.level != levelError || !strings.Contains(said.text, "nothing is written") {
		t.Errorf("said %v", said)
	}
}

func TestSnapStemIsSafe(t *testing.T) {
	for id, name := range awkward(t) {
		stem := snapStem(name, time.Time{})
		if strings.ContainsAny(stem, "/\\ '\"$;`\x1b\n") || !isASCII(stem) || len(stem) > 100 || stem[0] != 's' {
			t.Errorf("%s: %q", id, stem)
		}
	}
}

func TestSnapCommandSaysWhere(t *testing.T) {
	dir := t.TempDir()
	drive(t, 120, 24, func(d *driver) {
		d.keys(":")
		d.typed("snap")
		d.keys("enter")
		d.wantText("nothing has been seen yet")
		d.board(openRefunds())
		d.keys("esc", ":")
		d.typed("snap")
		d.keys("enter")
		d.wantText("Written: ")
	}, openPage("payments-retry"), func(c *Config) { c.SnapDir = dir })
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 {
		t.Fatalf("%d files, %v", len(files), err)
	}
}
