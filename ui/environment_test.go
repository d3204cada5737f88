package ui

import "testing"

func TestFromEnvironment(t *testing.T) {
	for _, tt := range []struct {
		name           string
		env            map[string]string
		ascii, noColor bool
	}{
		{name: "nothing set"},
		{name: "UTF-8", env: map[string]string{"LANG": "de_DE.UTF-8"}},
		{name: "utf8", env: map[string]string{"LANG": "C.utf8"}},
		{name: "C", env: map[string]string{"LANG": "C"}, ascii: true},
		{name: "POSIX", env: map[string]string{"LANG": "POSIX"}, ascii: true},
		{name: "Latin-1", env: map[string]string{"LANG": "de_DE.ISO-8859-1"}, ascii: true},
		{name: "LC_ALL goes first", env: map[string]string{"LANG": "en_US.UTF-8", "LC_ALL": "C"}, ascii: true},
		{name: "LC_CTYPE before LANG", env: map[string]string{"LANG": "C", "LC_CTYPE": "en_US.UTF-8"}},
		{name: "no colour", env: map[string]string{"NO_COLOR": "1"}, noColor: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := fromEnvironment(Config{Env: func(k string) string { return tt.env[k] }})
			if cfg.ASCII != tt.ascii || cfg.NoColor != tt.noColor {
				t.Errorf("ASCII %v, no colour %v", cfg.ASCII, cfg.NoColor)
			}
		})
	}
	cfg := fromEnvironment(Config{ASCII: true, NoColor: true})
	if !cfg.ASCII || !cfg.NoColor || cfg.Env == nil {
		t.Errorf("what was asked for is lost: %+v", cfg)
	}
}
