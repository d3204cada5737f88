package judge

import (
	"context"
)

// class is kafka-share-groups.sh.
const class = "org.apache.kafka.tools.consumer.group.ShareGroupCommand"

// Runner runs one of Kafka's commands and returns its standard output;
// broker.Cluster is one.
type Runner interface {
	Tool(ctx context.Context, class string, args ...string) (string, error)
	BootstrapArgs() []string
}

// Judge asks Kafka's own command about a cluster. Each question takes one to
// three seconds.
type Judge struct{ runner Runner }

// New makes a Judge for the cluster that the runner's commands talk to.
func New(runner Runner) Judge { return Judge{runner: runner} }

// List is what --list --state prints.
func (j Judge) List(ctx context.Context) ([]ListRow, error) {
	return ask(ctx, j, ParseList, "--list", "--state")
}

// Offsets is what --describe --offsets --verbose prints of the given groups,
// or of all when none is given.
func (j Judge) Offsets(ctx context.Context, groups ...string) ([]OffsetRow, error) {
	return ask(ctx, j, ParseOffsets, describe("--offsets", groups)...)
}

// Members is what --describe --members --verbose prints of the given groups,
// or of all when none is given.
func (j Judge) Members(ctx context.Context, groups ...string) ([]MemberRow, error) {
	return ask(ctx, j, ParseMembers, describe("--members", groups)...)
}

// States is what --describe --state --verbose prints of the given groups, or of
// all when none is given.
func (j Judge) States(ctx context.Context, groups ...string) ([]StateRow, error) {
	return ask(ctx, j, ParseStates, describe("--state", groups)...)
}

func describe(what string, groups []string) []string {
	args := []string{"--describe", what, "--verbose"}
	if len(groups) == 0 {
		return append(args, "--all-groups")
	}
	for _, group := range groups {
		args = append(args, "--group", group)
	}
	return args
}

func ask[Row any](ctx context.Context, j Judge, parse func(string) ([]Row, error), args ...string) ([]Row, error) {
	out, err := j.runner.Tool(ctx, class, append(j.runner.BootstrapArgs(), args...)...)
	if err != nil {
		return nil, err
	}
	return parse(out)
}
