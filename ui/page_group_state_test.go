package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"sharetop/model"
)

func TestStateGolden(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}, {40, 10}} {
		for name, keys := range map[string][]string{"blocked": {"enter"}, "busy": {"down", "enter", "right"}} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				drive(t, size[0], size[1], func(d *driver) {
					d.board(liveBoard())
					d.keys(keys...)
					golden.RequireEqual(t, []byte(d.text()))
				}, openPage("payments-retry"))
			})
		}
	}
}

// The Partitions tab and the groups page show more while the state topic tells.
func TestLiveGolden(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		for name, group := range map[string]string{"partitions": "payments-retry", "groups": ""} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				drive(t, size[0], size[1], func(d *driver) {
					d.board(liveBoard())
					golden.RequireEqual(t, []byte(d.text()))
				}, openPage(group))
			})
		}
	}
}

func TestStateCursor(t *testing.T) {
	tests := []struct {
		keys []string
		want string
	}{
		{nil, "offset 9,120   3 of 5 deliveries over; free, or on its 4th   age 14m"},
		{[]string{"right"}, "offset 9,121   finished on its 1st delivery"},
		{[]string{"l", "l", "h"}, "offset 9,121 "},
		{[]string{"left"}, "offset 9,120 "},
		{[]string{"G"}, "offset 9,146   nothing settled yet: new, or in its first delivery"},
		{[]string{"L", "g"}, "offset 9,120 "},
		{[]string{"G", "H"}, "offset 9,120 "},
		{[]string{")"}, "offset 9,134   2 of 5 deliveries over; free, or on its 3rd"},
		{[]string{")", ")"}, "No record given back further on this way."},
		{[]string{"G", "("}, "offset 9,134 "},
		{[]string{"."}, "offset 9,134 "},
		{[]string{".", "."}, "offset 9,135 "},
		{[]string{"}"}, "No record archived further on this way."},
		{[]string{"#", "9", ",", "1", "3", "3", "enter"}, "offset 9,133 "},
		{[]string{"#", "7", "enter"}, "From 9,120 to 9,146 there is a state."},
		{[]string{"#", "x", "enter"}, "An offset is a whole number."},
		{[]string{"#", "7", "esc"}, "offset 9,120 "},
		{[]string{"]"}, "refunds-1"},
		{[]string{"[", "["}, "refunds.late-0"},
		{[]string{"/"}, "There is nothing to filter here"},
	}
	for _, test := range tests {
		t.Run(strings.Join(test.keys, ""), func(t *testing.T) {
			drive(t, 118, 30, func(d *driver) {
				d.board(liveBoard())
				d.keys("5")
				d.keys(test.keys...)
				d.wantText(test.want)
			}, openPage("payments-retry"))
		})
	}
}

// What happened to a record is told with what happened to its neighbours.
func TestStateHistory(t *testing.T) {
	drive(t, 118, 30, func(d *driver) {
		d.board(liveBoard())
		d.keys("5")
		d.wantText("What happened to 9,120", "since 14:43:03Z",
			"14:43:05Z  given back: delivery 1 is over (9,120–9,134, 15 records)",
			"14:43:35Z  given back: delivery 2 is over", "14:44:07Z  given back: delivery 3 is over")
		d.keys("right")
		d.wantText("14:43:05Z  given back: delivery 1 is over")
		d.wantNoText("14:43:35Z")
		d.keys("G")
		d.wantText("Nothing that the broker writes down: it is new, or in its first delivery.")
		d.keys("]", "g")
		d.wantText("finished on its 1st delivery", "Nothing but, perhaps, a first delivery that went well.")
	}, openPage("payments-retry"))
}

