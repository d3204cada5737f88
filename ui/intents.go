package ui

import (
	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// maxPages bounds the stack of pages: opening more replaces the topmost.
const maxPages = 8

// carryOut does what a page or dialog asks for.
func (a *App) carryOut(want intent) tea.Cmd {
	switch want := want.(type) {
	case goBack:
		return a.pop()
	case openDialog:
		a.dialogs = append(a.dialogs, want.dialog)
	case closeDialog:
		return a.closeDialog()
	case setQuery:
		return a.setQuery(want.query)
	case setFilter:
		return a.setFilter(want.text, want.filter)
	case copyText:
		return tea.Batch(a.closeDialog(), a.copyItem(want.item))
	case copyKept:
		return a.copyItem(want.item)
	case showStatus:
		return a.say(want.level, want.text)
	case awaitReply:
		return a.holdStill()
	case suspendNow:
		return a.suspendNow()
	case runCommand:
		return tea.Batch(a.closeDialog(), a.runCommand(want.line))
	case typedDone:
		return tea.Batch(a.closeDialog(), a.carryOut(want.want))
	case closeThen:
		return tea.Batch(a.closeDialog(), a.carryOut(want.want))
	default:
		return a.openPage(want)
	}
	return nil
}

// openPage carries out an intent to see something else.
func (a *App) openPage(want intent) tea.Cmd {
	switch want := want.(type) {
	case openGroup:
		return a.push(newGroupPage(&a.env, want.id))
	case openProblems:
		return a.openProblems()
	case openRadar:
		return a.openRadar()
	case openArchived:
		return a.openArchived(want.id)
	case openState:
		return a.openState(want)
	case openRecords:
		return a.openRecords(want)
	case openReset:
		return a.push(newResetPage(&a.env, want.id, want.parts))
	default:
		return a.change(want)
	}
}

// change carries out an intent on the way to a change of a group.
func (a *App) change(want intent) tea.Cmd {
	switch want := want.(type) {
	case askDelete:
		return a.carryOut(openDialog{newDeleteDialog(&a.env, want.ids)})
	case askDeleteIn:
		return a.carryOut(openDialog{&deleteMenu{askDeleteIn: want}})
	case startDelete:
		p, cmd := newDeletePage(&a.env, want)
		return tea.Batch(a.push(p), cmd)
	case unsetConfigs:
		want.page.busy = true
		return unsetThem(a.env.cfg.Changer, want.page, want.changes)
	case editConfig:
		p, cmd := newConfigPage(&a.env, want)
		return tea.Batch(a.push(p), cmd)
	case setConfig:
		return want.page.set(&a.env, want.change)
	case writeReset:
		return want.page.write(&a.env, want.plan)
	default:
		return a.consume(want)
	}
}

// consume carries out an intent about a consume session.
func (a *App) consume(want intent) tea.Cmd {
	switch want := want.(type) {
	case openConsume:
		return a.openJoin(want.id)
	case startConsume:
		return a.startConsume(want)
	case sendPlan:
		return a.onConsume(func(c *consumePage) (intent, tea.Cmd) { return c.send(&a.env, want) })
	case leaveConsume:
		return a.onConsume(func(c *consumePage) (intent, tea.Cmd) { return nil, c.beginLeave(&a.env, want.quit) })
	case leftConsume:
		return a.leftSession(want)
	default:
		cmd, _ := a.toClusters(want)
		return cmd
	}
}

// push shows a page on top of the one that is shown.
func (a *App) push(p page) tea.Cmd {
	if len(a.pages) == maxPages && a.page() == page(a.consuming()) {
		return a.say(levelInfo, "Too many pages are open on top of each other: leave the session first.")
	}
	if len(a.pages) == maxPages {
		closePage(a.page())
		a.pages = a.pages[:maxPages-1]
	}
	a.pages = append(a.pages, p)
	return nil
}

// pop leaves the page that is shown; home stays.
func (a *App) pop() tea.Cmd {
	if len(a.pages) > 1 {
		closePage(a.page())
		a.pages[len(a.pages)-1] = nil
		a.pages = a.pages[:len(a.pages)-1]
	}
	cmd := a.thaw()
	if c, ok := a.page().(coverable); ok {
		cmd = tea.Batch(cmd, c.uncover(&a.env))
	}
	return cmd
}

// closeDialog takes the topmost dialog away.
func (a *App) closeDialog() tea.Cmd {
	if n := len(a.dialogs); n > 0 {
		a.dialogs[n-1] = nil
		a.dialogs = a.dialogs[:n-1]
	}
	return a.thaw()
}

func (a *App) openProblems() tea.Cmd {
	if _, already := a.page().(*problemsPage); already {
		return nil
	}
	return a.push(newProblemsPage(&a.env, a.messages))
}

// messages are what was said to the person in this session, oldest first.
func (a *App) messages() []message { return a.status.log }

func (a *App) openRadar() tea.Cmd {
	if _, already := a.page().(*radarPage); already {
		return nil
	}
	p, look := newRadarPage(&a.env)
	return tea.Batch(a.push(p), look)
}

// openArchived opens the archived records of a group, of all for no id.
func (a *App) openArchived(id model.GroupID) tea.Cmd {
	if p, already := a.page().(*archivedPage); already && p.group == id {
		return nil
	}
	p, look := newArchivedPage(&a.env, id)
	return tea.Batch(a.push(p), look)
}

func (a *App) openSource() tea.Cmd {
	if _, already := a.page().(*sourcePage); already {
		return nil
	}
	return a.push(newSourcePage(&a.env))
}

// openState opens a group's page at the state of one of its records.
func (a *App) openState(want openState) tea.Cmd {
	p := newGroupPage(&a.env, want.id)
	p.state.goTo(want.place, want.offset)
	p.tab = tabState
	p.fit(&a.env)
	return a.push(p)
}
