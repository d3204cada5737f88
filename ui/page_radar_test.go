package ui

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"sharetop/model"
)

// recordScreens are the pages that list records, by what opens each.
func recordScreens() map[string][]string {
	return map[string][]string{
		"radar":          {"R"},
		"archived-all":   {":", "a", "r", "c", "h", "i", "v", "e", "d", "enter"},
		"archived-group": {"A"},
		"source":         {":", "s", "o", "u", "r", "c", "e", "enter"},
	}
}

func TestRecordScreensGolden(t *testing.T) {
	for name, keys := range recordScreens() {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				drive(t, size[0], size[1], func(d *driver) {
					d.board(radarBoard())
					d.keys(keys...)
					golden.RequireEqual(t, []byte(d.text()))
				})
			})
		}
	}
}

func TestRadar(t *testing.T) {
	drive(t, 160, 30, func(d *driver) {
		b := radarBoard()
		d.board(b)
		d.keys("R")
		d.wantText("504 records on a second or later delivery, in 3 groups",
			"orders-0@9,001", "4 of 5", "next delivery is the last; batches are halved since delivery 4",
			"orders-0@9,134–9,633", "×500", "1 of 5", "refunds-0@9,120", "at the head")
		// What is under the cursor is what a key works on.
		if got := d.app.copyItems()[0].text; got != "orders-0@9001-9001" {
			t.Errorf("the cursor is on %q", got)
		}
		d.keys("/", "r", "e", "f", "u", "n", "enter")
		d.wantText("refunds-0@9,120", "filter refun")
		d.wantNoText("orders-0")
		d.keys("esc")
		d.wantText("orders-0@9,001")
		// It is live: a record that is finished goes.
		n := next(b, func(int, *model.Row) {})
		s := *n.Snapshot
		s.Groups = append([]*model.Group(nil), s.Groups...)
		for i, g := range s.Groups {
			if g.ID.Raw() == "connect-orders-sink" {
				without := *g
				without.Partitions = nil
				s.Groups[i] = &without
			}
		}
		n.Snapshot = &s
		d.board(n)
		d.wantNoText("orders-0")
		d.wantText("2 groups")
		d.keys("esc")
		d.wantText("connect-orders-sink")
	})
}

// Enter goes to the record, also when the group is opened only then.
func TestRadarOpensTheStateAtTheRecord(t *testing.T) {
	drive(t, 118, 30, func(d *driver) {
		b := radarBoard()
		open := b.Open
		b.Open = nil
		d.board(b)
		d.keys("R", "/")
		d.typed("refunds")
		d.keys("enter", "down", "enter")
		n := next(b, func(int, *model.Row) {})
		n.Open = open
		d.board(n)
		d.wantText("5 State", "offset 9,134   2 of 5 deliveries over")
		d.keys("esc")
		d.wantText("Poison radar")
	})
}

// A filter is typed with keys that mean something else elsewhere, and can be
// pasted.
func TestRadarFilterIsText(t *testing.T) {
	drive(t, 118, 30, func(d *driver) {
		d.board(radarBoard())
		d.keys("R", "/")
		d.typed("qR")
		d.send(tea.PasteMsg{Content: "x\n"})
		d.wantText("/qRx", "No record matches qRx")
		d.keys("esc")
		d.wantText("orders-0@9,001")
	})
}

func TestRecordListsSayWhyTheyAreEmpty(t *testing.T) {
	drive(t, 118, 30, func(d *driver) {
		b := incident()
		b.Snapshot.Offsets.Why = "READ on topic __share_group_state is missing."
		b.Snapshot.Offsets.Advice = "Grant READ on it."
		d.board(b)
		for _, keys := range [][]string{{"R"}, {"esc", "A"}} {
			d.keys(keys...)
			d.wantText("__share_group_state, which is not read now", "READ on topic __share_group_state is missing.", "Grant READ on it.", ":source says more.")
		}
	})
	drive(t, 118, 30, func(d *driver) {
		b := incident()
		b.Snapshot.Offsets = model.OffsetsState{Source: model.FromStateTopic, Tail: liveTail()}
		b.Snapshot.State = &model.StateView{Since: fixtureTime().Add(-time.Minute)}
		d.board(b)
		d.keys("R")
		d.wantText("No record of any group is on its second or a later delivery.")
		// Nothing seen is not the same as nothing lost.
		d.keys("esc", "A")
		d.wantText("Archived records since 14:56:03Z", "none seen since 14:56:03Z", "no longer told")
	})
}

func TestArchived(t *testing.T) {
	drive(t, 160, 30, func(d *driver) {
		d.board(liveBoard())
		d.keys("A")
		d.wantText("Archived records since 14:43:03Z", "payments-retry", "14:44:03Z", "refunds-0@9,111", "2 of 5",
			"rejected, or nothing to deliver (gap, aborted)", "refunds-0@9,100–9,101", "5 of 5", "at the delivery limit")
		d.wantNoText("GROUP")
		d.keys("/", "l", "i", "m", "i", "t", "enter")
		d.wantNoText("refunds-0@9,111")
	})
}

// What was looked at says whether a record is there, and is counted so.
func TestArchivedWithoutARecord(t *testing.T) {
	drive(t, 160, 30, func(d *driver) {
		b := liveBoard()
		g := *b.Rows[0].Group
		g.Archived = &model.ArchivedLooks{Newest: []model.ArchivedLook{
			{TopicID: model.TopicID{1}, First: 9111, Last: 9111, Found: model.FoundNoRecord},
			{TopicID: model.TopicID{1}, First: 9100, Last: 9100, Found: model.FoundRecord},
		}}
		for i := range b.Snapshot.Groups {
			if b.Snapshot.Groups[i].ID == g.ID {
				b.Snapshot.Groups[i] = &g
			}
		}
		d.board(b)
		d.keys("A")
		d.wantText(", 1 offset had none, and", "no record (marker or gap)", "×0", "refunds-0@9,100–9,101", "at the delivery limit")
		d.wantNoText("rejected")
	})
}

