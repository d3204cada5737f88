package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// App is the root of the screen: it owns the stack of pages, the dialogs on top
// of them, the feed of boards and the messages to the person. It is a tea.Model.
type App struct {
	env  env
	feed feed
	// pages is the stack of pages, home first; the last is shown.
	pages []page
	// dialogs lie on top of the page, the last one topmost.
	dialogs []dialog
	status  status
	// screen is the terminal's size.
	screen Rect
	// revision numbers queries: rows of an older one are not shown.
	revision int
	// held is the newest board that arrived while rows must not move.
	held *boardMsg
	// pastCommands are the lines typed after ":", oldest first.
	pastCommands []string
	// dark and colour are what the styles were made for.
	dark, colour bool
	// clock ends the one-second timer that ages are drawn by.
	clock    context.CancelFunc
	quitting bool
	// still ends the wait for a quick reply; nil while none is waited for.
	still context.CancelFunc
	// last is what View drew last: the one thing that it writes, and that nothing
	// else reads.
	last tea.View
	// sessions numbers consume pages, switches changes to another cluster.
	sessions, switches int
	// switching is the change to another cluster that is under way; nil for none.
	switching *switching
}

// clockMsg comes once a second, so that ages move though nothing else does.
type clockMsg struct{}

const clockTick = time.Second

// New makes the screen. It does nothing before Bubble Tea runs it.
func New(cfg Config) *App {
	cfg = fromEnvironment(cfg)
	a := &App{
		env: env{
			cfg: cfg, keys: keysFor(&cfg), now: cfg.Now(), utc: cfg.UTC,
			glyphs: newGlyphs(cfg.ASCII),
		},
		feed: newFeed(cfg), dark: true, colour: !cfg.NoColor,
	}
	a.env.styles = newStyles(a.dark, a.colour)
	a.env.feed = a.feed.status
	a.pages = []page{newGroupsPage(&a.env)}
	switch {
	case cfg.Source == nil && cfg.Clusters != nil:
		a.pages = append(a.pages, newClustersPage(&a.env))
	case cfg.OpenGroup != "":
		a.pages = append(a.pages, newGroupPage(&a.env, model.NewGroupID(cfg.OpenGroup)))
	}
	return a
}

// keysFor turns off the keys that can't work with this cluster.
func keysFor(cfg *Config) keymap.KeyMap {
	return withReasons(withChanges(peekKeys(keymap.Default(), cfg.Peeker), cfg), *cfg)
}

// Init asks for the background colour and starts the feed and the clock.
func (a *App) Init() tea.Cmd {
	var list tea.Cmd
	if a.env.cfg.Clusters != nil {
		list = listProfiles(a.env.cfg.Clusters)
	}
	return tea.Batch(tea.RequestBackgroundColor, a.startClock(), a.follow(), list)
}

// Update handles one message and then makes the feed fit what is on screen.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	a.env.now = a.env.cfg.Now()
	a.moveOn()
	cmd := a.handle(msg)
	if a.quitting {
		return a, cmd
	}
	return a, tea.Batch(cmd, a.follow())
}

// frameTime is how long a frame stays that a quick reply is about to replace. The
// terminal is written to no more often, so nobody waits for it.
const frameTime = time.Second / 60

// awaitReply asks the app to leave the last frame until the next message, which is
// the reply to what was just asked for unless that takes longer than frameTime.
// So the request leaves at once, and a list is not emptied for a moment before it
// is filled again.
type awaitReply struct{}

func (awaitReply) isIntent() {}

// frameDueMsg ends the wait for a reply. Like every message it has a frame drawn.
type frameDueMsg struct{}

func (a *App) holdStill() tea.Cmd {
	ctx, cancel := context.WithCancel(context.Background())
	a.still = cancel
	return waitThen(ctx, frameTime, frameDueMsg{})
}

func (a *App) moveOn() {
	if a.still != nil {
		a.still()
	}
	a.still = nil
}

// handle sends a message to its owner. What belongs to nobody goes to the page,
// which may have asked for it.
func (a *App) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return a.resize(msg.Width, msg.Height)
	case tea.BackgroundColorMsg:
		return a.restyle(msg.IsDark())
	case tea.KeyPressMsg:
		return a.pressed(msg)
	case tea.PasteMsg:
		return a.pasted(msg)
	case tea.ResumeMsg:
		return a.resumed()
	case clockMsg:
		return tea.Batch(a.startClock(), a.tickConsume(msg))
	case boardMsg:
		return a.boardArrived(msg)
	case consumeMsg:
		return a.toConsume(msg)
	case arrangedMsg:
		return a.rowsArranged(msg)
	case retryMsg:
		a.feed.retry(msg)
	case statusMsg:
		return a.status.show(msg.level, msg.text, a.env.now)
	case statusExpiredMsg:
		a.status.expire(msg)
	case ownedMsg:
		return a.toOwner(msg)
	default:
		return a.unclaimed(msg)
	}
	return nil
}

