package kafka

import (
	"context"
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
	return kerberos.Kerberos(func(context.Context) (kerberos.Auth, error) {
		c, err := kerberosClient(k)
		if err != nil {
			return kerberos.Auth{}, err
		}
		return kerberos.Auth{Client: c, Service: k.Service}, nil
	})
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
	return client.NewWithKeytab(name, domain, keys, realm, client.DisablePAFXFAST(true)), nil
}
