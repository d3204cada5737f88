package ui

import tea "charm.land/bubbletea/v2"

func (a *App) snap() tea.Cmd {
	return a.say(levelInfo, "not built yet")
}
