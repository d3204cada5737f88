package model

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func peekOf(partition int32, from, next int64, offsets ...int64) *PeekResult {
	r := &PeekResult{Partition: partition, From: from, Next: next, LogStart: Known(0), End: Known(100)}
	for _, o := range offsets {
		r.Records = append(r.Records, &Record{Partition: partition, Offset: o, Millis: 1000 + 10*o + int64(partition)})
	}
	return r
}

func held(w *RecordWindow) string {
	var all []string
	for _, r := range w.Records() {
		all = append(all, fmt.Sprintf("%d/%d", r.Partition, r.Offset))
	}
	return strings.Join(all, " ")
}

func TestRecordWindowGrowsAtBothEnds(t *testing.T) {
	w := NewRecordWindow(false)
	w.Add(peekOf(0, 10, 13, 10, 11, 12), PeekRequest{})
	w.Add(peekOf(0, 13, 16, 13, 15), PeekRequest{})
	w.Add(peekOf(0, 7, 10, 7, 9), PeekRequest{Backward: true})
	w.Add(peekOf(0, 50, 60, 50), PeekRequest{}) // does not join on: an old question
	if got := held(w); got != "0/7 0/9 0/10 0/11 0/12 0/13 0/15" {
		t.Errorf("held %s", got)
	}
	if e := w.Edge(0); e.From != 7 || e.Next != 16 || e.AtStart() || e.AtEnd() {
		t.Errorf("edge %+v", e)
	}
	w.Add(peekOf(0, 16, 100), PeekRequest{})
	w.Add(peekOf(0, 0, 7), PeekRequest{Backward: true})
	if e := w.Edge(0); !e.AtStart() || !e.AtEnd() {
		t.Errorf("edge %+v", e)
	}
}

func TestRecordWindowInterleavesByTime(t *testing.T) {
	w := NewRecordWindow(true)
	w.Add(peekOf(0, 0, 3, 0, 1, 2), PeekRequest{})
	w.Add(peekOf(1, 0, 3, 0, 1, 2), PeekRequest{})
	w.Add(peekOf(1, 1, 4, 1, 2, 3), PeekRequest{}) // once more, and one new
	if got := held(w); got != "0/0 1/0 0/1 1/1 0/2 1/2 1/3" {
		t.Errorf("held %s", got)
	}
}

// At the bounds records go at the other end, and can be loaded again.
func TestRecordWindowIsBounded(t *testing.T) {
	w := NewRecordWindow(false)
	w.maxRecords = 4
	w.Add(peekOf(0, 10, 14, 10, 11, 12, 13), PeekRequest{})
	w.Add(peekOf(0, 14, 16, 14, 15), PeekRequest{})
	if held(w) != "0/12 0/13 0/14 0/15" || w.Edge(0).From != 12 {
		t.Errorf("held %s from %d", held(w), w.Edge(0).From)
	}
	w.Add(peekOf(0, 10, 12, 10, 11), PeekRequest{Backward: true})
	if held(w) != "0/10 0/11 0/12 0/13" || w.Edge(0).Next != 14 {
		t.Errorf("held %s next %d", held(w), w.Edge(0).Next)
	}
	w.maxBytes = 2 * recordOverhead
	w.Add(peekOf(0, 14, 15, 14), PeekRequest{})
	if held(w) != "0/13 0/14" {
		t.Errorf("held %s", held(w))
	}
}

// Timestamps need not go up with offsets: what is dropped by time can be loaded
// again all the same.
func TestRecordWindowDropsByTime(t *testing.T) {
	w := NewRecordWindow(true)
	w.maxRecords = 2
	r := peekOf(0, 0, 4, 0, 1, 2, 3)
	for i, millis := range []int64{50, 10, 40, 20} { // 1 goes first, then 3
		r.Records[i].Millis = millis
	}
	w.Add(peekOf(0, 0, 0), PeekRequest{}) // it begins here
	w.Add(r, PeekRequest{})
	if held(w) != "0/2 0/0" || w.Edge(0).From != 4 {
		t.Fatalf("held %s from %d", held(w), w.Edge(0).From)
	}
	w.Add(r, PeekRequest{Backward: true}) // now 0 goes, then 2
	if held(w) != "0/1 0/3" || w.Edge(0).Next != 0 {
		t.Errorf("held %s next %d", held(w), w.Edge(0).Next)
	}
}

// Records that were deleted while they are held are told of, and not asked for
// again and again.
func TestRecordWindowOfALogThatLostRecords(t *testing.T) {
	w := NewRecordWindow(false)
	w.Add(peekOf(0, 10, 13, 10, 11, 12), PeekRequest{})
	gone := peekOf(0, 50, 50)
	gone.Clamped, gone.LogStart = true, Known(50)
	w.Add(gone, PeekRequest{Backward: true})
	if to, deleted := w.Edge(0).DeletedTo(); !deleted || to != 50 || !w.Edge(0).AtStart() || held(w) != "0/10 0/11 0/12" {
		t.Errorf("edge %+v, held %s", w.Edge(0), held(w))
	}
}

func TestRecordWindowOfACommittedLookEndsAtTheStableOffset(t *testing.T) {
	w := NewRecordWindow(false)
	r := peekOf(0, 0, 40, 1)
	r.Stable = Known(40)
	w.Add(r, PeekRequest{Committed: true})
	if !w.Edge(0).AtEnd() || !r.AtEnd(true) || r.AtEnd(false) {
		t.Error("the last stable offset is the end of a committed look")
	}
	if got := w.HeldBack(); got != 60 {
		t.Errorf("%d offsets are held back, want 60", got)
	}
	over := peekOf(0, 40, 100, 41)
	over.Stable = Known(100)
	w.Add(over, PeekRequest{Committed: true})
	if got := w.HeldBack(); got != 0 {
		t.Errorf("%d offsets are held back, and the transaction is over", got)
	}
}

