package ui

import (
	"slices"
	"strings"
)

// Show hands over all rows there are; those that match the filter are shown, in
// the order of the column that is sorted by.
func (t *table[T, K]) Show(rows []T) { t.SetRows(t.Sorted(t.matching(rows))) }

// matching are the rows that have the filter's text in one of their cells, or
// with a "!" before it in none. Case does not matter.
func (t *table[T, K]) matching(rows []T) []T {
	text, without := strings.CutPrefix(strings.ToLower(t.only), "!")
	if text == "" {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row T) bool { return t.has(row, text) == without })
}

func (t *table[T, K]) has(row T, text string) bool {
	for _, c := range t.columns {
		if strings.Contains(strings.ToLower(c.cell(row, t.bare, 0).text), text) {
			return true
		}
	}
	return false
}
