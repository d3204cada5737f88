package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"sharetop/model"
)

// archivedFlags are the flags of archived.
type archivedFlags struct {
	groups groupFlags
	follow bool
	id     model.GroupID
}

// newArchived is the command that writes the records that a group gives up.
func newArchived(p *program) *cobra.Command {
	var f archivedFlags
	cmd := p.command("archived GROUP", "Write the records that a share group gave up, as JSON lines", opening{}, f.run)
	cmd.Long = "archived writes the records of a share group that were given up (rejected, or at the delivery\n" +
		"limit), oldest first, as JSON lines unless -o asks for something else: those at or above the\n" +
		"start offsets, and with --follow all that are given up from now on. Those given up before\n" +
		"that are below a start offset are no longer told apart from accepted ones."
	cmd.Example = "  sharetop archived payments-retry -o table\n  sharetop archived payments-retry --follow | tee lost.jsonl"
	f.groups.register(cmd.Flags())
	cmd.Flags().BoolVarP(&f.follow, "follow", "f", false, "go on, and write each as it is given up")
	setDefault(cmd, "output", "jsonl")
	cmd.Args = cobra.ArbitraryArgs
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		ids, err := f.groups.named(args)
		if err != nil {
			return err
		}
		if len(ids) > 1 {
			return fmt.Errorf("archived is about one share group; %d were named", len(ids))
		}
		f.id = ids[0]
		if !cmd.Flags().Changed("output") {
			p.shared.output = "jsonl"
		}
		return p.byStateTopic(cmd)
	}
	return cmd
}

func (f *archivedFlags) run(ctx context.Context, v *visit) error {
	l := v.look(0)
	l.scope.Open, l.scope.Archived = f.id, true // so that its delivery limit is asked for, and what is there
	board, err := v.stateLook(ctx, l)
	if err != nil {
		return err
	}
	if err := l.absence(f.id); err != nil {
		return err
	}
	w := &archivedWriter{visit: v, printer: v.printer(archivedSheet()), feed: model.ArchivedFeed{Group: f.id}}
	if err := w.take(board.Snapshot); err != nil {
		return err
	}
	if f.follow {
		return w.follow(ctx, l)
	}
	problems := model.AllProblems(board.Snapshot)
	if err := w.end(problems); err != nil {
		return err
	}
	if w.total == 0 {
		v.say("no archived record of %s is at or above a start offset; those below can't be told from accepted ones", f.id)
	}
	return v.tell(problems, l.timedOut)
}

// archivedWriter writes what a feed gives.
type archivedWriter struct {
	*visit
	*printer
	feed model.ArchivedFeed
	// quiet is true while it was said that nothing comes in.
	quiet bool
}

// whileRead is a context that ends also when nobody reads the output any more;
// then its cause is the error to end with.
func (v *visit) whileRead(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	if v.env.ReaderGone != nil {
		go func() {
			if v.env.ReaderGone(ctx) {
				end(&ExitError{Code: ExitPipe})
			}
		}()
	}
	return ctx, func() { end(nil) }
}

// follow writes until it is ended, or nobody reads it any more.
func (w *archivedWriter) follow(ctx context.Context, l *look) error {
	ctx, end := w.whileRead(ctx)
	defer end()
	s := l.last
	if s.State != nil {
		w.say("all that is archived since %s is written; of what was before, what is at or above a start offset",
			model.FormatClock(s.State.Since, w.shared.utc))
	}
	l.scope.Once = false
	for {
		next, err := w.source.Watch(ctx, l.scope, s.Version)
		if gone, ok := errors.AsType[*ExitError](context.Cause(ctx)); ok {
			return gone
		}
		switch {
		case ctx.Err() != nil:
			return w.last(s, &ExitError{Code: ExitInterrupted, Err: errors.New("interrupted")})
		case err != nil:
			return w.last(s, fmt.Errorf("watching the cluster failed: %w", err))
		}
		s = next
		if err := w.take(s); err != nil {
			return err
		}
	}
}

// last writes what still waits for a look, before it ends with an error.
func (w *archivedWriter) last(s *model.Snapshot, end error) error {
	w.feed.Hurry = true
	if err := w.take(s); err != nil {
		return err
	}
	return end
}

// take writes what is new in a snapshot, and says when something may be missing.
func (w *archivedWriter) take(s *model.Snapshot) error {
	rows, missed := w.feed.Take(s)
	if missed {
		w.say("some events were missed: what is below a start offset by now is not written")
	}
	if off := s.State == nil; off != w.quiet {
		w.quiet = off
		if off {
			w.say("nothing is followed now: %s", s.Offsets.Why)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	for _, r := range rows {
		w.add(archivedCells(r)...)
	}
	return w.flush()
}

func archivedSheet() sheet {
	return sheet{name: "archived", columns: append([]column{{title: "WHEN", name: "archivedAt"}}, append(runColumns(),
		column{title: "STATE", name: "state"},
		column{title: "REASON", name: "reason"},
		column{title: "BELOW-START", name: "belowStart", wide: true})...)}
}

func archivedCells(r *model.ArchivedRow) []cell {
	when := cell{}
	if !r.At.IsZero() {
		when = of(r.At.Truncate(time.Millisecond))
	}
	return append(append([]cell{when}, runCells(r.Group, r.Place, r.StateBatch, r.Records(), r.Limit)...),
		word(r.State.String()), word(r.Reason().String()), of(r.BelowStart))
}
