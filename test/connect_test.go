//go:build unix

package test

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sharetop/kafka"
	"sharetop/model"
	"sharetop/profile"
	"sharetop/test/broker"
)

// planted are the secrets of these tests: nothing that is shown or logged may
// have one of them.
const (
	plantedPlain = "pl4nted-pl;ain\"=1"
	plantedScram = "pl4nted-scr4m"
	plantedStore = "pl4nted-st0re"
	plantedWrong = "pl4nted-wr0ng"
	plantedOAuth = "pl4nted-0auth"
	plantedSocks = "pl4nted-s0cks"
	// plantedPhrase opens an SSH key.
	plantedPhrase = "pl4nted-phr4se"
)

// secureCluster has one listener for each way to connect, and an authorizer that
// lets these users do everything.
func secureCluster(t *testing.T, ca *authority) cluster {
	t.Helper()
	good := ca.brokerProps("good", time.Hour, "127.0.0.1")
	with := func(props map[string]string, more ...string) map[string]string {
		props = maps.Clone(props)
		for i := 0; i < len(more); i += 2 {
			props[more[i]] = more[i+1]
		}
		return props
	}
	plain := fmt.Sprintf("org.apache.kafka.common.security.plain.PlainLoginModule required user_alice=%q;", plantedPlain)
	scram := "org.apache.kafka.common.security.scram.ScramLoginModule required;"
	bearer := "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub=\"broker\";"
	logins := []string{
		"sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER",
		"plain.sasl.jaas.config", strings.ReplaceAll(plain, `\`, `\\`), "scram-sha-256.sasl.jaas.config", scram, "scram-sha-512.sasl.jaas.config", scram,
		"oauthbearer.sasl.jaas.config", bearer,
	}
	return startKafka(t, broker.Options{
		Users: users(),
		Listeners: []broker.Listener{
			{Name: "TLS", Protocol: "SSL", Props: good},
			{Name: "MUTUAL", Protocol: "SSL", Props: with(good, "ssl.client.auth", "required")},
			{Name: "EXPIRED", Protocol: "SSL", Props: ca.brokerProps("expired", -time.Hour, "127.0.0.1")},
			{Name: "MISNAMED", Protocol: "SSL", Props: ca.brokerProps("misnamed", time.Hour, "b1.example")},
			{Name: "LOGIN", Protocol: "SASL_PLAINTEXT", Props: with(map[string]string{}, logins...)},
			{Name: "TLSLOGIN", Protocol: "SASL_SSL", Props: with(good, logins...)},
			{Name: "REFRESH", Protocol: "SASL_SSL", Props: with(good, append(logins, "oauthbearer.connections.max.reauth.ms", "4000")...)},
			{Name: "SCRAMONLY", Protocol: "SASL_PLAINTEXT", Props: with(map[string]string{},
				"sasl.enabled.mechanisms", "SCRAM-SHA-512", "scram-sha-512.sasl.jaas.config", scram)},
		},
		Props: map[string]string{"super.users": "User:ANONYMOUS;User:alice;User:CN=carol"},
	})
}

// addScramUser makes alice a user of both SCRAM mechanisms.
func addScramUser(t *testing.T, c cluster) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Bootstrap()...), kgo.DisableClientMetrics())
	must(t, err)
	defer client.Close()
	for _, m := range []kadm.ScramMechanism{kadm.ScramSha256, kadm.ScramSha512} {
		answers, err := kadm.NewClient(client).AlterUserSCRAMs(t.Context(), nil, []kadm.UpsertSCRAM{
			{User: "alice", Mechanism: m, Iterations: 4096, Password: plantedScram},
		})
		must(t, err)
		must(t, answers["alice"].Err)
	}
}

// The lives of tokens. A short one is over within a test; what is left of it
// when it is replaced, at four fifths, is still long enough for a login: the
// client logs in again a second before a session ends, and the broker takes no
// second login within a second (KIP-368).
const (
	tokenLife = time.Hour
	shortLife = 20 * time.Second
)

// endpoint grants tokens, and counts the short-lived ones.
type endpoint struct{ granted atomic.Int64 }

func newEndpoint() *endpoint { return &endpoint{} }

// start serves tokens of a life for alice, and returns the URL.
func (e *endpoint) start(t *testing.T, life time.Duration) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, secret, _ := r.BasicAuth(); secret != plantedOAuth || r.FormValue("scope") != "kafka" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if life == shortLife {
			e.granted.Add(1)
		}
		fmt.Fprintf(w, `{"access_token":%q,"expires_in":%d}`, token(life), int(life.Seconds()))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// token is an unsecured token for alice, as a test broker takes them.
func token(life time.Duration) string {
	encode := base64.RawURLEncoding.EncodeToString
	now := time.Now().Unix()
	claims := fmt.Sprintf(`{"sub":"alice","iat":%d,"exp":%d,"scope":"kafka"}`, now-1, now+int64(life.Seconds()))
	return encode([]byte(`{"alg":"none"}`)) + "." + encode([]byte(claims)) + "."
}

// tokenFile has a token that somebody else renews.
func tokenFile(t *testing.T, life time.Duration) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	must(t, os.WriteFile(file, []byte(token(life)+"\n"), 0o600))
	return file
}

// attempt connects by a client.properties, and keeps all that can be read of it.
type attempt struct {
	t       *testing.T
	client  *kafka.Client
	mu      sync.Mutex
	written strings.Builder
}

func (a *attempt) logf(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintf(&a.written, format+"\n", args...)
}

// dialFunc opens connections; nil for plain TCP.
type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// connectBy resolves a file as the command line does, and opens the client.
func connectBy(t *testing.T, dial dialFunc, lines ...string) *attempt {
	t.Helper()
	a := &attempt{t: t}
	file := propertiesFile(t, lines...)
	resolved, err := profile.Resolve(profile.Env{Getenv: func(string) string { return "" }}, model.ConnectRequest{CommandConfig: file})
	must(t, err)
	a.logf("%+v", resolved)
	a.client, err = kafka.Open(resolved.Connection, kafka.Options{Now: time.Now, Logf: a.logf, Dial: dial})
	must(t, err)
	t.Cleanup(a.client.Close)
	return a
}

// until waits for a snapshot, and keeps its problems.
func (a *attempt) until(what string, good func(*model.Snapshot) bool) *model.Snapshot {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), stepTimeout)
	defer cancel()
	after := model.Version(0)
	var s *model.Snapshot
	for s == nil || !good(s) {
		next, err := a.client.Watch(ctx, model.Scope{}, after)
		if err != nil {
			a.t.Fatalf("waiting for %s: %v; problems: %+v", what, err, model.AllProblems(s))
		}
		s, after = next, next.Version
	}
	a.logf("%+v", model.AllProblems(s))
	return s
}

// expectNoSecret greps all that was written for what was planted.
func (a *attempt) expectNoSecret() {
	a.t.Helper()
	a.client.Close()
	a.mu.Lock()
	defer a.mu.Unlock()
	expectNoSecretIn(a.t, "the log or in a problem", a.written.String())
}

func plainLogin(password string) []string {
	quoted := strings.NewReplacer(`\`, `\\\\`, `"`, `\\"`).Replace(password)
	return []string{
		"sasl.mechanism=PLAIN", "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \\",
		`  username="alice" password="` + quoted + `";`,
	}
}

func scramLogin(mechanism, password string) []string {
	return []string{"sasl.mechanism=" + mechanism, "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required " +
		`username="alice" password="` + password + `";`}
}

func bearerLogin(url, secret string) []string {
	return []string{
		"sasl.mechanism=OAUTHBEARER", "sasl.oauthbearer.token.endpoint.url=" + url,
		"sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required clientId=\"alice\" clientSecret=\"" +
			secret + `" scope="kafka";`,
	}
}

// TestConnect connects to a real broker in every way that sharetop speaks, by
// what a client.properties says, and holds what each failure is called.
func TestConnect(t *testing.T) {
	ca := newAuthority(t, "test authority")
	c := secureCluster(t, ca)
	addScramUser(t, c)
	const group = "ways-in"
	must(t, c.work.CreateTopic(t.Context(), group, 1))
	must(t, c.work.PlaceGroup(t.Context(), group, group, 0))
	endpoint := newEndpoint()
	trust := "ssl.truststore.location=" + ca.trustPEM()
	to := func(listener, protocol string, lines ...string) []string {
		return append([]string{"bootstrap.servers=" + c.ListenerAddress(listener), "security.protocol=" + protocol, trust}, lines...)
	}
	mutual := []string{"ssl.keystore.location=" + ca.pkcs12("carol", plantedStore), "ssl.keystore.password=" + plantedStore}

	for name, lines := range map[string][]string{
		"PLAINTEXT":                  {"bootstrap.servers=" + c.Bootstrap()[0]},
		"SSL":                        to("TLS", "SSL"),
		"SSL mutual":                 to("MUTUAL", "SSL", mutual...),
		"SSL misnamed, not checked":  to("MISNAMED", "SSL", "ssl.endpoint.identification.algorithm="),
		"SASL_PLAINTEXT PLAIN":       to("LOGIN", "SASL_PLAINTEXT", plainLogin(plantedPlain)...),
		"SASL_PLAINTEXT SCRAM-256":   to("LOGIN", "SASL_PLAINTEXT", scramLogin("SCRAM-SHA-256", plantedScram)...),
		"SASL_PLAINTEXT SCRAM-512":   to("LOGIN", "SASL_PLAINTEXT", scramLogin("SCRAM-SHA-512", plantedScram)...),
		"SASL_SSL PLAIN":             to("TLSLOGIN", "SASL_SSL", plainLogin(plantedPlain)...),
		"SASL_SSL SCRAM-256":         to("TLSLOGIN", "SASL_SSL", scramLogin("SCRAM-SHA-256", plantedScram)...),
		"SASL_SSL SCRAM-512":         to("TLSLOGIN", "SASL_SSL", scramLogin("SCRAM-SHA-512", plantedScram)...),
		"SASL_SSL OAUTHBEARER":       to("TLSLOGIN", "SASL_SSL", bearerLogin(endpoint.start(t, tokenLife), plantedOAuth)...),
		"SASL_PLAINTEXT OAUTHBEARER": to("LOGIN", "SASL_PLAINTEXT", bearerLogin(endpoint.start(t, tokenLife), plantedOAuth)...),
		"SASL_SSL OAUTHBEARER by file": to("TLSLOGIN", "SASL_SSL", "sasl.mechanism=OAUTHBEARER",
			"sasl.oauthbearer.token.endpoint.url=file://"+tokenFile(t, tokenLife),
			"sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required extension_logicalCluster=\"lkc-1\";"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := connectBy(t, nil, lines...)
			a.until("the list of groups", func(s *model.Snapshot) bool { return !s.Listed.IsZero() && s.Offsets.Sweep.FirstDone })
			a.expectNoSecret()
			startsScreen(t, t.TempDir(), group, "--command-config", propertiesFile(t, lines...))
		})
	}
	t.Run("OAUTHBEARER again and again", func(t *testing.T) {
		t.Parallel()
		testTokenRefresh(t, to("REFRESH", "SASL_SSL", bearerLogin(endpoint.start(t, shortLife), plantedOAuth)...), endpoint)
	})
	t.Run("in time", func(t *testing.T) { // before the parallel ones
		for _, lines := range [][]string{
			to("LOGIN", "SASL_PLAINTEXT", plainLogin(plantedWrong)...), to("SCRAMONLY", "SASL_PLAINTEXT", plainLogin(plantedPlain)...),
			to("EXPIRED", "SSL"),
			{"bootstrap.servers=" + c.Bootstrap()[0], "security.protocol=SSL", trust},
			{"bootstrap.servers=" + c.ListenerAddress("TLS")},
		} {
			toldWhy(t, lines...)
		}
	})
	stranger := newAuthority(t, "someone else")
	for _, tt := range []struct {
		name        string
		lines       []string
		kind        model.ProblemKind
		why, advice string
	}{
		{
			"wrong password", to("LOGIN", "SASL_PLAINTEXT", plainLogin(plantedWrong)...), model.ProblemDenied,
			"refused the login of alice by PLAIN", "check user name and password",
		},
		{
			"wrong SCRAM password", to("TLSLOGIN", "SASL_SSL", scramLogin("SCRAM-SHA-512", plantedWrong)...), model.ProblemDenied,
			"refused the login of alice by SCRAM-SHA-512", "check user name and password",
		},
		{
			"wrong client secret", to("TLSLOGIN", "SASL_SSL", bearerLogin(endpoint.start(t, tokenLife), plantedWrong)...), model.ProblemDenied,
			"the token endpoint refused the client alice", "secret",
		},
		{
			"mechanism not enabled", to("SCRAMONLY", "SASL_PLAINTEXT", plainLogin(plantedPlain)...), model.ProblemDenied,
			"does not have the SASL mechanism PLAIN enabled", "sasl.enabled.mechanisms",
		},
		{
			"token that is over", to("TLSLOGIN", "SASL_SSL", "sasl.mechanism=OAUTHBEARER",
				"sasl.oauthbearer.token.endpoint.url=file://"+tokenFile(t, -time.Hour),
				"sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;"),
			model.ProblemDenied, "refused the login by OAUTHBEARER", "clocks",
		},
		{"expired", to("EXPIRED", "SSL"), model.ProblemUnreachable, "has a certificate that expired on 20", "renewed"},
		{
			"wrong host name", to("MISNAMED", "SSL"), model.ProblemUnreachable,
			"has a certificate for b1.example and not for 127.0.0.1", "advertised name",
		},
		{
			"unknown authority", append(to("TLS", "SSL"), "ssl.truststore.location="+stranger.trustPEM()), model.ProblemUnreachable,
			"an authority that is not trusted (CN=test authority)", "ssl.truststore.location",
		},
		{"no certificate of ours", to("MUTUAL", "SSL"), model.ProblemDenied, "wants a certificate of ours", "ssl.keystore.location"},
		{"stranger's certificate", append(to("MUTUAL", "SSL"), "ssl.keystore.location="+stranger.pkcs12("mallory", plantedStore),
			"ssl.keystore.password="+plantedStore), model.ProblemDenied, "refused our certificate", "ssl.keystore.location"},
		{
			"TLS on a plain port",
			[]string{"bootstrap.servers=" + c.Bootstrap()[0], "security.protocol=SSL", trust},
			model.ProblemUnreachable,
			"does not speak TLS on this port", "set security.protocol to PLAINTEXT",
		},
		{
			"plain on a TLS port",
			[]string{"bootstrap.servers=" + c.ListenerAddress("TLS")},
			model.ProblemUnreachable,
			"speaks TLS only", "set security.protocol to SSL",
		},
		{
			"no login",
			[]string{"bootstrap.servers=" + c.ListenerAddress("LOGIN")},
			model.ProblemDenied,
			"wants a login", "set security.protocol to SASL_PLAINTEXT",
		},
		{"login on a plain port", append([]string{"bootstrap.servers=" + c.Bootstrap()[0], "security.protocol=SASL_PLAINTEXT"},
			plainLogin(plantedPlain)...), model.ProblemDenied, "takes no login", "set security.protocol to PLAINTEXT"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := connectBy(t, nil, tt.lines...)
			s := a.until("why there is no connection", func(s *model.Snapshot) bool { return clusterProblem(s) != nil })
			p := clusterProblem(s)
			if p.Kind != tt.kind || !strings.Contains(p.Detail, tt.why) || !strings.Contains(p.Advice, tt.advice) {
				t.Errorf("%s: %s\n  → %s\nwant %s: %q → %q", p.Kind, p.Detail, p.Advice, tt.kind, tt.why, tt.advice)
			}
			a.expectNoSecret()
			failsOnScreen(t, tt.why, tt.advice, "--command-config", propertiesFile(t, tt.lines...))
		})
	}
}

