package kafka

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

func TestChangeConfig(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1))
	ch := changes(t, c)
	var asked []bool
	control(c, kmsg.IncrementalAlterConfigs, func(r kmsg.Request) kmsg.Response {
		req := r.(*kmsg.IncrementalAlterConfigsRequest)
		asked = append(asked, req.ValidateOnly)
		if len(req.Resources) != 1 || len(req.Resources[0].Configs) != 1 {
			t.Errorf("the request is not about one config: %+v", req.Resources)
		}
		if v := req.Resources[0].Configs[0].Value; v == nil || *v != "bad" {
			return nil
		}
		resp := r.ResponseKind().(*kmsg.IncrementalAlterConfigsResponse)
		res := kmsg.NewIncrementalAlterConfigsResponseResource()
		res.ErrorCode, res.ErrorMessage = kerr.InvalidConfig.Code, kmsg.StringPtr("must be in the range 1000 to 60000 inclusive.")
		resp.Resources = append(resp.Resources, res)
		return resp
	})
	change := model.ConfigChange{Group: model.NewGroupID("billing"), Key: model.NewText(keyReset), Value: model.NewText("earliest")}
	r, err := ch.ChangeConfig(t.Context(), change)
	if err != nil || r.Problem != "" || r.ReadBack.Raw() != "earliest" {
		t.Errorf("set: %+v, %v", r, err)
	}
	if len(asked) != 2 || !asked[0] || asked[1] {
		t.Errorf("requests with ValidateOnly %v, want true, then false", asked)
	}
	bad := change
	bad.Key, bad.Value = model.NewText(keyIsolation), model.NewText("bad")
	if r, err = ch.ChangeConfig(t.Context(), bad); err != nil || !strings.Contains(r.Problem, "range 1000 to 60000") || len(asked) != 3 {
		t.Errorf("refused: %+v, %v after %v", r, err, asked)
	}
	change.Unset = true
	if r, err = ch.ChangeConfig(t.Context(), change); err != nil || r.Problem != "" {
		t.Errorf("unset: %+v, %v", r, err)
	}
	if ch.book.of("set-config", "done") != 1 || ch.book.of("unset-config", "done") != 1 {
		t.Errorf("audit file: %+v", ch.book.entries)
	}
	if old := ch.book.entries[2].Change.Old; old == nil || old.Raw() != "earliest" {
		t.Errorf("the unset's old value is %v", old)
	}
}

// What is set for a group is told whether there is one or not; what holds by
// default is not.
func TestKeptConfigs(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1))
	ch, id := changes(t, c), model.NewGroupID("not-there")
	if kept, err := ch.client.KeptConfigs(t.Context(), id); err != nil || len(kept.Entries) != 0 {
		t.Errorf("before: %+v, %v", kept, err)
	}
	change := model.ConfigChange{Group: id, Key: model.NewText(keyReset), Value: model.NewText("earliest")}
	if _, err := ch.ChangeConfig(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	kept, err := ch.client.KeptConfigs(t.Context(), id)
	if err != nil || len(kept.Entries) != 1 || kept.Entries[0].Key.Raw() != keyReset || kept.Entries[0].Value.Raw() != "earliest" {
		t.Errorf("after: %+v, %v", kept, err)
	}
}
