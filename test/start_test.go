//go:build unix

package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startsScreen starts the real program as a person would, waits until the
// screen shows a group, and leaves it. Nothing that reached the terminal has a
// planted secret in it.
func startsScreen(t *testing.T, home, group string, args ...string) {
	t.Helper()
	_, err := program() // it is built at the first call
	must(t, err)
	began := time.Now()
	s := startTerminalAt(t, home, 100, 30, nil, args...)
	s.shows(group)
	took := time.Since(began)
	s.shows("seen")
	s.press("q")
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d after q, want 0", code)
	}
	s.restored()
	s.expectNoSecret()
	t.Logf("the group was on screen after %s", took.Round(time.Millisecond))
}

// failsOnScreen starts the program and waits until the screen says why there is
// no connection and what to do. It can be used and left as ever.
func failsOnScreen(t *testing.T, why, advice string, args ...string) {
	t.Helper()
	_, err := program()
	must(t, err)
	began := time.Now()
	s := startTerminal(t, 100, 30, args...)
	s.until(why+" → "+advice, func(screen string) bool { return saysWrapped(screen, why) && saysWrapped(screen, advice) })
	took := time.Since(began)
	s.press("?")
	s.shows("Help, sharetop")
	s.press("\x1b")
	s.until("no help any more", func(screen string) bool { return !strings.Contains(screen, "Help, sharetop") })
	s.press("q")
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d after q, want 0", code)
	}
	s.restored()
	s.expectNoSecret()
	t.Logf("the cause was on screen after %s", took.Round(time.Millisecond))
}

// saysWrapped tells whether a screen has a text, over however many lines.
func saysWrapped(screen, text string) bool {
	return strings.Contains(strings.Join(strings.Fields(screen), " "), text)
}

// expectNoSecret greps all that was ever written to the terminal.
func (s *terminal) expectNoSecret() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	expectNoSecretIn(s.t, "the terminal's output", s.output.String(), s.screen.String())
}

// expectNoSecretIn fails when a text has a planted secret. All passwords have
// the same beginning, and so have all tokens.
func expectNoSecretIn(t *testing.T, where string, texts ...string) {
	t.Helper()
	const passwords, tokens = "pl4nted", "eyJhbGciOiJub25lIn0"
	for _, text := range texts {
		if strings.Contains(text, passwords) || strings.Contains(text, tokens) {
			t.Errorf("a secret is shown in %s: %q", where, text)
		}
	}
}

// propertiesFile writes a client.properties.
func propertiesFile(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "client.properties")
	must(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return file
}
