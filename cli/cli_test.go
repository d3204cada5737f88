package cli

import (
	"bytes"
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"sharetop/model"
	"sharetop/profile"
)

// world is an Env with fakes, and what was done to them.
type world struct {
	env            Env
	stdout, stderr bytes.Buffer
	vars           map[string]string
	opened         []model.Connection
	source         *fakeSource
	screen         *ScreenOptions
	demoStopped    bool
}

func newWorld() *world {
	w := &world{vars: map[string]string{"LANG": "C.UTF-8"}, source: &fakeSource{}}
	w.env = Env{
		Stdout: &w.stdout, Stderr: &w.stderr,
		Getenv:  func(k string) string { return w.vars[k] },
		Now:     time.Now,
		Version: func() string { return "v1.2.3" },
		Connect: func(r model.ConnectRequest) (model.Resolved, error) {
			return profile.Resolve(profile.Env{Getenv: func(k string) string { return w.vars[k] }}, r)
		},
		Open: func(_ context.Context, c model.Connection, _ func(string) (model.Secret, error)) (Source, error) {
			w.opened = append(w.opened, c)
			return w.source, nil
		},
		Demo: func(context.Context) (Demo, error) {
			return Demo{Bootstrap: []string{"127.0.0.1:1"}, Stop: func() { w.demoStopped = true }}, nil
		},
		Rules:  func() (model.Rules, error) { return model.Rules{}, nil },
		Screen: func(_ context.Context, o ScreenOptions) error { w.screen = &o; return nil },
	}
	return w
}

func (w *world) main(t *testing.T, args ...string) int {
	t.Helper()
	return Main(t.Context(), args, w.env)
}

