package ui

import (
	"cmp"
	"strconv"
	"time"

	"sharetop/model"
)

// The titles of the columns that only the state topic fills.
const (
	headTitle    = "HEAD"
	headAgeTitle = "HEAD AGE"
)

// partitionColumns are the columns of the table. MaxLocks gives the group's
// share.partition.max.record.locks, now the time that ages are measured by.
func partitionColumns(maxLocks func() model.Number, now func() time.Time) []column[*model.PartitionRow] {
	type row = *model.PartitionRow
	return []column[row]{
		{
			columnSpec: columnSpec{title: "TOPIC", flex: 1, min: 16, max: 60},
			cell:       func(r row, _ look, _ int) cell { return cell{text: r.Topic.String()} },
			compare:    func(a, b row) int { return cmp.Compare(a.Topic.Raw(), b.Topic.Raw()) },
		},
		{
			columnSpec: columnSpec{title: "PART", right: true},
			cell:       func(r row, _ look, _ int) cell { return cell{text: strconv.Itoa(int(r.Partition))} },
		},
		{columnSpec: columnSpec{title: "LEADER", drop: 8}, cell: leaderCell},
		numberColumn(columnSpec{title: "START", drop: 2}, func(r row) model.Number { return r.Start }),
		numberColumn(columnSpec{title: headTitle, drop: 3}, func(r row) model.Number { return r.Head }),
		numberColumn(columnSpec{title: "END", drop: 5}, func(r row) model.Number { return r.Log.End }),
		numberColumn(columnSpec{title: "LAG"}, func(r row) model.Number { return r.Lag }),
		numberColumn(columnSpec{title: "AHEAD", drop: 7}, func(r row) model.Number { return r.Ahead }),
		{
			columnSpec: columnSpec{title: "WINDOW", right: true, drop: 9},
			cell:       func(r row, l look, _ int) cell { return windowCell(r.Window, maxLocks(), l) },
			compare:    func(a, b row) int { return compareNumbers(a.Window, b.Window) },
		},
		{
			columnSpec: columnSpec{title: "DONE/s", right: true, drop: 4},
			cell: func(r row, l look, _ int) cell {
				return cell{text: model.FormatRate(r.Done), style: dimUnless(l, r.Done.Known)}
			},
			compare: func(a, b row) int { return cmp.Compare(a.Done.PerSecond, b.Done.PerSecond) },
		},
		{
			columnSpec: columnSpec{title: "DRAIN", right: true, drop: 1},
			cell: func(r row, l look, _ int) cell {
				return cell{text: model.FormatDrain(r.Drain), style: dimUnless(l, r.Drain.Kind != model.DrainUnknown)}
			},
		},
		{
			columnSpec: columnSpec{title: headAgeTitle, right: true, drop: 6},
			cell: func(r row, l look, _ int) cell {
				return cell{text: headAgeText(r, now()), style: dimUnless(l, !r.HeadTime.IsZero())}
			},
			compare: func(a, b row) int { return b.HeadTime.Compare(a.HeadTime) },
		},
		numberColumn(columnSpec{title: "LOG-START", drop: 10}, func(r row) model.Number { return r.Log.LogStart }),
		{
			columnSpec: columnSpec{title: "WHY", flex: 1, min: 28},
			cell:       partitionWhy,
			compare:    compareWorst,
		},
	}
}

// compareWorst orders partitions by what asks for attention, and those that ask
// for none by what waits in them.
func compareWorst(a, b *model.PartitionRow) int {
	rank := func(r *model.PartitionRow) model.Severity { return max(r.Verdict.Severity, model.SeverityFine) }
	return cmp.Or(cmp.Compare(rank(a), rank(b)), compareNumbers(a.Lag, b.Lag))
}

// numberColumn is a column of numbers, right aligned, unknown ones dim.
func numberColumn[T any](spec columnSpec, of func(T) model.Number) column[T] {
	spec.right = true
	return column[T]{
		columnSpec: spec,
		cell: func(r T, l look, _ int) cell {
			n := of(r)
			return cell{text: model.FormatNumber(n), style: dimUnless(l, n.IsKnown())}
		},
		compare: func(a, b T) int { return compareNumbers(of(a), of(b)) },
	}
}

// headAgeText is how old the record at the head is.
func headAgeText(r *model.PartitionRow, now time.Time) string {
	if r.HeadTime.IsZero() {
		return model.Unknown
	}
	return model.FormatDuration(max(0, now.Sub(r.HeadTime).Truncate(time.Second)))
}

func leaderCell(r *model.PartitionRow, l look, _ int) cell {
	switch {
	case !r.Log.Asked:
		return cell{text: model.Unknown, style: l.s.dim}
	case r.Log.Leader == model.NoLeader:
		return cell{text: "none", style: l.s.bad}
	default:
		return cell{text: brokerName(r.Log.Leader)}
	}
}

// windowCell is the lower bound of the window, and of how many.
func windowCell(window, limit model.Number, l look) cell {
	n, known := window.Get()
	if !known {
		return cell{text: model.Unknown, style: l.s.dim}
	}
	text := model.FormatInt(n)
	if n > 0 {
		text = l.g.words("≥" + text)
	}
	if limit.IsKnown() {
		text += " of " + model.FormatNumber(limit)
	}
	return cell{text: text}
}

// partitionWhy is the verdict on a partition, or why it could not be seen.
func partitionWhy(r *model.PartitionRow, l look, _ int) cell {
	if r.Verdict.Text == "" && r.Problem != nil {
		return cell{text: r.Problem.Detail, sign: l.g.warn, signStyle: l.s.warn}
	}
	return verdictCell(r.Verdict.Severity, r.Verdict.Text, l)
}

// verdictCell is a verdict's text with its sign; only the sign has a colour.
func verdictCell(v model.Severity, text string, l look) cell {
	c := cell{text: l.g.words(text), sign: l.g.severity(v), signStyle: l.s.severity(v)}
	if v == model.SeverityUnknown {
		c.style = l.s.dim
	}
	return c
}
