//go:build unix

package test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sharetop/kafka"
	"sharetop/model"
)

// peekCount is how often testPeek looks.
const peekCount = 1000

// stateTopic is Kafka's own topic for the states of share groups.
const stateTopic = "__share_group_state"

// peekClient is sharetop's own client in read-only mode.
func peekClient(t *testing.T, c cluster) *kafka.Client {
	t.Helper()
	client, err := kafka.Open(model.Connection{Bootstrap: c.Bootstrap(), ReadOnly: true}, kafka.Options{Now: time.Now})
	must(t, err)
	t.Cleanup(client.Close)
	return client
}

func peek(t *testing.T, client *kafka.Client, r model.PeekRequest) *model.PeekResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stepTimeout)
	defer cancel()
	out, err := client.Peek(ctx, r)
	must(t, err)
	return out
}

// member is a share consumer that takes a few records at a time and leaves
// them to the test.
func member(t *testing.T, c cluster, topic, group string, most int32) *kgo.Client {
	t.Helper()
	client, err := kgo.NewClient(
		kgo.SeedBrokers(c.Bootstrap()...), kgo.ConsumeTopics(topic), kgo.ShareGroup(group),
		kgo.ShareMaxRecords(most), kgo.ShareMaxRecordsStrict(), kgo.DisableClientMetrics(),
	)
	must(t, err)
	t.Cleanup(client.Close)
	return client
}

// take polls until n records have come, and settles them.
func take(t *testing.T, client *kgo.Client, n int, ack func(i int, r *kgo.Record) kgo.AckStatus) []*kgo.Record {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stepTimeout)
	defer cancel()
	var all []*kgo.Record
	for len(all) < n {
		got := client.PollRecords(ctx, n-len(all))
		must(t, got.Err())
		for _, r := range got.Records() {
			r.Ack(ack(len(all), r))
			all = append(all, r)
		}
		must(t, client.FlushAcks(ctx))
	}
	return all
}

// seenOfGroup is all that anybody can see of a group's progress.
func seenOfGroup(t *testing.T, c cluster, group, topic string) string {
	t.Helper()
	offsets, err := c.work.Admin().DescribeShareGroupOffsets(t.Context(), group)
	must(t, err)
	var out bytes.Buffer
	for partition := range int32(3) {
		o, _ := offsets[group].Offsets.Lookup(topic, partition)
		fmt.Fprintf(&out, "%s-%d start %d lag %d\n", topic, partition, o.StartOffset, o.Lag)
	}
	ends, err := c.work.Admin().ListEndOffsets(t.Context(), stateTopic)
	must(t, err)
	for partition := range int32(3) {
		end, _ := ends.Lookup(stateTopic, partition)
		fmt.Fprintf(&out, "%s-%d ends at %d\n", stateTopic, partition, end.Offset)
	}
	return out.String()
}

// testPeek looks at a group's records a thousand times: neither its start
// offsets and lag nor the state topic move, and the next delivery of each
// record is its first.
func testPeek(t *testing.T, c cluster) {
	const topic, group, each = "parcels", "couriers", 40
	ctx := t.Context()
	must(t, c.work.CreateTopic(ctx, topic, 3))
	must(t, c.work.SetGroupConfig(ctx, group, "share.auto.offset.reset", "earliest"))
	must(t, c.work.PlaceGroup(ctx, group, topic, 0, 0, 0))
	for partition := range int32(3) {
		must(t, c.work.Produce(ctx, topic, partition, each))
	}
	first := member(t, c, topic, group, 10)
	take(t, first, 60, func(int, *kgo.Record) kgo.AckStatus { return kgo.AckAccept })
	first.Close()

	client := peekClient(t, c)
	before := seenOfGroup(t, c, group, topic)
	looked := 0
	for i := range peekCount {
		r := model.PeekRequest{
			Topic: model.NewTopicName(topic), Partition: int32(i % 3), Offset: int64(i % (each + 5)), //nolint:gosec // below 3
			Backward: i%7 == 0, From: model.PeekFrom(i % 4), Time: time.Now().Add(-time.Minute), Committed: i%2 == 0, //nolint:gosec // below 4
		}
		got := peek(t, client, r)
		if got.Problem != nil {
			t.Fatalf("peek %d: %+v", i, *got.Problem)
		}
		looked += len(got.Records)
	}
	if looked < peekCount {
		t.Errorf("%d peeks saw only %d records", peekCount, looked)
	}
	if after := seenOfGroup(t, c, group, topic); after != before {
		t.Errorf("peeking changed what is seen of the group from\n%s to\n%s", before, after)
	}
	second := member(t, c, topic, group, 10)
	for _, r := range take(t, second, 60, func(int, *kgo.Record) kgo.AckStatus { return kgo.AckAccept }) {
		if r.DeliveryCount() != 1 {
			t.Errorf("%s-%d@%d comes for the %d. time", r.Topic, r.Partition, r.Offset, r.DeliveryCount())
		}
	}
}

