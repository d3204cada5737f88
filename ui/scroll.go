package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"sharetop/keymap"
	"sharetop/model"
)

// scroller moves a window over lines of text.
type scroller struct {
	top int
	// lines and height are what the window was fitted to last.
	lines, height int
}

// fit tells the scroller how much there is to show and how much fits.
func (s *scroller) fit(lines, height int) {
	s.lines, s.height = lines, max(0, height)
	s.top = clamp(s.top, 0, max(0, s.lines-s.height))
}

// key moves the window and tells whether the key was one that moves.
func (s *scroller) key(l keymap.Lists, k tea.KeyPressMsg) bool {
	switch {
	case l.Up.Pressed(k):
		s.top--
	case l.Down.Pressed(k):
		s.top++
	case l.PageUp.Pressed(k):
		s.top -= max(1, s.height-1)
	case l.PageDown.Pressed(k):
		s.top += max(1, s.height-1)
	case l.Top.Pressed(k):
		s.top = 0
	case l.Bottom.Pressed(k):
		s.top = s.lines
	default:
		return false
	}
	s.fit(s.lines, s.height)
	return true
}

// pageKey handles a key of a page that is nothing but lines: it moves, or leaves.
func (s *scroller) pageKey(e *env, k tea.KeyPressMsg) intent {
	if !s.key(e.keys.Lists, k) && e.keys.Everywhere.Back.Pressed(k) {
		return goBack{}
	}
	return nil
}

// view draws a title line and the lines in the window.
func (s *scroller) view(e *env, title string, lines []string, r Rect) string {
	top := clamp(s.top, 0, max(0, len(lines)-(r.H-1)))
	shown := lines[top:min(len(lines), top+max(0, r.H-1))]
	where := ""
	if len(shown) < len(lines) {
		where = model.FormatInt(int64(top+1)) + "–" + model.FormatInt(int64(top+len(shown))) + " of " + model.FormatInt(int64(len(lines)))
	}
	return titleLine(e, title, where, r.W) + "\n" + strings.Join(shown, "\n")
}

// titleLine is a pane's title, ruled out to the right edge; note stands at the
// end of the rule.
func titleLine(e *env, title, note string, width int) string {
	if note != "" {
		note = " " + note + " "
	}
	rule := max(0, width-cellWidth(title)-3-cellWidth(note))
	return " " + e.styles.accent.render(title) + " " +
		e.styles.dim.render(strings.Repeat(e.glyphs.line, rule)+note)
}

// wrap breaks a text into lines of at most width cells: at blanks, which go then,
// and within a word only where it is wider than a line. A hyphen is no place to
// break a date or the name of a partition.
func wrap(text string, width int) []string {
	if width <= 0 {
		return nil
	}
	text = plain(text)
	if w, ok := quickWidth(text); ok && w <= width {
		return []string{text}
	}
	var lines []string
	line, used := "", 0
	for text = strings.TrimRight(text, " "); text != ""; {
		word := strings.TrimLeft(text, " ")
		gap := len(text) - len(word)
		word, _, _ = strings.Cut(word, " ")
		text = text[gap+len(word):]
		w := cellWidth(word)
		if used+gap+w <= width {
			line, used = line+blanks(gap)+word, used+gap+w
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for w > width {
			var head string
			head, word = cutWord(word, width)
			lines = append(lines, head)
			w = cellWidth(word)
		}
		line, used = word, w
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// cutWord is as much of a word as fits into width cells, and the rest; at least one
// character, since lines would not end otherwise.
func cutWord(word string, width int) (head, rest string) {
	head = ansi.Truncate(word, width, "")
	if head == "" {
		head, _ = ansi.FirstGraphemeCluster(word, ansi.GraphemeWidth)
	}
	return head, word[len(head):]
}
