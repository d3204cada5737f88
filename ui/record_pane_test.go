package ui

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"sharetop/keymap"
	"sharetop/model"
)

func paneEnv() *env {
	return &env{
		cfg: Config{Env: func(string) string { return "" }}, keys: keymap.Default(),
		styles: newStyles(true, true), glyphs: newGlyphs(false), now: fixtureTime(), utc: true,
	}
}

// fixtureRecord is a record of refunds with a value of its own.
func fixtureRecord(offset int64, key, value []byte, headers ...model.Header) *model.Record {
	return &model.Record{
		Topic: model.NewTopicName("refunds"), Offset: offset,
		Millis: fixtureTime().Add(-time.Duration(10_000-offset) * time.Second).UnixMilli(),
		Key:    model.NewBlob(key), Value: model.NewBlob(value), Headers: headers,
	}
}

func header(name string, value []byte) model.Header {
	return model.Header{Name: model.NewText(name), Value: model.NewBlob(value)}
}

// showRecord is a pane with a record in a place of that size, read to its end.
func showRecord(e *env, r *model.Record, w, h int) *recordPane {
	p := new(recordPane)
	p.fit(e, Rect{W: w, H: h})
	finish(e, p, p.show(e, r, []field{{"state", "3 of 5 deliveries over; free, or on its 4th"}}))
	return p
}

func finish(e *env, p *recordPane, cmd tea.Cmd) {
	if cmd != nil {
		p.update(e, cmd().(recordRowsMsg))
	}
}

func (p *recordPane) drawn(e *env) string { return clipBlock(p.draw(e, p.place), p.place.W, p.place.H) }

// With a key held down one large value follows another: only the last is read to
// its end.
func TestRecordPaneGivesUpWhatIsNoLongerShown(t *testing.T) {
	e := paneEnv()
	large := bytes.Repeat([]byte("order 12345 "), 1<<20/12)
	first, second := fixtureRecord(1, nil, large), fixtureRecord(2, nil, large)
	p := new(recordPane)
	p.fit(e, Rect{W: 80, H: 20})
	before, now := p.show(e, first, nil), p.show(e, second, nil)
	if msg := before(); msg != nil {
		t.Errorf("what is no longer shown was read: %T", msg)
	}
	finish(e, p, now)
	if _, whole := p.rows.Len(); !whole {
		t.Error("what is shown was not read to its end")
	}
}

func TestRecordPaneGolden(t *testing.T) {
	e := paneEnv()
	r := fixtureRecord(9120, []byte("r-88121"), []byte(`{"order":88121,"amount":"12.OO","lines":[{"isbn":"978-3","n":1e400}],"note":null}`),
		header("trace", []byte("a1")), header("trace", []byte("a2")), header("none", nil), header("empty", []byte{}))
	for _, size := range [][2]int{{80, 24}, {60, 40}, {40, 12}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			golden.RequireEqual(t, []byte(ansi.Strip(showRecord(e, r, size[0], size[1]).drawn(e))))
		})
	}
}

func TestRecordPaneTellsNullEmptyAndTheWordApart(t *testing.T) {
	e := paneEnv()
	seen := make(map[string]string)
	for name, b := range map[string][]byte{
		"null": nil, "empty": {}, "word": []byte("null"), "brackets": []byte("(null)"), "empty brackets": []byte("(empty)"), "quoted": []byte(`"null"`),
	} {
		key := ansi.Strip(showRecord(e, fixtureRecord(1, b, []byte("x")), 60, 12).drawn(e))
		value := ansi.Strip(showRecord(e, fixtureRecord(1, []byte("x"), b), 60, 12).drawn(e))
		head := ansi.Strip(showRecord(e, fixtureRecord(1, nil, nil, header("h", b)), 60, 12).drawn(e))
		for what, text := range map[string]string{"key": key, "value": value, "header": head} {
			if other, taken := seen[what+text]; taken {
				t.Errorf("%s: %s looks like %s", what, name, other)
			}
			seen[what+text] = name
		}
	}
}

func TestRecordPaneWithAwkwardBytesAtEverySize(t *testing.T) {
	e := paneEnv()
	for id, s := range awkward(t) {
		r := fixtureRecord(1, []byte(s), []byte(s), header(s, []byte(s)))
		r.Topic = model.NewTopicName(s)
		for _, size := range [][2]int{{0, 0}, {1, 1}, {5, 3}, {20, 5}, {40, 10}, {80, 24}, {300, 100}} {
			p := showRecord(e, r, size[0], size[1])
			for range 4 {
				if size[0] > 0 {
					assertBlock(t, p.drawn(e), size[0], size[1])
				}
				finish(e, p, p.nextView(e))
				p.key(e.keys.Lists, press("pgdown"))
			}
		}
		if t.Failed() {
			t.Fatalf("by %s", id)
		}
	}
}

