package ui

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// awkward are byte strings that broke other tools: control characters, escape
// sequences, wide and joined characters, invalid UTF-8.
func awkward(t testing.TB) map[string]string {
	t.Helper()
	data, err := os.ReadFile("testdata/strings.json")
	if err != nil {
		t.Fatal(err)
	}
	var entries []struct {
		ID     string `json:"id"`
		Base64 []byte `json:"base64"`
	}
	if err := json.Unmarshal(data, &entries); err != nil {
		t.Fatal(err)
	}
	out := make(map[string]string, len(entries))
	for _, e := range entries {
		out[e.ID] = string(e.Base64)
	}
	if len(out) < 30 {
		t.Fatalf("only %d strings in testdata/strings.json", len(out))
	}
	return out
}

// assertBlock checks that a drawn block is height lines of exactly width cells
// and holds no control byte but styles.
func assertBlock(t *testing.T, block string, width, height int) {
	t.Helper()
	if width <= 0 || height <= 0 {
		if block != "" {
			t.Errorf("%dx%d: want nothing, got %q", width, height, block)
		}
		return
	}
	lines := strings.Split(block, "\n")
	if len(lines) != height {
		t.Errorf("%dx%d: %d lines", width, height, len(lines))
	}
	for i, line := range lines {
		if got := ansi.StringWidth(line); got != width {
			t.Errorf("%dx%d: line %d is %d cells wide: %q", width, height, i, got, line)
		}
		assertNoControl(t, line)
	}
}

func assertNoControl(t *testing.T, line string) {
	t.Helper()
	for i := 0; i < len(line); i++ {
		if n := styleLength(line[i:]); n > 0 {
			i += n - 1
			continue
		}
		if line[i] < ' ' || line[i] == 0x7f {
			t.Errorf("control byte %#x in %q", line[i], line)
			return
		}
	}
	if strings.ContainsFunc(ansi.Strip(line), unsafeRune) {
		t.Errorf("a character that a terminal acts on in %q", line)
	}
}

