package ui

import (
	"fmt"
	"strconv"

	"sharetop/model"
)

// previewWidth bounds what of a key or value is made for one cell.
const previewWidth = 120

// recordColumns are the columns of a list of records of one topic.
func recordColumns(e *env, stateOf func(*model.Record) (model.RecordState, int16)) []column[*model.Record] {
	type row = *model.Record
	return []column[row]{
		{
			columnSpec: columnSpec{title: "PART", right: true, drop: 3},
			cell:       func(r row, _ look, _ int) cell { return cell{text: strconv.Itoa(int(r.Partition))} },
		},
		{
			columnSpec: columnSpec{title: "OFFSET", right: true},
			cell:       func(r row, _ look, _ int) cell { return cell{text: model.FormatInt(r.Offset)} },
		},
		{
			columnSpec: columnSpec{title: "AGE", right: true, want: 6, drop: 2},
			cell:       func(r row, l look, _ int) cell { return ageCell(r, e, l) },
		},
		{
			columnSpec: columnSpec{title: "STATE", drop: 1},
			cell: func(r row, l look, _ int) cell {
				state, count := stateOf(r)
				return recordStateCell(state, count, l)
			},
		},
		blobColumn(columnSpec{title: "KEY", flex: 3, min: 6, max: 40}, func(r row) model.Blob { return r.Key }),
		{
			columnSpec: columnSpec{title: "SIZE", right: true, want: 8, drop: 5},
			cell:       func(r row, l look, _ int) cell { return sizeCell(r, l) },
		},
		{
			columnSpec: columnSpec{title: "HDRS", right: true, drop: 6},
			cell: func(r row, l look, _ int) cell {
				n := len(r.Headers) + r.HeadersCut
				if n == 0 {
					return cell{text: "0", style: l.s.dim}
				}
				return cell{text: strconv.Itoa(n)}
			},
		},
		blobColumn(columnSpec{title: "VALUE", flex: 1, min: 10, want: 24, drop: 4}, func(r row) model.Blob { return r.Value }),
	}
}

// blobColumn shows the beginning of a key or value.
func blobColumn(spec columnSpec, of func(*model.Record) model.Blob) column[*model.Record] {
	return column[*model.Record]{columnSpec: spec, cell: func(r *model.Record, l look, width int) cell {
		b := of(r)
		if width <= 0 {
			width = 40
		}
		c := cell{text: blobText(b, min(width, previewWidth))}
		if b.Size() <= 0 {
			c.style = l.s.dim
		}
		return c
	}}
}

func ageCell(r *model.Record, e *env, l look) cell {
	at := r.Time()
	if at.IsZero() {
		return cell{text: model.Unknown, style: l.s.dim}
	}
	age := e.now.Sub(at)
	if age < 0 {
		return cell{text: "in " + model.FormatDuration(-age), style: l.s.warn}
	}
	return cell{text: model.FormatDuration(age)}
}

// sizeCell is the value's size; "–" is null.
func sizeCell(r *model.Record, l look) cell {
	c := cell{text: model.FormatSize(r.Value.Size())}
	if r.Value.IsNull() {
		c.style = l.s.dim
	}
	return c
}

// recordStateCell is what the group did with a record in a word or two.
func recordStateCell(state model.RecordState, count int16, l look) cell {
	switch state {
	case model.RecordUnknown, model.RecordOther:
		return cell{text: model.Unknown, style: l.s.dim}
	case model.RecordBelowStart:
		return cell{text: "done", style: l.s.dim}
	case model.RecordFinished:
		return cell{text: "finished", style: l.s.dim}
	case model.RecordNew:
		return cell{text: "never settled"}
	case model.RecordArchived, model.RecordArchiving:
		return cell{text: state.String(), style: l.s.warn}
	default:
		return cell{text: fmt.Sprintf("free after %d", count), style: l.s.bold}
	}
}
