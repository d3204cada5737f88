package profile

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sharetop/model"
)

// otherFiles are the files of other tools, one cluster each with a login by
// SCRAM over TLS where the tool can say so.
func otherFiles() map[string]string {
	return map[string]string{
		".config/kcat.conf": "# librdkafka\nmetadata.broker.list=kcat:1,kcat:2\nsecurity.protocol=sasl_ssl\nsasl.mechanisms=SCRAM-SHA-256\n" +
			"sasl.username=u\nsasl.password=pl4nted=x\nssl.ca.location=ca.pem\nqueued.max.messages.kbytes=1\nnonsense\n",
		".kaf/config": "current-cluster: prod\nclusters:\n- name: prod\n  brokers: [kaf:1]\n  SASL: {mechanism: SCRAM-SHA-256, username: u, password: pl4nted=x}\n" +
			"  TLS: {cafile: ca.pem, insecure: true}\n  security-protocol: SASL_SSL\n- name: dev\n  brokers: [dev:1]\n",
		".config/kafkactl/config.yml": "contexts:\n  prod:\n    brokers: [kafkactl:1]\n    tls: {enabled: true, ca: ca.pem}\n" +
			"    sasl: {enabled: true, mechanism: scram-sha256, username: u, password: pl4nted=x}\n    kubernetes: {enabled: true}\n",
		".config/rpk/rpk.yaml": "version: 1\nprofiles:\n- name: prod\n  kafka_api:\n    brokers: [rpk:1]\n    tls: {ca_file: ca.pem}\n" +
			"    sasl: {user: u, password: pl4nted=x, mechanism: SCRAM-SHA-256}\n",
		".config/kcl/config.toml": "seed_brokers=['kcl:1']\n[tls]\nca_cert_path='ca.pem'\nserver_name='x'\n[sasl]\nmethod='scram_sha_256'\nuser='u'\npass='pl4nted=x'\n" +
			"[profiles.dev]\nseed_brokers=['dev:1']\n",
	}
}

func boxWithTools(t *testing.T) *box {
	b := newBox(t)
	for name, text := range otherFiles() {
		b.file(name, strings.ReplaceAll(text, "ca.pem", filepath.Join(b.env.Home, "ca.pem")))
	}
	b.file("ca.pem", newIdentity(t, "ca").certPEM())
	return b
}

func TestOtherTools(t *testing.T) {
	b := boxWithTools(t)
	var names []string
	for _, p := range FindProfiles(b.env) {
		names = append(names, p.Name)
	}
	want := []string{"kcat", "kaf:prod", "kaf:dev", "kafkactl:prod", "rpk:prod", "kcl", "kcl:dev"}
	if !slices.Equal(names, want) {
		t.Fatalf("found %q, want %q", names, want)
	}
	notes := map[string]string{"kcat": "line 9 is not key=value", "kaf:prod": "turns off the check", "kafkactl:prod": "kubectl", "kcl": "server_name"}
	for name, broker := range map[string]string{"kcat": "kcat:1", "kaf:prod": "kaf:1", "kafkactl:prod": "kafkactl:1", "rpk:prod": "rpk:1", "kcl": "kcl:1"} {
		r := b.resolve(model.ConnectRequest{Context: name})
		c := r.Connection
		if c.Bootstrap[0] != broker || c.Security != model.SASLSSL || c.SASL.Mechanism != model.MechanismScramSHA256 ||
			c.SASL.User != "u" || c.SASL.Password.Reveal() != "pl4nted=x" || c.TLS.Roots == nil || c.TLS.SkipHostName {
			t.Errorf("%s: %+v", name, c)
		}
		if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, notes[name]) || strings.Contains(all, "pl4nted") {
			t.Errorf("%s: the notes are %q", name, all)
		}
	}
	for _, name := range []string{"kaf:dev", "kcl:dev"} {
		if c := b.resolve(model.ConnectRequest{Context: name}).Connection; c.Security != model.Plaintext || c.Bootstrap[0] != "dev:1" {
			t.Errorf("%s: %+v", name, c)
		}
	}
	b.fails("found on this machine for --context: kcat, kaf:prod", model.ConnectRequest{})
	b.fails("there is no profile nope: there are kcat, kaf:prod", model.ConnectRequest{Context: "nope"})
}

// A file that can't be read says so, without what stands in it, and does not
// stop the others. No file is written.
func TestBrokenFiles(t *testing.T) {
	for name := range otherFiles() {
		if strings.HasSuffix(name, "kcat.conf") {
			continue // any text is properties
		}
		b := boxWithTools(t)
		b.file(name, "password: pl4nted\n\t- x: [pl4nted\n= pl4nted")
		before := texts(t, b.env.Home)
		good, bad := 0, 0
		for _, p := range FindProfiles(b.env) {
			if p.Problem == "" {
				good++
				continue
			}
			bad++
			if !strings.Contains(p.Problem, filepath.FromSlash(name)) || strings.Contains(p.Problem, "pl4nted") {
				t.Errorf("%s: %q", name, p.Problem)
			}
		}
		if good < 4 || bad != 1 {
			t.Errorf("%s: %d good and %d bad profiles", name, good, bad)
		}
		if !maps.Equal(before, texts(t, b.env.Home)) {
			t.Errorf("%s: a file was changed", name)
		}
	}
}

func texts(t *testing.T, dir string) map[string]string {
	out := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			out[path] = string(read(t, path))
		}
		return err
	}))
	return out
}

func TestConfigTomlProfiles(t *testing.T) {
	b := newBox(t)
	b.file(".config/sharetop/config.toml", "min_lag=3\ndefault_profile='a'\n[profiles.a]\nbootstrap_servers='a:1'\n"+
		"[profiles.b]\nnonsense=1\n[profiles.c]\nresolve=[1]\n[profiles]\nd=1\n")
	if c := b.resolve(model.ConnectRequest{}).Connection; c.Bootstrap[0] != "a:1" || c.ReadOnly {
		t.Errorf("the default profile: %+v", c)
	}
	b.fails("nonsense is not a setting of a profile", model.ConnectRequest{Context: "b"})
	b.fails("must be a text", model.ConnectRequest{Context: "c"})
	rules, err := LoadRules(ConfigPath(b.env.Getenv))
	if err != nil || rules.MinLag != 3 {
		t.Errorf("the rules beside profiles: %+v %v", rules, err)
	}
}