func TestBadFlags(t *testing.T) {
	tests := []struct {
		args []string
		vars map[string]string
		want string
	}{
		{nil, nil, "no cluster to watch: give --bootstrap-server HOST:PORT"},
		{[]string{"lst"}, nil, `there is no command "lst": is list meant? see sharetop --help`},
		{[]string{"help", "reset"}, nil, `there is no command "reset": is reset-offsets meant?`},
		{[]string{"help", "frobnicate"}, nil, `there is no command "frobnicate"; see sharetop --help`},
		{[]string{"help", "list", "peek"}, nil, "help is about one command, not 2"},
		{[]string{"describe", "g", "--memebrs"}, nil, "unknown flag: --memebrs: is --members meant? see sharetop help describe"},
		{[]string{"describe", "g", "--bootstrap", "a:1"}, nil, "unknown flag: --bootstrap: is --bootstrap-server meant?"},
		{[]string{"list", "--sort-by"}, nil, "unknown flag: --sort-by; list has --state, --lag, --filter, --for; see sharetop help list"},
		{[]string{"list", "-q"}, nil, "unknown shorthand flag: 'q' in -q; list has --state"},
		{[]string{"peek", "g", "-n"}, nil, "flag needs an argument: 'n' in -n; see sharetop help peek"},
		{[]string{"list", "x"}, nil, `list takes flags only, not "x"`},
		{[]string{"--demo", "list", "--state", "Stabel"}, nil, `"Stabel" is not a state of share groups: use Empty, Stable or Dead`},
		{[]string{"--demo", "list", "--for", "2s"}, nil, "--for does nothing without --lag"},
		{[]string{"--demo", "list", "--filter", "a"}, nil, "--filter does nothing without --lag"},
		{[]string{"--demo", "list", "--lag", "--filter", "lag>x"}, nil, "--filter: "},
		{[]string{"--demo", "list", "--lag", "--for", "-2s"}, nil, "--for -2s is out of bounds"},
		{[]string{"--demo", "describe"}, nil, "no share group was named"},
		{[]string{"--demo", "describe", "a", "--all-groups"}, nil, "name groups or give --all-groups, not both"},
		{[]string{"--demo", "describe", ""}, nil, "a group has an empty name"},
		{[]string{"--demo", "describe", "a", "--state", "--members"}, nil, "none of the others can be"},
		{[]string{"--demo", "describe", "a", "--state", "--for", "3s"}, nil, "--for is for offsets only"},
		{[]string{"--demo", "--no-header"}, nil, "--no-header does nothing without --once or a command"},
		{[]string{"--demo", "--once", "--no-header"}, nil, "--once has no --no-header"},
		{[]string{"--demo", "--once", "-o", "jsonl"}, nil, "--once prints table, json or csv"},
		{[]string{"metrics", "--demo", "-o", "json"}, nil, "metrics has one format, that of Prometheus"},
		{[]string{"metrics", "--demo", "--min-interval", "2s"}, nil, "--min-interval does nothing without --listen"},
		{[]string{"metrics", "--demo", "--listen", "9465", "--min-interval", "2ms"}, nil, "--min-interval 2ms is out of bounds"},
		{[]string{"metrics", "--demo", "--listen", "here"}, nil, `"here" is not an address to listen on`},
		{[]string{"list", "--demo", "-o", "yaml"}, nil, "--output yaml is not a format: use table, wide, json, jsonl or csv"},
		{[]string{"list", "--demo", "--timeout", "0"}, nil, "--timeout 0s is out of bounds"},

		{[]string{"--bootstrap", "a:1"}, nil, "unknown flag: --bootstrap: is --bootstrap-server meant? see sharetop --help"},
		{[]string{"--bootstrap-server"}, nil, "flag needs an argument"},
		{[]string{"--bootstrap-server", "localhost"}, nil, `--bootstrap-server: "localhost" is not HOST:PORT`},
		{[]string{"--bootstrap-server", "a:1,:9092"}, nil, `":9092" is not HOST:PORT`},
		{[]string{"--bootstrap-server", "a:kafka"}, nil, `the port of "a:kafka" is not a number`},
		{[]string{"--bootstrap-server", "a:0"}, nil, `the port of "a:0" is not a number`},
		{[]string{"--bootstrap-server", "a:\x1b[2J"}, nil, `"a:\x1b[2J" is not HOST:PORT`},
		{nil, map[string]string{"SHARETOP_BOOTSTRAP_SERVER": "b"}, `SHARETOP_BOOTSTRAP_SERVER: "b" is not HOST:PORT`},
		{[]string{"--demo", "--bootstrap-server", "a:1"}, nil, "--demo brings its own cluster"},
		{[]string{"--demo", "-o", "json"}, nil, "--output does nothing without --once"},
		{[]string{"--demo", "--for", "10s"}, nil, "--for does nothing without --once"},
		{[]string{"--demo", "--timeout", "10s"}, nil, "--timeout does nothing without --once"},
		{[]string{"--demo", "--state-topic-memory", "5KB"}, nil, `invalid argument "5KB" for "--state-topic-memory" flag: must be a size`},
		{[]string{"--demo", "--state-topic-load", "10"}, nil, "must be a duration from 100ms to 10m0s"},
		{[]string{"--demo", "--offsets-from", "kafka"}, nil, `--offsets-from: offsets can't come from "kafka"`},
		{[]string{"--demo", "--once", "-o", "yaml"}, nil, "--output yaml is not a format: use table, wide, json, jsonl or csv"},
		{[]string{"--demo", "--once", "--for", "0s"}, nil, "--for 0s is out of bounds"},
		{[]string{"--demo", "--once", "--for", "2h"}, nil, "--for 2h0m0s is out of bounds"},
		{[]string{"--demo", "--once", "--for", "10"}, nil, `invalid argument "10" for "--for" flag`},
		{[]string{"--demo", "--once", "--timeout", "-1s"}, nil, "--timeout -1s is out of bounds"},
		{[]string{"--demo", "--interval", "1ms"}, nil, "--interval 1ms is out of bounds: use 500ms to 1m0s"},
		{[]string{"--demo", "--group", ""}, nil, "--group needs the id of a share group"},
		{[]string{"--demo"}, map[string]string{"SHARETOP_READ_ONLY": "ture"}, "SHARETOP_READ_ONLY=ture is neither yes nor no"},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			w := newWorld()
			w.vars = tt.vars
			code := w.main(t, tt.args...)
			got := w.stderr.String()
			if code != ExitFailure || !strings.Contains(got, tt.want) {
				t.Errorf("exit %d with %q, want %d with %q", code, got, ExitFailure, tt.want)
			}
			if strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "sharetop: ") || w.stdout.Len() > 0 {
				t.Errorf("not one sentence on stderr alone: %q, %q", got, w.stdout.String())
			}
			if len(w.opened) > 0 {
				t.Error("a connection was opened")
			}
		})
	}
}

