package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"sharetop/model"
)

func openPage(name string) func(*Config) {
	return func(c *Config) { c.OpenGroup = name }
}

func TestGroupGolden(t *testing.T) {
	tabs := map[string]string{"partitions": "1", "members": "2", "config": "3"}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}, {60, 15}, {40, 10}} {
		for tab, key := range tabs {
			t.Run(fmt.Sprintf("%s-%dx%d", tab, size[0], size[1]), func(t *testing.T) {
				drive(t, size[0], size[1], func(d *driver) {
					d.board(openRefunds())
					d.keys(key)
					golden.RequireEqual(t, []byte(d.text()))
				}, openPage("payments-retry"))
			})
		}
	}
}

func TestGroupAbsentGolden(t *testing.T) {
	drive(t, 80, 24, func(d *driver) {
		b := incident()
		b.Open = &model.OpenGroup{ID: model.NewGroupID("nope")}
		d.board(b)
		golden.RequireEqual(t, []byte(d.text()))
	}, openPage("nope"))
}

func TestGroupGoneGolden(t *testing.T) {
	drive(t, 80, 24, func(d *driver) {
		b := openRefunds()
		d.board(b)
		d.wait(time.Second)
		gone := next(b, func(int, *model.Row) {})
		gone.Rows = gone.Rows[1:]
		gone.Open = &model.OpenGroup{ID: b.Open.ID}
		d.board(gone)
		golden.RequireEqual(t, []byte(d.text()))
		d.wantText("gone", "refunds")
	}, openPage("payments-retry"))
}

// What would fix it can be read to its end, also when it takes several lines.
func TestGroupNotAllowed(t *testing.T) {
	for name, verdict := range map[string]model.Verdict{
		"said by the verdict": {
			Text:     "not allowed: DESCRIBE on a topic",
			Evidence: []model.Sentence{model.Sentence(incident().Snapshot.Problems[0].Detail)},
			Next:     []string{incident().Snapshot.Problems[0].Advice},
		},
		"not said by it": {Text: "not seen yet"},
	} {
		t.Run(name, func(t *testing.T) {
			drive(t, 80, 24, func(d *driver) {
				b := incident()
				row := b.Rows[5]
				row.Group.Problems, row.Verdict = b.Snapshot.Problems, verdict
				b.Open = &model.OpenGroup{ID: row.Group.ID, Row: row}
				d.board(b)
				all := strings.Join(strings.Fields(d.text()), " ")
				for _, want := range []string{"was refused for this group", "Grant DESCRIBE on the group's topics to the principal that sharetop connects as.", "could not be seen:"} {
					if !strings.Contains(all, want) {
						t.Errorf("%q is not on the screen:\n%s", want, d.text())
					}
				}
			}, openPage("secrets-feed"))
		})
	}
}

func TestGroupTabs(t *testing.T) {
	drive(t, 100, 30, func(d *driver) {
		d.board(openRefunds())
		steps := []struct{ key, want string }{
			{"2", "CLIENT ID"},
			{"tab", "RANGE"},
			{"tab", "PEEK: the group is not touched"},
			{"tab", "LOG-START"},
			{"shift+tab", "PEEK: the group is not touched"},
			{"1", "LOG-START"},
			{"5", "State: offsets come from requests"},
		}
		for _, s := range steps {
			d.keys(s.key)
			d.wantText(s.want)
		}
		// A tab that can't be shown leaves the one that is.
		d.wantText("LOG-START", "1 Partitions")
		d.keys("esc", "esc")
		d.wantText("connect-orders-sink")
	}, openPage("payments-retry"))
}

func TestGroupCursorIsOnAPartition(t *testing.T) {
	drive(t, 100, 30, func(d *driver) {
		b := openRefunds()
		d.board(b)
		d.keys("down", "down")
		n := next(b, func(int, *model.Row) {})
		open := *b.Open
		open.Partitions = fixturePartitions()
		// Another partition becomes worse and moves to the top.
		open.Partitions[4].Verdict = model.PartitionVerdict{Severity: model.SeverityStuck, Text: "window full"}
		n.Open = &open
		d.board(n)
		items := d.app.copyItems()
		if got := items[2].text; got != "refunds-2" {
			t.Errorf("the cursor is on %q", got)
		}
		_, rows, _ := strings.Cut(d.text(), "WHY")
		if got := strings.Split(rows, "\n")[2]; !strings.Contains(got, "window full") {
			t.Errorf("worst first: %q", got)
		}
	}, openPage("payments-retry"))
}

