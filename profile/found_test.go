package profile

import (
	"os"
	"strings"
	"testing"

	"sharetop/model"
)

func listed(b *box, name string) model.Profile {
	for _, p := range List(b.env) {
		if p.Name.Raw() == name {
			return p
		}
	}
	b.t.Errorf("%s is not listed: %+v", name, List(b.env))
	return model.Profile{}
}

func notesOf(p model.Profile) string {
	var all []string
	for _, n := range p.Notes {
		all = append(all, n.Raw())
	}
	return strings.Join(all, "\n")
}

// A person sees of each profile where it leads and how, what colour it has, and
// what of its file was not understood.
func TestList(t *testing.T) {
	b := boxWithTools(t)
	b.file(".config/sharetop/config.toml", "[profiles.prod]\nbootstrap_servers=['p:1','p:2']\ncolor='Red'\nread_only=true\nssh_jump='me@bastion'\n"+
		"[profiles.prod.properties]\n'security.protocol'='SASL_SSL'\n'sasl.mechanism'='PLAIN'\n'sasl.username'='u'\n'my.own'='pl4nted'\n"+
		"[profiles.empty]\nread_only=false\n[profiles.wrong]\nbootstrap_servers='w:1'\n[profiles.wrong.properties]\n'sasl.passwrod'='pl4nted'\n")
	prod := listed(b, "prod")
	if prod.Bootstrap.Raw() != "p:1, p:2" || prod.Security.Raw() != "SASL_SSL PLAIN" || prod.Way.Raw() != "SSH me@bastion" || !prod.ReadOnly ||
		prod.Color != model.ColorRed || !prod.Problem.Empty() || !strings.Contains(notesOf(prod), "not known to sharetop and ignored: my.own") {
		t.Errorf("%+v", prod)
	}
	if kaf := listed(b, "kaf:prod"); kaf.Security.Raw() != "SASL_SSL SCRAM-SHA-256" || !strings.Contains(notesOf(kaf), "turns off the check") {
		t.Errorf("%+v", kaf)
	}
	if empty := listed(b, "empty"); !strings.Contains(empty.Problem.Raw(), "names no brokers") {
		t.Errorf("%+v", empty)
	}
	if wrong := listed(b, "wrong"); !strings.Contains(wrong.Problem.Raw(), "sasl.passwrod is not supported") || strings.Contains(wrong.Problem.Raw(), "pl4nted") {
		t.Errorf("%+v", wrong)
	}
	if c := b.resolve(model.ConnectRequest{Context: "prod", Overrides: []string{"sasl.password=x"}}).Connection; c.Color != model.ColorRed {
		t.Errorf("the colour is %q", c.Color)
	}
	b.fails("is not a colour: there are red, green", model.ConnectRequest{Context: "prod", Overrides: []string{"sharetop.color=pink"}})
}

// What of another tool's file is of another kind, or not known, is named by its
// line or key; the rest is used.
func TestHalfUnderstood(t *testing.T) {
	b := newBox(t)
	b.file(".kaf/config", "current-cluster: a\nclusters:\n- name: a\n  brokers: [a:1]\n  sasl-kerberos: pl4nted\n- name: b\n  brokers: {x: pl4nted}\n")
	b.file(".config/kcl/config.toml", "seed_brokers=['k:1']\nproxy='pl4nted'\n[tls]\nca_cert_path=''\n")
	b.file(".config/rpk/rpk.yaml", "globals: {}\nprofiles:\n- name: r\n  kafka_api: {brokers: [r:1]}\n")
	a := listed(b, "kaf:a")
	if got := notesOf(a); a.Bootstrap.Raw() != "a:1" || !strings.Contains(got, "not understood and not used: sasl-kerberos") ||
		!strings.Contains(got, "line 7 is not understood") || strings.Contains(got, "pl4nted") {
		t.Errorf("%+v", a)
	}
	if p := listed(b, "kaf:b"); p.Problem.Empty() {
		t.Errorf("a profile without brokers is offered: %+v", p)
	}
	if got := notesOf(listed(b, "kcl")); !strings.Contains(got, "not used: proxy") || strings.Contains(got, "pl4nted") {
		t.Errorf("kcl: %q", got)
	}
	if p := listed(b, "rpk:r"); len(p.Notes) > 0 || p.Bootstrap.Raw() != "r:1" {
		t.Errorf("%+v", p)
	}
}

