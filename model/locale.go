package model

import "strings"

// SpeaksUTF8 tells whether the locale in the environment can show more than
// ASCII. Without any locale that is taken for granted: containers and bastion
// hosts often have none set, and a terminal that shows UTF-8.
func SpeaksUTF8(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(getenv(name)); locale != "" {
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return true
}
