package ui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// command is one thing that can be typed after ":".
type command struct {
	name string
	// argument is what a person reads in its place; empty when it takes none.
	argument string
	help     string
	run      func(a *App, argument string) tea.Cmd
	// complete offers arguments; nil for none.
	complete func(e *env) []string
}

func (c command) usage() string {
	if c.argument == "" {
		return c.name
	}
	return c.name + " " + c.argument
}

// commands are all commands, in the order in which help shows them.
func commands() []command {
	return []command{
		{name: "group", argument: "ID", help: "open a group, listed or not", run: (*App).commandGroup, complete: groupNames},
		{name: "reset", argument: "ID", help: "plan other start offsets; places a group that is not there yet", run: (*App).commandReset, complete: groupNames},
		{name: "config", argument: "ID KEY", help: "change a config of a group, there or not", run: (*App).commandConfig, complete: groupNames},
		{name: "filter", argument: "TERMS", help: "show what matches; no terms: all", run: (*App).commandFilter},
		{name: "sort", argument: "COLUMN", help: "sort by a column, or worst first", run: (*App).commandSort, complete: sortNames},
		{name: "interval", argument: "TIME", help: "between two ticks, 500ms to 1m", run: (*App).commandInterval, complete: intervalNames},
		{name: "pause", help: "stop asking the cluster, or go on", run: plainCommand((*App).togglePause)},
		{name: "refresh", help: "ask at once", run: plainCommand((*App).refresh)},
		{name: "radar", help: "records on a second or later delivery, worst first", run: plainCommand((*App).openRadar)},
		{name: "archived", argument: "ID", help: "records given up, of a group or of all", run: (*App).commandArchived, complete: groupNames},
		{name: "source", help: "where offsets come from, and why", run: plainCommand((*App).openSource)},
		{name: "ctx", argument: "NAME", help: "another cluster; no name: those found on this machine", run: (*App).commandContext, complete: clusterNames},
		{name: "settings", help: "what made the connection, and where each setting comes from", run: plainCommand((*App).openSettings)},
		{name: "problems", help: "what could not be seen, and why", run: plainCommand((*App).openProblems)},
		{name: "audit", help: "what was sent to share groups from here", run: plainCommand((*App).openAudit)},
		{name: "snap", help: "write what is shown to a file", run: plainCommand((*App).snap)},
		{name: "utc", help: "UTC or local time", run: plainCommand((*App).toggleUTC)},
		{name: "help", help: "keys and commands", run: plainCommand((*App).openHelp)},
		{name: "q", help: "quit", run: plainCommand((*App).askQuit)},
	}
}

// plainCommand is a command that takes no argument.
func plainCommand(do func(*App) tea.Cmd) func(*App, string) tea.Cmd {
	return func(a *App, _ string) tea.Cmd { return do(a) }
}

// runCommand does what a line says. "quit" is understood too.
func (a *App) runCommand(line string) tea.Cmd {
	name, argument, _ := strings.Cut(strings.TrimSpace(line), " ")
	if name == "" {
		return nil
	}
	a.pastCommands = remember(a.pastCommands, strings.TrimSpace(line))
	if name == "quit" || name == "q!" {
		name = "q"
	}
	for _, c := range commands() {
		if c.name == name {
			return c.run(a, strings.TrimSpace(argument))
		}
	}
	return a.say(levelWarn, fmt.Sprintf("There is no command %q: :help lists them.", model.Sanitize(name)))
}

// maxPastCommands bounds how many typed lines are remembered.
const maxPastCommands = 50

func remember(past []string, line string) []string {
	if n := len(past); n > 0 && past[n-1] == line {
		return past
	}
	if len(past) == maxPastCommands {
		past = append(past[:0], past[1:]...)
	}
	return append(past, line)
}

func (a *App) commandGroup(id string) tea.Cmd {
	if id == "" {
		return a.say(levelWarn, "Which group? :group ID opens one.")
	}
	return a.push(newGroupPage(&a.env, model.NewGroupID(id)))
}

// commandReset plans for a group, listed or not: writing makes one that is not
// there.
func (a *App) commandReset(id string) tea.Cmd {
	if why := whyNoChanges(&a.env.cfg); why != "" {
		return a.say(levelInfo, "reset: "+why+".")
	}
	if id == "" {
		return a.say(levelWarn, "Which group? :reset ID plans its start offsets.")
	}
	return a.carryOut(openReset{id: model.NewGroupID(id)})
}

// commandConfig opens one config of a group, which need not be there. The key is
// the last word: a group's id may have blanks.
func (a *App) commandConfig(argument string) tea.Cmd {
	if why := whyNoChanges(&a.env.cfg); why != "" {
		return a.say(levelInfo, "config: "+why+".")
	}
	at := strings.LastIndexByte(argument, ' ')
	if at < 0 {
		return a.say(levelWarn, "Which config of which group? :config ID KEY, such as :config orders share.auto.offset.reset.")
	}
	entry := model.ConfigEntry{Key: model.NewText(argument[at+1:])}
	return a.carryOut(editConfig{id: model.NewGroupID(strings.TrimSpace(argument[:at])), entry: entry, find: true})
}

func (a *App) commandArchived(id string) tea.Cmd {
	return a.openArchived(model.NewGroupID(id))
}

func (a *App) commandFilter(terms string) tea.Cmd {
	filter, err := model.ParseFilter(terms)
	if err != nil {
		return a.say(levelWarn, err.Error())
	}
	a.goHome()
	return a.setFilter(terms, filter)
}

func (a *App) commandSort(column string) tea.Cmd {
	for _, s := range sortColumns() {
		if s.name == column {
			a.goHome()
			return a.setQuery(model.Query{Filter: a.env.query.Filter, Sort: s.key})
		}
	}
	names := strings.Join(sortNames(&a.env), ", ")
	if column == "" {
		return a.say(levelWarn, "By which column? "+names+".")
	}
	return a.say(levelWarn, fmt.Sprintf("There is no column %q: sort by %s.", model.Sanitize(column), names))
}

func (a *App) commandInterval(text string) tea.Cmd {
	d, err := time.ParseDuration(text)
	if err != nil || d < model.MinInterval || d > model.MaxInterval {
		return a.say(levelWarn, fmt.Sprintf("%q is no interval: from %s to %s, such as 2s.",
			model.Sanitize(text), model.FormatDuration(model.MinInterval), model.FormatDuration(model.MaxInterval)))
	}
	return a.setInterval(d)
}

// goHome leaves every page but the groups page, where filter and order show.
// The page of an open session stays, above home, where esc leads back to it.
func (a *App) goHome() {
	c := a.consuming()
	for _, p := range a.pages[1:] {
		if p != page(c) {
			closePage(p)
		}
	}
	clear(a.pages[1:])
	a.pages = a.pages[:1]
	if c != nil {
		a.pages = append(a.pages, c)
	}
}

// groupNames are the ids of the groups on screen, as they are written.
func groupNames(e *env) []string {
	out := make([]string, len(e.rows))
	for i, row := range e.rows {
		out[i] = row.Group.ID.Raw()
	}
	return out
}

func clusterNames(e *env) []string {
	var out []string
	for i := range e.profiles {
		out = append(out, e.profiles[i].Name.Raw())
	}
	return out
}

func sortNames(*env) []string {
	var out []string
	for _, s := range sortColumns() {
		out = append(out, s.name)
	}
	return out
}

func intervalNames(*env) []string {
	var out []string
	for _, d := range intervals() {
		out = append(out, d.String())
	}
	return out
}
