package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Everything that is drawn passes one of the functions here, so that a line is
// exactly as wide as its place and no control byte but a style reaches the
// terminal. Widths are terminal cells, never bytes or runes.

// cellWidth is how many cells a text takes; styles take none.
func cellWidth(s string) int {
	if w, ok := quickWidth(s); ok {
		return w
	}
	return ansi.StringWidth(s)
}

// quickWidth is cellWidth for lines of ASCII, styles and the program's own
// signs, which nearly all lines are; ok is false for any other. Looking for
// grapheme clusters takes ten times as long, and was most of a frame.
func quickWidth(s string) (w int, ok bool) {
	for i := 0; i < len(s); {
		if n := plainLength(s[i:]); n > 0 {
			w += n
			i += n
			continue
		}
		switch s[i] {
		case '\x1b':
			n := styleLength(s[i:])
			if n == 0 {
				return 0, false
			}
			i += n
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if !isOwnSign(r) {
				return 0, false
			}
			w++
			i += n
		}
	}
	return w, true
}

// isOwnSign tells whether a character is one of those that glyphs, charts and
// format functions write: each is one cell wide in every terminal. One that
// would join it, such as a variation selector, is not among them.
func isOwnSign(r rune) bool {
	switch {
	case r >= 0x2800 && r <= 0x28ff: // braille
		return true
	case r >= 0x2500 && r <= 0x259f: // lines and blocks
		return true
	}
	switch r {
	case '■', '▲', '●', '◆', '–', '·', '…', '≥', '✓', '✗', '↑', '↓':
		return true
	}
	return false
}

// fit cuts or pads a text at its right end to exactly width cells. What was
// cut off is shown by more, which is one cell wide.
func fit(s string, width int, more string) string {
	return padRight(cut(s, width, more), width)
}

// fitRight is fit for numbers: the text is moved to the right end.
func fitRight(s string, width int, more string) string {
	return padLeft(cut(s, width, more), width)
}

// fitTail is fit for texts whose end says most (hosts, paths): it cuts at the
// left.
func fitTail(s string, width int, less string) string {
	return padRight(cutLeft(s, width, less), width)
}

// cut shortens a text to width cells at most.
func cut(s string, width int, more string) string {
	if width <= 0 {
		return ""
	}
	switch {
	case isPrintableASCII(s):
		if len(s) <= width {
			return s
		}
		if room := width - cellWidth(more); room >= 0 {
			return s[:room] + more
		}
	case cellWidth(s) <= width:
		return s
	}
	return ansi.Truncate(s, width, more)
}

// cutLeft shortens a text to width cells at most, keeping its end.
func cutLeft(s string, width int, less string) string {
	if width <= 0 {
		return ""
	}
	over := cellWidth(s) - width
	if over <= 0 {
		return s
	}
	// A wide character at the edge may have to go as a whole.
	for drop := over + cellWidth(less); drop < over+width; drop++ {
		if out := ansi.TruncateLeft(s, drop, less); cellWidth(out) <= width {
			return out
		}
	}
	return less
}

// padRight fills a text with spaces at the right up to width cells.
func padRight(s string, width int) string {
	if n := width - cellWidth(s); n > 0 {
		return s + blanks(n)
	}
	return s
}

// padLeft fills a text with spaces at the left up to width cells.
func padLeft(s string, width int) string {
	if n := width - cellWidth(s); n > 0 {
		return blanks(n) + s
	}
	return s
}

// spaces is cut to make blanks without an allocation.
const spaces = "                                                                                "

// blanks is n spaces.
func blanks(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(spaces) {
		return spaces[:n]
	}
	return strings.Repeat(" ", n)
}

