package model

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// maxPlanCommands bounds how many commands stand for one plan.
const maxPlanCommands = 20

// ErrManyCommands says that a plan takes too many commands; a CSV file of it
// takes one.
var ErrManyCommands = errors.New("the plan has too many different offsets for commands: save it and use --from-file")

// EquivalentReset is the plan as commands of Kafka's own tools, one a line: one
// for each topic and offset, since a command has one target. They name the
// partitions that are written and no others: Kafka's own command writes also
// those whose number does not change, and so delivers again what they have
// finished.
func EquivalentReset(bootstrap []string, p *Plan) (string, error) {
	rows := p.Written()
	slices.SortStableFunc(rows, func(a, b PlanRow) int {
		return cmp.Or(cmp.Compare(a.Topic.raw, b.Topic.raw), cmp.Compare(a.New.Or(0), b.New.Or(0)))
	})
	var lines []string
	for i := 0; i < len(rows); {
		topic, offset := rows[i].Topic, rows[i].New.Or(0)
		var partitions []string
		for ; i < len(rows) && rows[i].Topic == topic && rows[i].New.Or(0) == offset; i++ {
			partitions = append(partitions, strconv.Itoa(int(rows[i].Partition)))
		}
		if len(lines) == maxPlanCommands {
			return "", ErrManyCommands
		}
		args := append([]string{"--reset-offsets"}, withID("--group", p.Group)...)
		args = append(args, "--topic", topic.raw+":"+strings.Join(partitions, ","),
			"--to-offset", strconv.FormatInt(offset, 10), "--execute")
		line, err := command("kafka-share-groups.sh", bootstrap, args...)
		if err != nil {
			return "", err
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return "", errors.New("the plan writes nothing")
	}
	return strings.Join(lines, "\n"), nil
}

// EquivalentFromFile is the command that writes a saved plan, or an undo file.
func EquivalentFromFile(bootstrap []string, id GroupID, path string) (string, error) {
	args := append([]string{"--reset-offsets"}, withID("--group", id)...)
	return command("kafka-share-groups.sh", bootstrap, append(args, "--from-file", path, "--execute")...)
}

// EquivalentDelete is the command that deletes groups.
func EquivalentDelete(bootstrap []string, ids ...GroupID) (string, error) {
	args := []string{"--delete"}
	for _, id := range ids {
		args = append(args, withID("--group", id)...)
	}
	return command("kafka-share-groups.sh", bootstrap, args...)
}

// EquivalentDeleteOffsets is the command that deletes a topic's offsets of a
// group.
func EquivalentDeleteOffsets(bootstrap []string, id GroupID, topic TopicName) (string, error) {
	args := append([]string{"--delete-offsets"}, withID("--group", id)...)
	return command("kafka-share-groups.sh", bootstrap, append(args, "--topic", topic.raw)...)
}

// EquivalentConfig is the command that makes a change of a group's configs. A
// value with a comma needs brackets there.
func EquivalentConfig(bootstrap []string, c ConfigChange) (string, error) {
	args := append([]string{"--alter", "--entity-type", "groups"}, withID("--entity-name", c.Group)...)
	if c.Unset {
		return command("kafka-configs.sh", bootstrap, append(args, "--delete-config", c.Key.raw)...)
	}
	value := c.Value.raw
	if strings.Contains(value, ",") {
		value = "[" + value + "]"
	}
	return command("kafka-configs.sh", bootstrap, append(args, "--add-config", c.Key.raw+"="+value)...)
}
