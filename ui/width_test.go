package ui

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/mattn/go-runewidth"

	"sharetop/model"
)

// wcwidth is the width a terminal without grapheme clusters uses: the sum over
// the code points.
func wcwidth(s string) int {
	narrow := runewidth.Condition{StrictEmojiNeutral: true}
	sum := 0
	for _, r := range s {
		sum += narrow.RuneWidth(r)
	}
	return sum
}

// checkWidth compares the ways to measure a safe text: they must agree, and
// text around it must not change that.
func checkWidth(t *testing.T, raw string) {
	t.Helper()
	safe := model.Sanitize(raw)
	clusters, points, sum := ansi.StringWidth(safe), ansi.StringWidthWc(safe), wcwidth(safe)
	if clusters != points || clusters != sum {
		t.Errorf("%+q as %+q: %d cells by clusters, %d by code points, %d by their sum",
			raw, safe, clusters, points, sum)
	}
	if got := model.Width(safe); got != clusters {
		t.Errorf("%+q as %+q: %d cells, but model.Width says %d", raw, safe, clusters, got)
	}
	if around := ansi.StringWidth("a" + safe + "b"); around != clusters+2 {
		t.Errorf("%+q as %+q: %d cells, but %d between two letters", raw, safe, clusters, around)
	}
}

// TestWidthOfEveryRune tries each printable rune alone, after a letter, twice,
// and between letters of scripts that form conjuncts and syllables. What is
// not printable becomes ASCII whatever it is; a sample of it is enough.
func TestWidthOfEveryRune(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !unicode.IsPrint(r) && r > 0x3000 && r%101 != 0 {
			continue
		}
		// Four fifths of all runes are ideographs and syllables of one kind each.
		if testing.Short() && r%97 != 0 && unicode.In(r, unicode.Han, unicode.Hangul) {
			continue
		}
		s := string(r)
		checkWidth(t, "e"+s+"क"+s+"क가"+s+"水"+s+"☕"+s+"1"+s)
		if t.Failed() {
			t.Fatalf("stopped at %U", r)
		}
	}
}

func FuzzWidth(f *testing.F) {
	for _, s := range []string{
		"👨\u200d👩\u200d👧 family", "❤\ufe0f heart", "e\u0301\u0323x", "🇩🇪🇫🇷", "a\u200b\u2060b",
		"क\u094dष", "\u1112\u1161\u11ab", "か\u3099", "1\ufe0f\u20e3", "\u0600\u0661", "\r\n", "\xff\xc3",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) { checkWidth(t, raw) })
}
