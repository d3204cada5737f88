package workload

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Client sets things up on one cluster. It may be used concurrently.
type Client struct {
	bootstrap []string
	kgo       *kgo.Client
	admin     *kadm.Client
}

// retryFor bounds how long a coordinator that is not ready is asked again:
// the first request for a group of a fresh cluster makes the internal topics.
const (
	retryFor  = time.Minute
	retryPoll = 100 * time.Millisecond
)

// unknownTopicRetries is how often a record is tried again whose topic the leader
// does not have yet: a busy broker that just created it takes a while.
const unknownTopicRetries = 20

// Open makes a client. Records go to the partition that they name.
func Open(bootstrap []string) (*Client, error) {
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(bootstrap...),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.UnknownTopicRetries(unknownTopicRetries),
		kgo.DisableClientMetrics(),
	)
	if err != nil {
		return nil, fmt.Errorf("no client for the workload: %w", err)
	}
	return &Client{bootstrap: bootstrap, kgo: cl, admin: kadm.NewClient(cl)}, nil
}

// Close closes the client.
func (c *Client) Close() { c.kgo.Close() }

// Admin is for what this package has no function for.
func (c *Client) Admin() *kadm.Client { return c.admin }

// Raw is for single requests.
func (c *Client) Raw() *kgo.Client { return c.kgo }

// CreateTopic creates a topic with as many replicas as there are brokers, and
// returns when every broker has it. One that is there already, with as many
// partitions and no record, is taken for this one: a broker that was just frozen
// creates a topic, loses its controller's answer and asks again by itself.
func (c *Client) CreateTopic(ctx context.Context, topic string, partitions int32) error {
	var id kadm.TopicID // zero where somebody else created it
	err := c.retry(ctx, func() error {
		created, err := c.admin.CreateTopic(ctx, partitions, int16(min(len(c.bootstrap), 3)), nil, topic) //nolint:gosec // at most 3
		id = created.ID
		return err
	})
	if errors.Is(err, kerr.TopicAlreadyExists) {
		err = c.retry(ctx, func() error { return c.isNew(ctx, topic, partitions) })
	}
	if err == nil {
		err = c.retry(ctx, func() error { return c.areLed(ctx, topic, id, partitions) })
	}
	if err != nil {
		return fmt.Errorf("topic %s can't be created: %w", topic, err)
	}
	return nil
}

// areLed fails with errNotYet unless every broker has all partitions of a topic, of
// that id and not of an older topic of its name, and a leader for each: the controller
// answers before they do, and others than this client ask them next.
func (c *Client) areLed(ctx context.Context, topic string, id kadm.TopicID, partitions int32) error {
	for _, broker := range c.kgo.DiscoveredBrokers() {
		req := kmsg.NewPtrMetadataRequest()
		asked := kmsg.NewMetadataRequestTopic()
		asked.Topic = &topic
		req.Topics = append(req.Topics, asked)
		resp, err := broker.RetriableRequest(ctx, req)
		if err != nil {
			return err
		}
		t := &resp.(*kmsg.MetadataResponse).Topics[0]
		known := slices.DeleteFunc(t.Partitions, func(p kmsg.MetadataResponseTopicPartition) bool { return p.Leader < 0 })
		if len(known) != int(partitions) || id != (kadm.TopicID{}) && id != t.TopicID {
			return errNotYet
		}
	}
	return nil
}

// isNew fails unless a topic has so many partitions and never had a record.
func (c *Client) isNew(ctx context.Context, topic string, partitions int32) error {
	ends, err := c.admin.ListEndOffsets(ctx, topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return err
	}
	if all := ends[topic]; len(all) != int(partitions) || slices.ContainsFunc(slices.Collect(maps.Values(all)), hasRecords) {
		return kerr.TopicAlreadyExists
	}
	return nil
}

func hasRecords(end kadm.ListedOffset) bool { return end.Offset > 0 }

// AddPartitions gives a topic more partitions, n in all, and returns when they can
// be produced to.
func (c *Client) AddPartitions(ctx context.Context, topic string, n int) error {
	resps, err := c.admin.UpdatePartitions(ctx, n, topic)
	if err == nil {
		err = resps.Error()
	}
	if err != nil {
		return fmt.Errorf("topic %s can't be given %d partitions: %w", topic, n, err)
	}
	return c.retry(ctx, func() error {
		c.kgo.ForceMetadataRefresh()
		leader, _, err := c.kgo.PartitionLeader(topic, int32(n-1)) //nolint:gosec // a few
		if err == nil && leader < 0 {
			err = errNotYet
		}
		return err
	})
}

// DeleteTopic deletes a topic.
func (c *Client) DeleteTopic(ctx context.Context, topic string) error {
	if _, err := c.admin.DeleteTopic(ctx, topic); err != nil {
		return fmt.Errorf("topic %s can't be deleted: %w", topic, err)
	}
	return nil
}

