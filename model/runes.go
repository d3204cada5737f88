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
		"\u2630\u2637\u268a\u268f" + // trigrams: wide since Unicode 16 only
		"\u2800\u2800" + // blank braille pattern
		"\u3164\u3164" + // Hangul filler
		"\u4dc0\u4dff" + // hexagrams: wide since Unicode 16 only
		"\ua960\ua97c" + // conjoining Hangul jamo
		"\ud7b0\ud7fb" + // conjoining Hangul jamo
		"\uff9e\uffa0" + // halfwidth kana sound marks, halfwidth Hangul filler
		"\U000111c2\U000111c3\U0001193f\U0001193f\U00011941\U00011941" + // prefixed letters
		"\U00011a84\U00011a89\U00011d46\U00011d46\U00011f02\U00011f02" + // prefixed letters
		"\U0001d159\U0001d159" + // musical symbol null notehead
		"\U0001d300\U0001d376" + // Tai Xuan Jing and rods: wide since Unicode 16 only
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

	// wide are the runes of safe text that take two cells. Ranges reach over
	// runes that are never in safe text.
	wide = "\u231a\u231b\u2329\u232a\u23e9\u23ec\u23f0\u23f0\u23f3\u23f3\u25fd\u25fe\u2614\u2615" +
		"\u2648\u2653\u267f\u267f\u2693\u2693\u26a1\u26a1\u26aa\u26ab\u26bd\u26be\u26c4\u26c5" +
		"\u26ce\u26ce\u26d4\u26d4\u26ea\u26ea\u26f2\u26f3\u26f5\u26f5\u26fa\u26fa\u26fd\u26fd" +
		"\u2705\u2705\u270a\u270b\u2728\u2728\u274c\u274c\u274e\u274e\u2753\u2755\u2757\u2757" +
		"\u2795\u2797\u27b0\u27b0\u27bf\u27bf\u2b1b\u2b1c\u2b50\u2b50\u2b55\u2b55\u2e80\u303e" +
		"\u3041\u3247\u3250\ua4c6\uac00\ud7a3\uf900\ufad9\ufe10\ufe6b\uff01\uff60\uffe0\uffe6" +
		"\U00016fe0\U0001b2fb\U0001f004\U0001f004\U0001f0cf\U0001f0cf\U0001f18e\U0001f18e" +
		"\U0001f191\U0001f19a\U0001f200\U0001f320\U0001f32d\U0001f335\U0001f337\U0001f37c" +
		"\U0001f37e\U0001f393\U0001f3a0\U0001f3ca\U0001f3cf\U0001f3d3\U0001f3e0\U0001f3f0" +
		"\U0001f3f4\U0001f3f4\U0001f3f8\U0001f43e\U0001f440\U0001f440\U0001f442\U0001f4fc" +
		"\U0001f4ff\U0001f53d\U0001f54b\U0001f54e\U0001f550\U0001f567\U0001f57a\U0001f57a" +
		"\U0001f595\U0001f596\U0001f5a4\U0001f5a4\U0001f5fb\U0001f64f\U0001f680\U0001f6c5" +
		"\U0001f6cc\U0001f6cc\U0001f6d0\U0001f6d2\U0001f6d5\U0001f6df\U0001f6eb\U0001f6ec" +
		"\U0001f6f4\U0001f6fc\U0001f7e0\U0001f7f0\U0001f90c\U0001f93a\U0001f93c\U0001f945" +
		"\U0001f947\U0001f9ff\U0001fa70\U0001faf8\U00020000\U000323af"
)

// Width is the number of terminal cells that a text takes which is safe: the
// outcome of Sanitize, or our own words. Of other text it says nothing.
func Width(safe string) int {
	if n := plainPrefix(safe); n == len(safe) {
		return n
	}
	cells := 0
	for _, r := range safe {
		switch {
		case inRanges(combining, r):
		case inRanges(wide, r):
			cells += 2
		default:
			cells++
		}
	}
	return cells
}

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
