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
	state string
	lag   bool
	watch time.Duration
	// states are what state asks for; empty for all.
	states []model.GroupState
}

// anyState is what --state is without a value: Kafka's own command then only
// shows states, which list always does.
const anyState = "any"

func newList(p *program) *cobra.Command {
	var f listFlags
	cmd := p.command("list", "List share groups with their states and members", opening{},
		f.run)
	cmd.Long = "list prints the share groups of the cluster by name. With --lag it also asks for their offsets,\n" +
		"and prints lag and verdict, the worst first."
	cmd.Example = "  sharetop list --state Empty\n  sharetop list --lag --for 10s -o csv"
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.state, "state", "", "only groups in these states: Empty, Stable, Dead (`states`, separated by commas)")
	flags.Lookup("state").NoOptDefVal = anyState
	flags.BoolVar(&f.lag, "lag", false, "lag and verdict too")
	flags.DurationVar(&f.watch, "for", 0, "with --lag: watch this long first, so that there are rates (`duration`, e.g. 10s)")
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
		if watched && !f.lag {
			return errors.New("--for does nothing without --lag")
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
	rows := board.Rows
	if f.lag {
		rows = model.Query{}.Arrange(board)
	}
	out := v.printer(listSheet(f.lag))
	for _, row := range rows {
		if len(f.states) == 0 || slices.Contains(f.states, row.Group.State) {
			out.add(listCells(row, f.lag)...)
		}
	}
	problems := model.AllProblems(board.Snapshot)
	if err := out.end(problems); err != nil {
		return err
	}
	return v.tell(problems, l.timedOut)
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

func listCells(row *model.Row, lag bool) []cell {
	g := row.Group
	cells := []cell{
		of(g.ID), word(string(g.State)), of(row.Members), broker(g.Coordinator),
		of(g.Epoch), of(g.AssignmentEpoch), outside(g.Assignor),
	}
	if lag {
		how := severityTone(row.Verdict.Severity)
		cells = append(cells, of(row.Partitions), total(row), of(row.LagPartial), of(row.In), of(row.Done), of(drainTime(row.Drain)),
			toned(word(row.Verdict.Severity.String()), how), word(string(row.Verdict.Finding)), toned(word(row.Verdict.Text), how))
	}
	return cells
}
