package kafka

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// toldWithin is how soon a person reads why there is no connection.
const toldWithin = 3 * time.Second

// silentDial opens connections on which nobody ever says a word.
func silentDial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, theirs) }()
	return ours, nil
}

// blackHole never connects.
func blackHole(ctx context.Context, _, _ string) (net.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// Whatever keeps a connection from being made, what is known of it is told within
// three seconds, with what to do. The clock is the test's own.
func TestCauseIsToldInTime(t *testing.T) {
	login := model.Connection{Security: model.SASLPlaintext, SASL: model.SASL{
		Mechanism: model.MechanismPlain, User: "u", Password: model.NewSecret(plantedPassword),
	}}
	for _, tt := range []struct {
		name    string
		conn    model.Connection
		dial    func(network *kfake.VirtualNetwork) dialer
		why     string
		advice  string
		servers []string
	}{
		{
			"nobody says a word",
			model.Connection{},
			func(*kfake.VirtualNetwork) dialer { return silentDial },
			"No broker of b:9092 has answered yet", "check the bootstrap servers, the network",
			[]string{"b:9092"},
		},
		{
			"nothing can be reached",
			model.Connection{},
			func(*kfake.VirtualNetwork) dialer { return blackHole },
			"No broker of b:9092 has answered yet", "check the bootstrap servers, the network",
			[]string{"b:9092"},
		},
		{
			"TLS is never answered",
			model.Connection{Security: model.SSL},
			func(*kfake.VirtualNetwork) dialer { return silentDial },
			"has answered yet", "wants TLS or a login",
			[]string{"b:9092"},
		},
		{
			"the login is refused, and another broker is silent", login,
			func(n *kfake.VirtualNetwork) dialer {
				return func(ctx context.Context, network, addr string) (net.Conn, error) {
					if strings.HasPrefix(addr, "gone:") {
						return blackHole(ctx, network, addr)
					}
					return n.DialContext(ctx, network, addr)
				}
			},
			"refused the login of u by PLAIN", "check user name and password",
			[]string{"gone:9092"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := new(kfake.VirtualNetwork)
				fake, err := kfake.NewCluster(kfake.ListenFn(network.Listen), kfake.NumBrokers(1), kfake.Ports(9092),
					kfake.EnableSASL(), kfake.Superuser(string(model.MechanismPlain), "u", "another"))
				if err != nil {
					t.Fatal(err)
				}
				defer fake.Close()
				// The fake only closes the connection; a real broker says why first.
				control(fake, kmsg.SASLAuthenticate, func(req kmsg.Request) kmsg.Response {
					resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
					resp.ErrorCode = kerr.SaslAuthenticationFailed.Code
					return resp
				})
				tt.conn.Bootstrap = tt.servers
				if tt.conn.Security.LogsIn() {
					tt.conn.Bootstrap = append(tt.conn.Bootstrap, fake.ListenAddrs()...)
				}
				client, err := Open(tt.conn, Options{Now: time.Now, Dial: tt.dial(network)})
				if err != nil {
					t.Fatal(err)
				}
				defer client.Close()
				ctx, cancel := context.WithTimeout(t.Context(), toldWithin)
				defer cancel()
				after, last := model.Version(0), []model.Problem(nil)
				for {
					s, err := client.Watch(ctx, model.Scope{}, after)
					if errors.Is(err, context.DeadlineExceeded) {
						t.Fatalf("within %s only %+v was told", toldWithin, last)
					}
					if err != nil {
						t.Fatal(err)
					}
					after, last = s.Version, s.Problems
					for _, p := range s.Problems {
						if strings.Contains(p.Detail, tt.why) && strings.Contains(p.Advice, tt.advice) {
							return
						}
					}
				}
			})
		})
	}
}

// dialer is a way to open connections.
type dialer = func(ctx context.Context, network, addr string) (net.Conn, error)

// A login that is refused is told with what to do wherever a person meets it: by
// a peek, by joining, and by a look before a change.
func TestRemediesReachThePerson(t *testing.T) {
	c := fakeCluster(t, kfake.EnableSASL(), kfake.Superuser(string(model.MechanismPlain), "u", "another"))
	control(c, kmsg.SASLAuthenticate, func(req kmsg.Request) kmsg.Response {
		resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		resp.ErrorCode = kerr.SaslAuthenticationFailed.Code
		return resp
	})
	client, err := Open(model.Connection{
		Bootstrap: c.ListenAddrs(), Security: model.SASLPlaintext,
		SASL: model.SASL{Mechanism: model.MechanismPlain, User: "u", Password: model.NewSecret(plantedPassword)},
	}, Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	told := map[string]string{}
	peeked, err := client.Peek(t.Context(), model.PeekRequest{Topic: model.NewTopicName("orders")})
	if err != nil || peeked.Problem == nil {
		t.Fatalf("%+v, %v", peeked, err)
	}
	told["peek"] = peeked.Problem.Detail + " " + peeked.Problem.Advice
	_, err = client.Join(t.Context(), model.JoinRequest{Group: model.NewGroupID("g"), Topics: []model.TopicName{model.NewTopicName("orders")}},
		JoinOptions{Audit: new(logbook)})
	told["join"] = errorText(err)
	_, err = client.Changes(ChangeOptions{Audit: new(logbook)}).Look(t.Context(), model.LookRequest{Group: model.NewGroupID("g")})
	told["look"] = errorText(err)
	for where, text := range told {
		if !strings.Contains(text, "refused the login of u by PLAIN") || !strings.Contains(text, "check user name and password") ||
			strings.Contains(text, plantedPassword) {
			t.Errorf("%s: %s", where, text)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
