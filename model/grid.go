package model

import "strings"

// Grid lays out cells in columns, aligned by terminal cells. Its texts are safe
// for a terminal already.
type Grid struct {
	// HideTitles leaves out the line of titles.
	HideTitles bool
	// Paint may put colours around a cell, which is laid out by then; nil for
	// none. Lines count from 0 in each Take; titles are not painted.
	Paint func(line, column int, cell string) string

	titles []string
	right  []bool
	// widths only grow, so that what Take gives lines up with what it gave.
	widths []int
	lines  [][]string
	titled bool // the titles were taken
}

// NewGrid takes the column titles; one that ends in ">" is aligned right.
func NewGrid(titles ...string) *Grid {
	g := &Grid{right: make([]bool, len(titles)), titles: make([]string, len(titles)), widths: make([]int, len(titles))}
	for i, t := range titles {
		g.titles[i], g.right[i] = strings.CutSuffix(t, ">")
	}
	return g
}

// Add appends a line; it has a cell for every column.
func (g *Grid) Add(cells ...string) { g.lines = append(g.lines, cells) }

// Take is what was added since it was last called, the titles first when it
// never was: two spaces between columns, and no spaces at the end of a line.
func (g *Grid) Take() string {
	g.measure()
	var out strings.Builder
	if !g.titled && !g.HideTitles {
		out.WriteString(g.line(g.titles, nil))
	}
	g.titled = true
	for i, line := range g.lines {
		out.WriteString(g.line(line, func(column int, cell string) string {
			if g.Paint == nil {
				return cell
			}
			return g.Paint(i, column, cell)
		}))
	}
	g.lines = nil
	return out.String()
}

func (g *Grid) measure() {
	if !g.HideTitles {
		g.widen(g.titles)
	}
	for _, line := range g.lines {
		g.widen(line)
	}
}

func (g *Grid) widen(cells []string) {
	for i, cell := range cells {
		g.widths[i] = max(g.widths[i], Width(cell))
	}
}

func (g *Grid) line(cells []string, paint func(column int, cell string) string) string {
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteString("  ")
		}
		pad := strings.Repeat(" ", g.widths[i]-Width(cell))
		if paint != nil {
			cell = paint(i, cell)
		}
		if g.right[i] {
			b.WriteString(pad + cell)
		} else {
			b.WriteString(cell + pad)
		}
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}
