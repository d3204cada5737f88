package ui

// canvas is a field of dots that is drawn as text, several dots to a cell:
// two by four with braille, one by three with ASCII.
type canvas struct {
	ascii         bool
	width, height int
	// cells has one set of bits for each cell, line by line.
	cells []uint8
}

// newCanvas makes an empty canvas of so many cells.
func newCanvas(ascii bool, width, height int) *canvas {
	width, height = max(0, width), max(0, height)
	return &canvas{ascii, width, height, make([]uint8, width*height)}
}

// cellDots is how many dots there are in a cell.
func (c *canvas) cellDots() (across, down int) {
	if c.ascii {
		return 1, 3
	}
	return 2, 4
}

// dots is the size of the canvas in dots.
func (c *canvas) dots() (across, down int) {
	x, y := c.cellDots()
	return c.width * x, c.height * y
}

// set puts a dot; what is outside is left out.
func (c *canvas) set(x, y int) {
	dx, dy := c.cellDots()
	if x < 0 || y < 0 || x >= c.width*dx || y >= c.height*dy {
		return
	}
	c.cells[y/dy*c.width+x/dx] |= c.bit(x%dx, y%dy)
}

// bit is the bit of a dot in its cell. Braille numbers its dots column by
// column, and the lowest row after all others.
func (c *canvas) bit(x, y int) uint8 {
	switch {
	case c.ascii:
		return 1 << y
	case y == 3:
		return 0x40 << x
	default:
		return 1 << (y + 3*x)
	}
}

// join draws a line from one dot to another. It is bounded by the canvas: both
// ends are on it.
func (c *canvas) join(x0, y0, x1, y1 int) {
	steps := max(abs(x1-x0), abs(y1-y0))
	for i := range steps + 1 {
		c.set(x0+rounded((x1-x0)*i, steps), y0+rounded((y1-y0)*i, steps))
	}
}

// rounded is n/d to the nearest; 0 where d is 0.
func rounded(n, d int) int {
	if d == 0 {
		return 0
	}
	if n < 0 {
		return -((-n + d/2) / d)
	}
	return (n + d/2) / d
}

func abs(n int) int { return max(n, -n) }

// line is one line of the canvas as text.
func (c *canvas) line(y int) string {
	row := c.cells[y*c.width : (y+1)*c.width]
	out := make([]rune, len(row))
	for i, bits := range row {
		out[i] = c.sign(bits)
	}
	return string(out)
}

// sign is the character that looks like a cell's dots. A cell without any is a
// blank and not an empty braille pattern, which some fonts draw as circles.
func (c *canvas) sign(bits uint8) rune {
	switch {
	case bits == 0:
		return ' '
	case !c.ascii:
		return '\u2800' + rune(bits)
	case bits == 1:
		return '\''
	case bits == 2:
		return '-'
	case bits == 4:
		return '.'
	default:
		return '|'
	}
}
