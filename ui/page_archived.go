package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// archivedPage lists the records that were given up: those at or above the
// start offsets, and those seen since watching began. Its title says since
// when, so that an empty list is not read as "nothing was lost".
type archivedPage = runsPage[model.ArchivedList, *model.ArchivedRow, archivedKey]

// archivedKey is a run's identity: what it begins with.
type archivedKey struct {
	group model.GroupID
	place model.Place
	first int64
	at    int64
}

func newArchivedPage(e *env, group model.GroupID) (*archivedPage, tea.Cmd) {
	p := &archivedPage{group: group, kind: runsKind[model.ArchivedList, *model.ArchivedRow]{
		find: func(s *model.Snapshot, _ *model.ArchivedList) (*model.ArchivedList, []*model.ArchivedRow) {
			list := model.ArchivedIn(s, group)
			return list, list.Rows
		},
		run:  func(r *model.ArchivedRow) run { return run{r.Group, r.Place, r.StateBatch} },
		note: archivedReason,
		left: func(e *env, list *model.ArchivedList) []string {
			whose := "all groups"
			if !group.Empty() {
				whose = group.String()
			}
			return []string{e.styles.bold.render("Archived records " + archivedSince(e, list)), whose}
		},
		totals: func(e *env, list *model.ArchivedList) []string {
			return []string{archivedTotals(e, list), archivedMissed(e, list)}
		},
		whyEmpty: archivedEmpty,
		any:      func(list *model.ArchivedList) bool { return len(list.Rows) > 0 },
		archived: true,
	}}
	p.table = newTable(func(r *model.ArchivedRow) archivedKey {
		return archivedKey{r.Group, r.Place, r.First, r.At.UnixNano()}
	}, archivedColumns(func() bool { return e.utc }))
	p.table.columns[0].absent = !group.Empty()
	p.fit(e)
	return p, p.look(e)
}

func archivedEmpty(e *env, list *model.ArchivedList) []string {
	if list == nil {
		return []string{"Looking for archived records."}
	}
	return []string{
		"No archived record at or above a start offset, and none seen " + archivedSince(e, list) + ".",
		"Records archived before that and below a start offset are no longer told apart from accepted ones: this list can't show them.",
	}
}

// archivedSince is from when on a list has everything.
func archivedSince(e *env, list *model.ArchivedList) string {
	if list == nil || list.Since.IsZero() {
		return "since " + model.Unknown
	}
	return "since " + model.FormatClock(list.Since, e.utc)
}

// archivedTotals counts what is listed, whatever the filter shows.
func archivedTotals(e *env, list *model.ArchivedList) string {
	if list == nil {
		return e.styles.dim.render("records given up: rejected, or at the delivery limit")
	}
	text := count(int(list.Records), "record", "records") + " given up"
	if list.Nothing > 0 {
		text += ", " + count(int(list.Nothing), "offset", "offsets") + " had none"
	}
	if list.More > 0 {
		return text + fmt.Sprintf(", and %s more runs that are not held any more", model.FormatInt(list.More))
	}
	return text + "; older ones: from the start offset on"
}

// archivedMissed says that something may be missing in between.
func archivedMissed(e *env, list *model.ArchivedList) string {
	if list == nil || list.Missed.IsZero() {
		return ""
	}
	return e.styles.warn.render(e.glyphs.warn + " events were missed at " + model.FormatClock(list.Missed, e.utc))
}

// archivedColumns are the columns of the list. Utc says how times are shown.
func archivedColumns(utc func() bool) []column[*model.ArchivedRow] {
	type row = *model.ArchivedRow
	return []column[row]{
		{
			columnSpec: columnSpec{title: "GROUP", flex: 1, min: 14, max: 50},
			cell:       func(r row, _ look, _ int) cell { return cell{text: r.Group.String()} },
		},
		{
			columnSpec: columnSpec{title: "OFFSETS", flex: 1, min: 16, max: 60, tail: true},
			cell:       func(r row, _ look, _ int) cell { return cell{text: recordsText(r.Place, r.StateBatch)} },
		},
		{columnSpec: columnSpec{title: "RECORDS", right: true, drop: 2}, cell: func(r row, l look, _ int) cell { return timesCell(r.Records(), l) }},
		{columnSpec: columnSpec{title: "WHEN", drop: 1}, cell: func(r row, l look, _ int) cell { return whenCell(r, l, utc()) }},
		{
			columnSpec: columnSpec{title: "COUNT", right: true},
			cell:       func(r row, _ look, _ int) cell { return cell{text: countText(r.Count, r.Limit)} },
		},
		{
			columnSpec: columnSpec{title: "REASON", flex: 1, min: 22},
			cell:       func(r row, _ look, _ int) cell { return cell{text: archivedReason(r)} },
		},
	}
}

// whenCell is when records were given up; "before" stands for before we looked.
func whenCell(r *model.ArchivedRow, l look, utc bool) cell {
	if r.At.IsZero() {
		return cell{text: "before", style: l.s.dim}
	}
	return cell{text: model.FormatClock(r.At, utc)}
}

// archivedReason is why records were given up, as far as is known.
func archivedReason(r *model.ArchivedRow) string {
	text := "limit not known"
	if r.Found == model.FoundRecord {
		text = "rejected or at the limit, which is not known"
	}
	switch r.Reason() {
	case model.ArchivedAtLimit:
		text = "at the delivery limit"
	case model.ArchivedBefore:
		text = "rejected, or nothing to deliver (gap, aborted)"
	case model.ArchivedRejected:
		text = "rejected"
	case model.ArchivedNothing:
		text = "no record (marker or gap)"
	case model.ArchivedUnknown:
	}
	if r.State == model.RecordArchiving {
		text += "; being written to the dead-letter topic"
	}
	return text
}
