package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"

	"sharetop/model"
)

const plantedPassword = "pl4nted-passw0rd"

func hour() time.Time { return time.Now().Add(time.Hour) }

// secured is a cluster with TLS.
func secured(t *testing.T, server *tls.Config, opts ...kfake.Opt) *kfake.Cluster {
	return fakeCluster(t, append(opts, kfake.TLS(server))...)
}

// problemOfCluster waits until the client says why it can't connect.
func problemOfCluster(t *testing.T, conn model.Connection) model.Problem {
	t.Helper()
	var mu sync.Mutex // Logf is called from any goroutine
	var logged strings.Builder
	w := open(t, conn, Options{Logf: func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(&logged, format+"\n", args...)
	}})
	var found model.Problem
	w.until("the problem", func(s *model.Snapshot) bool {
		for _, p := range s.Problems {
			if p.Target == target("cluster", "") {
				found = p
				return true
			}
		}
		return false
	})
	w.client.Close()
	mu.Lock()
	defer mu.Unlock()
	for _, text := range []string{found.Detail, found.Advice, logged.String()} {
		if strings.Contains(text, plantedPassword) {
			t.Errorf("the password is shown: %s", text)
		}
	}
	return found
}

// expectCause checks the sentence and the remedy.
func expectCause(t *testing.T, p model.Problem, kind model.ProblemKind, why, advice string) {
	t.Helper()
	if p.Kind != kind || !strings.Contains(p.Detail, why) || !strings.Contains(p.Advice, advice) {
		t.Errorf("%s: %s\n  → %s\nwant %s: %q → %q", p.Kind, p.Detail, p.Advice, kind, why, advice)
	}
	if strings.Count(p.Detail, ".\n")+strings.Count(p.Detail, "\n") > 0 {
		t.Errorf("not one sentence: %q", p.Detail)
	}
}

func TestSecureConnections(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t, "test authority")
	server := &tls.Config{Certificates: []tls.Certificate{ca.pair(t, hour(), "127.0.0.1")}}
	mutual := server.Clone()
	mutual.ClientAuth, mutual.ClientCAs = tls.RequireAndVerifyClientCert, ca.pool()
	users := []kfake.Opt{
		kfake.EnableSASL(), kfake.Superuser("PLAIN", "u", plantedPassword),
		kfake.Superuser("SCRAM-SHA-256", "u", plantedPassword), kfake.Superuser("SCRAM-SHA-512", "u", plantedPassword),
	}
	trusted := model.TLS{Roots: ca.pool()}
	withKey := trusted
	withKey.Keys = model.NewKeyPairs(ca.pair(t, hour()))
	login := func(m model.Mechanism) model.SASL {
		return model.SASL{Mechanism: m, User: "u", Password: model.NewSecret(plantedPassword)}
	}
	for _, tt := range []struct {
		name    string
		cluster func() *kfake.Cluster
		conn    model.Connection
	}{
		{"SSL", func() *kfake.Cluster { return secured(t, server) }, model.Connection{Security: model.SSL, TLS: trusted}},
		{"mutual SSL", func() *kfake.Cluster { return secured(t, mutual) }, model.Connection{Security: model.SSL, TLS: withKey}},
		{
			"SASL_PLAINTEXT and PLAIN", func() *kfake.Cluster { return fakeCluster(t, users...) },
			model.Connection{Security: model.SASLPlaintext, SASL: login(model.MechanismPlain)},
		},
		{
			"SASL_SSL and SCRAM-SHA-256", func() *kfake.Cluster { return secured(t, server, users...) },
			model.Connection{Security: model.SASLSSL, TLS: trusted, SASL: login(model.MechanismScramSHA256)},
		},
		{
			"SASL_SSL and SCRAM-SHA-512", func() *kfake.Cluster { return secured(t, server, users...) },
			model.Connection{Security: model.SASLSSL, TLS: trusted, SASL: login(model.MechanismScramSHA512)},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.conn.Bootstrap = tt.cluster().ListenAddrs()
			w := open(t, tt.conn, Options{})
			if s := w.done(); s.Listed.IsZero() {
				t.Errorf("nothing was listed: %s", dump(s))
			}
			w.expectNoProblems()
		})
	}
}

