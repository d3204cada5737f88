package profile

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"sharetop/model"
)

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestLoadRules(t *testing.T) {
	file := write(t, `# what is quiet here
min_lag = 1_000
state_topic_memory = "64MiB"
state_topic_load = "3s"
state_topic_rate = 2_000_000

[[mute]]
group = "nightly-*"
finding = "nobody-reading"

[[mute]]
finding = "group-full"

[[mute]]
group = "*"
`)
	got, err := LoadRules(file)
	if err != nil {
		t.Fatal(err)
	}
	want := model.Rules{MinLag: 1000, Mute: []model.Mute{
		{Group: "nightly-*", Finding: model.FindingNobody},
		{Finding: model.FindingGroupFull},
		{Group: "*"},
	}, StateBudget: model.StateBudget{MaxMemory: 64 << 20, MaxLoad: 3 * time.Second, MaxBytesPerSecond: 2_000_000}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the rules are %+v, want %+v", got, want)
	}
}

func TestLoadRulesOfNothing(t *testing.T) {
	for _, file := range []string{"", filepath.Join(t.TempDir(), "none", "config.toml"), write(t, ""), write(t, "\n# only this\n")} {
		got, err := LoadRules(file)
		if err != nil || !reflect.DeepEqual(got, model.Rules{}) {
			t.Errorf("%q: %+v, %v, want the defaults", file, got, err)
		}
	}
}

func TestLoadRulesErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no TOML", "min_lag = 1\nmin_lag 2", "config.toml:2: "},
		{"unknown key", "min_lag = 1\n\nmaxlag = 5", "config.toml:3: maxlag is not a setting"},
		{"unknown table", "[thresholds]\nlag = 5", "config.toml:1: thresholds is not a setting"},
		{"wrong type", "min_lag = \"5\"", "config.toml:1: min_lag must be a whole number"},
		{"a size", "state_topic_memory = \"5KB\"", "config.toml:1: state_topic_memory must be a size from 1 MiB to 64 GiB"},
		{"a duration", "min_lag = 1\nstate_topic_load = 10", "config.toml:2: state_topic_load must be a duration from 100ms"},
		{"below zero", "\nmin_lag = -5", "config.toml:2: min_lag must be a whole number"},
		{"not a list", "[mute]\ngroup = 'x'", "config.toml:1: mute must be a list of tables"},
		{"unknown key of the second entry", "[[mute]]\ngroup='a'\n[[mute]]\ngroups='b'", "config.toml:4: mute.groups is not a setting"},
		{"bad pattern", "[[mute]]\ngroup = 'a['", `config.toml:2: mute.group "a[" is not a pattern`},
		{"no finding", "[[mute]]\ngroup = 'a'\nfinding = 'nobody'", `config.toml:3: mute.finding "nobody" is not a finding`},
		{"number for a text", "[[mute]]\ngroup = 5", "config.toml:2: mute.group must be a text"},
		{"empty text", "[[mute]]\ngroup = ''", "config.toml:2: mute.group must be a text"},
		{"empty entry", "[[mute]]\n", "config.toml:1: mute.group or finding is needed"},
		{"too many", strings.Repeat("[[mute]]\ngroup='a'\n", maxMutes+1), "mute has 1001 entries"},
		{"too large", strings.Repeat("#", maxFileSize+1), "config.toml is larger than 1 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := LoadRules(write(t, tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %v, want one with %q", err, tt.want)
			}
		})
	}
	if _, err := LoadRules(t.TempDir()); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("a folder instead of a file: %v", err)
	}
}

func TestConfigPath(t *testing.T) {
	tests := []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"XDG_CONFIG_HOME": "/x", "HOME": "/h"}, "/x/sharetop/config.toml"},
		{map[string]string{"XDG_CONFIG_HOME": "rel", "HOME": "/h"}, "/h/.config/sharetop/config.toml"},
		{map[string]string{"HOME": "/h"}, "/h/.config/sharetop/config.toml"},
		{map[string]string{"APPDATA": "/a"}, "/a/sharetop/config.toml"},
		{nil, ""},
	}
	for _, tt := range tests {
		if got := ConfigPath(func(k string) string { return tt.env[k] }); got != filepath.FromSlash(tt.want) {
			t.Errorf("%v: %q, want %q", tt.env, got, tt.want)
		}
	}
}

func FuzzParseRules(f *testing.F) {
	f.Add("min_lag = 1\n[[mute]]\ngroup='a'\nfinding='blocked'")
	f.Add("[[mute]]\n[mute.x]\n")
	f.Add("mute = [{group='a'}, {b=1}]")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := parseRules("f", text); err != nil && !strings.HasPrefix(err.Error(), "f") {
			t.Errorf("the error does not name the file: %v", err)
		}
	})
}
