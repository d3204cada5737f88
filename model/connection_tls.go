package model

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
)

// TLS is what a TLS connection needs. It prints as a summary without any key.
type TLS struct {
	// Roots are the authorities that are trusted; nil means the system's.
	Roots *x509.CertPool
	// Keys are our certificates with their private keys, for listeners that ask
	// for one (mutual TLS).
	Keys KeyPairs
	// SkipHostName leaves the name in the broker's certificate unchecked; the
	// chain is still checked. From an empty ssl.endpoint.identification.algorithm.
	SkipHostName bool
	// MinVersion and MaxVersion bound the TLS version, as in crypto/tls. Zero
	// means TLS 1.2 and the newest.
	MinVersion, MaxVersion uint16
	// CipherSuites are for TLS 1.2, as in crypto/tls; nil means Go's choice.
	CipherSuites []uint16
}

// String tells what is there, not what it is.
func (t TLS) String() string {
	roots := "system roots"
	if t.Roots != nil {
		roots = "own roots"
	}
	text := fmt.Sprintf("%s, %d own certificates", roots, t.Keys.Len())
	if t.SkipHostName {
		text += ", host names unchecked"
	}
	return text
}

// GoString is the summary, for %#v.
func (t TLS) GoString() string { return t.String() }

// Format writes the summary for every verb.
func (t TLS) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, t.String()) }

// MarshalText gives the summary.
func (t TLS) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// KeyPairs are certificates with private keys. They are behind a function, so
// that nothing that prints values can reach them, whatever field they are in.
type KeyPairs struct{ list func() []tls.Certificate }

// NewKeyPairs hides them.
func NewKeyPairs(pairs ...tls.Certificate) KeyPairs {
	if len(pairs) == 0 {
		return KeyPairs{}
	}
	return KeyPairs{list: func() []tls.Certificate { return pairs }}
}

// Len is how many there are.
func (k KeyPairs) Len() int { return len(k.Reveal()) }

// Reveal gives them, for the TLS library.
func (k KeyPairs) Reveal() []tls.Certificate {
	if k.list == nil {
		return nil
	}
	return k.list()
}