// Nothing on the screen claims that somebody has a record now.
func TestStateNeverSaysWhoHolds(t *testing.T) {
	drive(t, 118, 30, func(d *driver) {
		d.board(liveBoard())
		d.keys("5", "G")
		text := strings.ToLower(d.text())
		_, body, _ := strings.Cut(text, "refunds-0  start")
		for _, word := range []string{"held by", "acquired", "locked", "in flight"} {
			if strings.Contains(body, word) {
				t.Errorf("the screen says %q", word)
			}
		}
	}, openPage("payments-retry"))
}

// Each cell stands for as many offsets as the zoom says, and the cursor stays.
func TestStateZoom(t *testing.T) {
	drive(t, 118, 30, func(d *driver) {
		d.board(liveBoard())
		d.keys("5", "]")
		bucket := func() int64 {
			p := d.app.page().(*groupPage)
			s, _ := p.state.span()
			return p.state.shape(s).bucket
		}
		all := bucket()
		if all < 50 {
			t.Fatalf("all 100,000 offsets in cells of %d", all)
		}
		d.keys("#", "5", "0", "0", "0", "0", "enter", "i")
		if got := bucket(); got != all/2 {
			t.Errorf("zoomed in once: %d, want %d", got, all/2)
		}
		for range 10 {
			d.keys("i")
		}
		if got := bucket(); got != 1 {
			t.Errorf("zoomed in to the end: %d", got)
		}
		d.wantText("offset 50,000 ")
		d.keys("o", "o")
		if got := bucket(); got != 4 {
			t.Errorf("zoomed out twice: %d", got)
		}
		for range 10 {
			d.keys("o")
		}
		if got := bucket(); got != all {
			t.Errorf("zoomed out to the end: %d, want %d", got, all)
		}
		d.wantText("offset 50,000 ", "its cell")
	}, openPage("payments-retry"))
}

// The cursor follows the head until it was moved, and then stays on its offset.
func TestStateCursorFollowsTheHead(t *testing.T) {
	moved := func(b *model.Board) *model.Board {
		n := next(b, func(int, *model.Row) {})
		open := *b.Open
		open.Partitions = append([]model.PartitionRow(nil), b.Open.Partitions...)
		open.Partitions[0].State = model.NewPartitionState(model.StateParts{
			Start: 9134, Finished: 0, Highest: 9134, Batches: model.Intervals{released(9134, 9134, 2)},
		})
		open.Partitions[0].Head = model.Known(9134)
		n.Open = &open
		return n
	}
	drive(t, 118, 30, func(d *driver) {
		b := liveBoard()
		d.board(b)
		d.keys("5")
		d.board(moved(b))
		d.wantText("offset 9,134 ")
	}, openPage("payments-retry"))
	drive(t, 118, 30, func(d *driver) {
		b := liveBoard()
		d.board(b)
		d.keys("5", "right")
		d.board(moved(b))
		d.wantText("offset 9,121   below the start offset: done")
	}, openPage("payments-retry"))
}

func TestStateTabIsOffWithoutTheStateTopic(t *testing.T) {
	drive(t, 200, 30, func(d *driver) {
		b := openRefunds()
		b.Snapshot.Offsets.Why = "READ on topic __share_group_state is missing."
		b.Snapshot.Offsets.Advice = "Grant READ on it."
		d.board(b)
		for _, key := range []string{"5", "enter"} {
			d.keys(key)
			d.wantText("offsets come from requests", "READ on topic __share_group_state is missing; Grant READ on it", "LOG-START")
		}
		// Tab goes past what is off.
		d.keys("4", "tab")
		d.wantText("LOG-START")
	}, openPage("payments-retry"))
}

// A fall back to requests leaves the tab open and says why it is empty.
func TestStateTabSaysWhyItBecameEmpty(t *testing.T) {
	drive(t, 118, 30, func(d *driver) {
		d.board(liveBoard())
		d.keys("5")
		fallen := openRefunds()
		fallen.Snapshot.Version = 2
		fallen.Snapshot.Offsets.Why = "The state topic brings more than the budget."
		d.board(fallen)
		d.wantText("Offsets come from requests", "The state topic brings more than the budget")
		d.keys("right", "i", ")", "#")
		d.content()
	}, openPage("payments-retry"))
}