// testPeekRecords reads what producers really write: every codec, null and
// empty, aborted transactions.
func testPeekRecords(t *testing.T, c cluster) {
	const topic = "letters"
	ctx := t.Context()
	must(t, c.work.CreateTopic(ctx, topic, 1))
	client := peekClient(t, c)
	name := model.NewTopicName(topic)
	for i, codec := range []kgo.CompressionCodec{
		kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression(),
	} {
		producer, err := kgo.NewClient(
			kgo.SeedBrokers(c.Bootstrap()...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
			kgo.ProducerBatchCompression(codec), kgo.DisableClientMetrics(),
		)
		must(t, err)
		value := bytes.Repeat(fmt.Appendf(nil, "codec %d ", i), 1000)
		err = producer.ProduceSync(ctx,
			&kgo.Record{Topic: topic, Value: value, Headers: []kgo.RecordHeader{{Key: "h", Value: nil}, {Key: "h", Value: []byte{}}}},
			&kgo.Record{Topic: topic, Key: []byte{}, Value: nil},
		).FirstErr()
		producer.Close()
		must(t, err)
		got := peek(t, client, model.PeekRequest{Topic: name, From: model.PeekAtEnd, Backward: true, Max: 2})
		if got.Problem != nil || len(got.Records) != 2 {
			t.Fatalf("codec %d: %d records, problem %+v", i, len(got.Records), got.Problem)
		}
		full, null := got.Records[0], got.Records[1]
		if !bytes.Equal(full.Value.Bytes(), value) || !full.Key.IsNull() || !full.Headers[0].Value.IsNull() || full.Headers[1].Value.IsNull() {
			t.Errorf("codec %d: the record is not as it was sent", i)
		}
		if !null.Value.IsNull() || null.Key.IsNull() {
			t.Errorf("codec %d: null and empty are not told apart", i)
		}
	}
	begun, err := c.work.BeginTransaction(ctx, topic, 0, 3)
	must(t, err)
	must(t, begun.Abort(ctx))
	// The marker is written after the producer has been answered.
	waitFor(t, "the transaction's marker", func() bool {
		return peek(t, client, model.PeekRequest{Topic: name, Offset: 13}).Stable == model.Known(14)
	})
	for committed, want := range map[bool]model.PeekGaps{true: {Control: 1, Aborted: 3}, false: {Control: 1}} {
		got := peek(t, client, model.PeekRequest{Topic: name, Committed: committed})
		if got.Gaps != want || got.Next != 14 {
			t.Errorf("committed %v: gaps %+v, next %d", committed, got.Gaps, got.Next)
		}
	}
}

// testDeadLetters joins what a real broker writes to a dead-letter topic with
// the records it is about. It makes the topic itself.
func testDeadLetters(t *testing.T, c cluster) {
	const topic, group, dead = "complaints", "clerks", "dlq.complaints"
	ctx := t.Context()
	must(t, c.work.CreateTopic(ctx, topic, 1))
	if err := c.work.SetGroupConfig(ctx, group, "errors.deadletterqueue.topic.name", dead); err != nil {
		t.Skipf("this version has no dead-letter topics: %v", err)
	}
	must(t, c.work.SetGroupConfig(ctx, group, "share.auto.offset.reset", "earliest"))
	must(t, c.work.PlaceGroup(ctx, group, topic, 0))
	must(t, c.work.Produce(ctx, topic, 0, 6))
	clerk := member(t, c, topic, group, 3)
	reject := func(i int, _ *kgo.Record) kgo.AckStatus {
		if i < 2 {
			return kgo.AckReject
		}
		return kgo.AckAccept
	}
	take(t, clerk, 3, reject)
	client := peekClient(t, c)
	found := lettersOf(t, client, dead, 2)

	for _, d := range found {
		if d.Source.Raw() != topic || d.Group.Raw() != group || d.Reason() != "rejected" || d.Deliveries != model.Known(1) || d.HasCopy() {
			t.Errorf("a letter about %s-%d@%d of %s: %s after %v", d.Source, d.Partition, d.Offset, d.Group, d.Reason(), d.Deliveries)
		}
		source := peek(t, client, model.PeekRequest{Topic: d.Source, Partition: d.Partition, Offset: d.Offset, Max: 1})
		if len(source.Records) != 1 || string(source.Records[0].Value.Bytes()) != fmt.Sprintf(`{"n":%d}`, d.Offset) {
			t.Errorf("the source of %d is not found: %+v", d.Offset, source)
		}
	}
	must(t, c.work.SetGroupConfig(ctx, group, "errors.deadletterqueue.copy.record.enable", "true"))
	// A broker that shows a config may be about to heed it; what came after it in the
	// cluster's metadata is shown later.
	must(t, c.work.CreateTopic(ctx, topic+".later", 1))
	take(t, clerk, 3, reject)
	copied := 0
	for _, d := range lettersOf(t, client, dead, 4) {
		if d.HasCopy() && string(d.Record.Value.Bytes()) == fmt.Sprintf(`{"n":%d}`, d.Offset) {
			copied++
		}
	}
	if copied != 2 {
		t.Errorf("%d letters have a copy, want 2", copied)
	}
	upTo := make(kadm.Offsets)
	upTo.AddOffset(topic, 0, 2, -1)
	_, err := c.work.Admin().DeleteRecords(ctx, upTo)
	must(t, err)
	if gone := peek(t, client, model.PeekRequest{Topic: model.NewTopicName(topic), Offset: 0, Max: 1}); gone.LogStart != model.Known(2) || !gone.Clamped {
		t.Errorf("what retention deleted is not told: %+v", gone)
	}
}

// lettersOf looks until so many records were given up.
func lettersOf(t *testing.T, client *kafka.Client, topic string, n int) []*model.DeadLetter {
	t.Helper()
	var found []*model.DeadLetter
	waitFor(t, fmt.Sprintf("%d letters in %s", n, topic), func() bool {
		var all []*model.Record
		got := peek(t, client, model.PeekRequest{Topic: model.NewTopicName(topic), From: model.PeekAtEnd, Backward: true})
		for partition := range int32(got.Partitions.Or(0)) { //nolint:gosec // a few
			all = append(all, peek(t, client, model.PeekRequest{
				Topic: model.NewTopicName(topic), Partition: partition, From: model.PeekAtEnd, Backward: true,
			}).Records...)
		}
		found = model.DeadLetters(all)
		return len(found) >= n
	})
	return found
}

// waitFor looks again until something is there.
func waitFor(t *testing.T, what string, there func() bool) {
	t.Helper()
	deadline, tick := time.After(stepTimeout), time.NewTicker(100*time.Millisecond)
	defer tick.Stop()
	for !there() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never seen: %s", what)
		}
	}
}
