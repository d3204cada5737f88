package kafka

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// fetchAnswer answers a Fetch of one partition.
func fetchAnswer(r *kmsg.FetchRequest, code int16, batches []byte) kmsg.Response {
	resp := r.ResponseKind().(*kmsg.FetchResponse)
	t := kmsg.NewFetchResponseTopic()
	t.Topic, t.TopicID = r.Topics[0].Topic, r.Topics[0].TopicID
	p := kmsg.NewFetchResponseTopicPartition()
	p.Partition, p.ErrorCode = r.Topics[0].Partitions[0].Partition, code
	p.HighWatermark, p.LastStableOffset, p.LogStartOffset = 100, 100, 0
	p.RecordBatches = batches
	t.Partitions = append(t.Partitions, p)
	resp.Topics = append(resp.Topics, t)
	return resp
}

// What comes from a broken or hostile broker neither ends the program nor
// makes it keep more than was asked for.
func TestPeekSurvivesAnyBytes(t *testing.T) {
	good := batchOf(t, 50)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 5000 {
		bad := bytes.Clone(good)
		for range 1 + random.IntN(4) {
			bad[random.IntN(len(bad))] = byte(random.IntN(256))
		}
		if i%3 == 0 {
			bad = bad[:random.IntN(len(bad))]
		}
		s := &batchScan{below: noLimit, max: 10, room: 1 << 20, committed: true}
		part := kmsg.NewFetchResponseTopicPartition()
		part.RecordBatches = slices.Concat(bad, good)
		_ = s.read(&part, kgo.DefaultDecompressor())
		if len(s.records) > 10 {
			t.Fatalf("%d records of at most 10", len(s.records))
		}
	}
	for i := range len(good) - batchHeader {
		raw := bytes.Clone(good[batchHeader:])
		raw[i] ^= byte(1 + random.IntN(255))
		for len(raw) > 0 {
			r, n, ok := nextRecord(raw)
			if !ok {
				break
			}
			new(recordMaker).record(r, &batchFacts{batch: &batch{raw: good}, size: len(raw)})
			raw = raw[n:]
		}
	}
}

// batchOf is a batch with n records as a broker has it.
func batchOf(t *testing.T, n int) []byte {
	t.Helper()
	c := fakeCluster(t)
	cl := plainClient(t, c, kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.ManualFlushing())
	send := func(records ...*kgo.Record) {
		for _, r := range records {
			cl.Produce(context.Background(), r, func(_ *kgo.Record, err error) {
				if err != nil {
					t.Error(err)
				}
			})
		}
		if err := cl.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	// Once the client knows the topic, what waits for a flush is one batch.
	send(&kgo.Record{Topic: "orders", Partition: 1})
	var records []*kgo.Record
	for i := range n {
		records = append(records, &kgo.Record{Topic: "orders", Key: fmt.Append(nil, i), Value: []byte("value"), Headers: []kgo.RecordHeader{{Key: "h", Value: nil}}})
	}
	send(records...)
	p := newPeeker(t, c, false)
	x := &peek{client: p.client, req: model.PeekRequest{Topic: model.NewTopicName("orders")}}
	var err error
	if x.place, err = p.client.peekPlace(context.Background(), "orders", 0, false); err != nil {
		t.Fatal(err)
	}
	part, err := x.fetch(context.Background(), 0)
	if err != nil || len(part.RecordBatches) == 0 {
		t.Fatalf("no batch: %v", err)
	}
	return part.RecordBatches
}

// A batch that is damaged is told, and what is behind it can be read.
func TestPeekGoesOnBehindADamagedBatch(t *testing.T) {
	good := batchOf(t, 3)
	bad := bytes.Clone(good)
	bad[len(bad)-1] ^= 1
	c := fakeCluster(t)
	control(c, kmsg.Fetch, func(r kmsg.Request) kmsg.Response { return fetchAnswer(r.(*kmsg.FetchRequest), 0, bad) })
	got := newPeeker(t, c, false).peek(model.PeekRequest{})
	if got.Problem == nil || !strings.Contains(got.Problem.Detail, "batch at offset 0 of orders-0 is not shown: its checksum is wrong") {
		t.Fatalf("got %+v", got.Problem)
	}
	if got.Next == 0 {
		t.Error("the next peek would meet the same batch again")
	}
}
