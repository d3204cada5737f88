package profile

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
)

// This is a parser of our own because the Go libraries that were looked at
// expand ${…}, which breaks passwords, or decode \uXXXX one by one, which
// breaks what lies outside the basic plane. properties_test.go compares it with
// java.util.Properties itself.

// property is one key of a properties file.
type property struct {
	key, value string
	// line is where it begins, from 1.
	line int
}

// parseProperties reads text as java.util.Properties.load does: comments with
// # or !, key and value apart by =, : or blanks, lines continued by a backslash
// at their end, escapes \t \n \r \f \uXXXX, any other escaped character for
// itself, line ends LF, CR or CRLF. Nothing is expanded. A key that comes twice
// counts where it comes last. The error names the line of a malformed \uXXXX.
func parseProperties(text string) ([]property, error) {
	var all []property
	position := map[string]int{}
	for _, l := range logicalLines(text) {
		rawKey, rawValue := cutProperty(l.text)
		key, err := unescape(rawKey)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", l.number, err)
		}
		value, err := unescape(rawValue)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", l.number, err)
		}
		p := property{key: key, value: value, line: l.number}
		if at, ok := position[key]; ok {
			all[at] = p
			continue
		}
		position[key] = len(all)
		all = append(all, p)
	}
	return all, nil
}

// decodeProperties turns a file's bytes into text as Java does: ISO-8859-1,
// each byte one character. Only a byte order mark says that it is UTF-8.
func decodeProperties(data string) string {
	if text, ok := strings.CutPrefix(data, "\ufeff"); ok {
		return text
	}
	runes := make([]rune, len(data))
	for i := range len(data) {
		runes[i] = rune(data[i])
	}
	return string(runes)
}

// numbered is one logical line and the number of its first natural line.
type numbered struct {
	text   string
	number int
}

const blanks = " \t\f"

// logicalLines joins continued lines, and leaves out blank ones and comments. A
// comment is never continued; blanks that begin a continuation are dropped.
func logicalLines(text string) []numbered {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	lines := strings.Split(text, "\n")
	var all []numbered
	for i := 0; i < len(lines); i++ {
		line := strings.TrimLeft(lines[i], blanks)
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		first := i + 1
		for isContinued(line) {
			line = line[:len(line)-1]
			if i++; i == len(lines) {
				break
			}
			line += strings.TrimLeft(lines[i], blanks)
		}
		// Java skips a line that was nothing but the backslash, except at the
		// file's end, where it is an empty key.
		if line != "" || i >= len(lines)-1 {
			all = append(all, numbered{text: line, number: first})
		}
	}
	return all
}

// isContinued tells whether a line ends in an odd number of backslashes.
func isContinued(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// cutProperty splits a logical line at the first separator that is not escaped:
// blanks, and at most one = or : among them.
func cutProperty(line string) (key, value string) {
	end := len(line)
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++
			continue
		}
		if strings.IndexByte(blanks+"=:", line[i]) >= 0 {
			end = i
			break
		}
	}
	key, value = line[:end], strings.TrimLeft(line[end:], blanks)
	if value != "" && (value[0] == '=' || value[0] == ':') {
		value = strings.TrimLeft(value[1:], blanks)
	}
	return key, value
}

// unescape resolves the escapes of a key or value.
func unescape(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	in := []rune(s)
	out := make([]uint16, 0, len(in))
	for i := 0; i < len(in); i++ {
		if in[i] != '\\' {
			out = utf16.AppendRune(out, in[i])
			continue
		}
		i++
		switch {
		case i == len(in):
			// A lone backslash at the end of the file; Java drops it.
		case in[i] == 'u':
			unit, err := hexUnit(in[i+1:])
			if err != nil {
				return "", err
			}
			out = append(out, unit)
			i += 4
		default:
			out = utf16.AppendRune(out, escaped(in[i]))
		}
	}
	return string(utf16.Decode(out)), nil
}

// escaped is what a backslash before r means.
func escaped(r rune) rune {
	switch r {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 'f':
		return '\f'
	default:
		return r
	}
}

var errDigits = errors.New(`\u needs four hexadecimal digits`)

// hexUnit reads the four digits of \uXXXX: one UTF-16 unit, perhaps half of a
// surrogate pair.
func hexUnit(in []rune) (uint16, error) {
	var unit uint16
	for i := range 4 {
		if i >= len(in) {
			return 0, errDigits
		}
		d := strings.IndexRune("0123456789abcdef", in[i]|0x20)
		if d < 0 || in[i] < '0' {
			return 0, errDigits
		}
		unit = unit<<4 | uint16(d)
	}
	return unit, nil
}
