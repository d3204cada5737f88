package ui

import (
	"fmt"

	"sharetop/model"
)

// radarColumns are the columns of the radar. GROUP and OFFSETS stay however
// narrow the window is; what the row means is cut last.
func radarColumns() []column[*model.RadarRow] {
	type row = *model.RadarRow
	return []column[row]{
		{
			columnSpec: columnSpec{title: "GROUP", flex: 1, min: 14, max: 50},
			cell:       func(r row, _ look, _ int) cell { return cell{text: r.Group.String()} },
		},
		{
			columnSpec: columnSpec{title: "OFFSETS", flex: 1, min: 16, max: 60, tail: true},
			cell:       func(r row, _ look, _ int) cell { return cell{text: recordsText(r.Place, r.StateBatch)} },
		},
		{columnSpec: columnSpec{title: "RECORDS", right: true, drop: 1}, cell: func(r row, l look, _ int) cell { return timesCell(r.Len(), l) }},
		{
			columnSpec: columnSpec{title: "COUNT", right: true},
			cell:       func(r row, _ look, _ int) cell { return cell{text: countText(r.Count, r.Limit)} },
		},
		{columnSpec: columnSpec{title: "WHAT", flex: 1, min: 26}, cell: radarWhat},
	}
}

// timesCell is the number of records of a run: "×500"; one is dim.
func timesCell(n int64, l look) cell {
	return cell{text: "×" + model.FormatInt(n), style: dimUnless(l, n > 1)}
}

func radarWhat(r *model.RadarRow, l look, _ int) cell {
	c := cell{text: radarNote(r)}
	if r.NextIsLast() {
		c.sign, c.signStyle = l.g.warn, l.s.warn
	}
	return c
}

// radarNote says what a row means: how near its records are to being given up,
// what the broker does about it, and whether they hold up all behind them.
func radarNote(r *model.RadarRow) string {
	text := ""
	join := func(s string) {
		if text != "" {
			text += "; "
		}
		text += s
	}
	if r.NextIsLast() {
		join("next delivery is the last")
	}
	if from, halves := r.Halving(); halves {
		join(fmt.Sprintf("batches are halved since delivery %d", from))
	}
	if r.Head {
		join("at the head")
	}
	if r.Len() > 1 {
		join("counted as one batch")
	}
	return text
}