func TestRefusedConnections(t *testing.T) {
	t.Parallel()
	ca, other := newAuthority(t, "test authority"), newAuthority(t, "someone else")
	server := func(until time.Time, hosts ...string) *tls.Config {
		return &tls.Config{Certificates: []tls.Certificate{ca.pair(t, until, hosts...)}}
	}
	good := server(hour(), "127.0.0.1")
	mutual := good.Clone()
	mutual.ClientAuth, mutual.ClientCAs = tls.RequireAndVerifyClientCert, ca.pool()
	trusted := model.TLS{Roots: ca.pool()}
	stranger := trusted
	stranger.Keys = model.NewKeyPairs(other.pair(t, hour()))
	lax := trusted
	lax.SkipHostName = true
	for _, tt := range []struct {
		name        string
		cluster     *kfake.Cluster
		conn        model.Connection
		kind        model.ProblemKind
		why, advice string
	}{
		{
			"expired", secured(t, server(time.Now().Add(-time.Minute), "127.0.0.1")),
			model.Connection{Security: model.SSL, TLS: trusted},
			model.ProblemUnreachable, "has a certificate that expired on 20", "renewed",
		},
		{
			"expired, names unchecked", secured(t, server(time.Now().Add(-time.Minute), "127.0.0.1")),
			model.Connection{Security: model.SSL, TLS: lax},
			model.ProblemUnreachable, "has a certificate that expired on 20", "renewed",
		},
		{
			"wrong name", secured(t, server(hour(), "b1.example", "b2.example")),
			model.Connection{Security: model.SSL, TLS: trusted},
			model.ProblemUnreachable, "has a certificate for b1.example, b2.example and not for 127.0.0.1", "advertised name",
		},
		{
			"unknown authority", secured(t, good),
			model.Connection{Security: model.SSL, TLS: model.TLS{Roots: other.pool()}},
			model.ProblemUnreachable, "an authority that is not trusted (CN=test authority)", "ssl.truststore.location",
		},
		{
			"plain on a TLS port", secured(t, good),
			model.Connection{},
			model.ProblemUnreachable, "as a listener does that speaks TLS only", "set security.protocol to SSL",
		},
		{
			"no certificate of ours", secured(t, mutual),
			model.Connection{Security: model.SSL, TLS: trusted},
			model.ProblemDenied, "wants a certificate of ours", "ssl.keystore.location",
		},
		{
			"certificate of a stranger", secured(t, mutual),
			model.Connection{Security: model.SSL, TLS: stranger},
			model.ProblemDenied, "; it is valid until 20", "ssl.keystore.location",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.conn.Bootstrap = tt.cluster.ListenAddrs()
			expectCause(t, problemOfCluster(t, tt.conn), tt.kind, tt.why, tt.advice)
		})
	}
	t.Run("names unchecked", func(t *testing.T) {
		t.Parallel()
		c := secured(t, server(hour(), "b1.example"))
		w := open(t, model.Connection{Bootstrap: c.ListenAddrs(), Security: model.SSL, TLS: lax}, Options{})
		w.done()
		w.expectNoProblems()
	})
}

// Sentences about what kfake can't imitate, by the errors that real brokers
// cause; test/ has the same against such brokers.
func TestExplain(t *testing.T) {
	t.Parallel()
	plain := security{protocol: model.SASLPlaintext, mechanism: model.MechanismPlain, user: "u\x1b"}
	encrypted := security{protocol: model.SASLSSL, config: &tls.Config{MinVersion: tls.VersionTLS12}}
	for _, tt := range []struct {
		s           security
		err         error
		kind        model.ProblemKind
		why, advice string
	}{
		{plain, fmt.Errorf("x: %w", kerr.SaslAuthenticationFailed), model.ProblemDenied, `refused the login of u\e by PLAIN`, "check user name"},
		{plain, kerr.UnsupportedSaslMechanism, model.ProblemDenied, "does not have the SASL mechanism PLAIN enabled", "sasl.enabled.mechanisms"},
		{encrypted, kerr.IllegalSaslState, model.ProblemDenied, "takes no login", "set security.protocol to SSL"},
		{encrypted, &handshakeError{"h", io.EOF}, model.ProblemUnreachable, "does not speak TLS", "set security.protocol to SASL_PLAINTEXT"},
		{encrypted, &handshakeError{"h", syscall.ECONNRESET}, model.ProblemUnreachable, "does not speak TLS", "SASL_PLAINTEXT"},
		{encrypted, &handshakeError{"h", context.DeadlineExceeded}, model.ProblemUnreachable, "TLS handshake in time", "TLS listener"},
		{encrypted, errors.New("remote error: tls: protocol version not supported"), model.ProblemUnreachable, "broke off", "ssl.enabled.protocols"},
		{encrypted, errors.New("read: remote error: tls: bad certificate"), model.ProblemDenied, "wants a certificate of ours", "keystore"},
	} {
		r, ok := errors.AsType[*refusal](tt.s.explain(tt.err))
		if !ok || r.kind != tt.kind || !strings.Contains(r.why, tt.why) || !strings.Contains(r.advice, tt.advice) {
			t.Errorf("%v: %+v, want %s: %q → %q", tt.err, r, tt.kind, tt.why, tt.advice)
		}
		if !errors.Is(tt.s.explain(tt.err), tt.err) {
			t.Errorf("%v is lost", tt.err)
		}
	}
	if err := plain.explain(io.EOF); err != io.EOF { //nolint:errorlint // the very same
		t.Errorf("a connection that ends later became %v", err)
	}
}
