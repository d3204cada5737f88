//go:build unix

package broker

import (
	"errors"
	"strings"
	"testing"
)

func TestJavaMajor(t *testing.T) {
	tests := []struct {
		out   string
		major int
		ok    bool
	}{
		{`openjdk version "17.0.15" 2025-04-15`, 17, true},
		{`openjdk version "25" 2025-09-16`, 25, true},
		{`java version "1.8.0_402"`, 8, true},
		{`openjdk version "21-ea" 2023-09-19`, 21, true},
		{`The operation couldn't be completed.`, 0, false},
	}
	for _, test := range tests {
		if major, ok := javaMajor(test.out); major != test.major || ok != test.ok {
			t.Errorf("javaMajor(%q) = %d, %t; want %d, %t", test.out, major, ok, test.major, test.ok)
		}
	}
}

func TestRequireSaysWhatToInstall(t *testing.T) {
	tests := []struct {
		name      string
		java, mvn string
		want      string
	}{
		{"nothing", "", "", "Java (java)"},
		{"old Java", "11.0.2", "", "is Java 11"},
		{"no Maven", "17.0.1", "", "Maven (mvn)"},
		{"all there", "17.0.1", "yes", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bin := t.TempDir()
			t.Setenv("JAVA_HOME", "")
			t.Setenv("PATH", bin)
			t.Setenv("HOME", t.TempDir())
			t.Setenv("XDG_CACHE_HOME", "")
			if test.java != "" {
				writeScript(t, bin, "java", "echo 'openjdk version \""+test.java+"\"' >&2")
			}
			if test.mvn != "" {
				writeScript(t, bin, "mvn", "exit 0")
			}
			err := Require(t.Context(), Kafka44)
			if test.want == "" {
				if err != nil {
					t.Errorf("Require = %v, want nil", err)
				}
				return
			}
			var missing *MissingError
			if !errors.As(err, &missing) || !strings.Contains(err.Error(), test.want) || missing.Get == "" {
				t.Errorf("Require = %v, want a MissingError about %s", err, test.want)
			}
		})
	}
}
