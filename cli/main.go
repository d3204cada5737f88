package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"sharetop/model"
)

// Main runs sharetop with the given arguments (without the program's name) and
// returns the exit code. Errors are one sentence on stderr.
func Main(ctx context.Context, args []string, env Env) int {
	root := newRoot(ctx, env)
	root.SetArgs(args)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	return report(env, root.Execute())
}

// report says what went wrong, and turns it into an exit code.
func report(env Env, err error) int {
	if err == nil {
		return ExitOK
	}
	code := ExitFailure
	if exit, ok := errors.AsType[*ExitError](err); ok {
		code = exit.Code
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(env.Stderr, "sharetop: %s\n", model.Sanitize(text))
	}
	return code
}

// newRoot is the program; settings is its only other command.
func newRoot(ctx context.Context, env Env) *cobra.Command {
	var f flags
	root := &cobra.Command{
		Use:   "sharetop",
		Short: "htop for Kafka share groups",
		Long: "sharetop shows Kafka share groups live: who is reading, how far behind, is it moving,\n" +
			"and if not, why not. With --once it prints one look and exits.",
		Example: "  sharetop --bootstrap-server localhost:9092\n" +
			"  sharetop --demo\n" +
			"  sharetop --bootstrap-server localhost:9092 --once --for 10s -o json",
		Args:              noArguments,
		SilenceUsage:      true,
		SilenceErrors:     true,
		DisableAutoGenTag: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.version {
				_, err := fmt.Fprintln(env.Stdout, "sharetop "+env.Version())
				return err
			}
			s, err := f.settings(cmd.Flags().Changed, env.Getenv)
			if err != nil {
				return err
			}
			return run(ctx, env, s)
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return fmt.Errorf("%w; see sharetop --help", err) })
	f.connect.register(root.PersistentFlags())
	f.register(root.Flags())
	root.AddCommand(newSettings(env, &f.connect))
	return root
}

// noArguments refuses anything that is not a flag.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("there is no command %q: there is only settings, all else are flags; see sharetop --help", args[0])
}

// run connects, and shows or prints.
func run(ctx context.Context, env Env, s settings) error {
	rules, err := env.Rules()
	if err != nil {
		return err
	}
	if err := s.connect(env); err != nil {
		return err
	}
	if s.demo {
		demo, err := env.Demo(ctx)
		if err != nil {
			return fmt.Errorf("the demo cluster did not start: %w", err)
		}
		defer demo.Stop()
		s.connection.Bootstrap = demo.Bootstrap
		s.connection.Name = model.NewText("demo")
	}
	source, err := env.Open(ctx, s.connection, s.request.Ask)
	if err != nil {
		return err
	}
	defer source.Close()
	if s.once {
		return once(ctx, env, s, source, rules)
	}
	return env.Screen(ctx, ScreenOptions{
		Source: source, Connection: s.connection, Rules: rules, Demo: s.demo, Group: s.group,
		UTC: s.utc, ASCII: s.ascii, Interval: s.interval,
		AuditFile: s.auditFile, LogValues: s.logValues,
	})
}

// connect finds out how to connect. A person at the screen is asked for what is
// missing; --once asks nothing.
func (s *settings) connect(env Env) error {
	if !s.once {
		s.request.Ask = env.Ask
	}
	resolved, err := env.Connect(s.request)
	warn(env, resolved.Warnings)
	if err != nil {
		return err
	}
	conn := resolved.Connection
	conn.OffsetsFrom, conn.DialTimeout = s.connection.OffsetsFrom, s.connection.DialTimeout
	// One look changes nothing, so it need not be able to.
	conn.ReadOnly = conn.ReadOnly || s.once
	s.connection = conn
	return nil
}
