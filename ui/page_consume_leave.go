package ui

import (
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// This file is the ways out of the consume page.

type (
	// leaveConsume is a confirmed way out of the session, or out of the program.
	leaveConsume struct{ quit bool }
	// leftConsume says that the session is over.
	leftConsume struct {
		quit  bool
		level statusLevel
		text  string
	}
)

func (leaveConsume) isIntent() {}
func (leftConsume) isIntent()  {}

// leave goes out of the page; while records are held it asks.
func (p *consumePage) leave(e *env) (intent, tea.Cmd) {
	switch {
	case p.phase == phaseFailed:
		return goBack{}, nil
	case p.phase == phaseLeaving:
		return nil, nil
	case p.held(e) > 0:
		return openDialog{p.askLeave(e, false)}, nil
	default:
		return nil, p.beginLeave(e, false)
	}
}

// askLeave asks whether to give everything back, and says what that means.
func (p *consumePage) askLeave(e *env, quit bool) *confirmDialog {
	held, decided := p.state.Count(e.now)
	sending := p.state.OnTheirWay(e.now)
	held, decided = held-sending, decided-sending
	var lines []string
	if sending > 0 {
		lines = append(lines, count(sending, "decision is on its way: that comes", "decisions are on their way: those come")+" first.")
	}
	if held > 0 {
		lines = append(lines, count(held, "record is", "records are")+
			" held: leaving releases all of them, whatever was decided and whatever t says.")
	}
	if decided > 0 {
		lines = append(lines, count(decided, "decision is", "decisions are")+" not sent: S sends them first.")
	}
	if last := p.onLastDelivery(e); len(last) > 0 {
		lines = append(lines, fmt.Sprintf("release = archived for %s on the last delivery: %s",
			count(len(last), "record", "records"), someNames(last)))
	}
	yes := "release and leave"
	if quit {
		yes = "release and quit"
	}
	return &confirmDialog{
		title: "Leave " + p.request.Group.String(), lines: lines, yes: yes, no: "stay", want: leaveConsume{quit},
	}
}

// onLastDelivery are the held records that a release archives.
func (p *consumePage) onLastDelivery(e *env) []model.RecordID {
	var out []model.RecordID
	limit := p.state.Terms().DeliveryLimit.Or(model.DefaultDeliveryLimit)
	records := p.state.Records()
	for i := range records {
		if r := &records[i]; r.HeldAt(e.now) && r.Phase == model.PhaseHeld && int64(r.Delivery) >= limit {
			out = append(out, r.ID)
		}
	}
	return out
}

// beginLeave releases and leaves; leftMsg ends it.
func (p *consumePage) beginLeave(e *env, quit bool) tea.Cmd {
	if quit {
		p.willQuit(e)
	}
	if p.phase == phaseLeaving {
		return nil
	}
	p.become(e, phaseLeaving)
	if p.session == nil {
		return nil // joining was cancelled; joinedMsg ends it
	}
	return leaveSession(p.session, p.number)
}

// willQuit lets the program end with the session.
func (p *consumePage) willQuit(e *env) {
	if !p.quits {
		p.quits, p.quitSince = true, e.now
	}
}

// left ends the page, and says what happened to what was held.
func (p *consumePage) left(e *env, msg leftMsg) (intent, tea.Cmd) {
	level, text := levelInfo, "Left "+p.request.Group.String()+"."
	for i, line := range msg.result.Lines(e.utc) {
		if i == 0 {
			text = ""
		}
		text += line + " "
	}
	if len(msg.result.NotReleased)+len(msg.result.Unanswered) > 0 || !msg.result.Left {
		level = levelError
	}
	p.become(e, phaseFailed)
	p.session = nil
	return leftConsume{quit: p.quits, level: level, text: text}, nil
}

// gone is the end of joining that was given up with that error.
func (p *consumePage) gone(err error) intent {
	if errors.Is(err, model.ErrMemberStays) {
		return leftConsume{quit: p.quits, level: levelError, text: model.Sanitize(err.Error())}
	}
	return leftConsume{quit: p.quits, text: "Joining " + p.request.Group.String() + " was left."}
}
