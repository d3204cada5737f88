package model

import "encoding/json"

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

// MarshalJSON writes the raw text, escaped as JSON demands.
func (t Text) MarshalJSON() ([]byte, error) { return json.Marshal(t.raw) }

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
