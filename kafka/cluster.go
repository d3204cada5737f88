package kafka

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

const (
	// clusterEvery is how often brokers and leaders are asked for; a sign that
	// they moved makes it happen at once.
	clusterEvery = 5 * time.Second
	// featuresEvery is how often features and API versions are asked for.
	featuresEvery = 30 * time.Second
	// hedgeAfter is how long one broker may take before another is asked too.
	hedgeAfter = 100 * time.Millisecond
	// causeWithin is how long a cause that one broker has given may be kept back
	// while others are silent: a person reads it within three seconds. That
	// nobody has answered is told after patience.
	causeWithin = 2 * time.Second
)

// hedge asks one link after another, the next as soon as the last failed or has
// taken hedgeAfter, and returns the first answer: a broker that never answers
// costs hedgeAfter, not a timeout. The error is the last one met.
func hedge[R any](ctx context.Context, spawn func(func()), links []*link, question func(context.Context, *link) (R, error)) (R, *link, error) {
	type answer struct {
		value R
		link  *link
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan answer, len(links))
	err := errors.New("no broker is known")
	asked, open := 0, 0
	for {
		if asked < len(links) {
			l := links[asked]
			asked++
			open++
			spawn(func() {
				value, err := question(ctx, l)
				answers <- answer{value, l, err}
			})
		}
		if open == 0 {
			var none R
			return none, nil, err
		}
		var late <-chan time.Time
		timer := time.NewTimer(hedgeAfter)
		if asked < len(links) {
			late = timer.C
		}
		select {
		case a := <-answers:
			timer.Stop()
			open--
			if a.err == nil {
				return a.value, a.link, nil
			}
			err = a.err
		case <-late:
		}
	}
}

// askMetadata asks any broker for the brokers and for these topics. It never
// creates a topic.
func (c *Client) askMetadata(ctx context.Context, topics []string) (*kmsg.MetadataResponse, *link, error) {
	return hedge(ctx, c.wg.Go, c.nodes.anyLinks(), func(ctx context.Context, l *link) (*kmsg.MetadataResponse, error) {
		req := kmsg.NewPtrMetadataRequest()
		req.AllowAutoTopicCreation = false
		req.Topics = make([]kmsg.MetadataRequestTopic, 0, len(topics)) // not nil: nil asks for all topics
		for _, name := range topics {
			t := kmsg.NewMetadataRequestTopic()
			t.Topic = kmsg.StringPtr(name)
			req.Topics = append(req.Topics, t)
		}
		resp, err := ask[*kmsg.MetadataResponse](ctx, l, roleControl, req)
		if err != nil && ctx.Err() == nil {
			c.met.note(err)
		}
		return resp, err
	})
}

// runCluster asks for brokers, leaders and, now and then, features.
func (c *Client) runCluster(ctx context.Context) error {
	c.met.note(nil)
	silence := time.AfterFunc(patience, c.tellSilence)
	cause := time.AfterFunc(causeWithin, c.tellCause)
	resp, l, err := c.askMetadata(ctx, c.state.readTopics())
	silence.Stop()
	cause.Stop()
	if err != nil {
		if ctx.Err() == nil {
			c.opts.Logf("metadata: %v", err)
			c.tellNoBroker(err)
		}
		return err
	}
	c.state.cure(problemKey{actionBootstrap, ""})
	c.syncNodes(resp)
	c.mergeTopics(resp)
	if c.features.allow(c.opts.Now(), featuresEvery) {
		c.askFeatures(ctx, l)
	}
	return nil
}

// tellNoBroker notes that nobody answers, unless somebody does.
func (c *Client) tellNoBroker(err error) {
	if !c.nodes.someReachable() {
		c.state.report(problemKey{actionBootstrap, ""}, bootstrapProblem(c.conn.Bootstrap, err))
	}
}

// tellSilence notes that nobody has answered so far.
func (c *Client) tellSilence() {
	if !c.nodes.someReachable() {
		c.state.reportFirst(problemKey{actionBootstrap, ""}, silenceProblem(c.conn.Bootstrap))
	}
}

// tellCause notes why a broker can't be asked though others are still silent: what
// one says of a login, a certificate or TLS goes for all.
func (c *Client) tellCause() {
	if err := c.met.get(); err != nil {
		c.tellNoBroker(err)
	}
}

