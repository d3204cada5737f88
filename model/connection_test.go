package model

import (
	"bytes"
	"crypto/rsa"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"testing"
)

const planted = "pl4nted-s3cret"

func secretConnection() Connection {
	return Connection{
		Bootstrap: []string{"a:1"},
		Security:  SASLSSL,
		SASL: SASL{
			Mechanism: MechanismPlain, User: "u", Password: NewSecret(planted),
			OAuth: OAuth{ClientSecret: NewSecret(planted)},
		},
		TLS: TLS{Keys: NewKeyPairs(tls.Certificate{
			Certificate: [][]byte{[]byte(planted)},
			PrivateKey:  &rsa.PrivateKey{D: new(big.Int).SetBytes([]byte(planted))},
		})},
		Route: Route{SOCKS5: "p:1", SOCKS5Password: NewSecret(planted)},
	}
}

// printed is everything that a careless line of code may write of a value.
func printed(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
		fmt.Fprintf(&b, verb+"\n", v)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	b.Write(text)
	for _, handler := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
		slog.New(handler).Info("x", "v", v)
	}
	return b.String()
}

func TestSecretsAreNeverPrinted(t *testing.T) {
	conn := secretConnection()
	hidden := struct {
		s Secret
		c Connection
	}{NewSecret(planted), conn}
	deep := map[string]any{"list": []Secret{NewSecret(planted)}, "conn": &conn}
	for name, v := range map[string]any{
		"secret": NewSecret(planted), "pointer": &conn.SASL.Password, "connection": conn,
		"sasl": conn.SASL, "tls": conn.TLS, "private field": hidden, "deep": deep,
	} {
		got := printed(t, v)
		number := fmt.Sprint(new(big.Int).SetBytes([]byte(planted)))
		for _, form := range []string{planted, fmt.Sprintf("%x", planted), fmt.Sprintf("%v", []byte(planted)), number} {
			if strings.Contains(got, form) {
				t.Errorf("%s shows the secret as %q: %s", name, form, got)
			}
		}
	}
	if got := NewSecret(planted).Reveal(); got != planted {
		t.Errorf("revealed %q", got)
	}
	if s := NewSecret(""); !s.Empty() || s.String() != "" || s.Reveal() != "" {
		t.Errorf("an empty secret is %q", s)
	}
}

func TestParseResolve(t *testing.T) {
	from, to, err := ParseResolve(" B1.Internal:9092 = 127.0.0.1:19092")
	if err != nil || from != "b1.internal:9092" || to != "127.0.0.1:19092" {
		t.Errorf("%q %q %v", from, to, err)
	}
	for _, bad := range []string{"", "a:1", "a=b", "a:1=b", "a:1=b:0", "a:x=b:1", ":1=b:1", "a:1=b:65536"} {
		if _, _, err := ParseResolve(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestInsecure(t *testing.T) {
	c := Connection{Security: SSL, TLS: TLS{SkipHostName: true}}
	if c.Insecure() == "" {
		t.Error("unchecked host names are not told")
	}
	if c.Security = SASLPlaintext; c.Insecure() != "" {
		t.Error("a connection without TLS has no host names to check")
	}
}
