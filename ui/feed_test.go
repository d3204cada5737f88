package ui

import (
	"errors"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// snapshot is the one of a board, at a version.
func snapshot(b *model.Board, version model.Version) *model.Snapshot {
	s := *b.Snapshot
	s.Version = version
	return &s
}

func TestExactlyOneWatchIsOutstanding(t *testing.T) {
	drive(t, 120, 40, func(d *driver) {
		for v := model.Version(1); v < 6; v++ {
			d.source.set(snapshot(incident(), v), nil)
			d.settle()
			d.keys("j", "r", "+", "j")
			if n := d.source.now(); n != 1 {
				t.Fatalf("%d calls outstanding at version %d", n, v)
			}
		}
		if d.app.env.board == nil || d.app.env.board.Snapshot.Version != 5 {
			t.Error("the newest snapshot is not shown")
		}
	})
}

func TestScopeFollowsTheScreen(t *testing.T) {
	drive(t, 120, 13, func(d *driver) {
		d.board(manyGroups(100))
		last := func() model.Scope { all := d.source.asked(); return all[len(all)-1] }
		if got := last().Visible; len(got) != 9 || got[0].Raw() != "group-00050" {
			t.Errorf("9 rows are on screen, worst first; asked for %v", got)
		}
		calls := len(d.source.asked())
		d.keys("j")
		if len(d.source.asked()) != calls {
			t.Error("a cursor that moves within the screen needs no new call")
		}
		d.keys("G")
		if got := last().Visible; len(d.source.asked()) != calls+1 || len(got) != 9 {
			t.Errorf("after scrolling to the bottom asked for %v", got)
		}
		d.keys("space")
		if got := last().Marked; len(got) != 1 {
			t.Errorf("one group is marked, asked for %v", got)
		}
		d.keys("r")
		if last().Refresh != 1 {
			t.Errorf("r is not passed on: %+v", last())
		}
		d.keys("+")
		if last().Interval != 2*time.Second {
			t.Errorf("+ is not passed on: %+v", last())
		}
	})
}

func TestMarkedGroupsAreBounded(t *testing.T) {
	drive(t, 120, 13, func(d *driver) {
		d.board(manyGroups(1000))
		d.keys("*")
		all := d.source.asked()
		if got := len(all[len(all)-1].Marked); got != model.MaxMarked {
			t.Errorf("%d groups asked for at every tick", got)
		}
	})
}

func TestRepliesOfOlderCallsAreDropped(t *testing.T) {
	drive(t, 120, 40, func(d *driver) {
		d.board(incident())
		old := d.app.feed.call
		d.keys("r")
		if d.app.feed.call == old {
			t.Fatal("a refresh must begin a new call")
		}
		d.send(boardMsg{call: old, board: boardOf([]fixtureRow{{id: "too-late"}})})
		d.wantNoText("too-late")
		d.send(boardMsg{call: old, err: errors.New("late error")})
		d.wantNoText("late error")
	})
}

func TestPauseLeavesNothingOutstanding(t *testing.T) {
	drive(t, 120, 40, func(d *driver) {
		d.board(incident())
		d.keys("p")
		if n := d.source.now(); n != 0 {
			t.Errorf("%d calls outstanding while paused", n)
		}
		d.wantText("PAUSED")
		calls := len(d.source.asked())
		d.keys("j", "G", "r")
		d.wait(time.Minute)
		if n := len(d.source.asked()); n != calls {
			t.Errorf("%d calls while paused", n-calls)
		}
		d.keys("p")
		if n := d.source.now(); n != 1 {
			t.Errorf("%d calls outstanding after the pause", n)
		}
		d.wantNoText("PAUSED")
		d.keys("p", "r")
		d.wantText("Paused: p goes on.")
		d.keys("p")
		d.wantNoText("PAUSED", "p goes on")
	})
}

func TestSuspendStopsAskingAndResumeAsksAtOnce(t *testing.T) {
	drive(t, 120, 40, func(d *driver) {
		d.board(incident())
		d.keys("ctrl+z")
		if n := d.source.now(); n != 0 || len(d.sent) == 0 {
			t.Fatalf("%d calls outstanding, Bubble Tea was told %v", n, d.sent)
		}
		if _, ok := d.sent[len(d.sent)-1].(tea.SuspendMsg); !ok {
			t.Errorf("want a suspend, got %T", d.sent[len(d.sent)-1])
		}
		d.send(tea.ResumeMsg{})
		all := d.source.asked()
		if d.source.now() != 1 || all[len(all)-1].Refresh != 1 {
			t.Errorf("after resuming: %d outstanding, %+v", d.source.now(), all[len(all)-1])
		}
	})
}

func TestFailedCallsBackOffAndAreShown(t *testing.T) {
	drive(t, 120, 40, func(d *driver) {
		d.board(incident())
		d.source.set(nil, errors.New("the cluster is\x1b[2J gone"))
		d.settle()
		d.wantText("nothing new: the cluster is", "payments-retry")
		calls := len(d.source.asked())
		d.wait(499 * time.Millisecond)
		if n := len(d.source.asked()); n != calls {
			t.Errorf("asked again after less than the first wait")
		}
		d.wait(time.Millisecond)
		if n := len(d.source.asked()); n != calls+1 {
			t.Errorf("%d calls after the first wait", n-calls)
		}
		// 0.5 + 1 + 2 + 4 + 8 and then 10 s each.
		d.wait(time.Minute)
		if n := len(d.source.asked()) - calls; n > 12 {
			t.Errorf("%d calls within a minute of failures", n)
		}
		d.source.set(snapshot(incident(), 9), nil)
		d.wait(lastRetry)
		d.wantNoText("nothing new")
	})
}

func TestRetryDelayIsBounded(t *testing.T) {
	for failures, want := range map[int]time.Duration{
		1: firstRetry, 2: time.Second, 4: 4 * time.Second, 6: lastRetry, 1_000_000: lastRetry,
	} {
		if got := retryDelay(failures); got != want {
			t.Errorf("after %d failures: %v, want %v", failures, got, want)
		}
	}
}

func TestAgeTurnsAmberThenRed(t *testing.T) {
	drive(t, 120, 40, func(d *driver) {
		d.board(incident())
		d.wantNoText("▲ seen", "■ seen")
		d.wait(4 * time.Second)
		d.wantText("▲ seen 4")
		d.wait(8 * time.Second)
		d.wantText("■ seen 12")
		// A board that only tells of a problem is as old as the last answer.
		b := incident()
		b.Snapshot.Taken = b.Snapshot.Taken.Add(12 * time.Second)
		d.board(b)
		d.wantText("■ seen 12")
		b = incident()
		b.Snapshot.Answered = time.Time{}
		d.board(b)
		d.wantText("nothing seen yet")
	})
}

// What arrives is heard of though a dialog keeps it from being shown.
func TestADialogDoesNotAgeTheScreen(t *testing.T) {
	drive(t, 120, 40, func(d *driver) {
		d.board(incident())
		d.keys("?")
		d.wait(4 * time.Second)
		d.wantText("▲ seen 4")
		b := incident()
		b.Snapshot.Version++
		b.Snapshot.Answered = b.Snapshot.Answered.Add(4 * time.Second)
		d.board(b)
		d.wantNoText("▲ seen")
		if d.app.env.board == b {
			t.Error("the rows moved under the dialog")
		}
	})
}

func TestOpeningShowsWhatIsKnownWithoutWaiting(t *testing.T) {
	drive(t, 120, 40, func(d *driver) {
		d.source.set(snapshot(incident(), 3), nil)
		d.settle()
		d.send(press(":"))
		d.typed("group booknest-packers")
		d.keys("enter")
		if b := d.app.env.board; b == nil || b.Snapshot.Version != 3 {
			t.Error("the board is lost")
		}
		all := d.source.asked()
		if last := all[len(all)-1]; last.Open.Raw() != "booknest-packers" || d.source.now() != 1 {
			t.Errorf("asked for %+v, %d outstanding", last, d.source.now())
		}
	})
}

func TestOpeningInAPauseShowsTheGroup(t *testing.T) {
	drive(t, 120, 40, func(d *driver) {
		s := snapshot(incident(), 3)
		d.source.set(s, nil)
		d.settle()
		d.keys("p")
		calls := len(d.source.asked())
		d.keys("enter")
		open := d.app.env.board.Open
		if open == nil || open.ID != d.app.page().(*groupPage).id {
			t.Errorf("the group is not there: %+v", open)
		}
		if len(d.source.asked()) != calls || d.source.now() != 0 {
			t.Error("the cluster was asked in a pause")
		}
	})
}

func TestOpeningDoesNotHideAFailure(t *testing.T) {
	drive(t, 160, 40, func(d *driver) {
		d.source.set(snapshot(incident(), 3), nil)
		d.settle()
		d.source.set(nil, errors.New("it is gone"))
		d.settle()
		d.keys("enter")
		if f := d.app.feed.status; f.err == nil || f.failures < 2 {
			t.Errorf("after opening a group: %+v", f)
		}
	})
}

func TestSuspendedAndQuitLeaveNoGoroutine(t *testing.T) {
	// The bubble of drive fails when a goroutine is left behind.
	drive(t, 80, 24, func(d *driver) {
		d.board(incident())
		d.keys("y", "p", "p", "q")
		if !d.quit {
			t.Error("q does not quit")
		}
	})
}

// Rows that are the same list are arranged once, unless the query is another or
// the first sweep has ended.
func TestUnchangedRowsAreArrangedOnce(t *testing.T) {
	b := manyGroups(100)
	again := func(edit func(*model.Snapshot)) *model.Board {
		s := *b.Snapshot
		edit(&s)
		return &model.Board{Snapshot: &s, Rows: b.Rows, Totals: b.Totals}
	}
	later := func(s *model.Snapshot) { s.Taken = s.Taken.Add(time.Second) }
	turned := model.Query{Sort: model.SortName, Invert: true}
	for name, test := range map[string]struct {
		board *model.Board
		then  boardRequest
		same  bool
	}{
		"only the time moved": {again(later), boardRequest{}, true},
		"another query":       {again(later), boardRequest{query: turned, revision: 1}, false},
		"first sweep begun":   {again(func(s *model.Snapshot) { s.Offsets.Sweep.FirstDone = !s.Offsets.Sweep.FirstDone }), boardRequest{}, false},
		"a row changed":       {&model.Board{Snapshot: b.Snapshot, Rows: slices.Clone(b.Rows)}, boardRequest{}, false},
	} {
		d := &deriver{}
		before := d.arrange(b, boardRequest{})
		after := d.arrange(test.board, test.then)
		if same := &before[0] == &after[0]; same != test.same {
			t.Errorf("%s: arranged once: %v", name, same)
		}
		if want := test.then.query.Arrange(test.board); !slices.Equal(after, want) {
			t.Errorf("%s: not the rows of the board", name)
		}
	}
}
