//go:build unix

package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// BenchmarkVerbs is the commands for scripts on 1,000 groups, against Kafka's
// own command and kcl, in one run.
func BenchmarkVerbs(b *testing.B) {
	k := startBench(b)
	k.topic(b, "jobs", 3)
	k.groups(b, 0, 1000, onJobs)
	kcl := buildKcl(b) // with no group named its describe is of all
	b.Run("list", func(b *testing.B) {
		ours := contender{"default", k.verb("auto", "list"), shortRounds}
		k.race(b, []contender{ours}, kcl, []string{"list"}, "--list")
	})
	b.Run("describe-one", func(b *testing.B) {
		one := groupName(7)
		// With no source named it is by requests.
		ours := contender{"default", []string{k.sharetop, "--bootstrap-server", k.Bootstrap()[0], "describe", one}, shortRounds}
		tail := contender{"statetopic", k.verb("state-topic", "describe", one), shortRounds}
		k.race(b, []contender{ours, tail}, kcl, []string{"describe", one}, "--describe", "--group", one)
	})
	b.Run("describe-all", func(b *testing.B) {
		k.race(b, k.bothSources("describe", "--all-groups"), kcl, []string{"describe"}, "--describe", "--all-groups")
	})
	b.Run("list-lag", func(b *testing.B) {
		k.race(b, k.bothSources("list", "--lag"), "", nil, "--describe", "--all-groups")
	})
}

// race runs our commands beside Kafka's and kcl's, where that could be built.
func (k *kafkaBench) race(b *testing.B, ours []contender, kcl string, theirs []string, kafka ...string) {
	contenders := append(slices.Clone(ours), contender{"kafka", k.kafkaDescribe(kafka...), kafkaRounds})
	if kcl != "" {
		argv := append([]string{kcl, "--no-config-file", "-B", k.Bootstrap()[0], "share-group"}, theirs...)
		contenders = append(contenders, contender{"kcl", argv, ours[0].rounds})
	}
	compete(b, contenders...)
}

// bothSources is one of our commands by either source of offsets.
func (k *kafkaBench) bothSources(args ...string) []contender {
	return []contender{
		{"requests", k.verb("requests", args...), rounds},
		{"statetopic", k.verb("state-topic", args...), rounds},
	}
}

// verb is a command of ours.
func (k *kafkaBench) verb(source string, args ...string) []string {
	return append([]string{k.sharetop, "--bootstrap-server", k.Bootstrap()[0], "--offsets-from", source}, args...)
}

// kclModule is built outside the repository, so that it is no requirement of
// ours.
const kclModule = "github.com/twmb/kcl@latest"

// buildKcl is the path of kcl: the one that SHARETOP_BENCH_KCL names, else built
// for this run. It is empty, and that is said, where it can't be had.
func buildKcl(b *testing.B) string {
	b.Helper()
	if path := os.Getenv("SHARETOP_BENCH_KCL"); path != "" {
		return path
	}
	dir := b.TempDir()
	install := exec.CommandContext(b.Context(), "go", "install", kclModule)
	install.Dir, install.Env = dir, append(os.Environ(), "GOBIN="+dir, "GOFLAGS=-mod=mod")
	if text, err := install.CombinedOutput(); err != nil {
		b.Logf("NOT COMPARED with kcl: %s can't be built: %v\n%.500s", kclModule, err, text)
		return ""
	}
	return filepath.Join(dir, "kcl")
}
