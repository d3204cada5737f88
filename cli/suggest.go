package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// unknownCommand is the error for a command that there is none of, with the one
// that is likely meant.
func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, verb := range root.Commands() {
		if !verb.Hidden {
			names = append(names, verb.Name())
		}
	}
	return fmt.Errorf("there is no command %q%s see sharetop --help", name, cmp.Or(meant("", name, names), ";"))
}

// badFlag is the error for a flag that can't be read. For one that there is none
// of it names the one that is likely meant, else those that the command has
// beside those of all commands.
func badFlag(cmd *cobra.Command, err error) error {
	page := "sharetop --help"
	if cmd.HasParent() {
		page = "sharetop help " + cmd.Name()
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return fmt.Errorf("%w; see %s", err, page)
	}
	var all, own []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { all = append(all, f.Name) })
	local := cmd.LocalNonPersistentFlags()
	local.SortFlags = false
	local.VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" {
			own = append(own, "--"+f.Name)
		}
	})
	hint := meant("--", unknown.GetSpecifiedName(), all)
	if hint == "" && len(own) > 0 && cmd.HasParent() {
		hint = fmt.Sprintf("; %s has %s;", cmd.Name(), strings.Join(own, ", "))
	}
	return fmt.Errorf("%w%s see %s", err, cmp.Or(hint, ";"), page)
}

// meant asks whether the name that is nearest to what was written is meant; it
// is empty when none is near.
func meant(prefix, written string, names []string) string {
	const far = 2 // typing errors
	best, least := "", far+1
	for _, name := range names {
		d := distance(written, name)
		if len(written) > 1 && strings.HasPrefix(name, written) {
			d = 1
		}
		if d < least && d < len(name) {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(": is %s%s meant?", prefix, best)
}

// distance is how many bytes have to be put in, taken out or replaced to make b
// of a (Levenshtein). What is far too long is not looked at.
func distance(a, b string) int {
	const most = 64
	if len(a) > most || len(b) > most {
		return most
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left, diagonal := i+1, i
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal, row[j] = row[j+1], left
			left = min(replaced, diagonal+1, left+1)
		}
		row[len(b)] = left
	}
	return row[len(b)]
}
