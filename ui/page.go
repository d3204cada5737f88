package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// Rect is a part of the screen, in cells. A Rect without area is possible: the
// terminal can be any size, 0x0 too.
type Rect struct{ X, Y, W, H int }

// Empty tells whether nothing can be drawn in r.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// page is the body of the screen with its part of the header. A page is a
// pointer to a struct; only its update changes it.
type page interface {
	// heading is what the page says in the two lines of the header.
	heading(e *env) heading
	// update handles one message: a tea.KeyPressMsg, a tea.PasteMsg while the
	// page captures text, a resizedMsg, a boardChangedMsg, or a message that one
	// of the page's own commands returned. It must not block. The intent, when
	// there is one, is carried out by the app.
	update(e *env, msg tea.Msg) (intent, tea.Cmd)
	// view draws the page in r: at most r.H lines of at most r.W cells, joined
	// by "\n". It reads the page and the env, and changes neither.
	view(e *env, r Rect) string
	// footer lists the keys of the page that are worth a place in the footer,
	// most useful first; those that can't work now are off, with the reason.
	footer(e *env) []keymap.Binding
	// help lists the page's scopes for the help screen, its own first; the app
	// adds those that are the same everywhere.
	help(e *env) []keymap.Section
	// capturesText is true while letters are text, for example in a filter: then
	// every key but ctrl-c goes to the page, and rows do not move.
	capturesText() bool
	// wants says what has to be fresh for this page.
	wants(e *env) wants
}

// heading is a page's part of the header. All of it is styled text without
// line breaks.
type heading struct {
	// left are the parts of the first line, most important first: they are
	// dropped from the right where they do not fit.
	left []string
	// keep is how many of them behind the first stay longer than the facts at
	// the other end of the line.
	keep int
	// second is the second line; it is cut at the right edge.
	second string
}

// wants is what a page needs to be fresh: a part of model.Scope.
type wants struct {
	visible, marked []model.GroupID
	open            model.GroupID
	// archived asks for a look at what these groups have archived.
	archived bool
}

// coverable is a page whose look at a board costs so much that it is left out
// while another page is on top of it: cover notes that the board has changed,
// uncover makes up for it when the page is shown again.
type coverable interface {
	cover()
	uncover(e *env) tea.Cmd
}

// leaver is a page that has something to end when the program is left.
type leaver interface{ leave() }

// copier is a page or dialog with something to copy: y takes the first item,
// Y offers all of them.
type copier interface {
	copyItems(e *env) []copyItem
}

// copyItem is one thing that can be copied.
type copyItem struct {
	// what names it for a person, e.g. "group id".
	what string
	// text is what goes to the clipboard; any bytes are allowed.
	text string
}

// dialog is something on top of the page: it gets every key and paste until it
// is closed. While one is open rows do not move.
type dialog interface {
	// update handles a tea.KeyPressMsg, a tea.PasteMsg or a resizedMsg, as a
	// page's does. The intent closeDialog ends the dialog.
	update(e *env, msg tea.Msg) (intent, tea.Cmd)
	// place says which part of the screen the dialog covers.
	place(e *env, screen Rect) Rect
	// view draws the dialog in r, which is what place said: exactly r.H lines of
	// exactly r.W cells are shown of it.
	view(e *env, r Rect) string
	// footer lists the keys of the dialog for the footer.
	footer(e *env) []keymap.Binding
}

// env is what the app lends to pages and dialogs. They read it; only the app
// changes it, and only in Update.
type env struct {
	cfg    Config
	keys   keymap.KeyMap
	styles styles
	glyphs glyphs
	// now is the caller's clock as of the last message: ages are measured
	// against it, so that View needs no clock.
	now time.Time
	// utc says how times are shown.
	utc bool
	// body is where the page is drawn.
	body Rect
	// board is what is shown, nil before the first one arrives; rows are its
	// rows as query has them.
	board *model.Board
	rows  []*model.Row
	query model.Query
	// filter is the text that query.Filter was read from.
	filter string
	// feed says how the data comes in.
	feed feedStatus
	// profiles are the clusters that were found on this machine; connect is how
	// connecting to one of them does.
	profiles []model.Profile
	connect  connectStatus
}

// look is how things are drawn.
func (e *env) look() look { return look{&e.styles, &e.glyphs} }

// feedStatus is how the stream of boards does, for the header.
type feedStatus struct {
	interval time.Duration
	paused   bool
	// err is why nothing comes in; nil while it does. failures counts in a row.
	err      error
	failures int
	// answered is when a broker last answered by what came in, though a dialog
	// may keep that from being shown yet.
	answered time.Time
}

// intent is what a page or dialog asks the app to do. The set is closed.
type intent interface{ isIntent() }

type (
	// openGroup opens the page of one group, listed or not.
	openGroup struct{ id model.GroupID }
	// openConsume asks whether to join a group and take records of it.
	openConsume struct{ id model.GroupID }
	// openProblems opens the problems page.
	openProblems struct{}
	// openRadar opens the page of the records on a second or later delivery.
	openRadar struct{}
	// openArchived opens the list of archived records of one group, or of all
	// when the id is empty.
	openArchived struct{ id model.GroupID }
	// openState opens the State tab of a group at an offset.
	openState struct {
		id     model.GroupID
		place  partitionKey
		offset int64
	}
	// goBack leaves the page for the one below it.
	goBack struct{}
	// openDialog puts a dialog on top.
	openDialog struct{ dialog dialog }
	// closeDialog closes the topmost dialog.
	closeDialog struct{}
	// setQuery changes the order of the rows.
	setQuery struct{ query model.Query }
	// setFilter changes which rows are shown; the zero value shows all.
	setFilter struct {
		text   string
		filter model.Filter
	}
	// copyText sends one item to the clipboard.
	copyText struct{ item copyItem }
	// copyKept sends one item to the clipboard and leaves the dialog open.
	copyKept struct{ item copyItem }
	// showStatus shows a message to the person and keeps it for the problems page.
	showStatus struct {
		level statusLevel
		text  string
	}
	// runCommand does what the command line typed after ":" says.
	runCommand struct{ line string }
)

func (openGroup) isIntent()    {}
func (openConsume) isIntent()  {}
func (openProblems) isIntent() {}
func (openRadar) isIntent()    {}
func (openArchived) isIntent() {}
func (openState) isIntent()    {}
func (goBack) isIntent()       {}
func (openDialog) isIntent()   {}
func (closeDialog) isIntent()  {}
func (setQuery) isIntent()     {}
func (setFilter) isIntent()    {}
func (copyText) isIntent()     {}
func (copyKept) isIntent()     {}
func (showStatus) isIntent()   {}
func (runCommand) isIntent()   {}

// statusLevel is how a message to the person is meant.
type statusLevel uint8

const (
	levelInfo statusLevel = iota
	levelWarn
	// levelError stays until it is dismissed.
	levelError
)

// ownedMsg is the reply to a command of a page that may not be on top any more.
type ownedMsg interface{ owner() page }

type (
	// resizedMsg tells a page or dialog that env.body has changed.
	resizedMsg struct{}
	// boardChangedMsg tells a page that env.board, env.rows or env.query has
	// changed.
	boardChangedMsg struct{}
	// statusMsg is a command's message to the person, such as the path that a
	// file was written to.
	statusMsg struct {
		level statusLevel
		text  string
	}
)
