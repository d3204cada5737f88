package kafka

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

func TestDeleteGroups(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(2))
	produce(t, c, "orders", 2)
	place(t, c, "orders", 0, "good", "busy", "refused")
	join(t, c, "busy", "orders")
	ch := changes(t, c)
	if r, err := ch.ChangeConfig(t.Context(), model.ConfigChange{
		Group: model.NewGroupID("good"), Key: model.NewText(keyReset), Value: model.NewText("earliest"),
	}); err != nil || r.Problem != "" {
		t.Fatalf("config: %+v, %v", r, err)
	}
	control(c, kmsg.DeleteGroups, func(r kmsg.Request) kmsg.Response {
		if req := r.(*kmsg.DeleteGroupsRequest); req.Groups[0] != "refused" {
			return nil
		}
		resp := r.ResponseKind().(*kmsg.DeleteGroupsResponse)
		g := kmsg.NewDeleteGroupsResponseGroup()
		g.Group, g.ErrorCode = "refused", kerr.GroupAuthorizationFailed.Code
		resp.Groups = append(resp.Groups, g)
		return resp
	})
	var ids []model.GroupID
	for _, id := range []string{"good", "busy", "absent", "refused"} {
		ids = append(ids, model.NewGroupID(id))
	}
	results, err := ch.DeleteGroups(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "packer-1", "no such group", "DELETE on the group is missing"} {
		if got := results[i].Problem; (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", ids[i], got, want)
		}
	}
	if got := results[0].Configs; len(got) != 1 || got[0].Raw() != keyReset {
		t.Errorf("configs that stay: %v", got)
	}
	if ch.book.of("delete-group", "done") != 1 || ch.book.of("delete-group", "refused") != 1 || ch.book.of("delete-group", "sending") != 2 {
		t.Errorf("audit file: %+v", ch.book.entries)
	}
}

func TestDeleteOffsets(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(2))
	produce(t, c, "orders", 2)
	place(t, c, "orders", 0, "billing")
	place(t, c, "refunds", 0, "billing")
	ch := changes(t, c)
	r, err := ch.DeleteOffsets(t.Context(), model.NewGroupID("billing"), model.NewTopicName("orders"))
	if err != nil || r.Problem != "" || ch.book.of("delete-offsets", "done") != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	p := ch.plan("billing", model.ResetTarget{Kind: model.ToEarliest})
	if len(p.Rows) != 3 || p.Rows[0].Topic.Raw() != "refunds" {
		t.Errorf("left are %+v", p.Rows)
	}
}
