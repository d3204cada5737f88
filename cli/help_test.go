package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/exp/golden"
)

// page is what help says of a command; none is the program itself.
func page(t *testing.T, args ...string) string {
	t.Helper()
	w := newWorld()
	w.env.Rules, w.env.Open, w.env.Connect = nil, nil, nil // none is needed
	if code := w.main(t, args...); code != ExitOK || w.stderr.Len() > 0 {
		t.Errorf("%q: exit %d, %s", args, code, w.stderr.String())
	}
	return w.stdout.String()
}

// TestHelpGolden holds the page of the program and of every command. The options
// of all of them stand in that of the program, and are left out elsewhere.
// `go test ./cli -update` writes the files anew.
func TestHelpGolden(t *testing.T) {
	commands := newRoot(newWorld().env, false).Commands()
	if len(commands) < 10 {
		t.Fatalf("there are only %d commands", len(commands))
	}
	t.Run("sharetop", func(t *testing.T) { golden.RequireEqual(t, page(t, "--help")) })
	for _, cmd := range commands {
		if cmd.Name() == "help" {
			continue
		}
		t.Run(cmd.Name(), func(t *testing.T) {
			whole := page(t, "help", cmd.Name())
			if same := page(t, cmd.Name(), "--help"); same != whole {
				t.Errorf("with --help it is\n%s", same)
			}
			for line := range strings.Lines(whole) {
				if utf8.RuneCountInString(line) > helpWidth+5 {
					t.Errorf("the line is too long: %s", line)
				}
			}
			for _, title := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS"} {
				if !strings.Contains("\n"+whole, "\n"+title+"\n") {
					t.Errorf("it has no %s", title)
				}
			}
			before, rest, found := strings.Cut(whole, sharedOptions+"\n")
			_, after, _ := strings.Cut(rest, "\n\n")
			if !found || !strings.Contains(rest, "--bootstrap-server") {
				t.Error("the shared options are not there")
			}
			golden.RequireEqual(t, before+after)
		})
	}
}

// A command that has a default of its own says that one.
func TestHelpTellsOwnDefaults(t *testing.T) {
	for args, want := range map[string]string{
		"archived": `(default "jsonl")`, "radar": `(default "table")`, "wait": "(default 5m)", "peek": "(default 10s)",
	} {
		if text := strings.Join(strings.Fields(page(t, "help", args)), " "); !strings.Contains(text, want) {
			t.Errorf("%s does not say %s", args, want)
		}
	}
}

// Each example of a page names the command that the page is about.
func TestHelpExamples(t *testing.T) {
	for _, cmd := range newRoot(newWorld().env, false).Commands() {
		if cmd.Name() == "help" {
			continue
		}
		for line := range strings.Lines(cmd.Example) {
			if !strings.Contains(line, "sharetop "+cmd.Name()) {
				t.Errorf("an example of %s is %q", cmd.Name(), line)
			}
		}
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "ab", 2},
		{"list", "list", 0},
		{"lst", "list", 1},
		{"memebrs", "members", 2},
		{"peek", "wait", 4},
		{strings.Repeat("x", 65), "x", 64},
	}
	for _, tt := range tests {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("from %q to %q are %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