// lastError is the last error that a question for any broker met.
type lastError struct {
	mu  sync.Mutex
	err error
}

func (l *lastError) note(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

func (l *lastError) get() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

func (c *Client) mergeTopics(resp *kmsg.MetadataResponse) {
	for i := range resp.Topics {
		c.state.mergeTopic(&resp.Topics[i])
	}
	if !c.hurried() {
		c.schedule.kick(c.nodes.logJobs()...)
	}
}

// runNewTopics asks for topics that metadata was not asked for yet.
func (c *Client) runNewTopics(ctx context.Context) error {
	topics := c.state.unmetTopics()
	if len(topics) == 0 {
		return nil
	}
	resp, _, err := c.askMetadata(ctx, topics)
	if err != nil {
		return err
	}
	c.mergeTopics(resp)
	return nil
}

// syncNodes makes nodes and their jobs follow the brokers of the cluster.
func (c *Client) syncNodes(resp *kmsg.MetadataResponse) {
	came, went := c.nodes.sync(resp.Brokers)
	for _, nd := range went {
		c.opts.Logf("broker %d left %s", nd.id, nd.link.addr)
		c.schedule.remove(nd.census)
		c.schedule.remove(nd.logs)
		c.source.Forget(nd.id)
		c.state.dropNode(nd.id)
	}
	c.welcome(came)
	if len(went) > 0 {
		c.nodes.prune()
	}
	brokers := make([]model.Broker, 0, len(resp.Brokers))
	for i := range resp.Brokers {
		brokers = append(brokers, broker(resp.Brokers[i], c.nodes.isReachable(resp.Brokers[i].NodeID)))
	}
	slices.SortFunc(brokers, func(a, b model.Broker) int { return cmp.Compare(a.ID, b.ID) })
	c.tellDepartures(went, brokers)
	c.state.setCluster(clusterID(resp.ClusterID), brokers)
}

// welcome starts to ask brokers that came. All are expected before the first can
// answer: the first sweep is over when none is left.
func (c *Client) welcome(came []*node) {
	every := func() time.Duration { return interval(c.demand.scope()) }
	jobs := make([]*job, 0, 2*len(came))
	for _, nd := range came {
		c.state.expectNode(nd.id)
		logs := newJob(c.ctx, every, func(ctx context.Context) error { return c.runLogs(ctx, nd) })
		census := newJob(c.ctx, every, func(ctx context.Context) error { return c.runCensus(ctx, nd) })
		c.nodes.setJobs(nd, census, logs)
		jobs = append(jobs, logs, census)
	}
	c.schedule.begin(jobs...)
}

// askFeatures asks a broker what it can do with share groups.
func (c *Client) askFeatures(ctx context.Context, l *link) {
	req := kmsg.NewPtrApiVersionsRequest()
	req.ClientSoftwareName, req.ClientSoftwareVersion = c.opts.SoftwareName, c.opts.SoftwareVersion
	resp, err := ask[*kmsg.ApiVersionsResponse](ctx, l, roleControl, req)
	if err != nil || resp.ErrorCode != 0 {
		c.features.reset() // asked again with the next metadata
		return
	}
	level, support := shareSupport(resp)
	c.state.setSupport(level, support)
}

// shareSupport reads share.version and what the API keys tell (KIP-932).
// Brokers since 4.1 name the keys also where the feature is off, so that the
// feature decides between disabled and enabled.
func shareSupport(r *kmsg.ApiVersionsResponse) (level model.Number, support model.ShareSupport) {
	describe, offsets := int16(-1), int16(-1)
	for _, k := range r.ApiKeys {
		switch k.ApiKey {
		case kmsg.ShareGroupDescribe.Int16():
			describe = k.MaxVersion
		case kmsg.DescribeShareGroupOffsets.Int16():
			offsets = k.MaxVersion
		}
	}
	var finalized int64
	for _, f := range r.FinalizedFeatures {
		if f.Name == "share.version" {
			finalized = int64(f.MaxVersionLevel)
		}
	}
	level = model.Known(finalized)
	switch {
	case describe < 1 || offsets < 0:
		return level, model.ShareTooOld
	case finalized < 1:
		return level, model.ShareDisabled
	case offsets < 1:
		return level, model.SharePreview
	default:
		return level, model.ShareFull
	}
}
