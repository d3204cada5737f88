package ui

import "strings"

// fromEnvironment fills in what a person has told the whole system and not this
// program: NO_COLOR, and a locale that has no Unicode.
func fromEnvironment(cfg Config) Config {
	if cfg.Env == nil {
		cfg.Env = func(string) string { return "" }
	}
	cfg.NoColor = cfg.NoColor || cfg.Env("NO_COLOR") != ""
	cfg.ASCII = cfg.ASCII || asciiLocale(cfg.Env)
	return cfg
}

// asciiLocale tells whether the locale is one without UTF-8, such as C. Without
// any locale in the environment Unicode is taken for granted: containers and
// bastion hosts often have none set, and a terminal that shows UTF-8.
func asciiLocale(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(env(name)); locale != "" {
			return !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8")
		}
	}
	return false
}
