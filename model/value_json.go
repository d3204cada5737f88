package model

// This file lays out JSON that is known to be valid, from any row on: where a
// row begins, the number of open brackets is all that has to be known. Keys,
// strings and numbers are shown byte by byte as they are written.

// jsonIndent is the indentation of one level.
const jsonIndent = "  "

// jsonRow makes one row: a bracket, or a member or element of its own, or the
// next part of one that is longer than a row.
func jsonRow(data []byte, m rowMark, w *rowWriter) rowMark {
	at := m.at
	if m.inside == insideNothing {
		at = skipBlanks(data, at)
	}
	if at < len(data) && m.inside == insideNothing && closes(data[at]) {
		m.depth--
		w.indent(m.depth)
		w.own(string(data[at]))
		return jsonEnd(data, at+1, m.depth, w)
	}
	w.indent(m.depth)
	if m.inside != insideNothing {
		w.own(jsonIndent)
	}
	return jsonValue(data, at, m, w)
}

// jsonValue writes a key, if there is one, and a value from a place on.
func jsonValue(data []byte, at int, m rowMark, w *rowWriter) rowMark {
	for at < len(data) {
		switch c := data[at]; {
		case m.inside == insideNothing && (c == '{' || c == '['):
			return jsonOpen(data, at, m.depth, w)
		case m.inside == insideNothing && c == '"':
			if w.room < 2 {
				return rowMark{at, m.depth, insideNothing}
			}
			w.add(data[at:])
			at++
			m.inside = insideString
		case m.inside == insideNothing:
			m.inside = insideBare
		}
		var full bool
		if at, full = jsonScalar(data, at, m.inside, w); full {
			return rowMark{at, m.depth, m.inside}
		}
		if after := skipBlanks(data, at); m.inside == insideString && after < len(data) && data[after] == ':' {
			w.own(": ")
			at, m.inside = skipBlanks(data, after+1), insideNothing
			continue
		}
		break
	}
	return jsonEnd(data, at, m.depth, w)
}

// jsonScalar writes the rest of a string, or of a number or word, as far as it
// fits.
func jsonScalar(data []byte, at int, in inside, w *rowWriter) (next int, full bool) {
	for at < len(data) {
		c := data[at]
		if in == insideBare && (isBlank(c) || c == ',' || closes(c)) {
			return at, false
		}
		n := 0
		if in == insideString && c == '\\' && at+1 < len(data) {
			if w.room >= 2 { // an escape stays in one piece
				n = w.add(data[at:]) + w.add(data[at+1:])
			}
		} else {
			n = w.add(data[at:])
		}
		if n == 0 {
			return at, true
		}
		at += n
		if in == insideString && c == '"' {
			return at, false
		}
	}
	return at, false
}

// jsonOpen writes an opening bracket; an empty object or array takes one row.
func jsonOpen(data []byte, at, depth int, w *rowWriter) rowMark {
	w.own(string(data[at]))
	next := skipBlanks(data, at+1)
	if next < len(data) && closes(data[next]) {
		w.own(string(data[next]))
		return jsonEnd(data, next+1, depth, w)
	}
	return rowMark{at: next, depth: depth + 1}
}

// jsonEnd ends a row behind a value, with its comma.
func jsonEnd(data []byte, at, depth int, w *rowWriter) rowMark {
	at = skipBlanks(data, at)
	if at < len(data) && data[at] == ',' {
		w.own(",")
		at = skipBlanks(data, at+1)
	}
	if at >= len(data) {
		return rowMark{at: at, depth: depth, inside: insideEnd}
	}
	return rowMark{at: at, depth: depth}
}

// indent writes the indentation of a depth; a deep one stays within the row.
func (w *rowWriter) indent(depth int) {
	for range min(depth, w.room/maxIndent/len(jsonIndent)) {
		w.own(jsonIndent)
	}
}

func closes(b byte) bool { return b == '}' || b == ']' }
