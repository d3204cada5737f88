package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newHelp is the command that shows the page of another.
func newHelp(verbs []*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the page of a command",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("help is about one command, not %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of := cmd.Root()
			if len(args) == 1 {
				i := slices.IndexFunc(verbs, func(verb *cobra.Command) bool { return verb.Name() == args[0] })
				if i < 0 {
					return unknownCommand(of, args[0])
				}
				of = verbs[i]
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	}
	for _, verb := range verbs {
		cmd.ValidArgs = append(cmd.ValidArgs, cobra.CompletionWithDesc(verb.Name(), verb.Short))
	}
	return cmd
}

// manual writes the help of a command as a man page has it. verbs are all
// commands, in the order in which the program's own help lists them.
func manual(out io.Writer, cmd *cobra.Command, verbs []*cobra.Command) {
	section(out, "NAME", strings.ReplaceAll(cmd.CommandPath(), " ", "-")+" - "+lowerFirst(cmd.Short))
	section(out, "SYNOPSIS", synopsis(cmd))
	section(out, "DESCRIPTION", wrapped(cmd.Long))
	if !cmd.HasParent() {
		section(out, "COMMANDS", commands(verbs))
	}
	section(out, "OPTIONS", options(cmd.NonInheritedFlags(), cmd.InheritedFlags(), nil))
	section(out, sharedOptions, options(inherited(cmd), nil, cmd.Annotations))
	section(out, "EXAMPLES", strings.ReplaceAll(cmd.Example, "\n  ", "\n")[min(2, len(cmd.Example)):])
	section(out, "EXIT STATUS", exitStatus())
	if cmd.HasParent() {
		return
	}
	section(out, "ENVIRONMENT", "SHARETOP_BOOTSTRAP_SERVER, SHARETOP_COMMAND_CONFIG, SHARETOP_CONTEXT, SHARETOP_READ_ONLY\n"+
		"    stand for the flags of these names; SHARETOP_ and a client property in capitals for -X.\n"+
		"NO_COLOR\n    no colours, whatever its value.\n"+
		"TERM\n    dumb: nothing but text is printed, and there is no screen.\n"+
		"LC_ALL, LC_CTYPE, LANG\n    without UTF-8 in the first that is set nothing but ASCII is written, as with --ascii.")
	section(out, "FILES", "$XDG_CONFIG_HOME/sharetop/config.toml\n    profiles, thresholds, and what is not to be told.\n"+
		"$XDG_STATE_HOME/sharetop/audit.jsonl, undo/\n    what was changed, and files that take resets back.")
	section(out, "SEE ALSO", "sharetop help COMMAND; docs/output.md for every column; kafka-share-groups.sh")
}

// sharedOptions is the title over the flags that every command has.
const sharedOptions = "CONNECTION AND OUTPUT"

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

// helpWidth is where lines are broken, without what a section is indented by.
const helpWidth = 96

// wrapped breaks a text into lines, which is what lines in the source are not;
// those that begin with a blank stay as they are.
func wrapped(text string) string {
	var out strings.Builder
	width := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, " ") {
			out.WriteString("\n" + line)
			width = 0
			continue
		}
		for _, word := range strings.Fields(line) {
			switch n := utf8.RuneCountInString(word); {
			case width == 0:
				width = n
			case width+1+n > helpWidth:
				out.WriteByte('\n')
				width = n
			default:
				out.WriteByte(' ')
				width += 1 + n
			}
			out.WriteString(word)
		}
	}
	return out.String()
}

// setDefault says in help that a command has a default of its own for a flag that
// all commands have.
func setDefault(cmd *cobra.Command, flag, value string) {
	cmd.Annotations = map[string]string{flag: value}
}

// options are flags with what they do, without those of another set; defaults are
// those that are not the flags' own.
func options(set, without *pflag.FlagSet, defaults map[string]string) string {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.SortFlags, set.SortFlags = false, false
	set.VisitAll(func(f *pflag.Flag) {
		if without == nil || without.Lookup(f.Name) == nil {
			shown := *f
			if f.NoOptDefVal == anyState { // which is no value that a person writes
				shown.NoOptDefVal = ""
			}
			if value, ok := defaults[f.Name]; ok {
				shown.DefValue = value
			}
			own.AddFlag(&shown)
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
