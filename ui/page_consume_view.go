package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sharetop/model"
)

// withPane is the height from which on the record under the cursor is shown.
const withPane = 14

// A lock is amber from a third of its length on, and red in its last seconds.
const (
	amberShare = 3
	redLock    = 3 * time.Second
)

func (p *consumePage) heading(e *env) heading {
	left, keep := []string{e.styles.bold.render("CONSUME") + " " + plain(p.request.Group.String())}, 0
	if next := p.state.NextLock(e.now); next != nil {
		keep = 1
		left = append(left, "next lock ends in "+p.lockText(e, next)+" "+p.lockBar(e, next))
	}
	if who := p.state.Terms().ClientID; !who.Empty() {
		left = append(left, "as "+plain(who.String()))
	}
	return heading{left: append(left, p.from()), keep: keep, second: p.second(e)}
}

// from names the topics, as far as that is short.
func (p *consumePage) from() string {
	if n := len(p.request.Topics); n != 1 {
		return fmt.Sprintf("from %d topics", n)
	}
	return "from " + plain(p.request.Topics[0].String())
}

// second says what is held, and what happens to it.
func (p *consumePage) second(e *env) string {
	held, decided := p.state.Count(e.now)
	short := p.doing(e) + fmt.Sprintf("%d held   %d decided   %d undecided: %s",
		held, decided, held-decided, e.styles.bold.render(past(p.state.Undecided())))
	long := short + " when sent (t changes)"
	return firstFitting(e.body.W-2, long+"   "+e.styles.dim.render("every way out releases what is held"), long, short)
}

// firstFitting is the first of some texts that is no wider, else the last.
func firstFitting(width int, texts ...string) string {
	for _, text := range texts {
		if cellWidth(text) <= width {
			return text
		}
	}
	return texts[len(texts)-1]
}

// doing says what is waited for; empty when the person is waited for.
func (p *consumePage) doing(e *env) string {
	words := map[consumePhase]string{
		phaseJoining: "joining", phaseTaking: "waiting for records", phaseSending: "sending", phaseLeaving: "leaving",
	}
	if word := words[p.phase]; word != "" {
		return e.styles.accent.render(word) + "   "
	}
	return ""
}

func past(d model.Decision) string {
	switch d {
	case model.Accept:
		return "accepted"
	case model.Reject:
		return "rejected"
	default:
		return "released"
	}
}

// lockText is how long a lock lasts, in its colour.
func (p *consumePage) lockText(e *env, r *model.HeldRecord) string {
	return lockStyle(e.styles, r, e.now).render(seconds(r.LockLeft(e.now)))
}

// seconds is a countdown, rounded up: at 0 the lock has ended.
func seconds(d time.Duration) string {
	return fmt.Sprintf("%ds", (d+time.Second-1)/time.Second)
}

func lockStyle(s styles, r *model.HeldRecord, now time.Time) style {
	switch left := r.LockLeft(now); {
	case left < redLock:
		return s.bad
	case left*amberShare < r.Lock:
		return s.warn
	default:
		return s.text
	}
}

// lockBarWidth is the width of the bar beside the next lock.
const lockBarWidth = 10

func (p *consumePage) lockBar(e *env, r *model.HeldRecord) string {
	full := 0
	if r.Lock > 0 {
		full = clamp(int(r.LockLeft(e.now)*lockBarWidth/r.Lock), 0, lockBarWidth)
	}
	return strings.Repeat(e.glyphs.full, full) + strings.Repeat(e.glyphs.empty, lockBarWidth-full)
}

func (p *consumePage) view(e *env, r Rect) string {
	body := Rect{r.X, r.Y, r.W, max(0, r.H-footFor(r).height())}
	if len(p.state.Records()) == 0 {
		return clipBlock(p.waiting(e, body), body.W, body.H) + "\n" + p.drawFoot(e, r)
	}
	out := p.table.View(e.look(), body.W, min(body.H, p.tableAt.H))
	if !p.paneAt.Empty() {
		out += "\n" + clipBlock(p.drawPane(e), p.paneAt.W, p.paneAt.H)
	}
	return out + "\n" + p.drawFoot(e, r)
}

// drawPane is the record under the cursor, or why it can't be read.
func (p *consumePage) drawPane(e *env) string {
	row, ok := p.table.Cursor()
	if ok && row.Record == nil {
		return titleLine(e, row.ID.String(), "", p.paneAt.W) + "\n  This record can't be read: " + plain(row.Unreadable) +
			".\n  It is held all the same, and can be decided."
	}
	if ok && row.Record == p.pane.record {
		p.pane.retell(e, p.about(row)) // a lock ends without a message
	}
	return p.pane.draw(e, p.paneAt)
}

// waiting says what is waited for while there are no records.
func (p *consumePage) waiting(e *env, r Rect) string {
	text := ""
	switch p.phase {
	case phaseJoining:
		text = "Joining."
	case phaseTaking:
		text = "Joined. Nothing to take yet: " + p.nothingYet(e)
		if left := p.firstRecord(e); left > 0 {
			text = fmt.Sprintf("Joined. The first record can take a heartbeat: up to %s more.", seconds(left))
		}
	case phaseLeaving:
		text = "Leaving."
	case phaseFailed:
		text = "There is no session: esc goes back."
	default:
		text = "Nothing is held: N takes records, esc leaves."
	}
	return "\n" + indent(strings.Join(wrap(text, max(1, r.W-4)), "\n"), 2)
}