func TestScreenIsStarted(t *testing.T) {
	w := newWorld()
	code := w.main(t, "--bootstrap-server", "a:1, b:2", "--bootstrap-server", "c:3", "--group", "g", "--read-only",
		"--utc", "--interval", "2s", "--offsets-from", "requests")
	if code != ExitOK || w.screen == nil {
		t.Fatalf("exit %d, %s", code, w.stderr.String())
	}
	o := *w.screen
	if got := strings.Join(o.Connection.Bootstrap, " "); got != "a:1 b:2 c:3" {
		t.Errorf("the bootstrap servers are %q", got)
	}
	if o.Connection.OffsetsFrom != model.OffsetsByRequests {
		t.Errorf("offsets come from %q", o.Connection.OffsetsFrom)
	}
	if !o.Connection.ReadOnly || !o.UTC || o.ASCII || o.Group != "g" || o.Interval != 2*time.Second || o.Demo {
		t.Errorf("the screen was started with %+v", o)
	}
	if o.Source != Source(w.source) || !w.source.closed {
		t.Error("the screen's source is not the one that was opened, or it was left open")
	}
}

// Flags count before config.toml, and what neither says stays the default.
func TestStateTopicBudget(t *testing.T) {
	w := newWorld()
	w.env.Rules = func() (model.Rules, error) {
		return model.Rules{StateBudget: model.StateBudget{MaxMemory: 5 << 20, MaxLoad: time.Minute}}, nil
	}
	if code := w.main(t, "--demo", "--state-topic-memory", "64MiB"); code != ExitOK {
		t.Fatalf("exit %d, %s", code, w.stderr.String())
	}
	if got := w.opened[0].StateBudget; got != (model.StateBudget{MaxMemory: 64 << 20, MaxLoad: time.Minute}) {
		t.Errorf("the budget is %+v", got)
	}
}

func TestReadOnlyAndLocale(t *testing.T) {
	tests := []struct {
		vars            map[string]string
		args            []string
		readOnly, ascii bool
	}{
		{nil, nil, false, false},
		{map[string]string{"SHARETOP_READ_ONLY": "1"}, nil, true, false},
		{map[string]string{"SHARETOP_READ_ONLY": "1"}, []string{"--read-only=false"}, true, false},
		{map[string]string{"SHARETOP_READ_ONLY": "0"}, nil, false, false},
		{nil, []string{"--ascii"}, false, true},
		{map[string]string{"LANG": "C"}, nil, false, true},
		{map[string]string{"LANG": "de_DE.utf8"}, nil, false, false},
		{map[string]string{"LANG": "de_DE.UTF-8", "LC_ALL": "POSIX"}, nil, false, true},
	}
	for _, tt := range tests {
		w := newWorld()
		w.vars = tt.vars
		if code := w.main(t, append(tt.args, "--bootstrap-server", "a:1")...); code != ExitOK {
			t.Fatalf("%v: exit %d, %s", tt, code, w.stderr.String())
		}
		if w.screen.Connection.ReadOnly != tt.readOnly || w.screen.ASCII != tt.ascii {
			t.Errorf("%v %v: read-only %v, ASCII %v", tt.vars, tt.args, w.screen.Connection.ReadOnly, w.screen.ASCII)
		}
	}
}

