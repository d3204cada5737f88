package model

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sanitize makes outside text safe for a terminal: one line, valid UTF-8, no
// control of any kind, nothing invisible, and the same width whether a
// terminal counts code points (wcwidth) or grapheme clusters.
//
// What is not safe becomes a visible escape: \t \n \r \e, \x07 for the other
// ASCII controls, \xff for a byte that is not UTF-8, \u{202e} for all else.
// That covers C0, C1 and DEL; bidi controls, zero-width and other format
// characters; every space but the plain one; line and paragraph separators;
// unassigned and private use code points; and what makes terminals disagree
// about the width: joiners, variation selectors, regional indicators, skin
// tones, conjoining jamo, spacing marks and conjunct-forming marks. A letter
// keeps up to maxMarks ordinary combining marks; the rest of a pile is
// escaped.
//
// A backslash stays as it is. Doubling it would make the escapes unambiguous,
// but then Sanitize would not be idempotent (no map can be both, short of
// changing nothing), and text that passes twice must not grow. So a name that
// really has the two characters \e looks like one with ESC: what acts on a
// group uses Raw, never the form shown.
//
// Letters of scripts that run from right to left stay readable. They have no
// width of their own making, but a terminal that reorders lines (implicit
// mode, ECMA-48 BDSM) may also reorder the numbers after them.
func Sanitize(s string) string {
	at := plainPrefix(s)
	if at == len(s) {
		return s
	}
	if at > 0 {
		at-- // a mark may belong to the letter before it
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:at])
	marks := noMarks
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			escapeByte(&b, s[at])
			marks = noMarks
		case inRanges(combining, r) && marks < maxMarks:
			b.WriteString(s[at : at+size])
			marks++
		case isSafe(r):
			b.WriteString(s[at : at+size])
			marks = noMarks
			if unicode.IsLetter(r) {
				marks = 0
			}
		default:
			escapeRune(&b, r)
			marks = noMarks
		}
		at += size
	}
	return b.String()
}

// maxMarks is how many combining marks a letter keeps: two are needed to write
// Vietnamese or pointed Hebrew, and more reach into the lines above and below.
// A count of noMarks means that no letter stands before.
const (
	maxMarks = 2
	noMarks  = maxMarks
)

// plainPrefix is the length of the printable ASCII at the start of s.
func plainPrefix(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return i
		}
	}
	return len(s)
}

// isSafe tells whether a rune on its own can be shown as it is.
func isSafe(r rune) bool {
	if r >= ' ' && r <= '~' {
		return true
	}
	return unicode.IsPrint(r) && !unicode.IsMark(r) && !inRanges(unstable, r)
}

// escapeByte writes one byte as \x and two hexadecimal digits.
func escapeByte(b *strings.Builder, c byte) {
	const digits = "0123456789abcdef"
	b.WriteString(`\x`)
	b.WriteByte(digits[c>>4])
	b.WriteByte(digits[c&15])
}

// escapeRune writes a rune as one of the escapes that Sanitize names.
func escapeRune(b *strings.Builder, r rune) {
	switch {
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\x1b':
		b.WriteString(`\e`)
	case r < utf8.RuneSelf:
		escapeByte(b, byte(r))
	default:
		b.WriteString(`\u{`)
		b.WriteString(strconv.FormatInt(int64(r), 16))
		b.WriteByte('}')
	}
}