func TestRecordPaneViews(t *testing.T) {
	e := paneEnv()
	p := showRecord(e, fixtureRecord(1, nil, []byte(`{"a":1}`)), 80, 20)
	for _, want := range []string{`"a": 1`, `{"a":1}`, "00000000  7b", `"a": 1`} {
		if !strings.Contains(p.drawn(e), want) {
			t.Errorf("%q is not in\n%s", want, p.drawn(e))
		}
		p.nextView(e)
	}
	p = showRecord(e, fixtureRecord(1, nil, []byte(`no JSON`)), 80, 20)
	p.nextView(e)
	p.nextView(e)
	if p.rows.View() != model.ViewText {
		t.Errorf("a value that is no JSON is shown as %s", p.rows.View())
	}
}

// The pane draws a large value at once, and knows its end when the command has
// read it; a reply for another record is dropped.
func TestRecordPaneReadsLargeValuesInACommand(t *testing.T) {
	e := paneEnv()
	p := new(recordPane)
	p.fit(e, Rect{W: 80, H: 20})
	large := fixtureRecord(1, nil, append(append([]byte("["), bytes.Repeat([]byte("1,"), 300_000)...), "2]"...))
	cmd := p.show(e, large, nil)
	if cmd == nil || !strings.Contains(p.drawn(e), "reading it to its end") {
		t.Fatalf("nothing is said of what is not read yet:\n%s", p.drawn(e))
	}
	stale := cmd().(recordRowsMsg)
	cmd = p.nextView(e)
	p.update(e, stale)
	if p.content.Checked {
		t.Error("the reply to an older question was taken")
	}
	finish(e, p, cmd)
	p.key(e.keys.Lists, press("G"))
	p = showRecord(e, large, 80, 20)
	p.key(e.keys.Lists, press("G"))
	if got := ansi.Strip(p.drawn(e)); !strings.Contains(got, "\n  ]") || !strings.Contains(got, "300,0") {
		t.Errorf("the end is not shown:\n%s", got)
	}
}

func TestSavingAValue(t *testing.T) {
	e, dir := paneEnv(), t.TempDir()
	raw := []byte("\x1b[2J\x00raw")
	r := fixtureRecord(7, nil, raw)
	r.Topic = model.NewTopicName("../../etc/x")
	p := showRecord(e, r, 80, 20)
	for range 2 {
		_, cmd := p.save(dir)
		if m, ok := cmd().(statusMsg); !ok || m.level != levelInfo || !strings.Contains(m.text, dir) {
			t.Errorf("said %+v", m)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v: each time a new one is to be written", files)
	}
	for _, f := range files {
		got, err := os.ReadFile(f)
		if err != nil || !bytes.Equal(got, raw) {
			t.Errorf("%s has %q", f, got)
		}
		if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s can be read by others: %v", f, info.Mode())
		}
	}
	if want, cmd := showRecord(e, fixtureRecord(7, nil, nil), 80, 20).save(dir); cmd != nil || want == nil {
		t.Error("a null value was saved")
	}
}

func TestPagerGetsSafeText(t *testing.T) {
	e := paneEnv()
	p := showRecord(e, fixtureRecord(7, []byte("k\x1b[31m"), []byte("first\nsecond \x1b[2J"), header("h\x07", nil)), 80, 20)
	all, err := io.ReadAll(p.reader(e))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(all)) {
		line = strings.TrimSuffix(line, "\n")
		if model.Sanitize(line) != line {
			t.Errorf("the pager gets %q", line)
		}
	}
	if !strings.Contains(string(all), "first\nsecond \\e[2J\n") {
		t.Errorf("the pager gets\n%s", all)
	}
}

// BenchmarkRecordPane is a frame of a pane with the largest values.
func BenchmarkRecordPane(b *testing.B) {
	e := paneEnv()
	million := append(append([]byte("["), bytes.Repeat([]byte("1,"), 1_000_000)...), "2]"...)
	for name, value := range map[string][]byte{
		"20 MiB in one line": bytes.Repeat([]byte("order 12345 "), 20<<20/12), "a million elements": million,
	} {
		b.Run(name, func(b *testing.B) {
			p := showRecord(e, fixtureRecord(1, nil, value), 120, 40)
			b.ReportAllocs()
			for b.Loop() {
				p.key(e.keys.Lists, press("pgdown"))
				if p.drawn(e) == "" {
					b.Fatal("nothing drawn")
				}
			}
		})
	}
}