func TestGroupSorts(t *testing.T) {
	drive(t, 120, 40, func(d *driver) {
		d.board(openRefunds())
		first := func() string {
			text := d.text()
			_, rows, _ := strings.Cut(text, "WHY")
			return strings.Split(rows, "\n")[1]
		}
		d.wantText("WHY↓")
		d.keys(">")
		d.wantNoText("WHY↓", "TOPIC↑")
		d.keys(">")
		d.wantText("TOPIC↑")
		d.keys("I")
		if got := first(); !strings.Contains(got, "refunds.late") {
			t.Errorf("by topic, backwards: %q", got)
		}
		for range 4 {
			d.keys(">")
		}
		d.wantText("AHEAD↓")
		if got := first(); !strings.Contains(got, "398") {
			t.Errorf("by AHEAD: %q", got)
		}
	}, openPage("payments-retry"))
}

func TestGroupFilters(t *testing.T) {
	drive(t, 100, 30, func(d *driver) {
		d.board(openRefunds())
		d.keys("/")
		d.typed("late")
		d.wantText("/late", "refunds.late")
		d.wantNoText("refunds  ", "≥398")
		d.keys("enter", "down")
		if got := d.app.copyItems()[2].text; got != "refunds.late-1" {
			t.Errorf("the cursor is on %q", got)
		}
		d.keys("/")
		d.send(tea.PasteMsg{Content: "x\n1"})
		d.wantText("Nothing here matches latex1: esc shows all.")
		d.keys("esc")
		d.wantText("≥398")
		d.keys("/")
		d.typed("!late")
		d.keys("enter")
		d.wantText("≥398")
		d.wantNoText("refunds.late")
		// The filter goes with its tab, and esc takes it away before it leaves.
		d.keys("2")
		d.wantText("refunder-1", "refunder-2")
		d.keys("/")
		d.typed("REFUNDER-1")
		d.keys("enter")
		d.wantNoText("refunder-3")
		d.keys("esc")
		d.wantText("refunder-3")
		d.keys("esc")
		d.wantText("connect-orders-sink")
	}, openPage("payments-retry"))
}

func TestGroupSaysWhenItsOwnOffsetsAreOld(t *testing.T) {
	drive(t, 120, 30, func(d *driver) {
		b := openRefunds()
		d.board(b)
		d.wantNoText("▲ offsets")
		b.Open.Row.Group.OffsetsAt = b.Snapshot.Taken.Add(-12 * time.Second)
		d.board(next(b, func(int, *model.Row) {}))
		d.wantText("▲ offsets 12s ago")

		// Live from the state topic silence is news: nothing has changed.
		b.Open.Row.Group.OffsetsFrom = model.FromStateTopic
		b.Snapshot.Offsets.Tail.CheckedAt = b.Snapshot.Taken
		d.board(next(b, func(int, *model.Row) {}))
		d.wantNoText("▲ offsets")
	}, openPage("payments-retry"))
}

// A board that is about another group changes nothing here.
func TestGroupIgnoresTheDetailOfAnother(t *testing.T) {
	drive(t, 100, 30, func(d *driver) {
		b := openRefunds()
		d.board(b)
		n := next(b, func(int, *model.Row) {})
		n.Open = &model.OpenGroup{ID: model.NewGroupID("other")}
		d.board(n)
		d.wantText("payments-retry", "refunds")
		d.wantNoText("gone", "other")
	}, openPage("payments-retry"))
}

func TestGroupThatWasNotSearchedForYetIsNotMissing(t *testing.T) {
	drive(t, 80, 24, func(d *driver) {
		b := incident()
		d.board(b)
		d.keys(":")
		d.typed("group nope")
		d.keys("enter")
		d.wantText("Asking every broker for the share group nope.")
		same := next(b, func(int, *model.Row) {})
		same.Open = &model.OpenGroup{ID: model.NewGroupID("nope")}
		d.board(same)
		d.wantText("No broker knows a share group named nope.", "prod-eu")
	})
}

func TestLagSpanHoldsWhatIsKnown(t *testing.T) {
	for known, want := range map[int]int{0: 30, 1: 30, 30: 30, 31: 60, 60: 60, 100: 120, 121: 240, 240: 240} {
		series := make([]model.Number, 240)
		for i := 240 - known; i < 240; i++ {
			series[i] = model.Known(1)
		}
		if got := lagSpan(series); got != want {
			t.Errorf("%d samples: a span of %d, want %d", known, got, want)
		}
		if got := lagSpan(series[240-known:]); got != want {
			t.Errorf("%d samples alone: a span of %d, want %d", known, got, want)
		}
	}
}

