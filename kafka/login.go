package kafka

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/aws"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"sharetop/model"
)

// login makes the SASL mechanism of connections. All clients of a cluster share
// one, and with it a token.
type login struct {
	sasl   model.SASL
	tokens *tokens
	aws    *awsLogin
}

// newLogin is nil where there is no login.
func newLogin(conn model.Connection, now func() time.Time) *login {
	if !conn.Security.LogsIn() {
		return nil
	}
	l := &login{sasl: conn.SASL, aws: &awsLogin{settings: conn.SASL.AWS, now: now}}
	if conn.SASL.Mechanism == model.MechanismOAuthBearer {
		l.tokens = newTokens(conn.SASL.OAuth, now)
	}
	return l
}

// mechanism is what a client logs in with, again before a session ends
// (KIP-368). Secrets are revealed only while a login runs.
func (l *login) mechanism() sasl.Mechanism {
	switch l.sasl.Mechanism {
	case model.MechanismScramSHA256:
		return scram.Sha256(l.scram)
	case model.MechanismScramSHA512:
		return scram.Sha512(l.scram)
	case model.MechanismOAuthBearer:
		return oauth.Oauth(l.bearer)
	case model.MechanismGSSAPI:
		return kerberosMechanism(l.sasl.Kerberos)
	case model.MechanismAWSMSKIAM:
		return aws.ManagedStreamingIAM(l.aws.credentials)
	default:
		return plain.Plain(func(context.Context) (plain.Auth, error) {
			return plain.Auth{User: l.sasl.User, Pass: l.sasl.Password.Reveal()}, nil
		})
	}
}

func (l *login) scram(context.Context) (scram.Auth, error) {
	return scram.Auth{User: l.sasl.User, Pass: l.sasl.Password.Reveal(), IsToken: l.sasl.Delegation}, nil
}

func (l *login) bearer(ctx context.Context) (oauth.Auth, error) {
	token, err := l.tokens.get(ctx)
	if err != nil {
		return oauth.Auth{}, err
	}
	return oauth.Auth{Token: token.Reveal(), Extensions: l.sasl.OAuth.Extensions}, nil
}
