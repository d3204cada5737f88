package ui

import (
	"testing"

	"sharetop/model"
)

// This file is about what a person does while an answer is waited for.

func fakeRecord(offset int64) model.RecordID {
	return model.RecordID{Topic: model.NewTopicName("refunds"), Offset: offset}
}

// Decisions that were confirmed before leaving come before it. That is said before,
// and what came of them after, whichever answer is there first.
func TestLeavingWhileDecisionsAreSent(t *testing.T) {
	for _, leftFirst := range []bool{false, true} {
		g := newFakeGroup(5, 1)
		consuming(t, g, func(d *driver) {
			g.answers = make(chan struct{})
			d.keys("a", "S")
			d.wantText("accept 1, undecided 1")
			d.keys("y", "q")
			d.wantText("2 decisions are on their way: those come first.")
			d.wantNoText("record is held", "records are held", "not sent", "archived")
			d.keys("n", "esc")
			g.mu.Lock()
			g.decided = []model.AckResult{{ID: fakeRecord(9120), Decision: model.Accept, Outcome: model.OutcomeDone}}
			g.held = nil
			g.mu.Unlock()
			if leftFirst {
				d.keys("y")
				close(g.answers)
				d.settle()
			} else {
				close(g.answers)
				d.settle()
				d.wantText("accept: done")
				d.keys("y")
			}
			d.wantText("Sent before, about 1 record of payments-retry: refunds-0@9,120 (accept: done)")
			if d.app.consuming() != nil || g.left != 1 {
				t.Errorf("left %d times", g.left)
			}
		})
	}
}

// Nothing of what a renewal brings late is about what was decided meanwhile.
func TestARenewalThatComesAfterASend(t *testing.T) {
	g := newFakeGroup(1, 1)
	consuming(t, g, func(d *driver) {
		g.answers = make(chan struct{})
		d.keys("w", "w", "a", "S", "y")
		d.wantText("accept: sending")
		close(g.answers)
		d.settle()
		d.wantText("accept: done", "0 held", "renew 1")
		if len(g.renewed) != 1 || len(g.acks) != 2 {
			t.Errorf("renewed %v, sent %v", g.renewed, g.acks)
		}
	})
}

// A connection that is cut gives back what else it held: each row says so, and
// nothing counts down any more.
func TestWhatIsGivenBackIsShown(t *testing.T) {
	beside := model.AckResult{ID: fakeRecord(9121), Delivery: 1, Outcome: model.OutcomeGivenBack}
	g := newFakeGroup(1, 1)
	g.outcome, g.beside = model.OutcomeGivenBack, []model.AckResult{beside}
	consuming(t, g, func(d *driver) {
		d.keys("w")
		d.wantText("2 records of that broker given back", "0 held", "given back")
		d.wantNoText("next lock ends")
		d.keys("S")
		d.wantText("nothing is held")
	})
	g = newFakeGroup(1, 1)
	g.outcome, g.beside = model.OutcomeNoAnswer, []model.AckResult{beside}
	consuming(t, g, func(d *driver) {
		p := d.consumePage()
		plan := p.state.Plan(d.app.env.now)
		plan.Acks = plan.Acks[:1]
		d.app.carryOut(openDialog{&confirmDialog{title: "some of them", yes: "send", no: "no", want: sendPlan{plan: plan}}})
		d.keys("y")
		d.wantText("1 decision of 1 got no answer", "1 other record is given back", "0 held")
	})
}
