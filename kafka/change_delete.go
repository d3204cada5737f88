package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// MaxDelete bounds how many groups are deleted in one go.
const MaxDelete = 1000

// DeleteGroups deletes groups one by one, each looked at first: one with members
// is refused with their names. What failed stands in its result and stops none
// of the others, but a failing audit file stops all that follow. A group's
// configs stay in the cluster; those are in the result. Ending ctx ends before
// the next group.
func (ch *Changer) DeleteGroups(ctx context.Context, ids []model.GroupID) ([]model.DeleteResult, error) {
	if err := ch.allowed(kmsg.NewPtrDeleteGroupsRequest()); err != nil {
		return nil, err
	}
	defer ch.begin()()
	if len(ids) > MaxDelete {
		return nil, fmt.Errorf("nothing was deleted: %d groups are more than %d at a time", len(ids), MaxDelete)
	}
	results := make([]model.DeleteResult, 0, len(ids))
	for _, id := range ids {
		r := model.DeleteResult{Group: id}
		if ctx.Err() != nil {
			r.Problem = "not deleted: left before"
		} else {
			ch.deleteGroup(ctx, &r)
		}
		results = append(results, r)
	}
	ch.client.relisted.reset()
	ch.client.relist()
	return results, nil
}

// empty finds the coordinator of a group without members.
func (ch *Changer) empty(ctx context.Context, id model.GroupID) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	ch.identify(ctx)
	l, err := ch.coordinator(ctx, id.Raw())
	if err != nil {
		return nil, err
	}
	look := &model.GroupLook{Group: id}
	if err := describeOne(ctx, l, look); err != nil {
		return nil, err
	}
	switch {
	case !look.Exists:
		return nil, errors.New("there is no such group")
	case len(look.Members) > 0:
		return nil, hasMembersError{look.Members}
	}
	return l, nil
}

// hasMembersError refuses to change a group.
type hasMembersError struct{ members []model.Member }

func (e hasMembersError) Error() string { return "it has members: " + model.NameMembers(e.members) }

// refuse says why a deletion was not tried.
func refuse(r *model.DeleteResult, err error) {
	_, r.HasMembers = errors.AsType[hasMembersError](err)
	r.Problem = "not deleted: " + err.Error()
}

func (ch *Changer) deleteGroup(ctx context.Context, r *model.DeleteResult) {
	l, err := ch.empty(ctx, r.Group)
	if err != nil {
		refuse(r, err)
		return
	}
	ch.perform(r, ch.entry("delete-group", r.Group, outcomeSending, ""), "delete", func() (int16, string, error) {
		req := kmsg.NewPtrDeleteGroupsRequest()
		req.Groups = []string{r.Group.Raw()}
		resp, err := sendChange[*kmsg.DeleteGroupsResponse](ctx, l, req)
		if err != nil {
			return 0, "", err
		}
		for i := range resp.Groups {
			if g := &resp.Groups[i]; g.Group == r.Group.Raw() {
				return g.ErrorCode, deref(g.ErrorMessage), nil
			}
		}
		return 0, "", errNotNamed
	})
	if r.Problem == "" {
		r.Configs = ch.ownConfigs(ctx, r.Group)
	}
}

var errNotNamed = errors.New("the broker's answer does not name it")

// perform writes a deletion down, does it, and writes down what came of it.
func (ch *Changer) perform(r *model.DeleteResult, entry model.AuditEntry, what string, do func() (int16, string, error)) {
	if err := ch.before(entry); err != nil {
		r.Problem = err.Error()
		return
	}
	code, message, err := do()
	entry.Outcome = outcomeDone
	switch {
	case errors.Is(err, errNotNamed):
		r.Problem, entry.Outcome = err.Error(), outcomeUnknown
	case err != nil:
		r.Problem = fmt.Sprintf("the coordinator %s: it may have been deleted or not", whyUnreachable(err))
		r.Advice, entry.Outcome = "look again", outcomeUnknown
	case code != 0:
		p := changeTrouble(what, r.Group.Raw(), code, message)
		r.Problem, r.Advice, entry.Outcome = p.Detail, p.Advice, outcomeRefused
		r.HasMembers = code == kerr.NonEmptyGroup.Code
	}
	entry.Time, entry.Detail = ch.client.opts.Now(), r.Problem
	if trouble := ch.after(entry); trouble != "" {
		r.Advice = joined(r.Advice, trouble)
	}
}

// DeleteOffsets deletes what a group without members has of one topic: its start
// offsets and all that it finished ahead of them.
func (ch *Changer) DeleteOffsets(ctx context.Context, id model.GroupID, topic model.TopicName) (model.DeleteResult, error) {
	r := model.DeleteResult{Group: id, Topic: topic}
	if err := ch.allowed(kmsg.NewPtrDeleteShareGroupOffsetsRequest()); err != nil {
		return r, err
	}
	defer ch.begin()()
	l, err := ch.empty(ctx, id)
	if err != nil {
		refuse(&r, err)
		return r, nil
	}
	entry := ch.entry("delete-offsets", id, outcomeSending, "")
	entry.Change = &model.AuditChange{Topic: &topic}
	ch.perform(&r, entry, "delete", func() (int16, string, error) {
		req := kmsg.NewPtrDeleteShareGroupOffsetsRequest()
		req.GroupID = id.Raw()
		t := kmsg.NewDeleteShareGroupOffsetsRequestTopic()
		t.Topic = topic.Raw()
		req.Topics = append(req.Topics, t)
		resp, err := sendChange[*kmsg.DeleteShareGroupOffsetsResponse](ctx, l, req)
		if err != nil || resp.ErrorCode != 0 {
			if err == nil {
				return resp.ErrorCode, deref(resp.ErrorMessage), nil
			}
			return 0, "", err
		}
		for i := range resp.Topics {
			if a := &resp.Topics[i]; a.Topic == topic.Raw() {
				return a.ErrorCode, deref(a.ErrorMessage), nil
			}
		}
		return 0, "", errNotNamed
	})
	ch.refresh(id)
	return r, nil
}
