package ui

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// partitionsTab lists the group's share-partitions above a chart of its lag.
type partitionsTab struct {
	table *table[*model.PartitionRow, partitionKey]
	rows  []*model.PartitionRow
	// changes are when the values of each partition last changed; it has the
	// partitions that are shown and no others.
	changes map[partitionKey]partitionChange
	now     time.Time
}

// partitionKey is a share-partition's identity within its group.
type partitionKey struct {
	topic     model.TopicName
	partition int32
}

func keyOf(r *model.PartitionRow) partitionKey { return partitionKey{r.Topic, r.Partition} }

// partitionChange remembers the values that are drawn bold for a second after
// they have changed.
type partitionChange struct {
	values [boldColumns]model.Number
	at     [boldColumns]time.Time
}

// boldColumns are START, END and LAG.
const boldColumns = 3

func boldValues(r *model.PartitionRow) [boldColumns]model.Number {
	return [boldColumns]model.Number{r.Start, r.Log.End, r.Lag}
}

// boldFor is how long a changed value is bold.
const boldFor = time.Second

func newPartitionsTab(p *groupPage) partitionsTab {
	columns := partitionColumns(func() model.Number {
		if g := p.group(); g != nil {
			return g.Settings.MaxRecordLocks
		}
		return model.Number{}
	})
	t := newTable(keyOf, columns)
	t.stale = func(*model.PartitionRow) bool { return p.gone || !p.shown.Row.Fresh }
	t.changed = func(r *model.PartitionRow, column int) bool { return p.partitions.changed(r, column) }
	return partitionsTab{table: t}
}

// The places of the columns whose values are watched.
const (
	columnStart = 3
	columnEnd   = 4
	columnLag   = 5
)

