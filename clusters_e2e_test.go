//go:build unix

package main

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

// home is a home directory of its own for one run of the program.
type home struct {
	t   *testing.T
	dir string
}

func newHome(t *testing.T) home { return home{t, t.TempDir()} }

func (h home) file(name, text string) string {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return path
}

// env is a world in which nothing but that directory is found.
func (h home) env(more ...string) []string {
	return append([]string{
		"HOME=" + h.dir, "XDG_CONFIG_HOME=" + filepath.Join(h.dir, ".config"), "XDG_STATE_HOME=" + filepath.Join(h.dir, ".state"),
		"TERM=xterm-256color", "LANG=C.UTF-8", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(),
		childEnv + "=" + childProgram, "GORACE=exitcode=0",
	}, more...)
}

// A person who gives no cluster chooses one, goes to another, to one that can't
// be reached, and back; nothing of a cluster stays open once it is left.
func TestProgramChangesCluster(t *testing.T) {
	t.Parallel()
	alpha, beta := countedCluster(t), countedCluster(t)
	h := newHome(t)
	h.file(".config/sharetop/config.toml", fmt.Sprintf("[profiles.alpha]\nbootstrap_servers=%q\ncolor='red'\n[profiles.beta]\nbootstrap_servers=%q\nread_only=true\n"+
		"[profiles.gone]\nbootstrap_servers='127.0.0.1:1'\n", strings.Join(alpha.ListenAddrs(), ","), strings.Join(beta.ListenAddrs(), ",")))
	p := newProgram(t, childProgram, 110, 24)
	p.cmd.Env = h.env()
	p.start()
	p.waitScreen("what there is to choose from", contains("which cluster?", "alpha", "beta", "gone", "3 clusters in 1 file"))
	p.press("\r")
	p.waitScreen("the first cluster", contains("alpha", "There are no share groups here"))
	alpha.waitFor(t, "some", some)

	p.press(":ctx beta\r")
	p.waitScreen("the second one", contains("beta", "READ-ONLY", "There are no share groups here"))
	alpha.waitFor(t, "none", none)

	p.press(":ctx gone\r")
	p.waitScreen("why the third one can't be reached, and what to do", contains("gone", "refuses connections", ":ctx goes to another cluster"))
	beta.waitFor(t, "none", none)

	p.press(":ctx alpha\r")
	p.waitScreen("the first one again", contains("alpha", "There are no share groups here"))
	p.press(":settings\r")
	p.waitScreen("its settings", contains("bootstrap.servers", "profile alpha"))
	p.press("q")
	p.expectEnd(0)
	alpha.waitFor(t, "none", none)
}

// secretWay is one way in which a secret gets into the program.
type secretWay struct {
	name  string
	files map[string]string
	env   []string
	args  []string
	// typed is what the person types when they are asked; empty for nothing.
	typed string
}

const (
	// plantedEverywhere is in every secret of these tests.
	plantedEverywhere = "pl4nted"
	loginBy           = "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n"
	plainModule       = "org.apache.kafka.common.security.plain.PlainLoginModule"
)

// secretWays are all ways in. HOST stands for the broker, HOME for the home
// directory.
func secretWays() []secretWay {
	properties := func(text string) map[string]string {
		return map[string]string{"client.properties": "bootstrap.servers=HOST\n" + text}
	}
	file := []string{"--command-config", "HOME/client.properties"}
	return []secretWay{
		{name: "JAAS", files: properties(loginBy + "sasl.jaas.config=" + plainModule + " required username=\"u\" password=\"pl4nted-1\";\n"), args: file},
		{name: "properties", files: properties(loginBy + "sasl.username=u\nsasl.password=pl4nted-2\nssl.key.password=pl4nted-3\nssl.truststore.password=pl4nted-4\n" +
			"my.own=pl4nted-5\nbasic.auth.user.info=u:pl4nted-6\nschema.registry.url=https://u:pl4nted-7@r\n"), args: file},
		{name: "command line", args: []string{
			"--bootstrap-server", "HOST", "-X", "security.protocol=SASL_PLAINTEXT", "-X", "sasl.mechanism=SCRAM-SHA-256", "-X", "sasl.username=u",
			"-X", "sasl.password=pl4nted-8",
		}},
		{name: "proxy", args: []string{"--bootstrap-server", "HOST", "--socks5", "me:pl4nted-9@127.0.0.1:1"}},
		{
			name: "variables", env: []string{"SHARETOP_SASL_PASSWORD=pl4nted-a", "SHARETOP_SOCKS5_PASSWORD=pl4nted-b"},
			args: []string{"--bootstrap-server", "HOST", "-X", "security.protocol=SASL_PLAINTEXT", "-X", "sasl.mechanism=PLAIN", "-X", "sasl.username=u"},
		},
		{
			name: "JAAS file", files: map[string]string{
				"client.properties": "bootstrap.servers=HOST\n" + loginBy,
				"jaas.conf":         "KafkaClient { " + plainModule + " required username=\"u\" password=\"pl4nted-c\"; };",
			},
			env: []string{"KAFKA_OPTS=-Djava.security.auth.login.config=HOME/jaas.conf"}, args: file,
		},
		{name: "config providers", files: map[string]string{
			"client.properties": "bootstrap.servers=HOST\n" + loginBy + "config.providers=file\nconfig.providers.file.class=" +
				"org.apache.kafka.common.config.provider.FileConfigProvider\nsasl.username=u\nsasl.password=${file:HOME/secret:p}\n",
			"secret": "p=pl4nted-d\n",
		}, args: file},
		{name: "profile", files: map[string]string{
			".config/sharetop/config.toml": "[profiles.p]\nbootstrap_servers='HOST'\nsocks5_password='pl4nted-e'\n[profiles.p.properties]\n" +
				"'security.protocol'='SASL_PLAINTEXT'\n'sasl.mechanism'='PLAIN'\n'sasl.username'='u'\n'sasl.password'='pl4nted-f'\n" +
				"[profiles.slip]\nbootstrap_servers='HOST'\npassword='pl4nted-g'\n[profiles.slip2]\nbootstrap_servers='HOST'\n[profiles.slip2.properties]\n'sasl.passwrod'='pl4nted-h'\n",
		}, args: []string{"--context", "p"}},
		{name: "other tools", files: map[string]string{
			".kaf/config":                 "clusters:\n- name: k\n  brokers: [HOST]\n  SASL: {mechanism: PLAIN, username: u, password: pl4nted-i}\n  pl: [pl4nted-j]\n",
			".config/kcat.conf":           "bootstrap.servers=HOST\nsasl.password=pl4nted-k\npl4nted-l\n",
			".config/kafkactl/config.yml": "contexts:\n  x: [pl4nted-m\n",
			".config/rpk/rpk.yaml":        "profiles:\n- name: r\n  kafka_api: {brokers: [HOST], sasl: {user: u, password: pl4nted-n, mechanism: SCRAM-SHA-256}}\n",
			".config/kcl/config.toml":     "seed_brokers = pl4nted-o\n",
		}, args: []string{"--context", "kaf:k"}},
		{name: "asked", files: properties(loginBy + "sasl.username=u\n"), args: file, typed: "pl4nted-p"},
		{name: "not understood", files: properties(loginBy + "sasl.jaas.config=pl4nted-q required;\n"), args: file},
		{name: "mistyped", files: properties(loginBy + "sasl.pasword=pl4nted-r\n"), args: file},
	}
}

