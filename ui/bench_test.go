package ui

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// benchApp is an App whose feed never answers: boards are handed to it.
func benchApp(w, h int) *App {
	at := fixtureTime()
	a := New(Config{
		Cluster: Cluster{Source: &fakeSource{changed: make(chan struct{})}, ClusterName: "prod-eu"}, UTC: true,
		Now: func() time.Time { return at },
	})
	a.Update(tea.WindowSizeMsg{Width: w, Height: h})
	return a
}

func (a *App) benchBoard(b *model.Board, rows []*model.Row) {
	a.Update(boardMsg{call: a.feed.call, board: b, rows: rows, revision: a.revision})
}

// BenchmarkFrame is what one tick costs the screen: a new board is shown and
// drawn. Deriving and sorting are not in it: they happen in a command.
func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("%d groups at 200x50", n), func(b *testing.B) {
			a := benchApp(200, 50)
			board := manyGroups(n)
			boards := []*model.Board{board, next(board, func(int, *model.Row) {})}
			rows := [][]*model.Row{a.env.query.Arrange(boards[0]), a.env.query.Arrange(boards[1])}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				a.benchBoard(boards[i%2], rows[i%2])
				if a.View().Content == "" {
					b.Fatal("nothing drawn")
				}
			}
		})
	}
}

// BenchmarkKey is what a cursor key costs, the most frequent message.
func BenchmarkKey(b *testing.B) {
	a := benchApp(200, 50)
	board := manyGroups(10_000)
	a.benchBoard(board, a.env.query.Arrange(board))
	b.ReportAllocs()
	for b.Loop() {
		a.Update(press("down"))
		if a.View().Content == "" {
			b.Fatal("nothing drawn")
		}
	}
}
