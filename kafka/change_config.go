package kafka

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// Configs of the broker and of topics that dead letters hang on.
const (
	keyDeadPrefix = "errors.deadletterqueue.topic.name.prefix"
	keyDeadCreate = "errors.deadletterqueue.auto.create.topics.enable"
	keyDeadEnable = "errors.deadletterqueue.group.enable"
)

// readBackFor is how long a config may take to be seen: it comes to the broker
// that is asked by way of the controller.
const (
	readBackFor   = 2 * time.Second
	readBackEvery = 20 * time.Millisecond
)

// describeAny asks any broker for configs.
func (c *Client) describeAny(ctx context.Context, resources ...kmsg.DescribeConfigsRequestResource) (*kmsg.DescribeConfigsResponse, *link, error) {
	return hedge(ctx, c.wg.Go, c.nodes.anyLinks(), func(ctx context.Context, l *link) (*kmsg.DescribeConfigsResponse, error) {
		return describeConfigs(ctx, l, true, resources...)
	})
}

// LookConfig looks at what a change of a group's configs is judged by. The group
// need not exist. What can't be seen is unknown in the answer; the error is for
// a config that can't be read at all.
func (ch *Changer) LookConfig(ctx context.Context, change model.ConfigChange) (*model.ConfigFacts, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	cluster := ch.facts(ctx)
	entry, err := ch.oneConfig(ctx, change, cluster.limits)
	if err != nil {
		return nil, err
	}
	facts := &model.ConfigFacts{Entry: *entry, LongestAck: ch.client.longestHold.millis()}
	s := ch.client.state
	s.mu.Lock()
	if e := s.groups[change.Group.Raw()]; e != nil {
		facts.Partitions = e.group.Partitions
	}
	s.mu.Unlock()
	if change.Key.Raw() == keyDeadLetter && !change.Unset && !change.Value.Empty() {
		facts.DeadLetter = ch.lookDeadLetters(ctx, change.Value.Raw(), cluster)
	}
	return facts, nil
}

// oneConfig reads one config of a group with the range that limits give it.
func (ch *Changer) oneConfig(ctx context.Context, change model.ConfigChange, limits map[string]string) (*model.ConfigEntry, error) {
	key, group := change.Key.Raw(), change.Group.Raw()
	resp, _, err := ch.client.describeAny(ctx, resource(kmsg.ConfigResourceTypeGroupConfig, group, []string{key}))
	if err != nil {
		return nil, nobodyToAsk(fmt.Sprintf("for %s", change.Key), err)
	}
	for i := range resp.Resources {
		r := &resp.Resources[i]
		if r.ErrorCode != 0 {
			why := codeText(r.ErrorCode, deref(r.ErrorMessage))
			if denied(r.ErrorCode) {
				why = "ALTER_CONFIGS on the group is missing, which lets one read them too"
			}
			return nil, fmt.Errorf("%s of %s can't be read: %s", change.Key, safeText(group), why)
		}
		for j := range r.Configs {
			if r.Configs[j].Name == key {
				entry := configEntry(&r.Configs[j], limits)
				return &entry, nil
			}
		}
	}
	return nil, fmt.Errorf("this server does not tell a group config %s: its version of Kafka, or the server itself, has none", change.Key)
}

// lookDeadLetters finds out whether dead letters would arrive in a topic.
func (ch *Changer) lookDeadLetters(ctx context.Context, topic string, cluster clusterFacts) *model.DeadLetterFacts {
	d := &model.DeadLetterFacts{ShareVersion: cluster.version}
	if cluster.link != nil {
		r := resource(kmsg.ConfigResourceTypeBroker, strconv.Itoa(int(cluster.node)), []string{keyDeadPrefix, keyDeadCreate})
		if values, ok := configValues(ctx, cluster.link, r); ok {
			d.Prefix, d.PrefixKnown = values[keyDeadPrefix], has(values, keyDeadPrefix)
			d.AutoCreate, d.AutoCreateKnown = values[keyDeadCreate] == "true", has(values, keyDeadCreate)
		}
	}
	m, err := ch.metadataFor(ctx, []string{topic})
	if err != nil || m.trouble[topic] != "" && m.trouble[topic] != topicTrouble(3) {
		return d
	}
	d.Exists, d.ExistsKnown = m.counts[topic] > 0, true
	if !d.Exists {
		return d
	}
	resp, _, err := ch.client.describeAny(ctx, resource(kmsg.ConfigResourceTypeTopic, topic, []string{keyDeadEnable}))
	if err == nil {
		values, _ := valuesOf(resp)
		d.Enabled, d.EnabledKnown = values[keyDeadEnable] == "true", has(values, keyDeadEnable)
	}
	return d
}

func has(values map[string]string, key string) bool { _, ok := values[key]; return ok }

func configValues(ctx context.Context, l *link, r kmsg.DescribeConfigsRequestResource) (map[string]string, bool) {
	resp, err := describeConfigs(ctx, l, false, r)
	if err != nil {
		return nil, false
	}
	return valuesOf(resp)
}

// valuesOf are the configs of an answer about one resource.
func valuesOf(resp *kmsg.DescribeConfigsResponse) (map[string]string, bool) {
	values := make(map[string]string)
	for i := range resp.Resources {
		if resp.Resources[i].ErrorCode != 0 {
			return nil, false
		}
		for _, c := range resp.Resources[i].Configs {
			values[c.Name] = deref(c.Value)
		}
	}
	return values, true
}

