package kafka

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

const (
	// settingsEvery is how often the configs of one group are asked for.
	settingsEvery = time.Minute
	// settingsCheck is how often we look whether some group's are due.
	settingsCheck = 2 * time.Second
	// settingsChunk is the most groups in one DescribeConfigs request.
	settingsChunk = 250
	// configsEvery is how often all configs of the opened group are asked for.
	configsEvery = 10 * time.Second
)

// settingsFailure says for how many groups configs could not be read.
type settingsFailure struct {
	groups  map[string]struct{}
	code    int16
	message string
}

// resource asks for keys of one group or broker; no keys means all.
func resource(kind kmsg.ConfigResourceType, name string, keys []string) kmsg.DescribeConfigsRequestResource {
	r := kmsg.NewDescribeConfigsRequestResource()
	r.ResourceType, r.ResourceName, r.ConfigNames = kind, name, keys
	return r
}

func describeConfigs(ctx context.Context, l *link, synonyms bool, resources ...kmsg.DescribeConfigsRequestResource) (*kmsg.DescribeConfigsResponse, error) {
	req := kmsg.NewPtrDescribeConfigsRequest()
	req.Resources, req.IncludeSynonyms = resources, synonyms
	return ask[*kmsg.DescribeConfigsResponse](ctx, l, roleControl, req)
}

// anyNode is a broker that answers; ok is false when none does.
func (n *nodes) anyNode() (nd *node, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, nd := range n.sorted() {
		if n.reachable[nd.id] {
			return nd, true
		}
	}
	return nil, false
}

// runSettings asks for the broker's limits and for those configs of groups that
// diagnosis needs. What may not be read is a problem, not a failure.
func (c *Client) runSettings(ctx context.Context) error {
	nd, ok := c.nodes.anyNode()
	if scope := c.demand.scope(); !ok || scope.NoOffsets && scope.Open.Empty() {
		return nil
	}
	due := c.state.settingsDue(settingsEvery, only(c.demand.scope()))
	resources := c.dueLimits(nd)
	for _, id := range c.spareSettings(ctx, nd, due) {
		resources = append(resources, resource(kmsg.ConfigResourceTypeGroupConfig, id, diagnosisKeys()))
	}
	for chunk := range slices.Chunk(resources, settingsChunk) {
		resp, err := describeConfigs(ctx, nd.link, false, chunk...)
		if err != nil {
			c.state.settingsUnanswered(due)
			if err = notSupportedIsFine(err); err != nil {
				c.limits.reset()
			}
			return err
		}
		c.state.mergeSettings(resp)
	}
	return nil
}

// dueLimits asks for group.share.* of one broker, if they are due. They go with
// the configs of groups: asked before them, they are a round trip more.
func (c *Client) dueLimits(nd *node) []kmsg.DescribeConfigsRequestResource {
	if !c.limits.allow(c.opts.Now(), settingsEvery) {
		return nil
	}
	return []kmsg.DescribeConfigsRequestResource{limitsOf(nd)}
}

// limitsOf asks for group.share.* of a broker, which only itself can tell.
func limitsOf(nd *node) kmsg.DescribeConfigsRequestResource {
	return resource(kmsg.ConfigResourceTypeBroker, strconv.Itoa(int(nd.id)), limitKeys())
}

// limitsUntold tells whether no broker has told its limits yet, nor refused to.
func (s *state) limitsUntold() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cluster.BrokerLimits == nil && s.problems[problemKey{actionLimits, ""}] == nil
}

// notSupportedIsFine drops the error of a broker that has no such request:
// asking again does not help, and the cluster's level of support is told.
func notSupportedIsFine(err error) error {
	if _, refused := errors.AsType[*ReadOnlyError](err); refused || strings.Contains(err.Error(), "too old") {
		return nil
	}
	return err
}

