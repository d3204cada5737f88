package ui

// column says what a table shows of each row, and how wide.
type column[T any] struct {
	columnSpec
	// cell makes the cell of one row. Width is what the column has; it is 0
	// when the cell is only measured.
	cell func(row T, l look, width int) cell
	// compare orders rows by this column, smallest first; nil when the table
	// can't be sorted by it.
	compare func(a, b T) int
}

// columnSpec is the part of a column that its place is worked out from.
type columnSpec struct {
	title string
	// right moves cells to the right end: for numbers.
	right bool
	// tail keeps the end of a cell that is too long, not its beginning.
	tail bool
	// flex columns may be narrower than their cells, down to min, and share what
	// width is left over. The last of them takes all that remains. Columns with
	// flex 0 are as wide as their widest cell.
	flex, min int
	// max bounds a column's width; 0 is no bound.
	max int
	// want is the width of a column whose cells fit any width; 0 for others.
	want int
	// drop orders the columns that go when there is not enough room: the highest
	// first. 0 stays.
	drop int
	// absent columns are not shown at all: there is nothing to show in them now.
	absent bool
}

// cell is what stands in one column of one row. Text is safe for a terminal.
type cell struct {
	text  string
	style style
	// sign stands before the text with a style of its own; empty for none.
	sign      string
	signStyle style
}

func (c cell) width() int {
	w := cellWidth(c.text)
	if c.sign != "" {
		w += cellWidth(c.sign) + 1
	}
	return w
}

// look is how things are drawn: colours and signs, which must not be changed. It
// is handed to every cell, and so is small.
type look struct {
	s *styles
	g *glyphs
}

// unstyled is how cells are measured and searched. Signs are measured too: in both
// sets they are one cell wide.
func unstyled() look {
	g := newGlyphs(false)
	return look{new(styles), &g}
}

// place is a column's place in a line.
type place struct {
	column, width int
}

// gutter is the width before the first column: cursor bar and mark.
const gutter = 2

// placeColumns works out which columns are shown in a line of that width, how
// wide each is, and the gap between two. Widths are those of the widest cells.
func placeColumns(specs []columnSpec, widths []int, width int) (places []place, gap int) {
	places = make([]place, 0, len(specs))
	for i, c := range specs {
		if c.absent {
			continue
		}
		width := c.natural(widths[i])
		if c.flex > 0 {
			width = min(width, c.min)
		}
		places = append(places, place{i, width})
	}
	for {
		for gap = 2; gap >= 1; gap-- {
			if over := lineWidth(places, gap) - width; over <= 0 {
				spread(specs, widths, places, -over)
				return places, gap
			}
		}
		next, ok := dropOne(specs, places)
		if !ok {
			squeeze(specs, places, lineWidth(places, 1)-width)
			return places, 1
		}
		places = next
	}
}

func (c columnSpec) natural(widest int) int {
	if c.max > 0 {
		return min(widest, c.max)
	}
	return widest
}

func lineWidth(places []place, gap int) int {
	w := gutter + gap*max(0, len(places)-1)
	for _, p := range places {
		w += p.width
	}
	return w
}

// dropOne takes away the column that may go first.
func dropOne(specs []columnSpec, places []place) ([]place, bool) {
	first := -1
	for i, p := range places {
		if d := specs[p.column].drop; d > 0 && (first < 0 || d > specs[places[first].column].drop) {
			first = i
		}
	}
	if first < 0 {
		return places, false
	}
	return append(places[:first], places[first+1:]...), true
}

// spread shares spare cells between the flex columns by their weight until
// their cells fit; the last one takes what is left.
func spread(specs []columnSpec, widths []int, places []place, spare int) {
	last := -1
	for grown := true; grown && spare > 0; {
		grown = false
		for i, p := range places {
			c := specs[p.column]
			if c.flex == 0 {
				continue
			}
			last = i
			n := min(c.flex, spare, c.natural(widths[p.column])-p.width)
			if n > 0 {
				places[i].width += n
				spare -= n
				grown = true
			}
		}
	}
	if last >= 0 && specs[places[last].column].max == 0 {
		places[last].width += spare
	}
}

// squeeze takes cells from the widest flex columns when nothing else can go, so
// that they end up about equal.
func squeeze(specs []columnSpec, places []place, over int) {
	for ; over > 0; over-- {
		widest := -1
		for i, p := range places {
			if specs[p.column].flex > 0 && p.width > 1 && (widest < 0 || p.width >= places[widest].width) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		places[widest].width--
	}
}
