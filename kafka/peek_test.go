package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// peeker is a client that only peeks: nobody watches.
type peeker struct {
	t      *testing.T
	client *Client
}

func newPeeker(t *testing.T, c *kfake.Cluster, readOnly bool) peeker {
	t.Helper()
	return peeker{t, open(t, model.Connection{Bootstrap: c.ListenAddrs(), ReadOnly: readOnly}, Options{}).client}
}

func (p peeker) peek(r model.PeekRequest) *model.PeekResult {
	p.t.Helper()
	if r.Topic.Empty() {
		r.Topic = model.NewTopicName("orders")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patienceOfTests)
	defer cancel()
	out, err := p.client.Peek(ctx, r)
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

func peeked(r *model.PeekResult) string {
	var b strings.Builder
	for _, record := range r.Records {
		fmt.Fprint(&b, record.Offset, " ")
	}
	return strings.TrimSpace(b.String())
}

// send produces records one batch each to partition 0 of orders.
func send(t *testing.T, c *kfake.Cluster, opts []kgo.Opt, records ...*kgo.Record) {
	t.Helper()
	cl := plainClient(t, c, append(opts, kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	for _, r := range records {
		r.Topic = "orders"
		if err := cl.ProduceSync(context.Background(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPeekAtEveryPlace(t *testing.T) {
	c := fakeCluster(t)
	send(t, c, nil, numberedRecords(30)...)
	if _, err := kadm.NewClient(plainClient(t, c)).DeleteRecords(context.Background(), startAt("orders", 5)); err != nil {
		t.Fatal(err)
	}
	p := newPeeker(t, c, true)
	for name, test := range map[string]struct {
		req        model.PeekRequest
		want       string
		from, next int64
		clamped    bool
	}{
		"an offset":                 {model.PeekRequest{Offset: 10, Max: 3}, "10 11 12", 10, 13, false},
		"the log's start":           {model.PeekRequest{From: model.PeekAtLogStart, Max: 2}, "5 6", 5, 7, false},
		"below the log":             {model.PeekRequest{Offset: 0, Max: 2}, "5 6", 5, 7, true},
		"far below the log":         {model.PeekRequest{Offset: -100, Max: 2}, "5 6", 5, 7, true},
		"the end":                   {model.PeekRequest{From: model.PeekAtEnd}, "", 30, 30, false},
		"beyond the end":            {model.PeekRequest{Offset: 1000}, "", 30, 30, true},
		"before the end":            {model.PeekRequest{From: model.PeekAtEnd, Backward: true, Max: 3}, "27 28 29", 27, 30, false},
		"before an offset":          {model.PeekRequest{Offset: 12, Backward: true, Max: 3}, "9 10 11", 9, 12, false},
		"before the log's start":    {model.PeekRequest{Offset: 5, Backward: true, Max: 3}, "", 5, 5, true},
		"more than there is before": {model.PeekRequest{Offset: 7, Backward: true, Max: 30}, "5 6", 5, 7, true},
		"a time":                    {model.PeekRequest{From: model.PeekAtTime, Time: time.UnixMilli(1_000_020), Max: 2}, "20 21", 20, 22, false},
		"a time after all":          {model.PeekRequest{From: model.PeekAtTime, Time: time.UnixMilli(9_000_000)}, "", 30, 30, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := p.peek(test.req)
			if got.Problem != nil {
				t.Fatalf("problem: %+v", *got.Problem)
			}
			if peeked(got) != test.want || got.From != test.from || got.Next != test.next || got.Clamped != test.clamped {
				t.Errorf("got %q from %d next %d clamped %v", peeked(got), got.From, got.Next, got.Clamped)
			}
			if got.LogStart.IsKnown() && got.LogStart != model.Known(5) {
				t.Errorf("log start %v", got.LogStart)
			}
		})
	}
}

func startAt(topic string, offset int64) kadm.Offsets {
	o := make(kadm.Offsets)
	o.AddOffset(topic, 0, offset, -1)
	return o
}

func numberedRecords(n int) []*kgo.Record {
	out := make([]*kgo.Record, n)
	for i := range out {
		out[i] = &kgo.Record{Value: fmt.Appendf(nil, "value %d", i), Timestamp: time.UnixMilli(1_000_000 + int64(i))}
	}
	return out
}

// A record comes as it was sent, through every codec.
func TestPeekKeepsRecordsAsTheyAre(t *testing.T) {
	for name, codec := range map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	} {
		t.Run(name, func(t *testing.T) {
			c := fakeCluster(t)
			long := bytes.Repeat([]byte("long "), 20_000)
			send(t, c, []kgo.Opt{kgo.ProducerBatchCompression(codec)},
				&kgo.Record{Key: nil, Value: nil},
				&kgo.Record{Key: []byte{}, Value: []byte{}},
				&kgo.Record{Key: []byte("null"), Value: long, Headers: []kgo.RecordHeader{
					{Key: "a", Value: []byte("1")}, {Key: "a", Value: []byte("2")}, {Key: "nil", Value: nil}, {Key: "", Value: []byte{}},
				}},
			)
			got := newPeeker(t, c, false).peek(model.PeekRequest{}).Records
			if len(got) != 3 {
				t.Fatalf("%d records", len(got))
			}
			if !got[0].Key.IsNull() || !got[0].Value.IsNull() || got[1].Key.IsNull() || got[1].Value.Size() != 0 {
				t.Error("null and empty are not told apart")
			}
			r := got[2]
			if string(r.Key.Bytes()) != "null" || !bytes.Equal(r.Value.Bytes(), long) || r.LeaderEpoch == (model.Number{}) {
				t.Errorf("key %q, value of %d bytes, epoch %v", r.Key.Bytes(), r.Value.Size(), r.LeaderEpoch)
			}
			if fmt.Sprint(len(r.Headers), r.Headers[0].Name, r.Headers[1].Name, r.Headers[2].Value.IsNull(), r.Headers[3].Value.IsNull()) != "4 a a true false" {
				t.Errorf("headers %v", r.Headers)
			}
		})
	}
}

// Markers and aborted records are counted, and only a committed peek leaves
// aborted records and those of an open transaction out.
func TestPeekOfTransactions(t *testing.T) {
	c := fakeCluster(t)
	transaction(t, c, "a", kgo.TryCommit, 2) // 0 1, marker 2
	transaction(t, c, "b", kgo.TryAbort, 3)  // 3 4 5, marker 6
	transaction(t, c, "b", kgo.TryCommit, 1) // 7, marker 8
	open := begin(t, c, "c", 2)              // 9 10, open
	p := newPeeker(t, c, false)
	for _, test := range []struct {
		committed bool
		want      string
		gaps      model.PeekGaps
		next      int64
	}{
		{false, "0 1 3 4 5 7 9 10", model.PeekGaps{Control: 3}, 11},
		{true, "0 1 7", model.PeekGaps{Control: 3, Aborted: 3}, 9},
	} {
		got := p.peek(model.PeekRequest{Committed: test.committed})
		if peeked(got) != test.want || got.Gaps != test.gaps || got.Next != test.next || !got.AtEnd(test.committed) {
			t.Errorf("committed %v: %q, gaps %+v, next %d, at end %v", test.committed, peeked(got), got.Gaps, got.Next, got.AtEnd(test.committed))
		}
	}
	back := p.peek(model.PeekRequest{Committed: true, From: model.PeekAtEnd, Backward: true, Max: 2})
	if peeked(back) != "7" || back.Gaps != (model.PeekGaps{Control: 1}) {
		t.Errorf("backward: %q, gaps %+v", peeked(back), back.Gaps)
	}
	open.end(t, kgo.TryAbort)
}

type txn struct{ cl *kgo.Client }

func begin(t *testing.T, c *kfake.Cluster, id string, n int) txn {
	t.Helper()
	cl := plainClient(t, c, kgo.TransactionalID(id), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	for range n {
		if err := cl.ProduceSync(context.Background(), &kgo.Record{Topic: "orders", Value: []byte(id)}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	return txn{cl}
}

func (x txn) end(t *testing.T, how kgo.TransactionEndTry) {
	t.Helper()
	if err := x.cl.EndTransaction(context.Background(), how); err != nil {
		t.Fatal(err)
	}
}

func transaction(t *testing.T, c *kfake.Cluster, id string, how kgo.TransactionEndTry, n int) {
	t.Helper()
	begin(t, c, id, n).end(t, how)
}

// Records that are too large to get to the end in one peek: the last ones are
// shown all the same.
func TestPeekBackwardOverLargeRecords(t *testing.T) {
	c := fakeCluster(t)
	large := make([]*kgo.Record, 20)
	for i := range large {
		large[i] = &kgo.Record{Value: bytes.Repeat([]byte{byte(i)}, 900_000)}
	}
	send(t, c, []kgo.Opt{kgo.ProducerBatchCompression(kgo.NoCompression())}, large...)
	got := newPeeker(t, c, false).peek(model.PeekRequest{From: model.PeekAtEnd, Backward: true, Max: 20})
	if n := len(got.Records); n == 0 || n == 20 || got.Records[n-1].Offset != 19 || got.Next != 20 {
		t.Errorf("got %q, next %d", peeked(got), got.Next)
	}
	got = newPeeker(t, c, false).peek(model.PeekRequest{Max: 20})
	if n := len(got.Records); n == 0 || n == 20 || got.Next != int64(n) {
		t.Errorf("forward: %q, next %d", peeked(got), got.Next)
	}
}

// However large the records are, and however few of the last offsets are
// records: a backward peek joins on to where it was to end, and what it passes
// over is counted.
func TestPeekBackwardGetsToItsEnd(t *testing.T) {
	c := fakeCluster(t)
	var all []*kgo.Record
	for i := range 14 {
		all = append(all, &kgo.Record{Value: bytes.Repeat([]byte{byte(i)}, model.MaxPeekBytes+1)})
	}
	send(t, c, []kgo.Opt{kgo.ProducerBatchMaxBytes(16 << 20), kgo.MaxBufferedBytes(32 << 20), kgo.ProducerBatchCompression(kgo.SnappyCompression())}, all...)
	p := newPeeker(t, c, false)
	for _, from := range []model.PeekRequest{{From: model.PeekAtEnd, Backward: true}, {Offset: 9, Backward: true}} {
		before := from.Offset
		if from.From == model.PeekAtEnd {
			before = 14
		}
		got := p.peek(from)
		if peeked(got) != strconv.FormatInt(before-1, 10) || got.From != before-1 || got.Next != before {
			t.Errorf("before %d: %q from %d next %d", before, peeked(got), got.From, got.Next)
		}
	}
	send(t, c, nil, numberedRecords(3)...)
	for range 60 {
		transaction(t, c, "t", kgo.TryAbort, 1)
	}
	got := p.peek(model.PeekRequest{From: model.PeekAtEnd, Backward: true, Committed: true, Max: 3})
	if n := len(got.Records); n == 0 || got.Records[n-1].Offset != 16 || got.Next != 14+3+120 || got.Gaps.Aborted != 60 || got.Gaps.Control != 60 {
		t.Errorf("over aborted records: %q next %d gaps %+v", peeked(got), got.Next, got.Gaps)
	}
}

func TestPeekEndsWithItsContextAndItsClient(t *testing.T) {
	c := fakeCluster(t)
	p := newPeeker(t, c, false)
	ctx, cancel := contextCancelled()
	defer cancel()
	if _, err := p.client.Peek(ctx, model.PeekRequest{Topic: model.NewTopicName("orders")}); err == nil {
		t.Error("a peek whose context is over gave no error")
	}
	p.client.Close()
	if _, err := p.client.Peek(context.Background(), model.PeekRequest{}); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// A peek is reads only, on whatever path.
func TestPeekSendsReadsOnly(t *testing.T) {
	c := fakeCluster(t)
	send(t, c, nil, numberedRecords(3)...)
	w := newWitness()
	client := open(t, model.Connection{Bootstrap: c.ListenAddrs()}, Options{Dial: w.dial}).client
	for _, r := range []model.PeekRequest{{}, {From: model.PeekAtTime}, {Offset: 99}, {From: model.PeekAtEnd, Backward: true}} {
		peeker{t, client}.peek(r)
	}
	reads := readOnlyKeys()
	for key := range w.keys() {
		if _, ok := reads[key]; !ok {
			t.Errorf("%s left", kmsg.NameForKey(key))
		}
	}
}

// BenchmarkPeek compares a peek of 500 records with the bare Fetch under it.
func BenchmarkPeek(b *testing.B) {
	c, err := kfake.NewCluster(kfake.SeedTopics(1, "orders"))
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	if err != nil {
		b.Fatal(err)
	}
	defer cl.Close()
	for range 500 {
		cl.Produce(context.Background(), &kgo.Record{Topic: "orders", Value: bytes.Repeat([]byte("x"), 1000)}, nil)
	}
	if err := cl.Flush(context.Background()); err != nil {
		b.Fatal(err)
	}
	client, err := Open(model.Connection{Bootstrap: c.ListenAddrs()}, Options{Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	req := model.PeekRequest{Topic: model.NewTopicName("orders"), Max: 500}
	b.Run("peek", func(b *testing.B) {
		for b.Loop() {
			if got, err := client.Peek(context.Background(), req); err != nil || len(got.Records) != 500 {
				b.Fatal(err, len(got.Records))
			}
		}
	})
	b.Run("bare fetch, decoded by kgo", func(b *testing.B) {
		p := &peek{client: client, req: req}
		if p.place, err = client.peekPlace(context.Background(), "orders", 0, false); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			part, err := p.fetch(context.Background(), 0)
			if err != nil {
				b.Fatal(err)
			}
			got, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{Topic: "orders"}, part, p.place.decompressor, nil)
			if len(got.Records) != 500 {
				b.Fatal(len(got.Records))
			}
		}
	})
}