// SetGroupConfig sets one config of a group, which need not exist, and waits until
// the broker has it: its controller answers before that.
func (c *Client) SetGroupConfig(ctx context.Context, group, key, value string) error {
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	resource := kmsg.NewIncrementalAlterConfigsRequestResource()
	resource.ResourceType = kmsg.ConfigResourceTypeGroupConfig
	resource.ResourceName = group
	config := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	config.Name, config.Value = key, &value
	resource.Configs = append(resource.Configs, config)
	req.Resources = append(req.Resources, resource)
	resp, err := req.RequestWith(ctx, c.kgo)
	if err != nil {
		return fmt.Errorf("config %s of group %s can't be set: %w", key, group, err)
	}
	for _, r := range resp.Resources {
		if err := kerr.ErrorForCode(r.ErrorCode); err != nil {
			return fmt.Errorf("config %s of group %s can't be set: %w", key, group, err)
		}
	}
	return c.retry(ctx, func() error { return c.hasGroupConfig(ctx, group, key, value) })
}

// hasGroupConfig fails with errNotYet unless the broker has a group's config.
func (c *Client) hasGroupConfig(ctx context.Context, group, key, value string) error {
	req := kmsg.NewPtrDescribeConfigsRequest()
	resource := kmsg.NewDescribeConfigsRequestResource()
	resource.ResourceType, resource.ResourceName, resource.ConfigNames = kmsg.ConfigResourceTypeGroupConfig, group, []string{key}
	req.Resources = append(req.Resources, resource)
	resp, err := req.RequestWith(ctx, c.kgo)
	if err != nil {
		return fmt.Errorf("config %s of group %s can't be read: %w", key, group, err)
	}
	for _, r := range resp.Resources {
		for _, config := range r.Configs {
			if config.Name == key && config.Value != nil && *config.Value == value {
				return nil
			}
		}
	}
	return fmt.Errorf("config %s of group %s is not %s: %w", key, group, value, errNotYet)
}

var errNotYet = errors.New("not yet")

// Grant creates ACLs and waits until the broker has them: its controller answers
// before that. For a cluster of one node.
func (c *Client) Grant(ctx context.Context, acls *kadm.ACLBuilder) error {
	created, err := c.admin.CreateACLs(ctx, acls)
	for _, r := range created {
		err = errors.Join(err, r.Err)
	}
	if err == nil {
		err = c.retry(ctx, func() error { return c.areGranted(ctx, acls, len(created)) })
	}
	if err != nil {
		return fmt.Errorf("an ACL can't be granted: %w", err)
	}
	return nil
}

// areGranted fails with errNotYet unless the broker describes so many ACLs.
func (c *Client) areGranted(ctx context.Context, acls *kadm.ACLBuilder, n int) error {
	described, err := c.admin.DescribeACLs(ctx, acls)
	if err != nil {
		return err
	}
	found := 0
	for _, r := range described {
		err = errors.Join(err, r.Err)
		found += len(r.Described)
	}
	if err == nil && found < n {
		return errNotYet
	}
	return err
}

// PlaceGroup writes start offsets of a group without members, and so makes the
// group if there is none (AlterShareGroupOffsets, 4 ms; the first on a fresh
// cluster takes seconds). Offset -1 leaves it to share.auto.offset.reset.
func (c *Client) PlaceGroup(ctx context.Context, group, topic string, starts ...int64) error {
	offsets := make(kadm.Offsets)
	for partition, start := range starts {
		offsets.AddOffset(topic, int32(partition), start, -1) //nolint:gosec // a few partitions
	}
	err := c.retry(ctx, func() error {
		answers, err := c.admin.AlterShareGroupOffsets(ctx, group, offsets)
		for _, partition := range answers[topic] {
			err = errors.Join(err, partition)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("the start offsets of group %s on %s can't be written: %w", group, topic, err)
	}
	return nil
}

// retry asks again while what is waited for is not yet so, while the coordinator
// is loading, moving or not there yet, and while a broker that was frozen is still
// fenced: the controller then has too few brokers to place replicas on.
func (c *Client) retry(ctx context.Context, ask func() error) error {
	ctx, cancel := context.WithTimeout(ctx, retryFor)
	defer cancel()
	tick := time.NewTicker(retryPoll)
	defer tick.Stop()
	for {
		err := ask()
		passing := errors.Is(err, kerr.NotCoordinator) || errors.Is(err, kerr.CoordinatorNotAvailable) ||
			errors.Is(err, kerr.CoordinatorLoadInProgress) || errors.Is(err, kerr.UnknownTopicOrPartition) ||
			errors.Is(err, kerr.InvalidReplicationFactor) || errors.Is(err, errNotYet)
		if !passing {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}
