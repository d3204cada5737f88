package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// radarPage lists the records of all groups that are on their second or a later
// delivery, those first that are closest to being given up.
type radarPage = runsPage[model.Radar, *model.RadarRow, radarKey]

// radarKey is a run's identity: what it begins with.
type radarKey struct {
	group model.GroupID
	place model.Place
	first int64
}

func newRadarPage(e *env) (*radarPage, tea.Cmd) {
	p := &radarPage{kind: runsKind[model.Radar, *model.RadarRow]{
		find: func(s *model.Snapshot, before *model.Radar) (*model.Radar, []*model.RadarRow) {
			radar := model.RadarOf(s, before)
			return radar, radar.Rows
		},
		run:  func(r *model.RadarRow) run { return run{r.Group, r.Place, r.StateBatch} },
		note: radarNote,
		left: func(e *env, _ *model.Radar) []string {
			return []string{e.styles.bold.render("Poison radar"), clusterElsewhere(e)}
		},
		totals:   radarTotals,
		whyEmpty: radarEmpty,
		any:      func(r *model.Radar) bool { return r.Runs > 0 },
	}}
	p.table = newTable(func(r *model.RadarRow) radarKey { return radarKey{r.Group, r.Place, r.First} }, radarColumns())
	p.fit(e)
	return p, p.look(e)
}

func radarEmpty(_ *env, r *model.Radar) []string {
	if r == nil {
		return []string{"Looking at every group."}
	}
	return []string{
		"No record of any group is on its second or a later delivery.",
		fmt.Sprintf("The state of %s was looked at. What is in its first delivery can't be seen.", count(r.Live, "group", "groups")),
	}
}

// radarTotals counts what was found, whatever the filter shows.
func radarTotals(e *env, r *model.Radar) []string {
	if r == nil {
		return []string{e.styles.dim.render("records on their second or a later delivery")}
	}
	text := fmt.Sprintf("%s on a second or later delivery, in %s",
		count(int(r.Records), "record", "records"), count(r.Groups, "group", "groups"))
	if n := int64(len(r.Rows)); n < r.Runs {
		text += fmt.Sprintf("; the worst %s of %s runs", model.FormatInt(n), model.FormatInt(r.Runs))
	}
	return []string{text}
}

// recordCopyItems is what can be copied of a run of records.
func recordCopyItems(group model.GroupID, p model.Place, b model.StateBatch) []copyItem {
	return []copyItem{
		{what: "records", text: fmt.Sprintf("%s-%d@%d-%d", p.Topic.Raw(), p.Partition, b.First, b.Last)},
		{what: "group id", text: group.Raw()},
		{what: "first offset", text: rawNumber(model.Known(b.First))},
	}
}
