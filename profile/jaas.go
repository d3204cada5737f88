package profile

import (
	"errors"
	"fmt"
	"strings"
)

// loginModule is one entry of a JAAS configuration: a Java class and its
// options. Options can be secrets: they are never put into an error.
type loginModule struct {
	class   string
	options map[string]string
}

// name is the class without its package.
func (m loginModule) name() string { return m.class[strings.LastIndexByte(m.class, '.')+1:] }

// shownClass names a class in an error, when it is one: what stands in its place
// may be a password.
func shownClass(name string) string {
	if strings.HasSuffix(name, "LoginModule") {
		return "a " + name
	}
	return "a class that is no login module"
}

// parseJAAS reads sasl.jaas.config: `Class flag key=value key="value";`, one or
// several, as Kafka's JaasConfig does, but more forgiving with values that are
// not quoted. Inside quotes \" and the like are Java's escapes.
func parseJAAS(text string) ([]loginModule, error) {
	s := &jaasScanner{rest: text}
	var modules []loginModule
	for {
		class, err := s.next()
		if err != nil {
			return nil, err
		}
		if class == nil {
			break
		}
		m, err := s.module(class.text)
		if err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
	if len(modules) == 0 {
		return nil, errors.New("it names no login module")
	}
	return modules, nil
}

// parseJAASFile finds the section of a JAAS file, `KafkaClient { … };`.
func parseJAASFile(text, section string) ([]loginModule, error) {
	s := &jaasScanner{rest: text}
	for {
		name, err := s.next()
		if err != nil {
			return nil, err
		}
		if name == nil {
			return nil, fmt.Errorf("it has no section %s", section)
		}
		if name.text != section || name.quoted {
			continue
		}
		open, err := s.next()
		if err != nil {
			return nil, err
		}
		if open == nil || open.text != "{" {
			return nil, fmt.Errorf("section %s does not begin with {", section)
		}
		return s.section(section)
	}
}

// section reads modules up to the closing brace.
func (s *jaasScanner) section(name string) ([]loginModule, error) {
	var modules []loginModule
	for {
		class, err := s.next()
		switch {
		case err != nil:
			return nil, err
		case class == nil:
			return nil, fmt.Errorf("section %s does not end with }", name)
		case class.text == "}" && !class.quoted:
			return modules, nil
		}
		m, err := s.module(class.text)
		if err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
}

// module reads what follows a class: its flag and options up to the semicolon.
func (s *jaasScanner) module(class string) (loginModule, error) {
	m := loginModule{class: class, options: map[string]string{}}
	flag, err := s.next()
	if err != nil {
		return m, err
	}
	if flag == nil || !isControlFlag(flag.text) {
		return m, fmt.Errorf("after %s there is no control flag (required, requisite, sufficient or optional)", shownClass(m.name()))
	}
	for {
		key, err := s.next()
		switch {
		case err != nil:
			return m, err
		case key == nil:
			return m, fmt.Errorf("the entry of %s is not ended by a semicolon", shownClass(m.name()))
		case key.text == ";" && !key.quoted:
			return m, nil
		}
		if m.options[key.text], err = s.assigned(shownClass(m.name())); err != nil {
			return m, err
		}
	}
}

// assigned reads = and the value of an option.
func (s *jaasScanner) assigned(class string) (string, error) {
	equals, err := s.next()
	if err != nil {
		return "", err
	}
	value, err := s.value()
	if err != nil {
		return "", err
	}
	if equals == nil || equals.text != "=" || value == nil || value.text == ";" && !value.quoted {
		// What stands there may be part of a password: it is not repeated.
		return "", fmt.Errorf("an option of %s has no value: options are key=\"value\", and end with a semicolon", class)
	}
	return value.text, nil
}

func isControlFlag(s string) bool {
	switch strings.ToLower(s) {
	case "required", "requisite", "sufficient", "optional":
		return true
	}
	return false
}

// jaasToken is a word, a quoted string, or one of = ; { }.
type jaasToken struct {
	text   string
	quoted bool
}

// jaasScanner cuts a JAAS configuration into tokens.
type jaasScanner struct{ rest string }

const jaasSigns = "=;{}"

// next gives the next token; nil at the end.
func (s *jaasScanner) next() (*jaasToken, error) { return s.token(jaasSigns + "\"'") }

// value gives the next token as the value of an option: a word that is not
// quoted may contain = and braces there.
func (s *jaasScanner) value() (*jaasToken, error) { return s.token(";") }

func (s *jaasScanner) token(stops string) (*jaasToken, error) {
	if err := s.skipComments(); err != nil || s.rest == "" {
		return nil, err
	}
	switch c := s.rest[0]; {
	case c == '"' || c == '\'':
		text, err := s.quoted(c)
		return &jaasToken{text: text, quoted: true}, err
	case strings.IndexByte(stops, c) >= 0:
		s.rest = s.rest[1:]
		return &jaasToken{text: string(c)}, nil
	}
	end := strings.IndexAny(s.rest, " \t\r\n\f"+stops)
	if end < 0 {
		end = len(s.rest)
	}
	t := &jaasToken{text: s.rest[:end]}
	s.rest = s.rest[end:]
	return t, nil
}

// skipComments drops blanks, // and # to the end of the line, and /* */.
func (s *jaasScanner) skipComments() error {
	for {
		s.rest = strings.TrimLeft(s.rest, " \t\r\n\f")
		switch {
		case strings.HasPrefix(s.rest, "//"), strings.HasPrefix(s.rest, "#"):
			_, s.rest, _ = strings.Cut(s.rest, "\n")
		case strings.HasPrefix(s.rest, "/*"):
			_, after, ok := strings.Cut(s.rest, "*/")
			if !ok {
				return errors.New("a comment is not closed")
			}
			s.rest = after
		default:
			return nil
		}
	}
}

// quoted reads up to the closing quote, with Java's escapes.
func (s *jaasScanner) quoted(quote byte) (string, error) {
	var b strings.Builder
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == quote:
			s.rest = s.rest[i+1:]
			return b.String(), nil
		case c == '\n' || c == '\r':
			return "", errors.New("a quoted value is not closed on its line")
		case c == '\\' && i+1 < len(s.rest):
			i = s.escape(&b, i+1)
		default:
			b.WriteByte(c)
		}
	}
	return "", errors.New("a quoted value is not closed")
}

// escape writes what the escape at i means, and returns where it ends.
func (s *jaasScanner) escape(b *strings.Builder, i int) int {
	c := s.rest[i]
	if c >= '0' && c <= '7' { // octal, at most \377
		n, end := rune(0), i
		for end < len(s.rest) && end < i+3 && s.rest[end] >= '0' && s.rest[end] <= '7' && n*8+rune(s.rest[end]-'0') <= 0o377 {
			n = n*8 + rune(s.rest[end]-'0')
			end++
		}
		b.WriteRune(n)
		return end - 1
	}
	if at := strings.IndexByte("abfnrtv", c); at >= 0 {
		c = "\a\b\f\n\r\t\v"[at]
	}
	b.WriteByte(c)
	return i
}
