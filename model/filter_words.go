package model

import (
	"errors"
	"fmt"
	"strings"
)

// wordKind tells how a term of a filter line was written.
type wordKind uint8

const (
	wordPlain wordKind = iota
	wordQuoted
	wordRegexp
)

// filterWord is one term as written: [!][key:]text. Key is only set for the
// keys that filters know, and stands beside plain or quoted text.
type filterWord struct {
	invert bool
	key    string
	kind   wordKind
	text   string
}

// filterWords splits a filter line into its terms.
func filterWords(line string) ([]filterWord, error) {
	var words []filterWord
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			return words, nil
		}
		w, rest, err := nextWord(line)
		if err != nil {
			return nil, err
		}
		if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			return nil, fmt.Errorf("there is %q right after the end of a term: put a space between",
				Sanitize(rest))
		}
		words, line = append(words, w), rest
	}
}

// nextWord reads the term at the start of a line that begins with no space.
func nextWord(line string) (w filterWord, rest string, err error) {
	for strings.HasPrefix(line, "!") {
		w.invert, line = !w.invert, line[1:]
	}
	if line == "" || line[0] == ' ' || line[0] == '\t' {
		return w, "", errors.New(`there is no term after "!": write what to leave out, e.g. !orders`)
	}
	w.key, line = knownKey(line)
	switch {
	case line != "" && line[0] == '"':
		w.text, rest, err = quotedText(line[1:])
		if w.key == "" {
			w.kind = wordQuoted
		}
		return w, rest, err
	case w.key == "" && line[0] == '/':
		w.kind = wordRegexp
		w.text, rest, err = regexpText(line[1:])
		return w, rest, err
	}
	w.text, rest = line, ""
	if end := strings.IndexAny(line, " \t"); end >= 0 {
		w.text, rest = line[:end], line[end:]
	}
	if w.text == "" {
		return w, "", fmt.Errorf("there is nothing after %s: write what to look for, e.g. %s:%s",
			w.key, w.key, exampleOf(w.key))
	}
	return w, rest, nil
}

// knownKey cuts off a key that filters know, with its colon.
func knownKey(line string) (key, rest string) {
	for _, k := range []string{"state", "why", "topic", "member"} {
		if len(line) > len(k) && line[len(k)] == ':' && strings.EqualFold(line[:len(k)], k) {
			return k, line[len(k)+1:]
		}
	}
	return "", line
}

// exampleOf is a value that makes sense for a key.
func exampleOf(key string) string {
	switch key {
	case "state":
		return "empty"
	case "why":
		return "stuck"
	}
	return "orders"
}

// quotedText reads up to the closing quote; \" and \\ stand for one character.
func quotedText(line string) (text, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '"':
			return b.String(), line[i+1:], nil
		case line[i] == '\\' && i+1 < len(line) && (line[i+1] == '"' || line[i+1] == '\\'):
			i++
		}
		b.WriteByte(line[i])
	}
	return "", "", fmt.Errorf(`the text "%s has no closing quote`, Sanitize(line))
}

// regexpText reads up to the closing slash; \/ stands for a slash.
func regexpText(line string) (pattern, rest string, err error) {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '/':
			return strings.ReplaceAll(line[:i], `\/`, "/"), line[i+1:], nil
		case '\\':
			i++
		}
	}
	return "", "", fmt.Errorf(`the regular expression /%s has no closing slash; for plain text that begins with a slash write "/%s"`,
		Sanitize(line), Sanitize(line))
}
