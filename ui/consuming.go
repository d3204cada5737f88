package ui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// This file is what the app does for the one consume session that can be open:
// no page is left, and the program neither quits nor stops, over its head.

// consuming is the consume page with an open session, wherever it is in the
// stack; nil when there is none.
func (a *App) consuming() *consumePage {
	for _, p := range a.pages {
		if c, ok := p.(*consumePage); ok && c.phase != phaseFailed {
			return c
		}
	}
	return nil
}

// tickConsume tells the page of the session that a second has gone by.
func (a *App) tickConsume(msg clockMsg) tea.Cmd {
	c := a.consuming()
	if c == nil {
		return nil
	}
	want, cmd := c.update(&a.env, msg)
	return tea.Batch(cmd, a.carryOut(want))
}

// openJoin asks whether to join a group.
func (a *App) openJoin(id model.GroupID) tea.Cmd {
	if c := a.consuming(); c != nil {
		return a.say(levelInfo, fmt.Sprintf("A session of %s is open: leave it first.", c.request.Group))
	}
	return a.carryOut(openDialog{newJoinDialog(&a.env, id)})
}

// startConsume joins a group and shows the page of it.
func (a *App) startConsume(want startConsume) tea.Cmd {
	if a.env.cfg.Consumer == nil || a.consuming() != nil {
		return nil
	}
	a.sessions++
	p := newConsumePage(&a.env, a.sessions, want)
	return tea.Batch(a.push(p), p.start(a.env.cfg.Consumer))
}

// toConsume hands a reply to the page that asked for it. A session that comes
// when its page is gone is left.
func (a *App) toConsume(msg consumeMsg) tea.Cmd {
	for _, p := range a.pages {
		if c, ok := p.(*consumePage); ok && c.number == msg.page() {
			want, cmd := c.reply(&a.env, msg)
			return tea.Batch(cmd, a.carryOut(want))
		}
	}
	if joined, ok := msg.(joinedMsg); ok && joined.err == nil {
		return leaveSession(joined.session, joined.number)
	}
	return nil
}

// onConsume does what was confirmed in a dialog of the consume page.
func (a *App) onConsume(do func(*consumePage) (intent, tea.Cmd)) tea.Cmd {
	c := a.consuming()
	if c == nil {
		return nil
	}
	want, cmd := do(c)
	return tea.Batch(cmd, a.carryOut(want))
}

// leftSession takes the page away, says what happened to what was held, and
// quits when that was wanted.
func (a *App) leftSession(want leftConsume) tea.Cmd {
	a.pages = slices.DeleteFunc(a.pages, func(p page) bool {
		c, ok := p.(*consumePage)
		return ok && c.phase == phaseFailed
	})
	if want.quit {
		return a.quit()
	}
	return tea.Batch(a.say(want.level, want.text), a.thaw())
}

// askQuit quits, and asks first while records are held.
func (a *App) askQuit() tea.Cmd {
	c := a.consuming()
	switch {
	case c == nil:
		return a.quit()
	case c.phase == phaseLeaving:
		c.willQuit(&a.env)
		return nil
	case c.held(&a.env) > 0:
		return a.carryOut(openDialog{c.askLeave(&a.env, true)})
	default:
		return c.beginLeave(&a.env, true)
	}
}

// quitNow quits without asking; what is held is released first. The second time
// nothing is waited for: main cuts the connections, and with them go the locks, but
// the member may stay. So that counts once it could be read what it does.
func (a *App) quitNow() tea.Cmd {
	c := a.consuming()
	switch {
	case c == nil:
		return a.quit()
	case c.phase != phaseLeaving || !c.quits:
		return c.beginLeave(&a.env, true)
	case a.env.now.Sub(c.quitSince) < readingTakes:
		return nil
	}
	if c.session != nil {
		c.session.Abandon()
	}
	return a.quit()
}

// askSuspend stops the program, and warns first while records are held.
func (a *App) askSuspend() tea.Cmd {
	c := a.consuming()
	if c == nil || c.held(&a.env) == 0 {
		return a.suspend()
	}
	first := c.state.NextLock(a.env.now)
	return a.carryOut(openDialog{&confirmDialog{
		title: "Suspend while records are held",
		lines: []string{
			fmt.Sprintf("%s held. Locks go on while this program stands still: the first ends in %s, and others get those records then.",
				count(c.held(&a.env), "record is", "records are"), seconds(first.LockLeft(a.env.now))),
			"Without heartbeats the group drops this member at its session timeout.",
		},
		yes: "suspend", no: "stay", want: suspendNow{},
	}})
}

// suspendNow stops the program and remembers what was held.
func (a *App) suspendNow() tea.Cmd {
	if c := a.consuming(); c != nil {
		c.heldAtStop = c.held(&a.env)
	}
	return a.suspend()
}

// toldGone says after a suspend which locks have ended.
func (a *App) toldGone() tea.Cmd {
	c := a.consuming()
	if c == nil || c.heldAtStop == 0 {
		return nil
	}
	held := c.held(&a.env)
	gone := c.heldAtStop - held
	c.heldAtStop = 0
	if gone <= 0 {
		return nil
	}
	var names []model.RecordID
	for _, r := range c.state.Records() {
		if r.Phase == model.PhaseHeld && !r.HeldAt(a.env.now) {
			names = append(names, r.ID)
		}
	}
	return a.say(levelError, fmt.Sprintf("%s ended meanwhile: %s", count(gone, "lock", "locks"), someNames(names)))
}

// readingTakes is how long a hint is on the screen before somebody acts on it.
const readingTakes = 500 * time.Millisecond

// leaveTakes is how long releasing may take, for the countdown on screen.
const leaveTakes = 5 * time.Second

// releasing says what is being released and how long that may take; empty when
// nothing is.
func (a *App) releasing() string {
	c := a.consuming()
	if c == nil || c.phase != phaseLeaving {
		return ""
	}
	sending := c.state.OnTheirWay(a.env.now)
	text := "releasing " + count(c.held(&a.env)-sending, "record", "records")
	if sending > 0 {
		text += " after " + count(sending, "decision", "decisions")
	}
	text += ", " +
		seconds(c.since.Add(leaveTakes).Sub(a.env.now)) + " left"
	if c.quits {
		text += "; ctrl-c again to leave now"
	}
	return text
}