func TestPeekStart(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	state := NewPartitionState(StateParts{Start: 5, Finished: 1, Batches: Intervals{{First: 5, Last: 6, State: RecordFinished, Count: 1}}})
	for name, test := range map[string]struct {
		p    SharePartition
		s    Settings
		want PeekRequest
		says string
	}{
		"head":        {SharePartition{State: state, Start: Known(5)}, Settings{}, PeekRequest{Offset: 7}, "from the head"},
		"start":       {SharePartition{Start: Known(5)}, Settings{}, PeekRequest{Offset: 5}, "may be finished already"},
		"committed":   {SharePartition{Start: Known(5)}, Settings{IsolationLevel: "read_committed"}, PeekRequest{Offset: 5, Committed: true}, "start offset"},
		"earliest":    {SharePartition{}, Settings{AutoOffsetReset: "earliest"}, PeekRequest{From: PeekAtLogStart}, "log's start"},
		"latest":      {SharePartition{}, Settings{AutoOffsetReset: "latest"}, PeekRequest{From: PeekAtEnd, Backward: true}, "latest begins at the end"},
		"not known":   {SharePartition{}, Settings{}, PeekRequest{From: PeekAtEnd, Backward: true}, "Kafka's default"},
		"by duration": {SharePartition{}, Settings{AutoOffsetReset: "by_duration:P1DT2H3M4.5S"}, PeekRequest{From: PeekAtTime, Time: now.Add(-26*time.Hour - 3*time.Minute - 4500*time.Millisecond)}, "ago"},
		"odd":         {SharePartition{}, Settings{AutoOffsetReset: "by_duration:P1Y\x1b"}, PeekRequest{From: PeekAtEnd, Backward: true}, `P1Y\e`},
	} {
		t.Run(name, func(t *testing.T) {
			got, says := PeekStart(&test.p, test.s, now)
			if got != test.want || !strings.Contains(says, test.says) {
				t.Errorf("got %+v, %q", got, says)
			}
		})
	}
}

func TestParsePeekTime(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-11-28T10:00:00+02:00": time.Date(2026, 11, 28, 8, 0, 0, 0, time.UTC),
		"2026-11-28 10:00":          time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC),
		"2026-11-28":                time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC),
		"10:30":                     time.Date(2026, 11, 29, 10, 30, 0, 0, time.UTC),
		" 10:30:05 ":                time.Date(2026, 11, 29, 10, 30, 5, 0, time.UTC),
		"10m":                       now.Add(-10 * time.Minute),
		"-1h":                       now.Add(-time.Hour),
		"1764417600000":             time.UnixMilli(1764417600000),
	} {
		if got, err := ParsePeekTime(text, now, true); err != nil || !got.Equal(want) {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "soon\x1b", "25:00", "2026-13-01"} {
		if _, err := ParsePeekTime(text, now, true); err == nil || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSearchRecords(t *testing.T) {
	long := strings.Repeat("x", foldedPiece-3) + "NeedLe" + strings.Repeat("y", foldedPiece)
	records := []*Record{
		{Offset: 0, Key: NewBlob([]byte("order-1")), Value: NewBlob([]byte("Alpha"))},
		{Offset: 1, Value: NewBlob([]byte(long))},
		{Offset: 2},
	}
	for text, want := range map[string]string{
		"": "0/0 0/1 0/2", "ALPHA": "0/0", "order-": "0/0", "needle": "0/1", "!needle": "0/0 0/2", "none": "",
	} {
		w := RecordWindow{records: SearchRecords(records, text, func() bool { return false })}
		if got := held(&w); got != want {
			t.Errorf("%q found %q, want %q", text, got, want)
		}
	}
	if got := SearchRecords(records, "a", func() bool { return true }); len(got) != 0 {
		t.Error("a search that was stopped went on")
	}
}

func TestDeadLetters(t *testing.T) {
	headers := func(pairs ...string) []Header {
		var out []Header
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, Header{Name: NewText("__dlq.errors." + pairs[i]), Value: NewBlob([]byte(pairs[i+1]))})
		}
		return out
	}
	one := headers("topic", "orders", "partition", "1", "offset", "7", "group", "g", "delivery.count", "5", "message", "Offset rejected by client.")
	got := DeadLetters([]*Record{
		{Offset: 0, Millis: 10, Headers: one},
		{Offset: 1, Millis: 20, Headers: one},
		{Offset: 2, Millis: 15, Headers: headers("topic", "orders", "partition", "1", "offset", "7", "group", "other")},
		{Offset: 3, Millis: 5, Headers: headers("topic", "orders", "partition", "x", "offset", "-7")},
		{Offset: 4, Millis: 1},
		{Offset: 5, Millis: 30, Headers: headers("topic", "t", "partition", "99999999999", "offset", "1")},
	})
	var said []string
	for _, d := range got {
		said = append(said, fmt.Sprintf("%d:%s-%d@%d %s %s %s x%d", d.Record.Offset, d.Source, d.Partition, d.Offset, d.Group, FormatNumber(d.Deliveries), d.Reason(), d.Copies))
	}
	want := []string{
		"5:-0@0  – – x1", "1:orders-1@7 g 5 rejected x2", "2:orders-1@7 other – – x1", "3:-0@0  – – x1", "4:-0@0  – – x1",
	}
	if strings.Join(said, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(said, "\n"))
	}
}
