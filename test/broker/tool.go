package broker

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"
)

// ToolTimeout bounds one run of Kafka's own commands; most take 1 to 6 s.
const ToolTimeout = 2 * time.Minute

// ShareGroupCommand is the class of Kafka's kafka-share-groups.sh.
const ShareGroupCommand = "org.apache.kafka.tools.consumer.group.ShareGroupCommand"

// Tool runs one of Kafka's own commands by its class, e.g. ShareGroupCommand,
// and returns what it wrote to standard output. Kafka's commands exit with 0
// after many failures; what they wrote to standard error is in the error only
// when the exit code is not 0.
func (c *Cluster) Tool(ctx context.Context, class string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, ToolTimeout)
	defer cancel()
	var stdout, stderr bytes.Buffer
	err := runGuarded(ctx, c.ToolCommand(class, args...), &stdout, &stderr)
	if err != nil {
		name := class[strings.LastIndexByte(class, '.')+1:]
		return stdout.String(), fmt.Errorf("%s %s failed: %w\n%s", name, strings.Join(args, " "), err, lastLines(stderr.String(), logLines))
	}
	return stdout.String(), nil
}

// NewestTool is Tool with the commands of the newest version, which work with
// older brokers too and can more.
func (c *Cluster) NewestTool(ctx context.Context, class string, args ...string) (string, error) {
	home, err := findKafka(ctx, Kafka44)
	if err != nil {
		return "", err
	}
	newest := *c
	newest.home = home
	return newest.Tool(ctx, class, args...)
}

// BootstrapArgs are the first arguments of most of Kafka's commands.
func (c *Cluster) BootstrapArgs() []string {
	return []string{"--bootstrap-server", strings.Join(c.Bootstrap(), ",")}
}

// ToolCommand is the command line that Tool runs, for those who measure it.
func (c *Cluster) ToolCommand(class string, args ...string) []string {
	return c.home.command(c.logConfig("error"), "256m", class, args...)
}
