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

// describeFlags are the flags of describe.
type describeFlags struct {
	groups                          groupFlags
	offsets, members, state, config bool
	verbose                         bool
	watch                           time.Duration
	// ids are the groups that were named; empty for all.
	ids []model.GroupID
}

func newDescribe(p *program) *cobra.Command {
	var f describeFlags
	cmd := p.command("describe {GROUP… | --all-groups}", "Show offsets, members, state or configs of share groups", opening{},
		f.run)
	cmd.Long = "describe prints what Kafka's own command does, and the ends of the logs: a line for each\n" +
		"share-partition (--offsets, the default), member, group or config."
	cmd.Example = "  sharetop describe payments-retry\n  sharetop describe --all-groups --state -o json\n" +
		"  sharetop describe --group payments-retry --members --verbose"
	flags := cmd.Flags()
	f.groups.registerAll(flags)
	flags.BoolVar(&f.offsets, "offsets", false, "start offsets and lag (this is the default)")
	flags.BoolVar(&f.members, "members", false, "members and what they are assigned")
	flags.BoolVar(&f.state, "state", false, "state, epochs and coordinator")
	flags.BoolVar(&f.config, "config", false, "configs, with their source and allowed range")
	flags.BoolVar(&f.verbose, "verbose", false, "all columns, as with -o wide")
	flags.DurationVar(&f.watch, "for", 0, "with --offsets: watch for this `duration` first, e.g. 10s, so that there are rates")
	cmd.MarkFlagsMutuallyExclusive("offsets", "members", "state", "config")
	cmd.PreRunE = func(cmd *cobra.Command, args []string) (err error) {
		if f.ids, err = f.groups.named(args); err != nil {
			return err
		}
		if cmd.Flags().Changed("for") && (f.members || f.state || f.config) {
			return errors.New("--for is for offsets only")
		}
		// All that is printed of one group stands in the answer to one request;
		// loading the state topic takes longer.
		if len(f.ids) == 1 && !cmd.Flags().Changed("offsets-from") {
			p.shared.offsetsFrom = string(model.OffsetsByRequests)
		}
		return checkWatch(f.watch, cmd.Flags().Changed("for"))
	}
	return cmd
}

func (f *describeFlags) run(ctx context.Context, v *visit) error {
	if f.verbose && v.format == formatTable {
		v.format = formatWide
	}
	if f.config {
		return v.describeConfigs(ctx, f.ids)
	}
	l := v.look(f.watch)
	l.scope.NoOffsets = f.members || f.state
	if len(f.ids) > 0 {
		l.about(f.ids...)
	}
	board, err := l.run(ctx)
	if err != nil {
		return err
	}
	absent := v.sayAbsent(l)
	snapshot := narrowTo(board.Snapshot, f.ids)
	out := v.printer(f.sheet())
	for _, g := range snapshot.Groups {
		f.add(v, out, l, g)
	}
	// Configs are not printed: nothing is missing by what is wrong with them.
	problems := slices.DeleteFunc(model.AllProblems(snapshot), func(p model.Problem) bool { return p.Configs })
	return v.finish(out, problems, absent, len(f.ids), l.timedOut)
}

// sayAbsent says which of the groups that were asked for are not there, and
// counts them.
func (v *visit) sayAbsent(l *look) (absent int) {
	for _, id := range l.ids {
		if err := l.absence(id); err != nil {
			absent++
			v.say("%s", model.Sanitize(err.Error()))
		}
	}
	return absent
}

// narrowTo leaves the named groups of a snapshot with what concerns them; all
// when none is named.
func narrowTo(s *model.Snapshot, ids []model.GroupID) *model.Snapshot {
	if len(ids) == 0 {
		return s
	}
	if len(ids) == 1 {
		s = model.Narrow(s, ids[0])
	}
	out := *s
	out.Groups, out.Problems = nil, nil
	for _, id := range ids {
		if g := s.Group(id); g != nil {
			out.Groups = append(out.Groups, g)
		}
	}
	for _, p := range s.Problems {
		// That one is not there is said in words of its own.
		if kind, _, _ := strings.Cut(p.Target.Raw(), " "); p.Kind != model.ProblemGone || kind != "group" {
			out.Problems = append(out.Problems, p)
		}
	}
	return &out
}

