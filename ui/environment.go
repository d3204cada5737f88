package ui

import "sharetop/model"

// fromEnvironment fills in what a person has told the whole system and not this
// program: NO_COLOR, and a locale that has no Unicode.
func fromEnvironment(cfg Config) Config {
	if cfg.Env == nil {
		cfg.Env = func(string) string { return "" }
	}
	cfg.NoColor = cfg.NoColor || cfg.Env("NO_COLOR") != ""
	cfg.ASCII = cfg.ASCII || !model.SpeaksUTF8(cfg.Env)
	return cfg
}