// What a person gives in secret, by whatever way, is in nothing that they, or who
// looks over their shoulder, or a file for a ticket, can show: no frame of any
// page, no clipboard, no error, no settings, no snapshot, no audit file.
func TestNoSecretIsShown(t *testing.T) {
	t.Parallel()
	fake := countedCluster(t, kfake.EnableSASL())
	for _, way := range secretWays() {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			fill := func(text string) string {
				return strings.NewReplacer("HOST", fake.ListenAddrs()[0], "HOME", h.dir).Replace(text)
			}
			for name, text := range way.files {
				h.file(name, fill(text))
			}
			var args, env []string
			for _, a := range way.args {
				args = append(args, fill(a))
			}
			for _, e := range way.env {
				env = append(env, fill(e))
			}
			given := texts(t, h.dir)
			for _, verb := range [][]string{{"settings"}, {"settings", "-o", "json"}, {"--once"}, {"list"}} {
				c := newChild(t, childProgram, 300, 50, append(verb, args...)...)
				c.cmd.Env = h.env(env...)
				c.cmd.Dir = h.dir
				c.start()
				_ = c.exit()
				expectNoSecret(t, strings.Join(verb, " "), c.written())
			}
			p := newProgram(t, childProgram, 160, 40, args...)
			p.cmd.Env, p.cmd.Dir = h.env(env...), h.dir
			p.start()
			walk(p, way)
			expectNoSecret(t, "the terminal", p.written())
			for name, text := range texts(t, h.dir) {
				if _, was := given[name]; !was {
					expectNoSecret(t, name, text)
				}
			}
		})
	}
}

// walk looks at every page that could show a setting or an error, and copies
// what can be copied there.
func walk(p *program, way secretWay) {
	p.t.Helper()
	if way.typed != "" {
		p.waitFor("password of u: ")
		p.press(way.typed + "\r")
	}
	if way.name == "not understood" || way.name == "mistyped" {
		_ = p.exit() // it says why, and ends
		return
	}
	p.waitScreen("that there is no connection", contains("next:"))
	p.press(":settings\r")
	p.waitScreen("the settings", contains("secrets are not shown"))
	p.press("y")
	p.waitScreen("that it was copied", contains("Sent to the clipboard"))
	p.press("Y")
	p.waitScreen("the copy menu", contains("all settings"))
	p.press("j\r")
	p.press("!")
	p.waitScreen("the problems", contains("What could not be seen"))
	p.press("y")
	p.press(":ctx\r")
	p.waitScreen("the clusters", contains("FOUND IN"))
	p.press("jjjj")
	p.press(":snap\r")
	p.waitScreen("that it was written", contains("Written:"))
	p.press("q")
	p.expectEnd(0)
}

// expectNoSecret looks for the plants as they are and as a clipboard has them.
func expectNoSecret(t *testing.T, where, text string) {
	t.Helper()
	forms := []string{plantedEverywhere}
	for i := range 3 { // whatever stands before it in base64
		encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", i) + plantedEverywhere))
		forms = append(forms, encoded[4:len(encoded)-4])
	}
	for _, form := range forms {
		if at := strings.Index(text, form); at >= 0 {
			t.Errorf("%s shows a secret: …%q", where, text[max(0, at-200):min(len(text), at+40)])
		}
	}
}

func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			text, readErr := os.ReadFile(path)
			out[path], err = string(text), readErr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
