package ui

// The smallest screen that is drawn, in cells; below it one sentence says so.
const (
	minWidth  = 40
	minHeight = 10
)

// Heights of the parts that keep their place on every screen.
const (
	headerHeight = 2
	footerHeight = 1
)

// tooSmall tells whether a screen is too small to be of use.
func tooSmall(screen Rect) bool { return screen.W < minWidth || screen.H < minHeight }

// bodyOf is the part of the screen between header and footer.
func bodyOf(screen Rect) Rect {
	return Rect{
		Y: min(headerHeight, screen.H),
		W: screen.W, H: max(0, screen.H-headerHeight-footerHeight),
	}
}

// sheet is a part of the screen at the lower edge of the body, height lines
// high or as high as the body: where dialogs that are not a page of their own go.
func sheet(screen Rect, height int) Rect {
	body := bodyOf(screen)
	h := min(max(0, height), body.H)
	return Rect{Y: body.Y + body.H - h, W: body.W, H: h}
}
