package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sharetop/model"
)

// configFlags are the flags of config.
type configFlags struct {
	group   groupFlags
	unset   []string
	execute executeFlags
	// id is the group, changes what is to be changed.
	id      model.GroupID
	changes []model.ConfigChange
}

func newConfig(p *program) *cobra.Command {
	var f configFlags
	cmd := p.command("config GROUP [KEY=VALUE…] [--unset KEY]…", "Show or change the configs of a share group", f.execute.opening(), f.run)
	cmd.Long = "config prints the configs of a share group: where each value comes from, the range that the broker\n" +
		"allows, and with -o wide its meaning. With KEY=VALUE or --unset it changes them, one by one, after the\n" +
		"broker has said that it would."
	cmd.Example = "  sharetop config payments-retry -o wide\n" +
		"  sharetop config payments-retry share.record.lock.duration.ms=60000 --execute"
	flags := cmd.Flags()
	f.group.register(flags)
	flags.StringArrayVar(&f.unset, "unset", nil, "remove the group's own value of this `key`, so that the broker's holds again")
	f.execute.register(flags)
	cmd.PreRunE = func(_ *cobra.Command, args []string) error { return f.check(args) }
	return cmd
}

// check tells the group from the changes: with --group all arguments are
// changes.
func (f *configFlags) check(args []string) (err error) {
	changes := args
	if len(f.group.ids) == 0 && len(args) > 0 {
		f.group.ids, changes = args[:1], args[1:]
	}
	if f.id, err = f.group.one(nil); err != nil {
		return err
	}
	for _, arg := range changes {
		key, value, found := strings.Cut(arg, "=")
		if !found || key == "" {
			return fmt.Errorf("%q is not KEY=VALUE", arg)
		}
		f.changes = append(f.changes, model.ConfigChange{Group: f.id, Key: model.NewText(key), Value: model.NewText(value)})
	}
	for _, key := range f.unset {
		f.changes = append(f.changes, model.ConfigChange{Group: f.id, Key: model.NewText(key), Unset: true})
	}
	seen := make(map[model.Text]bool, len(f.changes))
	for _, change := range f.changes {
		if seen[change.Key] {
			return fmt.Errorf("%s is to be changed twice: say once what it is to be", change.Key)
		}
		seen[change.Key] = true
	}
	if f.execute.execute && len(f.changes) == 0 {
		return errors.New("there is nothing to execute: give KEY=VALUE or --unset KEY")
	}
	return f.execute.check()
}

func (f *configFlags) run(ctx context.Context, v *visit) error {
	if len(f.changes) == 0 {
		return v.describeConfigs(ctx, []model.GroupID{f.id})
	}
	changer, err := v.changer(f.execute.execute)
	if err != nil {
		return err
	}
	out, counts := v.printer(configChangesSheet()), outcomes{}
	for _, change := range f.changes {
		r, err := changeConfig(ctx, v, changer, change, f.execute.execute)
		if err != nil {
			return err
		}
		counts[r.what]++
		out.add(of(f.id), of(change.Key), r.before, r.after, r.what.cell(), word(r.detail), word(r.advice))
	}
	return errors.Join(out.end(nil), counts.error())
}

func configChangesSheet() sheet {
	return sheet{name: "configChanges", columns: []column{
		{title: "GROUP", name: "groupId"},
		{title: "CONFIG", name: "configName"},
		{title: "NOW", name: "valueBefore"},
		{title: "NEW", name: "valueAfter"},
		{title: "OUTCOME", name: "outcome"},
		{title: "DETAIL", name: "detail"},
		{title: "NEXT", name: "advice", wide: true},
	}}
}

// configOutcome is what became of one change.
type configOutcome struct {
	before, after  cell
	what           outcome
	detail, advice string
}

// changeConfig looks, says what it leads to, and with execute makes the change.
// The error is that nobody can be asked.
func changeConfig(ctx context.Context, v *visit, changer Changer, change model.ConfigChange, execute bool) (configOutcome, error) {
	facts, err := changer.LookConfig(ctx, change)
	if _, unreachable := errors.AsType[*model.UnreachableError](err); unreachable {
		return configOutcome{}, err
	}
	if err != nil {
		return configOutcome{what: failed, detail: model.Sanitize(err.Error())}, nil
	}
	r := configOutcome{what: planned, before: of(facts.Entry.Value), after: of(change.Value)}
	if facts.Entry.IsNull {
		r.before = cell{}
	}
	if change.Unset {
		r.after = cell{}
	}
	if err := model.CheckConfig(change, facts.Entry); err != nil {
		r.what, r.detail = refused, model.Sanitize(err.Error())
		return r, nil
	}
	v.remark(model.ConfigWarnings(change, *facts)...)
	if at := model.ConfigTakesEffect(change.Key.Raw()); at != "" {
		r.detail = "takes effect " + at
	}
	if !execute {
		return r, nil
	}
	result, err := changer.ChangeConfig(ctx, change)
	switch {
	case err != nil:
		r.what, r.detail = failed, model.Sanitize(err.Error())
	case result.Problem != "":
		r.what, r.detail, r.advice = failed, result.Problem, result.Advice
	default:
		r.what, r.advice = done, result.Advice
		if result.ReadBackKnown {
			r.after = of(result.ReadBack)
		}
	}
	return r, nil
}