// partitionColumns are the columns of the table. MaxLocks gives the group's
// share.partition.max.record.locks.
func partitionColumns(maxLocks func() model.Number) []column[*model.PartitionRow] {
	type row = *model.PartitionRow
	return []column[row]{
		{
			columnSpec: columnSpec{title: "TOPIC", flex: 1, min: 12, max: 60},
			cell:       func(r row, _ look, _ int) cell { return cell{text: r.Topic.String()} },
			compare:    func(a, b row) int { return cmp.Compare(a.Topic.Raw(), b.Topic.Raw()) },
		},
		{
			columnSpec: columnSpec{title: "PART", right: true},
			cell:       func(r row, _ look, _ int) cell { return cell{text: strconv.Itoa(int(r.Partition))} },
		},
		{columnSpec: columnSpec{title: "LEADER", drop: 6}, cell: leaderCell},
		numberColumn(columnSpec{title: "START", drop: 2}, func(r row) model.Number { return r.Start }),
		numberColumn(columnSpec{title: "END", drop: 4}, func(r row) model.Number { return r.Log.End }),
		numberColumn(columnSpec{title: "LAG"}, func(r row) model.Number { return r.Lag }),
		numberColumn(columnSpec{title: "AHEAD", drop: 5}, func(r row) model.Number { return r.Ahead }),
		{
			columnSpec: columnSpec{title: "WINDOW", right: true, drop: 7},
			cell:       func(r row, l look, _ int) cell { return windowCell(r.Window, maxLocks(), l) },
			compare:    func(a, b row) int { return compareNumbers(a.Window, b.Window) },
		},
		{
			columnSpec: columnSpec{title: "DONE/s", right: true, drop: 3},
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
		numberColumn(columnSpec{title: "LOG-START", drop: 8}, func(r row) model.Number { return r.Log.LogStart }),
		{columnSpec: columnSpec{title: "WHY", flex: 1, min: 12}, cell: partitionWhy},
	}
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
		text = "≥" + text
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
	c := cell{text: text, sign: l.g.severity(v), signStyle: l.s.severity(v)}
	if v == model.SeverityUnknown {
		c.style = l.s.dim
	}
	return c
}

func (t *partitionsTab) refresh(e *env, p *groupPage) {
	if p.shown == nil {
		return
	}
	t.rows = make([]*model.PartitionRow, len(p.shown.Partitions))
	for i := range p.shown.Partitions {
		t.rows[i] = &p.shown.Partitions[i]
	}
	// Worst first; where nothing is wrong that is by topic and partition.
	slices.SortStableFunc(t.rows, func(a, b *model.PartitionRow) int {
		return cmp.Compare(b.Verdict.Severity, a.Verdict.Severity)
	})
	t.note(e.board.Snapshot.Taken)
	t.table.empty = whyNoPartitions(p.group())
	t.table.Show(t.rows)
}

// note remembers what has changed since the last look.
func (t *partitionsTab) note(now time.Time) {
	seen := make(map[partitionKey]partitionChange, len(t.rows))
	for _, r := range t.rows {
		c, before := t.changes[keyOf(r)]
		for i, v := range boldValues(r) {
			if before && c.values[i] != v && v.IsKnown() {
				c.at[i] = now
			}
			c.values[i] = v
		}
		seen[keyOf(r)] = c
	}
	t.changes, t.now = seen, now
}

// changed tells whether a cell's value has changed within the last second.
func (t *partitionsTab) changed(r *model.PartitionRow, column int) bool {
	if column < columnStart || column > columnLag {
		return false
	}
	at := t.changes[keyOf(r)].at[column-columnStart]
	return !at.IsZero() && t.now.Sub(at) < boldFor
}

// whyNoPartitions is shown in place of the rows when there are none.
func whyNoPartitions(g *model.Group) string {
	switch {
	case len(g.Problems) > 0:
		return "The share-partitions of this group could not be seen:\n" + g.Problems[0].Detail
	case g.OffsetsAt.IsZero():
		return "Asking the coordinator for the offsets of this group."
	default:
		return "This group has no share-partitions yet: they appear when a member has been assigned a topic."
	}
}

func (t *partitionsTab) key(l keymap.Lists, k tea.KeyPressMsg) bool {
	if t.table.resort(l, k) {
		t.table.Show(t.rows)
		return true
	}
	return moveTable(t.table, l, k)
}

func (t *partitionsTab) only(text string) {
	t.table.only = text
	t.table.Show(t.rows)
}

func (t *partitionsTab) fit(r Rect) { t.table.SetHeight(t.split(r).table.H) }

// partitionsLayout is where table and chart are; a chart without height is not
// drawn.
type partitionsLayout struct{ table, chart Rect }

// Heights of the chart with its title line: it is there for as long as the rows
// leave it that much, and does not grow beyond what is good to read.
const (
	minChart = 7
	maxChart = 28
)

// bridgedTicks is how many ticks may bring nothing before the chart's line has
// a gap: as many as before the age of the data turns amber.
const bridgedTicks = amberTicks

// split gives the rows what they need and the chart what is left. When not all
// rows fit, a high screen still keeps a third for the chart.
func (t *partitionsTab) split(r Rect) partitionsLayout {
	need := 1 + max(3, len(t.rows))
	left := r.H - need
	if roomy(r.H) {
		left = max(left-1, r.H/3)
	}
	height := min(left, maxChart)
	if height < minChart {
		return partitionsLayout{table: r}
	}
	rows := r.H - height
	if roomy(r.H) {
		rows = min(rows, need+1)
	} else {
		rows = min(rows, need)
	}
	return partitionsLayout{
		table: Rect{r.X, r.Y, r.W, rows},
		chart: Rect{r.X, r.Y + rows, r.W, height},
	}
}

func (t *partitionsTab) view(e *env, p *groupPage, r Rect) string {
	l := t.split(r)
	out := t.table.View(e.look(), l.table.W, l.table.H)
	if l.chart.Empty() {
		return out
	}
	return out + "\n" + drawLag(e, p.shown.LagSeries, l.chart)
}

// drawLag draws the chart of a group's lag with its title line.
func drawLag(e *env, series []model.Number, r Rect) string {
	span := lagSpan(series)
	spec := chartSpec{
		series: series[len(series)-min(len(series), span):],
		span:   span,
		step:   model.HistoryStep,
		bridge: bridgedTicks * int((e.feed.interval+model.HistoryStep-1)/model.HistoryStep),
	}
	title := titleLine(e, "lag, last "+model.FormatDuration(time.Duration(span)*model.HistoryStep), "", r.W)
	if _, _, known := rangeOf(series); !known {
		return title + "\n" + blanks(gutter) + e.styles.dim.render("No lag is known yet.")
	}
	return title + "\n" + indent(chart(e.look(), spec, r.W-2, r.H-1), 1)
}

// lagSpan is how many samples the chart's width stands for: the whole history,
// or while there is little of it a part that holds what there is. It only ever
// doubles, so that the line seldom moves.
func lagSpan(series []model.Number) int {
	whole := int(model.HistoryLength / model.HistoryStep)
	known := 0
	for i, n := range series {
		if n.IsKnown() {
			known = len(series) - i
			break
		}
	}
	span := whole
	for span/2 >= known && span > whole/8 {
		span /= 2
	}
	return span
}

func (t *partitionsTab) copyItems() []copyItem {
	row, ok := t.table.Cursor()
	if !ok {
		return nil
	}
	return []copyItem{
		{what: "topic", text: row.Topic.Raw()},
		{what: "share-partition", text: row.Topic.Raw() + "-" + strconv.Itoa(int(row.Partition))},
		{what: "start offset", text: rawNumber(row.Start)},
	}
}
