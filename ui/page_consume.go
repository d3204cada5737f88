package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// consumePage is one membership of a share group: the records that it holds,
// each with its lock and what the person decided. Nothing is sent but by S, N
// and w, and every way out of it releases what is held.
type consumePage struct {
	number  int
	request model.JoinRequest
	most    int
	phase   consumePhase
	// session is nil until the group has taken the member in.
	session Session
	state   *model.Session
	// cancel ends the joining or taking that is under way; nil for none.
	cancel context.CancelFunc
	// since is when the phase began.
	since time.Time
	// quits is true when the program is to end once the session is left, quitSince
	// since when it says so.
	quits     bool
	quitSince time.Time
	// heldAtStop is what was held when the program was suspended.
	heldAtStop int
	renewing   bool
	// complained is true while the last send is said to have failed.
	complained bool
	e          *env
	table      *table[*model.HeldRecord, model.RecordID]
	pane       recordPane
	// paneAt is where the pane is; empty where there is no room for it.
	tableAt, paneAt Rect
}

// consumePhase says what the session is doing.
type consumePhase uint8

const (
	phaseJoining consumePhase = iota
	phaseTaking
	// phaseDeciding: records are there, held or settled.
	phaseDeciding
	phaseSending
	phaseLeaving
	// phaseFailed: there is no session, and none will come.
	phaseFailed
)

func newConsumePage(e *env, number int, want startConsume) *consumePage {
	p := &consumePage{number: number, request: want.request, most: want.most, since: e.now, e: e}
	p.table = newTable(func(r *model.HeldRecord) model.RecordID { return r.ID }, consumeColumns(p))
	p.state = model.NewSession(want.request.Terms, e.now)
	p.fit(e)
	return p
}

// start joins the group.
func (p *consumePage) start(c Consumer) tea.Cmd {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	return joinGroup(ctx, c, p.request, p.number)
}

func (p *consumePage) become(e *env, phase consumePhase) {
	p.phase, p.since = phase, e.now
	p.stop()
}

// stop ends the joining or taking that is under way.
func (p *consumePage) stop() {
	if p.cancel != nil {
		p.cancel()
		p.cancel = nil
	}
}

// held is how many records are held now.
func (p *consumePage) held(e *env) int {
	n, _ := p.state.Count(e.now)
	return n
}

// update handles one message.
func (p *consumePage) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	switch msg := msg.(type) {
	case resizedMsg:
		return nil, p.fit(e)
	case boardChangedMsg:
		p.learn(e)
		return nil, p.show(e)
	case recordRowsMsg:
		p.pane.update(e, msg)
	case tea.KeyPressMsg:
		want, cmd := p.key(e, msg)
		p.roomForDecisions()
		return want, tea.Batch(cmd, p.show(e))
	case clockMsg:
		p.roomForDecisions() // a lock may have ended
	}
	return nil, nil
}

// learn takes limits and configs from the newest board.
func (p *consumePage) learn(e *env) {
	g := e.board.Snapshot.Group(p.request.Group)
	if g == nil {
		return
	}
	known, terms := model.CostOfJoining(g, p.request.Topics).Terms, p.state.Terms()
	terms.DeliveryLimit, terms.LimitFrom = known.DeliveryLimit, known.LimitFrom
	terms.DeadLetters, terms.NoRenew = known.DeadLetters, known.NoRenew
	p.state.SetTerms(terms)
}

// key handles the page's own keys, then those of the table.
func (p *consumePage) key(e *env, k tea.KeyPressMsg) (intent, tea.Cmd) {
	c := e.keys.Consume
	switch {
	case e.keys.Everywhere.Back.Pressed(k):
		return p.leave(e)
	case c.Accept.Pressed(k):
		p.decide(e, model.Accept)
	case c.Release.Pressed(k):
		p.decide(e, model.Release)
	case c.Reject.Pressed(k):
		p.decide(e, model.Reject)
	case c.Undecided.Pressed(k):
		p.state.NextUndecided()
	case c.Renew.Pressed(k):
		return p.renew(e)
	case c.Send.Pressed(k):
		return p.askSend(e, false)
	case c.SendMore.Pressed(k):
		return p.askSend(e, true)
	case c.NextView.Pressed(k):
		return nil, p.pane.nextView(e)
	case c.Save.Pressed(k):
		return p.pane.save(e.cfg.SnapDir)
	case c.Pager.Pressed(k):
		return nil, p.pane.page(e)
	default:
		moveTable(p.table, e.keys.Lists, k)
	}
	return nil, nil
}