// runConfigs asks for all configs of the opened group. A printout of offsets has
// none.
func (c *Client) runConfigs(ctx context.Context) error {
	scope := c.demand.scope()
	open := scope.Open.Raw()
	nd, ok := c.nodes.anyNode()
	if open == "" || !ok || scope.Once && !scope.NoOffsets {
		return nil
	}
	resources := []kmsg.DescribeConfigsRequestResource{resource(kmsg.ConfigResourceTypeGroupConfig, open, nil)}
	if c.state.limitsUntold() {
		resources = append(resources, limitsOf(nd))
	}
	resp, err := describeConfigs(ctx, nd.link, true, resources...)
	if err != nil {
		return notSupportedIsFine(err)
	}
	c.state.mergeConfigs(resp)
	return nil
}

// settingsDue are the groups whose configs were not asked for within age, those
// never asked for first; they count as asked from now on.
func (s *state) settingsDue(age time.Duration, wanted func(id string) bool) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	var due []string
	for id, e := range s.groups {
		if wanted(id) && (e.settingsAsked.IsZero() || now.Sub(e.settingsAsked) >= age) {
			due = append(due, id)
		}
	}
	slices.SortFunc(due, func(a, b string) int {
		if d := s.groups[a].settingsAsked.Compare(s.groups[b].settingsAsked); d != 0 {
			return d
		}
		return compareRaw(a, b)
	})
	for _, id := range due {
		s.groups[id].settingsAsked = now
	}
	return due
}

// settingsUnanswered makes groups due again that were not answered.
func (s *state) settingsUnanswered(ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if e := s.groups[id]; e != nil {
			e.settingsAsked = time.Time{}
		}
	}
}

// mergeSettings takes in the configs of many groups, and of a broker. The groups that may not be
// read make one problem, not one each.
func (s *state) mergeSettings(resp *kmsg.DescribeConfigsResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &s.settings
	for i := range resp.Resources {
		r := &resp.Resources[i]
		if r.ResourceType == kmsg.ConfigResourceTypeBroker {
			s.mergeLimits(r)
			continue
		}
		e := s.groups[r.ResourceName]
		if r.ErrorCode != 0 {
			if f.groups == nil {
				f.groups = make(map[string]struct{})
			}
			f.groups[r.ResourceName] = struct{}{}
			f.code, f.message = r.ErrorCode, deref(r.ErrorMessage)
			continue
		}
		delete(f.groups, r.ResourceName)
		if e != nil {
			s.mergeGroupSettings(e, r.Configs)
		}
	}
	s.tellSettings()
}

func (s *state) tellSettings() {
	f := &s.settings
	key := problemKey{actionSettings, ""}
	example := ""
	for id := range f.groups {
		if s.groups[id] == nil {
			delete(f.groups, id)
		} else if example == "" || id < example {
			example = id
		}
	}
	if example == "" {
		s.cureLocked(key)
		return
	}
	s.reportLocked(key, settingsProblem(len(f.groups), example, f.code, f.message))
}

func (s *state) mergeGroupSettings(e *groupEntry, configs []kmsg.DescribeConfigsResponseResourceConfig) {
	next := settingsOf(configs)
	next.GroupMaxSize = number(s.cluster.BrokerLimits[keyMaxSize])
	s.setSettings(e, next)
}

// setSettings gives a group settings, unless it has them. Nearly all groups have
// the same as the one before, and then share its value; s.mu is held.
func (s *state) setSettings(e *groupEntry, next model.Settings) {
	if known := e.group.Settings; known != nil && *known == next {
		return
	}
	if s.lastSettings == nil || *s.lastSettings != next {
		s.lastSettings = &next
	}
	s.change(e, func(g *model.Group) { g.Settings = s.lastSettings })
}

// deliveryLimit is a group's share.delivery.count.limit, unknown where it was not
// answered yet.
func (s *state) deliveryLimit(group string) model.Number {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.groups[group]; e != nil {
		return e.group.Effective().DeliveryLimit
	}
	return model.Number{}
}

// settingsOf reads the configs that diagnosis needs; what is missing or makes
// no sense stays unknown.
func settingsOf(configs []kmsg.DescribeConfigsResponseResourceConfig) model.Settings {
	values := make(map[string]string, len(configs))
	for i := range configs {
		values[configs[i].Name] = deref(configs[i].Value)
	}
	return model.Settings{
		LockDuration:      millis(values[keyLockDuration]),
		HeartbeatInterval: millis(values[keyHeartbeat]),
		SessionTimeout:    millis(values[keySession]),
		MaxRecordLocks:    number(values[keyMaxLocks]),
		DeliveryLimit:     number(values[keyDeliveries]),
		AutoOffsetReset:   safeText(values[keyReset]),
		IsolationLevel:    safeText(values[keyIsolation]),
		DeadLetterTopic:   outside(values[keyDeadLetter]),
	}
}

