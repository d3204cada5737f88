package ui

import tea "charm.land/bubbletea/v2"

// detailTable is a tab of the group page that lists something of the group and
// tells all of the row under the cursor in a pane below.
type detailTable[T any, K comparable] struct {
	table *table[T, K]
	rows  []T
	// detail is a row's name and all that there is to say of it.
	detail func(row T) (name string, fields []field)
}

// set replaces the rows; empty says why there are none.
func (t *detailTable[T, K]) set(rows []T, empty string) {
	t.rows, t.table.empty = rows, empty
	t.table.Show(rows)
}

func (t *detailTable[T, K]) key(e *env, k tea.KeyPressMsg) bool {
	l := e.keys.Lists
	if t.table.resort(l, k) {
		t.table.Show(t.rows)
		return true
	}
	return moveTable(t.table, l, k)
}

func (t *detailTable[T, K]) only(text string) {
	t.table.only = text
	t.table.Show(t.rows)
}

func (t *detailTable[T, K]) fit(r Rect) {
	table, _ := splitDetail(r, len(t.rows))
	t.table.SetHeight(table.H)
}

func (t *detailTable[T, K]) view(e *env, _ *groupPage, r Rect) string {
	table, detail := splitDetail(r, len(t.rows))
	out := t.table.View(e.look(), table.W, table.H)
	row, ok := t.table.Cursor()
	if detail.Empty() || !ok {
		return out
	}
	name, fields := t.detail(row)
	return out + "\n" + drawDetail(e, name, fields, detail)
}

// pointers are the places of all in a slice.
func pointers[T any](all []T) []*T {
	out := make([]*T, len(all))
	for i := range all {
		out[i] = &all[i]
	}
	return out
}
