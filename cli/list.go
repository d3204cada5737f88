package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sharetop/model"
)

// listFlags are the flags of list.
type listFlags struct {
	state  string
	lag    bool
	watch  time.Duration
	filter string
	// query is what filter asks for.
	query model.Query
	// states are what state asks for; empty for all.
	states []model.GroupState
}

// anyState is what --state is without a value: Kafka's own command then only
// shows states, which list always does.
const anyState = "any"

func newList(p *program) *cobra.Command {
	var f listFlags
	cmd := p.command("list", "List share groups with their states and members", opening{}, f.run)
	cmd.Long = "list prints the share groups of the cluster by name, which takes a request or two to each broker. With\n" +
		"--lag it asks for their offsets too, and prints lag and verdict, the worst first."
	cmd.Example = "  sharetop list --state Empty\n  sharetop list --lag --filter '/^pay/ lag>1000'\n  sharetop list --lag --for 10s -o csv"
	flags := cmd.Flags()
	flags.StringVar(&f.state, "state", "", "only groups in these `states`: Empty, Stable, Dead, separated by commas; all without a value")
	flags.Lookup("state").NoOptDefVal = anyState
	flags.BoolVar(&f.lag, "lag", false, "lag and verdict too, the worst first")
	flags.StringVar(&f.filter, "filter", "", "with --lag: only groups that this `filter` lets through, as after / on the screen, e.g. 'why:stuck lag>1000'")
	flags.DurationVar(&f.watch, "for", 0, "with --lag: watch for this `duration` first, e.g. 10s, so that there are rates")
	// --state STATE in two words: the flag has an optional value, so the second
	// word comes as an argument.
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if f.state == anyState && len(args) == 1 {
			return nil
		}
		return noArguments(cmd, args)
	}
	cmd.PreRunE = func(cmd *cobra.Command, args []string) (err error) {
		watched := cmd.Flags().Changed("for")
		switch {
		case watched && !f.lag:
			return errors.New("--for does nothing without --lag")
		case f.filter != "" && !f.lag:
			return errors.New("--filter does nothing without --lag")
		}
		if f.query.Filter, err = model.ParseFilter(f.filter); err != nil {
			return fmt.Errorf("--filter: %w", err)
		}
		if f.states, err = f.wanted(args); err != nil {
			return err
		}
		return checkWatch(f.watch, watched)
	}
	return cmd
}

func (f *listFlags) run(ctx context.Context, v *visit) error {
	l := v.look(f.watch)
	l.scope.NoOffsets = !f.lag
	board, err := l.run(ctx)
	if err != nil {
		return err
	}
	out := v.printer(listSheet(f.lag))
	f.add(out, board)
	problems := model.AllProblems(board.Snapshot)
	if err := out.end(problems); err != nil {
		return err
	}
	return v.tell(problems, l.timedOut)
}

// add adds a row for each group: by name, or with lag the worst first.
func (f *listFlags) add(out *printer, board *model.Board) {
	if !f.lag {
		for _, g := range board.Snapshot.Groups {
			if f.wants(g) {
				out.add(listCells(g)...)
			}
		}
		return
	}
	for _, row := range f.query.Arrange(board) {
		if f.wants(row.Group) {
			out.add(append(listCells(row.Group), lagCells(row)...)...)
		}
	}
}

func (f *listFlags) wants(g *model.Group) bool {
	return len(f.states) == 0 || slices.Contains(f.states, g.State)
}

// wanted are the states that were asked for; empty for all.
func (f *listFlags) wanted(args []string) ([]model.GroupState, error) {
	text := f.state
	switch {
	case text == anyState && len(args) == 0, text == "":
		return nil, nil
	case text == anyState:
		text = args[0]
	}
	var states []model.GroupState
	for name := range strings.SplitSeq(text, ",") {
		known := []model.GroupState{model.GroupEmpty, model.GroupStable, model.GroupDead}
		i := slices.IndexFunc(known, func(s model.GroupState) bool {
			return strings.EqualFold(string(s), strings.TrimSpace(name))
		})
		if i < 0 {
			return nil, fmt.Errorf("--state %s: %q is not a state of share groups: use Empty, Stable or Dead", text, name)
		}
		states = append(states, known[i])
	}
	return states, nil
}

// listSheet has what a list of groups tells; lag adds what offsets do.
func listSheet(lag bool) sheet {
	columns := []column{
		{title: "GROUP", name: "groupId"},
		{title: "STATE", name: "groupState"},
		{title: "MEMBERS>", name: "memberCount"},
		{title: "COORDINATOR>", name: "coordinator", wide: true},
		{title: "EPOCH>", name: "groupEpoch", wide: true},
		{title: "ASSIGNMENT-EPOCH>", name: "assignmentEpoch", wide: true},
		{title: "ASSIGNOR", name: "assignorName", wide: true},
	}
	if lag {
		columns = append(columns,
			column{title: "PARTITIONS>", name: "partitionCount"}, column{title: "LAG>", name: "lag"},
			column{title: "PARTIAL", name: "lagPartial", wide: true},
			column{title: "IN/s>", name: "inPerSecond", wide: true}, column{title: "DONE/s>", name: "donePerSecond", wide: true},
			column{title: "DRAIN>", name: "drainSeconds", wide: true},
			column{title: "SEVERITY", name: "severity"}, column{title: "FINDING", name: "finding", wide: true},
			column{title: "WHY", name: "verdict"})
	}
	return sheet{name: "groups", columns: columns}
}

func listCells(g *model.Group) []cell {
	return []cell{
		of(g.ID), word(string(g.State)), members(g), broker(g.Coordinator), of(g.Epoch), of(g.AssignmentEpoch), outside(g.Assignor),
	}
}

// members counts members; unknown for a group that was not described.
func members(g *model.Group) cell {
	if g.Described.IsZero() {
		return cell{}
	}
	return of(int64(len(g.Members)))
}

func lagCells(row *model.Row) []cell {
	how := severityTone(row.Verdict.Severity)
	return []cell{
		of(row.Partitions), total(row), of(row.LagPartial), of(row.In), of(row.Done), of(drainTime(row.Drain)),
		toned(word(row.Verdict.Severity.String()), how), word(string(row.Verdict.Finding)), toned(word(row.Verdict.Text), how),
	}
}