// A config.toml that can't be read is listed as such and stops no other file;
// what stands in it is not repeated.
func TestBrokenConfig(t *testing.T) {
	b := boxWithTools(t)
	for _, text := range []string{"min_lag = pl4nted", "[profiles.a]\npassword = 'pl4nted", "x = \"pl4nted\n"} {
		b.file(".config/sharetop/config.toml", text)
		own := listed(b, "config.toml")
		_, err := LoadRules(ConfigPath(b.env.Getenv))
		if err == nil || own.Problem.Empty() || strings.Contains(own.Problem.Raw()+err.Error(), "pl4nted") {
			t.Errorf("%q: %+v, %v", text, own, err)
		}
		listed(b, "rpk:prod")
	}
}

// What the command line and the variables say of one cluster does not reach
// another one; only read-only holds for all.
func TestProfileOnly(t *testing.T) {
	b := newBox(t)
	b.file(".config/sharetop/config.toml", "[profiles.a]\nbootstrap_servers='a:1'\n[profiles.a.properties]\n'security.protocol'='SASL_SSL'\n"+
		"'sasl.mechanism'='PLAIN'\n'sasl.username'='u'\n'sasl.password'='of-a'\n")
	b.vars["SHARETOP_SASL_PASSWORD"] = "of-b"
	b.vars["SHARETOP_CONTEXT"] = "nope"
	req := model.ConnectRequest{
		Context: "a", ProfileOnly: true, Overrides: []string{"sasl.username=b", "security.protocol=SASL_PLAINTEXT"},
		Flags: []model.Override{{Key: "bootstrap.servers", Value: "b:1", Flag: "--bootstrap-server"}},
	}
	r := b.resolve(req)
	if c := r.Connection; c.Bootstrap[0] != "a:1" || c.SASL.User != "u" || c.SASL.Password.Reveal() != "of-a" || c.Security != model.SASLSSL || c.ReadOnly {
		t.Errorf("%+v, password %q", c, c.SASL.Password.Reveal())
	}
	if len(r.Warnings) > 0 {
		t.Errorf("warnings about another cluster: %q", r.Warnings)
	}
	req.Flags = append(req.Flags, model.Override{Key: "sharetop.read.only", Value: "true", Flag: "--read-only"})
	if r = b.resolve(req); !r.Connection.ReadOnly || setting(r, "sharetop.read.only").Source != "--read-only" {
		t.Errorf("read-only was lost: %+v", r.Settings)
	}
}

// The default profile has no part in a cluster that was named otherwise, and
// config.toml can make all of them read-only.
func TestDefaultProfile(t *testing.T) {
	b := newBox(t)
	b.file(".config/sharetop/config.toml", "default_profile='a'\nread_only=true\n[profiles.a]\nbootstrap_servers='a:1'\n"+
		"[profiles.a.properties]\n'sasl.password'='pl4nted'\n")
	if c := b.resolve(model.ConnectRequest{}).Connection; c.Bootstrap[0] != "a:1" || c.Name.Raw() != "a" || !c.ReadOnly {
		t.Errorf("%+v", c)
	}
	r := b.resolve(model.ConnectRequest{Overrides: []string{"bootstrap.servers=b:1", "sharetop.read.only=false"}})
	if c := r.Connection; c.Bootstrap[0] != "b:1" || !c.Name.Empty() || setting(r, "sasl.password").Key != "" || !c.ReadOnly {
		t.Errorf("%+v, %+v", c, r.Settings)
	}
}

