package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// recordsOfABench is a screen with the Records tab open on a log of n records.
func recordsOfABench(w, h int, n int64) (*App, *groupPage, *fakeLog) {
	f := newFakePeeker()
	l := filled("refunds", 0, 0, n)
	f.log("refunds", 0, l)
	at := fixtureTime()
	a := New(Config{
		Cluster: Cluster{Source: &fakeSource{changed: make(chan struct{})}, Peeker: f}, UTC: true, OpenGroup: "payments-retry",
		Now: func() time.Time { return at },
	})
	a.Update(tea.WindowSizeMsg{Width: w, Height: h})
	board := refundsWithState()
	a.benchBoard(board, a.env.query.Arrange(board))
	a.Update(press("4"))
	return a, a.page().(*groupPage), l
}

// BenchmarkRecordsScroll is a key and a frame with 10,000 records loaded.
func BenchmarkRecordsScroll(b *testing.B) {
	a, p, l := recordsOfABench(200, 50, 10_000)
	p.records.loader.restart()
	p.records.window = model.NewRecordWindow(false)
	p.records.window.Add(&model.PeekResult{
		Topic: model.NewTopicName("refunds"), Records: l.records, Next: 10_000, LogStart: model.Known(0), End: model.Known(10_000),
	}, model.PeekRequest{})
	p.records.arrange(&a.env)
	keys := []string{"down", "pgdown", "up"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a.Update(press(keys[i%3]))
		if !strings.Contains(a.View().Content, "OFFSET") {
			b.Fatal("no list")
		}
	}
}

// BenchmarkPeekDrawn is what a screen adds to a peek of 500 records: they are
// taken in and drawn, from nothing.
func BenchmarkPeekDrawn(b *testing.B) {
	a, p, l := recordsOfABench(120, 40, 500)
	b.ReportAllocs()
	for b.Loop() {
		p.records.begin(&a.env, "", p.records.request)
		p.records.take()
		a.Update(tabMsg{p, tabRecords, peekedMsg{
			request: model.PeekRequest{Topic: model.NewTopicName("refunds")}, generation: p.records.loader.generation,
			result: &model.PeekResult{
				Topic: model.NewTopicName("refunds"), Records: l.records, Next: 500, LogStart: model.Known(0), End: model.Known(500),
			},
		}})
		if !strings.Contains(a.View().Content, "500 loaded") {
			b.Fatal("no list")
		}
	}
}
