package kafka

import (
	"context"
	"errors"
	"strings"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/kerberos"

	"sharetop/model"
)

// kerberosMechanism logs in by GSSAPI. Keytab and ticket cache are read for each
// login, so that a new kinit counts at once.
func kerberosMechanism(k model.Kerberos) sasl.Mechanism {
	return gssapi{kerberos.Kerberos(func(context.Context) (kerberos.Auth, error) {
		c, err := kerberosClient(k)
		if err != nil {
			return kerberos.Auth{}, err
		}
		return kerberos.Auth{Client: c, Service: k.Service}, nil
	}), k.Service}
}

// gssapi puts the library's errors into words.
type gssapi struct {
	sasl.Mechanism
	service string
}

// Authenticate gets a ticket for the broker's service.
func (g gssapi) Authenticate(ctx context.Context, host string) (sasl.Session, []byte, error) {
	session, first, err := g.Mechanism.Authenticate(ctx, host)
	if _, named := errors.AsType[*tokenError](err); err == nil || named {
		return session, first, err
	}
	return nil, nil, &tokenError{
		"there is no Kerberos ticket for " + safeText(g.service+"/"+host) + ": " + kerberosCause(err),
		"check sasl.kerberos.service.name, and that the realm has this service by the name that the broker advertises",
	}
}

// kerberosClient makes a client of the realm.
func kerberosClient(k model.Kerberos) (*client.Client, error) {
	realm, err := config.Load(k.Config)
	if err != nil {
		return nil, &tokenError{
			"the Kerberos settings " + safeText(k.Config) + " can't be read: " + safeText(err.Error()),
			"set KRB5_CONFIG to the krb5.conf of the realm",
		}
	}
	if k.Keytab == "" {
		cache, err := credentials.LoadCCache(k.TicketCache)
		if err != nil {
			return nil, &tokenError{
				"the ticket cache " + safeText(k.TicketCache) + " can't be read: " + safeText(err.Error()),
				"get a ticket with kinit",
			}
		}
		c, err := client.NewFromCCache(cache, realm, client.DisablePAFXFAST(true))
		if err != nil {
			return nil, &tokenError{
				"the ticket cache " + safeText(k.TicketCache) + " has no ticket: " + safeText(err.Error()),
				"get a ticket with kinit",
			}
		}
		return c, nil
	}
	keys, err := keytab.Load(k.Keytab)
	if err != nil {
		return nil, &tokenError{"the keytab " + safeText(k.Keytab) + " can't be read: " + safeText(err.Error()), "check keyTab in sasl.jaas.config"}
	}
	name, domain, ok := strings.Cut(k.Principal, "@")
	if !ok {
		domain = realm.LibDefaults.DefaultRealm
	}
	c := client.NewWithKeytab(name, domain, keys, realm, client.DisablePAFXFAST(true))
	if err := c.Login(); err != nil {
		return nil, &tokenError{
			"the realm " + safeText(domain) + " did not log " + safeText(name) + " in: " + kerberosCause(err),
			"check that the keytab is the newest of its principal, the realm's KDC in " + safeText(k.Config) + ", and the clock",
		}
	}
	return c, nil
}

// kerberosCause is the first of the library's nested errors.
func kerberosCause(err error) string {
	text, _, _ := strings.Cut(err.Error(), " < ")
	if _, after, ok := strings.Cut(text, "] "); ok {
		text = after
	}
	return safeText(text)
}