func TestGroupMarksWhatIsOld(t *testing.T) {
	drive(t, 100, 30, func(d *driver) {
		b := openRefunds()
		d.board(b)
		dim := d.app.env.styles.dim
		if strings.Contains(d.content(), dim.render("9,120")) {
			t.Error("fresh rows are dim")
		}
		n := next(b, func(int, *model.Row) {})
		n.Rows = n.Rows[1:]
		n.Open = &model.OpenGroup{ID: b.Open.ID}
		d.board(n)
		if !strings.Contains(d.content(), dim.render("9,120")) {
			t.Error("rows of a group that is gone are not dim")
		}
	}, openPage("payments-retry"))
}

func TestGroupShowsWhatHasChanged(t *testing.T) {
	drive(t, 120, 30, func(d *driver) {
		b := openRefunds()
		d.board(b)
		n := next(b, func(int, *model.Row) {})
		open := *b.Open
		open.Partitions = fixturePartitions()
		open.Partitions[2].Log.End = model.Known(9007)
		n.Open = &open
		d.board(n)
		bold := d.app.env.styles.bold
		if !strings.Contains(d.content(), bold.render("9,007")) {
			t.Error("the changed END is not bold")
		}
		d.wait(time.Second)
		later := next(n, func(int, *model.Row) {})
		later.Open = n.Open
		d.board(later)
		if strings.Contains(d.content(), bold.render("9,007")) {
			t.Error("it is still bold a second later")
		}
	}, openPage("payments-retry"))
}

func BenchmarkGroupView(b *testing.B) {
	board := openRefunds()
	rows := board.Open.Partitions
	for len(board.Open.Partitions) < 1000 {
		r := rows[len(board.Open.Partitions)%len(rows)]
		r.Partition = int32(len(board.Open.Partitions))
		board.Open.Partitions = append(board.Open.Partitions, r)
	}
	a := New(Config{Now: fixtureTime, OpenGroup: "payments-retry"})
	a.resize(200, 50)
	a.showBoard(board, board.Rows)
	b.ReportAllocs()
	for b.Loop() {
		a.View()
	}
}

func TestAssignmentText(t *testing.T) {
	for _, tt := range []struct {
		assigned []model.Assignment
		limit    int
		want     string
	}{
		{nil, 99, ""},
		{[]model.Assignment{{Topic: model.NewTopicName("a"), Partitions: []int32{0, 1, 3}}}, 99, "a:0,1,3"},
		{[]model.Assignment{
			{Topic: model.NewTopicName("a"), Partitions: []int32{0, 2, 3, 4, 7}},
			{Topic: model.NewTopicName("b"), Partitions: []int32{5}},
		}, 99, "a:0,2-4,7;b:5"},
		{[]model.Assignment{{Topic: model.NewTopicName("a"), Partitions: []int32{0, 2, 4, 6, 8}}}, 4, "a:0,2…"},
	} {
		if got := assignmentText(&model.Member{Assignment: tt.assigned}, tt.limit); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// A partition with nothing to say comes before one that is caught up when
// records wait in it.
func TestCompareWorst(t *testing.T) {
	row := func(s model.Severity, lag int64) *model.PartitionRow {
		r := &model.PartitionRow{Verdict: model.PartitionVerdict{Severity: s}}
		r.Lag = model.Known(lag)
		return r
	}
	worst := []*model.PartitionRow{
		row(model.SeverityStuck, 1), row(model.SeverityWarn, 2), row(0, 9), row(model.SeverityFine, 3), row(0, 0),
	}
	for i := range len(worst) - 1 {
		if compareWorst(worst[i], worst[i+1]) <= 0 {
			t.Errorf("%d is not worse than the next", i)
		}
	}
}

// Times in what a verdict rests on follow the key like all others.
func TestEvidenceFollowsTheZone(t *testing.T) {
	at := time.Date(2026, 11, 29, 14, 43, 7, 0, time.UTC)
	b := openRefunds()
	b.Open.Row.Verdict.Evidence = []model.Sentence{model.Sentence(fmt.Sprintf("Nothing was finished since \x01%d\x03", at.UnixMilli()))}
	drive(t, 120, 40, func(d *driver) {
		d.board(b)
		for range 2 {
			d.wantText("since " + model.FormatClock(at, d.app.env.utc))
			d.keys("~")
		}
	}, openPage("payments-retry"))
}