func (f *describeFlags) sheet() sheet {
	switch {
	case f.members:
		return membersSheet()
	case f.state:
		return statesSheet()
	}
	return offsetsSheet(f.watch > 0)
}

// add adds the rows of one group, and says where there are none.
func (f *describeFlags) add(v *visit, out *printer, l *look, g *model.Group) {
	s := l.last
	switch {
	case f.members:
		if len(g.Members) == 0 && !g.Described.IsZero() {
			v.say("share group %s has no active members", g.ID)
		}
		for i := range g.Members {
			out.add(memberCells(g.ID, &g.Members[i])...)
		}
	case f.state:
		out.add(stateCells(s, g)...)
	default:
		if len(g.Partitions) == 0 && !g.OffsetsAt.IsZero() {
			v.say("share group %s has no offset information that this user may see", g.ID)
		}
		for i := range g.Partitions {
			p := &g.Partitions[i]
			cells := offsetCells(s, g.ID, p)
			if f.watch > 0 {
				in, done := model.RatesBetween(l.first, s, g.ID, model.TopicPartition{Topic: p.Topic, Partition: p.Partition})
				cells = append(cells, of(in), of(done))
			}
			out.add(cells...)
		}
	}
}

func offsetsSheet(rates bool) sheet {
	columns := []column{
		{title: "GROUP", name: "groupId"},
		{title: "TOPIC", name: "topicName"},
		{title: "PARTITION>", name: "partitionIndex"},
		{title: "LEADER-EPOCH>", name: "leaderEpoch", wide: true},
		{title: "START-OFFSET>", name: "startOffset"},
		{title: "LAG>", name: "lag"},
		{title: "END-OFFSET>", name: "endOffset"},
		{title: "LOG-START>", name: "logStartOffset"},
		{title: "AHEAD>", name: "finishedAhead"},
		{title: "LEADER>", name: "leader", wide: true},
		{title: "TOPIC-ID", name: "topicId", wide: true},
	}
	if rates {
		columns = append(columns, column{title: "IN/s>", name: "inPerSecond"}, column{title: "DONE/s>", name: "donePerSecond"})
	}
	return sheet{name: "offsets", columns: columns}
}

func offsetCells(s *model.Snapshot, id model.GroupID, p *model.SharePartition) []cell {
	log := s.Log(p.Topic, p.Partition)
	leader := cell{}
	if log.Asked {
		leader = broker(log.Leader)
	}
	return []cell{
		of(id), of(p.Topic), of(int64(p.Partition)), of(p.LeaderEpoch), of(p.Start), of(p.Lag), of(log.End), of(log.LogStart),
		of(s.Ahead(p)), leader, word(s.TopicIDOf(p).String()),
	}
}

func membersSheet() sheet {
	return sheet{name: "members", columns: []column{
		{title: "GROUP", name: "groupId"},
		{title: "CONSUMER-ID", name: "memberId"},
		{title: "HOST", name: "clientHost"},
		{title: "CLIENT-ID", name: "clientId"},
		{title: "#PARTITIONS>", name: "partitionCount"},
		{title: "MEMBER-EPOCH>", name: "memberEpoch", wide: true},
		{title: "RACK", name: "rackId", wide: true},
		{title: "SUBSCRIBED", name: "subscribedTopicNames", wide: true},
		{title: "ASSIGNMENT", name: "assignment"},
	}}
}

func memberCells(id model.GroupID, m *model.Member) []cell {
	to := assignment(m.Assignment)
	return []cell{
		of(id), of(m.ID), of(m.Host), of(m.ClientID), of(int64(to.count())), of(int64(m.Epoch)), outside(m.Rack),
		of(topics(m.Subscribed)), of(to),
	}
}

func statesSheet() sheet {
	return sheet{name: "states", columns: []column{
		{title: "GROUP", name: "groupId"},
		{title: "COORDINATOR", name: "coordinatorAddress"},
		{title: "(ID)>", name: "coordinator"},
		{title: "STATE", name: "groupState"},
		{title: "GROUP-EPOCH>", name: "groupEpoch", wide: true},
		{title: "ASSIGNMENT-EPOCH>", name: "assignmentEpoch", wide: true},
		{title: "ASSIGNOR", name: "assignorName", wide: true},
		{title: "#MEMBERS>", name: "memberCount"},
	}}
}

