package kafka

import (
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

func TestOpenedGroupHasAllItsConfigs(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	place(t, c, "orders", 0, "billing", "shipping")
	adm := plainClient(t, c)
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	r := kmsg.NewIncrementalAlterConfigsRequestResource()
	r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeGroupConfig, "billing"
	for key, value := range map[string]string{
		keyReset: "earliest", keyLockDuration: "20000", keyDeliveries: "3", keyMaxLocks: "300",
		keyHeartbeat: "6000", keySession: "50000", keyIsolation: "read_committed",
	} {
		cfg := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
		cfg.Name, cfg.Value = key, kmsg.StringPtr(value)
		r.Configs = append(r.Configs, cfg)
	}
	req.Resources = append(req.Resources, r)
	if _, err := req.RequestWith(t.Context(), adm); err != nil {
		t.Fatal(err)
	}

	w := watch(t, c)
	w.scope.Open = id("billing")
	s := w.until("configs", func(s *model.Snapshot) bool {
		g := s.Group(id("billing"))
		return g != nil && g.Configs != nil && g.Effective().LockDuration != 0
	})
	g := s.Group(id("billing"))
	got := g.Effective()
	got.GroupMaxSize = model.Number{}
	want := model.Settings{
		LockDuration: 20 * time.Second, HeartbeatInterval: 6 * time.Second, SessionTimeout: 50 * time.Second,
		MaxRecordLocks: model.Known(300), DeliveryLimit: model.Known(3),
		AutoOffsetReset: "earliest", IsolationLevel: "read_committed",
	}
	if got != want {
		t.Errorf("settings are %+v", got)
	}
	at := slices.IndexFunc(g.Configs.Entries, func(e model.ConfigEntry) bool { return e.Key.Raw() == keyLockDuration })
	if at < 0 {
		t.Fatalf("configs are %+v", g.Configs)
	}
	e := g.Configs.Entries[at]
	if e.Value.Raw() != "20000" || e.Source != model.ConfigFromGroup || e.Meaning == "" ||
		e.BrokerKey.Raw() != "group.share.record.lock.duration.ms" {
		t.Errorf("entry is %+v", e)
	}
	w.scope.Open = id("shipping")
	w.until("the configs of the other group only", func(s *model.Snapshot) bool {
		return s.Group(id("billing")).Configs == nil && s.Group(id("shipping")).Configs != nil
	})
}

// A printout shows the configs as they come first, so the ranges have to be
// there by then, or that they may not be seen.
func TestFirstConfigsHaveTheirRanges(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t)
	place(t, c, "orders", 0, "billing")
	answer := func(key, value string) kmsg.DescribeConfigsResponseResourceConfig {
		cfg := kmsg.NewDescribeConfigsResponseResourceConfig()
		cfg.Name, cfg.Value = key, kmsg.StringPtr(value)
		return cfg
	}
	control(c, kmsg.DescribeConfigs, func(r kmsg.Request) kmsg.Response {
		resp := r.ResponseKind().(*kmsg.DescribeConfigsResponse)
		asked := r.(*kmsg.DescribeConfigsRequest).Resources
		for _, a := range asked {
			if a.ResourceType == kmsg.ConfigResourceTypeBroker && asked[0].ConfigNames != nil {
				continue // those that are asked for another way come too late
			}
			told := kmsg.NewDescribeConfigsResponseResource()
			told.ResourceType, told.ResourceName = a.ResourceType, a.ResourceName
			told.Configs = append(told.Configs, answer(keyLockDuration, "30000"))
			if a.ResourceType == kmsg.ConfigResourceTypeBroker {
				told.Configs = []kmsg.DescribeConfigsResponseResourceConfig{
					answer("group.share.min.record.lock.duration.ms", "1000"), answer("group.share.max.record.lock.duration.ms", "60000"),
				}
			}
			resp.Resources = append(resp.Resources, told)
		}
		return resp
	})
	w := watch(t, c)
	w.scope.Open, w.scope.Once, w.scope.NoOffsets = id("billing"), true, true
	s := w.until("configs", func(s *model.Snapshot) bool {
		g := s.Group(id("billing"))
		return g != nil && g.Configs != nil
	})
	if e := s.Group(id("billing")).Configs.Entries[0]; e.Min != "1000" || e.Max != "60000" {
		t.Errorf("entry is %+v", e)
	}
}

func TestConfigEntryHasRangeAndSource(t *testing.T) {
	limits := map[string]string{
		"group.share.min.record.lock.duration.ms": "15000", "group.share.max.record.lock.duration.ms": "60000",
	}
	c := kmsg.NewDescribeConfigsResponseResourceConfig()
	c.Name, c.Value, c.Source, c.ConfigType = keyLockDuration, kmsg.StringPtr("30000"), kmsg.ConfigSourceStaticBrokerConfig, 3
	c.ConfigSynonyms = []kmsg.DescribeConfigsResponseResourceConfigConfigSynonym{
		{Name: keyLockDuration}, {Name: "group.share.record.lock.duration.ms"},
	}
	e := configEntry(&c, limits)
	if e.Min != "15000" || e.Max != "60000" || e.Source != model.ConfigFromBroker || e.Type != "INT" ||
		e.BrokerKey.Raw() != "group.share.record.lock.duration.ms" || e.IsNull {
		t.Errorf("entry is %+v", e)
	}
	c.Name, c.Value, c.Source = "some.new.key", nil, kmsg.ConfigSourceDefaultConfig
	c.ConfigSynonyms = nil
	if e := configEntry(&c, limits); !e.IsNull || e.Source != model.ConfigFromDefault || e.Meaning != "" || e.Min != "" {
		t.Errorf("entry is %+v", e)
	}
}
