package cli

import (
	"context"

	"github.com/spf13/cobra"

	"sharetop/model"
)

// newRadar is the command that lists the records on their second or a later
// delivery.
func newRadar(p *program) *cobra.Command {
	cmd := p.command("radar", "List records on their second or a later delivery, worst first", opening{}, radar)
	cmd.Long = "radar lists the records of all share groups that were given back at least once and are not\n" +
		"finished, those first that are closest to being given up. It reads the topic __share_group_state."
	cmd.Example = "  sharetop radar\n  sharetop radar -o jsonl | jq 'select(.nextDeliveryIsLast)'"
	cmd.Args = noArguments
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return p.byStateTopic(cmd) }
	return cmd
}

func radar(ctx context.Context, v *visit) error {
	l := v.look(0)
	board, err := v.stateLook(ctx, l)
	if err != nil {
		return err
	}
	found := model.RadarOf(board.Snapshot, nil)
	out := v.printer(radarSheet())
	for _, r := range found.Rows {
		out.add(radarCells(r)...)
	}
	problems := model.AllProblems(board.Snapshot)
	if err := out.end(problems); err != nil {
		return err
	}
	if more := found.Runs - int64(len(found.Rows)); more > 0 {
		v.say("the worst %s of %s runs of records are listed", model.FormatInt(int64(len(found.Rows))), model.FormatInt(found.Runs))
	}
	return v.tell(problems, l.timedOut)
}

func radarSheet() sheet {
	return sheet{name: "radar", columns: append(runColumns(),
		column{title: "LEFT>", name: "deliveriesLeft"},
		column{title: "NEXT-IS-LAST", name: "nextDeliveryIsLast"},
		column{title: "HALVED-SINCE>", name: "batchesHalvedSinceDelivery", wide: true},
		column{title: "AT-HEAD", name: "atHead"})}
}

func radarCells(r *model.RadarRow) []cell {
	last, halved := of(r.NextIsLast()), cell{}
	if r.NextIsLast() {
		last = toned(last, warnTone)
	}
	if from, halves := r.Halving(); halves {
		halved = of(from)
	}
	return append(runCells(r.Group, r.Place, r.StateBatch, r.Len(), r.Limit), of(r.Left()), last, halved, of(r.Head))
}
