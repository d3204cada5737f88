package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// Reset writes a plan: the group is looked at again, and when anything moved
// since the plan nothing is written and the result says what did. Else the undo
// file is kept, the start offsets are written in one request, and read back.
// The error is for what kept it from beginning; what came of the write, also
// when it failed, is in the result.
func (ch *Changer) Reset(ctx context.Context, p *model.Plan) (*model.ResetResult, error) {
	if err := ch.allowed(kmsg.NewPtrAlterShareGroupOffsetsRequest()); err != nil {
		return nil, err
	}
	defer ch.begin()()
	written := p.Written()
	if len(written) == 0 {
		return nil, errors.New("nothing was written: no start offset of the plan changes")
	}
	look, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	ch.identify(look)
	l, err := ch.coordinator(look, p.Group.Raw())
	if err != nil {
		return nil, err
	}
	now, err := ch.lookAt(look, l, model.LookRequest{Group: p.Group, Scope: p.Scope, Target: p.Target})
	if err != nil {
		return nil, err
	}
	if moved := p.Moved(now); len(moved) > 0 {
		return &model.ResetResult{Moved: moved, Now: now}, nil
	}
	return ch.write(ctx, l, p, written)
}

func (ch *Changer) write(ctx context.Context, l *link, p *model.Plan, rows []model.PlanRow) (*model.ResetResult, error) {
	req, err := alterRequest(p.Group.Raw(), rows)
	if err != nil {
		return nil, err
	}
	result := &model.ResetResult{}
	if result.UndoPath, err = ch.keepUndo(p); err != nil {
		return nil, err
	}
	for _, r := range rows {
		result.Rows = append(result.Rows, model.ResetRow{TopicPartition: r.TopicPartition, Old: r.Now, New: r.New})
	}
	if err := ch.before(ch.resetEntries(p.Group, result, true)...); err != nil {
		return nil, err
	}
	resp, err := sendChange[*kmsg.AlterShareGroupOffsetsResponse](ctx, l, req)
	if err != nil {
		result.Trouble = fmt.Sprintf("The coordinator %s: the change may have been made or not. What it reads back as is below.", whyUnreachable(err))
	} else {
		takeAltered(result, p.Group.Raw(), resp)
	}
	ch.readBack(ctx, l, p.Group.Raw(), result)
	if err != nil {
		unanswered(result)
	}
	result.Trouble = joined(result.Trouble, ch.after(ch.resetEntries(p.Group, result, false)...))
	ch.refresh(p.Group)
	return result, nil
}

