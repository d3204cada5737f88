package profile

import "strings"

// lineIndex finds the line of a key, for error texts. The parser keeps no
// positions of what it has read without an error. A key written in another
// way than on a line of its own (a dotted key, an inline table) is looked for
// by its first part, and a key that is not found is on line 1.
type lineIndex []string

func newLineIndex(text string) lineIndex { return strings.Split(text, "\n") }

// of returns the line, from 1, of a key in the n-th [[list]] table, or of a key
// of the file itself when there is no list.
func (l lineIndex) of(list string, n int, key string) int {
	first, header := 0, 1
	if list != "" {
		first = l.header(list, n)
		header = first + 1
	}
	for i := first; i < len(l); i++ {
		line := strings.TrimSpace(l[i])
		if i > first && strings.HasPrefix(line, "[") && list != "" {
			break // the next table
		}
		if keyOn(line) == key {
			return i + 1
		}
	}
	return header
}

// header is the position of the n-th [[list]] line; 0 when it is not found.
func (l lineIndex) header(list string, n int) int {
	for i, line := range l {
		if strings.HasPrefix(strings.TrimSpace(line), "[[") && keyOn(strings.TrimSpace(line)) == list {
			if n == 0 {
				return i
			}
			n--
		}
	}
	return 0
}

// keyOn is the key that a line begins with, as a setting or as a table.
func keyOn(line string) string {
	line = strings.TrimLeft(line, "[ \t")
	end := strings.IndexAny(line, "=.] \t")
	if end < 0 {
		return ""
	}
	return strings.Trim(line[:end], `"'`)
}
