package ui

import (
	"strconv"

	"sharetop/model"
)

// copyItems are what can be copied on this page: the group's name, what is
// under the cursor, the group as JSON, and the command of Kafka's own tools
// that shows what the tab shows. Where records are shown the record is first.
func (p *groupPage) copyItems(e *env) []copyItem {
	items := []copyItem{{what: "group id", text: p.id.Raw()}}
	if p.shown == nil {
		return items
	}
	under := p.current().copyItems()
	if p.tab == tabRecords || p.tab == tabDeadLetters {
		items = append(under, items...)
	} else {
		items = append(items, under...)
	}
	items = appendRowJSON(items, e, p.shown.Row)
	what, command := p.tabCommand()
	items = appendCommand(items, what, e, p.id, command)
	return appendCommand(items, "state by Kafka's command", e, p.id, model.EquivalentState)
}

// tabCommand is the command of Kafka's own tools that shows what the open tab
// shows.
func (p *groupPage) tabCommand() (what string, command func([]string, model.GroupID) (string, error)) {
	switch p.tab {
	case tabMembers:
		return "members by Kafka's command", model.EquivalentMembers
	case tabConfig:
		return "configs by Kafka's command", model.EquivalentConfigs
	default:
		return "offsets by Kafka's command", model.EquivalentOffsets
	}
}

// snap is what :snap writes of this page.
func (p *groupPage) snap(e *env) snapView {
	v := snapView{name: p.id.Raw(), board: *e.board}
	v.board.Open = p.shown
	if p.shown != nil {
		v.rows = []*model.Row{p.shown.Row}
	}
	return v
}

// rawNumber is a number without separators, for a clipboard; empty where it is
// not known.
func rawNumber(n model.Number) string {
	if v, ok := n.Get(); ok {
		return strconv.FormatInt(v, 10)
	}
	return ""
}
