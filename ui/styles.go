package ui

import (
	"github.com/charmbracelet/x/ansi"

	"sharetop/model"
)

// styles are the tokens of the visual language: what a colour means, not which
// one it is. A screen in which nothing is wrong uses text, dim and bold only.
// Nothing is told by colour alone: a sign and a word stand beside it.
type styles struct {
	// text is for values; dim for units, labels, and what is unknown or old.
	text, dim style
	// bold is for the row under the cursor, titles, and what has just changed.
	bold style
	// accent is the one hue of the program: cursor bar, active tab, focus.
	accent style
	// good, warn and bad are for severity, data age and countdowns.
	good, warn, bad style
	// cursor is for the one cell of a strip that the cursor is on.
	cursor style
	// coloured is false where colour is left out.
	coloured bool
}

// cluster is the style of a cluster's name in a list: a person's own colour.
func (s styles) cluster(c model.ClusterColor) style {
	if c == "" {
		return s.text
	}
	st := ansi.Style{}.Bold()
	if s.coloured {
		st = st.ForegroundColor(clusterHue(c))
	}
	return newStyle(st)
}

// badge is the style of the name of the cluster that is shown: the colour behind
// it, so that it is seen without being looked for.
func (s styles) badge(c model.ClusterColor) style {
	return s.cluster(c).with(newStyle(ansi.Style{}.Reverse(true)))
}

// clusterHue is one of the terminal's own colours.
func clusterHue(c model.ClusterColor) ansi.Color {
	switch c {
	case model.ColorRed:
		return ansi.Red
	case model.ColorGreen:
		return ansi.Green
	case model.ColorYellow:
		return ansi.Yellow
	case model.ColorBlue:
		return ansi.Blue
	case model.ColorMagenta:
		return ansi.Magenta
	default:
		return ansi.Cyan
	}
}

// newStyles makes the tokens for a dark or light background. They are the
// terminal's own 16 colours wherever those can be read, so that a person's
// theme holds; without colour only weight is left.
func newStyles(dark, colour bool) styles {
	s := styles{
		coloured: colour,
		// Faint and not "bright black": several themes (Solarized) give that
		// colour the background's own value.
		dim:    newStyle(ansi.Style{}.Faint()),
		bold:   newStyle(ansi.Style{}.Bold()),
		accent: newStyle(ansi.Style{}.Bold()),
		warn:   newStyle(ansi.Style{}.Bold()),
		bad:    newStyle(ansi.Style{}.Bold()),
		cursor: newStyle(ansi.Style{}.Reverse(true)),
	}
	switch {
	case !colour:
	case dark:
		s.accent = foreground(ansi.Cyan)
		s.good = foreground(ansi.Green)
		s.warn = foreground(ansi.Yellow)
		s.bad = foreground(ansi.BrightRed)
	default:
		s.accent = foreground(ansi.Blue)
		s.good = foreground(ansi.Green)
		// The plain yellow of most themes can't be read on white.
		s.warn = foreground(ansi.IndexedColor(darkOrange))
		s.bad = foreground(ansi.Red)
	}
	return s
}

// darkOrange is #af5f00 in the 256-colour palette.
const darkOrange = 130

// severity is the style of a verdict's sign.
func (s styles) severity(v model.Severity) style {
	switch v {
	case model.SeverityStuck:
		return s.bad
	case model.SeverityWarn:
		return s.warn
	case model.SeverityFine:
		return s.text
	default:
		return s.dim
	}
}

// style is a set of terminal attributes, ready to be written around a piece of
// text. The zero style changes nothing. Pieces are styled one by one and put
// side by side, never one inside the other: the inner reset would end the
// outer style.
type style struct{ on string }

// reset ends every attribute.
const reset = ansi.ResetStyle

func newStyle(s ansi.Style) style { return style{on: s.String()} }

func foreground(c ansi.Color) style {
	return newStyle(ansi.Style{}.ForegroundColor(c))
}

// with adds the attributes of another style.
func (s style) with(other style) style { return style{on: s.on + other.on} }

// render puts the style around a piece of text.
func (s style) render(text string) string {
	if s.on == "" || text == "" {
		return text
	}
	return s.on + text + reset
}