// Every effective setting is listed with its source, and what may be a secret is
// not, under whatever key and in whatever form it was given.
func TestSettingsHideSecrets(t *testing.T) {
	b := newBox(t)
	r := b.resolve(model.ConnectRequest{
		Flags: []model.Override{{Key: "bootstrap.servers", Value: "a:1", Flag: "--bootstrap-server"}, {Key: "sharetop.socks5", Value: "me:pl4nted@p:1080", Flag: "--socks5"}},
		Overrides: []string{
			"security.protocol=SASL_SSL", "sasl.mechanism=PLAIN", "sasl.username=u", "ssl.key.password=pl4nted", "schema.registry.url=https://u:pl4nted@r/x",
			"my.own=pl4nted", "confluent.license=x",
		},
		Ask: func(string) (model.Secret, error) { return secret("pl4nted"), nil },
	})
	if c := r.Connection.Route; c.SOCKS5 != "p:1080" || c.SOCKS5User != "me" || c.SOCKS5Password.Reveal() != "pl4nted" {
		t.Errorf("the proxy is %+v", c)
	}
	for key, want := range map[string][2]string{
		"sasl.password": {"[hidden]", "asked"}, "my.own": {"[hidden]", "-X"}, "schema.registry.url": {"https://[hidden]@r/x", "-X"},
		"sharetop.socks5": {"p:1080", "--socks5"}, "sharetop.socks5.password": {"[hidden]", "--socks5"}, "sharetop.socks5.user": {"me", "--socks5"},
		"ssl.truststore.location": {"the system's authorities", "default"}, "sharetop.read.only": {"false", "default"},
	} {
		if got := setting(r, key); got.Value != want[0] || got.Source != want[1] {
			t.Errorf("%s: %+v, want %q", key, got, want)
		}
	}
	all := strings.Join(r.Warnings, "\n")
	for _, key := range []string{"sharetop.socks5.password", "ssl.key.password"} {
		if !strings.Contains(all, key+" is on the command line") {
			t.Errorf("no warning about %s: %q", key, r.Warnings)
		}
	}
	// What is refused is still listed, hidden.
	refused, err := Resolve(b.env, model.ConnectRequest{Overrides: []string{"bootstrap.servers=a:1", "sasl.passwrod=pl4nted"}})
	if err == nil || setting(refused, "sasl.passwrod").Value != "[hidden]" {
		t.Errorf("%v, %+v", err, refused.Settings)
	}
	b.fails("a class that is no login module", model.ConnectRequest{Overrides: []string{
		"bootstrap.servers=a:1", "security.protocol=SASL_SSL", "sasl.mechanism=PLAIN", "sasl.jaas.config=pl4nted required;",
	}})
}

// A key that is encrypted is asked for when its password is missing.
func TestAsksForKeyPasswords(t *testing.T) {
	b := newBox(t)
	id := newIdentity(t, "me")
	key, chain := b.file("key.pem", id.encryptedPEM(t)), b.file("cert.pem", id.certPEM())
	req := model.ConnectRequest{Overrides: []string{
		"bootstrap.servers=a:1", "security.protocol=SSL", "ssl.key.location=" + key, "ssl.certificate.location=" + chain,
	}}
	b.fails("its private key is encrypted: set ssl.key.password (nobody can be asked for it)", req)
	var asked string
	req.Ask = func(prompt string) (model.Secret, error) { asked = prompt; return secret(keyPassword), nil }
	if c := b.resolve(req).Connection; c.TLS.Keys.Len() != 1 || !strings.HasPrefix(asked, "password of the private key in ") {
		t.Errorf("asked for %q, %+v", asked, c.TLS)
	}
}

// Files that hold a secret and can be read by others are named, also those that
// a config provider takes it from, and keys that have no password.
func TestReadableFiles(t *testing.T) {
	b := newBox(t)
	id := newIdentity(t, "me")
	key, chain := b.file("key.pem", id.keyPEM(t)), b.file("cert.pem", id.certPEM())
	secrets := b.file("secrets.properties", "p=pl4nted\n")
	text := "bootstrap.servers=a:1\nsecurity.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.username=u\nsasl.password=${file:" + secrets + ":p}\n" +
		"config.providers=file\nconfig.providers.file.class=" + providerFile + "\nssl.key.location=" + key + "\nssl.certificate.location=" + chain + "\n"
	file := b.file("client.properties", text)
	for _, path := range []string{file, key, secrets} {
		must(t, os.Chmod(path, 0o644))
	}
	all := strings.Join(b.resolve(model.ConnectRequest{CommandConfig: file}).Warnings, "\n")
	if !strings.Contains(all, key+" holds secrets") || !strings.Contains(all, secrets+" holds secrets") || strings.Contains(all, file+" holds") ||
		strings.Contains(all, "cert.pem") {
		t.Errorf("%s", all)
	}
}
