package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"sharetop/model"
)

// recordDecision is one line of decisions, or why it could not be read.
type recordDecision struct {
	id       model.RecordID
	decision model.Decision
	err      error
}

// maxDecisionLine bounds a line of decisions, which may carry the whole record:
// consume's own lines, with a decision added, are taken.
const maxDecisionLine = 64 << 20

// readDecisions reads decisions until the input ends or a line is wrong. Its
// goroutine ends with the process where nobody listens any more: a read of stdin
// can't be taken back.
func readDecisions(in io.Reader) <-chan recordDecision {
	decisions := make(chan recordDecision)
	go func() {
		defer close(decisions)
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxDecisionLine)
		for n := 1; lines.Scan(); n++ {
			line := bytes.TrimSpace(lines.Bytes())
			if len(line) == 0 {
				continue
			}
			d := parseDecisionLine(line)
			if d.err != nil {
				d.err = fmt.Errorf("line %d of the decisions: %w", n, d.err)
			}
			decisions <- d
			if d.err != nil {
				return
			}
		}
		if err := lines.Err(); err != nil {
			decisions <- recordDecision{err: fmt.Errorf("the decisions can't be read: %w", err)}
		}
	}()
	return decisions
}

func parseDecisionLine(line []byte) (d recordDecision) {
	var fields struct {
		TopicName      *string
		PartitionIndex *int32
		Offset         *int64
		Decision       string
	}
	if err := json.Unmarshal(line, &fields); err != nil {
		return recordDecision{err: fmt.Errorf("it is no JSON object of a decision: %w", err)}
	}
	if fields.TopicName == nil || fields.PartitionIndex == nil || fields.Offset == nil {
		return recordDecision{err: errors.New("it names no record: topicName, partitionIndex and offset are needed")}
	}
	d.id = model.RecordID{Topic: model.NewTopicName(*fields.TopicName), Partition: *fields.PartitionIndex, Offset: *fields.Offset}
	d.decision, d.err = parseDecision(fields.Decision)
	return d
}
