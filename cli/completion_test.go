package cli

import (
	"os/exec"
	"strings"
	"testing"

	"sharetop/model"
)

// Shells ask for what can come next with the hidden command __complete.
func TestCompletion(t *testing.T) {
	tests := []struct {
		line       []string
		has, lacks string
	}{
		{[]string{"describe", ""}, "a-packers\tStable\n", "\x1b"}, // nor the group with a hostile name
		{[]string{"describe", "c"}, "c-audit\tEmpty\n", "a-packers"},
		{[]string{"list", "--group", ""}, "", "a-packers"}, // list has no such flag
		{[]string{"--group", "a"}, "a-packers\tStable\n", "c-audit"},
		{[]string{"consume", "--ack", ""}, "release\naccept\nreject\n", "a-packers"},
		{[]string{"list", "-o", "js"}, "json\n", "a-packers"},
		{[]string{"des"}, "describe\t", "list"},
	}
	for _, tt := range tests {
		w := newWorld()
		w.vars[envBootstrap] = "a:1"
		w.source.snapshots = []*model.Snapshot{shop()}
		w.main(t, append([]string{"__complete"}, tt.line...)...)
		if out := w.stdout.String(); !strings.Contains(out, tt.has) || strings.Contains(out, tt.lacks) {
			t.Errorf("%q: %q has not %q, or has %q", tt.line, out, tt.has, tt.lacks)
		}
	}
}

// A cluster that can't be reached is no completion, and no message either: a
// shell would print it into the line that is being typed.
func TestCompletionWithoutACluster(t *testing.T) {
	w := newWorld()
	w.vars[envBootstrap] = "a:1"
	w.source.snapshots = []*model.Snapshot{{Problems: []model.Problem{
		problemOf(model.ProblemUnreachable, "cluster", "No broker of a:1 can be asked: it refused.", ""),
	}}}
	w.main(t, "__complete", "describe", "")
	if out := w.stdout.String(); !strings.HasPrefix(out, ":") || strings.Contains(w.stderr.String(), "refused") {
		t.Errorf("%q, %q", out, w.stderr.String())
	}
}

// TestCompletionScripts lets each shell that is there read its script.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		w := newWorld()
		if code := w.main(t, "completion", shell); code != ExitOK || !strings.Contains(w.stdout.String(), "__complete") {
			t.Errorf("%s: exit %d, %s", shell, code, w.stdout.String())
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not here to read its script", shell)
			continue
		}
		cmd := exec.CommandContext(t.Context(), path, "-n")
		cmd.Stdin = &w.stdout
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s can't read its script: %v\n%s", shell, err, out)
		}
	}
	w := newWorld()
	if code := w.main(t, "completion", "tcsh"); code != ExitFailure || !strings.Contains(w.stderr.String(), `completion knows bash, zsh, fish, not "tcsh"`) {
		t.Errorf("tcsh: exit %d, %s", code, w.stderr.String())
	}
}
