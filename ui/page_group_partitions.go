package ui

import (
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// partitionsTab lists the group's share-partitions above a chart of its lag.
type partitionsTab struct {
	table *table[*model.PartitionRow, partitionKey]
	rows  []*model.PartitionRow
	// active is true while the state topic tells what happens to records.
	active bool
	// changes are when the values of each partition last changed; it has the
	// partitions that are shown and no others.
	changes map[partitionKey]partitionChange
}

// partitionKey is a share-partition's identity within its group.
type partitionKey struct {
	topic     model.TopicName
	partition int32
}

func keyOf(r *model.PartitionRow) partitionKey { return partitionKey{r.Topic, r.Partition} }

func newPartitionsTab(e *env, p *groupPage) partitionsTab {
	columns := partitionColumns(func() model.Number {
		if g := p.group(); g != nil {
			return g.Effective().MaxRecordLocks
		}
		return model.Number{}
	}, func() time.Time { return e.now })
	t := newTable(keyOf, columns)
	// Worst first; where nothing is wrong that is by topic and partition.
	t.SetSort(len(columns)-1, true)
	t.stale = func(*model.PartitionRow) bool { return p.gone || !p.shown.Row.Fresh }
	t.changed = func(r *model.PartitionRow, column int) bool { return p.partitions.changed(r, column, e.now) }
	return partitionsTab{table: t}
}

func (t *partitionsTab) refresh(e *env, p *groupPage) {
	if p.shown == nil {
		return
	}
	t.rows = pointers(p.shown.Partitions)
	t.active = p.shown.Activity != nil
	t.table.setAbsent(!hasHead(t.rows), headTitle, headAgeTitle)
	t.note(e.now)
	t.table.empty = whyNoPartitions(p.group())
	t.table.Show(t.rows)
}

// hasHead tells whether the state topic tells a head of any share-partition.
func hasHead(rows []*model.PartitionRow) bool {
	return slices.ContainsFunc(rows, func(r *model.PartitionRow) bool { return r.Head.IsKnown() })
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

func (t *partitionsTab) key(e *env, k tea.KeyPressMsg) bool {
	l := e.keys.Lists
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

// partitionsLayout is where table, rates and chart are; a part without height
// is not drawn.
type partitionsLayout struct{ table, rates, chart Rect }

// Heights of the chart with its title line: it is there for as long as the rows
// leave it that much, and does not grow beyond what is good to read.
const (
	minChart = 7
	maxChart = 28
)

// split gives the rows what they need, a line to the rates where there are any,
// and the chart what is left. When not all rows fit, a high screen still keeps
// a third for the chart.
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
	rates := 0
	if t.active && height > minChart {
		rates, height = 1, height-1
	}
	rows := r.H - height - rates
	if roomy(r.H) {
		rows = min(rows, need+1)
	} else {
		rows = min(rows, need)
	}
	return partitionsLayout{
		table: Rect{r.X, r.Y, r.W, rows},
		rates: Rect{r.X, r.Y + rows, r.W, rates},
		chart: Rect{r.X, r.Y + rows + rates, r.W, height},
	}
}

func (t *partitionsTab) view(e *env, p *groupPage, r Rect) string {
	l := t.split(r)
	out := t.table.View(e.look(), l.table.W, l.table.H)
	if l.rates.H > 0 {
		out += "\n" + drawActivity(e, p.shown, l.rates.W)
	}
	if l.chart.Empty() {
		return out
	}
	return out + "\n" + drawLag(e, p.shown, l.chart)
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

// marked are the marked partitions that are shown.
func (t *partitionsTab) marked() []model.TopicPartition {
	var out []model.TopicPartition
	for _, row := range t.table.MarkedRows() {
		out = append(out, model.TopicPartition{Topic: row.Topic, Partition: row.Partition})
	}
	return out
}
