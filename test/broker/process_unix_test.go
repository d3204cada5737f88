//go:build unix

package broker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// endVariable makes TestEndsWithItsParent, when run again as a child, start a
// guarded program and end in the given way.
const endVariable = "SHARETOP_TEST_END"

// goneWithin bounds how long a program that must end is waited for.
const goneWithin = 20 * time.Second

func TestEndsWithItsParent(t *testing.T) {
	if how := os.Getenv(endVariable); how != "" {
		startAndEnd(how)
	}
	for _, how := range []string{"panic", "exit", "sigkill"} {
		t.Run(how, func(t *testing.T) {
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestEndsWithItsParent$") //nolint:gosec // this very test
			child.Env = append(os.Environ(), endVariable+"="+how)
			var out bytes.Buffer
			child.Stdout = &out
			if err := child.Run(); err == nil {
				t.Fatalf("a child that ends by %s succeeded: %s", how, out.String())
			}
			line, _, _ := strings.Cut(out.String(), "\n")
			pid, err := strconv.Atoi(line)
			if err != nil {
				t.Fatalf("the child told no process id: %q", out.String())
			}
			waitGone(t, pid)
		})
	}
}

// startAndEnd is the child: it prints the process id of a guarded program that
// would run for an hour, and ends without cleaning up.
func startAndEnd(how string) {
	p, err := startGuarded([]string{"sleep", "3600"}, nil, nil)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(p.pid)
	switch how {
	case "panic":
		panic("as a test may")
	case "sigkill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	default:
		os.Exit(3)
	}
}

func waitGone(t *testing.T, pid int) {
	t.Helper()
	deadline := time.After(goneWithin)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for syscall.Kill(pid, 0) == nil {
		select {
		case <-tick.C:
		case <-deadline:
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("process %d outlived the one that started it", pid)
		}
	}
}

func TestGuardedProgramIsKilledEvenWhenFrozen(t *testing.T) {
	p, err := startGuarded([]string{"sleep", "3600"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.stop(); err != nil {
		t.Fatal(err)
	}
	if stopped, err := isStopped(p.pid); !stopped || err != nil {
		t.Errorf("a program that was stopped stands still: %t, %v", stopped, err)
	}
	p.kill()
	if err := syscall.Kill(p.pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("after kill the process id %d gives %v, want %v", p.pid, err, syscall.ESRCH)
	}
	if p.stop() == nil || p.cont() == nil {
		t.Error("an ended process took a signal")
	}
	p.kill() // a second time does nothing
}

func TestRunGuarded(t *testing.T) {
	var out, errOut bytes.Buffer
	err := runGuarded(t.Context(), []string{"sh", "-c", "echo seen; echo told >&2; exit 7"}, &out, &errOut)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("error = %v, want exit code 7", err)
	}
	if out.String() != "seen\n" || errOut.String() != "told\n" {
		t.Errorf("output %q and %q, want seen and told", out.String(), errOut.String())
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := runGuarded(ctx, []string{"sleep", "3600"}, nil, nil); !errors.Is(err, cause) {
		t.Errorf("a cancelled run gives %v, want %v", err, cause)
	}
}

func TestLockFileKeepsOthersOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	unlock, err := lockFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("waited enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := lockFile(ctx, path); !errors.Is(err, cause) {
		t.Fatalf("the second lock gives %v, want %v", err, cause)
	}
	unlock()
	unlock, err = lockFile(t.Context(), path)
	if err != nil {
		t.Fatalf("after unlock: %v", err)
	}
	unlock()
}
