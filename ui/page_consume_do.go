package ui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

type (
	// sendPlan is a confirmed send: exactly this plan, and more records after it.
	sendPlan struct {
		plan model.SendPlan
		more bool
	}
	// suspendNow stops the program though records are held.
	suspendNow struct{}
)

func (sendPlan) isIntent()   {}
func (suspendNow) isIntent() {}

// reply handles what a command of the page brought.
func (p *consumePage) reply(e *env, msg consumeMsg) (intent, tea.Cmd) {
	switch msg := msg.(type) {
	case joinedMsg:
		return p.joined(e, msg)
	case tookMsg:
		return p.took(e, msg)
	case sentMsg:
		return p.sent(e, msg)
	case renewedMsg:
		return p.renewed(e, msg)
	case leftMsg:
		return p.left(e, msg)
	}
	return nil, nil
}

// joined begins to take, or says why there is no session. A session that nobody
// wants any more is left at once.
func (p *consumePage) joined(e *env, msg joinedMsg) (intent, tea.Cmd) {
	if msg.err != nil {
		leaving := p.phase == phaseLeaving
		p.become(e, phaseFailed)
		if leaving {
			return p.gone(msg.err), nil
		}
		return showStatus{levelError, model.Sanitize(msg.err.Error())}, nil
	}
	p.session = msg.session
	if p.phase == phaseLeaving {
		return nil, leaveSession(p.session, p.number)
	}
	// The limits and configs come from the boards, which are newer.
	terms, agreed := p.state.Terms(), msg.session.Terms()
	terms.Group, terms.Member, terms.Topics, terms.Heartbeat = agreed.Group, agreed.Member, agreed.Topics, agreed.Heartbeat
	terms.ClientID = agreed.ClientID
	p.state.SetTerms(terms)
	return nil, p.take(e)
}

// take asks for records. It is only called while none are held.
func (p *consumePage) take(e *env) tea.Cmd {
	ctx, cancel := context.WithCancel(context.Background())
	p.become(e, phaseTaking)
	p.cancel = cancel
	return takeRecords(ctx, p.session, p.most, p.number)
}

func (p *consumePage) took(e *env, msg tookMsg) (intent, tea.Cmd) {
	if msg.err == nil {
		p.state.Took(msg.records, e.now)
		p.table.ClearMarks()
		p.refresh()
	}
	if p.phase == phaseLeaving {
		return nil, p.show(e)
	}
	p.become(e, phaseDeciding)
	if msg.err != nil {
		return showStatus{levelError, model.Sanitize(msg.err.Error())}, nil
	}
	p.table.Top()
	return nil, p.show(e)
}

// askSend shows what would be sent and asks. With nothing held, N takes records
// at once: there is nothing to ask about.
func (p *consumePage) askSend(e *env, more bool) (intent, tea.Cmd) {
	if p.phase != phaseDeciding {
		return nil, nil
	}
	plan := p.state.Plan(e.now)
	if len(plan.Acks) == 0 {
		if more && p.session != nil {
			return nil, p.take(e)
		}
		return showStatus{levelInfo, "Nothing is held, so nothing can be sent: N takes more."}, nil
	}
	yes := "send"
	if more {
		yes = "send and take more"
	}
	return openDialog{&confirmDialog{
		title: "Send to " + p.request.Group.String(), lines: planLines(plan), yes: yes, no: "not yet",
		want: sendPlan{plan, more},
	}}, nil
}

// planLines say what a send does.
func planLines(plan model.SendPlan) []string {
	var parts []string
	for _, part := range []struct {
		n    int
		text string
	}{
		{plan.Accept, "accept"}, {plan.Release, "release"}, {plan.Reject, "reject"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", part.text, part.n))
		}
	}
	if plan.Undecided > 0 {
		parts = append(parts, fmt.Sprintf("undecided %d → %s", plan.Undecided, plan.As))
	}
	lines := []string{strings.Join(parts, ", ")}
	if n := len(plan.Archives); n > 0 {
		lines = append(lines, fmt.Sprintf("release = archived for %s on the last delivery: %s", count(n, "record", "records"), someNames(plan.Archives)))
	}
	if n := len(plan.LeftOut); n > 0 {
		lines = append(lines, "left out, since the lock has ended or may end on the way: "+someNames(plan.LeftOut))
	}
	return lines
}