// clipBlock makes a drawn text exactly height lines of exactly width cells:
// what is too much is cut off, what is missing is blank.
func clipBlock(s string, width, height int) string {
	if width <= 0 || height <= 0 {
		return ""
	}
	exact, all := exactLines(s, width, height)
	if all {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + height + width)
	b.WriteString(s[:exact])
	rest := s[exact:]
	for range height - strings.Count(s[:exact], "\n") {
		line, behind, _ := strings.Cut(rest, "\n")
		writeLine(&b, line, width)
		b.WriteByte('\n')
		rest = behind
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// exactLines is how much of a block need not be touched: its first lines that
// are width cells wide already, each with its line break; all is true when the
// block is height such lines and nothing else. Most blocks are, since they were
// drawn for their place.
func exactLines(s string, width, height int) (length int, all bool) {
	for n := 1; n <= height; n++ {
		line, _, more := strings.Cut(s[length:], "\n")
		if w, ok := quickWidth(line); !ok || w != width {
			break
		}
		if !more {
			return length, n == height
		}
		length += len(line) + 1
	}
	return length, false
}

// clipLine makes one drawn line exactly width cells wide and ends its style.
func clipLine(line string, width int) string {
	if w, ok := quickWidth(line); ok && w <= width {
		return line + blanks(width-w)
	}
	return cutLine(line, width)
}

// cutLine is clipLine for a line that is too wide or not simple.
func cutLine(line string, width int) string {
	line = stylesOnly(line)
	w := cellWidth(line)
	if w > width {
		line = ansi.Truncate(line, width, "")
		if strings.Contains(line, "\x1b") && !strings.HasSuffix(line, reset) {
			line += reset
		}
		w = cellWidth(line)
	}
	if w == width {
		return line
	}
	return line + blanks(width-w)
}

// writeLine is clipLine without a string of its own for most lines.
func writeLine(b *strings.Builder, line string, width int) {
	if w, ok := quickWidth(line); ok && w <= width {
		b.WriteString(line)
		b.WriteString(blanks(width - w))
		return
	}
	b.WriteString(cutLine(line, width))
}

// plain is the second net under model.Sanitize for text that is put into a
// cell: it has no control characters, whatever came in.
func plain(s string) string {
	if isPrintableASCII(s) || !hasControl(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unsafeRune(r) {
			return '?'
		}
		return r
	}, s)
}

// stylesOnly is that net for drawn lines, which have styles (SGR) in them: of
// escape sequences only those are let through.
func stylesOnly(line string) string {
	safe := safePrefix(line)
	if safe == len(line) {
		return line
	}
	var b strings.Builder
	for {
		b.WriteString(line[:safe])
		line = line[safe:]
		if line == "" {
			return b.String()
		}
		_, n := utf8.DecodeRuneInString(line)
		b.WriteByte('?')
		line = line[n:]
		safe = safePrefix(line)
	}
}

// safePrefix is how much of a line is text and styles only.
func safePrefix(line string) int {
	for i := 0; i < len(line); {
		if c := line[i]; c >= ' ' && c <= '~' {
			i++
			continue
		}
		if n := styleLength(line[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(line[i:])
		if unsafeRune(r) {
			return i
		}
		i += n
	}
	return len(line)
}

// styleLength is the length of the style sequence that s begins with: ESC [,
// digits, ";" and ":", m. It is 0 for anything else.
func styleLength(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= ';':
		case c == 'm':
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

func hasControl(s string) bool { return strings.ContainsFunc(s, unsafeRune) }

// unsafeRune tells whether a terminal may act on a rune instead of showing it:
// controls (C0, DEL, C1), and what turns the direction of writing or has no
// width of its own. RuneError stands for a byte that is not UTF-8.
func unsafeRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	if r == utf8.RuneError {
		return true
	}
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}

func isPrintableASCII(s string) bool { return plainLength(s) == len(s) }

// plainLength is the length of the printable ASCII that s begins with.
func plainLength(s string) int {
	for i := range len(s) {
		if s[i]-' ' > '~'-' ' { // unsigned: what is below a blank is far above
			return i
		}
	}
	return len(s)
}
