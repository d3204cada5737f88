package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sharetop/model"
)

// completionTimeout is how long a shell waits for the names of groups.
const completionTimeout = 2 * time.Second

func newCompletion(*program) *cobra.Command {
	shells := []string{"bash", "zsh", "fish"}
	return &cobra.Command{
		Use:   "completion {bash | zsh | fish}",
		Short: "Print what makes a shell complete commands, flags and group names",
		Long: "completion prints a script for a shell. Names of share groups are asked for when they are needed, with\n" +
			"the connection flags on the line, else by the SHARETOP_ variables and the default profile.",
		Example: "  source <(sharetop completion bash)\n" +
			"  sharetop completion zsh > \"${fpath[1]}/_sharetop\"\n" +
			"  sharetop completion fish > ~/.config/fish/completions/sharetop.fish",
		ValidArgs: shells,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("completion is for one shell: %s", strings.Join(shells, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				return cmd.Root().GenBashCompletionV2(out, true)
			case "zsh":
				return cmd.Root().GenZshCompletion(out)
			case "fish":
				return cmd.Root().GenFishCompletion(out, true)
			}
			return fmt.Errorf("completion knows %s, not %q", strings.Join(shells, ", "), args[0])
		},
	}
}

// complete adds completion to a command: group names for its arguments where it
// takes groups, and the values of flags.
func (p *program) complete(cmd *cobra.Command) {
	if cmd.Flags().Lookup("group") != nil {
		if cmd.HasParent() {
			cmd.ValidArgsFunction = p.groupNames
		}
		_ = cmd.RegisterFlagCompletionFunc("group", p.groupNames) // fails only for a flag that is not there
	}
	for flag, values := range map[string][]string{
		"state":        {"Empty", "Stable", "Dead"},
		"ack":          {"release", "accept", "reject"},
		"output":       {"table", "wide", "json", "jsonl", "csv"},
		"offsets-from": {"auto", "requests", "state-topic"},
	} {
		if f := cmd.Flag(flag); f != nil && f.Value.Type() == "string" {
			_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		}
	}
}

// groupNames are the share groups whose names begin with what was typed. What
// goes wrong is no completion, and not said: a shell would print it into the
// line. Names that a terminal could act on are left out.
func (p *program) groupNames(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	quiet := *p
	quiet.env.Stderr, quiet.shared.timeout, quiet.shared.output = io.Discard, completionTimeout, "table"
	v, err := quiet.open(cmd.Context(), opening{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer v.close()
	l := v.look(0)
	l.scope.NoOffsets, l.scope.ListOnly = true, true
	board, err := l.run(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, g := range board.Snapshot.Groups {
		if id := g.ID.Raw(); strings.HasPrefix(id, begun) && model.Sanitize(id) == id {
			names = append(names, id+"\t"+string(g.State))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