// nothingYet says when records come.
func (p *consumePage) nothingYet(e *env) string {
	if row := e.board.Row(p.request.Group); row != nil && row.Verdict.Finding == model.FindingHeldBack {
		return row.Verdict.Text + "."
	}
	return "records come as soon as there are any."
}

// firstRecord is how long the first assignment can still take.
func (p *consumePage) firstRecord(e *env) time.Duration {
	if p.state.Stats().Acquired > 0 {
		return 0
	}
	every := p.state.Terms().Heartbeat
	if every <= 0 {
		every = 5 * time.Second
	}
	return p.since.Add(every).Sub(e.now)
}

// consumeColumns are the columns of the held records.
func consumeColumns(p *consumePage) []column[*model.HeldRecord] {
	return []column[*model.HeldRecord]{
		{columnSpec{title: "RECORD"}, func(r *model.HeldRecord, _ look, _ int) cell { return cell{text: r.ID.String()} }, nil},
		{columnSpec{title: "DELIVERY", right: true, drop: 2}, func(r *model.HeldRecord, l look, _ int) cell {
			c := cell{text: deliveryText(r, p.state.Terms())}
			if r.HeldAt(p.e.now) && int64(r.Delivery) >= p.state.Terms().DeliveryLimit.Or(model.DefaultDeliveryLimit) {
				c.sign, c.signStyle = l.g.warn, l.s.warn
			}
			return c
		}, nil},
		{columnSpec{title: "LOCK", right: true}, func(r *model.HeldRecord, l look, _ int) cell {
			if !r.HeldAt(p.e.now) {
				return cell{text: model.Unknown, style: l.s.dim}
			}
			return cell{text: seconds(r.LockLeft(p.e.now)), style: lockStyle(*l.s, r, p.e.now)}
		}, nil},
		{columnSpec{title: decisionTitle, flex: 1, min: 8, want: 24}, p.decisionCell, nil},
		{columnSpec{title: "KEY", flex: 1, min: 6, max: 24, drop: 1}, func(r *model.HeldRecord, l look, width int) cell {
			return contentCell(r, l, width, func(r *model.Record) model.Blob { return r.Key })
		}, nil},
		{columnSpec{title: "VALUE", flex: 3, min: 8}, func(r *model.HeldRecord, l look, width int) cell {
			return contentCell(r, l, width, func(r *model.Record) model.Blob { return r.Value })
		}, nil},
	}
}

const decisionTitle = "DECISION"

// wideDecisions is the width from which on the column of decisions has room for
// whatever may come of them from the start.
const wideDecisions = 100

// roomForDecisions makes the column of decisions as wide as what is on screen of
// them before any other column gets more than it must have: what came of a
// decision counts most. It does not shrink again, so that nothing jumps, and in a
// narrow window it takes no more than that.
func (p *consumePage) roomForDecisions() {
	i := slices.IndexFunc(p.table.columns, func(c column[*model.HeldRecord]) bool { return c.title == decisionTitle })
	c := &p.table.columns[i]
	for _, row := range p.table.Visible() {
		c.min = max(c.min, p.decisionCell(row, p.table.bare, 0).width())
	}
	c.max = 0
	if p.e.body.W < wideDecisions {
		c.max = c.min
	}
	if c.min > c.want {
		c.want = c.min
		p.table.widen()
	}
}

func deliveryText(r *model.HeldRecord, terms model.SessionTerms) string {
	return fmt.Sprintf("%d of %s", r.Delivery, model.FormatNumber(terms.DeliveryLimit))
}

// decisionCell is what was decided and, once it is known, what came of it.
func (p *consumePage) decisionCell(r *model.HeldRecord, l look, _ int) cell {
	c := cell{text: model.Unknown, style: l.s.dim}
	if r.Decision != model.Undecided {
		c = cell{text: r.Decision.String()}
	}
	switch {
	case r.Phase == model.PhaseSending:
		c.text += ": sending"
	case r.Phase == model.PhaseSettled:
		c.text, c.style = c.text+": done", l.s.good
	case r.Phase == model.PhaseHeld && !r.HeldAt(p.e.now):
		c = cell{text: because(r, model.OutcomeLockOver), sign: l.g.warn, signStyle: l.s.warn}
	case r.Outcome != model.OutcomeNone:
		c = cell{text: because(r, r.Outcome), sign: l.g.stuck, signStyle: l.s.bad}
	}
	return c
}

// because is an outcome with the decision that it is about, if there was one.
func because(r *model.HeldRecord, o model.Outcome) string {
	if r.Decision == model.Undecided {
		return o.String()
	}
	return r.Decision.String() + ": " + o.String()
}

// measured is how much of a key or value is looked at to measure a column.
const measured = 24

// contentCell is the beginning of a key or value; null, empty and unreadable are
// told apart from text.
func contentCell(r *model.HeldRecord, l look, width int, part func(*model.Record) model.Blob) cell {
	if r.Record == nil {
		return cell{text: "can't be read", style: l.s.dim}
	}
	if width == 0 {
		width = measured
	}
	b := part(r.Record)
	c := cell{text: blobText(b, width+1)}
	if b.Size() <= 0 {
		c.style = l.s.dim
	}
	return c
}
