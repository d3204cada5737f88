package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sharetop/model"
)

// waitFlags are the flags of wait.
type waitFlags struct {
	group         groupFlags
	lag           int64
	byLag         bool
	empty, stable bool
	id            model.GroupID
}

// defaultWait is how long wait waits where --timeout is not given.
const defaultWait = 5 * time.Minute

func newWait(p *program) *cobra.Command {
	var f waitFlags
	cmd := p.command("wait GROUP {--lag N | --empty | --stable}", "Wait until a share group has caught up, is empty or is stable", opening{}, f.run)
	cmd.Long = "wait ends with 0 as soon as all that is asked for holds, and with 4 when --timeout is over\n" +
		"before that; then it says what is in the way. It prints the group as list does."
	cmd.Example = "  sharetop wait payments-retry --lag 0 --timeout 2m && deploy\n  sharetop wait payments-retry --empty && sharetop reset-offsets …"
	flags := cmd.Flags()
	f.group.register(flags)
	flags.Int64Var(&f.lag, "lag", 0, "until the lag is `N` or less, with no part of it unknown")
	flags.BoolVar(&f.empty, "empty", false, "until the group has no members")
	flags.BoolVar(&f.stable, "stable", false, "until it has members and all of them their assignment")
	setDefault(cmd, "timeout", "5m")
	cmd.PreRunE = func(cmd *cobra.Command, args []string) (err error) {
		f.byLag = cmd.Flags().Changed("lag")
		if f.id, err = f.group.one(args); err != nil {
			return err
		}
		switch {
		case !f.byLag && !f.empty && !f.stable:
			return errors.New("say what to wait for: --lag N, --empty or --stable")
		case f.empty && f.stable:
			return errors.New("a group is never both empty and stable")
		case f.lag < 0:
			return fmt.Errorf("--lag %d can't be: use 0 or more", f.lag)
		}
		if !cmd.Flags().Changed("timeout") {
			p.shared.timeout = defaultWait
		}
		return nil
	}
	return cmd
}

func (f *waitFlags) run(ctx context.Context, v *visit) error {
	limited, cancel := context.WithTimeout(ctx, v.shared.timeout)
	defer cancel()
	l := v.look(0)
	l.about(f.id)
	l.scope.Once = false
	for {
		var after model.Version
		if l.last != nil {
			after = l.last.Version
		}
		s, err := v.source.Watch(limited, l.scope, after)
		switch {
		case ctx.Err() != nil:
			return exit(ExitInterrupted, "interrupted")
		case err != nil:
			return f.timeout(v, l, err)
		}
		l.last = s
		board := l.boardNow()
		switch {
		case cannotConnect(s):
			return unreachable(s)
		case l.missing(s, f.id) != nil:
			return l.missing(s, f.id)
		}
		if row := board.Row(f.id); row != nil && f.missing(row) == "" {
			out, cells := v.printer(listSheet(f.byLag)), listCells(row.Group)
			if f.byLag {
				cells = append(cells, lagCells(row)...)
			}
			out.add(cells...)
			return out.end(nil)
		}
	}
}

// missing says what does not hold yet, in words; empty when all does.
func (f *waitFlags) missing(row *model.Row) string {
	var all []string
	if lag, known := row.Lag.Get(); f.byLag && (!known || row.LagPartial || lag > f.lag) {
		all = append(all, "its lag is "+model.FormatTotal(row.Lag, row.LagPartial))
	}
	g := row.Group
	seen := !g.Described.IsZero()
	if f.empty && (!seen || len(g.Members) > 0) {
		all = append(all, "its members are "+model.NameMembers(g.Members))
	}
	if f.stable && (!seen || g.State != model.GroupStable || g.Epoch != g.AssignmentEpoch || len(g.Members) == 0) {
		all = append(all, fmt.Sprintf("it is %s, epoch %s, assignment epoch %s", g.State,
			model.FormatNumber(g.Epoch), model.FormatNumber(g.AssignmentEpoch)))
	}
	return strings.Join(all, "; ")
}

// timeout says what is in the way when the time is over.
func (f *waitFlags) timeout(v *visit, l *look, err error) error {
	if !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("watching the cluster failed: %w", err)
	}
	if l.last == nil || l.last.Listed.IsZero() {
		return unreachable(l.last)
	}
	row := l.boardNow().Row(f.id)
	if row == nil {
		return l.absence(f.id)
	}
	return exit(ExitTimeout, fmt.Sprintf("%s after %s: %s (%s)", f.id, v.shared.timeout, f.missing(row), row.Verdict.Text))
}
