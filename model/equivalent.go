package model

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNulInArgument says that a text cannot be an argument of any command.
var ErrNulInArgument = errors.New("a text with a NUL byte cannot be passed to a command")

// EquivalentList is the command of Kafka's own tools that lists share groups
// with their states.
func EquivalentList(bootstrap []string) (string, error) {
	return command("kafka-share-groups.sh", bootstrap, "--list", "--state")
}

// EquivalentOffsets is the command of Kafka's own tools that shows a group's
// start offsets and lags.
func EquivalentOffsets(bootstrap []string, id GroupID) (string, error) {
	return describeCommand(bootstrap, id, "--offsets")
}

// EquivalentMembers is the command of Kafka's own tools that shows a group's
// members.
func EquivalentMembers(bootstrap []string, id GroupID) (string, error) {
	return describeCommand(bootstrap, id, "--members")
}

// EquivalentState is the command of Kafka's own tools that shows a group's
// state, epoch and coordinator.
func EquivalentState(bootstrap []string, id GroupID) (string, error) {
	return describeCommand(bootstrap, id, "--state")
}

// EquivalentConfigs is the command of Kafka's own tools that shows a group's
// configs.
func EquivalentConfigs(bootstrap []string, id GroupID) (string, error) {
	return command("kafka-configs.sh", bootstrap,
		append([]string{"--describe", "--entity-type", "groups"}, withID("--entity-name", id)...)...)
}

// withID is an option with a group id: one word with "=" where the id begins
// with a dash, so that it is not taken for another option.
func withID(option string, id GroupID) []string {
	if strings.HasPrefix(id.raw, "-") {
		return []string{option + "=" + id.raw}
	}
	return []string{option, id.raw}
}

// command puts a command line together and quotes each argument.
func command(tool string, bootstrap []string, args ...string) (string, error) {
	words := append([]string{"--bootstrap-server", strings.Join(bootstrap, ",")}, args...)
	for i, w := range words {
		quoted, err := ShellQuote(w)
		if err != nil {
			return "", err
		}
		words[i] = quoted
	}
	return tool + " " + strings.Join(words, " "), nil
}

// describeCommand is one view of kafka-share-groups.sh --describe.
func describeCommand(bootstrap []string, id GroupID, view string) (string, error) {
	return command("kafka-share-groups.sh", bootstrap,
		append(append([]string{"--describe"}, withID("--group", id)...), view, "--verbose")...)
}

// ShellQuote makes a text one word of a POSIX shell: as it is where nothing in
// it is special, else '…'. A text that is not safe for a terminal is written
// as $'…' with octal escapes (bash, zsh, ksh; POSIX since 2024), so that the word
// itself is safe to show and to paste. The error is ErrNulInArgument.
func ShellQuote(raw string) (string, error) {
	switch {
	case strings.ContainsRune(raw, 0):
		return "", ErrNulInArgument
	case Sanitize(raw) != raw:
		return "$'" + escapeForShell(raw) + "'", nil
	case raw != "" && strings.IndexFunc(raw, needsQuotes) < 0:
		return raw, nil
	}
	return "'" + strings.ReplaceAll(raw, "'", `'\''`) + "'", nil
}

// needsQuotes tells whether a shell could see more than itself in a rune.
func needsQuotes(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return !strings.ContainsRune("._-/:,@%+", r)
}

// escapeForShell writes the inside of $'…'. Octal escapes have three digits
// always, so that a digit after one is not taken for a part of it.
func escapeForShell(raw string) string {
	var b strings.Builder
	for i := range len(raw) {
		switch c := raw[i]; {
		case c == '\\' || c == '\'':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c >= ' ' && c <= '~':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	return b.String()
}
