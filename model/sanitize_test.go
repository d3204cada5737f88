package model

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestSanitize(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain ASCII", "orders-retry_1.x", "orders-retry_1.x"},
		{"inner spaces stay", "night  shift", "night  shift"},
		{"ESC", "a\x1b[31mb", `a\e[31mb`},
		{"newline, CR, tab", "a\nb\rc\td", `a\nb\rc\td`},
		{"NUL, BEL, DEL", "\x00\x07\x7f", `\x00\x07\x7f`},
		{"C1 as UTF-8", "a\u009b31m", `a\u{9b}31m`},
		{"C1 as a byte", "a\x9b31m", `a\x9b31m`},
		{"broken UTF-8", "\xff\xfe\x80abc\xc3", `\xff\xfe\x80abc\xc3`},
		{"a surrogate in UTF-8", "\xed\xa0\x80", `\xed\xa0\x80`},
		{"a replacement character that was really sent", "a\ufffdb", "a\ufffdb"},
		{"bidi override", "abc\u202egnp.exe", `abc\u{202e}gnp.exe`},
		{"bidi isolate and mark", "\u2066x\u2069\u200f", `\u{2066}x\u{2069}\u{200f}`},
		{"zero width", "a\u200b\u2060b\ufeff", `a\u{200b}\u{2060}b\u{feff}`},
		{"soft hyphen, grapheme joiner", "a\u00ad\u034fb", `a\u{ad}\u{34f}b`},
		{"line and paragraph separator", "a\u2028b\u2029", `a\u{2028}b\u{2029}`},
		{"no-break and wide space", "a\u00a0b\u3000c", `a\u{a0}b\u{3000}c`},
		{"tag characters", "a\U000e0041", `a\u{e0041}`},
		{"unassigned and private use", "\u0378\ue000\U0010ffff", `\u{378}\u{e000}\u{10ffff}`},
		{"blank braille and Hangul filler", "\u2800\u3164", `\u{2800}\u{3164}`},
		{"wide characters stay", "泳斗-処理", "泳斗-処理"},
		{"emoji stays", "a☕b", "a☕b"},
		{"emoji selector", "❤\ufe0f", `❤\u{fe0f}`},
		{"joined family", "👨\u200d👩", `👨\u{200d}👩`},
		{"flag", "\U0001f1e9\U0001f1ea", `\u{1f1e9}\u{1f1ea}`},
		{"skin tone", "👍\U0001f3fd", `👍\u{1f3fd}`},
		{"two marks on a letter stay", "e\u0301\u0323x", "e\u0301\u0323x"},
		{"the third of a pile goes", "e\u0301\u0301\u0301x", "e\u0301\u0301\\u{301}x"},
		{"mark after an escape", "\x1b\u0301", `\e\u{301}`},
		{"mark without a letter", "\u0301a-\u0301", `\u{301}a-\u{301}`},
		{"mark on a wide letter", "水\u0301", "水\u0301"},
		{"Devanagari virama and vowel sign", "क\u094dषा", `क\u{94d}ष\u{93e}`},
		{"decomposed Hangul", "\u1112\u1161", `\u{1112}\u{1161}`},
		{"precomposed Hangul", "한글", "한글"},
		{"right-to-left letters", "שלום", "שלום"},
		{"a backslash is left alone", `a\b\\n`, `a\b\\n`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Sanitize(tt.in); got != tt.want {
				t.Errorf("Sanitize(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// oddString is one entry of testdata/strings.json: a byte string that broke
// some other tool.
type oddString struct{ ID, Kind, Raw string }

func oddStrings(t testing.TB) []oddString {
	t.Helper()
	data, err := os.ReadFile("testdata/strings.json")
	if err != nil {
		t.Fatal(err)
	}
	var entries []struct{ ID, Kind, Base64 string }
	if err := json.Unmarshal(data, &entries); err != nil {
		t.Fatal(err)
	}
	odd := make([]oddString, len(entries))
	for i, e := range entries {
		raw, err := base64.StdEncoding.DecodeString(e.Base64)
		if err != nil {
			t.Fatalf("%s: %v", e.ID, err)
		}
		odd[i] = oddString{ID: e.ID, Kind: e.Kind, Raw: string(raw)}
	}
	if len(odd) < 30 {
		t.Fatalf("only %d strings: the file is not the right one", len(odd))
	}
	return odd
}

// checkSafe holds what Sanitize promises of any output.
func checkSafe(t *testing.T, in, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Errorf("Sanitize(%q) = %q is not UTF-8", in, out)
	}
	for _, r := range out {
		if !unicode.IsPrint(r) {
			t.Errorf("Sanitize(%q) = %q lets %U through", in, out, r)
		}
	}
	if again := Sanitize(out); again != out {
		t.Errorf("Sanitize(%q) = %q, and again %q", in, out, again)
	}
}

func TestSanitizeOddStrings(t *testing.T) {
	for _, odd := range oddStrings(t) {
		t.Run(odd.ID, func(t *testing.T) {
			out := Sanitize(odd.Raw)
			checkSafe(t, odd.Raw, out)
			if odd.Raw != "" && out == "" {
				t.Errorf("Sanitize(%q) hides all of it", odd.Raw)
			}
			if text := NewText(odd.Raw); text.Raw() != odd.Raw || text.String() != out {
				t.Errorf("NewText(%q) keeps %q and shows %q", odd.Raw, text.Raw(), text)
			}
		})
	}
}

func TestSanitizePlainDoesNotAllocate(t *testing.T) {
	plain := strings.Repeat("booknest.packing-jobs ", 10)
	if n := testing.AllocsPerRun(100, func() { Sanitize(plain) }); n != 0 {
		t.Errorf("%v allocations for plain ASCII", n)
	}
}

func FuzzSanitize(f *testing.F) {
	for _, odd := range oddStrings(f) {
		f.Add(odd.Raw)
	}
	f.Add("\x1b\u0301\u0301\u200d\U0001f1e9")
	f.Fuzz(func(t *testing.T, in string) { checkSafe(t, in, Sanitize(in)) })
}

func BenchmarkSanitize(b *testing.B) {
	for name, in := range map[string]string{
		"plain": "booknest.packing-jobs",
		"wide":  "泳斗-処理-❤\ufe0f-e\u0301",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Sanitize(in)
			}
		})
	}
}
