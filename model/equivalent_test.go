package model

import (
	"os/exec"
	"strings"
	"testing"
)

func TestShellQuote(t *testing.T) {
	tests := []struct{ in, want string }{
		{"orders-retry_1.x", "orders-retry_1.x"},
		{"host:9092,other:9092", "host:9092,other:9092"},
		{"", "''"},
		{"night shift", "'night shift'"},
		{"it's", `'it'\''s'`},
		{"$(reboot)", "'$(reboot)'"},
		{"a=b", "'a=b'"},
		{"~root", "'~root'"},
		{"処理", "'処理'"},
		{"a\nb", `$'a\012b'`},
		{"\x1b[31m'\\1", `$'\033[31m\'\\1'`},
		{"a\u202eb", `$'a\342\200\256b'`},
		{"\xff1", `$'\3771'`},
	}
	for _, tt := range tests {
		if got, err := ShellQuote(tt.in); got != tt.want || err != nil {
			t.Errorf("ShellQuote(%q) = %q, %v, want %q", tt.in, got, err, tt.want)
		}
	}
	if got, err := ShellQuote("a\x00b"); err == nil {
		t.Errorf("a NUL byte gives %q and no error", got)
	}
}

// TestShellQuoteInShells has real shells read the words back.
func TestShellQuoteInShells(t *testing.T) {
	for _, shell := range []string{"bash", "sh"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not here: not tried", shell)
			continue
		}
		for _, odd := range oddStrings(t) {
			word, err := ShellQuote(odd.Raw)
			if err != nil {
				continue // has a NUL byte
			}
			if shell == "sh" && strings.HasPrefix(word, "$'") {
				continue // older POSIX shells do not know this form
			}
			if Sanitize(word) != word {
				t.Errorf("%s: the word %q is not safe to show", odd.ID, word)
			}
			out, err := exec.CommandContext(t.Context(), path, "-c", "printf %s "+word).Output()
			if err != nil || string(out) != odd.Raw {
				t.Errorf("%s: %s reads %q as %q (%v), want %q", odd.ID, shell, word, out, err, odd.Raw)
			}
		}
	}
}

func TestEquivalent(t *testing.T) {
	servers := []string{"a:9092", "b:9092"}
	type command func([]string, GroupID) (string, error)
	tests := []struct {
		name    string
		command command
		id      string
		want    string
	}{
		{"offsets", EquivalentOffsets, "orders", "kafka-share-groups.sh --bootstrap-server a:9092,b:9092 --describe --group orders --offsets --verbose"},
		{"members", EquivalentMembers, "night shift", "kafka-share-groups.sh --bootstrap-server a:9092,b:9092 --describe --group 'night shift' --members --verbose"},
		{"state", EquivalentState, "-rf", "kafka-share-groups.sh --bootstrap-server a:9092,b:9092 --describe '--group=-rf' --state --verbose"},
		{"configs", EquivalentConfigs, "it's", `kafka-configs.sh --bootstrap-server a:9092,b:9092 --describe --entity-type groups --entity-name 'it'\''s'`},
	}
	for _, tt := range tests {
		if got, err := tt.command(servers, NewGroupID(tt.id)); got != tt.want || err != nil {
			t.Errorf("%s: %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
	if got, err := EquivalentList(servers); got != "kafka-share-groups.sh --bootstrap-server a:9092,b:9092 --list --state" || err != nil {
		t.Errorf("list: %s, %v", got, err)
	}
	if _, err := EquivalentOffsets(servers, NewGroupID("a\x00")); err == nil {
		t.Error("an id with a NUL byte gives a command")
	}
}
