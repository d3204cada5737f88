package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sharetop/model"
)

// peekFlags are the flags of peek.
type peekFlags struct {
	most   int
	group  groupFlags
	topics []string
	// name is the argument: a share group where there is one of that id, else a
	// topic with an optional partition and place.
	name   string
	places []peekPlace
}

// peekPlace is where to peek: a topic, and in it a partition and what to begin
// at.
type peekPlace struct {
	topic     model.TopicName
	partition model.Number
	// from is an offset, earliest, latest or a time; empty for the head, or the log's start.
	from string
}

func newPeek(p *program) *cobra.Command {
	var f peekFlags
	cmd := p.command("peek {GROUP | TOPIC[:PARTITION[@PLACE]]}", "Read records without touching any group", opening{}, f.run)
	cmd.Long = "peek reads records with an ordinary Fetch: nothing is acquired, no delivery is counted. Of a group it\n" +
		"reads at the head of each share-partition; of a topic from its start, or at PLACE: an offset, earliest,\n" +
		"latest (the last ones), or a time such as 14:00, 2026-11-28T00:00:00Z or 10m for that long ago."
	cmd.Example = "  sharetop peek payments-retry -n 5\n  sharetop peek refunds:0@9120 -n 1 -o json\n  sharetop peek --topic refunds:0@10m"
	flags := cmd.Flags()
	flags.IntVarP(&f.most, "max", "n", model.DefaultTake, "at most `N` records of each partition")
	f.group.register(flags)
	flags.StringArrayVar(&f.topics, "topic", nil, "`topic` to read, as TOPIC[:PARTITION[@PLACE]]; with a group only these of it")
	cmd.PreRunE = func(_ *cobra.Command, args []string) error { return f.check(args) }
	return cmd
}

func (f *peekFlags) check(args []string) error {
	switch {
	case len(args) > 1:
		return errors.New("one group or topic at a time; more topics with --topic")
	case len(args) == 1 && len(f.group.ids) > 0, len(f.group.ids) > 1:
		return errors.New("one group at a time")
	case len(args)+len(f.group.ids)+len(f.topics) == 0:
		return errors.New("name a group or a topic")
	case f.most < 1 || f.most > model.MaxPeekRecords:
		return fmt.Errorf("-n %d is out of bounds: use 1 to %d", f.most, model.MaxPeekRecords)
	}
	if len(args) == 1 {
		f.name = args[0]
	}
	for _, text := range f.topics {
		place, err := parsePlace(text)
		if err != nil {
			return err
		}
		f.places = append(f.places, place)
	}
	return nil
}

// parsePlace reads TOPIC[:PARTITION[@PLACE]]. Names of topics have neither colon
// nor at sign.
func parsePlace(text string) (peekPlace, error) {
	rest, from, _ := strings.Cut(text, "@")
	name, number, numbered := strings.Cut(rest, ":")
	place := peekPlace{topic: model.NewTopicName(name), from: from}
	if name == "" {
		return place, fmt.Errorf("%q names no topic", text)
	}
	if numbered {
		n, err := strconv.ParseInt(number, 10, 32)
		if err != nil || n < 0 {
			return place, fmt.Errorf("%q is no partition of %s: write %s:0 or %s:0@OFFSET", number, name, name, name)
		}
		place.partition = model.Known(n)
	}
	return place, nil
}

// request is the peek at a place of a topic.
func (place peekPlace) request(v *visit, most int) (model.PeekRequest, error) {
	r := model.PeekRequest{Topic: place.topic, Partition: int32(place.partition.Or(0)), Max: most}
	switch offset, err := strconv.ParseInt(place.from, 10, 64); {
	case place.from == "" || place.from == "earliest":
		r.From = model.PeekAtLogStart
	case place.from == "latest":
		r.From, r.Backward = model.PeekAtEnd, true
	case err == nil && offset >= 0:
		r.Offset = offset
	default:
		at, err := model.ParsePeekTime(place.from, v.env.Now(), v.shared.utc)
		if err != nil {
			return r, err
		}
		r.From, r.Time = model.PeekAtTime, at
	}
	return r, nil
}

func (f *peekFlags) run(ctx context.Context, v *visit) error {
	peeker, ok := v.source.(Peeker)
	if !ok {
		return errors.New("this connection can't peek")
	}
	out := v.printer(recordsSheet())
	group, err := f.find(ctx, v)
	if err != nil {
		return err
	}
	var problems []model.Problem
	if group != nil {
		problems, err = v.peekGroup(ctx, peeker, out, group, f.places, f.most)
	} else {
		problems, err = v.peekTopics(ctx, peeker, out, f.places, f.most)
	}
	if err != nil {
		return err
	}
	err = v.peeked(out, problems)
	if err != nil && out.total == 0 && group == nil && f.name != "" {
		return exit(ExitFailure, fmt.Sprintf("nothing could be read: there is no share group %s that this user may describe, so it was taken for a topic", model.NewText(f.name)))
	}
	return err
}

