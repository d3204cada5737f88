package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"sharetop/model"
)

// View draws the screen. It reads only, but for what it keeps of its last frame.
func (a *App) View() tea.View {
	if a.still != nil && a.last.Content != "" {
		return a.last
	}
	v := tea.NewView(a.env.glyphs.fold(a.draw()))
	v.AltScreen = true
	v.WindowTitle = a.title()
	a.last = v
	return v
}

// title is the window's title. Bubble Tea writes it raw, so it is made safe
// here, whatever the cluster is called.
func (a *App) title() string {
	return plain(cut(model.Sanitize("sharetop "+a.env.cfg.ClusterName), maxTitle, ""))
}

// maxTitle bounds the window's title, in cells.
const maxTitle = 80

func (a *App) draw() string {
	if a.screen.Empty() {
		return ""
	}
	if tooSmall(a.screen) {
		return clipBlock(a.tooSmallText(), a.screen.W, a.screen.H)
	}
	e, p := &a.env, a.page()
	body := clipBlock(p.view(e, e.body), e.body.W, e.body.H)
	screen := a.header(p.heading(e)) + "\n" + body + "\n" + a.footer()
	if len(a.dialogs) == 0 {
		return screen
	}
	lines := strings.Split(screen, "\n")
	for _, d := range a.dialogs {
		r := d.place(e, a.screen)
		lines = overlay(lines, clipBlock(d.view(e, r), r.W, r.H), r, a.screen)
	}
	return strings.Join(lines, "\n")
}

func (a *App) tooSmallText() string {
	return fmt.Sprintf("too small\n%dx%d, needs %dx%d\nq quits", a.screen.W, a.screen.H, minWidth, minHeight)
}

// overlay puts a block on top of the screen. One that is as wide as the screen
// replaces lines; another is composed by cells, which costs a millisecond.
func overlay(lines []string, block string, r, screen Rect) []string {
	if block == "" {
		return lines
	}
	if r.X == 0 && r.W == screen.W {
		for i, line := range strings.Split(block, "\n") {
			if y := r.Y + i; y >= 0 && y < len(lines) {
				lines[y] = line
			}
		}
		return lines
	}
	canvas := lipgloss.NewCanvas(screen.W, screen.H)
	canvas.Compose(lipgloss.NewCompositor(
		lipgloss.NewLayer(strings.Join(lines, "\n")),
		lipgloss.NewLayer(block).X(r.X).Y(r.Y).Z(1),
	))
	return strings.Split(clipBlock(canvas.Render(), screen.W, screen.H), "\n")
}
