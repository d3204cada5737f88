package ui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
)

// pressed sends a key to its owner: ctrl-c first, then the topmost dialog, a
// page that captures text, the keys that mean the same everywhere, the page.
func (a *App) pressed(k tea.KeyPressMsg) tea.Cmd {
	if a.env.keys.Everywhere.QuitNow.Pressed(k) {
		return a.quitNow()
	}
	if d := a.dialog(); d != nil {
		return a.toDialog(d, k)
	}
	if a.page().capturesText() {
		return a.toPage(k)
	}
	if act := a.globalKey(k); act != nil {
		return act()
	}
	if b, off := offKey(a.page().help(&a.env), k); off {
		return a.say(levelInfo, fmt.Sprintf("%s %s: %s.", b.Help().Key, b.Help().Desc, b.Reason))
	}
	return a.toPage(k)
}

// globalKey finds what a key does everywhere; nil when it belongs to the page.
func (a *App) globalKey(k tea.KeyPressMsg) func() tea.Cmd {
	e := a.env.keys.Everywhere
	for _, g := range []struct {
		binding keymap.Binding
		act     func() tea.Cmd
	}{
		{e.Help, a.openHelp},
		{e.Palette, a.openPalette},
		{e.Back, a.back},
		{e.Quit, a.askQuit},
		{e.Refresh, a.refresh},
		{e.Pause, a.togglePause},
		{e.Slower, func() tea.Cmd { return a.setInterval(slower(a.feed.status.interval)) }},
		{e.Faster, func() tea.Cmd { return a.setInterval(faster(a.feed.status.interval)) }},
		{e.Radar, a.openRadar},
		{e.Problems, a.openProblems},
		{e.Copy, a.copyFirst},
		{e.CopyMenu, a.openCopyMenu},
		{e.UTC, a.toggleUTC},
		{e.Stop, a.askSuspend},
	} {
		if g.binding.Pressed(k) {
			return g.act
		}
	}
	return nil
}

// offKey finds the binding of a key that can't work now.
func offKey(sections []keymap.Section, k tea.KeyPressMsg) (keymap.Binding, bool) {
	for _, s := range sections {
		for _, b := range s.Bindings {
			if b.IsOff() && b.Pressed(k) {
				return b, true
			}
		}
	}
	return keymap.Binding{}, false
}

// back dismisses the message that is shown and leaves the page; home has nothing
// to go back to. An error, which would stay for ever, takes a key of its own.
func (a *App) back() tea.Cmd {
	shown := a.status.shown
	a.status.dismiss()
	if shown != nil && shown.level == levelError {
		return nil
	}
	// A page may have something of its own to leave, such as a filter.
	return a.toPage(tea.KeyPressMsg{Code: tea.KeyEscape})
}

func (a *App) refresh() tea.Cmd {
	if a.feed.status.paused {
		return a.say(levelInfo, "Paused: p goes on.")
	}
	a.feed.refresh++
	return nil
}

// togglePause stops asking the cluster, or goes on at once.
func (a *App) togglePause() tea.Cmd {
	a.feed.status.paused = !a.feed.status.paused
	if a.feed.status.paused {
		a.feed.stop()
	} else {
		a.status.dismiss() // it may say that p goes on
		a.feed.refresh++
	}
	return nil
}

func (a *App) setInterval(d time.Duration) tea.Cmd {
	a.feed.status.interval = clampInterval(d)
	return a.say(levelInfo, fmt.Sprintf("Every %s.", a.feed.status.interval))
}

// intervals are the steps of + and -.
func intervals() []time.Duration {
	return []time.Duration{
		500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second,
		10 * time.Second, 30 * time.Second, time.Minute,
	}
}

func slower(now time.Duration) time.Duration {
	for _, d := range intervals() {
		if d > now {
			return d
		}
	}
	return now
}

func faster(now time.Duration) time.Duration {
	to := now
	for _, d := range intervals() {
		if d < now {
			to = d
		}
	}
	return to
}

func (a *App) toggleUTC() tea.Cmd {
	a.env.utc = !a.env.utc
	return nil
}

// copyItems are what can be copied where the person is.
func (a *App) copyItems() []copyItem {
	if c, ok := a.page().(copier); ok {
		return c.copyItems(&a.env)
	}
	return nil
}

func (a *App) copyFirst() tea.Cmd {
	items := a.copyItems()
	if len(items) == 0 {
		return a.say(levelInfo, "There is nothing to copy here.")
	}
	return a.copyItem(items[0])
}

func (a *App) copyItem(item copyItem) tea.Cmd {
	if item.text == "" {
		return a.say(levelInfo, "Nothing is copied: "+item.what+" is empty.")
	}
	cmd, err := copyToClipboard(item.text, a.env.cfg.Env("TMUX") != "")
	if err != nil {
		return a.say(levelWarn, err.Error())
	}
	return tea.Batch(cmd, a.say(levelInfo, "Sent to the clipboard: "+item.what+"."))
}

func (a *App) openCopyMenu() tea.Cmd {
	items := a.copyItems()
	if len(items) == 0 {
		return a.say(levelInfo, "There is nothing to copy here.")
	}
	return a.carryOut(openDialog{newCopyMenu(items)})
}

func (a *App) say(level statusLevel, text string) tea.Cmd {
	return a.status.show(level, text, a.env.now)
}