// refresh lets the screen see the change at once.
func (ch *Changer) refresh(group model.GroupID) {
	for coordinator, groups := range byCoordinator(ch.client.state.targets([]string{group.Raw()})) {
		ch.client.source.Follow(coordinator, groups)
	}
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// keepUndo writes the undo file, if there is anything to go back to.
func (ch *Changer) keepUndo(p *model.Plan) (model.Text, error) {
	undo := p.UndoCSV()
	if len(undo) == 0 {
		return model.Text{}, nil
	}
	if ch.options.SaveUndo == nil {
		return model.Text{}, errors.New("nothing was written: there is no place for the undo file")
	}
	path, err := ch.options.SaveUndo(p.Group, undo)
	if err != nil {
		return model.Text{}, fmt.Errorf("nothing was written: the undo file can't be kept: %s", safeText(err.Error()))
	}
	return outside(path), nil
}

// alterRequest names exactly the rows of a plan that change. A number below
// zero, which brokers would take, never leaves.
func alterRequest(group string, rows []model.PlanRow) (*kmsg.AlterShareGroupOffsetsRequest, error) {
	req := kmsg.NewPtrAlterShareGroupOffsetsRequest()
	req.GroupID = group
	for _, r := range rows {
		to, known := r.New.Get()
		if !known || to < 0 {
			return nil, fmt.Errorf("nothing was written: the plan has no start offset for %s-%d", r.Topic, r.Partition)
		}
		if n := len(req.Topics); n == 0 || req.Topics[n-1].Topic != r.Topic.Raw() {
			t := kmsg.NewAlterShareGroupOffsetsRequestTopic()
			t.Topic = r.Topic.Raw()
			req.Topics = append(req.Topics, t)
		}
		part := kmsg.NewAlterShareGroupOffsetsRequestTopicPartition()
		part.Partition, part.StartOffset = r.Partition, to
		t := &req.Topics[len(req.Topics)-1]
		t.Partitions = append(t.Partitions, part)
	}
	return req, nil
}

// takeAltered puts the broker's answer into the result. A partition that the
// answer does not name was not written as far as we know.
func takeAltered(result *model.ResetResult, group string, resp *kmsg.AlterShareGroupOffsetsResponse) {
	if resp.ErrorCode != 0 {
		trouble := changeTrouble("reset", group, resp.ErrorCode, deref(resp.ErrorMessage))
		result.Trouble = trouble.Detail
		for i := range result.Rows {
			result.Rows[i].Problem, result.Rows[i].Advice = "not written: "+codeText(resp.ErrorCode, ""), trouble.Advice
		}
		return
	}
	missing := "the broker's answer does not name it"
	if len(resp.Topics) == 0 {
		missing = "the broker's answer names no partition at all: Kafka 4.1 answers so and moves nothing, 4.2 does"
	}
	answers := make(map[partitionName]*kmsg.AlterShareGroupOffsetsResponseTopicPartition)
	for i := range resp.Topics {
		t := &resp.Topics[i]
		for j := range t.Partitions {
			answers[partitionName{t.Topic, t.Partitions[j].Partition}] = &t.Partitions[j]
		}
	}
	for i := range result.Rows {
		row := &result.Rows[i]
		answer := answers[partitionName{row.Topic.Raw(), row.Partition}]
		switch {
		case answer == nil:
			row.Problem = missing
		case answer.ErrorCode != 0:
			row.Problem = codeText(answer.ErrorCode, deref(answer.ErrorMessage))
			row.Advice = partitionAdvice(answer.ErrorCode, row.Topic.String())
		}
	}
}

// unanswered marks the rows of a request without an answer that don't read back
// as they should: they may still become so.
func unanswered(result *model.ResetResult) {
	for i := range result.Rows {
		if row := &result.Rows[i]; !row.OK() {
			row.Problem = "no answer; reads back as " + model.FormatNumber(row.ReadBack)
		}
	}
}

// readBack asks what the start offsets are now.
func (ch *Changer) readBack(ctx context.Context, l *link, group string, result *model.ResetResult) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
	defer cancel()
	offsets, err := startsOf(ctx, l, group)
	if err != nil {
		result.Trouble = joined(result.Trouble, "What was written could not be read back: "+err.Error()+".")
		return
	}
	starts := make(map[partitionName]int64, len(offsets))
	for i := range offsets {
		if o := &offsets[i]; o.errorCode == 0 && o.start != -1 {
			starts[partitionName{o.topic, o.partition}] = o.start
		}
	}
	for i := range result.Rows {
		row := &result.Rows[i]
		if start, ok := starts[partitionName{row.Topic.Raw(), row.Partition}]; ok {
			row.ReadBack = model.Known(start)
		}
	}
}

// resetEntries are the lines of the audit file: one for each partition.
func (ch *Changer) resetEntries(group model.GroupID, result *model.ResetResult, before bool) []model.AuditEntry {
	entries := make([]model.AuditEntry, len(result.Rows))
	for i := range result.Rows {
		row := &result.Rows[i]
		outcome, detail := outcomeSending, ""
		if !before {
			outcome, detail = resetOutcome(row), row.Outcome()
		}
		entries[i] = ch.entry("reset", group, outcome, detail)
		entries[i].Change = &model.AuditChange{
			Topic: &row.Topic, Partition: &row.Partition, Old: auditNumber(row.Old), New: auditNumber(row.New),
		}
	}
	return entries
}

func resetOutcome(row *model.ResetRow) string {
	switch {
	case row.Problem != "":
		return outcomeRefused
	case row.OK():
		return outcomeDone
	default:
		return outcomeUnknown
	}
}