// ChangeConfig sets or unsets one config of a group and touches no other. The
// broker is asked first whether it would do it, then to do it, and the value is
// read back. The group need not exist. Its own words stand in the result when it
// refuses; the error is for what kept the change from being tried.
func (ch *Changer) ChangeConfig(ctx context.Context, change model.ConfigChange) (*model.ConfigResult, error) {
	req := configRequest(change)
	if err := ch.allowed(req); err != nil {
		return nil, err
	}
	defer ch.begin()()
	look, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	ch.identify(look)
	old, err := ch.oneConfig(look, change, ch.facts(look).limits)
	if err != nil {
		return nil, err
	}
	if err := model.CheckConfig(change, *old); err != nil {
		return nil, fmt.Errorf("nothing was changed: %w", err)
	}
	l, err := ch.anyAnswering(look)
	if err != nil {
		return nil, err
	}
	req.ValidateOnly = true
	result := &model.ConfigResult{}
	if err := alterConfig(ctx, l, req, result); err != nil || result.Problem != "" {
		return result, err
	}
	entry := ch.configEntry(change, old)
	if err := ch.before(entry); err != nil {
		return nil, err
	}
	req.ValidateOnly = false
	err = alterConfig(ctx, l, req, result)
	ch.readConfigBack(ctx, change, result)
	ch.configAfter(entry, result, err)
	ch.client.schedule.kick(ch.client.configs)
	return result, nil
}

func (ch *Changer) configAfter(entry model.AuditEntry, result *model.ConfigResult, err error) {
	entry.Time, entry.Outcome = ch.client.opts.Now(), outcomeDone
	switch {
	case err != nil:
		result.Problem = err.Error() + ": the change may have been made or not"
		entry.Outcome = outcomeUnknown
	case result.Problem != "":
		entry.Outcome = outcomeRefused
	}
	entry.Detail = result.Problem
	if trouble := ch.after(entry); trouble != "" {
		result.Advice = joined(result.Advice, trouble)
	}
}

// anyAnswering is the way to a broker that answers.
func (ch *Changer) anyAnswering(ctx context.Context) (*link, error) {
	_, l, err := ch.client.askMetadata(ctx, []string{})
	if err != nil {
		return nil, fmt.Errorf("no broker could be asked: the last one tried %s", whyAndRemedy(err))
	}
	return l, nil
}

func configRequest(change model.ConfigChange) *kmsg.IncrementalAlterConfigsRequest {
	c := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	c.Name = change.Key.Raw()
	if change.Unset {
		c.Op = kmsg.IncrementalAlterConfigOpDelete
	} else {
		c.Op = kmsg.IncrementalAlterConfigOpSet
		c.Value = kmsg.StringPtr(change.Value.Raw())
	}
	r := kmsg.NewIncrementalAlterConfigsRequestResource()
	r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeGroupConfig, change.Group.Raw()
	r.Configs = append(r.Configs, c)
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	req.Resources = append(req.Resources, r)
	return req
}

// alterConfig sends the request and puts a refusal into the result. The error
// is for an answer that did not come.
func alterConfig(ctx context.Context, l *link, req *kmsg.IncrementalAlterConfigsRequest, result *model.ConfigResult) error {
	resp, err := sendChange[*kmsg.IncrementalAlterConfigsResponse](ctx, l, req)
	if err != nil {
		return fmt.Errorf("the broker %s", whyAndRemedy(err))
	}
	if len(resp.Resources) != 1 {
		return errors.New("the broker's answer does not name the group")
	}
	if r := &resp.Resources[0]; r.ErrorCode != 0 {
		result.Problem = codeText(r.ErrorCode, deref(r.ErrorMessage))
		result.Advice = configAdvice(r.ErrorCode, &req.Resources[0])
	}
	return nil
}

// configAdvice is what would fix a refusal; empty when only the server's own
// words tell.
func configAdvice(code int16, r *kmsg.IncrementalAlterConfigsRequestResource) string {
	_, known := groupConfigs()[r.Configs[0].Name]
	switch {
	case denied(code):
		return aclCommand("ALTER_CONFIGS", "group", safeText(r.ResourceName))
	case known && (code == kerr.InvalidConfig.Code || code == kerr.InvalidRequest.Code || code == kerr.UnsupportedVersion.Code):
		return "if the value is within its range, this server has not got the config: docs/servers.md"
	default:
		return ""
	}
}

// readConfigBack asks until the value is as it was set, for a bounded time.
func (ch *Changer) readConfigBack(ctx context.Context, change model.ConfigChange, result *model.ConfigResult) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readBackFor)
	defer cancel()
	for {
		entry, err := ch.oneConfig(ctx, change, nil)
		if err == nil {
			result.ReadBack, result.ReadBackKnown = entry.Value, true
			own := entry.Source == model.ConfigFromGroup
			if change.Unset && !own || !change.Unset && entry.Value == change.Value {
				return
			}
		}
		if rest(ctx, readBackEvery) != nil {
			return
		}
	}
}

func (ch *Changer) configEntry(change model.ConfigChange, old *model.ConfigEntry) model.AuditEntry {
	action := "set-config"
	if change.Unset {
		action = "unset-config"
	}
	entry := ch.entry(action, change.Group, outcomeSending, "")
	entry.Change = &model.AuditChange{Config: &change.Key}
	if old.Source == model.ConfigFromGroup {
		entry.Change.Old = &old.Value
	}
	if !change.Unset {
		entry.Change.New = &change.Value
	}
	return entry
}
