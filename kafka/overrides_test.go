package kafka

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// setGroupConfig gives a group a config of its own.
func setGroupConfig(t *testing.T, c *kfake.Cluster, group, key, value string) {
	t.Helper()
	cfg := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	cfg.Name, cfg.Value = key, kmsg.StringPtr(value)
	r := kmsg.NewIncrementalAlterConfigsRequestResource()
	r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeGroupConfig, group
	r.Configs = append(r.Configs, cfg)
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	req.Resources = append(req.Resources, r)
	if _, err := req.RequestWith(t.Context(), plainClient(t, c)); err != nil {
		t.Fatal(err)
	}
}

// Of many groups only those with configs of their own are asked for, and one
// for all others; where the cluster does not say which, every one is.
func TestSettingsOfManyGroups(t *testing.T) {
	t.Parallel()
	const groups = manyGroups + 30
	for _, test := range []struct {
		name   string
		denied bool
		asked  int32
	}{
		{"the cluster tells who has their own", false, 2},
		{"the cluster does not tell", true, groups},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := fakeCluster(t, kfakeBrokers(1)) // all groups are listed at once
			all := make([]string, groups)
			for i := range all {
				all[i] = fmt.Sprintf("group-%03d", i)
			}
			place(t, c, "orders", 0, all...)
			setGroupConfig(t, c, "group-033", keyLockDuration, "20000")
			setGroupConfig(t, c, "group-000", keyIsolation, "read_committed")
			var asked atomic.Int32
			control(c, kmsg.DescribeConfigs, func(r kmsg.Request) kmsg.Response {
				for _, res := range r.(*kmsg.DescribeConfigsRequest).Resources {
					if res.ResourceType == kmsg.ConfigResourceTypeGroupConfig {
						asked.Add(1)
					}
				}
				return nil
			})
			if test.denied {
				control(c, kmsg.ListConfigResources, func(r kmsg.Request) kmsg.Response {
					resp := r.ResponseKind().(*kmsg.ListConfigResourcesResponse)
					resp.ErrorCode = kerr.ClusterAuthorizationFailed.Code
					return resp
				})
			}
			w := watch(t, c)
			s := w.until("the settings of all groups", func(s *model.Snapshot) bool {
				for _, g := range s.Groups {
					if g.Settings == nil {
						return false
					}
				}
				return len(s.Groups) == groups
			})
			if got := s.Group(id("group-033")).Effective().LockDuration; got != 20*time.Second {
				t.Errorf("the group with its own lock duration has %s", got)
			}
			if got := s.Group(id("group-000")).Effective().IsolationLevel; got != "read_committed" {
				t.Errorf("the group with its own isolation level has %q", got)
			}
			if got := s.Group(id("group-034")).Effective(); got.LockDuration == 20*time.Second || got.IsolationLevel == "read_committed" {
				t.Errorf("a group without its own configs has those of another: %+v", got)
			}
			if s.Group(id("group-034")).Settings != s.Group(id("group-035")).Settings {
				t.Error("groups with the same settings hold two values")
			}
			if want := test.asked; !test.denied {
				want++ // one for all that have none
				if got := asked.Load(); got != want {
					t.Errorf("%d groups were asked for, want %d", got, want)
				}
			} else if got := asked.Load(); got < want {
				t.Errorf("%d groups were asked for, want all %d", got, want)
			}
		})
	}
}
