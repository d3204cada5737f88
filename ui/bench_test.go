package ui

import (
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"sharetop/model"
)

// benchApp is an App whose feed never answers: boards are handed to it.
func benchApp(w, h int) *App {
	at := fixtureTime()
	a := New(Config{
		Source: &fakeSource{changed: make(chan struct{})}, ClusterName: "prod-eu", UTC: true,
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

// counter counts what is written to a terminal.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += len(p)
	return len(p), nil
}

func (c *counter) take() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.n
	c.n = 0
	return n
}

// runProgram runs an App as a program that draws to out.
func runProgram(tb testing.TB, a tea.Model, out io.Writer, w, h int) *tea.Program {
	p := tea.NewProgram(a, tea.WithInput(nil), tea.WithOutput(out), tea.WithWindowSize(w, h),
		tea.WithColorProfile(colorprofile.ANSI256), tea.WithoutSignals(),
		tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := p.Run(); err != nil {
			tb.Error(err)
		}
	}()
	tb.Cleanup(func() {
		p.Quit()
		<-done
	})
	return p
}

// BenchmarkTickBytes is what a tick at 120x40 writes to the terminal: one in
// which nothing changed but the time, and one in which ten rows did.
func BenchmarkTickBytes(b *testing.B) {
	for _, changed := range []int{0, 10} {
		b.Run(fmt.Sprintf("%d rows changed", changed), func(b *testing.B) {
			out := &counter{}
			var mu sync.Mutex
			at := fixtureTime()
			a := New(Config{
				Source: &fakeSource{changed: make(chan struct{})}, ClusterName: "prod-eu", UTC: true,
				Now: func() time.Time { mu.Lock(); defer mu.Unlock(); return at },
			})
			p := runProgram(b, a, out, 120, 40)
			board := manyGroups(100)
			p.Send(nil)
			tick := func() {
				mu.Lock()
				at = at.Add(time.Second)
				mu.Unlock()
				board = next(board, func(i int, r *model.Row) {
					if i < changed {
						lag, _ := r.Lag.Get()
						r.Lag = model.Known(lag + 13)
						r.In.PerSecond, r.Done.PerSecond = r.In.PerSecond+1, r.Done.PerSecond+3
					}
				})
				rows := model.Query{Sort: model.SortName}.Arrange(board)
				p.Send(sameCall(board, rows))
				time.Sleep(40 * time.Millisecond) // two frames at 60 a second
			}
			tick()
			tick()
			out.take()
			for b.Loop() {
				tick()
			}
			b.ReportMetric(float64(out.take())/float64(b.N), "bytes/tick")
		})
	}
}

// sameCall is a board as a refresh would show it, whatever call is outstanding.
func sameCall(b *model.Board, rows []*model.Row) arrangedMsg {
	return arrangedMsg{board: b, rows: rows}
}
