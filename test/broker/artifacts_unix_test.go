//go:build unix

package broker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeScript puts an executable shell script into a directory.
func writeScript(t *testing.T, dir, name, body string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil { //nolint:gosec // it has to be executable
		t.Fatal(err)
	}
}

// fakeMaven puts an mvn on the PATH that counts its runs in a file, whose path
// it returns, and then does what body says, with $jars as the output directory.
func fakeMaven(t *testing.T, body string) (runs string) {
	t.Helper()
	bin := t.TempDir()
	runs = filepath.Join(bin, "runs")
	writeScript(t, bin, "mvn", `echo run >>`+runs+`
for arg; do case "$arg" in -DoutputDirectory=*) jars=${arg#*=};; esac; done
`+body)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", "")
	return runs
}

func TestArtifactsAreFetchedOnce(t *testing.T) {
	runs := fakeMaven(t, `mkdir -p "$jars" && echo jar >"$jars/kafka-tools-1.jar"`)
	first, err := Artifacts(t.Context(), "1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(first, "kafka-tools-1.jar")); err != nil {
		t.Error(err)
	}
	second, err := Artifacts(t.Context(), "1")
	if err != nil || second != first {
		t.Errorf("the second time gives %q, %v; want %q", second, err, first)
	}
	if count, _ := os.ReadFile(runs); string(count) != "run\n" {
		t.Errorf("Maven ran %d times, want once", strings.Count(string(count), "run"))
	}
}

func TestArtifactsAppearCompleteOrNotAtAll(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"Maven fails", `mkdir -p "$jars"; echo jar >"$jars/kafka-tools-1.jar"; echo no such host; exit 1`, "no such host"},
		{"Maven leaves something out", `mkdir -p "$jars"`, "lacks kafka-tools"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fakeMaven(t, test.body)
			dir, err := Artifacts(t.Context(), "1")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want one with %q", err, test.want)
			}
			if _, err := os.Stat(dir); !os.IsNotExist(err) {
				t.Errorf("%s is there after a failed fetch (%v)", dir, err)
			}
			left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".fetching-*"))
			if len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}
