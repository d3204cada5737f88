package model

import (
	"fmt"
	"io"
	"log/slog"
)

// maskedSecret is what a secret is printed as.
const maskedSecret = "[hidden]"

// Secret is a password, token or key. However it is printed (fmt with any verb,
// JSON, text, slog), it says [hidden], or nothing when it is empty; only Reveal
// gives the text. The text is behind a pointer, so that fmt can't reach it even
// inside a private field, where it calls no methods.
type Secret struct{ text *string }

// NewSecret hides a text.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{text: &text}
}

// Reveal is the text, for the one place that sends it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Empty tells whether there is no secret.
func (s Secret) Empty() bool { return s.text == nil }

// String is the mask, or empty.
func (s Secret) String() string {
	if s.Empty() {
		return ""
	}
	return maskedSecret
}

// GoString is the mask, for %#v.
func (s Secret) GoString() string { return s.String() }

// Format writes the mask for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText gives the mask.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue gives the mask.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
