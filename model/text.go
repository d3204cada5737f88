package model

import (
	"encoding/base64"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Text is a piece of text that came from outside the program (a name, a client
// id, an error message). It keeps the bytes as they came and a form that is
// safe for a terminal, made once. The zero Text is empty.
//
// Text is comparable: two Texts are equal when their raw bytes are.
type Text struct {
	raw  string
	safe string
}

// NewText takes outside text and makes its safe form with Sanitize.
func NewText(raw string) Text { return Text{raw: raw, safe: Sanitize(raw)} }

// Raw is the text as it came: for requests, JSON, CSV and quoted commands.
// It must never be written to a terminal.
func (t Text) Raw() string { return t.raw }

// String is the safe form: for the screen, Markdown and messages.
func (t Text) String() string { return t.safe }

// Empty tells whether there is no text at all.
func (t Text) Empty() bool { return t.raw == "" }

// MarshalJSON writes the raw text as a JSON string that is safe for a terminal
// too: what Sanitize would not let through stands as \uXXXX, which reads back
// as the same text. A byte that is not UTF-8 becomes \ufffd: JSON has no way to
// say it.
func (t Text) MarshalJSON() ([]byte, error) { return QuoteJSON(t.raw), nil }

// QuoteJSON is MarshalJSON of text that is not to be shown otherwise, such as a
// value of many megabytes.
func QuoteJSON(raw string) []byte {
	b := make([]byte, 0, len(raw)+2)
	b = append(b, '"')
	for _, r := range raw {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r != utf8.RuneError && isSafe(r):
			b = utf8.AppendRune(b, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return append(b, '"')
}

// GroupID names a share group. Group ids share one namespace with consumer
// groups.
type GroupID struct{ Text }

// NewGroupID makes a GroupID from the text a broker or a person gave.
func NewGroupID(raw string) GroupID { return GroupID{NewText(raw)} }

// TopicName names a topic.
type TopicName struct{ Text }

// NewTopicName makes a TopicName from the text a broker or a person gave.
func NewTopicName(raw string) TopicName { return TopicName{NewText(raw)} }

// TopicID is a topic's id (KIP-516). The zero TopicID means that it is not
// known.
type TopicID [16]byte

// String is the id as Kafka's own tools write it (base64 for URLs, without
// padding); empty when it is not known.
func (id TopicID) String() string {
	if id == (TopicID{}) {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(id[:])
}