// testTokenRefresh stays connected over several lives of a token: the client
// gets new ones and logs in again (KIP-368), and nothing is denied.
func testTokenRefresh(t *testing.T, lines []string, e *endpoint) {
	t.Helper()
	a := connectBy(t, nil, lines...)
	a.until("a second token in use", func(s *model.Snapshot) bool {
		for _, p := range s.Problems {
			if p.Kind == model.ProblemDenied { // that it is slow on a busy machine is no fault
				t.Errorf("problem: %+v", p)
			}
		}
		return !s.Listed.IsZero() && e.granted.Load() >= 2
	})
	after := time.Now()
	a.until("answers after that", func(s *model.Snapshot) bool { return s.Answered.After(after) && len(s.Problems) == 0 })
	a.expectNoSecret()
}

// toldWhy waits until a person reads why there is no connection. That this is
// within three seconds is tested where the clock is the test's own
// (kafka/causes_test.go).
func toldWhy(t *testing.T, lines ...string) {
	t.Helper()
	began := time.Now()
	a := connectBy(t, nil, lines...)
	a.until("why there is no connection", func(s *model.Snapshot) bool { return clusterProblem(s) != nil })
	t.Logf("told after %s", time.Since(began).Round(time.Millisecond))
	a.client.Close()
}

// clusterProblem is the problem of the connection as a whole.
func clusterProblem(s *model.Snapshot) *model.Problem {
	for i, p := range s.Problems {
		if p.Target == model.NewText("cluster") {
			return &s.Problems[i]
		}
	}
	return nil
}
