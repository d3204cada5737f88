package ui

import (
	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// follow makes the feed ask for what is on screen now.
func (a *App) follow() tea.Cmd {
	w := a.page().wants(&a.env)
	if len(w.marked) > model.MaxMarked {
		w.marked = w.marked[:model.MaxMarked]
	}
	scope := model.Scope{Visible: w.visible, Marked: w.marked, Open: w.open, Archived: w.archived}
	cmd := a.feed.follow(scope, a.env.query, a.revision)
	a.env.feed = a.feed.status
	return cmd
}

// frozen is true while rows must not move: someone is typing or deciding.
func (a *App) frozen() bool {
	return len(a.dialogs) > 0 || a.page().capturesText()
}

// boardArrived takes the reply of the feed, or keeps it while rows are frozen.
func (a *App) boardArrived(m boardMsg) tea.Cmd {
	accepted, wait := a.feed.received(m)
	if !accepted {
		return wait
	}
	// The first board always shows: there are no rows yet that could move.
	if a.env.board != nil && a.frozen() {
		a.held = &m
		return nil
	}
	return a.take(m)
}

// take shows a board. Its rows are used only if they were arranged by the query
// that holds now.
func (a *App) take(m boardMsg) tea.Cmd {
	a.held = nil
	if m.revision != a.revision {
		return arrangeRows(m.board, a.env.query, a.revision)
	}
	return a.showBoard(m.board, m.rows)
}

// thaw shows the board that was held, when nothing freezes the rows any more.
func (a *App) thaw() tea.Cmd {
	if a.held == nil || a.frozen() {
		return nil
	}
	return a.take(*a.held)
}

// setQuery changes filter and order; the rows follow as soon as they are
// arranged.
func (a *App) setQuery(q model.Query) tea.Cmd {
	a.env.query = q
	a.revision++
	if a.env.board == nil {
		return nil
	}
	return arrangeRows(a.env.board, q, a.revision)
}

// setFilter changes which rows are shown.
func (a *App) setFilter(text string, filter model.Filter) tea.Cmd {
	a.env.filter = text
	q := a.env.query
	q.Filter = filter
	return a.setQuery(q)
}

// rowsArranged shows arranged rows unless the query has changed again or a
// newer board is on screen by now.
func (a *App) rowsArranged(m arrangedMsg) tea.Cmd {
	if m.revision != a.revision || olderThan(m.board, a.env.board) {
		return nil
	}
	return a.showBoard(m.board, m.rows)
}

// olderThan tells whether a board comes before the one that is shown.
func olderThan(b, shown *model.Board) bool {
	return shown != nil && b.Snapshot.Version < shown.Snapshot.Version
}

func (a *App) showBoard(b *model.Board, rows []*model.Row) tea.Cmd {
	a.env.board, a.env.rows = b, rows
	var cmds []tea.Cmd
	for i, p := range a.pages {
		if c, ok := p.(coverable); ok && i < len(a.pages)-1 {
			c.cover()
			continue
		}
		want, cmd := p.update(&a.env, boardChangedMsg{})
		cmds = append(cmds, cmd, a.carryOut(want))
	}
	return tea.Batch(cmds...)
}
