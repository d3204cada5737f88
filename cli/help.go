package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manual writes the help of a command as a man page has it. verbs are all
// commands, in the order in which the program's own help lists them.
func manual(out io.Writer, cmd *cobra.Command, verbs []*cobra.Command) {
	section(out, "NAME", strings.ReplaceAll(cmd.CommandPath(), " ", "-")+" - "+lowerFirst(cmd.Short))
	section(out, "SYNOPSIS", synopsis(cmd))
	section(out, "DESCRIPTION", cmd.Long)
	if !cmd.HasParent() {
		section(out, "COMMANDS", commands(verbs))
	}
	section(out, "OPTIONS", options(cmd.NonInheritedFlags(), cmd.InheritedFlags()))
	section(out, "CONNECTION AND OUTPUT", options(inherited(cmd), nil))
	section(out, "EXAMPLES", strings.ReplaceAll(cmd.Example, "\n  ", "\n")[min(2, len(cmd.Example)):])
	section(out, "EXIT STATUS", exitStatus())
	if cmd.HasParent() {
		return
	}
	section(out, "ENVIRONMENT", "SHARETOP_BOOTSTRAP_SERVER, SHARETOP_COMMAND_CONFIG, SHARETOP_CONTEXT, SHARETOP_READ_ONLY\n"+
		"    stand for the flags of these names; SHARETOP_ and a client property in capitals for -X.\n"+
		"NO_COLOR\n    no colours, whatever its value.")
	section(out, "FILES", "$XDG_CONFIG_HOME/sharetop/config.toml\n    profiles, thresholds, and what is not to be told.\n"+
		"$XDG_STATE_HOME/sharetop/audit.jsonl, undo/\n    what was changed, and files that take resets back.")
	section(out, "SEE ALSO", "sharetop help COMMAND; docs/output.md for every column; kafka-share-groups.sh")
}

// section writes a title and an indented body; nothing where there is no body.
func section(out io.Writer, title, body string) {
	body = strings.Trim(body, "\n")
	if body == "" {
		return
	}
	fmt.Fprintln(out, title)
	for line := range strings.Lines(body) {
		fmt.Fprintln(out, strings.TrimRight("    "+strings.TrimSuffix(line, "\n"), " "))
	}
	fmt.Fprintln(out)
}

func synopsis(cmd *cobra.Command) string {
	if cmd.HasParent() {
		return strings.TrimSuffix(cmd.UseLine(), " [flags]") + " [flags]"
	}
	return "sharetop [flags]                 the screen\nsharetop --once [flags]          one look at all groups\nsharetop COMMAND [flags]         for scripts"
}

func commands(verbs []*cobra.Command) string {
	var b strings.Builder
	for _, c := range verbs {
		fmt.Fprintf(&b, "%-15s %s\n", c.Name(), c.Short)
	}
	return b.String()
}

// helpWidth is where lines of flags are broken.
const helpWidth = 100

// options are flags with what they do, without those of another set.
func options(set, without *pflag.FlagSet) string {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.SortFlags = false
	set.VisitAll(func(f *pflag.Flag) {
		if without == nil || without.Lookup(f.Name) == nil {
			own.AddFlag(f)
		}
	})
	return own.FlagUsagesWrapped(helpWidth)
}

// inherited are the flags that every command has.
func inherited(cmd *cobra.Command) *pflag.FlagSet {
	if cmd.HasParent() {
		return cmd.InheritedFlags()
	}
	return pflag.NewFlagSet("", pflag.ContinueOnError)
}

func exitStatus() string {
	var b strings.Builder
	for _, s := range []struct {
		code int
		text string
	}{
		{ExitOK, "done, and all was seen"},
		{ExitFailure, "failed"},
		{ExitUnreachable, "no broker could be reached, or none let us in"},
		{ExitPartial, "something was seen or done, and something was not"},
		{ExitTimeout, "the time was over before what was waited for came"},
		{ExitRefused, "refused: read-only, the group has members, or the plan no longer holds"},
		{ExitInterrupted, "ended by a signal"},
		{ExitPipe, "nobody reads the output any more"},
	} {
		fmt.Fprintf(&b, "%-4d %s\n", s.code, s.text)
	}
	return b.String()
}
