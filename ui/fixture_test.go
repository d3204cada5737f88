package ui

import (
	"fmt"
	"slices"
	"time"

	"sharetop/model"
)

// fixtureTime is when the fixtures are looked at.
func fixtureTime() time.Time { return time.Date(2026, 11, 29, 14, 57, 3, 0, time.UTC) }

// fixtureRow is one line of the groups page, made by hand.
type fixtureRow struct {
	id             string
	state          model.GroupState
	members, parts model.Number
	lag            model.Number
	partial        bool
	trend          []int64
	in, done       model.Rate
	drain          model.Drain
	severity       model.Severity
	why            string
	stale          bool
}

func (f fixtureRow) row() *model.Row {
	trend := make([]model.Number, len(f.trend))
	for i, n := range f.trend {
		trend[i] = model.Known(n)
	}
	if len(trend) == 0 {
		trend = make([]model.Number, trendWidth)
	}
	return &model.Row{
		Group: &model.Group{ID: model.NewGroupID(f.id), State: f.state, Coordinator: 2},
		Lag:   f.lag, LagPartial: f.partial, Partitions: f.parts, Members: f.members,
		Trend: trend, In: f.in, Done: f.done, Drain: f.drain, Fresh: !f.stale,
		Verdict: model.Verdict{Severity: f.severity, Text: f.why},
	}
}

func perSecond(n float64) model.Rate { return model.Rate{PerSecond: n, Known: true} }

// incident is a cluster in trouble: every severity, an unknown group, a row
// that was not asked in this tick.
func incident() *model.Board {
	rows := []fixtureRow{
		{
			id: "payments-retry", state: model.GroupStable, members: model.Known(1), parts: model.Known(5),
			lag: model.Known(14), trend: []int64{14, 14, 14, 14, 14, 14, 14, 14}, in: perSecond(0), done: perSecond(0),
			drain: model.Drain{Kind: model.DrainStuck}, severity: model.SeverityStuck, why: "blocked at refunds-0@9,120 ≥14m",
		},
		{
			id: "connect-orders-sink", state: model.GroupStable, members: model.Known(2), parts: model.Known(6),
			lag: model.Known(8120), trend: []int64{1000, 2000, 3000, 4000, 5000, 6000, 7000, 8120}, in: perSecond(310), done: perSecond(250),
			drain: model.Drain{Kind: model.DrainNever}, severity: model.SeverityWarn, why: "falling behind by 60/s",
		},
		{
			id: "nightly-audit", state: model.GroupEmpty, members: model.Known(0), parts: model.Known(4),
			lag: model.Known(4294), trend: []int64{4200, 4200, 4210, 4220, 4250, 4260, 4280, 4294}, in: perSecond(2), done: perSecond(0),
			drain: model.Drain{Kind: model.DrainNever}, severity: model.SeverityWarn, why: "nobody is reading", stale: true,
		},
		{
			id: "new-group", state: model.GroupEmpty, members: model.Known(0), parts: model.Known(3),
			in: perSecond(4), severity: model.SeverityWarn, why: "latest will skip 1,207 records",
		},
		{
			id: "booknest-packers", state: model.GroupStable, members: model.Known(4), parts: model.Known(3),
			lag: model.Known(412), trend: []int64{4000, 3500, 3000, 2500, 2000, 1500, 1000, 412}, in: perSecond(180), done: perSecond(196),
			drain: model.Drain{Kind: model.DrainIn, In: 26 * time.Second}, severity: model.SeverityFine, why: "draining",
		},
		{id: "secrets-feed", why: "not allowed: DESCRIBE on a topic"},
	}
	b := boardOf(rows)
	b.Totals = model.Totals{Groups: 6, Lag: model.Known(12840), Partial: true, Stuck: 1, Warn: 3, Fine: 1, NotKnown: 1}
	b.Snapshot.Problems = []model.Problem{{
		Kind: model.ProblemDenied, Target: model.NewText("group secrets-feed"),
		Detail: "DescribeShareGroupOffsets was refused for this group, so its offsets and lag are unknown.",
		Advice: "Grant DESCRIBE on the group's topics to the principal that sharetop connects as.",
		First:  fixtureTime().Add(-time.Minute), At: fixtureTime(),
	}}
	return b
}

// boardOf makes a board of a healthy cluster with those rows.
func boardOf(rows []fixtureRow) *model.Board {
	taken := fixtureTime().Add(-400 * time.Millisecond)
	b := &model.Board{Snapshot: &model.Snapshot{
		Version: 1, Taken: taken, Answered: taken, Listed: taken,
		Cluster: model.Cluster{
			ID: model.NewText("Jx1kWfX8QnqC2mD1yZ0p5A"), ShareVersion: model.Known(2), ShareGroups: model.ShareFull,
			Brokers: []model.Broker{{ID: 1, Reachable: true}, {ID: 2, Reachable: true}, {ID: 3, Reachable: true}},
		},
		Offsets: model.OffsetsState{Source: model.FromRequests, Sweep: model.Sweep{
			Round: 2, Done: len(rows), Total: len(rows), FirstDone: true, Took: 7 * time.Second,
		}},
	}}
	for _, f := range rows {
		row := f.row()
		b.Rows = append(b.Rows, row)
		b.Snapshot.Groups = append(b.Snapshot.Groups, row.Group)
	}
	b.Totals = model.Totals{Groups: len(rows), Lag: model.Known(0)}
	return b
}

// manyGroups is a board of n groups that differ in everything shown.
func manyGroups(n int) *model.Board {
	rows := make([]fixtureRow, n)
	for i := range rows {
		lag := int64(i*7919) % 100_000
		rows[i] = fixtureRow{
			id: fmt.Sprintf("group-%05d", i), state: model.GroupStable, members: model.Known(int64(i % 7)),
			parts: model.Known(int64(i % 13)), lag: model.Known(lag), trend: []int64{1, 2, 3, 4, 5, 6, 7, lag},
			in: perSecond(float64(i % 500)), done: perSecond(float64(i % 490)),
			drain:    model.Drain{Kind: model.DrainIn, In: time.Duration(i%3600) * time.Second},
			severity: model.Severity(1 + i%3), why: "falling behind by 60/s",
		}
	}
	b := boardOf(rows)
	b.Totals.Lag = model.Known(int64(n) * 50_000)
	return b
}

// next is the board of the following tick: what change does to a copy of each
// row, in a snapshot one version on.
func next(b *model.Board, change func(i int, r *model.Row)) *model.Board {
	s := *b.Snapshot
	s.Version++
	s.Taken = s.Taken.Add(time.Second)
	s.Answered = s.Taken
	n := &model.Board{Snapshot: &s, Rows: slices.Clone(b.Rows), Totals: b.Totals}
	for i, r := range b.Rows {
		changed := *r
		change(i, &changed)
		n.Rows[i] = &changed
	}
	return n
}
