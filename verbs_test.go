//go:build unix

package main

import (
	"bytes"
	"net"
	"os"
	"strings"
	"testing"

	"sharetop/cli"
	"sharetop/demo"
)

// TestExitCodesOnKfake runs the commands on the demo's cluster (kfake), each for
// one exit code.
func TestExitCodesOnKfake(t *testing.T) {
	cluster, err := demo.Start(demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody.Close()
	t.Setenv("HOME", t.TempDir()) // undo files, and no settings
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("XDG_STATE_HOME", "")
	audit := t.TempDir() + "/audit.jsonl"
	tests := []struct {
		args string
		code int
		says string
	}{
		{"list", cli.ExitOK, "payments-retry"},
		{"list --lag", cli.ExitOK, "nobody is reading"},
		{"describe --all-groups --members", cli.ExitOK, "packer-1"},
		{"describe payments-retry --config", cli.ExitOK, "share.record.lock.duration.ms"},
		{"config payments-retry -o wide", cli.ExitOK, "share.record.lock.duration.ms"},
		{"peek payments-retry -n 1", cli.ExitOK, "refunds"},
		{"consume payments-retry -n 1 --execute --timeout 60s", cli.ExitOK, "release: done"},
		{"reset-offsets nightly-audit --topic audit:0 --shift-by -20 --execute", cli.ExitOK, "undo file"},
		{"config nightly-audit share.record.lock.duration.ms=20000 --execute", cli.ExitOK, "done"},
		{"describe none", cli.ExitFailure, "there is no share group none"},
		{"config none", cli.ExitFailure, "there is no share group none"},
		{"peek none", cli.ExitFailure, "there is no share group none that this user may describe, so it was taken for a topic"},
		{"peek audit:0@999999", cli.ExitOK, "999999 is not in the log"},
		{"reset-offsets nightly-audit --topic none --to-latest", cli.ExitFailure, "the topic does not exist"},
		{"reset-offsets nightly-audit --topic audit:0,99 --to-latest", cli.ExitPartial, "no such partition"},
		{"reset-offsets none --all-topics --to-latest", cli.ExitFailure, "there is no share group none"},
		{"delete none --execute", cli.ExitFailure, "failed"},
		{"reset-offsets nightly-audit --from-file /none --execute", cli.ExitFailure, "no such file"},
		{"list --bootstrap-server " + nobody.Addr().String(), cli.ExitUnreachable, "no broker"},
		{"wait payments-retry --empty --bootstrap-server " + nobody.Addr().String(), cli.ExitUnreachable, "no broker"},
		{"reset-offsets nightly-audit --all-topics --to-latest --bootstrap-server " + nobody.Addr().String(), cli.ExitUnreachable, "no broker"},
		{"config nightly-audit a.b=1 --bootstrap-server " + nobody.Addr().String(), cli.ExitUnreachable, "no broker"},
		{"delete-offsets nightly-audit --topic audit --execute --bootstrap-server " + nobody.Addr().String(), cli.ExitUnreachable, "no broker"},
		{"describe payments-retry none", cli.ExitFailure, "refunds"},
		{"delete nightly-audit payments-retry", cli.ExitPartial, "1 of 2 were not changed"},
		{"wait payments-retry --empty --timeout 300", cli.ExitTimeout, "its members are"},
		{"reset-offsets payments-retry --all-topics --to-latest --execute --wait-empty 300ms", cli.ExitTimeout, "still has members"},
		{"reset-offsets payments-retry --all-topics --to-latest --execute", cli.ExitRefused, "refused"},
		{"delete payments-retry --execute", cli.ExitRefused, "it has members"},
		{"delete nightly-audit --execute --read-only", cli.ExitRefused, "read-only"},
		{"consume payments-retry --execute --read-only", cli.ExitRefused, "read-only"},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			env := environment(t.Context(), &panicked{end: func() {}}, &pagers{})
			var out bytes.Buffer
			env.Stdout, env.Stderr, env.StdoutIsTerminal = &out, &out, false
			args := strings.Fields(tt.args)
			if !strings.Contains(tt.args, "--bootstrap-server") {
				args = append(args, "--bootstrap-server", strings.Join(cluster.Addrs(), ","))
			}
			code := cli.Main(t.Context(), append(args, "--audit-file", audit), env)
			if code != tt.code || !strings.Contains(out.String(), tt.says) {
				t.Errorf("exit code %d, want %d and %q in\n%s", code, tt.code, tt.says, out.String())
			}
		})
	}
}

// A pipe that is closed, as by head, ends a command without a word.
func TestOutputIntoAClosedPipe(t *testing.T) {
	for _, args := range []string{"list", "--once", "describe --all-groups -o json"} {
		cmd := childCommand(t, childProgram, append(strings.Fields(args), "--demo")...)
		var talk bytes.Buffer
		cmd.Stderr = &talk
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		in.Close() // before anything is written
		cmd.Stdout = out
		_ = cmd.Run()
		out.Close()
		if code := cmd.ProcessState.ExitCode(); code != cli.ExitPipe || talk.Len() > 0 {
			t.Errorf("%s: exit code %d, %q", args, code, talk.String())
		}
	}
}