// targets are the marked records, else the one under the cursor.
func (p *consumePage) targets() []model.RecordID {
	rows := p.table.MarkedRows()
	if len(rows) == 0 {
		if row, ok := p.table.Cursor(); ok {
			rows = append(rows, row)
		}
	}
	ids := make([]model.RecordID, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	return ids
}

// decide notes a decision for the targets; the same again takes it back.
func (p *consumePage) decide(e *env, d model.Decision) {
	ids := p.targets()
	same := len(ids) > 0
	for _, id := range ids {
		same = same && p.decisionOf(id) == d
	}
	if same {
		d = model.Undecided
	}
	for _, id := range ids {
		p.state.Decide(id, d, e.now)
	}
	p.table.ClearMarks()
	p.refresh()
}

func (p *consumePage) decisionOf(id model.RecordID) model.Decision {
	for _, r := range p.state.Records() {
		if r.ID == id {
			return r.Decision
		}
	}
	return model.Undecided
}

// refresh hands the records to the table.
func (p *consumePage) refresh() {
	records := p.state.Records()
	rows := make([]*model.HeldRecord, len(records))
	for i := range records {
		row := records[i]
		rows[i] = &row
	}
	p.table.SetRows(rows)
	p.roomForDecisions()
}

// show puts the record under the cursor into the pane.
func (p *consumePage) show(e *env) tea.Cmd {
	row, ok := p.table.Cursor()
	if !ok {
		return p.pane.show(e, nil, nil)
	}
	return p.pane.show(e, row.Record, p.about(row))
}

// about are the pane's lines of what the group knows of a record.
func (p *consumePage) about(r *model.HeldRecord) []field {
	fields := []field{{"group", "delivery " + deliveryText(r, p.state.Terms())}}
	return append(fields, field{"outcome", r.OutcomeAt(p.e.now).Meaning()}, field{"answer", r.Detail})
}

// fit splits the body between the table and the pane.
func (p *consumePage) fit(e *env) tea.Cmd {
	r := e.body
	r.H = max(0, r.H-footFor(r).height())
	p.tableAt, p.paneAt = r, Rect{}
	if r.H >= withPane {
		p.tableAt.H = r.H / 2
		p.paneAt = Rect{r.X, r.Y + p.tableAt.H, r.W, r.H - p.tableAt.H}
	}
	p.table.SetHeight(p.tableAt.H)
	p.roomForDecisions()
	return p.pane.fit(e, p.paneAt)
}

func (p *consumePage) capturesText() bool { return false }

func (p *consumePage) wants(*env) wants { return wants{open: p.request.Group} }

// keys are the page's keys; those that can't work now are off, with the reason.
func (p *consumePage) keys(e *env) keymap.Consume {
	c := e.keys.Consume
	if reason := p.whyNot(e); reason != "" {
		for _, b := range []*keymap.Binding{&c.Accept, &c.Release, &c.Reject, &c.Send} {
			*b = b.Off(reason)
		}
		c.Renew = c.Renew.Off(reason)
		if p.phase != phaseDeciding {
			c.SendMore = c.SendMore.Off(reason)
		}
		return c
	}
	if why := p.state.Terms().NoRenew; why != "" {
		c.Renew = c.Renew.Off(why)
	}
	return c
}

// whyNot says why nothing can be decided now; empty when it can.
func (p *consumePage) whyNot(e *env) string {
	switch p.phase {
	case phaseJoining, phaseTaking:
		return "no record is here yet"
	case phaseSending:
		return "decisions are on their way"
	case phaseLeaving, phaseFailed:
		return "the session is over"
	default:
	}
	if p.held(e) == 0 {
		return "nothing is held"
	}
	return ""
}

func (p *consumePage) footer(e *env) []keymap.Binding {
	c, l := p.keys(e), e.keys.Lists
	return []keymap.Binding{c.Accept, c.Release, c.Reject, c.Renew, c.Send, c.SendMore, c.Undecided, l.Mark, l.MarkAll}
}

func (p *consumePage) help(e *env) []keymap.Section {
	return []keymap.Section{
		{Scope: keymap.ScopeConsume, Bindings: p.keys(e).Bindings()},
		{Scope: keymap.ScopeLists, Bindings: append(e.keys.Lists.Scrolling(), e.keys.Lists.Mark, e.keys.Lists.MarkAll)},
	}
}

// explain is what help says beside the keys.
func (p *consumePage) explain() []string { return aboutAcknowledging() }

// aboutAcknowledging says what a person's decisions mean, and what the members
// beside them may be doing.
func aboutAcknowledging() []string {
	return []string{
		"Explicit acknowledgement, the only mode here: nothing is sent but what you send. A decision is yours alone, and " +
			"what you leave undecided is released, or gets what t says.",
		"Implicit acknowledgement, the default of Kafka's share consumer and what other members may be using: whatever a " +
			"poll returned is accepted by the next poll, decided or not.",
		"accept: finished. release: given back, and it has used a delivery; at the limit it is archived. reject: archived, " +
			"never delivered again. renew: the lock begins anew; nothing renews by itself.",
	}
}

func (p *consumePage) copyItems(*env) []copyItem { return p.pane.copyItems() }
