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
	c.press("pl4nted\r")
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
