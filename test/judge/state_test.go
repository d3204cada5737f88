package judge

import (
	"reflect"
	"strings"
	"testing"
)

// What the formatter prints, the same from 4.2 to 4.4: nothing between two
// records, and no deliveryCompleteCount where it has its default.
const (
	printedSnapshot = `{"key":{"type":0,"data":{"groupId":"state-248 ü€ 3","topicId":"j7ML24QiRvWBA5cK1yOlVA","partition":0}},` +
		`"value":{"version":0,"data":{"snapshotEpoch":9,"stateEpoch":1,"leaderEpoch":0,"startOffset":8,"deliveryCompleteCount":0,` +
		`"createTimestamp":1795984053346,"writeTimestamp":1795984093476,"stateBatches":[]}}}`
	printedUpdate = `{"key":{"type":1,"data":{"groupId":"g","topicId":"j7ML24QiRvWBA5cK1yOlVA","partition":2}},` +
		`"value":{"version":0,"data":{"snapshotEpoch":9,"leaderEpoch":-1,"startOffset":-1,` +
		`"stateBatches":[{"firstOffset":3,"lastOffset":5,"deliveryState":2,"deliveryCount":1}]}}}`
	printedTombstone = `{"key":{"type":0,"data":{"groupId":"g","topicId":"j7ML24QiRvWBA5cK1yOlVA","partition":2}},"value":null}`
)

func TestParseState(t *testing.T) {
	const topic = "j7ML24QiRvWBA5cK1yOlVA"
	got, err := ParseState(printedSnapshot + printedUpdate + printedTombstone)
	want := []StateRecord{
		{Type: StateSnapshot, Group: "state-248 ü€ 3", TopicID: topic, StateValue: StateValue{
			SnapshotEpoch: 9, StateEpoch: 1, StartOffset: 8,
			CreateTimestamp: 1795984053346, WriteTimestamp: 1795984093476, Batches: []StateBatch{},
		}},
		{Type: StateUpdate, Group: "g", TopicID: topic, Partition: 2, StateValue: StateValue{
			SnapshotEpoch: 9, LeaderEpoch: -1, StartOffset: -1, DeliveryCompleteCount: -1, Batches: []StateBatch{{3, 5, 2, 1}},
		}},
		{Type: StateSnapshot, Group: "g", TopicID: topic, Partition: 2, Deleted: true},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestParseStateOfWhatIsNotKnown(t *testing.T) {
	for name, text := range map[string]string{
		"cut":                    printedSnapshot[:len(printedSnapshot)-2],
		"a new field":            strings.Replace(printedSnapshot, `"stateEpoch"`, `"newEpoch"`, 1),
		"a new field of a batch": strings.Replace(printedUpdate, `"deliveryCount"`, `"deliveries"`, 1),
		"words":                  "Processed a total of 0 messages",
	} {
		if records, err := ParseState(printedTombstone + text); err == nil {
			t.Errorf("%s: read as %+v", name, records)
		}
	}
}

func TestJudgeReadsStateFromTheBeginning(t *testing.T) {
	r := &runner{text: printedTombstone}
	if records, err := New(r).StateRecords(t.Context(), 12); err != nil || len(records) != 1 {
		t.Errorf("%d records, %v", len(records), err)
	}
	want := consumerClass + " --bootstrap-server b:1 --topic __share_group_state --from-beginning --formatter " + stateFormatter +
		" --max-messages 12 --timeout-ms 30000"
	if strings.Join(r.args, " ") != want {
		t.Errorf("asked %q, want %q", r.args, want)
	}
}