func stateCells(s *model.Snapshot, g *model.Group) []cell {
	return []cell{
		of(g.ID), address(s, g.Coordinator), broker(g.Coordinator), word(string(g.State)), of(g.Epoch), of(g.AssignmentEpoch),
		outside(g.Assignor), members(g),
	}
}

// address is a broker's HOST:PORT.
func address(s *model.Snapshot, id int32) cell {
	for _, b := range s.Cluster.Brokers {
		if b.ID == id {
			return word(fmt.Sprintf("%s:%d", b.Host, b.Port))
		}
	}
	return cell{}
}

// describeConfigs prints the configs of groups, which are asked for one by one.
func (v *visit) describeConfigs(ctx context.Context, ids []model.GroupID) error {
	if len(ids) == 0 {
		l := v.look(0)
		l.scope.NoOffsets = true
		board, err := l.run(ctx)
		if err != nil {
			return err
		}
		for _, g := range board.Snapshot.Groups {
			ids = append(ids, g.ID)
		}
	}
	out, absent, timedOut := v.printer(configsSheet()), 0, false
	var problems []model.Problem
	for _, id := range ids {
		l := v.look(0)
		l.scope.NoOffsets, l.thorough = true, true
		l.about(id)
		board, err := l.run(ctx)
		if err != nil {
			return err
		}
		if there := board.Snapshot.Group(id); there != nil && there.Configs != nil {
			addConfigs(out, id, there.Configs)
		}
		if gone := v.sayAbsent(l); gone > 0 {
			absent += gone
			v.keptConfigs(ctx, out, id)
		}
		timedOut = timedOut || l.timedOut
		problems = append(problems, model.AllProblems(narrowTo(board.Snapshot, l.ids))...)
	}
	return v.finish(out, problems, absent, len(ids), timedOut)
}

// keptConfigs prints what is set for a group that is not there, if anything is: it
// holds once there is a share group of that id.
func (v *visit) keptConfigs(ctx context.Context, out *printer, id model.GroupID) {
	keeper, ok := v.source.(ConfigKeeper)
	if !ok {
		return
	}
	kept, err := keeper.KeptConfigs(ctx, id)
	switch {
	case err != nil:
		v.say("whether configs are kept for %s is not known: %s", id, model.Sanitize(err.Error()))
	case len(kept.Entries) > 0:
		addConfigs(out, id, kept)
		v.say("these configs are kept for %s all the same, and hold once there is such a share group", id)
	}
}

func addConfigs(out *printer, id model.GroupID, c *model.Configs) {
	for i := range c.Entries {
		out.add(configCells(id, &c.Entries[i])...)
	}
}

// finish ends the output and says what is missing from it. Nothing is printed
// when there is nothing of any group that was asked for.
func (v *visit) finish(out *printer, problems []model.Problem, absent, asked int, timedOut bool) error {
	gone := &ExitError{Code: ExitFailure}
	if absent > 0 && absent == asked && out.empty() {
		return gone
	}
	if err := out.end(problems); err != nil {
		return err
	}
	if err := v.tell(problems, timedOut); err != nil || absent == 0 {
		return err
	}
	return gone
}

func configsSheet() sheet {
	return sheet{name: "configs", columns: []column{
		{title: "GROUP", name: "groupId"},
		{title: "CONFIG", name: "configName"},
		{title: "VALUE", name: "configValue"},
		{title: "SOURCE", name: "configSource"},
		{title: "MIN>", name: "min"},
		{title: "MAX>", name: "max"},
		{title: "TYPE", name: "configType", wide: true},
		{title: "MEANING", name: "meaning", wide: true},
	}}
}

func configCells(id model.GroupID, e *model.ConfigEntry) []cell {
	value := of(e.Value)
	if e.IsNull {
		value = cell{}
	}
	return []cell{
		of(id), of(e.Key), value, configSource(e.Source), word(e.Min), word(e.Max), word(e.Type), word(e.Meaning),
	}
}

func configSource(s model.ConfigSource) cell {
	if s == model.ConfigSourceUnknown {
		return cell{}
	}
	return word(s.String())
}
