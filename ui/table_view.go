package ui

import (
	"fmt"
	"strings"

	"sharetop/model"
)

// styleRoom is about what the styles of one line take beside its cells, in bytes.
const styleRoom = 64

// View draws the title line and the rows that fit, exactly width by height.
func (t *table[T, K]) View(l look, width, height int) string {
	if width <= 0 || height <= 0 {
		return ""
	}
	places, gap := placeColumns(t.specs(), t.widths, width)
	used := lineWidth(places, gap)
	from := windowTop(t.top, t.cursor, len(t.rows), height-1)
	to := min(len(t.rows), from+height-1)

	var b strings.Builder
	b.Grow(height * (width + styleRoom))
	t.drawTitles(&b, l, places, gap, t.scrolled(from, to), width)
	for i := from; i < to; i++ {
		b.WriteByte('\n')
		t.drawRow(&b, l, i, places, gap)
		b.WriteString(blanks(width - used))
	}
	if used <= width && to-from == height-1 {
		// Every line is exact as it was built: measuring them again would cost
		// more than building them.
		return b.String()
	}
	if len(t.rows) == 0 {
		b.WriteString("\n" + t.emptyText(l, width))
	}
	return clipBlock(b.String(), width, height)
}

// specs are the columns without their rows' type.
func (t *table[T, K]) specs() []columnSpec {
	specs := make([]columnSpec, len(t.columns))
	for i, c := range t.columns {
		specs[i] = c.columnSpec
	}
	return specs
}

// scrolled says which rows are on screen when not all of them are.
func (t *table[T, K]) scrolled(from, to int) string {
	if to-from >= len(t.rows) {
		return ""
	}
	return fmt.Sprintf("%s-%s of %s", model.FormatInt(int64(from+1)), model.FormatInt(int64(to)),
		model.FormatInt(int64(len(t.rows))))
}

// drawTitles writes the title line; note goes to its right end if there is
// room.
func (t *table[T, K]) drawTitles(b *strings.Builder, l look, places []place, gap int, note string, width int) {
	used := gutter
	b.WriteString(blanks(gutter))
	for i, p := range places {
		if i > 0 {
			b.WriteString(blanks(gap))
			used += gap
		}
		c := t.columns[p.column].columnSpec
		last := i == len(places)-1
		w := p.width
		if last && note != "" && p.width-cellWidth(note)-1 >= cellWidth(c.title)+1 {
			w -= cellWidth(note) + 1
		}
		b.WriteString(t.title(l, p.column, c, w))
		used += w
	}
	n := width - used
	if note == "" || n <= cellWidth(note) {
		note = ""
	}
	b.WriteString(blanks(n - cellWidth(note)))
	b.WriteString(l.s.dim.render(note))
}

// title is one column's title; the one sorted by is not dim and has an arrow.
func (t *table[T, K]) title(l look, column int, c columnSpec, width int) string {
	text, st := c.title, l.s.dim
	if column == t.sorted {
		st = l.s.text
		if t.descending {
			text += l.g.down
		} else {
			text += l.g.up
		}
	}
	if c.right {
		return st.render(fitRight(text, width, l.g.more))
	}
	return st.render(fit(text, width, l.g.more))
}

func (t *table[T, K]) drawRow(b *strings.Builder, l look, i int, places []place, gap int) {
	row := t.rows[i]
	under := i == t.cursor
	bar, mark := " ", " "
	if under {
		bar = l.s.accent.render(l.g.bar)
	}
	if t.Marked(row) {
		mark = l.s.accent.render(l.g.mark)
	}
	b.WriteString(bar)
	b.WriteString(mark)
	dim := t.stale != nil && t.stale(row)
	for n, p := range places {
		if n > 0 {
			b.WriteString(blanks(gap))
		}
		col := &t.columns[p.column]
		c := col.cell(row, l, p.width)
		switch {
		case dim:
			c.style, c.signStyle = l.s.dim, c.signStyle.with(l.s.dim)
		case under && n == 0, t.changed != nil && t.changed(row, p.column):
			c.style = c.style.with(l.s.bold)
		}
		drawCell(b, l, c, col.columnSpec, p.width)
	}
}

// drawCell writes one cell, exactly width cells wide.
func drawCell(b *strings.Builder, l look, c cell, spec columnSpec, width int) {
	if c.sign != "" {
		sign := fit(c.sign, min(width, cellWidth(c.sign)+1), l.g.more)
		writeStyled(b, c.signStyle, sign)
		width -= cellWidth(sign)
	}
	if width <= 0 {
		return
	}
	text, used := fitCell(c.text, l, spec, width)
	// What fills up stays outside the style: a bold blank is another cell than a
	// blank, and would be sent to the terminal again.
	pad := blanks(width - used)
	if spec.right {
		b.WriteString(pad)
		pad = ""
	}
	writeStyled(b, c.style, text)
	b.WriteString(pad)
}

// fitCell makes a cell's text safe and no wider than width, and measures it. Most
// texts are ASCII that fits, and are looked at once.
func fitCell(text string, l look, spec columnSpec, width int) (fitting string, used int) {
	if len(text) <= width && isPrintableASCII(text) {
		return text, len(text)
	}
	text = plain(text)
	if spec.tail {
		text = cutLeft(text, width, l.g.less)
	} else {
		text = cut(text, width, l.g.more)
	}
	return text, cellWidth(text)
}

// writeStyled is render without a string of its own.
func writeStyled(b *strings.Builder, s style, text string) {
	if s.on == "" || text == "" {
		b.WriteString(text)
		return
	}
	b.WriteString(s.on)
	b.WriteString(text)
	b.WriteString(reset)
}

// emptyText is the reason why there are no rows, set off from the titles.
func (t *table[T, K]) emptyText(l look, width int) string {
	text := t.empty
	if t.only != "" {
		text = "Nothing here matches " + preview(t.only) + ": esc shows all."
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		for _, part := range wrap(strings.TrimSuffix(line, "\n"), width-gutter) {
			b.WriteString("\n" + blanks(gutter) + l.s.dim.render(part))
		}
	}
	return b.String()
}
