package model

// The tables of Sanitize: pairs of code points, the first and the last of a
// range, ascending. ui/width_test.go compares them, rune by rune, with what a
// terminal that counts code points and one that counts grapheme clusters use.
const (
	// unstable are printable runes that are not shown as they are: those that
	// some terminals join with their neighbours and others do not (UAX 29, rules
	// GB6 to GB9b, GB12 and GB13), and printable ones without any ink.
	unstable = "\u0d4e\u0d4e" + // Malayalam dot reph: joins the next letter
		"\u0e33\u0e33\u0eb3\u0eb3" + // Thai and Lao AM: join the letter before
		"\u1100\u11ff" + // conjoining Hangul jamo and fillers
		"\u2800\u2800" + // blank braille pattern
		"\u3164\u3164" + // Hangul filler
		"\ua960\ua97c" + // conjoining Hangul jamo
		"\ud7b0\ud7fb" + // conjoining Hangul jamo
		"\uff9e\uffa0" + // halfwidth kana sound marks, halfwidth Hangul filler
		"\U000111c2\U000111c3\U0001193f\U0001193f\U00011941\U00011941" + // prefixed letters
		"\U00011a84\U00011a89\U00011d46\U00011d46\U00011f02\U00011f02" + // prefixed letters
		"\U0001d159\U0001d159" + // musical symbol null notehead
		"\U0001f1e6\U0001f1ff" + // regional indicators: pairs make flags
		"\U0001f3fb\U0001f3ff" // skin tones

	// combining are the marks that a letter may keep: they have no width of
	// their own, never join two letters, and have ink.
	combining = "\u0300\u034e\u0350\u036f" + // Latin, Greek, Cyrillic
		"\u0483\u0487" + // Cyrillic
		"\u0591\u05bd\u05bf\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u05c7" + // Hebrew
		"\u0610\u061a\u064b\u065f\u0670\u0670" + // Arabic
		"\u06d6\u06dc\u06df\u06e4\u06e7\u06e8\u06ea\u06ed" + // Arabic
		"\u0e31\u0e31\u0e34\u0e3a\u0e47\u0e4e" + // Thai
		"\u0eb1\u0eb1\u0eb4\u0ebc\u0ec8\u0ece" // Lao
)

// inRanges looks a rune up in one of the tables.
func inRanges(table string, r rune) bool {
	if r < 0x300 {
		return false // below every entry
	}
	first, isFirst := rune(0), true
	for _, end := range table {
		switch {
		case isFirst:
			first = end
		case r <= end:
			return r >= first
		}
		isFirst = !isFirst
	}
	return false
}
