//go:build unix

package bench

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/kafka"
	"sharetop/model"
	"sharetop/ui"
)

// peekRounds is how often each way to get records is timed, in turn, after as
// many rounds that do not count: a broker that has just started takes two to three
// times as long for a Fetch, which would make everything beside it look short.
const peekRounds = 101

// nearby is the delay each way to brokers of another data centre of the same
// town.
const nearby = time.Millisecond

// BenchmarkPeek is a peek of 500 records from the key to the drawn screen,
// beside a bare Fetch of the same bytes whose answer is thrown away; in the same
// rounds also without the screen, and again over a link that adds a millisecond
// each way. Every round is about the other one of two
// partitions that hold the same. The program itself, on a terminal, is timed from
// the key to the first record.
func BenchmarkPeek(b *testing.B) {
	k := startBehind(b, nearby)
	for _, test := range []struct {
		name  string
		codec kgo.CompressionCodec
	}{{"plain", kgo.NoCompression()}, {"lz4", kgo.Lz4Compression()}} {
		topic := "peeked-" + test.name
		k.orders(b, topic, test.codec, 500, 2)
		if err := k.work.PlaceGroup(b.Context(), topic, topic, 0, 0); err != nil {
			b.Fatal(err)
		}
		b.Run("500-"+test.name, func(b *testing.B) { k.peekDrawn(b, topic, k.Bootstrap()[0]) })
		b.Run("500-"+test.name+"-1ms-each-way", func(b *testing.B) { k.peekDrawn(b, topic, k.slow) })
		b.Run("first-record-"+test.name, func(b *testing.B) { k.peekFirst(b, topic) })
	}
}

// orders produces the same n records of about 300 bytes to each of so many
// partitions, in batches of 100.
func (k *kafkaBench) orders(b *testing.B, topic string, codec kgo.CompressionCodec, n, partitions int) {
	b.Helper()
	if err := k.work.CreateTopic(b.Context(), topic, int32(partitions)); err != nil {
		b.Fatal(err)
	}
	producer, err := kgo.NewClient(kgo.SeedBrokers(k.Bootstrap()...), kgo.ProducerBatchCompression(codec),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.DisableClientMetrics())
	if err != nil {
		b.Fatal(err)
	}
	defer producer.Close()
	for batch := range partitions * n / 100 {
		from := batch / partitions * 100
		var records []*kgo.Record
		for i := from; i < from+100; i++ {
			records = append(records, &kgo.Record{
				Topic: topic, Partition: int32(batch % partitions), Key: fmt.Appendf(nil, "order-%06d", i),
				Value: fmt.Appendf(nil, `{"order":%d,"customer":"c-%d","lines":[{"isbn":"978-%09d","n":1,"price":"12.50"},`+
					`{"isbn":"978-%09d","n":2,"price":"7.95"}],"note":"%s"}`, i, i*7919%1000, i*37, i*41, strings.Repeat("leave at the door ", 8)),
				Headers: []kgo.RecordHeader{{Key: "trace", Value: fmt.Appendf(nil, "%016x", i*2654435761)}},
			})
		}
		if err := producer.ProduceSync(b.Context(), records...).FirstErr(); err != nil {
			b.Fatal(err)
		}
	}
}