// someNames names the first of some records and counts the rest.
func someNames(ids []model.RecordID) string {
	const most = 5
	names := make([]string, 0, most)
	for _, id := range ids[:min(len(ids), most)] {
		names = append(names, id.String())
	}
	text := strings.Join(names, ", ")
	if more := len(ids) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// send sends a plan that was confirmed, less what ran out meanwhile.
func (p *consumePage) send(e *env, want sendPlan) (intent, tea.Cmd) {
	if p.phase != phaseDeciding || p.session == nil {
		return nil, nil
	}
	acks := p.state.Begin(want.plan, e.now)
	p.table.ClearMarks()
	p.refresh()
	if len(acks) == 0 {
		return showStatus{levelWarn, "Nothing was sent: every lock of it has ended."}, nil
	}
	p.become(e, phaseSending)
	return nil, sendDecisions(p.session, acks, want.more, p.number)
}

func (p *consumePage) sent(e *env, msg sentMsg) (intent, tea.Cmd) {
	if msg.err != nil {
		msg.results = notSent(p.state.Records(), msg.err)
	}
	p.state.Settle(msg.results, e.now)
	p.refresh()
	if p.phase != phaseSending {
		return nil, p.show(e)
	}
	p.become(e, phaseDeciding)
	said := p.tellSent(msg)
	if msg.more && !p.complained && p.held(e) == 0 {
		return said, tea.Batch(p.take(e), p.show(e))
	}
	return said, p.show(e)
}

// tellSent says what failed; what is done is said where the send before failed,
// since errors stay on the screen.
func (p *consumePage) tellSent(msg sentMsg) intent {
	results, beside := withoutBeside(msg.results)
	before, failed := p.complained, failures(results)
	p.complained = msg.err != nil || failed > 0
	switch {
	case msg.err != nil:
		return showStatus{levelError, model.Sanitize(msg.err.Error())}
	case failed > 0:
		return showStatus{levelError, failuresText(failed, unanswered(results), len(results)) + givenBackText(beside)}
	case before:
		return showStatus{levelInfo, count(len(results), "decision was", "decisions were") + " done this time."}
	default:
		return nil
	}
}

// notSent are the results of decisions that did not leave.
func notSent(records []model.HeldRecord, err error) []model.AckResult {
	var out []model.AckResult
	for _, r := range records {
		if r.Phase == model.PhaseSending {
			out = append(out, model.AckResult{
				ID: r.ID, Decision: r.Decision, Delivery: r.Delivery, Outcome: model.OutcomeNotSent, Detail: model.Sanitize(err.Error()),
			})
		}
	}
	return out
}

// failuresText says how many decisions of all failed. What was not answered may
// have happened.
func failuresText(failed, unanswered, all int) string {
	text := count(failed, "decision", "decisions")
	switch unanswered {
	case 0:
		return fmt.Sprintf("%s of %d did not happen: each row says why.", text, all)
	case failed:
		return fmt.Sprintf("%s of %d got no answer: each happened, or its record is free again.", text, all)
	default:
		return fmt.Sprintf("%s of %d did not happen, or got no answer and may have: each row says which.", text, all)
	}
}

// withoutBeside are the results about what was sent, and how many records beside
// were given back.
func withoutBeside(results []model.AckResult) (sent []model.AckResult, beside int) {
	for _, r := range results {
		if r.Beside() {
			beside++
		} else {
			sent = append(sent, r)
		}
	}
	return sent, beside
}

// givenBackText tells of records that were given back with something that failed;
// empty for none.
func givenBackText(n int) string {
	if n == 0 {
		return ""
	}
	return " " + count(n, "other record is", "other records are") + " given back."
}

func unanswered(results []model.AckResult) int {
	n := 0
	for _, r := range results {
		if r.Outcome == model.OutcomeNoAnswer {
			n++
		}
	}
	return n
}

func failures(results []model.AckResult) int {
	n := 0
	for _, r := range results {
		if r.Outcome != model.OutcomeDone {
			n++
		}
	}
	return n
}

// renew begins locks anew, at once: it takes nothing from anybody.
func (p *consumePage) renew(e *env) (intent, tea.Cmd) {
	ids := p.state.Renewable(p.targets(), e.now)
	switch {
	case p.phase != phaseDeciding || p.renewing:
		return nil, nil
	case len(ids) == 0:
		return showStatus{levelInfo, "Nothing can be renewed here: the lock has ended."}, nil
	}
	p.renewing = true
	return nil, renewLocks(p.session, ids, p.number)
}

func (p *consumePage) renewed(e *env, msg renewedMsg) (intent, tea.Cmd) {
	p.renewing = false
	if p.phase == phaseLeaving { // which tells all
		p.state.Renewed(msg.results)
		p.refresh()
		return nil, p.show(e)
	}
	if msg.err != nil {
		return showStatus{levelError, model.Sanitize(msg.err.Error())}, nil
	}
	p.state.Renewed(msg.results)
	p.refresh()
	if _, back := withoutBeside(msg.results); back > 0 {
		return showStatus{levelError, "The renewal was not answered, and the connection was cut: " +
			count(back, "record", "records") + " of that broker given back."}, p.show(e)
	}
	if n := failures(msg.results); n > 0 {
		return showStatus{levelError, count(n, "lock", "locks") + " could not be renewed: each row says why."}, p.show(e)
	}
	return showStatus{levelInfo, "Renewed " + count(len(msg.results), "lock", "locks") + "."}, p.show(e)
}
