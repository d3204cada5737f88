package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"sharetop/model"
)

// program is what all commands share: the world, and the flags about the
// cluster and the output.
type program struct {
	env     Env
	connect connectFlags
	shared  sharedFlags
}

// opening says how a command wants to be connected.
type opening struct {
	// mayChange tells whether the connection is left able to change something,
	// unless the person made it read-only; nil for never.
	mayChange func() bool
	// mayAsk asks a person for missing secrets: only the screen does.
	mayAsk bool
	// mayChoose makes no connection when no cluster was given but there are some
	// to choose from: the source is nil then, and a person chooses on the screen.
	mayChoose bool
}

// visit is one connection to a cluster, for one command.
type visit struct {
	*program
	source     Source
	connection model.Connection
	// request says how to connect; resolved is what has come of it.
	request  model.ConnectRequest
	resolved model.Resolved
	rules    model.Rules
	format   format
	closers  []func()
}

// open connects. It does not wait for the cluster.
func (p *program) open(ctx context.Context, o opening) (*visit, error) {
	v := &visit{program: p}
	err := v.open(ctx, o)
	if err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

func (v *visit) open(ctx context.Context, o opening) (err error) {
	if err = v.shared.check(&v.connect); err != nil {
		return err
	}
	if v.format, err = parseFormat(v.shared.output); err != nil {
		return err
	}
	from, err := v.shared.offsetsChoice()
	if err != nil {
		return err
	}
	if v.rules, err = v.env.Rules(); err != nil {
		return err
	}
	request := v.connect.request()
	request.NoCluster = v.shared.demo
	if o.mayAsk {
		request.Ask = v.env.Ask
	}
	resolved, err := v.env.Connect(request)
	warn(v.env, resolved.Warnings)
	toChoose := o.mayChoose && errors.Is(err, model.ErrNoCluster)
	if err != nil && !toChoose {
		return err
	}
	v.request, v.resolved = request, resolved
	v.connection = resolved.Connection
	v.connection.OffsetsFrom, v.connection.StateBudget = from, v.shared.budget.Or(v.rules.StateBudget)
	v.connection.DialTimeout = min(v.shared.timeout, model.DefaultDialTimeout)
	// Who only looks need not be able to change anything.
	v.connection.ReadOnly = v.readOnly() || o.mayChange == nil || !o.mayChange()
	if toChoose {
		return nil
	}
	if err := v.startDemo(ctx); err != nil {
		return err
	}
	v.source, err = v.env.Open(ctx, v.connection, request.Ask)
	if err == nil {
		v.closers = append(v.closers, v.source.Close)
	}
	return err
}

// startDemo starts the demo cluster where it was asked for.
func (v *visit) startDemo(ctx context.Context) error {
	if !v.shared.demo {
		return nil
	}
	demo, err := v.env.Demo(ctx)
	if err != nil {
		return fmt.Errorf("the demo cluster did not start: %w", err)
	}
	v.closers = append(v.closers, demo.Stop)
	v.connection.Bootstrap = demo.Bootstrap
	v.connection.Name = model.NewText("demo")
	return nil
}

// readOnly tells whether the person made the connection so.
func (v *visit) readOnly() bool { return v.resolved.Connection.ReadOnly }

// close ends the connection, then what it was made to.
func (v *visit) close() {
	for i := len(v.closers) - 1; i >= 0; i-- {
		v.closers[i]()
	}
}

// ascii tells whether nothing but ASCII is to be written.
func (p *program) ascii() bool { return p.shared.ascii || !model.SpeaksUTF8(p.env.Getenv) }

// printer writes rows of a sheet as the flags ask for.
func (v *visit) printer(s sheet) *printer {
	return &printer{
		out: v.env.Stdout, sheet: s, format: v.format, noHeader: v.shared.noHeader,
		terminal: v.env.StdoutIsTerminal, colours: v.env.StdoutIsTerminal && wantsColours(v.env.Getenv),
		ascii: v.ascii(), utc: v.shared.utc, form: textForm(v.env),
	}
}

// wantsColours goes by NO_COLOR (no-color.org), and by terminals that have none.
func wantsColours(getenv func(string) string) bool {
	return getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// say writes one sentence to stderr; outside text in it is safe already.
func (p *program) say(format string, args ...any) {
	fmt.Fprintf(p.env.Stderr, "sharetop: %s\n", fmt.Sprintf(format, args...))
}

// tell writes problems to stderr, and returns the error that says that
// something is missing; nil when nothing is. Problems that read-only mode makes
// hide nothing of what there is to see.
func (p *program) tell(problems []model.Problem, timedOut bool) error {
	missing := 0
	for _, problem := range problems {
		if problem.Kind == model.ProblemReadOnly {
			continue
		}
		missing++
		p.say("%s: %s", problem.Target, model.ProblemSentence(problem))
	}
	switch {
	case timedOut:
		return exit(ExitPartial, "the cluster did not answer everything in time: the output is partial; a longer --timeout may help")
	case missing > 0:
		return exit(ExitPartial, "the output is partial")
	}
	return nil
}

// command is one verb. Who makes it adds its flags, and a PreRunE that checks
// them before anything is connected.
func (p *program) command(use, short string, o opening, run func(ctx context.Context, v *visit) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := p.open(cmd.Context(), o)
			if err != nil {
				return err
			}
			defer v.close()
			return run(cmd.Context(), v)
		},
	}
	cmd.Flags().SortFlags = false // what belongs together stands together
	return cmd
}

// look prepares a look at the cluster, and watches that long if it is above 0.
func (v *visit) look(watch time.Duration) *look {
	l := newLook(v.env, v.source, v.rules, v.shared.timeout)
	l.watch = watch
	return l
}
