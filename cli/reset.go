package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sharetop/model"
)

// resetFlags are the flags of reset-offsets.
type resetFlags struct {
	group     groupFlags
	topics    []string
	allTopics bool
	target    targetFlags
	execute   executeFlags
	export    bool
	waitEmpty time.Duration

	id    model.GroupID
	scope model.ResetScope
	// kind and text are the target as it was given.
	kind model.TargetKind
	text string
}

func newReset(p *program) *cobra.Command {
	var f resetFlags
	cmd := p.command("reset-offsets GROUP {--topic T[:0,1]… | --all-topics | --from-file F} --to-…",
		"Move the start offsets of a share group, by a plan", f.execute.opening(), f.run)
	cmd.Long = "reset-offsets prints what moving the start offsets would do to each partition: how many records are\n" +
		"delivered again, and how many never. With --execute it looks again, keeps an undo file, writes, and\n" +
		"reads back; it refuses when anything moved since the plan, or while the group has members."
	cmd.Example = "  sharetop reset-offsets payments-retry --topic refunds --to-earliest\n" +
		"  sharetop reset-offsets payments-retry --all-topics --by-duration PT2H --execute --wait-empty 1m\n" +
		"  sharetop reset-offsets payments-retry --from-file undo.csv --execute"
	flags := cmd.Flags()
	f.group.register(flags)
	flags.StringArrayVar(&f.topics, "topic", nil, "`topic`, with all partitions or some of them: orders:0,1; can be given again")
	flags.BoolVar(&f.allTopics, "all-topics", false, "all that the group has offsets of")
	f.target.register(flags)
	f.execute.register(flags)
	flags.BoolVar(&f.export, "export", false, "print the plan as the CSV that --from-file reads")
	flags.DurationVar(&f.waitEmpty, "wait-empty", 0, "with --execute: wait for this `duration` until the group's members have left")
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error { return f.check(p, cmd.Flags().Changed, args) }
	return cmd
}

// targetFlags say where start offsets go; exactly one of them is given.
type targetFlags struct {
	earliest, latest, current bool
	offset, datetime          string
	duration, shift           string
	file                      string
}

func (f *targetFlags) register(set *pflag.FlagSet) {
	set.BoolVar(&f.earliest, "to-earliest", false, "to the start of the log")
	set.BoolVar(&f.latest, "to-latest", false, "to the end of the log")
	set.BoolVar(&f.current, "to-current", false, "where it is: places only partitions that have no start offset yet")
	set.StringVar(&f.offset, "to-offset", "", "to this `offset`, kept within the log")
	set.StringVar(&f.datetime, "to-datetime", "", "to the first record at or after this `time`, e.g. 2026-11-28T00:00:00Z")
	set.StringVar(&f.duration, "by-duration", "", "to this `duration` ago: PT1H, P1DT12H or 90m")
	set.StringVar(&f.shift, "shift-by", "", "by so many `records`: 100 skips, -100 goes back")
	set.StringVar(&f.file, "from-file", "", "to the offsets in this CSV `file`, or - for stdin: [group,]topic,partition,offset")
}

// given is the kind of target that was given, with its text. The error is for
// none, or for more than one.
func (f *targetFlags) given(changed func(string) bool) (kind model.TargetKind, text string, err error) {
	values := map[model.TargetKind]string{
		model.ToOffset: f.offset, model.ToTime: f.datetime, model.ToBack: f.duration, model.ToShift: f.shift, model.ToFile: f.file,
	}
	var names []string
	for _, k := range model.TargetKinds() {
		if changed(k.String()) {
			names = append(names, "--"+k.String())
			kind, text = k, values[k]
		}
	}
	switch len(names) {
	case 0:
		return 0, "", errors.New("say where the start offsets go: --to-earliest, --to-latest, --to-offset N, --to-datetime T, " +
			"--by-duration D, --shift-by N, --to-current or --from-file F")
	case 1:
		return kind, text, nil
	}
	return 0, "", fmt.Errorf("%s exclude each other", strings.Join(names, " and "))
}