// peekDrawn times the three in turn.
func (k *kafkaBench) peekDrawn(b *testing.B, topic, address string) {
	client, err := kafka.Open(model.Connection{Bootstrap: []string{address}}, kafka.Options{Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	screen := newLoop(ui.New(ui.Config{
		Cluster: ui.Cluster{Source: client, Peeker: client}, OpenGroup: topic, Now: time.Now, UTC: true, Env: os.Getenv,
	}))
	defer screen.end()
	screen.until(b, nil, "of 2,000")
	screen.until(b, key('4', "4"), "500 loaded")

	bare := k.bareFetch(b, topic, address)
	var floor, peeked, drawn []time.Duration
	for round := range 2 * peekRounds {
		if round == peekRounds {
			floor, peeked, drawn = nil, nil, nil
		}
		part, turn := int32(1), key(']', "]")
		if round%2 == 1 {
			part, turn = 0, key('[', "[")
		}
		floor = append(floor, timed(func() { bare(part) }))
		peeked = append(peeked, timed(func() {
			req := model.PeekRequest{Topic: model.NewTopicName(topic), Partition: part, Max: 500}
			if got, err := client.Peek(b.Context(), req); err != nil || len(got.Records) != 500 {
				b.Fatalf("%v: %+v", err, got)
			}
		}))
		first := fmt.Sprintf("%s-%d@0", topic, part)
		drawn = append(drawn, timed(func() { screen.until(b, turn, "500 loaded", first) }))
	}
	for range b.N {
		continue
	}
	b.ReportMetric(ms(median(floor)), "bare-ms")
	b.ReportMetric(ms(median(peeked)), "peek-ms")
	b.ReportMetric(ms(median(drawn)), "drawn-ms")
	b.ReportMetric(float64(median(peeked))/float64(median(floor)), "x-peek")
	b.ReportMetric(float64(median(drawn))/float64(median(floor)), "x-drawn")
	b.ReportMetric(0, "ns/op")
}

// bareFetch sends the same Fetch of a partition as a peek and looks at nothing but
// its error.
func (k *kafkaBench) bareFetch(b *testing.B, topic, address string) func(partition int32) {
	b.Helper()
	plain, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.DisableClientMetrics())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(plain.Close)
	described, err := kadm.NewClient(plain).ListTopics(b.Context(), topic)
	if err != nil {
		b.Fatal(err)
	}
	leader := plain.Broker(int(described[topic].Partitions[0].Leader))
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes = 0, 0, 1<<20
	part := kmsg.NewFetchRequestTopicPartition()
	part.PartitionMaxBytes = 1 << 20
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID, t.Partitions = topic, described[topic].ID, append(t.Partitions, part)
	req.Topics = append(req.Topics, t)
	return func(partition int32) {
		req.Topics[0].Partitions[0].Partition = partition
		resp, err := leader.Request(b.Context(), req)
		if err != nil {
			b.Fatal(err)
		}
		if got := resp.(*kmsg.FetchResponse); len(got.Topics) != 1 || got.Topics[0].Partitions[0].ErrorCode != 0 {
			b.Fatalf("answered %+v", got)
		}
	}
}

func timed(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// loop is Bubble Tea's own on a screen whose frames are looked at as they are
// drawn; where they go there is no terminal.
type loop struct {
	program *tea.Program
	frames  *frames
	ended   chan struct{}
}

func newLoop(screen tea.Model) *loop {
	f := &frames{Model: screen, found: make(chan struct{}, 1)}
	l := &loop{frames: f, ended: make(chan struct{}), program: tea.NewProgram(
		f, tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithWindowSize(width, height), tea.WithoutSignalHandler(),
		tea.WithEnvironment([]string{"TERM=xterm-256color"}),
	)}
	go func() {
		defer close(l.ended)
		_, _ = l.program.Run()
	}()
	return l
}

// end leaves the program.
func (l *loop) end() {
	l.program.Quit()
	<-l.ended
}

// until hands a message over, unless it is nil, and waits for the first frame
// behind it with all of the texts.
func (l *loop) until(b *testing.B, msg tea.Msg, texts ...string) {
	b.Helper()
	l.frames.await(msg, texts)
	l.program.Send(msg)
	select {
	case <-l.frames.found:
	case <-time.After(shownTimeout):
		b.Fatalf("the screen never showed %q", texts)
	}
}

// frames is a screen that tells when a frame has some texts.
type frames struct {
	tea.Model
	found chan struct{}

	mu sync.Mutex
	// after is the message behind which the texts count; nil once it has come.
	// There are no texts while none are awaited.
	after tea.Msg
	texts []string
}

func (f *frames) await(after tea.Msg, texts []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.after, f.texts = after, texts
}

func (f *frames) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	f.mu.Lock()
	if msg == f.after {
		f.after = nil
	}
	f.mu.Unlock()
	var cmd tea.Cmd
	f.Model, cmd = f.Model.Update(msg)
	return f, cmd
}

func (f *frames) View() tea.View {
	v := f.Model.View()
	f.mu.Lock()
	defer f.mu.Unlock()
	lacks := func(text string) bool { return !strings.Contains(v.Content, text) }
	if f.after == nil && len(f.texts) > 0 && !slices.ContainsFunc(f.texts, lacks) {
		f.texts = nil
		f.found <- struct{}{}
	}
	return v
}

func key(code rune, text string) tea.KeyPressMsg { return tea.KeyPressMsg{Code: code, Text: text} }

// peekFirst is from the key to the first record on a terminal: pressed when the
// group's share-partitions are there, and as soon as its name is, before
// anything is known of it.
func (k *kafkaBench) peekFirst(b *testing.B, topic string) {
	var known, early []time.Duration
	for range rounds {
		known = append(known, k.keyToRecord(b, topic, "of 2,000"))
		early = append(early, k.keyToRecord(b, topic, topic+" "))
	}
	for range b.N {
		continue
	}
	b.ReportMetric(ms(median(known)), "key-to-record-ms")
	b.ReportMetric(ms(known[len(known)-1]), "worst-ms")
	b.ReportMetric(ms(median(early)), "early-key-to-record-ms")
	b.ReportMetric(ms(early[len(early)-1]), "worst-early-ms")
	b.ReportMetric(0, "ns/op")
}

// keyToRecord starts the program on a group and presses the key for its records
// once a text is shown.
func (k *kafkaBench) keyToRecord(b *testing.B, topic, once string) time.Duration {
	b.Helper()
	t := startTerminal(b, width, height, k.sharetop, "--bootstrap-server", k.Bootstrap()[0], "--group", topic)
	defer t.quit()
	t.shown("the group", hasText(once))
	return t.after("4", "a record", hasText("order-000000"))
}

// after types keys and returns how long the screen took to be as wanted.
func (t *terminal) after(keys, what string, wanted func([]string) bool) time.Duration {
	t.b.Helper()
	pressed := time.Since(t.began)
	if _, err := t.master.WriteString(keys); err != nil {
		t.b.Fatal(err)
	}
	return t.shown(what, wanted) - pressed
}

func hasText(text string) func([]string) bool {
	return func(lines []string) bool {
		return slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, text) })
	}
}

