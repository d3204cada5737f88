package judge

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// line is one line of a table with the header it stands under. Columns begin
// where the header's words do, counted as Java counts characters (UTF-16):
// GROUP, TOPIC and CONSUMER-ID are always wide enough for what is in them, so a
// group id with spaces in it is told apart; later columns can be pushed to the
// right and are split at spaces.
type line struct{ header, text string }

func (l line) has(column string) bool { return l.at(column) >= 0 }

// at is where a column begins; below zero when there is no such column.
func (l line) at(column string) int { return strings.Index(l.header, column) }

// split is the text before a column, without the padding, and from it on.
func (l line) split(column string) (before, from string) {
	units := utf16.Encode([]rune(l.text))
	at := max(0, min(l.at(column), len(units)))
	return text(units[:at]), text(units[at:])
}

// between is the text of a column, up to the next one.
func (l line) between(column, next string) string {
	units := utf16.Encode([]rune(l.text))
	from := max(0, min(l.at(column), len(units)))
	to := max(from, min(l.at(next), len(units)))
	return text(units[from:to])
}

func text(units []uint16) string { return strings.TrimRight(string(utf16.Decode(units)), " ") }

// parseTable reads tables that each begin with a header of the given columns.
// Kafka prints one table per group, and a sentence for a group that has
// nothing to show.
func parseTable[Row any](text string, columns []string, parse func(line) (Row, error)) ([]Row, error) {
	var rows []Row
	header := ""
	for raw := range strings.Lines(text) {
		l := line{header: header, text: strings.TrimRight(raw, "\r\n")}
		switch {
		case l.text == "" || isNotice(l.text):
		case isHeader(l.text, columns):
			header = l.text
		case header == "" || strings.HasPrefix(l.text, "Error: "):
			return nil, fmt.Errorf("ShareGroupCommand printed what is not a table of %s: %s", strings.Join(columns, " "), l.text)
		default:
			row, err := parse(l)
			if err != nil {
				return nil, fmt.Errorf("ShareGroupCommand printed a line that can't be read (%w): %s", err, l.text)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// isHeader tells whether a line begins with the columns, in their order.
func isHeader(text string, columns []string) bool {
	for _, column := range columns {
		rest, ok := strings.CutPrefix(text, column)
		if !ok {
			return false
		}
		text = strings.TrimLeft(rest, " ")
	}
	return true
}

// isNotice tells a sentence such as "Share group 'g' has no active members."
func isNotice(text string) bool {
	return strings.HasPrefix(text, "Share group '") && strings.HasSuffix(text, ".")
}
