package ui

import "strings"

// Heights of the pane that shows all of the row under the cursor, with its
// title line.
const (
	minDetail = 4
	maxDetail = 10
)

// splitDetail gives a table of so many rows what it needs and a pane for the
// row under the cursor the rest. On a low screen there is no such pane.
func splitDetail(r Rect, rows int) (table, detail Rect) {
	need := 1 + max(3, rows)
	if roomy(r.H) {
		need++
	}
	height := clamp(r.H-need, minDetail, maxDetail)
	if r.H < minDetail+6 {
		return r, Rect{}
	}
	top := min(need, r.H-height)
	return Rect{r.X, r.Y, r.W, top}, Rect{r.X, r.Y + top, r.W, height}
}

// field is one line, or several, of the pane; without a label it is a sentence.
type field struct{ label, text string }

// drawDetail draws the pane: a title line, then the fields with their texts
// under each other.
func drawDetail(e *env, title string, fields []field, r Rect) string {
	lines := []string{titleLine(e, cut(title, max(0, r.W-4), e.glyphs.more), "", r.W)}
	left := 0
	for _, f := range fields {
		left = max(left, cellWidth(f.label)+2)
	}
	for _, f := range fields {
		if f.text == "" {
			continue
		}
		label := e.styles.dim.render(f.label) + blanks(left-cellWidth(f.label))
		for i, line := range wrap(f.text, max(1, r.W-gutter-left-1)) {
			if i > 0 {
				label = blanks(left)
			}
			lines = append(lines, blanks(gutter)+label+line)
		}
	}
	return strings.Join(lines[:min(len(lines), r.H)], "\n")
}

// indent puts that many blanks before every line.
func indent(block string, by int) string {
	if block == "" {
		return ""
	}
	return blanks(by) + strings.ReplaceAll(block, "\n", "\n"+blanks(by))
}
