package ui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// lookedMsg is what a look has found.
type lookedMsg struct {
	page   *resetPage
	req    int
	target model.ResetTarget
	look   *model.GroupLook
	err    error
}

func (m lookedMsg) owner() page { return m.page }

// resetMsg is what came of writing a plan.
type resetMsg struct {
	page   *resetPage
	req    int
	result *model.ResetResult
	err    error
}

func (m resetMsg) owner() page { return m.page }

func lookGroup(ctx context.Context, changer Changer, r model.LookRequest, page *resetPage, req int) tea.Cmd {
	return func() tea.Msg {
		look, err := changer.Look(ctx, r)
		return lookedMsg{page: page, req: req, target: r.Target, look: look, err: err}
	}
}

// looked makes the plan of a look, or goes on waiting.
func (p *resetPage) looked(e *env, m lookedMsg) tea.Cmd {
	if m.req != p.req {
		return nil
	}
	if p.stage == stageWait {
		return p.waited(e, m)
	}
	p.release()
	if m.err != nil {
		p.stage = stageChoose
		p.chooser.note = model.Sanitize(capitalised(m.err.Error())) + "."
		return nil
	}
	return p.show(e, model.MakePlan(m.look, p.scope, m.target))
}

// release frees the context of a look that is over.
func (p *resetPage) release() {
	if p.cancel != nil {
		p.cancel()
		p.cancel = nil
	}
}

// forget ends the reading of the times that a plan crosses.
func (p *resetPage) forget() {
	p.crossed = nil
	if p.stopTimes != nil {
		p.stopTimes()
		p.stopTimes = nil
	}
}

// crossedMsg has the times that a plan crosses.
type crossedMsg struct {
	page    *resetPage
	plan    *model.Plan
	crossed map[model.TopicPartition]model.Crossed
}

func (m crossedMsg) owner() page { return m.page }

func readCrossed(ctx context.Context, changer Changer, page *resetPage, plan *model.Plan) tea.Cmd {
	return func() tea.Msg { return crossedMsg{page, plan, changer.Crossed(ctx, plan)} }
}

// leave ends a look or the waiting with the program. A change that is on its way
// goes on: who made the Changer waits for it.
func (p *resetPage) leave() {
	p.release()
	p.forget()
}

// show puts a plan on the page; nothing is changed by that. What times it crosses
// is read after it is shown.
func (p *resetPage) show(e *env, plan *model.Plan) tea.Cmd {
	p.forget()
	p.stage, p.plan, p.result = stagePlan, plan, nil
	p.table.empty = "The group has no start offsets: name topics to place it there."
	p.table.SetRows(pointers(plan.Rows))
	p.fit(e)
	ctx, cancel := context.WithCancel(context.Background())
	p.stopTimes = cancel
	return readCrossed(ctx, e.cfg.Changer, p, plan)
}

// askToWrite asks for the group's name. While there are members it says who,
// and that it will wait for them.
func (p *resetPage) askToWrite(e *env) intent {
	if b := p.planKeys(e).Write; b.IsOff() {
		return showStatus{levelInfo, "W write: " + b.Reason + "."}
	}
	lines := p.plan.Consequences()
	if members := p.plan.MembersText(); members != "" {
		lines = append(lines, members,
			"Once the name is typed this waits until the group is empty. It writes only if nothing moved by then.")
	}
	return openDialog{newTypedDialog("Write the plan", "to write", p.id.String(), e.now, writeReset{p, p.plan},
		sameBy(model.EquivalentReset(bootstrapOf(e), p.plan)), lines...)}
}

// write writes the plan whose name was typed. Another plan than the one shown
// then is not written.
func (p *resetPage) write(e *env, plan *model.Plan) tea.Cmd {
	if p.plan != plan || p.stage != stagePlan {
		return nil
	}
	if len(plan.Look.Members) > 0 {
		ctx, cancel := context.WithCancel(context.Background())
		p.req++
		p.stage, p.cancel = stageWait, cancel
		p.news = []string{waitingFor(plan.Look.Members)}
		return p.lookLater(ctx, e)
	}
	return p.send(e)
}

