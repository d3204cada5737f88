package kafka

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sharetop/model"
)

// endpoint grants tokens to one client, and counts them.
func endpoint(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, n int)) (url string, asked *int) {
	t.Helper()
	asked = new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked++
		answer(w, r, *asked)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func TestTokens(t *testing.T) {
	url, asked := endpoint(t, func(w http.ResponseWriter, r *http.Request, n int) {
		user, password, _ := r.BasicAuth()
		if user != "id" || password != plantedPassword || r.FormValue("grant_type") != "client_credentials" || r.FormValue("scope") != "kafka all" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "token-" + string(rune('0'+n)), "expires_in": 100})
	})
	now := time.Unix(0, 0)
	o := model.OAuth{TokenEndpoint: url, ClientID: "id", ClientSecret: model.NewSecret(plantedPassword), Scope: "kafka all"}
	tok := newTokens(o, func() time.Time { return now })
	for _, step := range []struct {
		after time.Duration
		want  string
	}{{0, "token-1"}, {79 * time.Second, "token-1"}, {80 * time.Second, "token-2"}, {100 * time.Second, "token-2"}} {
		now = time.Unix(0, 0).Add(step.after)
		if got, err := tok.get(t.Context()); err != nil || got.Reveal() != step.want {
			t.Errorf("after %s: %q %v, want %s", step.after, got.Reveal(), err, step.want)
		}
	}
	if *asked != 2 {
		t.Errorf("asked %d times", *asked)
	}
	o.ClientSecret = model.NewSecret("wrong")
	_, err := newTokens(o, time.Now).get(t.Context())
	expectTokenError(t, err, "refused the client id", "secret")
}

// A token's life begins when it is granted: an answer that is long on its way does
// not make it longer.
func TestTokenOfASlowEndpoint(t *testing.T) {
	var seconds atomic.Int64
	url, asked := endpoint(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		seconds.Add(30)
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "t", "expires_in": 100})
	})
	tok := newTokens(model.OAuth{TokenEndpoint: url, ClientID: "id"}, func() time.Time { return time.Unix(seconds.Load(), 0) })
	for _, at := range []struct {
		seconds int64
		asked   int
	}{{0, 1}, {79, 1}, {80, 2}} {
		seconds.Store(max(at.seconds, seconds.Load()))
		if _, err := tok.get(t.Context()); err != nil || *asked != at.asked {
			t.Errorf("after %d s it was asked %d times, want %d: %v", at.seconds, *asked, at.asked, err)
		}
	}
}

func expectTokenError(t *testing.T, err error, text, advice string) {
	t.Helper()
	e, ok := err.(*tokenError) //nolint:errorlint // never wrapped there
	if !ok || !strings.Contains(e.text, text) || !strings.Contains(e.advice, advice) {
		t.Errorf("%v, want %q → %q", err, text, advice)
	}
	if err != nil && strings.Contains(err.Error(), plantedPassword) {
		t.Errorf("the secret is shown: %v", err)
	}
}

func TestBadTokenEndpoints(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"error", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":"invalid_scope","error_description":"no \u001b[2J"}`))
		}, `answered invalid_scope no \e[2J`},
		{"not found", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }, "answered 404"},
		{"no token", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{}`)) }, "without a token"},
		{"no JSON", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`<html>`)) }, "without a token"},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/else", http.StatusTemporaryRedirect)
		}, "answered 307"},
	} {
		url, asked := endpoint(t, func(w http.ResponseWriter, r *http.Request, _ int) { tt.answer(w, r) })
		_, err := newTokens(model.OAuth{TokenEndpoint: url, ClientID: "id", ClientSecret: model.NewSecret(plantedPassword)}, time.Now).get(t.Context())
		expectTokenError(t, err, tt.want, "")
		if *asked != 1 {
			t.Errorf("%s: asked %d times", tt.name, *asked)
		}
	}
	_, err := newTokens(model.OAuth{TokenEndpoint: "http://127.0.0.1:1/t", ClientID: "id"}, time.Now).get(t.Context())
	expectTokenError(t, err, "can't be asked", "")
}

func TestTokenFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	tok := newTokens(model.OAuth{TokenFile: file}, time.Now)
	_, err := tok.get(t.Context())
	expectTokenError(t, err, "can't be read", "")
	for _, want := range []string{"one", "two"} {
		if err := os.WriteFile(file, []byte(want+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := tok.get(t.Context()); err != nil || got.Reveal() != want {
			t.Errorf("%q %v, want %s", got.Reveal(), err, want)
		}
	}
}

// What leaves is RFC 7628's: the token, and the extensions that clouds route by.
func TestTokenIsSentWithItsExtensions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	writeFile(t, file, "a.b.c\n", 0o600)
	l := newLogin(model.Connection{Security: model.SASLSSL, SASL: model.SASL{
		Mechanism: model.MechanismOAuthBearer,
		OAuth:     model.OAuth{TokenFile: file, Extensions: map[string]string{"logicalCluster": "lkc-1", "identityPoolId": "p-2"}},
	}}, time.Now)
	_, sent, err := l.mechanism().Authenticate(t.Context(), "b1:9092")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"auth=Bearer a.b.c\x01", "\x01logicalCluster=lkc-1\x01", "\x01identityPoolId=p-2\x01"} {
		if !strings.Contains(string(sent), want) {
			t.Errorf("%q lacks %q", sent, want)
		}
	}
}