func millis(value string) time.Duration {
	const most = int64(24 * time.Hour / time.Millisecond)
	if n, ok := number(value).Get(); ok && n > 0 && n <= most {
		return time.Duration(n) * time.Millisecond
	}
	return 0
}

func number(value string) model.Number {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return model.Number{}
	}
	return model.Known(n)
}

// mergeLimits takes in the limits of a broker; s.mu is held.
func (s *state) mergeLimits(r *kmsg.DescribeConfigsResponseResource) {
	key := problemKey{actionLimits, ""}
	if r.ErrorCode != 0 {
		s.reportLocked(key, limitsProblem(r.ErrorCode, deref(r.ErrorMessage)))
		return
	}
	s.cureLocked(key)
	limits := make(map[string]string, len(r.Configs))
	for i := range r.Configs {
		if v := r.Configs[i].Value; v != nil {
			limits[r.Configs[i].Name] = safeText(*v)
		}
	}
	s.cluster.BrokerLimits = limits
	s.pub.dirty()
	s.spreadMaxSize()
}

// spreadMaxSize gives the bound on a group's size to the groups whose configs
// came before it.
func (s *state) spreadMaxSize() {
	size := number(s.cluster.BrokerLimits[keyMaxSize])
	for _, e := range s.groups {
		if e.group.Settings != nil {
			next := *e.group.Settings
			next.GroupMaxSize = size
			s.setSettings(e, next)
		}
	}
}

// mergeConfigs takes in all configs of the opened group, after the limits that
// their ranges are made from, where these come with them.
func (s *state) mergeConfigs(resp *kmsg.DescribeConfigsResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range resp.Resources {
		if r := &resp.Resources[i]; r.ResourceType == kmsg.ConfigResourceTypeBroker {
			s.mergeLimits(r)
		}
	}
	for i := range resp.Resources {
		if r := &resp.Resources[i]; r.ResourceType == kmsg.ConfigResourceTypeGroupConfig {
			s.mergeOpenConfigs(r)
		}
	}
}

// mergeOpenConfigs takes in all configs of the opened group. They are there also
// for a group that does not exist. s.mu is held.
func (s *state) mergeOpenConfigs(r *kmsg.DescribeConfigsResponseResource) {
	e := s.groups[r.ResourceName]
	if e == nil || r.ResourceName != s.open {
		return
	}
	configs := &model.Configs{At: s.now()}
	if r.ErrorCode != 0 {
		p := settingsProblem(1, r.ResourceName, r.ErrorCode, deref(r.ErrorMessage))
		configs.Problem = &p
	} else {
		for i := range r.Configs {
			configs.Entries = append(configs.Entries, configEntry(&r.Configs[i], s.cluster.BrokerLimits))
		}
		slices.SortFunc(configs.Entries, compareEntries)
		configs.Missing = missingConfigs(r.Configs)
		s.mergeGroupSettings(e, r.Configs)
	}
	s.change(e, func(g *model.Group) { g.Configs = configs })
}

// missingConfigs are the keys that we know and an answer lacks, sorted.
func missingConfigs(told []kmsg.DescribeConfigsResponseResourceConfig) []string {
	left := groupConfigs()
	for i := range told {
		delete(left, told[i].Name)
	}
	return slices.Sorted(maps.Keys(left))
}

// compareEntries orders configs by key, those of share groups first.
func compareEntries(a, b model.ConfigEntry) int {
	rank := func(key string) int {
		if strings.HasPrefix(key, "share.") || strings.HasPrefix(key, "errors.") {
			return 0
		}
		return 1
	}
	x, y := a.Key.Raw(), b.Key.Raw()
	if d := rank(x) - rank(y); d != 0 {
		return d
	}
	return compareRaw(x, y)
}
