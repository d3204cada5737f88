package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

// Main runs sharetop with the given arguments (without the program's name) and
// returns the exit code. Errors are one sentence on stderr.
func Main(ctx context.Context, args []string, env Env) int {
	if len(args) == 1 && args[0] == "--version" { // without making all that can be asked for first
		return report(env, printVersion(env))
	}
	root := newRoot(env, isCompletion(args))          //nolint:contextcheck // cobra hands it on as cmd.Context()
	root.SetArgs(append([]string{}, asVerb(args)...)) // nil would stand for os.Args
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	return report(env, root.ExecuteContext(ctx))
}

func printVersion(env Env) error {
	_, err := fmt.Fprintln(env.Stdout, "sharetop "+env.Version())
	return err
}

// isCompletion tells whether a shell asks what could come next on a line.
func isCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// newRoot is the program: the screen and --once, with the verbs below it. What
// completes their flags is put on only when a shell asks, since it takes longer
// than all else here.
func newRoot(env Env, completing bool) *cobra.Command {
	p := &program{env: env}
	var f rootFlags
	root := &cobra.Command{
		Use:   "sharetop",
		Short: "htop for Kafka share groups",
		Long: "sharetop shows Kafka share groups live: who is reading, how far behind, is it moving,\n" +
			"and if not, why not. With a command it does the same things for scripts.",
		Example: "  sharetop --bootstrap-server localhost:9092\n" +
			"  sharetop --demo\n" +
			"  sharetop --bootstrap-server localhost:9092 list --lag -o json",
		Args:              noArguments,
		SilenceUsage:      true,
		SilenceErrors:     true,
		DisableAutoGenTag: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.version {
				return printVersion(env)
			}
			return p.root(cmd.Context(), f, cmd.Flags().Changed)
		},
	}
	root.SetFlagErrorFunc(badFlag)
	p.connect.register(root.PersistentFlags())
	p.shared.register(root.PersistentFlags())
	f.register(root.Flags())
	verbs := p.verbs()
	root.AddCommand(verbs...)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { manual(env.Stdout, cmd, verbs) })
	root.SetHelpCommand(newHelp(verbs))
	if completing {
		p.complete(root)
		for _, verb := range verbs {
			p.complete(verb)
		}
	}
	return root
}

// verbs are the commands, in the order that help has them in. Each has a file
// of its own.
func (p *program) verbs() []*cobra.Command {
	return []*cobra.Command{
		newList(p), newDescribe(p), newRadar(p), newArchived(p), newMetrics(p), newWait(p), newPeek(p), newConsume(p),
		newReset(p), newDelete(p), newDeleteOffsets(p), newConfig(p), newSettings(p), newCompletion(p),
	}
}

// asVerb lets fingers that know Kafka's own command find theirs: sharetop
// --describe --group g is sharetop describe --group g.
func asVerb(args []string) []string {
	for i, arg := range args {
		switch arg {
		case "--":
			return args
		case "--list", "--describe", "--delete", "--reset-offsets", "--delete-offsets":
			rest := append(append([]string{}, args[:i]...), args[i+1:]...)
			return append([]string{arg[2:]}, rest...)
		}
	}
	return args
}

// noArguments refuses anything that is not a flag.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasParent() {
		return fmt.Errorf("%s takes flags only, not %q; see sharetop help %s", cmd.Name(), args[0], cmd.Name())
	}
	return unknownCommand(cmd, args[0])
}

// root shows the screen, or prints one look.
func (p *program) root(ctx context.Context, f rootFlags, changed func(string) bool) error {
	form, err := parseFormat(p.shared.output)
	if err != nil {
		return err
	}
	if err := f.check(changed, form); err != nil {
		return err
	}
	v, err := p.open(ctx, opening{
		mayChange: func() bool { return !f.once }, mayAsk: !f.once, mayChoose: !f.once && p.env.StdoutIsTerminal,
	})
	if err != nil {
		return err
	}
	defer v.close()
	if f.once {
		return once(ctx, v, f)
	}
	return p.env.Screen(ctx, ScreenOptions{
		Source: v.source, Connection: v.connection, Request: v.request, Settings: v.resolved.Settings, Warnings: v.resolved.Warnings,
		Rules: v.rules, Demo: p.shared.demo, Group: f.group,
		UTC: p.shared.utc, ASCII: p.ascii(), Interval: f.interval,
		AuditFile: p.shared.auditFile, LogValues: f.logValues,
	})
}
