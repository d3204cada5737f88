package kafka

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// manyGroups is from how many groups on it pays to ask first which of them have
// configs of their own: most have none, and then one answer serves them all.
const manyGroups = 50

// groupResources is the first version of ListConfigResources that knows groups
// (KIP-1142); before, it lists client metrics only.
const groupResources = 1

// spareSettings asks for the configs of one group that has none of its own, lets
// all others of that kind have the same, and returns those that are left to be
// asked for one by one: all of them where the cluster does not say which groups
// have configs of their own (an old broker, or DESCRIBE_CONFIGS on the cluster
// is missing).
func (c *Client) spareSettings(ctx context.Context, nd *node, due []string) []string {
	if len(due) < manyGroups {
		return due
	}
	own, ok := groupsWithConfigs(ctx, nd.link)
	if !ok {
		return due
	}
	var plain, left []string
	for _, id := range due {
		if _, has := own[id]; has {
			left = append(left, id)
		} else {
			plain = append(plain, id)
		}
	}
	if len(plain) == 0 {
		return due
	}
	one := resource(kmsg.ConfigResourceTypeGroupConfig, plain[0], diagnosisKeys())
	resp, err := describeConfigs(ctx, nd.link, false, one)
	if err != nil || len(resp.Resources) != 1 || resp.Resources[0].ErrorCode != 0 {
		return due
	}
	c.state.spreadSettings(plain, resp.Resources[0].Configs)
	return left
}

// groupsWithConfigs are the groups that have configs of their own.
func groupsWithConfigs(ctx context.Context, l *link) (groups map[string]struct{}, ok bool) {
	req := kmsg.NewPtrListConfigResourcesRequest()
	req.ResourceTypes = []int8{int8(kmsg.ConfigResourceTypeGroupConfig)}
	resp, err := ask[*kmsg.ListConfigResourcesResponse](ctx, l, roleControl, req)
	if err != nil || resp.ErrorCode != 0 || resp.Version < groupResources {
		return nil, false
	}
	groups = make(map[string]struct{}, len(resp.ConfigResources))
	for i := range resp.ConfigResources {
		groups[resp.ConfigResources[i].Name] = struct{}{}
	}
	return groups, true
}

// spreadSettings gives the same configs to many groups.
func (s *state) spreadSettings(ids []string, configs []kmsg.DescribeConfigsResponseResourceConfig) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if e := s.groups[id]; e != nil {
			s.mergeGroupSettings(e, configs)
		}
		delete(s.settings.groups, id)
	}
	s.tellSettings()
}
