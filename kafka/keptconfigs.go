package kafka

import (
	"context"
	"errors"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// KeptConfigs are the configs that a group has of its own, sorted by key. The
// group need not exist: brokers keep what was set before it came, and what is left
// of one that was deleted. It asks any broker, with DescribeConfigs.
func (c *Client) KeptConfigs(ctx context.Context, id model.GroupID) (*model.Configs, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	resp, _, err := c.describeAny(ctx, resource(kmsg.ConfigResourceTypeGroupConfig, id.Raw(), nil))
	if err != nil {
		return nil, nobodyToAsk("for the configs of "+safeText(id.Raw()), err)
	}
	c.state.mu.Lock()
	limits := c.state.cluster.BrokerLimits
	c.state.mu.Unlock()
	kept := &model.Configs{At: c.opts.Now()}
	for i := range resp.Resources {
		r := &resp.Resources[i]
		if r.ErrorCode != 0 {
			return nil, errors.New(codeText(r.ErrorCode, deref(r.ErrorMessage)))
		}
		for j := range r.Configs {
			entry := configEntry(&r.Configs[j], limits)
			if entry.Source == model.ConfigFromGroup {
				kept.Entries = append(kept.Entries, entry)
			}
		}
	}
	slices.SortFunc(kept.Entries, compareEntries)
	return kept, nil
}

// ownConfigs are the keys of those that are set on a group itself; none where they
// can't be read.
func (ch *Changer) ownConfigs(ctx context.Context, id model.GroupID) []model.Text {
	kept, err := ch.client.KeptConfigs(ctx, id)
	if err != nil {
		return nil
	}
	var own []model.Text
	for i := range kept.Entries {
		own = append(own, kept.Entries[i].Key)
	}
	return own
}
