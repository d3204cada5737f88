package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// resetPage moves the start offsets of one group: a target is chosen, a plan
// shows what would happen, and only a typed name writes it. The group, the scope
// and every number of a plan are fixed when they are shown; boards that come in
// change nothing here.
type resetPage struct {
	id    model.GroupID
	scope model.ResetScope
	stage resetStage
	// req numbers what was asked for: replies to anything older are dropped.
	req int
	// cancel ends a look or the waiting; nil while a change is on its way, which
	// is never cancelled.
	cancel context.CancelFunc

	chooser resetChooser
	table   *table[*model.PlanRow, model.TopicPartition]
	plan    *model.Plan
	// crossed are the times that the plan's rows pass over; nil until they are
	// read. stopTimes ends the reading.
	crossed   map[model.TopicPartition]model.Crossed
	stopTimes context.CancelFunc
	// news is what the person has to know about the plan or the result, one
	// sentence each.
	news   []string
	result *model.ResetResult
}

// resetStage is where a reset has got to.
type resetStage uint8

const (
	// stageChoose: the target is chosen.
	stageChoose resetStage = iota
	// stageLook: the cluster is asked, nothing is planned yet.
	stageLook
	// stagePlan: the plan is shown, nothing has changed.
	stagePlan
	// stageWait: the name was typed; waiting for the group to be empty.
	stageWait
	// stageWrite: the change is on its way.
	stageWrite
	// stageDone: the result is shown.
	stageDone
)

// openReset opens the reset page of a group for some partitions, or all.
type openReset struct {
	id    model.GroupID
	parts []model.TopicPartition
}

// writeReset writes the plan that a page shows: the name was typed.
type writeReset struct {
	page *resetPage
	plan *model.Plan
}

func (openReset) isIntent()  {}
func (writeReset) isIntent() {}

func newResetPage(e *env, id model.GroupID, parts []model.TopicPartition) *resetPage {
	p := &resetPage{id: id, scope: model.ResetScope{Partitions: parts}}
	p.table = newTable(func(r *model.PlanRow) model.TopicPartition { return r.TopicPartition }, p.columns())
	p.fit(e)
	return p
}

func (p *resetPage) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	switch msg := msg.(type) {
	case resizedMsg:
		p.fit(e)
	case lookedMsg:
		return nil, p.looked(e, msg)
	case resetMsg:
		return nil, p.wrote(e, msg)
	case crossedMsg:
		if msg.plan == p.plan {
			p.crossed = msg.crossed
			p.table.widen()
			p.fit(e)
		}
	case fileReadMsg:
		return nil, p.fileRead(e, msg)
	case tea.PasteMsg:
		if p.stage == stageChoose {
			p.chooser.typed(msg)
		}
	case tea.KeyPressMsg:
		return p.key(e, msg)
	}
	return nil, nil
}

func (p *resetPage) key(e *env, k tea.KeyPressMsg) (intent, tea.Cmd) {
	if p.stage == stageChoose {
		return p.chooseKey(e, k)
	}
	back := e.keys.Everywhere.Back.Pressed(k)
	switch {
	case p.stage == stageWrite:
		return nil, nil // its result comes
	case back && (p.stage == stageLook || p.stage == stageWait):
		p.stop()
		return nil, nil
	case back && p.stage == stageDone:
		return goBack{}, nil
	case back:
		p.forget()
		p.stage, p.news = stageChoose, nil
	case p.stage == stageLook || p.stage == stageWait:
		return nil, nil
	case p.planKeys(e).Write.Pressed(k):
		return p.askToWrite(e), nil
	case p.planKeys(e).Save.Pressed(k):
		return nil, savePlan(p.plan, e.cfg.SnapDir, e.now)
	case p.planKeys(e).Undo.Pressed(k):
		return nil, p.planUndo(e)
	default:
		moveTable(p.table, e.keys.Lists, k)
	}
	return nil, nil
}

// planKeys are the keys of the plan; those that can't work now are off.
func (p *resetPage) planKeys(e *env) keymap.Plan {
	k := e.keys.Plan
	if p.stage == stageDone {
		k.Write = k.Write.Off("it is written")
		if p.result == nil || p.result.UndoPath.Empty() {
			k.Undo = k.Undo.Off("there is no start offset to go back to")
		}
		return k
	}
	k.Undo = k.Undo.Off("nothing is written yet")
	if p.plan == nil || p.plan.Totals().Written == 0 {
		k.Write, k.Save = k.Write.Off("the plan changes nothing"), k.Save.Off("the plan changes nothing")
	}
	return k
}

// stop ends a look or the waiting.
func (p *resetPage) stop() {
	if p.cancel != nil {
		p.cancel()
		p.cancel = nil
	}
	p.req++
	if p.stage == stageWait {
		p.stage, p.news = stagePlan, []string{"The waiting was stopped: nothing was written."}
		return
	}
	p.stage = stageChoose
}

// fit tells the table its place.
func (p *resetPage) fit(e *env) { p.table.SetHeight(p.tableHeight(e, e.body)) }

// changing tells whether a plan is being written, or waits to be.
func (p *resetPage) changing() bool { return p.stage == stageWait || p.stage == stageWrite }

// capturesText keeps every key here while text is typed, and while something
// goes on that must be left with esc only.
func (p *resetPage) capturesText() bool {
	return p.stage == stageChoose && p.chooser.typing || p.stage == stageLook || p.stage == stageWait || p.stage == stageWrite
}

func (p *resetPage) wants(*env) wants { return wants{open: p.id} }

func (p *resetPage) footer(e *env) []keymap.Binding {
	switch p.stage {
	case stageChoose:
		return p.chooser.footer(e)
	case stageLook, stageWait:
		return []keymap.Binding{e.keys.Text.Leave}
	case stageWrite:
		return nil
	case stagePlan, stageDone:
	}
	k := p.planKeys(e)
	return []keymap.Binding{k.Write, k.Save, k.Undo, e.keys.Everywhere.CopyMenu}
}

func (p *resetPage) help(e *env) []keymap.Section {
	k := e.keys.Plan
	if p.stage == stagePlan || p.stage == stageDone {
		k = p.planKeys(e)
	}
	return []keymap.Section{
		{Scope: keymap.ScopePlan, Bindings: k.Bindings()},
		{Scope: keymap.ScopeLists, Bindings: e.keys.Lists.Bindings()},
	}
}

// copyItems are the same change as commands of Kafka's own tools, and the plan.
func (p *resetPage) copyItems(e *env) []copyItem {
	items := []copyItem{{what: "group id", text: p.id.Raw()}}
	if p.plan == nil || p.plan.Totals().Written == 0 {
		return items
	}
	if text, err := model.EquivalentReset(bootstrapOf(e), p.plan); err == nil {
		items = append(items, copyItem{what: "plan by Kafka's command", text: text})
	}
	return append(items, copyItem{what: "plan as CSV", text: string(p.plan.CSV())})
}
