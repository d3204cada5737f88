package ui

import (
	"cmp"
	"strconv"

	"sharetop/model"
)

// letterColumns are the columns of the list of dead letters.
func letterColumns(e *env, p *groupPage) []column[*model.DeadLetter] {
	type row = *model.DeadLetter
	return []column[row]{
		{
			columnSpec: columnSpec{title: "SOURCE", flex: 1, min: 12, max: 60, tail: true},
			cell:       func(d row, _ look, _ int) cell { return cell{text: sourceName(d)} },
			compare: func(a, b row) int {
				return cmp.Or(cmp.Compare(a.Source.Raw(), b.Source.Raw()), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Offset, b.Offset))
			},
		},
		{
			columnSpec: columnSpec{title: "AGE", right: true, want: 6, drop: 1},
			cell:       func(d row, l look, _ int) cell { return ageCell(d.Record, e, l) },
		},
		{
			columnSpec: columnSpec{title: "REASON", flex: 1, min: 10, max: 50},
			cell:       func(d row, _ look, _ int) cell { return cell{text: d.Reason()} },
			compare:    func(a, b row) int { return cmp.Compare(a.Reason(), b.Reason()) },
		},
		{
			columnSpec: columnSpec{title: "DELIV", right: true, drop: 3},
			cell:       func(d row, _ look, _ int) cell { return cell{text: model.FormatNumber(d.Deliveries)} },
			compare:    func(a, b row) int { return compareNumbers(a.Deliveries, b.Deliveries) },
		},
		{
			columnSpec: columnSpec{title: "GROUP", flex: 1, min: 8, max: 40, drop: 4},
			cell: func(d row, l look, _ int) cell {
				c := cell{text: orUnknown(d.Group.String())}
				if d.Group != p.id {
					c.style = l.s.dim
				}
				return c
			},
			compare: func(a, b row) int { return cmp.Compare(a.Group.Raw(), b.Group.Raw()) },
		},
		{
			columnSpec: columnSpec{title: "COPIES", right: true, drop: 6},
			cell: func(d row, l look, _ int) cell {
				if d.Copies == 1 {
					return cell{text: "1", style: l.s.dim}
				}
				return cell{text: strconv.Itoa(d.Copies)}
			},
		},
		{
			columnSpec: columnSpec{title: "KEY", flex: 1, min: 6, max: 40, drop: 5},
			cell: func(d row, l look, width int) cell {
				if !d.HasCopy() {
					return cell{text: "not copied", style: l.s.dim}
				}
				return cell{text: blobText(d.Record.Key, min(max(width, 20), previewWidth))}
			},
		},
	}
}
