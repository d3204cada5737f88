package ui

import (
	"slices"
	"strings"

	"sharetop/model"
)

// groupColumn is the place of a column in groupColumns.
type groupColumn int

const (
	groupsName groupColumn = iota
	groupsState
	groupsMembers
	groupsPartitions
	groupsLag
	groupsTrend
	groupsIn
	groupsDone
	groupsAccepted
	groupsArchived
	groupsRetry
	groupsDrain
	groupsWhy
)

// sortColumn is one order of the groups page.
type sortColumn struct {
	name   string
	key    model.SortKey
	column groupColumn
	// descending is true where the highest comes first.
	descending bool
}

// sortColumns are the orders from the left column to the right.
func sortColumns() []sortColumn {
	return []sortColumn{
		{"name", model.SortName, groupsName, false},
		{"state", model.SortState, groupsState, false},
		{"members", model.SortMembers, groupsMembers, true},
		{"partitions", model.SortPartitions, groupsPartitions, true},
		{"lag", model.SortLag, groupsLag, true},
		{"in", model.SortIn, groupsIn, true},
		{"done", model.SortDone, groupsDone, true},
		{"accept", model.SortAccepted, groupsAccepted, true},
		{"archived", model.SortArchived, groupsArchived, true},
		{"retry", model.SortRetrying, groupsRetry, true},
		{"drain", model.SortDrain, groupsDrain, true},
		{"worst", model.SortWorst, groupsWhy, true},
	}
}

// sortBy is the query sorted by the next column to the right, or to the left
// when step is -1, among those that the table has now.
func (p *groupsPage) sortBy(q model.Query, step int) model.Query {
	all := sortColumns()
	at := slices.IndexFunc(all, func(s sortColumn) bool { return s.key == q.Sort })
	if at < 0 {
		return q
	}
	for range all {
		at = (at + step + len(all)) % len(all)
		if !p.table.columns[all[at].column].absent {
			return model.Query{Filter: q.Filter, Sort: all[at].key}
		}
	}
	return q
}

// sortedColumn is the column that gets the arrow. Until the first sweep is over
// the order by what is worst is by name.
func sortedColumn(e *env) (column int, descending bool) {
	key := e.query.Sort
	if sortsByNameYet(e) {
		key = model.SortName
	}
	for _, s := range sortColumns() {
		if s.key == key {
			return int(s.column), s.descending != e.query.Invert
		}
	}
	return noSort, false
}

// sortsByNameYet is true while lags are not known well enough to sort by.
func sortsByNameYet(e *env) bool {
	return e.query.Sort == model.SortWorst && e.board != nil &&
		!e.board.Snapshot.Offsets.Sweep.FirstDone
}

// groupColumns are the columns of the groups page. What goes first in a narrow
// window has the highest drop; GROUP and LAG stay, and WHY, which is cut last.
func groupColumns() []column[*model.Row] {
	return []column[*model.Row]{
		{columnSpec: columnSpec{title: "GROUP", flex: 2, min: 20, max: 60}, cell: groupCell},
		{columnSpec: columnSpec{title: "STATE", drop: 5}, cell: stateCell},
		{columnSpec: columnSpec{title: "MEMB", right: true, drop: 8}, cell: numberCell(func(r *model.Row) model.Number { return r.Members })},
		{columnSpec: columnSpec{title: "PARTS", right: true, drop: 9}, cell: numberCell(func(r *model.Row) model.Number { return r.Partitions })},
		{columnSpec: columnSpec{title: "LAG", right: true}, cell: lagCell},
		{columnSpec: columnSpec{title: "TREND", want: trendWidth, drop: 4}, cell: trendCell},
		{columnSpec: columnSpec{title: "IN/s", right: true, drop: 7}, cell: rateCell(func(r *model.Row) model.Rate { return r.In })},
		{columnSpec: columnSpec{title: "DONE/s", right: true, drop: 6}, cell: rateCell(func(r *model.Row) model.Rate { return r.Done })},
		{columnSpec: columnSpec{title: "ACCEPT/s", right: true, drop: 13}, cell: rateCell(func(r *model.Row) model.Rate { return r.State.Accepted })},
		{columnSpec: columnSpec{title: "ARCH/s", right: true, drop: 12}, cell: rateCell(func(r *model.Row) model.Rate { return r.State.Archived })},
		{columnSpec: columnSpec{title: "RETRY", right: true, drop: 10}, cell: numberCell(func(r *model.Row) model.Number { return r.Retrying })},
		{columnSpec: columnSpec{title: "DRAIN", right: true, drop: 3}, cell: drainCell},
		{columnSpec: columnSpec{title: "WHY", flex: 3, min: 34, want: whyWidth}, cell: whyCell},
	}
}

// What two columns are given whatever stands in them. The text of a verdict
// changes all the time: if WHY were as wide as that, GROUP would jump.
const (
	trendWidth = 8
	whyWidth   = 44
)

func groupCell(r *model.Row, l look, _ int) cell {
	name := r.Group.ID.String()
	if isSinkName(r.Group.ID) {
		name += " " + l.g.named
	}
	return cell{text: name}
}

// isSinkName tells whether a group is named as the proposed share-group sink
// task names it. A name proves nothing.
func isSinkName(id model.GroupID) bool { return strings.HasPrefix(id.Raw(), "connect-") }

func stateCell(r *model.Row, l look, _ int) cell {
	if r.Group.State == model.GroupUnknown {
		return cell{text: "?", style: l.s.dim}
	}
	return cell{text: string(r.Group.State)}
}

func numberCell(of func(*model.Row) model.Number) func(*model.Row, look, int) cell {
	return func(r *model.Row, l look, _ int) cell {
		n := of(r)
		return cell{text: model.FormatNumber(n), style: dimUnless(l, n.IsKnown())}
	}
}

func rateCell(of func(*model.Row) model.Rate) func(*model.Row, look, int) cell {
	return func(r *model.Row, l look, _ int) cell {
		rate := of(r)
		return cell{text: model.FormatRate(rate), style: dimUnless(l, rate.Known)}
	}
}

// dimUnless is dim for what is unknown.
func dimUnless(l look, known bool) style {
	if known {
		return l.s.text
	}
	return l.s.dim
}

func lagCell(r *model.Row, l look, _ int) cell {
	text := model.FormatNumber(r.Lag)
	if r.LagPartial && r.Lag.IsKnown() {
		text += "+"
	}
	return cell{text: text, style: dimUnless(l, r.Lag.IsKnown())}
}

func drainCell(r *model.Row, l look, _ int) cell {
	return cell{text: model.FormatDrain(r.Drain), style: dimUnless(l, r.Drain.Kind != model.DrainUnknown)}
}

func whyCell(r *model.Row, l look, _ int) cell {
	v := r.Verdict
	return cell{
		text: l.g.words(v.Text), style: dimUnless(l, v.Severity != model.SeverityUnknown),
		sign: l.g.severity(v.Severity), signStyle: l.s.severity(v.Severity),
	}
}

func trendCell(r *model.Row, l look, _ int) cell {
	return cell{text: sparkline(*l.g, r.Trend, trendWidth)}
}
