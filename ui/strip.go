package ui

import (
	"strconv"
	"strings"

	"sharetop/model"
)

// stripSpan is what a strip can show of a share-partition: the offsets from
// start up to, but not including, end.
type stripSpan struct {
	state      *model.PartitionState
	start, end int64
	limit      model.DeliveryLimit
}

// stripShape is how a strip lies on the screen: lines of so many cells, each
// cell bucket offsets wide, the first one beginning at first.
type stripShape struct {
	first, bucket int64
	cols, rows    int
	// label is how wide the offsets at both ends of a line are.
	label int
}

// spanOf is what there is to show of a share-partition; false without a state
// or without any offset.
func spanOf(row *model.PartitionRow, limit model.DeliveryLimit) (stripSpan, bool) {
	if row == nil {
		return stripSpan{}, false
	}
	start, known := row.State.Start().Get()
	if !known {
		return stripSpan{}, false
	}
	// The log's end is a tick old, the state is not.
	end := max(row.Log.End.Or(0), row.LagEnd.Or(0), row.State.HighestKnown().Or(start-1)+1)
	return stripSpan{row.State, start, end, limit}, end > start
}

// shape lays a span out in that width and at most maxRows lines. With bucket 0
// it is all on screen: one cell for each offset while they fit. The line with
// the cursor is among those shown.
func (s stripSpan) shape(width, maxRows int, bucket, cursor int64) stripShape {
	sh := stripShape{label: len(model.FormatInt(s.end - 1)), bucket: bucket}
	sh.cols = max(1, width-2*sh.label-5)
	maxRows = max(1, maxRows)
	n := s.end - s.start
	if all := (n-1)/int64(sh.cols*maxRows) + 1; bucket <= 0 || bucket > all {
		sh.bucket = all
	}
	line := int64(sh.cols) * sh.bucket
	lines := (n-1)/line + 1
	sh.rows = int(min(lines, int64(maxRows)))
	at := (clamp64(cursor, s.start, s.end-1) - s.start) / line
	top := clamp64(at-int64(sh.rows)/2, 0, lines-int64(sh.rows))
	sh.first = s.start + top*line
	return sh
}

// line is how many offsets one line shows.
func (sh stripShape) line() int64 { return int64(sh.cols) * sh.bucket }

// last is the last offset that the shape shows of a span.
func (sh stripShape) last(s stripSpan) int64 {
	return min(s.end-1, sh.first+int64(sh.rows)*sh.line()-1)
}

// cells are the cells of a shape.
func (s stripSpan) cells(sh stripShape) []model.StateBatch {
	return model.StripOf(s.state, sh.first, sh.last(s), sh.bucket)
}

// cutCells are cells with what they were cut from: they hold until one of these
// changes.
type cutCells struct {
	span  stripSpan
	shape stripShape
	cells []model.StateBatch
}

// of are the cells of a span in a shape, anew only when those at hand are of
// another. It changes nothing.
func (c cutCells) of(s stripSpan, sh stripShape) cutCells {
	if c.cells != nil && c.span == s && c.shape == sh {
		return c
	}
	return cutCells{s, sh, s.cells(sh)}
}

// drawStrip draws the lines of a strip; the cell that holds the cursor is in
// reverse.
func drawStrip(l look, s stripSpan, sh stripShape, cells []model.StateBatch, cursor int64) []string {
	lines := make([]string, 0, sh.rows)
	for len(cells) > 0 {
		row := cells[:min(len(cells), sh.cols)]
		cells = cells[len(row):]
		lines = append(lines, stripLine(l, s, sh, row, cursor))
	}
	return lines
}

// stripLine is one line: its first offset, its cells, its last offset.
func stripLine(l look, s stripSpan, sh stripShape, row []model.StateBatch, cursor int64) string {
	var b strings.Builder
	b.Grow(4*len(row) + 64)
	b.WriteString(" " + padLeft(model.FormatInt(row[0].First), sh.label) + " ")
	b.WriteString(l.s.dim.render(l.g.edge))
	run := styledRun{b: &b}
	for _, c := range row {
		sign, st := stripCell(l, c, s.limit)
		if c.First <= cursor && cursor <= c.Last {
			st = st.with(l.s.cursor)
		}
		run.write(st, sign)
	}
	run.end()
	b.WriteString(l.s.dim.render(l.g.edge))
	b.WriteString(" " + model.FormatInt(row[len(row)-1].Last))
	return b.String()
}

// styledRun writes signs and changes the style only where it differs.
type styledRun struct {
	b  *strings.Builder
	on string
}

func (r *styledRun) write(st style, sign string) {
	if st.on != r.on {
		r.end()
		r.b.WriteString(st.on)
		r.on = st.on
	}
	r.b.WriteString(sign)
}

func (r *styledRun) end() {
	if r.on != "" {
		r.b.WriteString(reset)
	}
	r.on = ""
}

// stripCell is how one cell is drawn. Only what asks for attention has a
// colour: given up, being given up, or with one delivery left.
func stripCell(l look, c model.StateBatch, limit model.DeliveryLimit) (string, style) {
	switch c.State {
	case model.RecordArchived:
		return l.g.archived, l.s.bad
	case model.RecordArchiving:
		return l.g.archiving, l.s.warn
	case model.RecordReleased:
		st := l.s.text
		if int64(c.Count)+1 >= limit.Count {
			st = l.s.warn
		}
		return countSign(c.Count), st
	case model.RecordFinished, model.RecordBelowStart:
		return l.g.finished, l.s.dim
	case model.RecordNew:
		return l.g.fresh, l.s.dim
	default:
		return "?", l.s.dim
	}
}

// countSign is a delivery count in one cell.
func countSign(count int16) string {
	if count > 9 {
		return "+"
	}
	return strconv.Itoa(int(max(0, count)))
}

// legend says what the cells mean, in as many lines as it takes.
func legend(l look, width int) []string {
	parts := []string{
		l.g.finished + " finished", l.s.bad.render(l.g.archived) + " archived",
		l.s.warn.render(l.g.archiving) + " archiving",
		"1-9 free again after n deliveries, or being delivered",
		l.s.dim.render(l.g.fresh) + " never settled",
	}
	lines := []string{" " + parts[0]}
	for _, p := range parts[1:] {
		last := &lines[len(lines)-1]
		if cellWidth(*last)+3+cellWidth(p) <= width {
			*last += "   " + p
			continue
		}
		lines = append(lines, " "+p)
	}
	return lines
}

func clamp64(n, low, high int64) int64 { return max(low, min(n, high)) }