// BenchmarkPeekMemory is the largest resident set of the program while it shows
// a record of 20 MiB in one line and a JSON value of a million elements, each to
// its end.
func BenchmarkPeekMemory(b *testing.B) {
	k := startBench(b)
	const topic = "huge"
	limit := strconv.Itoa(64 << 20)
	if _, err := k.work.Admin().CreateTopic(b.Context(), 1, 1, map[string]*string{"max.message.bytes": &limit}, topic); err != nil {
		b.Fatal(err)
	}
	million := append(append([]byte("["), bytes.Repeat([]byte("1,"), 1_000_000)...), "2]"...)
	producer, err := kgo.NewClient(kgo.SeedBrokers(k.Bootstrap()...), kgo.ProducerBatchMaxBytes(32<<20),
		kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.DisableClientMetrics())
	if err != nil {
		b.Fatal(err)
	}
	defer producer.Close()
	for name, value := range map[string][]byte{"line": bytes.Repeat([]byte("order 12345 "), 20<<20/12), "million": million} {
		if err := producer.ProduceSync(b.Context(), &kgo.Record{Topic: topic, Key: []byte(name), Value: value}).FirstErr(); err != nil {
			b.Fatal(err)
		}
	}
	if err := k.work.PlaceGroup(b.Context(), topic, topic, 0); err != nil {
		b.Fatal(err)
	}
	t := startTerminal(b, width, height, k.sharetop, "--bootstrap-server", k.Bootstrap()[0], "--group", topic)
	defer t.quit()
	t.shown("the group", hasText(topic+" "))
	t.after("4", "the record of one line", hasText("line"))
	t.readToTheEnd()
	t.after("j", "the record of a million elements", hasText("million"))
	t.after("j", "the cursor on it", hasText("key     million"))
	t.readToTheEnd()
	for range b.N {
		continue
	}
	b.ReportMetric(t.memory("VmHWM:"), "peak-MiB")
	b.ReportMetric(0, "ns/op")
}

// readToTheEnd shows the record under the cursor in the whole tab, scrolls to its
// end, and goes back.
func (t *terminal) readToTheEnd() {
	t.b.Helper()
	t.after("\r", "the record in the whole tab", func(lines []string) bool { return !hasText("OFFSET")(lines) })
	t.after("G", "its end", func(lines []string) bool { return !hasText("reading it to its end")(lines) })
	t.after("\x1b", "the list", hasText("OFFSET"))
}

// memory is one of the kernel's figures of the program's memory, in MiB.
func (t *terminal) memory(field string) float64 {
	t.b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", t.cmd.Process.Pid))
	if err != nil {
		t.b.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.b.Fatal(err)
			}
			return float64(kib) / 1024
		}
	}
	t.b.Fatalf("/proc has no %s", field)
	return 0
}