func TestStateOfPartitionsWithoutRecords(t *testing.T) {
	drive(t, 118, 30, func(d *driver) {
		b := liveBoard()
		b.Open.Partitions[2].State = model.NewPartitionState(model.StateParts{Start: 8999, Highest: -1})
		b.Open.Partitions[3].State = model.NewPartitionState(model.StateParts{Start: -1, Highest: -1})
		d.board(b)
		d.keys("5", "]", "]")
		d.wantText("There is no record to show: refunds-2 starts at 8,999, where its log ends")
		d.keys("]")
		d.wantText("No start offset yet in refunds.late-0")
		d.keys("]")
		d.wantText("The state topic has nothing of refunds.late-1.")
	}, openPage("payments-retry"))
}

func TestLiveScreensAtEverySizeInEveryLook(t *testing.T) {
	looks := map[string]func(*Config){
		"plain": func(*Config) {},
		"ascii": func(c *Config) { c.ASCII = true },
	}
	for name, option := range looks {
		t.Run(name, func(t *testing.T) {
			drive(t, 80, 24, func(d *driver) {
				d.board(radarBoard())
				for _, keys := range [][]string{{"5"}, {"]"}, {"i", "i", "G"}, {"1"}, {"R"}, {"enter"}, {"A"}, {":", "s", "o", "u", "r", "c", "e", "enter"}} {
					d.keys(keys...)
					for w := 0; w <= 300; w += 43 {
						for h := 0; h <= 100; h += 12 {
							d.send(tea.WindowSizeMsg{Width: w, Height: h})
							if content := d.content(); name == "ascii" && !isASCII(content) {
								t.Fatalf("not ASCII at %dx%d:\n%s", w, h, content)
							}
						}
					}
				}
			}, openPage("payments-retry"), option)
		})
	}
}

func TestStripShape(t *testing.T) {
	span := func(start, end int64) stripSpan { return stripSpan{start: start, end: end} }
	tests := []struct {
		name          string
		s             stripSpan
		width, rows   int
		bucket, at    int64
		first, cell   int64
		cols, gotRows int
	}{
		{"all fit in one line", span(9120, 9147), 80, 5, 0, 9120, 9120, 1, 65, 1},
		{"all fit in two lines", span(0, 130), 77, 5, 0, 0, 0, 1, 66, 2},
		{"a cell for four", span(0, 1000), 77, 4, 0, 0, 0, 4, 66, 4},
		{"zoomed in around the cursor", span(0, 1000), 77, 4, 1, 500, 330, 1, 66, 4},
		{"zoomed in at the end", span(0, 1000), 77, 4, 1, 999, 792, 1, 66, 4},
		{"zoomed out further than all", span(0, 1000), 77, 4, 1000, 0, 0, 4, 66, 4},
		{"no room", span(0, 10), 0, 0, 0, 3, 0, 10, 1, 1},
		{"a huge log", span(0, 1<<62), 100, 3, 0, 0, 0, 1<<62/(3*45) + 1, 45, 3},
	}
	for _, test := range tests {
		sh := test.s.shape(test.width, test.rows, test.bucket, test.at)
		if sh.first != test.first || sh.bucket != test.cell || sh.cols != test.cols || sh.rows != test.gotRows {
			t.Errorf("%s: %+v", test.name, sh)
		}
		if test.at < sh.first || test.at > sh.last(test.s) {
			t.Errorf("%s: the cursor is not in %d to %d", test.name, sh.first, sh.last(test.s))
		}
	}
}

func TestCountSign(t *testing.T) {
	for count, want := range map[int16]string{0: "0", 1: "1", 9: "9", 10: "+", -3: "0"} {
		if got := countSign(count); got != want {
			t.Errorf("%d: got %q", count, got)
		}
	}
}
