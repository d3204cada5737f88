package model

import (
	"strings"
	"testing"
)

func TestCheckConfig(t *testing.T) {
	lock := ConfigEntry{Type: "INT", Min: "15000", Max: "60000"}
	for _, c := range []struct {
		key, value string
		entry      ConfigEntry
		bad        string
	}{
		{configLock, "15000", lock, ""},
		{configLock, "14999", lock, "at least 15000"},
		{configLock, "60001", lock, "at most 60000"},
		{configLock, "abc", lock, "whole number"},
		{configLock, "99999999999999999999", lock, "whole number"},
		{"share.renew.acknowledge.enable", "TRUE", ConfigEntry{Type: "BOOLEAN"}, "true or false"},
		{configReset, "EARLIEST", ConfigEntry{Type: "STRING"}, "earliest, latest"},
		{configReset, "by_duration:PT1H", ConfigEntry{Type: "STRING"}, ""},
		{configDeadLetter, "__x", ConfigEntry{Type: "STRING"}, "must not begin"},
		{"some.new.key", "anything", ConfigEntry{}, ""},
	} {
		err := CheckConfig(ConfigChange{Key: NewText(c.key), Value: NewText(c.value)}, c.entry)
		if (err == nil) != (c.bad == "") || err != nil && !strings.Contains(err.Error(), c.bad) {
			t.Errorf("%s=%s: %v, want %q", c.key, c.value, err, c.bad)
		}
	}
}

func TestDeadLetterWarningsNameEachCauseAndRemedy(t *testing.T) {
	good := DeadLetterFacts{
		ShareVersion: Known(2), Prefix: "dlq.", PrefixKnown: true, AutoCreate: true, AutoCreateKnown: true,
		Exists: true, ExistsKnown: true, Enabled: true, EnabledKnown: true,
	}
	for _, c := range []struct {
		name, topic string
		change      func(*DeadLetterFacts)
		says        []string
	}{
		{"good", "dlq.x", func(*DeadLetterFacts) {}, nil},
		{"share.version", "dlq.x", func(d *DeadLetterFacts) { d.ShareVersion = Known(1) }, []string{"share.version is 1", "upgrade --feature share.version=2"}},
		{"prefix", "x", func(*DeadLetterFacts) {}, []string{`prefix "dlq."`, "Name it dlq.x"}},
		{"no prefix asked", "x", func(d *DeadLetterFacts) { d.Prefix = "" }, nil},
		{"not enabled", "dlq.x", func(d *DeadLetterFacts) { d.Enabled = false }, []string{"Set errors.deadletterqueue.group.enable=true"}},
		{"missing", "dlq.x", func(d *DeadLetterFacts) { d.Exists, d.AutoCreate, d.EnabledKnown = false, false, false }, []string{"does not exist", "Create it"}},
		{"missing, made by brokers", "dlq.x", func(d *DeadLetterFacts) { d.Exists, d.EnabledKnown = false, false }, nil},
		{"not known", "dlq.x", func(d *DeadLetterFacts) { d.EnabledKnown = false }, []string{"could be checked"}},
	} {
		facts := good
		c.change(&facts)
		got := ConfigWarnings(ConfigChange{Key: NewText(configDeadLetter), Value: NewText(c.topic)}, ConfigFacts{DeadLetter: &facts})
		if (len(got) == 0) != (len(c.says) == 0) {
			t.Errorf("%s: %q", c.name, got)
		}
		for _, s := range c.says {
			if !strings.Contains(strings.Join(got, " "), s) {
				t.Errorf("%s: %q lacks %q", c.name, got, s)
			}
		}
	}
}

func TestConfigWarnings(t *testing.T) {
	f := ConfigFacts{LongestAck: Known(20_000), Partitions: []SharePartition{{
		Start: Known(0),
		State: NewPartitionState(StateParts{Start: 0, Batches: Intervals{{First: 0, Last: 2, State: RecordReleased, Count: 2}}}),
	}, {}}}
	for _, c := range []struct {
		key, value string
		unset      bool
		says       string
	}{
		{configLock, "15000", false, "up to 20,000 ms"},
		{configLock, "30000", false, ""},
		{configLock, "", true, ""},
		{configDeliveries, "3", false, "3 waiting records"},
		{configDeliveries, "5", false, ""},
		{configReset, "earliest", false, "1 of 2 share-partitions"},
		{"share.isolation.level", "read_committed", false, ""},
	} {
		got := strings.Join(ConfigWarnings(ConfigChange{Key: NewText(c.key), Value: NewText(c.value), Unset: c.unset}, f), " ")
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s=%s: %q, want %q", c.key, c.value, got, c.says)
		}
	}
}

func TestEquivalentChanges(t *testing.T) {
	b := []string{"b:9092"}
	for _, c := range []struct {
		make func() (string, error)
		want string
	}{
		{
			func() (string, error) { return EquivalentDelete(b, NewGroupID("it's"), NewGroupID("-rf")) },
			`kafka-share-groups.sh --bootstrap-server b:9092 --delete --group 'it'\''s' '--group=-rf'`,
		},
		{
			func() (string, error) {
				return EquivalentDeleteOffsets(b, NewGroupID("x; rm -rf /"), NewTopicName("t"))
			},
			`kafka-share-groups.sh --bootstrap-server b:9092 --delete-offsets --group 'x; rm -rf /' --topic t`,
		},
		{func() (string, error) {
			return EquivalentConfig(b, ConfigChange{Group: NewGroupID("g"), Key: NewText("k"), Value: NewText("a,b")})
		}, `kafka-configs.sh --bootstrap-server b:9092 --alter --entity-type groups --entity-name g --add-config 'k=[a,b]'`},
		{func() (string, error) {
			return EquivalentConfig(b, ConfigChange{Group: NewGroupID("g"), Key: NewText("k"), Unset: true})
		}, `kafka-configs.sh --bootstrap-server b:9092 --alter --entity-type groups --entity-name g --delete-config k`},
		{
			func() (string, error) { return EquivalentFromFile(b, NewGroupID("g"), "/tmp/a b.csv") },
			`kafka-share-groups.sh --bootstrap-server b:9092 --reset-offsets --group g --from-file '/tmp/a b.csv' --execute`,
		},
	} {
		if got, err := c.make(); err != nil || got != c.want {
			t.Errorf("%v\n%s\nwant\n%s", err, got, c.want)
		}
	}
	if _, err := EquivalentDelete(b, NewGroupID("a\x00b")); err == nil {
		t.Error("a NUL can't be in a command")
	}
}
