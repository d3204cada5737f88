package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sharetop/model"
)

func writeFile(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

const loginFile = "bootstrap.servers=a:1\nsecurity.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nfetch.min.bytes=1\n" +
	"sasl.jaas.config=a.PlainLoginModule required username=\"u\" password=\"pl4nted\";\n"

func TestSettingsArePrinted(t *testing.T) {
	w := newWorld()
	file := writeFile(t, "client.properties", loginFile, 0o644)
	code := w.main(t, "settings", "--command-config", file, "-X", "sasl.mechanism=SCRAM-SHA-256",
		"-X", "sasl.jaas.config=a.ScramLoginModule required username=\"u\" password=\"pl4nted\";", "--read-only")
	if code != ExitOK {
		t.Fatalf("exit %d, %s", code, w.stderr.String())
	}
	printed := oneBlank(w.stdout.String())
	for _, want := range []string{
		"bootstrap.servers a:1 " + file + ":1\n", "sasl.jaas.config [hidden] -X\n", "sasl.mechanism SCRAM-SHA-256 -X\n",
		"fetch.min.bytes 1 " + file + ":4 ignored by sharetop\n", "sharetop.read.only true --read-only\n",
		"ssl.truststore.location the system's authorities default\n",
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("%q is not in\n%s", want, printed)
		}
	}
	for _, want := range []string{"can be read by others", "sasl.jaas.config is on the command line"} {
		if !strings.Contains(w.stderr.String(), want) {
			t.Errorf("no warning that it %s: %s", want, w.stderr.String())
		}
	}
	if strings.Contains(w.stdout.String()+w.stderr.String(), "pl4nted") {
		t.Error("a secret is shown")
	}
	// What is wrong is said after what there is.
	w = newWorld()
	code = w.main(t, "settings", "-X", "bootstrap.servers=a:1", "-X", "security.protocol=TLS")
	if code != ExitFailure || !strings.Contains(w.stdout.String(), "security.protocol") || !strings.Contains(w.stderr.String(), "TLS is not supported") {
		t.Errorf("exit %d, %q, %q", code, w.stdout.String(), w.stderr.String())
	}
}

// oneBlank leaves one blank between columns.
func oneBlank(table string) string { return regexp.MustCompile(` +`).ReplaceAllString(table, " ") }

func TestConnectFlags(t *testing.T) {
	w := newWorld()
	file := writeFile(t, "client.properties", loginFile, 0o600)
	code := w.main(t, "--command-config", file, "--ssh-jump", "me@b1,b2:22", "--socks5", "p:1080", "--resolve", "x:1=y:2", "--bootstrap-server", "c:3")
	if code != ExitOK {
		t.Fatalf("exit %d, %s", code, w.stderr.String())
	}
	c := w.opened[0]
	if strings.Join(c.Route.Jumps, " ") != "me@b1 b2:22" || c.Route.SOCKS5 != "p:1080" || c.Route.Resolve["x:1"] != "y:2" ||
		c.Bootstrap[0] != "c:3" || c.SASL.User != "u" || c.SASL.Password.Reveal() != "pl4nted" || c.DialTimeout != model.DefaultDialTimeout {
		t.Errorf("%+v", c)
	}
	if w.stderr.Len() > 0 {
		t.Errorf("warnings: %s", w.stderr.String())
	}
}

// --once never asks; the screen does.
func TestWhoIsAsked(t *testing.T) {
	file := writeFile(t, "client.properties", "bootstrap.servers=a:1\nsecurity.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.username=u\n", 0o600)
	w := newWorld()
	w.env.Ask = func(string) (model.Secret, error) { return model.NewSecret("pl4nted"), nil }
	if code := w.main(t, "--command-config", file); code != ExitOK || w.opened[0].SASL.Password.Reveal() != "pl4nted" {
		t.Errorf("exit %d, %s", code, w.stderr.String())
	}
	if code := w.main(t, "--command-config", file, "--once"); code != ExitFailure || !strings.Contains(w.stderr.String(), "nobody can be asked") {
		t.Errorf("--once: exit %d, %s", code, w.stderr.String())
	}
}

// Without a cluster a person at a terminal chooses one of those that were found;
// what flags say goes along. A script gets a sentence.
func TestChoosesOnTheScreen(t *testing.T) {
	w := newWorld()
	w.vars["XDG_CONFIG_HOME"] = t.TempDir()
	file := filepath.Join(w.vars["XDG_CONFIG_HOME"], "sharetop", "config.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("[profiles.prod]\nbootstrap_servers='a:1'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.env.StdoutIsTerminal = true
	if code := w.main(t, "--read-only", "--offsets-from", "requests"); code != ExitOK || w.screen == nil || w.screen.Source != nil || len(w.opened) > 0 {
		t.Fatalf("exit %d, %s, %+v", code, w.stderr.String(), w.screen)
	}
	if o := w.screen; o.Connection.OffsetsFrom != model.OffsetsByRequests || len(o.Request.Flags) != 1 || o.Request.Context != "" {
		t.Errorf("%+v", o)
	}
	for _, args := range [][]string{{"--once"}, {"list"}} {
		w.stderr.Reset()
		if code := w.main(t, args...); code != ExitFailure || !strings.Contains(w.stderr.String(), "found on this machine for --context: prod") {
			t.Errorf("%q: exit %d, %s", args, code, w.stderr.String())
		}
	}
	w.env.StdoutIsTerminal = false
	if code := w.main(t); code != ExitFailure {
		t.Errorf("into a pipe: exit %d", code)
	}
	if code := w.main(t, "--context", "prod"); code != ExitOK || w.screen.Source == nil || len(w.screen.Settings) == 0 {
		t.Errorf("by its name: exit %d, %+v", code, w.screen)
	}
}
