package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"sharetop/model"
)

func newDelete(p *program) *cobra.Command {
	var groups groupFlags
	var execute executeFlags
	var ids []model.GroupID
	cmd := p.command("delete {GROUP… | --all-groups}", "Delete share groups without members", execute.opening(),
		func(ctx context.Context, v *visit) error { return v.deleteGroups(ctx, ids, execute.execute) })
	cmd.Long = "delete removes share groups with their start offsets and all that is finished ahead of them. A group\n" +
		"with members is refused, and its members are named. There is no undo."
	cmd.Example = "  sharetop delete old-audit\n  sharetop delete old-audit older-audit --execute"
	groups.registerAll(cmd.Flags())
	execute.register(cmd.Flags())
	cmd.PreRunE = func(_ *cobra.Command, args []string) (err error) {
		if ids, err = groups.named(args); err != nil {
			return err
		}
		return execute.check()
	}
	return cmd
}

func newDeleteOffsets(p *program) *cobra.Command {
	var groups groupFlags
	var execute executeFlags
	var names []string
	var id model.GroupID
	cmd := p.command("delete-offsets GROUP --topic T…", "Delete what a share group has of a topic", execute.opening(),
		func(ctx context.Context, v *visit) error { return v.deleteOffsets(ctx, id, names, execute.execute) })
	cmd.Long = "delete-offsets removes the start offsets of whole topics from a share group without members, and\n" +
		"all that it finished ahead of them. The next member starts where share.auto.offset.reset says."
	cmd.Example = "  sharetop delete-offsets payments-retry --topic refunds --execute"
	groups.register(cmd.Flags())
	cmd.Flags().StringArrayVar(&names, "topic", nil, "`topic`, with all its partitions; can be given again")
	execute.register(cmd.Flags())
	cmd.PreRunE = func(_ *cobra.Command, args []string) (err error) {
		if id, err = groups.one(args); err != nil {
			return err
		}
		if len(names) == 0 {
			return errors.New("no topic was named: give --topic")
		}
		return execute.check()
	}
	return cmd
}

// deletionsSheet has topics in narrow tables where they are what is deleted.
func deletionsSheet(ofTopics bool) sheet {
	return sheet{name: "deletions", columns: []column{
		{title: "GROUP", name: "groupId"},
		{title: "TOPIC", name: "topicName", wide: !ofTopics},
		{title: "OUTCOME", name: "outcome"},
		{title: "DETAIL", name: "detail"},
		{title: "NEXT", name: "advice", wide: true},
	}}
}

// deletion is one row of what a deletion did or would do.
func deletion(group model.GroupID, topic model.TopicName, what outcome, detail, advice string) []cell {
	return []cell{of(group), outside(topic.Text), what.cell(), word(detail), word(advice)}
}

func (v *visit) deleteGroups(ctx context.Context, ids []model.GroupID, execute bool) error {
	out, counts := v.printer(deletionsSheet(false)), outcomes{}
	there, err := v.looked(ctx, ids)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		for _, g := range there.last.Groups {
			ids = append(ids, g.ID)
		}
	}
	if !execute {
		v.remark(model.DeleteConsequences(len(ids), nil)...)
		for _, id := range ids {
			what, detail := there.mayDelete(id)
			counts[what]++
			out.add(deletion(id, model.TopicName{}, what, detail, "")...)
		}
		return errors.Join(out.end(nil), counts.error())
	}
	changer, err := v.changer(true)
	if err != nil {
		return err
	}
	results, err := changer.DeleteGroups(ctx, ids)
	if err != nil {
		return err
	}
	return v.deleted(out, results)
}

// looked is a look at the members of groups; all when none is named.
func (v *visit) looked(ctx context.Context, ids []model.GroupID) (*look, error) {
	l := v.look(0)
	l.scope.NoOffsets = true
	if len(ids) > 0 {
		l.about(ids...)
	}
	_, err := l.run(ctx)
	return l, err
}

// mayDelete says whether a group could be deleted now.
func (l *look) mayDelete(id model.GroupID) (what outcome, detail string) {
	if err := l.absence(id); err != nil {
		return failed, model.Sanitize(err.Error())
	}
	switch g := l.last.Group(id); {
	case len(g.Members) > 0:
		return refused, "it has members: " + model.NameMembers(g.Members)
	case g.Described.IsZero():
		return planned, "its members are not known"
	}
	return planned, "it has no members"
}

// deleted prints what became of deletions.
func (v *visit) deleted(out *printer, results []model.DeleteResult) error {
	counts := outcomes{}
	for i := range results {
		r := &results[i]
		what, detail := done, r.Problem
		switch {
		case r.HasMembers:
			what = refused
		case r.Problem != "":
			what = failed
		case len(r.Configs) > 0:
			detail = "configs of its own stay in the cluster: " + texts(r.Configs)
		}
		counts[what]++
		out.add(deletion(r.Group, r.Topic, what, detail, r.Advice)...)
	}
	return errors.Join(out.end(nil), counts.error())
}

func texts(all []model.Text) string {
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = t.String()
	}
	return strings.Join(names, ", ")
}

func (v *visit) deleteOffsets(ctx context.Context, id model.GroupID, names []string, execute bool) error {
	out := v.printer(deletionsSheet(true))
	if !execute {
		return v.planDeleteOffsets(ctx, out, id, names)
	}
	changer, err := v.changer(true)
	if err != nil {
		return err
	}
	if _, err := v.looked(ctx, []model.GroupID{id}); err != nil {
		return err // nobody can be asked
	}
	results := make([]model.DeleteResult, 0, len(names))
	for _, name := range names {
		r, err := changer.DeleteOffsets(ctx, id, model.NewTopicName(name))
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	return v.deleted(out, results)
}

// planDeleteOffsets says what would be deleted: the group's offsets are looked
// at, so that a topic that it does not have is found.
func (v *visit) planDeleteOffsets(ctx context.Context, out *printer, id model.GroupID, names []string) error {
	l := v.look(0)
	l.about(id)
	if _, err := l.run(ctx); err != nil {
		return err
	}
	if err := l.absence(id); err != nil {
		return err
	}
	g, counts := l.last.Group(id), outcomes{}
	for _, name := range names {
		topic := model.NewTopicName(name)
		what, detail := l.mayDelete(id)
		if n := partitionsOf(g, topic); n == 0 && what == planned {
			what, detail = failed, "the group has no offsets of this topic"
		} else if what == planned {
			if detail = "1 partition"; n != 1 {
				detail = model.FormatInt(int64(n)) + " partitions"
			}
		}
		counts[what]++
		out.add(deletion(id, topic, what, detail, "")...)
	}
	v.remark(model.DeleteConsequences(1, &model.TopicName{})...)
	return errors.Join(out.end(nil), counts.error())
}

func partitionsOf(g *model.Group, topic model.TopicName) (n int) {
	for i := range g.Partitions {
		if g.Partitions[i].Topic == topic {
			n++
		}
	}
	return n
}