func waitingFor(members []model.Member) string {
	return "Waiting for " + model.NameMembers(members) + " to leave; esc stops the waiting, nothing is written yet."
}

// waitEvery is the time between two looks while the group is waited for.
const waitEvery = time.Second

// lookLater looks again after a while.
func (p *resetPage) lookLater(ctx context.Context, e *env) tea.Cmd {
	r := model.LookRequest{Group: p.id, Scope: p.scope, Target: p.plan.Target}
	changer, page, req := e.cfg.Changer, p, p.req
	return func() tea.Msg {
		if waitThen(ctx, waitEvery, clockMsg{})() == nil {
			return nil
		}
		return lookGroup(ctx, changer, r, page, req)()
	}
}

// waited writes once the group is empty, and goes on waiting until then.
func (p *resetPage) waited(e *env, m lookedMsg) tea.Cmd {
	switch {
	case m.err != nil:
		p.release()
		p.stage, p.news = stagePlan, []string{"Nothing was written: " + model.Sanitize(m.err.Error()) + "."}
		return nil
	case len(m.look.Members) > 0:
		p.news = []string{waitingFor(m.look.Members)}
		ctx, cancel := context.WithCancel(context.Background())
		p.release()
		p.cancel = cancel
		return p.lookLater(ctx, e)
	}
	p.release()
	return p.send(e)
}

// send writes the plan. It is not cancelled any more.
func (p *resetPage) send(e *env) tea.Cmd {
	p.req++
	p.stage, p.news = stageWrite, nil
	return writePlan(e.cfg.Changer, p.plan, p, p.req)
}

func writePlan(changer Changer, plan *model.Plan, page *resetPage, req int) tea.Cmd {
	return func() tea.Msg {
		result, err := changer.Reset(context.Background(), plan)
		return resetMsg{page: page, req: req, result: result, err: err}
	}
}

// wrote shows what came of it. When something had moved, nothing was written,
// and the plan for what is there now is shown instead.
func (p *resetPage) wrote(e *env, m resetMsg) (cmd tea.Cmd) {
	if m.req != p.req {
		return nil
	}
	switch {
	case m.err != nil:
		p.stage, p.news = stagePlan, []string{capitalised(model.Sanitize(m.err.Error())) + "."}
	case len(m.result.Moved) > 0:
		cmd = p.show(e, model.MakePlan(m.result.Now, p.scope, p.plan.Target))
		p.news = append([]string{"Nothing was written, and this is the new plan. What moved: "}, firstFew(m.result.Moved)...)
	default:
		p.stage, p.result = stageDone, m.result
		p.news = m.result.Sentences(p.plan)
		p.table.widen()
	}
	p.fit(e)
	return cmd
}

// maxMoved bounds how many changes are told one by one.
const maxMoved = 3

func firstFew(all []string) []string {
	if len(all) <= maxMoved {
		return all
	}
	return append(all[:maxMoved:maxMoved], fmt.Sprintf("And %d more.", len(all)-maxMoved))
}

// planUndo plans the way back of what was written.
func (p *resetPage) planUndo(e *env) tea.Cmd {
	if b := p.planKeys(e).Undo; b.IsOff() {
		return nil
	}
	return p.look(e, p.plan.UndoTarget(p.result.UndoPath))
}

// savePlan is the command that writes a plan as CSV.
func savePlan(plan *model.Plan, dir string, now time.Time) tea.Cmd {
	if plan == nil || plan.Totals().Written == 0 {
		return nil
	}
	stem := strings.Replace(snapStem(plan.Group.Raw(), now), "sharetop-", "sharetop-plan-", 1)
	return func() tea.Msg {
		paths, err := writeNew(dir, stem, []snapFile{{".csv", plan.CSV()}})
		if err != nil {
			return statusMsg{levelError, model.Sanitize(err.Error())}
		}
		return statusMsg{levelInfo, model.Sanitize("Written: " + strings.Join(paths, " and "))}
	}
}