func TestFit(t *testing.T) {
	tests := []struct {
		name  string
		fit   func(string, int, string) string
		in    string
		width int
		want  string
	}{
		{name: "pads", fit: fit, in: "abc", width: 5, want: "abc  "},
		{name: "cuts", fit: fit, in: "abcdef", width: 4, want: "abc…"},
		{name: "exact", fit: fit, in: "abcd", width: 4, want: "abcd"},
		{name: "one cell", fit: fit, in: "abcd", width: 1, want: "…"},
		{name: "no cell", fit: fit, in: "abcd", width: 0, want: ""},
		{name: "below none", fit: fit, in: "abcd", width: -3, want: ""},
		{name: "wide character does not fit", fit: fit, in: "群群群", width: 4, want: "群… "},
		{name: "number", fit: fitRight, in: "1,207", width: 7, want: "  1,207"},
		{name: "number cut", fit: fitRight, in: "1,207", width: 3, want: "1,…"},
		{name: "tail", fit: fitTail, in: "host.example", width: 8, want: "…example"},
		{name: "tail fits", fit: fitTail, in: "host", width: 8, want: "host    "},
		{name: "tail of wide", fit: fitTail, in: "群群群", width: 4, want: "…群 "},
		{name: "tail in one cell", fit: fitTail, in: "群群群", width: 1, want: "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.fit(tt.in, tt.width, "…"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Whatever comes in, at whatever width: exactly that width, nothing a terminal
// acts on.
func TestFitIsExactForAwkwardText(t *testing.T) {
	for id, s := range awkward(t) {
		for width := range 40 {
			for _, f := range []func(string, int, string) string{fit, fitRight, fitTail} {
				got := f(plain(s), width, "…")
				if w := ansi.StringWidth(got); w != width {
					t.Errorf("%s at %d: %d cells: %q", id, width, w, got)
				}
				assertNoControl(t, got)
			}
		}
	}
}

func TestClipBlock(t *testing.T) {
	red := style{on: "\x1b[31m"}
	block := red.render("first line that is long") + "\nsecond\n\nfourth"
	for _, size := range [][2]int{{0, 0}, {0, 3}, {3, 0}, {1, 1}, {5, 3}, {10, 2}, {40, 10}, {300, 100}} {
		assertBlock(t, clipBlock(block, size[0], size[1]), size[0], size[1])
	}
	got := clipBlock(block, 5, 1)
	if want := "\x1b[31mfirst\x1b[m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Lines that are exact already are taken over as they are; whatever stands
// before, between and behind them, the block is exact.
func TestClipBlockKeepsWhatIsExact(t *testing.T) {
	bold := style{on: "\x1b[1m"}
	pieces := []string{"abcde", bold.render("▌b·d…"), "abc", "abcdefgh", "", "a漢b", "\x1b[2Jabc"}
	for i := range len(pieces) * len(pieces) * len(pieces) {
		lines := []string{pieces[i%len(pieces)], pieces[i/len(pieces)%len(pieces)], pieces[i/len(pieces)/len(pieces)]}
		for n := range lines {
			block := strings.Join(lines[:n+1], "\n")
			for height := 1; height <= 4; height++ {
				assertBlock(t, clipBlock(block, 5, height), 5, height)
				assertBlock(t, clipBlock(block+"\n", 5, height), 5, height)
			}
		}
	}
	exact := "abcde\n" + bold.render("▌b·d…") + "\n12345"
	if got := clipBlock(exact, 5, 3); got != exact {
		t.Errorf("got %q, want it as it was", got)
	}
}

// What fits is one line without being looked at word by word.
func TestWrapLeavesWhatFits(t *testing.T) {
	for id, s := range awkward(t) {
		s = plain(s)
		if w, ok := quickWidth(s); !ok || w == 0 || strings.Contains(s, "\n") {
			continue
		}
		width := cellWidth(s)
		if got, want := wrap(s, width), strings.Split(ansi.Wrap(s, width, ""), "\n"); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", id, got, want)
		}
	}
}

func TestClipBlockLetsOnlyStylesThrough(t *testing.T) {
	for id, s := range awkward(t) {
		s = strings.ReplaceAll(s, "\n", " ")
		t.Run(id, func(t *testing.T) {
			assertBlock(t, clipBlock("\x1b[1m"+s+"\x1b[m tail", 30, 2), 30, 2)
		})
	}
}

func TestFoldKeepsWidthAndIsASCII(t *testing.T) {
	g := newGlyphs(true)
	texts := awkward(t)
	texts["signs"] = "– ≥15 ~26s 1,207… ▌ ■ ▲ · ↓ µs é 群 ☕ ⣿"
	for id, s := range texts {
		s = plain(s)
		got := g.fold(s)
		if !isASCII(got) {
			t.Errorf("%s: not ASCII: %q", id, got)
		}
		if ansi.StringWidth(got) != ansi.StringWidth(s) {
			t.Errorf("%s: %d cells became %d: %q", id, ansi.StringWidth(s), ansi.StringWidth(got), got)
		}
	}
	if got := g.fold("lag ≥15 – 3…"); got != "lag >15 - 3>" {
		t.Errorf("got %q", got)
	}
	if s := "lag ≥15 – 3…"; newGlyphs(false).fold(s) != s {
		t.Error("a terminal that shows Unicode gets it unchanged")
	}
}

func TestStylesWithoutColourHaveNone(t *testing.T) {
	s := newStyles(true, false)
	for name, st := range map[string]style{
		"dim": s.dim, "bold": s.bold, "accent": s.accent, "good": s.good, "warn": s.warn, "bad": s.bad,
	} {
		if strings.Contains(st.on, "3") || strings.Contains(st.on, "9") {
			t.Errorf("%s has a colour: %q", name, st.on)
		}
	}
	if newStyles(true, true).warn == newStyles(false, true).warn {
		t.Error("warn must differ between a dark and a light background")
	}
}

// The quick way to measure must agree with the exact one wherever it answers.
func TestQuickWidthIsExact(t *testing.T) {
	texts := awkward(t)
	for r := rune(1); r < 0x10000; r++ {
		texts[string(r)] = "a" + string(r) + "b\x1b[1m" + string(r) + reset
	}
	quick := 0
	for id, s := range texts {
		if w, ok := quickWidth(s); ok {
			quick++
			if exact := ansi.StringWidth(s); exact != w {
				t.Errorf("%q: %d cells, exactly %d", id, w, exact)
			}
		}
	}
	if quick < 400 {
		t.Errorf("only %d texts were measured quickly", quick)
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 5, ""},
		{"one two three", 20, "one two three"},
		{"one two three", 8, "one two|three"},
		{"one   two", 5, "one|two"},
		{"  one two", 6, "  one|two"},
		{"refunds-0 at 2026-11-29", 10, "refunds-0|at|2026-11-29"},
		{"of 2026-11-29T14:57", 8, "of|2026-11-|29T14:57"},
		{"abcdefgh ij", 3, "abc|def|gh|ij"},
		{"你好世界 吗", 5, "你好|世界|吗"},
		{"你好", 1, "你|好"},
		{"a e\u0301\u0301e\u0301 b", 2, "a|e\u0301\u0301e\u0301|b"},
		{"orders\ue000eu \ue001-\ue000", 9, "orders\ue000eu|\ue001-\ue000"}, // stays what it is
		{"one two ", 5, "one|two"},
		{"one", 0, ""},
	} {
		if got := strings.Join(wrap(tt.text, tt.width), "|"); got != tt.want {
			t.Errorf("%q in %d cells: %q, want %q", tt.text, tt.width, got, tt.want)
		}
	}
}

// Wrapping takes nothing away but blanks, and is never wider than it may be but
// for one character that is.
func FuzzWrap(f *testing.F) {
	f.Add("refunds-0 at 2026-11-29 你好", 7)
	f.Add("a\u0301\ue000 -\u200d👩‍👩‍👧", 2)
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = clamp(width, 1, 200)
		lines := wrap(text, width)
		without := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if got, want := without(strings.Join(lines, "")), without(plain(text)); got != want {
			t.Errorf("%q became %q", want, got)
		}
		for _, line := range lines {
			if w := cellWidth(line); w > width && w > 2 {
				t.Errorf("%q is %d cells wide in %d", line, w, width)
			}
		}
	})
}