// unclaimed handles the replies about clusters, and gives all else to the page.
func (a *App) unclaimed(msg tea.Msg) tea.Cmd {
	if cmd, done := a.clusterMsg(msg); done {
		return cmd
	}
	return a.toPage(msg)
}

// page is the page that is shown.
func (a *App) page() page { return a.pages[len(a.pages)-1] }

// dialog is the topmost dialog, nil when none is open.
func (a *App) dialog() dialog {
	if len(a.dialogs) == 0 {
		return nil
	}
	return a.dialogs[len(a.dialogs)-1]
}

func (a *App) toPage(msg tea.Msg) tea.Cmd {
	before := a.page().capturesText()
	want, cmd := a.page().update(&a.env, msg)
	cmd = tea.Batch(cmd, a.carryOut(want))
	if before && !a.page().capturesText() {
		return tea.Batch(cmd, a.thaw())
	}
	return cmd
}

// toOwner hands a reply to the page that asked, whichever is shown now.
func (a *App) toOwner(msg ownedMsg) tea.Cmd {
	want, cmd := msg.owner().update(&a.env, msg)
	return tea.Batch(cmd, a.carryOut(want))
}

func (a *App) toDialog(d dialog, msg tea.Msg) tea.Cmd {
	want, cmd := d.update(&a.env, msg)
	return tea.Batch(cmd, a.carryOut(want))
}

// pasted hands pasted text to who captures text, and to nobody else: it is
// never taken for keys.
func (a *App) pasted(msg tea.PasteMsg) tea.Cmd {
	if d := a.dialog(); d != nil {
		return a.toDialog(d, msg)
	}
	if a.page().capturesText() {
		return a.toPage(msg)
	}
	return nil
}

// resize tells the page and the dialogs about a new size.
func (a *App) resize(w, h int) tea.Cmd {
	a.screen = Rect{W: max(0, w), H: max(0, h)}
	a.env.body = bodyOf(a.screen)
	var cmds []tea.Cmd
	for _, p := range a.pages {
		want, cmd := p.update(&a.env, resizedMsg{})
		cmds = append(cmds, cmd, a.carryOut(want))
	}
	for _, d := range a.dialogs {
		cmds = append(cmds, a.toDialog(d, resizedMsg{}))
	}
	return tea.Batch(cmds...)
}

// restyle makes the styles for a background, and has what is laid out with the
// old ones laid out anew.
func (a *App) restyle(dark bool) tea.Cmd {
	a.dark = dark
	a.env.styles = newStyles(dark, a.colour)
	return a.resize(a.screen.W, a.screen.H)
}

// startClock starts the next second of the clock.
func (a *App) startClock() tea.Cmd {
	if a.clock != nil {
		a.clock()
	}
	ctx, cancel := context.WithCancel(context.Background())
	a.clock = cancel
	return waitThen(ctx, clockTick, clockMsg{})
}

// quit leaves the program. What is outstanding is cancelled first, so that no
// goroutine outlives the screen.
func (a *App) quit() tea.Cmd {
	a.quitting = true
	a.moveOn()
	for _, p := range a.pages {
		closePage(p)
	}
	a.feed.stop()
	a.stopSwitch()
	if c := a.consuming(); c != nil {
		c.stop()
	}
	for _, p := range a.pages {
		if l, ok := p.(leaver); ok {
			l.leave()
		}
	}
	a.status.dismiss()
	if a.clock != nil {
		a.clock()
	}
	return tea.Quit
}

// suspend stops the program as ctrl-z does in a shell; nothing is asked of the
// cluster until it goes on.
func (a *App) suspend() tea.Cmd {
	a.feed.stop()
	a.feed.suspended = true
	return tea.Suspend
}

// resumed goes on after a suspend: what is on screen is old, so it is asked for
// at once.
func (a *App) resumed() tea.Cmd {
	a.feed.suspended = false
	a.feed.refresh++
	return tea.Batch(a.startClock(), a.toldGone())
}
