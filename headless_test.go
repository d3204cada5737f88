//go:build unix

package main

import (
	"strings"
	"testing"

	"sharetop/cli"
)

// TestHeadlessLeavesTheTerminalAlone runs on a terminal what is no screen: no
// mode of it may change, and no byte may be an escape. A query would end up in
// the shell as typed text once the program is gone.
func TestHeadlessLeavesTheTerminalAlone(t *testing.T) {
	tests := []struct {
		args string
		code int
		says string
	}{
		{"--version", cli.ExitOK, "sharetop "},
		{"--help", cli.ExitOK, "--bootstrap-server"},
		{"--no-such-flag", cli.ExitFailure, "unknown flag: --no-such-flag"},
		{"--once --bootstrap-server 127.0.0.1:1", cli.ExitUnreachable, "refuses connections"},
		{"--demo --once", cli.ExitOK, `\e[31mred\e[0m`},
		{"--demo --once -o csv", cli.ExitOK, `\e[31mred\e[0m`},
		{"--demo --once -o json", cli.ExitOK, `\u001b[31mred\u001b[0m`},
		{"--demo --once --group nope", cli.ExitFailure, "there is no share group nope"},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			c := newChild(t, childProgram, 80, 24, strings.Fields(tt.args)...)
			c.start()
			code, out := c.exit(), c.written()
			if code != tt.code || !strings.Contains(out, tt.says) {
				t.Errorf("exit %d, want %d, and %q in %q", code, tt.code, tt.says, out)
			}
			if strings.ContainsAny(out, "\x1b\u009b") {
				t.Errorf("escape bytes were written: %q", out)
			}
			if !c.isCooked() {
				t.Error("the terminal's modes were changed")
			}
		})
	}
}