func (f *resetFlags) check(p *program, changed func(string) bool, args []string) (err error) {
	if f.id, err = f.group.one(args); err != nil {
		return err
	}
	if f.kind, f.text, err = f.target.given(changed); err != nil {
		return err
	}
	if f.kind != model.ToFile {
		// Said now rather than after connecting.
		if _, err := model.ParseTarget(f.kind, f.text, p.env.Now(), p.zone()); err != nil {
			return fmt.Errorf("--%s: %w", f.kind, err)
		}
	}
	if f.scope, err = model.ParseScope(strings.Join(f.topics, " ")); err != nil {
		return fmt.Errorf("--topic: %w", err)
	}
	named := 0
	for _, scope := range []bool{len(f.topics) > 0, f.allTopics, f.kind == model.ToFile} {
		if scope {
			named++
		}
	}
	switch {
	case named != 1:
		return errors.New("say which start offsets: one of --topic, --all-topics and --from-file")
	case f.waitEmpty < 0 || f.waitEmpty > maxTimeout:
		return fmt.Errorf("--wait-empty %s is out of bounds: use at most %s", f.waitEmpty, maxTimeout)
	case f.waitEmpty > 0 && !f.execute.execute:
		return errors.New("--wait-empty does nothing without --execute")
	}
	return f.execute.check()
}

// zone is what times without a zone are in.
func (p *program) zone() *time.Location {
	if p.shared.utc {
		return time.UTC
	}
	return time.Local
}

func (f *resetFlags) run(ctx context.Context, v *visit) error {
	target, err := f.to(v)
	if err != nil {
		return err
	}
	changer, err := v.changer(f.execute.execute)
	if err != nil {
		return err
	}
	scope := f.scope
	if target.Kind == model.ToFile {
		scope = model.ResetScope{}
		for place := range target.File {
			scope.Partitions = append(scope.Partitions, place)
		}
	}
	request := model.LookRequest{Group: f.id, Scope: scope, Target: target}
	look, err := f.empty(ctx, v, changer, request)
	if err != nil {
		return err
	}
	plan := model.MakePlan(look, scope, target)
	switch {
	case len(plan.Rows) == 0 && !look.Exists:
		return fmt.Errorf("there is no share group %s on this cluster, and so no topic of it: name one with --topic", f.id)
	case len(plan.Rows) == 0:
		return fmt.Errorf("share group %s has no start offsets to move: name a topic with --topic", f.id)
	case len(look.Members) > 0 && f.execute.execute:
		return errors.Join(f.print(v, plan, nil), exit(ExitRefused, "refused: "+lowerFirst(plan.MembersText())))
	case f.execute.execute:
		return f.write(ctx, v, changer, plan)
	case len(look.Members) > 0:
		v.say("--execute would be refused now: %s", lowerFirst(plan.MembersText()))
	}
	return f.print(v, plan, nil)
}

// to is the target. A file is read here: it may be stdin.
func (f *resetFlags) to(v *visit) (model.ResetTarget, error) {
	if f.kind != model.ToFile {
		return model.ParseTarget(f.kind, f.text, v.env.Now(), v.zone())
	}
	in, name := v.env.Stdin, "stdin"
	if f.target.file != "-" {
		file, err := os.Open(f.target.file)
		if err != nil {
			return model.ResetTarget{}, err
		}
		defer file.Close()
		in, name = io.Reader(file), f.target.file
	}
	rows, others, err := model.ReadPlan(in, f.id)
	if err != nil {
		return model.ResetTarget{}, fmt.Errorf("--from-file %s: %w", name, err)
	}
	if others > 0 {
		v.say("lines of other groups are left out: %d", others)
	}
	return model.ResetTarget{Kind: model.ToFile, File: rows, Name: model.NewText(name)}, nil
}

