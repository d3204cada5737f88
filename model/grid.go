package model

import "strings"

// grid lays out cells in columns, aligned by terminal cells.
type grid struct {
	right []bool
	lines [][]string
}

// newGrid takes the column titles; one that ends in ">" is aligned right.
func newGrid(titles ...string) *grid {
	g := &grid{right: make([]bool, len(titles))}
	cells := make([]string, len(titles))
	for i, t := range titles {
		cells[i], g.right[i] = strings.CutSuffix(t, ">")
	}
	g.lines = append(g.lines, cells)
	return g
}

// add appends a line; it has a cell for every column.
func (g *grid) add(cells ...string) { g.lines = append(g.lines, cells) }

// String has the titles first, two spaces between columns, and no spaces at
// the end of a line.
func (g *grid) String() string {
	widths := make([]int, len(g.right))
	for _, line := range g.lines {
		for i, cell := range line {
			widths[i] = max(widths[i], Width(cell))
		}
	}
	var out strings.Builder
	for _, line := range g.lines {
		var b strings.Builder
		for i, cell := range line {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-Width(cell))
			if g.right[i] {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		out.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	}
	return out.String()
}
