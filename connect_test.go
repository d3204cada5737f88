//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A missing password is asked for before the screen, without echo. Nothing that
// reaches the terminal afterwards has it, though the broker refuses.
func TestPasswordIsAskedFor(t *testing.T) {
	file := filepath.Join(t.TempDir(), "client.properties")
	text := "bootstrap.servers=127.0.0.1:1\nsecurity.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.username=u\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newChild(t, childProgram, 100, 24, "--command-config", file)
	c.start()
	c.waitFor("password of u: ")
	c.press("pl4ntex\x7fd\r")
	c.waitFor("\x1b[?1049h")
	c.waitFor("refuses connections")
	c.press("q")
	if code := c.exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if output := c.expectRestored(); strings.Contains(output, "pl4nted") {
		t.Errorf("the password is shown: %q", output)
	}
}

// Interrupted while it asks, it ends with the terminal as before.
func TestInterruptedWhileAsking(t *testing.T) {
	c := newChild(t, childProgram, 100, 24, "-X", "bootstrap.servers=127.0.0.1:1", "-X", "security.protocol=SASL_SSL",
		"-X", "sasl.mechanism=PLAIN", "-X", "sasl.username=u")
	c.start()
	c.waitFor("password of u: ")
	c.signal(syscall.SIGTERM)
	if code := c.exit(); code == 0 {
		t.Error("it ended well")
	}
	if !c.isCooked() {
		t.Error("the terminal was left without echo")
	}
}

func TestReadHidden(t *testing.T) {
	for typed, want := range map[string]string{
		"secret\rnext": "secret", "ab\x7f\x7f\x7fc\n": "c", "ä\x7fö\r": "ö", "wrong\x15right\r": "right", "\r": "",
	} {
		if got, err := readHidden(strings.NewReader(typed)); err != nil || got.Reveal() != want {
			t.Errorf("%q: %q %v", typed, got.Reveal(), err)
		}
	}
	for _, typed := range []string{"a\x03", "\x04", "a", strings.Repeat("a", maxSecret+2)} {
		if got, err := readHidden(strings.NewReader(typed)); err == nil {
			t.Errorf("%q was taken as %q", typed, got.Reveal())
		}
	}
}