func TestBootstrapFromEnvironment(t *testing.T) {
	w := newWorld()
	w.vars["SHARETOP_BOOTSTRAP_SERVER"] = "a:1, [::1]:2,"
	if code := w.main(t); code != ExitOK {
		t.Fatalf("exit %d, %s", code, w.stderr.String())
	}
	if got := strings.Join(w.opened[0].Bootstrap, " "); got != "a:1 [::1]:2" {
		t.Errorf("the bootstrap servers are %q", got)
	}
}

func TestDemo(t *testing.T) {
	w := newWorld()
	if code := w.main(t, "--demo"); code != ExitOK {
		t.Fatalf("exit %d, %s", code, w.stderr.String())
	}
	if !w.screen.Demo || w.opened[0].Bootstrap[0] != "127.0.0.1:1" || !w.demoStopped {
		t.Errorf("demo: screen %+v, opened %v, stopped %v", w.screen, w.opened, w.demoStopped)
	}
}

func TestErrorsOfTheWorld(t *testing.T) {
	tests := []struct {
		name string
		set  func(*Env)
		code int
		want string
	}{
		{"rules", func(e *Env) {
			e.Rules = func() (model.Rules, error) { return model.Rules{}, errors.New("config.toml:3: bad\x1b") }
		}, ExitFailure, "sharetop: config.toml:3: bad\\e\n"},
		{"open", func(e *Env) {
			e.Open = func(context.Context, model.Connection, func(string) (model.Secret, error)) (Source, error) {
				return nil, errors.New("no such key")
			}
		}, ExitFailure, "sharetop: no such key\n"},
		{"demo", func(e *Env) {
			e.Demo = func(context.Context) (Demo, error) { return Demo{}, errors.New("no port is free") }
		}, ExitFailure, "sharetop: the demo cluster did not start: no port is free\n"},
		{"screen", func(e *Env) {
			e.Screen = func(context.Context, ScreenOptions) error { return errors.New("no terminal") }
		}, ExitFailure, "sharetop: no terminal\n"},
		{"screen interrupted", func(e *Env) {
			e.Screen = func(context.Context, ScreenOptions) error { return &ExitError{Code: ExitInterrupted} }
		}, ExitInterrupted, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld()
			tt.set(&w.env)
			if code := w.main(t, "--demo"); code != tt.code || w.stderr.String() != tt.want {
				t.Errorf("exit %d with %q, want %d with %q", code, w.stderr.String(), tt.code, tt.want)
			}
		})
	}
}

func TestVersionAndHelp(t *testing.T) {
	w := newWorld()
	w.env.Rules, w.env.Open = nil, nil // neither is needed
	if code := w.main(t, "--version"); code != ExitOK || w.stdout.String() != "sharetop v1.2.3\n" {
		t.Errorf("--version: exit %d, %q, %q", code, w.stdout.String(), w.stderr.String())
	}
	w.stdout.Reset()
	code := w.main(t, "--help")
	for _, flag := range []string{
		"--bootstrap-server", "--group", "--read-only", "--once", "--output", "--for", "--demo", "--utc", "--ascii",
		"--interval", "--timeout", "--version",
	} {
		if !strings.Contains(w.stdout.String(), flag) {
			t.Errorf("--help does not tell of %s", flag)
		}
	}
	if code != ExitOK || w.stderr.Len() > 0 || strings.ContainsRune(w.stdout.String(), '\x1b') {
		t.Errorf("--help: exit %d, %q", code, w.stderr.String())
	}
}

func TestBuildVersion(t *testing.T) {
	info := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: version}, Settings: settings}
	}
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123"}
	changed := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	tests := []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "unknown"},
		{info("v0.1.0"), "v0.1.0 go1.26.8"},
		{info("(devel)", commit), "development (0123456789ab) go1.26.8"},
		{info("v0.1.0", commit, changed), "v0.1.0 (0123456789ab, changed) go1.26.8"},
	}
	for _, tt := range tests {
		if got := BuildVersion(tt.info, tt.info != nil); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.info, got, tt.want)
		}
	}
}