// peeked prints what was read, and says what was not.
func (v *visit) peeked(out *printer, problems []model.Problem) error {
	if err := out.end(problems); err != nil {
		return err
	}
	err := v.tell(problems, false)
	if err != nil && out.total == 0 {
		return exit(ExitFailure, "nothing could be read")
	}
	return err
}

// find is the group that is meant, with its offsets; nil when a topic is.
func (f *peekFlags) find(ctx context.Context, v *visit) (*model.Group, error) {
	id, sure := model.NewGroupID(f.name), false
	if len(f.group.ids) > 0 {
		id, sure = model.NewGroupID(f.group.ids[0]), true
	}
	if id.Empty() {
		return nil, nil //nolint:nilnil // no group is a right answer: a topic was named
	}
	l := v.look(0)
	l.about(id)
	l.thorough = true
	if _, err := l.run(ctx); err != nil {
		return nil, err
	}
	if g := l.last.Group(id); g != nil {
		return g, nil
	}
	if sure {
		return nil, l.absence(id)
	}
	place, err := parsePlace(f.name)
	f.places = append(f.places, place)
	return nil, err
}

// peekGroup peeks at the head of each share-partition of a group.
func (v *visit) peekGroup(ctx context.Context, peeker Peeker, out *printer, g *model.Group, only []peekPlace, most int,
) (problems []model.Problem, err error) {
	found := false
	for i := range g.Partitions {
		p := &g.Partitions[i]
		place, wanted := placeOf(only, p)
		if !wanted {
			continue
		}
		found = true
		request, where := model.PeekStart(p, g.Effective(), v.env.Now())
		request.Max = most
		if place.from != "" {
			committed := request.Committed
			place.partition = model.Known(int64(p.Partition))
			if request, err = place.request(v, most); err != nil {
				return nil, err
			}
			request.Committed = committed
		} else {
			v.say("%s-%d: %s", p.Topic, p.Partition, where)
		}
		reader := peekReader{peeker: peeker, out: out, cells: func(r *model.Record) []cell {
			state, count := p.State.StateAt(r.Offset)
			return recordCells(r, stateCell(state), deliveries(state, count), time.Time{})
		}}
		result, err := reader.read(ctx, request)
		if err != nil {
			return nil, err
		}
		v.sayClamped(place, result)
		problems = append(problems, reader.problems...)
	}
	if !found {
		v.say("share group %s has no share-partition to peek at", g.ID)
	}
	return problems, nil
}

// placeOf is the place that was named for a share-partition; all are wanted when
// none was.
func placeOf(only []peekPlace, p *model.SharePartition) (place peekPlace, wanted bool) {
	for _, place := range only {
		if place.topic == p.Topic && place.partition.Or(int64(p.Partition)) == int64(p.Partition) {
			return place, true
		}
	}
	return peekPlace{topic: p.Topic}, len(only) == 0
}

func stateCell(s model.RecordState) cell {
	if s == model.RecordUnknown {
		return cell{}
	}
	return word(s.String())
}

// deliveries is how many deliveries are over, as far as the state tells.
func deliveries(s model.RecordState, count int16) model.Number {
	if s == model.RecordUnknown || s == model.RecordBelowStart {
		return model.Number{}
	}
	return model.Known(int64(count))
}

// peekTopics peeks at partitions of topics; all of them where none was named.
func (v *visit) peekTopics(ctx context.Context, peeker Peeker, out *printer, places []peekPlace, most int,
) (problems []model.Problem, err error) {
	reader := peekReader{peeker: peeker, out: out, cells: func(r *model.Record) []cell {
		return recordCells(r, cell{}, model.Number{}, time.Time{})
	}}
	for _, place := range places {
		last := place.partition.Or(0)
		for n := last; n <= last; n++ {
			all := !place.partition.IsKnown()
			at := place
			at.partition = model.Known(n)
			request, err := at.request(v, most)
			if err != nil {
				return nil, err
			}
			result, err := reader.read(ctx, request)
			if err != nil {
				return nil, err
			}
			if all {
				last = max(last, result.Partitions.Or(1)-1)
			}
			v.sayClamped(at, result)
		}
	}
	return reader.problems, nil
}

// sayClamped says that the place that was asked for is not in the log, if so.
func (v *visit) sayClamped(place peekPlace, r *model.PeekResult) {
	if r.Clamped && place.from != "" && place.from != "latest" {
		v.say("%s-%d: %s is not in the log, which begins at %s and ends at %s", place.topic, place.partition.Or(0),
			place.from, model.FormatNumber(r.LogStart), model.FormatNumber(r.End))
	}
}

func problemsOf(r *model.PeekResult) []model.Problem {
	if r.Problem == nil {
		return nil
	}
	return []model.Problem{*r.Problem}
}
