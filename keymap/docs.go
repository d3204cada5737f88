package keymap

import "strings"

// Markdown writes the sections as one table for the README.
func Markdown(sections []Section) string {
	var b strings.Builder
	b.WriteString("| where | key | what it does |\n|---|---|---|\n")
	for _, s := range sections {
		for i, binding := range s.Bindings {
			where := ""
			if i == 0 {
				where = string(s.Scope)
			}
			b.WriteString(markdownRow(where, binding))
		}
	}
	return b.String()
}

func markdownRow(where string, b Binding) string {
	does := b.Help().Desc
	if b.IsOff() {
		does += " (" + b.Reason + ")"
	}
	var keys []string
	for _, k := range strings.Fields(b.Help().Key) {
		keys = append(keys, "`"+strings.ReplaceAll(k, "|", `\|`)+"`")
	}
	return "| " + where + " | " + strings.Join(keys, " ") + " | " + does + " |\n"
}
