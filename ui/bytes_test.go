package ui

import (
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"sharetop/model"
)

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

// runProgram runs an App as Bubble Tea does for a terminal, until stop.
func runProgram(tb testing.TB, a tea.Model, out io.Writer, w, h int) (p *tea.Program, stop func()) {
	p = tea.NewProgram(a, tea.WithInput(nil), tea.WithOutput(out), tea.WithWindowSize(w, h),
		tea.WithColorProfile(colorprofile.ANSI256), tea.WithoutSignals(),
		tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := p.Run(); err != nil {
			tb.Error(err)
		}
	}()
	return p, func() {
		p.Send(press("ctrl+c"))
		<-done
	}
}

// What a tick writes to the terminal is what SSH carries, for as long as the
// program is left running. The bubble's clock drives the frames too.
func TestBytesOfATick(t *testing.T) {
	startSignals()
	for _, tt := range []struct {
		name           string
		changed, below int
	}{
		{"nothing changed", 0, 200},
		{"ten rows changed", 10, 2_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := &counter{}
				source := &fakeSource{changed: make(chan struct{})}
				began := time.Now()
				a := New(Config{
					Cluster: Cluster{Source: source, ClusterName: "prod-eu"}, UTC: true,
					Now: func() time.Time { return fixtureTime().Add(time.Since(began)) },
				})
				p, stop := runProgram(t, a, out, 120, 40)
				defer stop()
				board := manyGroups(100)
				tick := func() {
					board = next(board, func(i int, r *model.Row) {
						if i < tt.changed {
							moveRow(r)
						}
					})
					p.Send(arrangedMsg{board: board, rows: model.Query{Sort: model.SortName}.Arrange(board)})
					time.Sleep(time.Second)
					synctest.Wait()
				}
				tick()
				tick()
				out.take()
				const ticks = 10
				for range ticks {
					tick()
				}
				written := out.take()
				t.Logf("%d bytes a tick", written/ticks)
				if written == 0 || written/ticks >= tt.below {
					t.Errorf("%d bytes a tick, want less than %d and more than none", written/ticks, tt.below)
				}
			})
		})
	}
}

// startSignals starts the runtime's goroutine for signals. The first program in
// a bubble would start it there, where it can't be.
func startSignals() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c)
}

// moveRow changes a row as a busy group does from tick to tick.
func moveRow(r *model.Row) {
	lag, _ := r.Lag.Get()
	r.Lag = model.Known(lag + 13)
	r.In.PerSecond, r.Done.PerSecond = r.In.PerSecond+1, r.Done.PerSecond+3
	r.Trend = append(slices.Clone(r.Trend[1:]), r.Lag)
}
