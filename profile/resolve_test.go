package profile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sharetop/model"
)

// box is a machine with files in a home directory.
type box struct {
	t    *testing.T
	env  Env
	vars map[string]string
}

func newBox(t *testing.T) *box {
	b := &box{t: t, vars: map[string]string{}}
	b.env = Env{Home: t.TempDir(), Getenv: func(k string) string { return b.vars[k] }}
	b.vars["HOME"] = b.env.Home
	return b
}

// file writes a file of the home directory and returns its path.
func (b *box) file(name, text string) string {
	b.t.Helper()
	path := filepath.Join(b.env.Home, name)
	must(b.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(b.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func (b *box) resolve(req model.ConnectRequest) model.Resolved {
	b.t.Helper()
	r, err := Resolve(b.env, req)
	must(b.t, err)
	return r
}

// fails resolves, and wants an error with the text.
func (b *box) fails(want string, req model.ConnectRequest) {
	b.t.Helper()
	_, err := Resolve(b.env, req)
	if err == nil || !strings.Contains(err.Error(), want) {
		b.t.Errorf("the error is %v, want %q", err, want)
	}
	if err != nil && (strings.Contains(err.Error(), "pl4nted") || strings.Contains(err.Error(), "\n")) {
		b.t.Errorf("the error shows a secret or has several lines: %v", err)
	}
}

func setting(r model.Resolved, key string) model.Setting {
	for _, s := range r.Settings {
		if s.Key == key {
			return s
		}
	}
	return model.Setting{}
}

const plainFile = `bootstrap.servers=file:1
security.protocol=SASL_SSL
sasl.mechanism=PLAIN
sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \
  username="alice" password="pl4nted\\";x";
max.poll.records=5
something.else=1
ssl.endpoint.identification.algorithm=
`

func TestClientProperties(t *testing.T) {
	b := newBox(t)
	r := b.resolve(model.ConnectRequest{CommandConfig: b.file("client.properties", plainFile)})
	c := r.Connection
	if c.Security != model.SASLSSL || c.SASL.Mechanism != model.MechanismPlain || c.SASL.User != "alice" ||
		c.SASL.Password.Reveal() != `pl4nted";x` || c.Bootstrap[0] != "file:1" || c.TLS.Roots != nil || c.Insecure() == "" {
		t.Errorf("%+v", c)
	}
	if got := setting(r, "sasl.jaas.config"); got.Value != "[hidden]" || !strings.HasSuffix(got.Source, "client.properties:4") {
		t.Errorf("%+v", got)
	}
	if setting(r, "max.poll.records").Note != "ignored by sharetop" || setting(r, "something.else").Note == "" {
		t.Errorf("%+v", r.Settings)
	}
	if len(r.Warnings) != 1 || r.Warnings[0] != "not known to sharetop and ignored: something.else" {
		t.Errorf("warnings: %q", r.Warnings)
	}
}

func TestPrecedence(t *testing.T) {
	b := newBox(t)
	b.file(".config/sharetop/config.toml", "[profiles.prod]\nbootstrap_servers=['profile:1']\ncommand_config='prod.properties'\n"+
		"read_only=true\nssh_jump=['a','b']\n[profiles.prod.properties]\n'ssl.protocol'='own'\n")
	b.file(".config/sharetop/prod.properties", "bootstrap.servers=profilefile:1\nssl.protocol=file\nsecurity.protocol=SSL\n")
	req := model.ConnectRequest{Context: "prod"}
	r := b.resolve(req)
	if c := r.Connection; c.Bootstrap[0] != "profile:1" || c.Security != model.SSL || !c.ReadOnly ||
		strings.Join(c.Route.Jumps, " ") != "a b" || c.Name.Raw() != "prod" || setting(r, "ssl.protocol").Value != "own" {
		t.Errorf("%+v", r)
	}
	// Each source in front of the last one.
	steps := []struct {
		want string
		do   func()
	}{
		{"command-config:1", func() { req.CommandConfig = b.file("c.properties", "bootstrap.servers=command-config:1\n") }},
		{"variable:1", func() { b.vars["SHARETOP_BOOTSTRAP_SERVER"] = "variable:1" }},
		{"override:1", func() { req.Overrides = []string{"bootstrap.servers=override:1"} }},
		{"flag:1", func() {
			req.Flags = []model.Override{{Key: "bootstrap.servers", Value: "flag:1", Flag: "--bootstrap-server"}}
		}},
	}
	for _, step := range steps {
		step.do()
		r = b.resolve(req)
		if got := r.Connection.Bootstrap[0]; got != step.want {
			t.Errorf("%s counts, want %s", got, step.want)
		}
		if !r.Connection.ReadOnly {
			t.Errorf("with %s read-only was lost", step.want)
		}
	}
	// Nothing turns read-only off.
	req.Overrides = append(req.Overrides, "sharetop.read.only=false")
	b.vars["SHARETOP_READ_ONLY"] = "0"
	r = b.resolve(req)
	if got := setting(r, "sharetop.read.only"); !r.Connection.ReadOnly || got.Value != "true" || !strings.Contains(got.Source, "prod") {
		t.Errorf("read-only was turned off: %+v", got)
	}
}

func TestProviders(t *testing.T) {
	b := newBox(t)
	secrets := b.file("secrets.properties", "pass=pl4nted ${env:X}\n")
	b.file("dir/user", "bob\n")
	b.vars["WHERE"] = "env:1"
	declared := "config.providers=file,env,dir\nconfig.providers.file.class=" + providerFile + "\nconfig.providers.env.class=" + providerEnv +
		"\nconfig.providers.dir.class=" + providerDir + "\n"
	body := "bootstrap.servers=${env:WHERE}\nsecurity.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-512\nsasl.username=${dir:" +
		filepath.Join(b.env.Home, "dir") + ":user}\nsasl.password=${file:" + secrets + ":pass}\n"
	c := b.resolve(model.ConnectRequest{CommandConfig: b.file("p.properties", declared+body)}).Connection
	if c.Bootstrap[0] != "env:1" || c.SASL.User != "bob" || c.SASL.Password.Reveal() != "pl4nted ${env:X}" {
		t.Errorf("%+v, password %q", c, c.SASL.Password.Reveal())
	}
	// Nothing is expanded unless config.providers asks for it.
	literal := "bootstrap.servers=a:1\nsecurity.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.username=u\nsasl.password=x${env:WHERE}\n"
	c = b.resolve(model.ConnectRequest{CommandConfig: b.file("p.properties", literal)}).Connection
	if got := c.SASL.Password.Reveal(); got != "x${env:WHERE}" {
		t.Errorf("the password became %q", got)
	}
	for want, text := range map[string]string{
		"there is no key none":       declared + "sasl.password=${file:" + secrets + ":none}",
		"is not inside allowed":      declared + "config.providers.file.param.allowed.paths=/etc\nsasl.password=${file:" + secrets + ":pass}",
		"NOPE is not set":            declared + "sasl.password=${env:NOPE}",
		"which sharetop can't run":   "config.providers=v\nconfig.providers.v.class=com.acme.Vault\nsasl.password=${v:x:y}",
		"is not the name of a file":  declared + "sasl.password=${dir:" + b.env.Home + ":../x}",
		"config provider v has no c": "config.providers=v\nsasl.password=${v:y}",
	} {
		b.fails(want, model.ConnectRequest{CommandConfig: b.file("p.properties", "bootstrap.servers=a:1\n"+text+"\n")})
	}
}

func TestRefusals(t *testing.T) {
	b := newBox(t)
	login := "security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.username=u\nsasl.password=pl4nted\n"
	tests := []struct{ text, want string }{
		{"security.protocol=SSLL", "security.protocol SSLL is not supported: there are PLAINTEXT, SSL"},
		{"security.protocol=SASL_SSL\nsasl.mechanism=DIGEST-MD5", "sasl.mechanism DIGEST-MD5 is not supported"},
		{login + "sasl.mechansim=PLAIN", "sasl.mechansim is not supported, and it changes how one connects"},
		{login + "ssl.engine.factory.class=x", "ssl.engine.factory.class is not supported"},
		{login + "sasl.client.callback.handler.class=com.acme.X", "com.acme.X, which sharetop can't run"},
		{login + "ssl.endpoint.identification.algorithm=ldaps", "ldaps is not supported"},
		{login + "enable.ssl.certificate.verification=false", "turns off the check"},
		{login + "ssl.enabled.protocols=TLSv1,TLSv1.1", "allows neither TLSv1.2 nor TLSv1.3"},
		{login + "ssl.truststore.location=/nope.jks", "/nope.jks"},
		{login + "sasl.jaas.config=X required", "can't be read"},
		{
			"security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.jaas.config=a.ScramLoginModule required username=\"u\" password=\"pl4nted\";",
			"which does not go with the mechanism PLAIN: that needs a PlainLoginModule",
		},
		{"sasl.username=u\nsasl.password=pl4nted", "there is a login but no security.protocol"},
		{"security.protocol=SASL_SSL\nsasl.mechanism=PLAIN", "has no user name"},
		{"security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.username=u", "the login of u has no password (nobody can be asked for it)"},
		{"security.protocol=SASL_SSL\nsasl.mechanism=OAUTHBEARER\nsasl.oauthbearer.token.endpoint.url=http://idp/t", "must be https"},
		{"security.protocol=SASL_SSL\nsasl.mechanism=OAUTHBEARER", "has no token"},
		{"security.protocol=SASL_SSL", "sasl.kerberos.service.name"},
		{"sharetop.resolve=a:1", "is not NAME:PORT=ADDRESS:PORT"},
		{"sharetop.socks5=a", "is not HOST:PORT"},
		{"sharetop.read.only=ture", "sharetop.read.only=ture is neither yes nor no"},
		{"a=\\u00zz", "line 2"},
	}
	for _, tt := range tests {
		b.fails(tt.want, model.ConnectRequest{CommandConfig: b.file("p.properties", "bootstrap.servers=a:1\n"+tt.text+"\n")})
	}
	b.fails("-X needs KEY=VALUE", model.ConnectRequest{Overrides: []string{"pl4nted"}})
	b.fails("no cluster to watch: give --bootstrap-server HOST:PORT or --context NAME (a profile)", model.ConnectRequest{})
	b.fails("there is no profile x, nor any other", model.ConnectRequest{Context: "x"})
}

func TestAsksForWhatIsMissing(t *testing.T) {
	b := newBox(t)
	var asked string
	ask := func(prompt string) (model.Secret, error) { asked = prompt; return secret("pl4nted"), nil }
	file := b.file("p.properties", "bootstrap.servers=a:1\nsecurity.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-256\nsasl.username=u\n")
	c := b.resolve(model.ConnectRequest{CommandConfig: file, Ask: ask}).Connection
	if c.SASL.Password.Reveal() != "pl4nted" || asked != "password of u" {
		t.Errorf("asked for %q", asked)
	}
	b.fails("has no password (interrupted)", model.ConnectRequest{CommandConfig: file, Ask: func(string) (model.Secret, error) {
		return model.Secret{}, errors.New("interrupted")
	}})
	// A variable stands for it as well.
	b.vars["SHARETOP_SASL_PASSWORD"] = "pl4nted"
	if r := b.resolve(model.ConnectRequest{CommandConfig: file}); setting(r, "sasl.password").Value != "[hidden]" ||
		setting(r, "sasl.password").Source != "SHARETOP_SASL_PASSWORD" {
		t.Errorf("%+v", r.Settings)
	}
}

func TestWarnings(t *testing.T) {
	b := newBox(t)
	file := b.file("client.properties", plainFile)
	must(t, os.Chmod(file, 0o644))
	r := b.resolve(model.ConnectRequest{CommandConfig: file, Overrides: []string{"ssl.key.password=pl4nted", "ssl.protocol=x"}})
	all := strings.Join(r.Warnings, "\n")
	if len(r.Warnings) != 3 || !strings.Contains(all, "can be read by others") || !strings.Contains(all, "ssl.key.password is on the command line") {
		t.Errorf("%q", r.Warnings)
	}
	if strings.Contains(all, "pl4nted") {
		t.Errorf("a warning shows a secret: %s", all)
	}
}

func TestOAuthSettings(t *testing.T) {
	b := newBox(t)
	c := b.resolve(model.ConnectRequest{CommandConfig: b.file("p", `bootstrap.servers=a:1
security.protocol=SASL_SSL
sasl.mechanism=OAUTHBEARER
sasl.oauthbearer.token.endpoint.url=https://idp.example/token
sasl.login.callback.handler.class=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler
sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required \
  clientId="id" clientSecret="pl4nted" scope="kafka" extension_logicalCluster="lkc-1" extension_identityPoolId="p";
`)}).Connection.SASL.OAuth
	if c.ClientID != "id" || c.ClientSecret.Reveal() != "pl4nted" || c.Scope != "kafka" || c.Extensions["logicalCluster"] != "lkc-1" ||
		len(c.Extensions) != 2 {
		t.Errorf("%+v", c)
	}
	c = b.resolve(model.ConnectRequest{CommandConfig: b.file("p", "bootstrap.servers=a:1\nsecurity.protocol=SASL_SSL\n"+
		"sasl.mechanism=OAUTHBEARER\nsasl.oauthbearer.token.endpoint.url=file:///run/token\n")}).Connection.SASL.OAuth
	if c.TokenFile != "/run/token" || c.TokenEndpoint != "" {
		t.Errorf("%+v", c)
	}
}
