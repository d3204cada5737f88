package broker

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Bounds of starting a cluster. One node takes 5 to 12 s on two cores, three
// nodes about 20 s.
const (
	startTimeout  = 3 * time.Minute
	formatTimeout = time.Minute
	// startAttempts bounds how often other ports are tried when somebody took
	// one between picking and using it.
	startAttempts = 3
	readyPoll     = 100 * time.Millisecond
	readyTry      = 2 * time.Second
	// logLines is how much of a log an error carries.
	logLines = 25
)

// Cluster is a running Kafka. Its methods are not safe for concurrent use,
// except Bootstrap, SaslBootstrap,
// ListenerAddress and Tool.
type Cluster struct {
	// Version is its Kafka version.
	Version string

	options Options
	home    kafkaHome
	ports   ports
	dir     string
	nodes   []*node
}

// Start starts a cluster and returns when a client sees all its brokers. The
// error says what is missing on this machine (*MissingError), or has the end
// of the log of the broker that did not start.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	home, err := findKafka(ctx, options.Version)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for attempt := 1; ; attempt++ {
		c, err := startOnce(ctx, options, home)
		if err == nil || attempt == startAttempts || !errors.Is(err, errPortTaken) {
			return c, err
		}
	}
}

// errPortTaken tells that a node found one of its ports taken.
var errPortTaken = errors.New("a port was taken by somebody else")

// whyEnded is why a node is not there any more.
func (n *node) whyEnded() error {
	log, _ := os.ReadFile(n.logPath())
	if bytes.Contains(log, []byte("Address already in use")) {
		return errPortTaken
	}
	return n.process.err
}

// startOnce makes the files of a cluster and starts its nodes.
func startOnce(ctx context.Context, options Options, home kafkaHome) (*Cluster, error) {
	free, err := freePorts(ctx, options.Nodes, len(options.Listeners))
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "sharetop-kafka-"+options.Version+"-")
	if err != nil {
		return nil, fmt.Errorf("no directory for a test cluster: %w", err)
	}
	c := &Cluster{Version: options.Version, options: options, home: home, ports: free, dir: dir}
	err = c.prepare(ctx)
	for _, n := range c.nodes {
		if err == nil {
			err = n.start(home, c.logConfig("info"))
		}
	}
	if err == nil {
		err = c.waitReady(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close(true))
	}
	return c, nil
}

// prepare writes the configurations and formats every node's directory.
func (c *Cluster) prepare(ctx context.Context) error {
	for _, level := range []string{"info", "error"} {
		if err := os.WriteFile(c.logConfig(level), []byte(logConfigFor(level)), 0o644); err != nil {
			return fmt.Errorf("the logger's configuration can't be written: %w", err)
		}
	}
	id := clusterID()
	for number := 1; number <= c.options.Nodes; number++ {
		n := &node{number: number, dir: filepath.Join(c.dir, fmt.Sprintf("node-%d", number))}
		c.nodes = append(c.nodes, n)
		if err := os.Mkdir(n.dir, 0o755); err != nil {
			return fmt.Errorf("the directory of node %d can't be made: %w", number, err)
		}
		if err := c.configure(n); err != nil {
			return err
		}
		if err := c.format(ctx, n, id); err != nil {
			return err
		}
	}
	return nil
}

// configure writes a node's server.properties.
func (c *Cluster) configure(n *node) error {
	props, err := c.options.properties(n.number, c.ports, n.file("data"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(n.file("server.properties"), []byte(props), 0o644); err != nil {
		return fmt.Errorf("the properties of node %d can't be written: %w", n.number, err)
	}
	return nil
}

// format makes a node's data directory; node 1 becomes the only controller.
func (c *Cluster) format(ctx context.Context, n *node, id string) error {
	args := []string{"format", "-t", id, "-c", n.file("server.properties"), "--no-initial-controllers"}
	if n.number == 1 {
		args[len(args)-1] = "--standalone"
		for _, feature := range c.options.Features {
			args = append(args, "--feature", feature)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, formatTimeout)
	defer cancel()
	out, err := c.Tool(ctx, "kafka.tools.StorageTool", args...)
	if err != nil {
		return fmt.Errorf("node %d can't be formatted: %w\n%s", n.number, err, out)
	}
	return nil
}

// clusterID is a random id as Kafka writes them: 16 bytes in URL-safe base64.
// One that begins with a dash would be taken for an option.
func clusterID() string {
	var id [16]byte
	_, _ = rand.Read(id[:])
	id[0] &= 0x7f
	return base64.RawURLEncoding.EncodeToString(id[:])
}

func (c *Cluster) logConfig(level string) string { return filepath.Join(c.dir, "log4j2-"+level+".xml") }

// waitReady returns when a client sees every broker, or with an error when a
// node has ended.
func (c *Cluster) waitReady(ctx context.Context) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Bootstrap()...), kgo.DisableClientMetrics())
	if err != nil {
		return fmt.Errorf("no client for the test cluster: %w", err)
	}
	defer client.Close()
	tick := time.NewTicker(readyPoll)
	defer tick.Stop()
	for {
		if c.sees(ctx, client) {
			return nil
		}
		for _, n := range c.nodes {
			if !n.running() {
				return fmt.Errorf("node %d of Kafka %s ended while starting: %w\n%s", n.number, c.Version, n.whyEnded(), tail(n.logPath(), logLines))
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("no client saw every broker of Kafka %s in time: %w%s", c.Version, context.Cause(ctx), c.tails())
		}
	}
}

// sees asks for metadata once, past the client's cache, which would go on
// showing the brokers of the first answer.
func (c *Cluster) sees(ctx context.Context, client *kgo.Client) bool {
	ctx, cancel := context.WithTimeout(ctx, readyTry)
	defer cancel()
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{} // no topics; nil would be all
	meta, err := req.RequestWith(ctx, client)
	return err == nil && len(meta.Brokers) == len(c.nodes)
}

// tails are the ends of all logs.
func (c *Cluster) tails() string {
	var text strings.Builder
	for _, n := range c.nodes {
		fmt.Fprintf(&text, "\nnode %d:\n%s", n.number, tail(n.logPath(), logLines))
	}
	return text.String()
}

// Bootstrap are the addresses of all brokers, without authentication.
func (c *Cluster) Bootstrap() []string { return addresses(c.ports.plain) }

// SaslBootstrap are the addresses for Options.Users.
func (c *Cluster) SaslBootstrap() []string { return addresses(c.ports.sasl) }

// ListenerAddress is the address of one of Options.Listeners; empty when there
// is none of that name.
func (c *Cluster) ListenerAddress(name string) string {
	for i, l := range c.options.Listeners {
		if l.Name == name {
			return address(c.ports.extra[i])
		}
	}
	return ""
}

func addresses(ports []int) []string {
	all := make([]string, len(ports))
	for i, port := range ports {
		all[i] = address(port)
	}
	return all
}

// Close kills every node and removes the cluster's files; with keepLogs the
// logs stay, and LogDir says where.
func (c *Cluster) Close(keepLogs bool) error {
	for _, n := range c.nodes {
		n.kill()
	}
	if !keepLogs {
		return os.RemoveAll(c.dir)
	}
	var errs []error
	for _, n := range c.nodes {
		errs = append(errs, os.RemoveAll(n.file("data")))
	}
	return errors.Join(errs...)
}

// LogDir is the directory with a folder per node: its server.properties and
// kafka.log.
func (c *Cluster) LogDir() string { return c.dir }
