package kafka

import (
	"context"
	"net"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// clusterFacts are what changes need to know of the cluster as a whole. What
// could not be read is zero.
type clusterFacts struct {
	id      model.Text
	version model.Number
	// limits are the broker's bounds of group configs.
	limits map[string]string
	// node is a broker that answers, for its configs.
	node int32
	link *link
}

// facts are what watching has found out, and where nothing watches, what the
// cluster answers now.
func (ch *Changer) facts(ctx context.Context) clusterFacts {
	c := ch.client
	c.state.mu.Lock()
	f := clusterFacts{id: c.state.cluster.ID, version: c.state.cluster.ShareVersion, limits: c.state.cluster.BrokerLimits}
	c.state.mu.Unlock()
	resp, l, err := c.askMetadata(ctx, []string{})
	if err != nil || len(resp.Brokers) == 0 {
		return f
	}
	b := resp.Brokers[0]
	f.id, f.node, f.link = clusterID(resp.ClusterID), b.NodeID, c.nodes.linkAt(net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port))))
	if !f.version.IsKnown() {
		c.askFeatures(ctx, l)
		c.state.mu.Lock()
		f.version = c.state.cluster.ShareVersion
		c.state.mu.Unlock()
	}
	if f.limits == nil {
		f.limits, _ = configValues(ctx, f.link, resource(kmsg.ConfigResourceTypeBroker, strconv.Itoa(int(f.node)), limitKeys()))
	}
	return f
}

// identify finds out the cluster's id for the audit file, once.
func (ch *Changer) identify(ctx context.Context) {
	if id := ch.cluster.Load(); id != nil {
		return
	}
	id := ch.client.state.clusterID()
	if id.Empty() {
		resp, _, err := ch.client.askMetadata(ctx, []string{})
		if err != nil {
			return // the change itself will fail, and say why
		}
		id = clusterID(resp.ClusterID)
	}
	ch.cluster.Store(&id)
}

// clusterID is the cluster's own id; empty before a broker has answered.
func (s *state) clusterID() model.Text {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cluster.ID
}
