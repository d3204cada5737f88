package kafka

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"sharetop/model"
)

// Bounds of getting a token.
const (
	tokenTimeout = 4 * time.Second
	// maxTokenBytes bounds an endpoint's answer and a token file.
	maxTokenBytes = 64 << 10
	// tokenUse is how much of a token's life it is used for; then comes a new
	// one, as Kafka's own client does (sasl.login.refresh.window.factor).
	tokenUse = 0.8
)

// tokenError says why there is no token, and what to do. It never has a secret
// in it.
type tokenError struct{ text, advice string }

// Error is a part of a sentence.
func (e *tokenError) Error() string { return e.text }

// tokens gets bearer tokens from an endpoint (RFC 6749 section 4.4, KIP-768) or
// from a file, and keeps one while it is good.
type tokens struct {
	oauth  model.OAuth
	now    func() time.Time
	client *http.Client

	mu    sync.Mutex
	token model.Secret
	until time.Time
}

func newTokens(oauth model.OAuth, now func() time.Time) *tokens {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: tlsConfig(oauth.TLS), DisableKeepAlives: true,
	}
	return &tokens{oauth: oauth, now: now, client: &http.Client{
		Transport: transport, Timeout: tokenTimeout,
		// The client's secret goes nowhere but to the endpoint.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// get returns a token that is good for a while.
func (t *tokens) get(ctx context.Context) (model.Secret, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.token.Empty() && t.now().Before(t.until) {
		return t.token, nil
	}
	if t.oauth.TokenEndpoint == "" {
		return t.fromFile()
	}
	asked := t.now() // its life begins before it is here
	token, life, err := t.ask(ctx)
	if err != nil {
		return token, err
	}
	t.token, t.until = token, asked.Add(time.Duration(float64(life)*tokenUse))
	return token, nil
}

// fromFile reads the token anew each time: whoever writes the file renews it.
func (t *tokens) fromFile() (model.Secret, error) {
	const advice = "check the file in sasl.oauthbearer.token.endpoint.url"
	f, err := os.Open(t.oauth.TokenFile)
	if err != nil {
		return model.Secret{}, &tokenError{"the token file can't be read: " + safeText(err.Error()), advice}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxTokenBytes))
	token := model.NewSecret(strings.TrimSpace(string(text)))
	if err != nil || token.Empty() {
		return token, &tokenError{"there is no token in " + safeText(t.oauth.TokenFile), advice}
	}
	return token, nil
}

// ask sends the client's credentials to the endpoint.
func (t *tokens) ask(ctx context.Context) (model.Secret, time.Duration, error) {
	form := url.Values{"grant_type": {"client_credentials"}}
	if t.oauth.Scope != "" {
		form.Set("scope", t.oauth.Scope)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.oauth.TokenEndpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return model.Secret{}, 0, t.failed("is not a URL")
	}
	req.SetBasicAuth(t.oauth.ClientID, t.oauth.ClientSecret.Reveal())
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	resp, err := t.client.Do(req)
	if err != nil {
		return model.Secret{}, 0, t.failed("can't be asked: " + safeText(err.Error()))
	}
	defer resp.Body.Close()
	return t.read(resp)
}

// read takes the token out of the endpoint's answer.
func (t *tokens) read(resp *http.Response) (model.Secret, time.Duration, error) {
	var answer struct {
		Token   string  `json:"access_token"`
		Life    float64 `json:"expires_in"`
		Error   string  `json:"error"`
		Details string  `json:"error_description"`
	}
	err := json.NewDecoder(io.LimitReader(resp.Body, maxTokenBytes)).Decode(&answer)
	switch {
	case resp.StatusCode == http.StatusUnauthorized, answer.Error == "invalid_client":
		return model.Secret{}, 0, &tokenError{
			fmt.Sprintf("the token endpoint refused the client %s (%s)", safeText(t.oauth.ClientID), resp.Status),
			"check the client's id and secret",
		}
	case answer.Error != "":
		return model.Secret{}, 0, t.failed("answered " + safeText(answer.Error+" "+answer.Details))
	case resp.StatusCode != http.StatusOK:
		return model.Secret{}, 0, t.failed("answered " + safeText(resp.Status))
	case err != nil, answer.Token == "":
		return model.Secret{}, 0, t.failed("answered without a token")
	}
	return model.NewSecret(answer.Token), time.Duration(answer.Life * float64(time.Second)), nil
}

func (t *tokens) failed(how string) error {
	return &tokenError{
		fmt.Sprintf("the token endpoint %s %s", safeText(t.oauth.TokenEndpoint), how),
		"check sasl.oauthbearer.token.endpoint.url and the scope",
	}
}
