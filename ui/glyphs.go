package ui

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"sharetop/model"
)

// glyphs are the signs that are drawn, each one cell wide.
type glyphs struct {
	// ascii is true when nothing but ASCII may be written (--ascii, LANG=C).
	ascii bool
	// bar stands before the row under the cursor, mark beside a marked one.
	bar, mark string
	// stuck, warn and fine go with the severities.
	stuck, warn, fine string
	// named is beside a group that its name gives away as a share-group sink's.
	named string
	// levels are the heights of a sparkline, lowest first; gap is for unknown.
	levels [8]string
	gap    string
	// line is a horizontal rule, side a vertical one.
	line, side string
	// more and less replace what was cut off at the right and at the left.
	more, less string
	// up and down are beside the column that is sorted by.
	up, down string
	// dot stands between pieces of one line.
	dot string
	// hidden stands for a character of a secret.
	hidden string
	// full and empty are the cells of a progress bar.
	full, empty string
	// The cells of a strip of offsets, and its ends.
	finished, archived, archiving, fresh, edge string
}

// newGlyphs returns the set for a terminal that shows Unicode, or for one that
// shows ASCII only.
func newGlyphs(ascii bool) glyphs {
	if ascii {
		return glyphs{
			ascii: true, bar: "|", mark: "*", stuck: "#", warn: "!", fine: "o", named: "@",
			levels: [8]string{"_", ",", "-", "~", "=", "+", "*", "#"}, gap: ".",
			hidden: "*", line: "-", side: "|", more: ">", less: "<", up: "^", down: "v", dot: "|",
			full: "#", empty: ".",
			finished: "=", archived: "x", archiving: "%", fresh: ".", edge: "|",
		}
	}
	return glyphs{
		bar: "▌", mark: "✓", stuck: "■", warn: "▲", fine: "●", named: "◆",
		levels: [8]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, gap: "·",
		hidden: "·", line: "─", side: "│", more: "…", less: "…", up: "↑", down: "↓", dot: "·",
		full: "▓", empty: "░",
		finished: "✓", archived: "✗", archiving: "▒", fresh: "·", edge: "┃",
	}
}

// severity is the sign that stands beside a verdict of that severity; fine and
// unknown have none, so that only what is wrong draws the eye.
func (g glyphs) severity(v model.Severity) string {
	switch v {
	case model.SeverityStuck:
		return g.stuck
	case model.SeverityWarn:
		return g.warn
	default:
		return ""
	}
}

// words writes a text that is not laid out yet with what may take more cells in
// ASCII: ">=" for "≥", which fold could only make ">", and that is another claim.
func (g glyphs) words(s string) string {
	if !g.ascii {
		return s
	}
	return strings.ReplaceAll(s, "≥", ">=")
}

// asciiFor are the ASCII signs for what the program itself writes in Unicode.
// Each is as wide as what it replaces, so that columns stay where they are.
const asciiFor = "–-—-−-≥>≤<≈~…>·|×xµu→>←<↑^↓v✓*■#▲!●o◆@▌|─-│|•*"

// fold makes a drawn text ASCII when the terminal needs that: signs become
// their likeness, all else "?" for each cell, so that no width changes.
func (g glyphs) fold(s string) string {
	if !g.ascii || isASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		if s[0] < utf8.RuneSelf {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		cluster, width := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		b.WriteString(foldCluster(cluster, width))
		s = s[max(1, len(cluster)):]
	}
	return b.String()
}

// foldCluster replaces one character that is not ASCII by as many cells.
func foldCluster(cluster string, width int) string {
	if i := strings.Index(asciiFor, cluster); i >= 0 && width == 1 {
		next := i + len(cluster)
		return asciiFor[next : next+1]
	}
	return strings.Repeat("?", width)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