// empty looks at the group, again and again while it has members and there is
// still time to wait for them.
func (f *resetFlags) empty(ctx context.Context, v *visit, changer Changer, r model.LookRequest) (*model.GroupLook, error) {
	const every = time.Second
	until := v.env.Now().Add(f.waitEmpty)
	for told := false; ; told = true {
		look, err := changer.Look(ctx, r)
		switch {
		case ctx.Err() != nil:
			return nil, exit(ExitInterrupted, "interrupted; nothing was written")
		case err != nil:
			return nil, err
		case len(look.Members) == 0 || f.waitEmpty == 0:
			return look, nil
		case !v.env.Now().Before(until):
			return nil, exit(ExitTimeout, fmt.Sprintf("%s still has members after %s: %s; nothing was written",
				f.id, f.waitEmpty, model.NameMembers(look.Members)))
		}
		if !told {
			v.say("waiting for %s to leave", model.NameMembers(look.Members))
		}
		select {
		case <-ctx.Done():
		case <-time.After(every):
		}
	}
}

// write writes a plan and prints what came of each partition.
func (f *resetFlags) write(ctx context.Context, v *visit, changer Changer, plan *model.Plan) error {
	if plan.Totals().Written == 0 {
		v.say("nothing to write: no start offset changes")
		return f.print(v, plan, nil)
	}
	result, err := changer.Reset(ctx, plan)
	if err != nil {
		return err
	}
	v.remark(result.Sentences(plan)...)
	if len(result.Moved) > 0 {
		return exit(ExitRefused, "refused: the plan no longer holds")
	}
	return f.print(v, plan, result)
}

// print prints a plan, with what came of it where it was written. The error says
// that some of it was not, or could not be.
func (f *resetFlags) print(v *visit, plan *model.Plan, result *model.ResetResult) error {
	if result == nil && !f.export {
		v.remark(plan.Consequences()...)
	}
	out, counts := v.printer(planSheet()), outcomes{}
	for i := range plan.Rows {
		row := &plan.Rows[i]
		what, detail := rowOutcome(row, result)
		counts[what]++
		out.add(
			of(plan.Group), of(row.Topic), of(int64(row.Partition)), of(row.Now), of(row.New), of(row.Move()),
			of(span(row.Again())), of(span(row.Ahead)), of(span(row.Never)), what.cell(), word(detail),
		)
	}
	if f.export {
		return errors.Join(wrote(v.env.Stdout.Write(plan.CSV())), counts.error())
	}
	return errors.Join(out.end(nil), counts.error())
}

// leftOut is the outcome of a row that is not written: its number is the same,
// or the target is none for it.
const leftOut outcome = "left-out"

func rowOutcome(row *model.PlanRow, result *model.ResetResult) (what outcome, detail string) {
	switch {
	case row.Unseen:
		return failed, row.Note
	case !row.Write:
		return leftOut, row.Note
	case result == nil:
		return planned, row.Note
	}
	for i := range result.Rows {
		if r := &result.Rows[i]; r.TopicPartition == row.TopicPartition {
			if r.OK() {
				return done, r.Outcome()
			}
			return failed, strings.TrimSpace(r.Outcome() + " " + r.Advice)
		}
	}
	return failed, "nothing is known of it"
}

func planSheet() sheet {
	return sheet{name: "plan", columns: []column{
		{title: "GROUP", name: "groupId"},
		{title: "TOPIC", name: "topicName"},
		{title: "PARTITION>", name: "partitionIndex"},
		{title: "NOW>", name: "startOffset"},
		{title: "NEW-OFFSET>", name: "newOffset"},
		{title: "MOVE>", name: "move"},
		{title: "DELIVERED-AGAIN>", name: "deliveredAgain"},
		{title: "AHEAD>", name: "finishedAhead", wide: true},
		{title: "NEVER-DELIVERED>", name: "neverDelivered"},
		{title: "OUTCOME", name: "outcome"},
		{title: "DETAIL", name: "detail"},
	}}
}

// span is a count that may be known by its bounds only: a list of two in JSON,
// "12 to 41" elsewhere.
type span model.Span

func (s span) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "[%d,%d]", s.Low, s.High), nil }

func (s span) text(model.TextForm) string {
	if s.Low == s.High {
		return strconv.FormatInt(s.Low, 10)
	}
	return fmt.Sprintf("%d to %d", s.Low, s.High)
}