func TestSource(t *testing.T) {
	drive(t, 118, 40, func(d *driver) {
		b := incident()
		b.Snapshot.Offsets.Why = "The load is not over."
		b.Snapshot.Offsets.Tail = model.Tail{Phase: model.TailLoading, Loaded: 43, Total: 100, MaxMemory: 256 << 20}
		d.board(b)
		d.wantText("requests; state topic loading 43 %")
		d.runLine("source")
		d.wantText("requests: DescribeShareGroupOffsets", "The load is not over.", "round 2, 6 of 6 groups",
			"loading 43 %", "256 MiB at most; above that requests take over", "no difference from requests was found")
		live := liveBoard()
		live.Snapshot.Version = 2
		live.Snapshot.Offsets.Tail.Phase = model.TailBehind
		live.Snapshot.Offsets.Tail.CheckedAt = fixtureTime().Add(-9 * time.Second)
		live.Snapshot.Offsets.Tail.Behind = 1200
		live.Snapshot.Problems = []model.Problem{{
			Kind: model.ProblemDiffers, Target: model.NewText("group g"), Detail: "The offsets of g differ by source: 3 and 4.", Advice: "Tell us.",
		}}
		d.board(live)
		d.wantText("state topic, as of 9s ago", "50 of 50 read", "18,066 of 18,066", "9s ago, 1,200 offsets behind",
			"3.3 KiB/s over the last minute, 1 MiB/s at most", "about 6 MiB, 256 MiB at most",
			"The offsets of g differ by source: 3 and 4. Tell us.")
	})
}

// runLine runs a line of the palette.
func (d *driver) runLine(line string) {
	d.t.Helper()
	d.keys(":")
	d.typed(line)
	d.keys("enter")
}

// Outside text in a topic or group name is safe on every one of these pages.
func TestRecordScreensShowAwkwardText(t *testing.T) {
	for id, s := range awkward(t) {
		t.Run(id, func(t *testing.T) {
			drive(t, 80, 24, func(d *driver) {
				b := radarBoard()
				for _, g := range b.Snapshot.Groups {
					g.ID = model.NewGroupID(s)
					for i := range g.Partitions {
						g.Partitions[i].Topic = model.NewTopicName(s)
					}
				}
				for i := range b.Snapshot.State.Archived {
					b.Snapshot.State.Archived[i].Topic = model.NewTopicName(s)
					b.Snapshot.State.Archived[i].Group = model.NewGroupID(s)
				}
				d.board(b)
				for _, line := range []string{"radar", "archived", "source"} {
					d.runLine(line)
					d.content()
				}
			})
		})
	}
}

// BenchmarkState is a key and a frame of the State tab with 100,000 offsets of
// which no two neighbours are alike.
func BenchmarkState(b *testing.B) {
	a := benchApp(200, 50)
	board := liveBoard()
	a.benchBoard(board, a.env.query.Arrange(board))
	a.push(newGroupPage(&a.env, model.NewGroupID("payments-retry")))
	for _, key := range []string{"5", "]"} {
		a.Update(press(key))
	}
	b.ReportAllocs()
	for b.Loop() {
		a.Update(press("right"))
		if a.View().Content == "" {
			b.Fatal("nothing drawn")
		}
	}
}

// BenchmarkRadar is a key and a frame of the radar with 10,000 rows. Looking for
// them is not in it: that happens in a command.
func BenchmarkRadar(b *testing.B) {
	a := benchApp(200, 50)
	board := manyReleased(10_000)
	a.benchBoard(board, a.env.query.Arrange(board))
	p, look := newRadarPage(&a.env)
	a.push(p)
	reply := look()
	a.Update(reply)
	if len(p.table.rows) != 10_000 {
		b.Fatal("rows are missing")
	}
	b.ReportAllocs()
	for b.Loop() {
		a.Update(press("down"))
		if a.View().Content == "" {
			b.Fatal("nothing drawn")
		}
	}
}

// The radar and the State tab with their styles; the pictures in the README are
// made from them.
func TestStateInColourGolden(t *testing.T) {
	drive(t, 118, 18, func(d *driver) {
		d.board(liveBoard())
		d.keys("5")
		golden.RequireEqual(d.t, []byte(d.content()))
	}, openPage("payments-retry"), func(c *Config) { c.ReadOnly = true })
}

func TestRadarInColourGolden(t *testing.T) {
	drive(t, 118, 10, func(d *driver) {
		d.board(radarBoard())
		d.keys("R")
		golden.RequireEqual(d.t, []byte(d.content()))
	}, func(c *Config) { c.ReadOnly = true })
}

// What nobody sees is not derived, and is made up for when it is shown again.
func TestCoveredRadarRests(t *testing.T) {
	drive(t, 118, 20, func(d *driver) {
		d.board(radarBoard())
		d.keys("R")
		p, ok := d.app.page().(*radarPage)
		if !ok || p.found == nil {
			t.Fatal("the radar is not shown")
		}
		d.keys("enter")
		looks := p.req
		for version := range 3 {
			b := radarBoard()
			b.Snapshot.Version += model.Version(10 + version)
			d.board(b)
		}
		if p.req != looks || !p.outdated {
			t.Errorf("%d looks while another page was on top", p.req-looks)
		}
		d.keys("esc")
		if d.app.page() != page(p) || p.req == looks || p.outdated || p.busy {
			t.Errorf("%d looks when it was shown again", p.req-looks)
		}
	})
}
