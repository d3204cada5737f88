package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	// consumerClass is kafka-console-consumer.sh.
	consumerClass = "org.apache.kafka.tools.consumer.ConsoleConsumer"
	// stateFormatter is Kafka's decoder of the state topic's records.
	stateFormatter = "org.apache.kafka.tools.consumer.group.share.ShareGroupStateMessageFormatter"
	// stateIdle is how long the consumer waits for a record that does not come, in
	// milliseconds: a number that is too high fails, and does not hang. Joining is
	// part of the first wait.
	stateIdle = 30_000
)

// The types of a state record's key.
const (
	StateSnapshot = 0
	StateUpdate   = 1
)

// StateRecord is a record of __share_group_state with every field that Kafka's
// formatter prints.
type StateRecord struct {
	// Type is StateSnapshot or StateUpdate.
	Type      int16
	Group     string
	TopicID   string // base64url without padding
	Partition int32
	// Version is the value's; there is no value where Deleted is true.
	Version int16
	Deleted bool
	StateValue
}

// StateValue has the fields of both values; those that only snapshots have are 0
// in an update.
type StateValue struct {
	SnapshotEpoch int32 `json:"snapshotEpoch"`
	StateEpoch    int32 `json:"stateEpoch"`
	LeaderEpoch   int32 `json:"leaderEpoch"`
	StartOffset   int64 `json:"startOffset"`
	// CreateTimestamp and WriteTimestamp are milliseconds since 1970.
	CreateTimestamp int64 `json:"createTimestamp"`
	WriteTimestamp  int64 `json:"writeTimestamp"`
	// DeliveryCompleteCount is -1 where the formatter prints none.
	DeliveryCompleteCount int32        `json:"deliveryCompleteCount"`
	Batches               []StateBatch `json:"stateBatches"`
}

// StateBatch is a run of offsets in a value.
type StateBatch struct {
	First int64 `json:"firstOffset"`
	Last  int64 `json:"lastOffset"`
	State int8  `json:"deliveryState"`
	Count int16 `json:"deliveryCount"`
}

// StateRecords is what Kafka's formatter prints of the first n records of the
// state topic: in order within each of its partitions, which follow each other in
// any order.
func (j Judge) StateRecords(ctx context.Context, n int64) ([]StateRecord, error) {
	out, err := j.runner.Tool(ctx, consumerClass, append(j.runner.BootstrapArgs(),
		"--topic", "__share_group_state", "--from-beginning", "--formatter", stateFormatter,
		"--max-messages", strconv.FormatInt(n, 10), "--timeout-ms", strconv.Itoa(stateIdle))...)
	if err != nil {
		return nil, err
	}
	return ParseState(out)
}

// ParseState reads what the formatter prints: one JSON object after the other. A
// field that is not known here is an error, so that none is compared by half.
func ParseState(text string) ([]StateRecord, error) {
	var all []StateRecord
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	for {
		var printed printedState
		switch err := decoder.Decode(&printed); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("ShareGroupStateMessageFormatter printed what can't be read, after %d records: %w", len(all), err)
		}
		all = append(all, printed.record())
	}
}

// printedState is one record as it is printed.
type printedState struct {
	Key struct {
		Type int16 `json:"type"`
		Data struct {
			Group     string `json:"groupId"`
			TopicID   string `json:"topicId"`
			Partition int32  `json:"partition"`
		} `json:"data"`
	} `json:"key"`
	Value *struct {
		Version int16        `json:"version"`
		Data    printedValue `json:"data"`
	} `json:"value"`
}

// printedValue is a StateValue that begins with what the formatter leaves out.
type printedValue StateValue

func (v *printedValue) UnmarshalJSON(b []byte) error {
	value := StateValue{DeliveryCompleteCount: -1}
	decoder := json.NewDecoder(strings.NewReader(string(b)))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&value)
	*v = printedValue(value)
	return err
}

func (p *printedState) record() StateRecord {
	r := StateRecord{
		Type: p.Key.Type, Group: p.Key.Data.Group, TopicID: p.Key.Data.TopicID, Partition: p.Key.Data.Partition,
		Deleted: p.Value == nil,
	}
	if p.Value != nil {
		r.Version, r.StateValue = p.Value.Version, StateValue(p.Value.Data)
	}
	return r
}
